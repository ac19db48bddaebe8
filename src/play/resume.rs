//! The command that goes on with a game.

use super::Args;

impl Args {
    /// The command line that goes on after `moves` in the same seats.
    pub(super) fn resumed(&self, program: &str, seat: &str, moves: &[String]) -> String {
        let Self { start, rulesheets, seat: _, level, engine, record, search } = self;
        let mut words = vec![program.to_owned(), "play".to_owned()];
        words.extend(start.game.words());
        words.extend(rulesheets.words(&start.game.game));
        let mut flag = |name: &str, value: String| words.extend([name.to_owned(), value]);
        if let Some(position) = &start.position {
            flag("--position", position.clone());
        }
        flag("--seat", seat.to_owned());
        if let Some(level) = level {
            flag("--level", level.name.to_owned());
        }
        if let Some(engine) = engine {
            let text = engine.to_string();
            flag("--engine", if engine.name == text { text } else { format!("{}={text}", engine.name) });
        }
        if let Some(record) = record {
            flag("--record", record.display().to_string());
        }
        words.extend(search.words());
        if !moves.is_empty() {
            words.extend(["--moves".to_owned(), moves.join(" ")]);
        }
        words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    }
}

/// Quotes a word for a shell if it needs quotes.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-+=:,/@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else if word.chars().all(|c| is_plain(c) || c == ' ') {
        format!("\"{word}\"")
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_change_them() {
        for (word, expected) in [
            ("Kc1-c2", "Kc1-c2"),
            ("f6 g7", "\"f6 g7\""),
            ("4/4|4 x -", "'4/4|4 x -'"),
            ("it's", r"'it'\''s'"),
            ("$HOME", "'$HOME'"),
            ("", "\"\""),
        ] {
            assert_eq!(quoted(word), expected);
        }
    }
}

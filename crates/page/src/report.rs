//! A report: Watch with the games of a tournament, in one file that needs no other and no network.
//!
//! The records and the positions of the games are compressed JSON, in blocks of which the page reads the
//! positions of those that it shows. In Base64 no text of theirs means anything as HTML, and the content security
//! policy allows no script and no style but the page's own.

use std::collections::HashSet;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use indexmap::IndexMap;
use miniz_oxide::deflate::compress_to_vec_zlib;
use quintet_analysis::{game_list, shown_game, win_line};
use quintet_core::game::{MAX_SCORE, Outcome};
use quintet_core::registry::Registry;
use quintet_protocol::{
    AnyRecord, ArenaResults, GRADES, GameRecord, Grade, Id, ListedGame, ShownStep, Thought, WinLine,
};
use rayon::prelude::*;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::bundle::{script, style};
use super::{ICON, INDEX};

/// The games of a block.
const BLOCK: usize = 64;
/// How much is done for a small file, from 0 to 10.
const COMPRESSION: u8 = 6;

/// A game that contradicts the rules.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{game} ({rules}): {message}")]
pub struct WrongGame {
    /// The game's name.
    pub game: String,
    /// The ruleset's name.
    pub rules: String,
    /// What is wrong, in words for people.
    pub message: String,
}

/// A record of a game, as a line of JSON has it.
pub trait Record: Serialize + Sync {
    /// The names of the game and of its ruleset.
    fn names(&self) -> (&str, &str);

    /// The position string that it starts from, if that is not the start position, and its moves.
    fn played(&self) -> (Option<&str>, &[String]);

    /// The first move before which an engine proved the game to be won or lost: its place, from 0, and the score of the
    /// role that makes it, 100 or 0.
    fn proven(&self) -> Option<(usize, u8)> {
        None
    }
}

impl Record for GameRecord {
    fn names(&self) -> (&str, &str) {
        (&self.game, &self.rules)
    }

    fn played(&self) -> (Option<&str>, &[String]) {
        (self.position.as_deref(), &self.moves)
    }

    fn proven(&self) -> Option<(usize, u8)> {
        let proven = |(ply, thought): (usize, &Option<Thought>)| {
            let score = thought.as_ref()?.proven.filter(|score| [0, MAX_SCORE].contains(score))?;
            Some((ply, score))
        };
        self.thoughts.iter().enumerate().find_map(proven)
    }
}

impl Record for AnyRecord {
    fn names(&self) -> (&str, &str) {
        (&self.game, &self.rules)
    }

    fn played(&self) -> (Option<&str>, &[String]) {
        (self.position.as_deref(), &self.moves)
    }
}

/// What the page knows before it reads a block.
#[derive(Debug, Serialize)]
struct Head<'a> {
    /// The name of the file of games.
    file: &'a str,
    /// The games and rulesets that were played.
    games: Vec<ListedGame>,
    /// How moves are graded.
    grades: [Grade; 3],
    /// The start position of each.
    starts: Vec<ShownStep>,
    summary: ArenaResults,
}

/// Returns the page of the games of a tournament or of other records, as HTML. `file` names their file; `summary`
/// has their results.
///
/// # Errors
/// [`WrongGame`] if a record has an unknown game, a wrong position or an illegal move.
pub fn report(
    file: &str,
    records: &[impl Record],
    summary: ArenaResults,
    registry: &Registry,
) -> Result<String, WrongGame> {
    let played: HashSet<_> = records.iter().map(Record::names).collect();
    let games = game_list(Id::default(), registry).games.into_iter();
    let games: Vec<_> =
        games.filter(|it| played.contains(&(it.game.game.as_str(), it.game.rules.as_str()))).collect();
    let starts = games.iter().map(|it| steps(&it.game.game, &it.game.rules, None, &[], registry));
    let starts = starts.collect::<Result<Vec<_>, _>>()?.concat();
    let blocks = records.par_chunks(BLOCK).map(|records| {
        let steps = records.iter().map(|it| {
            let ((game, rules), (position, moves)) = (it.names(), it.played());
            let mut steps = steps(game, rules, position, moves, registry)?;
            if let Some((ply, score)) = it.proven()
                && let Some(step) = steps.get_mut(ply)
            {
                step.win = win(it, ply, score, registry).map(Box::new);
            }
            Ok(steps)
        });
        Ok([packed(&records), packed(&steps.collect::<Result<Vec<_>, _>>()?)])
    });
    let blocks: Vec<_> = blocks.collect::<Result<_, _>>()?;
    Ok(page(&json(&(packed(&Head { file, games, grades: GRADES, starts, summary }), blocks))))
}

/// How a game is won from the position before the move at this place, by whose role the score is 100 or 0.
fn win(record: &impl Record, ply: usize, score: u8, registry: &Registry) -> Option<WinLine> {
    let ((game, rules), (position, moves)) = (record.names(), record.played());
    let variant = registry.find(game, Some(rules)).ok()?;
    let session = variant.set_up(position, moves.get(..ply)?.iter().map(String::as_str)).ok()?;
    let side = session.to_move()?.side;
    let winner = if score == MAX_SCORE { side } else { side.opponent() };
    // What others call proven may not be: a line without a limit is no proof.
    let win = win_line(&*session, Some(Outcome::Win(winner)), None, None);
    win.filter(|it| it.plies.is_some() || it.plies_at_most.is_some())
}

/// Returns the positions of a game. No move is played there, so they are without those that are legal.
fn steps(
    game: &str,
    rules: &str,
    position: Option<&str>,
    moves: &[String],
    registry: &Registry,
) -> Result<Vec<ShownStep>, WrongGame> {
    let variant = registry.find(game, Some(rules)).map_err(|error| error.to_string());
    let shown = variant.and_then(|it| shown_game(Id::default(), &it, position, moves, true));
    let wrong = |message| WrongGame { game: game.to_owned(), rules: rules.to_owned(), message };
    let mut steps = shown.map_err(wrong)?.steps;
    for step in &mut steps {
        step.step.legal.clear();
        step.effects = Some(IndexMap::new());
    }
    Ok(steps)
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("all keys are strings")
}

/// Returns a value as compressed JSON in Base64.
fn packed(value: &impl Serialize) -> String {
    BASE64_STANDARD.encode(compress_to_vec_zlib(json(value).as_bytes(), COMPRESSION))
}

/// Returns the page with these data.
fn page(data: &str) -> String {
    let icon = format!("data:image/svg+xml;base64,{}", BASE64_STANDARD.encode(ICON));
    let (style, script) = (style(), script("recording.js"));
    let hash = |text: &str| format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)));
    let policy = format!(
        "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src {}; script-src {}",
        hash(&style),
        hash(&script),
    );
    // The head ends with the links to what is part of this file.
    let (start, rest) = INDEX.split_once("<link rel=\"stylesheet\"").unwrap_or_default();
    let (_, rest) = rest.split_once("</head>\n<body>").unwrap_or_default();
    let start = start.replacen(
        "<meta charset=\"utf-8\">",
        &format!(
            "<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">"
        ),
        1,
    );
    let rest = rest.replacen(
        "</body>",
        &format!(
            "<script type=\"application/json\" id=\"recording\">{data}</script>\n\
             <script type=\"module\">{script}</script>\n</body>"
        ),
        1,
    );
    let hint = "<noscript>This page shows games by JavaScript: allow it, please.</noscript>";
    format!("{start}<style>{style}</style>\n</head>\n<body class=\"recording\">\n{hint}{rest}")
        .replace("assets/icon.svg", &icon)
}

#[cfg(test)]
mod tests {
    use quintet_arena::tournament::Standings;

    use super::*;

    /// The page of a game whose texts are all `text`.
    fn page_of(text: &str) -> String {
        let text = serde_json::to_string(text).expect("JSON");
        let record = format!(
            r#"{{"game":"krk","rules":"spec","pair":0,"opening":[],"moves":["Kc1-c2"],"seats":{{"white":{text},"black":"b"}},
            "scores":{{"white":100,"black":0}},"seed":0,"end":"time","fault":{text},
            "arena":{{"program":{text},"seed":1,"openings":{text},"engines":{{{text}:{text},"b":"random"}}}}}}"#
        );
        let records: [GameRecord; 1] = [serde_json::from_str(&record).expect("a record")];
        let summary = Standings::of(&records, &quintet_games::registry()).summary(None);
        report(&text, &records, summary, &quintet_games::registry()).expect("it is right")
    }

    #[test]
    fn a_proven_win_has_its_line_where_it_was_first_known() {
        let record = |proven: u8| {
            let record = format!(
                r#"{{"game":"krk","rules":"spec","pair":0,"opening":[],"moves":["Kc1-b2"],"seats":{{"white":"a","black":"b"}},
                "scores":{{"white":100,"black":0}},"seed":0,"end":"time","thoughts":[{{"value":9,"proven":{proven},"ms":0}}],
                "arena":{{"program":"p","seed":1,"openings":"o","engines":{{"a":"random","b":"random"}}}}}}"#
            );
            serde_json::from_str::<GameRecord>(&record).expect("a record")
        };
        let games = quintet_games::registry();
        let shown = |proven| {
            let record = record(proven);
            record.proven().map(|(ply, score)| win(&record, ply, score, &games))
        };
        let line = shown(100).flatten().expect("white mates");
        assert_eq!((line.plies, line.line.len(), line.line_why[2].as_str()), (Some(3), 3, "checkmate"));
        assert_eq!(shown(50), None, "a draw has no line");
        assert_eq!(shown(0), Some(None), "what is not so is not shown");
    }

    #[test]
    fn texts_of_others_mean_nothing_as_html() {
        let page = page_of("</script><script>alert('x')</script><b>\"&");
        assert!(!page.contains("alert('x')") && !page.contains("<b>"));
        assert_eq!(page.matches("</script").count(), page_of("a").matches("</script").count());
        assert!(page.ends_with("</html>\n"));
    }

    #[test]
    fn the_policy_allows_the_styles_and_the_script_of_the_page_and_nothing_else() {
        let page = page_of("a");
        let policy =
            page.split_once("http-equiv=\"Content-Security-Policy\" content=\"").expect("a policy").1;
        let policy = policy.split_once('"').expect("an end").0;
        let allowed = |element: &str| -> String {
            let contents = page.split(element).skip(1).map(|rest| rest.split_once("</").expect("an end").0);
            let hash = |it| format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(it)));
            contents.map(hash).collect()
        };
        let expected = format!(
            "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src {}; script-src {}",
            allowed("<style>"),
            allowed("<script type=\"module\">"),
        );
        assert_eq!(policy, expected);
        assert_eq!((policy.matches("sha256").count(), page.matches("<style").count()), (2, 1));
        assert_eq!(page.matches("<script").count(), 2);
    }

    #[test]
    fn the_page_asks_for_nothing_from_elsewhere() {
        let page = page_of("a").replace("http://www.w3.org/2000/svg", "");
        for word in
            ["http:", "https:", "src=\"assets", "href=\"assets", "@import", "url(\"", "WebSocket", "fetch("]
        {
            assert!(!page.contains(word), "{word}");
        }
    }
}

//! What a person types, as moves.

use quintet_core::Quoted;
use quintet_core::game::Role;
use quintet_core::game::text::{are_binary, moves};
use quintet_core::names::nearest;
use quintet_core::session::Session;

use super::command::{COMMANDS, Command};
use crate::output::counted;

/// What a line stands for.
pub(super) enum Meaning<'a> {
    /// A command and its argument.
    Command(Command, &'a str),
    Moves(Understood),
}

/// Returns what a line stands for. A legal move is a move, even if a command has the same name.
///
/// # Errors
/// As [`understand`], and what is wrong with a command.
pub(super) fn meaning<'a>(
    session: &mut dyn Session,
    line: &'a str,
    is_theirs: impl Fn(&Role) -> bool,
) -> Result<Meaning<'a>, String> {
    let words: Vec<&str> = moves(line).collect();
    let is_move = words.first().is_some_and(|first| session.legal_moves().iter().any(|it| it == first));
    match if is_move { None } else { Command::parse(line) } {
        Some(command) => command.map(|(command, argument)| Meaning::Command(command, argument)),
        None => understand(session, &words, is_theirs).map(Meaning::Moves),
    }
}

/// What the moves of a line stand for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Understood {
    /// The tokens of the moves to play.
    pub(super) moves: Vec<String>,
    /// The words after these moves, when it is another's turn or the game is over.
    pub(super) rest: Vec<String>,
}

/// Returns the moves that the words of a line stand for, as long as they are moves of roles that
/// `is_theirs`. A word that is not legal yet, but later in the turn, may stand before one that is.
/// The session is as before in the end.
///
/// # Errors
/// What is wrong with a word, in words for people.
fn understand(
    session: &mut dyn Session,
    line: &[&str],
    is_theirs: impl Fn(&Role) -> bool,
) -> Result<Understood, String> {
    let before = session.moves().len();
    let rest = play_all(session, line, is_theirs);
    let moves = session.moves().split_off(before);
    for _ in &moves {
        session.take_back();
    }
    rest.map(|rest| Understood { moves, rest })
}

/// Plays the moves, and returns the words that are left.
fn play_all(
    session: &mut dyn Session,
    line: &[&str],
    is_theirs: impl Fn(&Role) -> bool,
) -> Result<Vec<String>, String> {
    let mut words = line.to_vec();
    // The first words that had to wait for others, and why.
    let mut waiting: Vec<(&str, String)> = Vec::new();
    let before = session.moves().len();
    while let Some(&first) = words.first()
        && session.to_move().is_some_and(|role| is_theirs(&role))
    {
        let (index, tokens) = match tokens(session, first) {
            Ok(tokens) => (0, tokens),
            Err(wrong) => {
                // The legal moves are those of a position that is not shown.
                let wrong = match session.moves().get(before..) {
                    None | Some([]) => wrong,
                    Some(played) => format!("After {}: {wrong}", played.join(" ")),
                };
                let is_legal = |word: &&str| session.canonical_token(word).is_ok();
                let index = words.iter().position(is_legal).ok_or_else(|| wrong.clone())?;
                waiting.push((first, wrong));
                (index, tokens(session, words[index])?)
            }
        };
        let word = words.remove(index);
        waiting.retain(|(it, _)| *it != word);
        for token in tokens {
            session.play(&token).map_err(|error| error.to_string())?;
        }
    }
    match waiting.into_iter().next() {
        Some((_, wrong)) => Err(wrong),
        None => Ok(words.into_iter().map(str::to_owned).collect()),
    }
}

/// Returns the moves that a word stands for: one, or one for each role of a team.
pub(super) fn tokens(session: &mut dyn Session, word: &str) -> Result<Vec<String>, String> {
    if let Ok(token) = session.canonical_token(word) {
        return Ok(vec![token]);
    }
    let legal = session.legal_moves();
    match &meanings(word, &legal)[..] {
        [token] => Ok(vec![token.clone()]),
        [] => whole_turn(session, word).ok_or_else(|| unknown(word, &legal)),
        several => Err(format!("{} may be {}: type more of it.", Quoted(word), one_of(several))),
    }
}

/// Returns the legal moves that a word which names none may stand for.
fn meanings(word: &str, legal: &[String]) -> Vec<String> {
    let found = |is_meant: &dyn Fn(&str) -> bool| -> Vec<String> {
        legal.iter().filter(|token| is_meant(token)).cloned().collect()
    };
    if word.is_empty() {
        return Vec::new();
    }
    if are_binary(legal) {
        let number = word.parse();
        return found(&|token| {
            word.len() < token.len() && number.is_ok() && u32::from_str_radix(token, 2) == number
        });
    }
    found(&|token| {
        let parts = token.rsplit_once('-');
        let is_destination = |(_, to): (&str, &str)| {
            let piece = token.chars().next().filter(char::is_ascii_alphabetic);
            let after_piece = piece.and_then(|it| {
                let (first, rest) = word.split_at_checked(1)?;
                first.eq_ignore_ascii_case(it.encode_utf8(&mut [0; 4])).then_some(rest)
            });
            to.eq_ignore_ascii_case(word) || after_piece.is_some_and(|rest| to.eq_ignore_ascii_case(rest))
        };
        is_beginning(word, token) || parts.is_some_and(is_destination)
    })
}

/// Whether a move begins with a word. A number in it is not cut short.
fn is_beginning(word: &str, token: &str) -> bool {
    let Some((beginning, rest)) = token.split_at_checked(word.len()) else { return false };
    let ends_in_digit = |text: &str| text.ends_with(|it: char| it.is_ascii_digit());
    let goes_on = rest.starts_with(|it: char| it.is_ascii_digit());
    beginning.eq_ignore_ascii_case(word) && !(ends_in_digit(word) && goes_on)
}

/// Returns the moves of a whole turn of the team to move, if a word has one character for each of
/// its roles, in the order in which they are listed: the last of the move's token.
fn whole_turn(session: &mut dyn Session, word: &str) -> Option<Vec<String>> {
    let side = session.to_move()?.side;
    let team: Vec<_> =
        session.variant().roles.iter().filter(|it| it.side == side).map(|it| it.name.clone()).collect();
    let endings: Vec<char> = word.chars().collect();
    if team.len() < 2 || endings.len() != team.len() {
        return None;
    }
    let mut tokens = Vec::new();
    for _ in 0..team.len() {
        let next = session.to_move().filter(|it| it.side == side).and_then(|role| {
            let ending = endings[team.iter().position(|it| *it == role.name)?];
            let mut meant = session.legal_moves().into_iter().filter(|token| token.ends_with(ending));
            meant.next().filter(|_| meant.next().is_none())
        });
        let Some(token) = next else { break };
        session.play(&token).ok()?;
        tokens.push(token);
    }
    for _ in &tokens {
        session.take_back();
    }
    (tokens.len() == team.len()).then_some(tokens)
}

/// The longest list of moves in a message.
const LISTED: usize = 12;

fn unknown(word: &str, legal: &[String]) -> String {
    let known: Vec<&str> =
        legal.iter().map(String::as_str).chain(COMMANDS.iter().map(|it| it.name)).collect();
    let meant = nearest(&word.to_ascii_lowercase(), &known);
    let meant = meant.map_or(String::new(), |it| format!(" Did you mean {}?", Quoted(it)));
    let list = if legal.len() <= LISTED {
        format!("Legal: {}", legal.join(" "))
    } else {
        format!("{} are legal: moves lists them", counted(legal.len() as u64, "move"))
    };
    format!("{} is no legal move and no command.{meant} {list}.", Quoted(word))
}

fn one_of(several: &[String]) -> String {
    let shown = &several[..several.len().min(LISTED)];
    let (last, others) = shown.split_last().expect("there are two at least");
    if several.len() > shown.len() {
        return format!("{} or one of {} more", shown.join(", "), several.len() - shown.len());
    }
    format!("{} or {last}", others.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays `line` after `moves`, with the moves of the role to move and its team, and returns the
    /// moves that it stands for.
    fn understood(game: (&str, &str), moves: &str, line: &str) -> Result<String, String> {
        let variant = quintet_games::registry().find(game.0, Some(game.1)).expect("a game");
        let mut session = variant.set_up(None, moves.split_whitespace()).expect("legal moves");
        let before = session.moves();
        let side = session.to_move().expect("the game goes on").side;
        let words: Vec<&str> = line.split_whitespace().collect();
        let understood = understand(&mut *session, &words, |role| role.side == side);
        assert_eq!(session.moves(), before, "nothing is played");
        let Understood { moves, rest } = understood?;
        let rest = if rest.is_empty() { rest } else { [vec!["|".to_owned()], rest].concat() };
        Ok([moves, rest].concat().join(" "))
    }

    #[test]
    fn moves_may_be_shorter_than_their_tokens() {
        let (krk, gomoku, quarto) = (("krk", "spec"), ("gomoku", "ggp"), ("quarto", "ggp"));
        let set_up = "a1 b1 c1";
        for (game, moves, line, expected) in [
            (krk, "", "kC1-B2", "Kc1-b2"),
            (krk, "", "d4", "Rd1-d4"),
            (krk, "", "Kc2", "Kc1-c2"),
            (krk, "Kc1-c2", "a3", "ka4-a3"),
            (gomoku, "", "F6", "f6"),
            (gomoku, set_up, "bl", "black"),
            (gomoku, set_up, "W", "white"),
            (quarto, "", "b", "1011"),
            (quarto, "", "B", "1011"),
            (quarto, "", "11", "1011"),
            (quarto, "", "5", "0101"),
            (("pentago", "ggp"), "a1", "2cc", "2ccw"),
        ] {
            assert_eq!(understood(game, moves, line).as_deref(), Ok(expected), "{line}");
        }
    }

    #[test]
    fn a_word_that_may_be_several_moves_is_not_played() {
        let krk = understood(("krk", "spec"), "", "Rd").expect_err("several");
        assert_eq!(krk, "\"Rd\" may be Rd1-d2, Rd1-d3 or Rd1-d4: type more of it.");
        let many = understood(("gomoku", "ggp"), "a1 b1 c1", "b").expect_err("several");
        assert!(many.starts_with("\"b\" may be b2") || many.contains("black"), "{many}");
    }

    #[test]
    fn a_taken_cell_is_not_the_beginning_of_another() {
        let moves: Vec<String> = (1..=9).map(|rank| format!("a{rank}")).collect();
        let moves = [&["b1", "c1"], &moves.iter().map(String::as_str).collect::<Vec<_>>()[..]].concat();
        let moves = [&moves[..3], &["black"], &moves[3..], &["a10"]].concat().join(" ");
        let wrong = understood(("gomoku", "ggp"), &moves, "a1").expect_err("only a11 is left of a1…");
        assert!(wrong.starts_with("\"a1\" is no legal move"), "{wrong}");
    }

    #[test]
    fn a_line_may_have_the_moves_of_a_turn_and_those_after_it_are_left() {
        let (spec, ggp) = (("qubic", "spec"), ("qubic", "ggp"));
        let turn = "r1 c1 l1 r1 c1 l2";
        for (game, moves, line, expected) in [
            (spec, "", "r2 c3 l1", "r2 c3 l1"),
            (spec, "", "231", "r2 c3 l1"),
            (spec, "r2", "C3 l1", "c3 l1"),
            (spec, "", "l1 c3 r2", "r2 c3 l1"),
            (ggp, turn, "r2 c3 l1", "c3 l1 r2"),
            (ggp, turn, "231", "c3 l1 r2"),
            (ggp, "", "231 112", "r2 c3 l1 | 112"),
            (("quarto", "spec"), "", "5 b2", "0101 b2"),
            (("quarto", "spec"), "", "b2 B", "1011 b2"),
            (("quarto", "ggp"), "", "5 b2", "0101 | b2"),
            (("pentago", "ggp"), "", "1cw c4", "c4 1cw"),
        ] {
            assert_eq!(understood(game, moves, line).as_deref(), Ok(expected), "{line}");
        }
    }

    #[test]
    fn a_wrong_word_is_named() {
        for (game, moves, line, parts) in [
            (
                ("krk", "spec"),
                "Kc1-c2",
                "a5",
                &["\"a5\" is no legal move and no command.", "Legal: ka4-a3 ka4-b4."][..],
            ),
            (("gomoku", "ggp"), "f6", "f6", &["\"f6\" is no", " 120 moves are legal: moves lists them."]),
            (("gomoku", "ggp"), "", "z9 f6", &["\"z9\" is no"]),
            (("gomoku", "ggp"), "", "f6 g77", &["After f6: \"g77\" is no", " Did you mean \"g7\"?"]),
            (("krk", "spec"), "", "hnit", &[" Did you mean \"hint\"?"]),
            (("qubic", "spec"), "", "235", &["\"235\" is no", "Legal: r1 r2 r3 r4."]),
            (("qubic", "spec"), "r1 c1 l1 r1 c1 l2", "111", &["\"111\" is no"]),
            (("qubic", "spec"), "r1", "231", &["\"231\" is no"]),
            (("quarto", "spec"), "0101 b2", "5", &["\"5\" is no"]),
            (("quarto", "spec"), "", "16", &["\"16\" is no"]),
        ] {
            let wrong = understood(game, moves, line).expect_err(line);
            for part in parts {
                assert!(wrong.contains(part), "{line}: {wrong}");
            }
        }
    }
}

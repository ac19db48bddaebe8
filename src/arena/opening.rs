//! Where the games of a tournament start.
//!
//! Every pair of games has one opening, which is played once from each seat. An opening depends on the
//! seed, the game and the number of the pair alone, so that it can be found again whenever the tournament is
//! resumed or shared out.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;
use serde::Deserialize;

use super::log::reason;
use crate::catalog::{GameId, Visitor};
use crate::engine::{Engine, EngineSpec, Settings};
use crate::game::{Rng, set_up};
use crate::games::Rules;
use crate::knowledge::Known;

/// Where openings come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Openings {
    /// So many random legal moves that do not end the game.
    Random {
        /// The number of moves.
        plies: usize,
    },
    /// The openings of a book, one after the other, and from the first again when all have been used.
    Book(Book),
}

/// Openings that somebody has chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Book {
    lines: HashMap<(GameId, Rules), Vec<BookLine>>,
    hash: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct BookLine {
    position: Option<String>,
    moves: Vec<String>,
}

/// What is wrong with a book.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct BookError {
    line: usize,
    message: String,
}

/// Where a game starts, and the moves that are not left to the engines.
#[derive(Debug, Clone)]
pub(super) struct Opening<G: Known> {
    /// The position string of the start, if it is not the start position.
    pub(super) position: Option<String>,
    pub(super) start: G,
    pub(super) moves: Vec<G::Move>,
}

impl<G: Known> Opening<G> {
    /// The position after the moves.
    fn end(&self) -> G {
        let mut position = self.start;
        self.moves.iter().for_each(|&mv| position.apply(mv));
        position
    }
}

/// No opening was found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoOpening {
    /// Random openings of this length hardly exist.
    #[error(
        "found no opening of {plies} plies after {attempts} random attempts: every game was over or decided"
    )]
    Random {
        /// The wanted length.
        plies: usize,
        /// How often it was tried.
        attempts: usize,
    },
    /// The book has none for this game and ruleset.
    #[error("the openings have none that can be used")]
    Book,
}

impl Openings {
    /// What decides the openings, for the records: two tournaments with the same text here and the same seed
    /// have the same openings.
    #[must_use]
    pub fn describe(&self, undecided: bool) -> String {
        let text = match self {
            Self::Random { plies } => format!("{plies} random plies"),
            Self::Book(book) => {
                format!(
                    "{} from a book, {:016x}",
                    book.lines.values().map(Vec::len).sum::<usize>(),
                    book.hash
                )
            }
        };
        if undecided { text + ", undecided" } else { text }
    }

    /// The opening of a pair of games: `seed` decides a random one, the number of the pair one of a book.
    pub(super) fn draw<G: Known>(
        &self,
        game: (GameId, Rules),
        pair: usize,
        seed: u64,
        undecided: bool,
    ) -> Result<Opening<G>, NoOpening> {
        match self {
            Self::Random { plies } => {
                const ATTEMPTS: usize = 1_000;
                let mut rng = Rng::stream(seed, 0);
                (0..ATTEMPTS)
                    .filter_map(|_| random_opening::<G>(*plies, &mut rng))
                    .find(|opening| !undecided || !is_decided(&opening.end()))
                    .ok_or(NoOpening::Random { plies: *plies, attempts: ATTEMPTS })
            }
            Self::Book(book) => {
                let lines = book.lines.get(&game).filter(|lines| !lines.is_empty()).ok_or(NoOpening::Book)?;
                lines[pair % lines.len()].opening().ok_or(NoOpening::Book)
            }
        }
    }
}

/// `plies` random moves from the start, unless they end the game.
fn random_opening<G: Known>(plies: usize, rng: &mut Rng) -> Option<Opening<G>> {
    let start = G::initial();
    let mut position = start;
    let mut moves = Vec::new();
    for _ in 0..plies {
        let mv = position.random_move(rng);
        position.apply(mv);
        moves.push(mv);
        if position.outcome().is_some() {
            return None;
        }
    }
    Some(Opening { position: None, start, moves })
}

/// Whether a short search proves how the game ends from here. It takes the same iterations everywhere, so that
/// every machine leaves out the same openings.
fn is_decided<G: Known>(position: &G) -> bool {
    const ITERATIONS: u64 = 10_000;
    let settings = Settings {
        iterations: Some(ITERATIONS),
        threads: Some(std::num::NonZeroUsize::MIN),
        ..Settings::default()
    };
    let report = Engine::<G>::new(&EngineSpec::default(), &settings)
        .and_then(|mut engine| Ok(engine.think(position, 0)?))
        .expect("the settings are valid and the game is not over");
    report.best().proven.is_some()
}

impl Book {
    /// Reads a book: one JSON object a line, with `game`, `rules` (spec if left out), and `position` (the
    /// start position if left out), `moves` (none if left out), or both. Of a record of a game that has an `opening`, that is taken in place
    /// of all its moves. At most `plies` moves of each line are taken.
    ///
    /// # Errors
    /// [`BookError`], naming the line: not such an object, an illegal move, or a game that is over.
    pub fn read(text: &str, plies: Option<usize>) -> Result<Self, BookError> {
        let mut hasher = FxHasher::default();
        let mut lines: HashMap<_, Vec<BookLine>> = HashMap::new();
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let wrong = |message: String| BookError { line: index + 1, message };
            let entry: Entry = serde_json::from_str(line).map_err(|error| wrong(reason(&error)))?;
            let Entry { game, rules, position, moves, opening } = entry;
            let rules = rules.unwrap_or(Rules::Spec);
            // A mistyped field would silently make an opening without moves.
            if position.is_none() && moves.is_none() && opening.is_none() {
                return Err(wrong("no position and no moves".to_owned()));
            }
            let mut moves = opening.or(moves).unwrap_or_default();
            moves.truncate(plies.unwrap_or(usize::MAX));
            let line = BookLine { position, moves };
            game.visit(rules, Check(&line)).map_err(wrong)?;
            (game, rules, &line.position, &line.moves).hash(&mut hasher);
            lines.entry((game, rules)).or_default().push(line);
        }
        Ok(Self { lines, hash: hasher.finish() })
    }

    /// Whether there is an opening for `game` under `rules`.
    #[must_use]
    pub fn has(&self, game: (GameId, Rules)) -> bool {
        self.lines.get(&game).is_some_and(|lines| !lines.is_empty())
    }

    /// Leaves out the openings of which a short search proves how they end, and returns how many those were.
    pub fn leave_out_decided(&mut self) -> usize {
        let mut count = 0;
        for (&(game, rules), lines) in &mut self.lines {
            let before = lines.len();
            lines.retain(|line| !game.visit(rules, Decided(line)));
            count += before - lines.len();
        }
        count
    }
}

#[derive(Deserialize)]
struct Entry {
    game: GameId,
    rules: Option<Rules>,
    position: Option<String>,
    moves: Option<Vec<String>>,
    opening: Option<Vec<String>>,
}

impl BookLine {
    fn opening<G: Known>(&self) -> Option<Opening<G>> {
        let start: G = set_up(self.position.as_deref(), []).ok()?;
        let mut position = start;
        let mut moves = Vec::new();
        for token in &self.moves {
            let mv = position.parse_move(token).ok()?;
            position.apply(mv);
            moves.push(mv);
        }
        Some(Opening { position: self.position.clone(), start, moves })
    }
}

/// What is wrong with a line of a book.
struct Check<'a>(&'a BookLine);

impl Visitor for Check<'_> {
    type Output = Result<(), String>;

    fn visit<G: Known>(self) -> Self::Output {
        let moves = self.0.moves.iter().map(String::as_str);
        let end: G = set_up(self.0.position.as_deref(), moves).map_err(|error| error.to_string())?;
        if end.outcome().is_some() { Err("the game is over after this opening".to_owned()) } else { Ok(()) }
    }
}

/// Whether it is proven how a line of a book ends.
struct Decided<'a>(&'a BookLine);

impl Visitor for Decided<'_> {
    type Output = bool;

    fn visit<G: Known>(self) -> bool {
        self.0.opening::<G>().is_none_or(|opening| is_decided(&opening.end()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_book_takes_positions_moves_and_the_openings_of_records() {
        let book = Book::read(
            r#"{"game":"pentago","rules":"ggp","moves":["c4","1cw","a1"]}

               {"game":"krk","position":"k3/4/4/2KR w 1"}
               {"game":"pentago","rules":"ggp","moves":["c4","1cw","a1","2cw"],"opening":["c4"],"seed":3}"#,
            Some(2),
        )
        .expect("valid");
        let pentago = &book.lines[&(GameId::Pentago, Rules::Ggp)];
        assert_eq!(pentago.iter().map(|line| line.moves.len()).collect::<Vec<_>>(), [2, 1]);
        assert!(book.has((GameId::Krk, Rules::Spec)) && !book.has((GameId::Krk, Rules::Ggp)));
    }

    #[test]
    fn a_wrong_line_of_a_book_is_named() {
        for (text, part) in [
            ("{\"game\":\"krk\",\"moves\":[]}\nx", "line 2: expected value (column 1)"),
            (r#"{"game":"krk","mvoes":["Kc1-c2"]}"#, "line 1: no position and no moves"),
            (r#"{"game":"chess"}"#, "line 1: unknown variant"),
            (r#"{"game":"krk","moves":["Kc1-c9"]}"#, "line 1: ply 1: "),
            (r#"{"game":"krk","position":"k3/4 w 1"}"#, "line 1: "),
            (r#"{"game":"krk","moves":["Kc1-b2","ka4-b4","Rd1-d4"]}"#, "line 1: "),
        ] {
            let error = Book::read(text, None).expect_err(text).to_string();
            assert!(error.starts_with(part), "{text}: {error}");
        }
    }

    #[test]
    fn decided_openings_are_left_out_on_request() {
        // Every game of king and rook against king is decided.
        let mut book = Book::read(r#"{"game":"krk","moves":[]}"#, None).expect("valid");
        assert_eq!(book.leave_out_decided(), 1);
        assert!(!book.has((GameId::Krk, Rules::Spec)));
        let random = Openings::Random { plies: 1 };
        let krk = (GameId::Krk, Rules::Spec);
        assert!(random.draw::<crate::games::Krk<crate::games::Spec>>(krk, 0, 7, false).is_ok());
        assert!(random.draw::<crate::games::Krk<crate::games::Spec>>(krk, 0, 7, true).is_err());
    }
}

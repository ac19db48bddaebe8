//! The openings of a tournament's games.
//!
//! Each group of games has one opening, played once with each way to share the seats. It depends only on the seed,
//! the game and the number of the group, so that a tournament has the same openings when it is resumed
//! or split into shards.

use std::collections::HashMap;
use std::io::BufRead;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};

use indexmap::IndexSet;
use quintet_core::game::{Rng, SetUpError};
use quintet_core::hash::Fnv1a;
use quintet_core::registry::{Registry, Variant};
use quintet_core::session::Session;
use quintet_protocol::BookLine;

use super::variant_name::VariantName;
use crate::engine::{EngineSpec, Settings};

/// The source of openings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Openings {
    /// Random legal moves that do not end the game.
    Random {
        /// The number of moves.
        plies: usize,
    },
    /// The openings of a book, in order, starting over when all have been used.
    Book(Book),
}

/// An opening book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Book {
    openings: HashMap<VariantName, Vec<Opening>>,
    hash: u64,
}

/// An error in an opening book.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BookError(String);

/// The start of a game, and the first moves, which the engines do not choose.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Opening {
    /// The position string of the start, if it is not the start position.
    pub(super) position: Option<String>,
    /// The tokens of the moves.
    pub(super) moves: Vec<String>,
}

impl Opening {
    /// Returns a session with the position after the moves.
    pub(super) fn start(&self, game: &Variant) -> Result<Box<dyn Session>, SetUpError> {
        game.set_up(self.position.as_deref(), self.moves.iter().map(String::as_str))
    }
}

impl Openings {
    /// Returns a description of the openings for the records: tournaments with the same description
    /// and the same seed have the same openings.
    #[must_use]
    pub fn describe(&self, undecided: bool) -> String {
        let text = match self {
            Self::Random { plies } => format!("{plies} random plies"),
            Self::Book(book) => {
                format!(
                    "{} from a book, {:016x}",
                    book.openings.values().map(Vec::len).sum::<usize>(),
                    book.hash
                )
            }
        };
        if undecided { text + ", undecided" } else { text }
    }

    /// Checks the positions after the openings of `game` that this has: those of a book, or some as long
    /// as the random ones. `check` gets their position strings.
    pub(super) fn check(
        &self,
        game: &Variant,
        check: impl Fn(&str) -> Result<(), String>,
    ) -> Result<(), String> {
        let check = |opening: &Opening| match opening.start(game) {
            Ok(session) => check(&session.position()),
            Err(error) => Err(error.to_string()),
        };
        match self {
            Self::Random { plies } => {
                const DRAWN: usize = 100;
                let mut rng = Rng::stream(0, 0);
                (0..DRAWN)
                    .filter_map(|_| random_opening(game, *plies, &mut rng))
                    .try_for_each(|it| check(&it))
            }
            Self::Book(book) => book.openings.get(&game.into()).into_iter().flatten().try_for_each(check),
        }
    }

    /// Checks that an opening is found.
    ///
    /// # Errors
    /// Why there is none.
    pub fn try_draw(&self, game: &Variant, seed: u64, undecided: bool) -> Result<(), String> {
        self.draw(game, 0, seed, undecided, &AtomicBool::new(false)).map(|_| ())
    }

    /// Returns the opening of a group of games; `None` if it was stopped. A random one depends on `seed`, one of
    /// a book on `group`.
    pub(super) fn draw(
        &self,
        game: &Variant,
        group: usize,
        seed: u64,
        undecided: bool,
        stop: &AtomicBool,
    ) -> Result<Option<Opening>, String> {
        match self {
            Self::Random { plies } => {
                const ATTEMPTS: usize = 1_000;
                let mut rng = Rng::stream(seed, 0);
                let found = (0..ATTEMPTS)
                    .take_while(|_| !stop.load(Ordering::Relaxed))
                    .filter_map(|_| random_opening(game, *plies, &mut rng))
                    .find(|opening| !undecided || !is_decided(game, opening, stop));
                // A search that was stopped proves too little.
                if stop.load(Ordering::Relaxed) {
                    return Ok(None);
                }
                found.map(Some).ok_or_else(|| {
                    format!(
                        "found no opening of {plies} plies after {ATTEMPTS} random attempts: every game was \
                         over or decided"
                    )
                })
            }
            Self::Book(book) => {
                let openings = book.openings.get(&game.into()).filter(|all| !all.is_empty());
                let openings = openings.ok_or("the book has no usable opening")?;
                Ok(Some(openings[group % openings.len()].clone()))
            }
        }
    }
}

/// Plays `plies` random moves from the start; `None` if they end the game.
fn random_opening(game: &Variant, plies: usize, rng: &mut Rng) -> Option<Opening> {
    let mut session = game.start();
    for _ in 0..plies {
        let token = session.random_move(rng)?;
        session.play(&token).ok()?;
        if session.outcome().is_some() {
            return None;
        }
    }
    Some(Opening { position: None, moves: session.moves() })
}

/// Whether a short search proves the outcome after the opening. The number of iterations is fixed,
/// so that every machine leaves out the same openings.
fn is_decided(game: &Variant, opening: &Opening, stop: &AtomicBool) -> bool {
    const ITERATIONS: u64 = 10_000;
    let settings =
        Settings { iterations: Some(ITERATIONS), threads: Some(NonZeroUsize::MIN), ..Settings::default() };
    let prove = || {
        let mut session = opening.start(game).ok()?;
        let (config, budget) = EngineSpec::default().config(&settings).ok()?;
        let engine = session.add_engine(&config).ok()?;
        session.think(engine, budget, 0, stop).ok()?.proven
    };
    prove().is_some()
}

impl Book {
    /// Reads a book: one JSON object per line, blank lines aside, with `game`, `rules` (by default those
    /// that the registry lists first), and `position` (by default the start position), `moves` (by default
    /// none), or both. In a game record, `opening` takes precedence over `moves`. At most `plies` moves of
    /// each line are used. An opening that comes again is left out.
    ///
    /// # Errors
    /// [`BookError`] if a line is not such an object, has an illegal move, or ends the game.
    pub fn read(
        input: &mut dyn BufRead,
        plies: Option<usize>,
        registry: &Registry,
    ) -> Result<Self, BookError> {
        let mut hash = Fnv1a::default();
        let mut openings: HashMap<VariantName, IndexSet<Opening>> = HashMap::new();
        for number in 1.. {
            let wrong = |message: String| BookError(format!("line {number}: {message}"));
            let line = quintet_protocol::next_line(input).map_err(|error| wrong(error.to_string()))?;
            let Some(line) = line else { break };
            let line = line.map_err(wrong)?;
            if line.trim_ascii().is_empty() {
                continue;
            }
            let line = quintet_protocol::read(quintet_protocol::object(&line).map_err(wrong)?);
            let BookLine { game, rules, position, moves, opening } = line.map_err(wrong)?;
            let game = registry.find(&game, rules.as_deref()).map_err(|error| wrong(error.to_string()))?;
            // A mistyped field would silently make an opening without moves.
            if position.is_none() && moves.is_none() && opening.is_none() {
                return Err(wrong("no position and no moves".to_owned()));
            }
            let mut moves = opening.or(moves).unwrap_or_default();
            moves.truncate(plies.unwrap_or(usize::MAX));
            let start = game.set_up(position.as_deref(), []).map_err(|error| wrong(error.to_string()))?;
            let given = Opening { position, moves };
            let end = given.start(&game).map_err(|error| wrong(error.to_string()))?;
            if end.outcome().is_some() {
                return Err(wrong("the game is over after this opening".to_owned()));
            }
            // As printed, since a line end in a position would be the end of a command of UGI.
            let opening = Opening { position: given.position.map(|_| start.position()), moves: end.moves() };
            let openings = openings.entry((&game).into()).or_default();
            // A file of games has each one once a game.
            if !openings.insert(opening.clone()) {
                continue;
            }
            hash.text(&game.game).text(&game.rules).text(opening.position.as_deref().unwrap_or_default());
            opening.moves.iter().for_each(|token| _ = hash.text(token));
        }
        let openings = openings.into_iter().map(|(game, all)| (game, all.into_iter().collect())).collect();
        Ok(Self { openings, hash: hash.hash() })
    }

    /// Whether there is an opening for `game`.
    #[must_use]
    pub fn has(&self, game: &Variant) -> bool {
        self.openings.get(&game.into()).is_some_and(|openings| !openings.is_empty())
    }

    /// Removes the openings whose outcome a short search proves, and returns the number removed.
    pub fn leave_out_decided(&mut self, registry: &Registry) -> usize {
        let mut count = 0;
        for (name, openings) in &mut self.openings {
            let before = openings.len();
            if let Ok(game) = registry.find(&name.game, Some(&name.rules)) {
                openings.retain(|opening| !is_decided(&game, opening, &AtomicBool::new(false)));
            }
            count += before - openings.len();
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn games() -> Registry {
        quintet_games::registry()
    }

    fn krk(rules: &str) -> Variant {
        games().find("krk", Some(rules)).expect("there is krk")
    }

    #[test]
    fn a_book_takes_positions_moves_and_the_openings_of_records() {
        let book = Book::read(
            &mut r#"{"game":"pentago","rules":"ggp","moves":["c4","1cw","a1"]}

               {"game":"krk","position":"k3/4/4/2KR w 1"}
               {"game":"pentago","rules":"ggp","moves":["c4","1cw","a1","2cw"],"opening":["c4"],"seed":3}"#
                .as_bytes(),
            Some(2),
            &games(),
        )
        .expect("valid");
        let pentago = games().find("pentago", Some("ggp")).expect("there is pentago");
        let pentago = &book.openings[&(&pentago).into()];
        assert_eq!(pentago.iter().map(|line| line.moves.len()).collect::<Vec<_>>(), [2, 1]);
        assert!(book.has(&krk("spec")) && !book.has(&krk("ggp")));
    }

    #[test]
    fn a_book_has_each_opening_once() {
        let lines = r#"{"game":"krk","moves":["Kc1-c2","ka4-a3"],"opening":["Kc1-c2"]}
            {"game":"krk","moves":["Kc1-b2"]}
            {"game":"krk","moves":["Kc1-c2"]}"#;
        let book = Book::read(&mut lines.as_bytes(), None, &games()).expect("valid");
        let moves: Vec<&[String]> =
            book.openings[&(&krk("spec")).into()].iter().map(|it| &*it.moves).collect();
        assert_eq!(moves, [["Kc1-c2"], ["Kc1-b2"]]);
        assert!(Openings::Book(book).describe(false).starts_with("2 from a book, "));
    }

    #[test]
    fn an_opening_is_kept_as_it_is_printed() {
        // A line end in a position would be the end of a command of UGI.
        let lines = [("  k3/4/4/2KR\\nW\\t1 ", "kC1-C2"), ("k3/4/4/2KR w 1", "Kc1-c2")];
        let [odd, plain] = lines.map(|(position, mv)| {
            let line = format!(r#"{{"game":"krk","position":"{position}","moves":["{mv}"]}}"#);
            Book::read(&mut line.as_bytes(), None, &games()).expect("valid")
        });
        assert_eq!(odd, plain);
    }

    #[test]
    fn a_wrong_line_of_a_book_is_named() {
        for (text, part) in [
            ("{\"game\":\"krk\",\"moves\":[]}\nx", "line 2: not JSON: expected value (column 1)"),
            (r#"{"game":"krk","mvoes":["Kc1-c2"]}"#, "line 1: no position and no moves"),
            (r#"{"game":"chess"}"#, "line 1: unknown game \"chess\"; known: quarto"),
            (r#"{"game":"krk","moves":["Kc1-c9"]}"#, "line 1: ply 1: "),
            (r#"{"game":"krk","position":"k3/4 w 1"}"#, "line 1: "),
            (r#"{"game":"krk","moves":["Kc1-b2","ka4-b4","Rd1-d4"]}"#, "line 1: "),
        ] {
            let error = Book::read(&mut text.as_bytes(), None, &games()).expect_err(text).to_string();
            assert!(error.starts_with(part), "{text}: {error}");
        }
    }

    #[test]
    fn decided_openings_are_left_out_on_request() {
        // Every game of king and rook against king is decided.
        let mut book =
            Book::read(&mut br#"{"game":"krk","moves":[]}"#.as_slice(), None, &games()).expect("valid");
        assert_eq!(book.leave_out_decided(&games()), 1);
        assert!(!book.has(&krk("spec")));
        let random = Openings::Random { plies: 1 };
        let go_on = AtomicBool::new(false);
        assert!(random.draw(&krk("spec"), 0, 7, false, &go_on).is_ok());
        assert!(random.draw(&krk("spec"), 0, 7, true, &go_on).is_err());
    }
}

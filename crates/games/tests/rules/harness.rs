//! Shared by the tests: the list of games, the data files, and a common view of a state of a game
//! or a twin.

use std::fs;
use std::path::PathBuf;

use quintet_core::game::{MoveList, Notation, Rng, Role};

use crate::named::Named;
use crate::twins::{self, Twin};

/// The twin of a game at its start, if it has one.
pub(crate) fn twin_of<G: Named>() -> Option<Box<dyn Twin>> {
    twins::start(G::GAME, G::RULES)
}

/// For each generic function and game, makes two tests, one per ruleset, in a module named after
/// the function.
macro_rules! in_every_game {
    ($($check:ident),+ $(,)?) => {
        // A macro that defines another can't write a dollar sign, so it takes one as an argument.
        $crate::harness::in_every_game! { @with ($) $($check),+ }
    };
    (@with ($dollar:tt) $($check:ident),+) => {
        $(mod $check {
            macro_rules! tests {
                ($dollar($dollar name:ident: $dollar game:ident,)+) => {
                    $dollar(mod $dollar name {
                        #[test]
                        fn spec() {
                            super::super::$check::<quintet_games::$dollar game<quintet_games::Spec>>();
                        }

                        #[test]
                        fn ggp() {
                            super::super::$check::<quintet_games::$dollar game<quintet_games::Ggp>>();
                        }
                    })+
                };
            }
            quintet_games::every_game!(tests);
        })+
    };
}
pub(crate) use in_every_game;

/// Everything a referee reports about a state.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct View {
    /// The role that acts, `None` once the game has ended.
    pub(crate) to_move: Option<String>,
    /// The legal tokens, sorted bytewise.
    pub(crate) legal: Vec<String>,
    pub(crate) terminal: bool,
    /// The scores, in the order of the roles.
    pub(crate) scores: Vec<(String, u32)>,
}

impl View {
    pub(crate) fn of_game<G: Notation>(state: &G) -> Self {
        let terminal = state.outcome().is_some();
        let mut legal: Vec<String> = legal_moves(state).iter().map(ToString::to_string).collect();
        legal.sort_unstable();
        let score = |role: &Role| (role.name.to_string(), u32::from(state.score(role.side)));
        Self {
            to_move: (!terminal).then(|| G::ROLES[state.role_to_move()].name.to_string()),
            legal,
            terminal,
            scores: G::ROLES.iter().map(score).collect(),
        }
    }

    pub(crate) fn of_twin(twin: &dyn Twin) -> Self {
        let to_move = twin.to_move();
        let names = twin.roles().iter().map(ToString::to_string);
        Self {
            to_move: to_move.map(str::to_owned),
            legal: twin.sorted_legal(),
            terminal: to_move.is_none(),
            scores: names.zip(twin.scores()).collect(),
        }
    }
}

pub(crate) fn legal_moves<G: Notation>(state: &G) -> MoveList<G::Move> {
    let mut moves = MoveList::new();
    state.legal_moves(&mut moves);
    moves
}

/// The states of a random game, from the start to the end.
pub(crate) fn random_game<G: Notation>(rng: &mut Rng) -> Vec<G> {
    let mut states = vec![G::initial()];
    loop {
        let mut state = *states.last().expect("there is the start at least");
        let moves = legal_moves(&state);
        if moves.is_empty() {
            return states;
        }
        state.apply(moves[rng.below(moves.len())]);
        states.push(state);
    }
}

/// The text of a file in `tests/data`.
pub(crate) fn data_file(name: &str) -> String {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "../../tests/data", name].iter().collect();
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

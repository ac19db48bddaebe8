//! Which games a tournament consists of.

use crate::catalog::GameId;
use crate::engine::{EngineSpec, Settings};
use crate::game::{Game, Rng, Side, derive_seed};
use crate::games::Rules;

/// A round robin: every two engines play a match in every game and ruleset.
#[derive(Debug, Clone)]
pub struct Tournament {
    /// The games, each with a ruleset.
    pub games: Vec<(GameId, Rules)>,
    /// The engines, with different names.
    pub engines: Vec<EngineSpec>,
    /// What the engines' settings leave open.
    pub defaults: Settings,
    /// The pairs of games in each match; the two games of a pair have the same opening and swapped seats.
    pub pairs: usize,
    /// The plies of each opening, drawn at random.
    pub opening_plies: usize,
    /// Seeds everything.
    pub seed: u64,
}

/// One game of a tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Assignment {
    /// The game and its ruleset.
    pub game: (GameId, Rules),
    /// The number of the match, from 0.
    pub match_index: usize,
    /// The engines of the match; results are counted for the first.
    pub engines: [usize; 2],
    /// The number of the pair in the match, from 0.
    pub pair: usize,
    /// Whether the second engine of the match has the first side.
    pub swapped: bool,
    /// Seeds the engines' random streams.
    pub seed: u64,
    /// Seeds the opening: the same for every match of this game and ruleset.
    opening_seed: u64,
}

/// No opening of the wanted length was found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("found no opening of {plies} plies after {attempts} random attempts: every game ended before")]
pub struct NoOpening {
    plies: usize,
    attempts: usize,
}

impl Tournament {
    /// Every two engines, the earlier one first.
    fn pairings(&self) -> impl Iterator<Item = [usize; 2]> {
        let count = self.engines.len();
        (0..count).flat_map(move |a| (a + 1..count).map(move |b| [a, b]))
    }

    /// The matches, in order: the game with its ruleset, and the two engines.
    #[must_use]
    pub fn matches(&self) -> Vec<((GameId, Rules), [usize; 2])> {
        self.games.iter().flat_map(|&game| self.pairings().map(move |engines| (game, engines))).collect()
    }

    /// The trees of the largest engine: so many threads one game can use.
    #[must_use]
    pub fn trees(&self) -> usize {
        self.engines.iter().map(|engine| engine.trees(&self.defaults).get()).max().unwrap_or(1)
    }

    /// Every game, match by match and pair by pair.
    #[must_use]
    pub fn schedule(&self) -> Vec<Assignment> {
        let mut schedule = Vec::new();
        for (match_index, (game, engines)) in self.matches().into_iter().enumerate() {
            // A game's seeds depend on what it is, not on where it stands, so that leaving out a game or an
            // engine changes no other.
            let name = format!("{} {}", game.0, game.1);
            let of_game = name.bytes().fold(self.seed, |seed, byte| derive_seed(seed, u64::from(byte)));
            for pair in 0..self.pairs {
                let opening_seed = derive_seed(of_game, pair as u64);
                for swapped in [false, true] {
                    let seats = engines.map(|engine| self.engines[engine].name.as_str());
                    let seats = seats.join("\n") + if swapped { "\n1" } else { "\n0" };
                    let seed =
                        seats.bytes().fold(opening_seed, |seed, byte| derive_seed(seed, u64::from(byte)));
                    schedule.push(Assignment {
                        game,
                        match_index,
                        engines,
                        pair,
                        swapped,
                        seed,
                        opening_seed,
                    });
                }
            }
        }
        schedule
    }
}

impl Assignment {
    /// The side that the first engine of the match has in this game.
    #[must_use]
    pub fn side(&self) -> Side {
        if self.swapped { Side::Second } else { Side::First }
    }

    /// The engines that have the first and the second side.
    #[must_use]
    pub fn seats(&self) -> [usize; 2] {
        let [a, b] = self.engines;
        if self.swapped { [b, a] } else { [a, b] }
    }

    /// Draws the opening: random legal moves that do not end the game.
    pub(super) fn opening<G: Game>(&self, plies: usize) -> Result<Vec<G::Move>, NoOpening> {
        const ATTEMPTS: usize = 1_000;
        let mut rng = Rng::stream(self.opening_seed, 0);
        'attempt: for _ in 0..ATTEMPTS {
            let mut position = G::initial();
            let mut moves = Vec::new();
            for _ in 0..plies {
                let mv = position.random_move(&mut rng);
                position.apply(mv);
                moves.push(mv);
                if position.outcome().is_some() {
                    continue 'attempt;
                }
            }
            return Ok(moves);
        }
        Err(NoOpening { plies, attempts: ATTEMPTS })
    }
}

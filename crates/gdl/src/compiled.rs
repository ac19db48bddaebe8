//! A compiled rulesheet: everything that its positions need.

use std::collections::HashMap;
use std::ops::Range;
use std::time::{Duration, Instant};

use quintet_core::game::{Kind, MAX_MOVES, MAX_SIDES, Role, ScoreSet, Side};

use crate::Error;
use crate::ground::{Ground, RANDOM};
use crate::lanes::{Lanes, MAX_ROLES, Start};
use crate::limits::Limits;
use crate::machine::{MOVE_WORDS, Machine, MoveSet, STATE_WORDS, Seen, State, has_bit, set_bit};
use crate::net::Net;
use crate::samples::Samples;
use crate::sheet::Sheet;
use crate::strata::Strata;

/// The most fluents of a game.
const MAX_FLUENTS: usize = 64 * STATE_WORDS;
/// The most moves of all roles.
const MAX_ALL_MOVES: usize = 64 * MOVE_WORDS;

/// How many random games and steps a second were played.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    /// Games a second.
    pub games: f64,
    /// Steps of them a second: moves of all roles at once.
    pub steps: f64,
}

/// A compiled rulesheet.
#[derive(Debug)]
pub struct Compiled {
    pub(crate) roles: Vec<Role>,
    /// The moves of each role.
    pub(crate) moves_of: Vec<Range<usize>>,
    /// The moves as rules have them, and as short tokens.
    pub(crate) terms: Vec<String>,
    pub(crate) tokens: Vec<String>,
    pub(crate) fluents: Vec<String>,
    pub(crate) fluent_of: HashMap<String, usize>,
    pub(crate) initial: State,
    pub(crate) machine: Machine,
    pub(crate) lanes: Lanes,
    pub(crate) kind: Kind,
    pub(crate) scores: ScoreSet,
    pub(crate) max_plies: usize,
    /// The moves that a role makes while another one chooses.
    pub(crate) idle: MoveSet,
    /// The time that compiling took.
    pub(crate) took: Duration,
}

impl Compiled {
    /// Compiles a rulesheet.
    ///
    /// # Errors
    /// [`Error`], which says what is wrong with it, or which relation is too large.
    pub fn new(text: &str, limits: Limits) -> Result<Self, Error> {
        let start = Instant::now();
        let end = start + limits.time;
        let sheet = Sheet::read(text)?;
        let strata = Strata::of(&sheet)?;
        let ground = Ground::of(sheet, &strata, limits, end)?;
        let net = Net::of(&ground, limits, end)?;
        let roles = roles(&ground)?;
        for (what, count, most) in [
            ("facts that change", ground.fluents.len(), MAX_FLUENTS),
            ("moves of all roles", ground.moves.len(), MAX_ALL_MOVES),
        ] {
            if count > most {
                return Err(Error::TooMany { what, count, most });
            }
        }
        let mut moves_of = Vec::new();
        for role in 0..roles.len() {
            let first = ground.moves.partition_point(|it| it.0 < role);
            let last = ground.moves.partition_point(|it| it.0 <= role);
            if last - first > MAX_MOVES {
                return Err(Error::TooMany { what: "moves of a role", count: last - first, most: MAX_MOVES });
            }
            moves_of.push(first..last);
        }
        let text = |term| ground.terms.text(&ground.names, term);
        let terms: Vec<String> = ground.moves.iter().map(|it| text(it.1)).collect();
        let fluents: Vec<String> = ground.fluents.iter().map(|&it| text(it)).collect();
        let mut initial = [0; STATE_WORDS];
        ground.initial.iter().for_each(|&it| set_bit(&mut initial, it));
        let machine = Machine::new(&net);
        let samples = Samples::new(&machine, &moves_of, &initial, end.min(Instant::now() + limits.sampling));
        let max_steps = samples.max_steps();
        let all_moves: Vec<Vec<usize>> = moves_of.iter().map(|it| it.clone().collect()).collect();
        let lanes = Lanes::new(&net, &all_moves, max_steps as u32);
        let players = roles.iter().filter(|role| role.side != Side::Chance).count();
        let mut kind = Kind::of(&roles).with_repetition();
        if roles.len() > 1 {
            kind = kind.with_simultaneous_moves();
        }
        let scores = match players {
            1 => ScoreSet::ANY,
            2 if samples.shares_100 => ScoreSet::ANY,
            _ => ScoreSet::INDEPENDENT,
        };
        Ok(Self {
            tokens: tokens(&terms, &moves_of),
            fluent_of: fluents.iter().cloned().zip(0..).collect(),
            roles,
            moves_of,
            terms,
            fluents,
            initial,
            machine,
            lanes,
            kind,
            scores,
            max_plies: max_steps * players.max(1),
            idle: samples.idle,
            took: start.elapsed(),
        })
    }

    /// Sizes in a line.
    #[must_use]
    pub fn summary(&self) -> String {
        format!(
            "{} roles, {} fluents, {} moves, {} operations a step, in lanes {}, shares 100: {}",
            self.roles.len(),
            self.fluents.len(),
            self.terms.len(),
            self.machine.operations(),
            self.lanes.operations(),
            self.scores != ScoreSet::INDEPENDENT,
        )
    }

    /// What there is to know of the game, for people.
    pub(crate) fn facts(&self) -> Vec<(&'static str, String)> {
        let rate = self.random_games(Duration::from_millis(300));
        vec![
            ("sizes", self.summary()),
            ("compiled", format!("in {:.3} s", self.took.as_secs_f64())),
            ("rollouts", format!("{:.0} a second on one thread, {:.0} steps", rate.games, rate.steps)),
        ]
    }

    /// Plays random games from the start for this time.
    #[must_use]
    pub fn random_games(&self, time: Duration) -> Rate {
        let seen = self.machine.see(&self.initial);
        let mut values = Vec::new();
        let start = Instant::now();
        let (mut games, mut steps, mut seed) = (0_u64, 0_u64, 0);
        while start.elapsed() < time {
            let starts = std::array::from_fn(|_| {
                seed += 1;
                Start { fluents: &self.initial, chosen: &[], legal: &seen.legal, seed }
            });
            let ended = self.lanes.play::<8>(&starts, &mut values);
            games += 512;
            steps += ended.iter().map(|it| it.steps).sum::<u64>();
        }
        let seconds = start.elapsed().as_secs_f64();
        Rate { games: games as f64 / seconds, steps: steps as f64 / seconds }
    }

    /// The roles that have a choice, in order.
    pub(crate) fn choosing(&self, legal: &MoveSet) -> impl Iterator<Item = usize> {
        let counts = self.moves_of.iter().map(|it| count_in(legal, it.clone()));
        counts.enumerate().filter(|it| it.1 > 1).map(|it| it.0)
    }

    /// The role to move where nobody has chosen yet: the first that has a choice, else the first that is not idle.
    pub(crate) fn first_to_move(&self, legal: &MoveSet) -> usize {
        let is_active = |role: &usize| {
            self.moves_of[*role].clone().any(|it| has_bit(legal, it) && !has_bit(&self.idle, it))
        };
        let active = || (0..self.roles.len()).find(is_active);
        self.choosing(legal).next().or_else(active).unwrap_or(0)
    }

    /// Whether the game is over, or can't go on because a role has no legal move.
    pub(crate) fn is_over(&self, seen: &Seen) -> bool {
        seen.is_over || self.moves_of.iter().any(|it| count_in(&seen.legal, it.clone()) == 0)
    }
}

/// The number of these moves in a set.
pub(crate) fn count_in(set: &MoveSet, moves: Range<usize>) -> usize {
    let mut count = 0;
    for word in moves.start / 64..moves.end.div_ceil(64) {
        let low = moves.start.saturating_sub(64 * word).min(64);
        let high = (moves.end - 64 * word).min(64);
        let mask = if high == 64 { u64::MAX } else { (1 << high) - 1 };
        count += (set[word] & mask & u64::MAX << low).count_ones() as usize;
    }
    count
}

/// The roles, each with its side.
fn roles(ground: &Ground) -> Result<Vec<Role>, Error> {
    let names: Vec<String> = ground.roles.iter().map(|&it| ground.terms.text(&ground.names, it)).collect();
    let players = names.iter().filter(|it| *it != RANDOM).count();
    if players == 0 {
        return Err(Error::Missing("a role that somebody plays, such as (role white)"));
    }
    if players > MAX_SIDES || names.len() > MAX_ROLES {
        return Err(Error::TooMany { what: "roles that somebody plays", count: players, most: MAX_SIDES });
    }
    let side = |index: usize| if names[index] == RANDOM { Side::Chance } else { Side::ALL[index] };
    Ok((0..names.len()).map(|it| Role { name: names[it].clone().into(), side: side(it) }).collect())
}

/// A short token for each move, different for all moves of a role: the symbols of the term, joined by hyphens.
fn tokens(terms: &[String], moves_of: &[Range<usize>]) -> Vec<String> {
    let mut tokens = vec![String::new(); terms.len()];
    for moves in moves_of {
        let mut used: HashMap<String, usize> = HashMap::new();
        for index in moves.clone() {
            let symbols =
                terms[index].split(|c: char| c == ' ' || c == '(' || c == ')').filter(|it| !it.is_empty());
            let short = symbols.collect::<Vec<_>>().join("-");
            let same = used.entry(short.clone()).or_default();
            *same += 1;
            tokens[index] = if *same == 1 { short } else { format!("{short}~{same}") };
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_of_a_role_are_counted_across_words() {
        let mut set = [0; MOVE_WORDS];
        [0, 63, 64, 127, 128, 200].iter().for_each(|&it| set_bit(&mut set, it));
        for (range, expected) in
            [(0..1, 1), (0..64, 2), (1..64, 1), (63..65, 2), (64..129, 3), (129..1024, 1), (5..5, 0)]
        {
            assert_eq!(count_in(&set, range.clone()), expected, "{range:?}");
        }
    }

    #[test]
    fn tokens_are_short_and_different() {
        let terms = ["noop", "(mark 1 2)", "(mark-1 2)", "(f (g a) b)", "noop"].map(str::to_owned);
        assert_eq!(tokens(&terms, &[0..4, 4..5]), ["noop", "mark-1-2", "mark-1-2~2", "f-g-a-b", "noop"]);
    }
}

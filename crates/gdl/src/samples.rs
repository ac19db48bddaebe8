//! What random games show before anything is proven.

use std::ops::Range;
use std::time::Instant;

use quintet_core::game::Rng;

use crate::compiled::count_in;
use crate::machine::{MOVE_WORDS, Machine, MoveSet, State, has_bit, set_bit};

/// The most games that are played.
const MAX_GAMES: usize = 2_000;
/// The most steps of a game that is played.
const MAX_STEPS: usize = 2_000;

/// What random games have shown.
#[derive(Debug, Clone)]
pub(crate) struct Samples {
    /// Whether the goals of both roles always added up to 100.
    pub(crate) shares_100: bool,
    /// The moves that were the only one of their role while another role had a choice.
    pub(crate) idle: MoveSet,
    /// The most steps of a game, if all games ended.
    longest: Option<usize>,
    pub(crate) games: usize,
}

impl Samples {
    /// Plays random games until `end`.
    pub(crate) fn new(machine: &Machine, moves_of: &[Range<usize>], initial: &State, end: Instant) -> Self {
        let mut rng = Rng::stream(0, 0);
        let mut samples = Self { shares_100: true, idle: [0; MOVE_WORDS], longest: Some(0), games: 0 };
        let mut moves = Vec::new();
        while samples.games < MAX_GAMES && (samples.games == 0 || Instant::now() < end) {
            samples.games += 1;
            let mut state = *initial;
            for step in 0.. {
                let seen = machine.see(&state);
                let counts = moves_of.iter().map(|it| count_in(&seen.legal, it.clone())).collect::<Vec<_>>();
                if seen.is_over || counts.contains(&0) {
                    samples.shares_100 &= seen.goals[0] as usize + seen.goals[1] as usize == 100;
                    samples.longest = samples.longest.map(|it| it.max(step));
                    break;
                }
                if step == MAX_STEPS || step % 64 == 63 && Instant::now() >= end {
                    samples.longest = None;
                    break;
                }
                let has_choice = counts.iter().any(|it| *it > 1);
                moves.clear();
                for (range, count) in moves_of.iter().zip(counts) {
                    let nth = if count > 1 { rng.below(count) } else { 0 };
                    let mut legal = range.clone().filter(|&it| has_bit(&seen.legal, it));
                    let mv = legal.nth(nth).unwrap_or(range.start);
                    if count == 1 && has_choice {
                        set_bit(&mut samples.idle, mv);
                    }
                    moves.push(mv as u16);
                }
                state = machine.next(&state, &moves);
            }
        }
        samples
    }

    /// The steps after which a random game is cut off.
    pub(crate) fn max_steps(&self) -> usize {
        self.longest.map_or(MAX_STEPS, |it| (8 * it).clamp(100, MAX_STEPS))
    }
}

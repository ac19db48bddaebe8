//! How an opponent for people chooses its move: not always the best one, but none that loses at once.

use super::error::SearchError;
use super::report::{Candidate, Report, without_moves};
use crate::game::{Game, MAX_SCORE, Rng, derive_seed};
use crate::hash;
use crate::solver::{Lookahead, Unit, unsolvable};

/// The maximum of positions that are visited to see ahead: a fraction of a second in games with fast moves.
const POSITIONS: u32 = 1_000_000;

/// How much weaker than its search an engine plays.
///
/// The move is drawn from the candidates of the report. The probability of each is proportional to its visits divided
/// by (1 + *d* / 8*T*)^8, where *d* is how much less it is worth than the best and *T* the
/// [temperature](Self::temperature). (This is nearly e^(*d* / *T*), and the same on every machine.) What is drawn is
/// played if it does not lose within [sight](Self::sight); otherwise the next one is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weakness {
    /// A move that is worth this many points of the expected score less is about e times less likely. 0 to 1,000; with 0 the
    /// best move is played.
    pub temperature: f32,
    /// The maximum by which the move may be worth less than the best one, in points of the expected score, 0 to 100.
    pub max_loss: f32,
    /// The number of turns within which a win is played and a loss avoided, by an exact search: with 1 a win at once,
    /// with 2 the opponent's win after that as well. 0 to [`MAX_SIGHT`](Self::MAX_SIGHT). A turn is all moves of a
    /// side before the other one moves. Only two sides that share the score, without chance, can see ahead.
    pub sight: u8,
}

impl Weakness {
    /// None: the best move is played.
    pub const NONE: Self = Self { temperature: 0.0, max_loss: 100.0, sight: 0 };

    /// The maximum of [`sight`](Self::sight): more turns take too long.
    pub const MAX_SIGHT: u8 = 6;

    /// Checks that all values are in range.
    ///
    /// # Errors
    /// [`SearchError::Weakness`] for the first that is not.
    pub(super) fn check(self) -> Result<(), SearchError> {
        let is_in_range = |value: f32, most: f32| (0.0..=most).contains(&value);
        if !is_in_range(self.temperature, 1_000.0) {
            return Err(SearchError::Weakness("temperature", self.temperature, 1_000));
        }
        if !is_in_range(self.max_loss, MAX_SCORE.into()) {
            return Err(SearchError::Weakness("maximum loss", self.max_loss, MAX_SCORE.into()));
        }
        if self.sight > Self::MAX_SIGHT {
            return Err(SearchError::Weakness("sight", self.sight.into(), Self::MAX_SIGHT.into()));
        }
        Ok(())
    }

    /// Puts the move to play first in a report on `position`.
    pub(super) fn choose<G: Game>(self, position: &G, report: &mut Report<G::Move>, seed: u64) {
        /// Tells this stream from those of the trees.
        const STREAM: u64 = 0x1e_ae55;
        if self == Self::NONE || report.candidates.len() < 2 || !report.policies.is_empty() {
            return;
        }
        let mut rng = Rng::stream(derive_seed(seed, STREAM), hash::of(position));
        let order = self.draw(&without_moves(&report.candidates), &mut rng);
        let chosen = first_seen(self.sight, position, &report.candidates, &order);
        report.candidates[..=chosen].rotate_right(1);
        // The chosen move begins the principal variation.
        let variations = &mut report.other_variations;
        let of_best = std::mem::take(&mut report.principal_variation);
        report.principal_variation = match chosen.checked_sub(1) {
            None => of_best,
            Some(index) if index < variations.len() => {
                variations.insert(0, of_best);
                variations.remove(index + 1)
            }
            Some(_) => {
                if variations.pop().is_some() {
                    variations.insert(0, of_best);
                }
                vec![report.candidates[0].mv]
            }
        };
    }

    /// The places of the candidates in the order in which they are drawn: those that may be played at random, then the
    /// others in their order.
    fn draw(self, candidates: &[Candidate<()>], rng: &mut Rng) -> Vec<usize> {
        let value = |it: &Candidate<()>| it.value.unwrap_or(0.0);
        let best = value(&candidates[0]);
        let weight = |(place, it): (usize, &Candidate<()>)| {
            let loss = (best - value(it)).max(0.0);
            let is_allowed = it.value.is_some() && loss <= self.max_loss.into() && self.temperature > 0.0;
            match place {
                0 => candidates[0].visits.max(1) as f64,
                _ if is_allowed => {
                    it.visits.max(1) as f64 / eighth_power(1.0 + loss / f64::from(8.0 * self.temperature))
                }
                _ => 0.0,
            }
        };
        let mut weights: Vec<f64> = candidates.iter().enumerate().map(weight).collect();
        let mut order = Vec::with_capacity(candidates.len());
        loop {
            let sum: f64 = weights.iter().sum();
            if sum <= 0.0 {
                break;
            }
            let mut left = sum * ((rng.bits() >> 11) as f64 / (1_u64 << 53) as f64);
            let drawn = weights.iter().position(|weight| {
                left -= weight;
                left < 0.0 && *weight > 0.0
            });
            // Rounding may leave a little.
            let Some(drawn) = drawn.or_else(|| weights.iter().rposition(|weight| *weight > 0.0)) else {
                break;
            };
            weights[drawn] = 0.0;
            order.push(drawn);
        }
        let rest: Vec<usize> = (0..candidates.len()).filter(|place| !order.contains(place)).collect();
        order.extend(rest);
        order
    }
}

fn eighth_power(base: f64) -> f64 {
    let square = base * base;
    let fourth = square * square;
    fourth * fourth
}

/// The place of the first candidate in `order` that wins as soon as can be seen within this many turns, or else does
/// not lose as far as can be seen. If all lose, the first of those that lose last.
fn first_seen<G: Game>(turns: u8, position: &G, candidates: &[Candidate<G::Move>], order: &[usize]) -> usize {
    if turns == 0 || unsolvable(position).is_some() {
        return order[0];
    }
    let mut ahead = Lookahead::new(Unit::Turns, POSITIONS);
    let side = position.side_to_move();
    let mut left = order;
    for turns in 1..=turns {
        if turns % 2 == 1 {
            let wins = |place: &&usize| ahead.wins_by(position, candidates[**place].mv, side, turns.into());
            if let Some(place) = order.iter().find(wins) {
                return *place;
            }
            continue;
        }
        // What loses soonest is left out first, so that a loss that can't be avoided comes late.
        let mut loses =
            |place: &usize| ahead.wins_by(position, candidates[*place].mv, side.opponent(), turns.into());
        match left.iter().position(|place| !loses(place)) {
            Some(first) if !ahead.is_spent() => left = &left[first..],
            _ => break,
        }
    }
    left[0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nim::Nim;

    type Three = Nim<3>;

    /// A report with these moves, visits and values, the best first.
    fn report(position: &Three, moves: &[(u8, u64, f64)]) -> Report<u8> {
        let candidate = |&(mv, visits, value): &(u8, u64, f64)| Candidate::new(mv, visits, Some(value), None);
        Report {
            candidates: moves.iter().map(candidate).collect(),
            ..Report::without_search(position, moves[0].0)
        }
    }

    fn played(weakness: Weakness, sticks: u8, moves: &[(u8, u64, f64)], seed: u64) -> u8 {
        let position = Three::new(sticks, 0);
        let mut report = report(&position, moves);
        report.other_variations = vec![vec![moves[1].0, 1]];
        weakness.choose(&position, &mut report, seed);
        let first = report.candidates[0].mv;
        assert_eq!(report.principal_variation[0], first);
        assert!(report.other_variations.len() <= 1);
        let mut listed: Vec<u8> = report.candidates.iter().map(|it| it.mv).collect();
        listed.sort_unstable();
        assert_eq!(listed, [1, 2, 3], "no move is lost");
        first
    }

    fn counts(weakness: Weakness, sticks: u8, moves: &[(u8, u64, f64)]) -> [u32; 4] {
        let mut counts = [0; 4];
        (0..4_000).for_each(|seed| counts[usize::from(played(weakness, sticks, moves, seed))] += 1);
        counts
    }

    #[test]
    fn a_move_that_is_worth_less_or_was_visited_less_is_played_less() {
        let moves = [(1, 200, 60.0), (2, 100, 60.0), (3, 100, 50.0)];
        let soft = Weakness { temperature: 10.0, ..Weakness::NONE };
        // The weights are 200, 100 and 100 / 1.125^8 = 39.
        let [_, one, two, three] = counts(soft, 20, &moves);
        assert!((2_260..2_460).contains(&one), "{one}");
        assert!((1_090..1_270).contains(&two), "{two}");
        assert!((400..520).contains(&three), "{three}");
        let strict = Weakness { max_loss: 9.0, ..soft };
        assert_eq!(counts(strict, 20, &moves)[3], 0);
        assert_eq!(counts(Weakness::NONE, 20, &moves), [0, 4_000, 0, 0]);
        // The same seed draws the same move.
        assert!((0..50).all(|seed| played(soft, 20, &moves, seed) == played(soft, 20, &moves, seed)));
    }

    #[test]
    fn what_can_be_seen_is_played_or_avoided_whatever_the_values_say() {
        let moves = [(1, 10, 90.0), (2, 10, 50.0), (3, 10, 10.0)];
        let play = |sight, sticks| played(Weakness { sight, ..Weakness::NONE }, sticks, &moves, 0);
        // To take the last stick wins.
        assert_eq!([0, 1, 2, 3].map(|sight| play(sight, 3)), [1, 3, 3, 3]);
        // To leave four sticks keeps the opponent from it.
        let reversed = [(3, 10, 90.0), (2, 10, 50.0), (1, 10, 10.0)];
        let of_five = |sight| played(Weakness { sight, ..Weakness::NONE }, 5, &reversed, 0);
        assert_eq!([0, 1, 2, 3].map(of_five), [3, 3, 1, 1]);
        // Of seven sticks it wins in three turns, and all else loses in four.
        assert_eq!([0, 1, 2, 3, 4].map(|sight| play(sight, 7)), [1, 1, 1, 3, 3]);
        // All lose, two of them within two turns: none here, the first stays; then the one that lasts.
        assert_eq!(play(4, 8), 1);
        assert_eq!(played(Weakness { sight: 2, ..Weakness::NONE }, 4, &moves, 0), 1);
        // A draw goes on until it finds a move that does not lose.
        let soft = Weakness { temperature: 1_000.0, max_loss: 100.0, sight: 2 };
        assert_eq!(counts(soft, 5, &reversed), [0, 4_000, 0, 0]);
    }

    #[test]
    fn values_out_of_range_are_refused() {
        let none = Weakness::NONE;
        assert_eq!(none.check(), Ok(()));
        for (weakness, part) in [
            (
                Weakness { temperature: f32::NAN, ..none },
                "temperature must be a number from 0 to 1000, not NaN",
            ),
            (Weakness { temperature: -1.0, ..none }, "temperature"),
            (Weakness { max_loss: 101.0, ..none }, "maximum loss must be a number from 0 to 100, not 101"),
            (Weakness { sight: 7, ..none }, "sight must be a number from 0 to 6, not 7"),
        ] {
            let error = weakness.check().expect_err("out of range").to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}

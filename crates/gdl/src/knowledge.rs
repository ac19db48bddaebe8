//! Rollouts in lanes as knowledge of a search.

use std::cell::RefCell;

use quintet_core::game::{Rng, Side};
use quintet_core::knowledge::{Knowledge, NewPosition, Value};

use crate::compiled::Compiled;
use crate::game::Position;
use crate::lanes::{Ended, GAMES, Start};

/// Values positions by 64 random games each, which are played at once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LaneRollouts;

/// The positions that are valued at once.
const AT_ONCE: usize = 8;

thread_local! {
    /// The values of lanes, kept from one use to the next.
    static VALUES: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// Values `W` positions of one game.
fn value_all<const W: usize>(positions: [(&Position, u64); W]) -> [Value; W] {
    let parts = positions.map(|(position, _)| position.for_lanes());
    let draws = [Value::expected(Side::First, 0.0); W];
    let Some(rules) = parts[0].0 else { return draws };
    let starts: [Start<'_>; W] = std::array::from_fn(|word| {
        let (_, fluents, chosen, legal) = &parts[word];
        Start { fluents: *fluents, chosen, legal: *legal, seed: positions[word].1 }
    });
    let mut values = VALUES.try_with(RefCell::take).unwrap_or_default();
    let found =
        rules.with(|compiled| compiled.lanes.play::<W>(&starts, &mut values).map(|it| compiled.value(&it)));
    let _ = VALUES.try_with(|it| it.replace(values));
    found.unwrap_or(draws)
}

impl Compiled {
    /// What games that ended so are worth to each side.
    fn value(&self, ended: &Ended) -> Value {
        let players = self.roles.iter().filter(|role| role.side != Side::Chance).count();
        let mean = |role: usize| ended.goals[role] as f32 / GAMES as f32;
        // Games without an end are draws of the first two sides, as they are elsewhere.
        let unfinished = ended.unfinished as f32 / GAMES as f32;
        if players > 2 || self.scores.is_independent() {
            let scores: Vec<f32> =
                (0..players).map(|it| mean(it) + if it < 2 { 50.0 * unfinished } else { 0.0 }).collect();
            return Value::of_scores(&scores);
        }
        let score = if players == 1 {
            mean(0) + 50.0 * unfinished
        } else {
            let finished = (GAMES - ended.unfinished) as f32 / GAMES as f32;
            f32::midpoint(mean(0), 100.0 * finished - mean(1)) + 50.0 * unfinished
        };
        Value::expected(Side::First, score / 50.0 - 1.0)
    }
}

impl Knowledge<Position> for LaneRollouts {
    const POSITIONS_AT_ONCE: usize = AT_ONCE;

    fn evaluate(&self, position: &Position, rng: &mut Rng) -> Value {
        value_all([(position, rng.bits())])[0]
    }

    fn evaluate_all(&self, positions: &mut [NewPosition<'_, Position>]) {
        for some in positions.chunks_mut(AT_ONCE) {
            let seeds: Vec<u64> = some.iter_mut().map(|it| it.rng.bits()).collect();
            // What is missing is played twice.
            let at = |word: usize| (&some[word % some.len()].position, seeds[word % seeds.len()]);
            let values = if some.len() == 1 {
                [value_all([at(0)])[0]; AT_ONCE]
            } else {
                value_all::<AT_ONCE>(std::array::from_fn(at))
            };
            some.iter_mut().zip(values).for_each(|(it, value)| it.value = value);
        }
    }
}

#[cfg(test)]
mod tests {
    use quintet_core::game::Game as _;

    use super::*;

    #[test]
    fn a_position_is_worth_the_same_alone_and_among_others() {
        let text = "(role a) (role b) (init (heap 9)) (init (turn a))
            (<= (legal ?p (take ?n)) (true (turn ?p)) (true (heap ?h)) (minus ?h ?n ?rest))
            (<= (legal ?p noop) (role ?p) (not (true (turn ?p))))
            (<= (next (heap ?rest)) (does ?p (take ?n)) (true (heap ?h)) (minus ?h ?n ?rest))
            (<= (next (turn ?q)) (role ?q) (not (true (turn ?q))))
            (<= terminal (true (heap 0))) (<= (goal ?p 100) (role ?p) (not (true (turn ?p)))) (<= (goal ?p 0) (true (turn ?p)))
            (<= (minus ?h 1 ?r) (after ?r ?h)) (<= (minus ?h 2 ?r) (after ?r ?m) (after ?m ?h))
            (after 0 1) (after 1 2) (after 2 3) (after 3 4) (after 4 5) (after 5 6) (after 6 7) (after 7 8) (after 8 9)";
        let compiled = Compiled::new(text, crate::Limits::default()).expect("it is right");
        let rules = quintet_core::game::Rules::new(compiled);
        let start = Position::start(&rules);
        let positions: Vec<Position> =
            start.move_list().iter().map(|&mv| start.after(mv)).chain([start]).collect();
        let alone =
            |index: usize| LaneRollouts.evaluate(&positions[index], &mut Rng::stream(3, index as u64));
        let mut rngs: Vec<Rng> = (0..3).map(|it| Rng::stream(3, it)).collect();
        let mut new: Vec<NewPosition<'_, Position>> = positions
            .iter()
            .zip(&mut rngs)
            .map(|(&position, rng)| NewPosition { position, rng, value: Value::expected(Side::First, 0.0) })
            .collect();
        LaneRollouts.evaluate_all(&mut new);
        for (index, it) in new.iter().enumerate() {
            assert_eq!(it.value, alone(index), "{index}");
        }
    }
}

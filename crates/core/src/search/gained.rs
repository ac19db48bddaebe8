//! What a node has gained in a batch.

use crate::game::{SIDES, Side};
use crate::knowledge::Value;

/// What a node has gained in a batch.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Gained {
    pub(super) visits: u32,
    /// The sums of the values for all sides, in steps of [`Value`].
    steps: [u64; SIDES],
}

impl Gained {
    pub(super) fn add(&mut self, other: Self) {
        self.visits += other.visits;
        self.steps.iter_mut().zip(other.steps).for_each(|(sum, other)| *sum += other);
    }

    /// The sum of the values for `side`, in steps of [`Value`].
    pub(super) fn steps(&self, side: Side) -> u64 {
        self.steps[side as usize]
    }

    /// Visits of a game in which two sides share the score, whose values for `side` add up to `of_side` steps.
    pub(super) fn of_two_sides(side: Side, visits: u32, of_side: u64) -> Self {
        let of_other = u64::from(visits) * u64::from(Value::WIN) - of_side;
        let (first, second) = if side == Side::Second { (of_other, of_side) } else { (of_side, of_other) };
        Self { visits, steps: [first, second, 0, 0, 0, 0, 0, first] }
    }

    /// As many visits that each had this value.
    pub(super) fn of(value: Value, visits: u32) -> Self {
        Self { visits, steps: value.all_steps().map(|steps| u64::from(steps) * u64::from(visits)) }
    }
}

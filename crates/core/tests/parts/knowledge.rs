//! Helpers for implementing knowledge of a game.

use quintet_core::game::{Rng, Side};
use quintet_core::knowledge::draw_outcome;

#[test]
fn an_outcome_drawn_is_worth_what_is_expected_with_as_little_chance_as_possible() {
    const COUNT: u32 = 20_000;
    let mut rng = Rng::stream(51, 0);
    for tenths in -10_i8..=10 {
        let expectation = f32::from(tenths) / 10.0;
        let (mut sum, mut decided) = (0, 0);
        for _ in 0..COUNT {
            let half_points = draw_outcome(Side::Second, expectation, &mut rng).half_points(Side::Second);
            sum += i32::from(half_points) - 1;
            decided += u32::from(half_points != 1);
        }
        let mean = f64::from(sum) / f64::from(COUNT);
        assert!((mean - f64::from(expectation)).abs() < 0.02, "{expectation}: {mean}");
        assert_eq!(sum.unsigned_abs(), decided, "{expectation}: wins and losses");
    }
}

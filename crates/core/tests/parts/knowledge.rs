//! Helpers for implementing knowledge of a game.

use quintet_core::game::{Outcome, Side};
use quintet_core::knowledge::Value;

#[test]
fn a_value_is_what_each_side_expects() {
    for tenths in -10_i8..=10 {
        let expectation = f32::from(tenths) / 10.0;
        for side in [Side::First, Side::Second] {
            let value = Value::expected(side, expectation);
            for (side, sign) in [(side, 1.0), (side.opponent(), -1.0)] {
                let expected = 50.0 + 50.0 * sign * expectation;
                assert!((value.score(side) - expected).abs() < 1e-3, "{expectation}: {value:?}");
            }
        }
    }
}

#[test]
fn what_is_certain_is_worth_what_the_outcome_is() {
    for (expectation, outcome) in [
        (1.0, Outcome::Win(Side::Second)),
        (0.0, Outcome::Draw),
        (-1.0, Outcome::Win(Side::First)),
        (f32::INFINITY, Outcome::Win(Side::Second)),
        (-1.5, Outcome::Win(Side::First)),
        (f32::NAN, Outcome::Draw),
    ] {
        assert_eq!(Value::expected(Side::Second, expectation), outcome.into());
    }
}

//! Knowledge of Qubic.

use quintet_core::game::Game;
use quintet_core::knowledge::Knowledge;
use quintet_games::qubic::knowledge::QubicKnowledge;
use quintet_games::{Qubic, Spec};

#[test]
fn reasons_say_what_a_choice_does_to_lines() {
    let why = |position: &str, mv: &str| {
        let position: Qubic<Spec> = position.parse().expect("valid");
        QubicKnowledge.explain(&position, position.parse_move(mv).expect("legal")).unwrap_or_default()
    };
    // Both teams have three in a row, which the fourth column completes.
    let both = "xxx1/ooo1/4/4|4/4/4/4|4/4/4/4|4/4/4/4 x";
    assert_eq!(why(&format!("{both} -"), "r1"), "leaves a line to complete");
    assert_eq!(why(&format!("{both} r1c4"), "l1"), "completes a line");
    assert_eq!(why(&format!("{both} -"), "r2"), "leaves a line to block");
    assert_eq!(why(&format!("{both} -"), "r3"), "leaves a line of the other team open");
    assert_eq!(why(&format!("{both} r2c4"), "l1"), "blocks a line");
    // Two lines of two that cross in a blank corner.
    let meet = "1xx1/x3/x3/1ooo|4/4/4/4|4/4/4/o3|4/4/4/4 x";
    assert_eq!(why(&format!("{meet} -"), "r1"), "leaves a line of the other team open");
    let meet = "1xx1/x3/x3/1oo1|4/4/4/4|4/4/4/o3|4/4/3o/4 x";
    assert_eq!(why(&format!("{meet} -"), "r1"), "wins by threats in 9 plies");
    assert_eq!(why(&format!("{meet} r1c1"), "l1"), "wins by threats in 7 plies");
    let against = "1xx1/x3/x3/1oo1|4/4/4/4|4/4/4/4|4/4/3o/4";
    assert_eq!(why(&format!("{against} o -"), "r3"), "lets the other team win by threats");
    assert_eq!(why(&format!("{against} o -"), "r1"), "");
}

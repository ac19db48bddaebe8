//! Knowledge of Gomoku.

use quintet_core::game::Game;
use quintet_core::knowledge::{Candidates, Knowledge};
use quintet_games::gomoku::knowledge::GomokuKnowledge;
use quintet_games::{Ggp, Gomoku};

#[test]
fn all_cells_are_equal_at_the_start_of_a_set_up() {
    let mut moves = Candidates::new();
    GomokuKnowledge::default().candidates(&Gomoku::<Ggp>::initial(), &mut moves);
    assert_eq!(moves.len(), 11 * 11);
    assert!(moves.windows(2).all(|pair| pair[0].1.total_cmp(&pair[1].1).is_eq()), "{moves:?}");
}

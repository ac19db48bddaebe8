//! Short games between players who see fours, then an estimate.

use super::evaluation::{MAKES, STOPS, weight};
use super::lines::{LINES, SEATS, ShapeTable};
use super::threats::ThreatBoard;
use super::{INNER, QUICK};
use crate::Ruleset;
use crate::gomoku::{BLACK, CELLS, Gomoku, WHITE};
use quintet_core::bits::bits;
use quintet_core::game::Rng;

/// The stones that are placed before the estimate: a few were better than none at equal time, and between
/// three and eight no difference was found that 60 games could show.
const STONES: u32 = 8;

/// A position with how promising each cell is for either color, kept up to date stone by stone.
#[derive(Debug, Clone)]
struct Playout {
    board: ThreatBoard,
    empty: u128,
    /// For each color to move, the exponents of the cells' weights.
    scores: [[u16; CELLS]; 2],
}

/// What a playout came to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Ending {
    /// A win of this color.
    Win(usize),
    /// The board is full.
    Draw,
    /// It was broken off where the color with this number was to move, with this balance for it.
    Open(usize, i32),
}

impl Playout {
    fn new<R: Ruleset>(position: &Gomoku<R>, table: &'static ShapeTable) -> Self {
        let board = ThreatBoard::new(position, table);
        let mut scores = [INNER; 2];
        for color in [BLACK, WHITE] {
            board.all_shapes(color, |cell, shape| {
                scores[color][cell] += MAKES[shape];
                scores[1 - color][cell] += STOPS[shape];
            });
        }
        Self { board, empty: position.empty(), scores }
    }

    fn place(&mut self, color: usize, cell: usize) {
        let lines = SEATS[cell].iter().fold(0, |lines, seat| lines | 1 << (usize::from(seat.line) % LINES));
        let Self { board, scores, .. } = self;
        for color in [BLACK, WHITE] {
            board.shapes(color, lines, |cell, shape| {
                scores[color][cell] -= MAKES[shape];
                scores[1 - color][cell] -= STOPS[shape];
            });
        }
        board.place(color, cell);
        for color in [BLACK, WHITE] {
            board.shapes(color, lines, |cell, shape| {
                scores[color][cell] += MAKES[shape];
                scores[1 - color][cell] += STOPS[shape];
            });
        }
        self.empty &= !(1 << cell);
    }

    /// An empty cell, as likely as its weight is large for `color`.
    fn sample(&self, color: usize, rng: &mut Rng) -> usize {
        let scores = &self.scores[color];
        let weight = |cell: u8| weight(scores[usize::from(cell)]);
        let sum: u32 = bits(self.empty).map(weight).sum();
        let mut left = rng.below(sum as usize) as u32;
        for cell in bits(self.empty) {
            let weight = weight(cell);
            if left < weight {
                return usize::from(cell);
            }
            left -= weight;
        }
        self.empty.trailing_zeros() as usize
    }
}

/// Plays from `position`, which is not over and past its set-up: lines are completed and stopped, all other
/// stones placed by weight.
pub(super) fn play<R: Ruleset>(position: &Gomoku<R>, table: &'static ShapeTable, rng: &mut Rng) -> Ending {
    let mut playout = Playout::new(position, table);
    let mut color = position.color();
    for _ in 0..STONES {
        if playout.empty == 0 {
            return Ending::Draw;
        }
        if playout.board.completing(color) != 0 {
            return Ending::Win(color);
        }
        let must_stop = playout.board.completing(1 - color);
        let cell = match must_stop.count_ones() {
            0 => playout.sample(color, rng),
            1 => must_stop.trailing_zeros() as usize,
            _ => return Ending::Win(1 - color),
        };
        playout.place(color, cell);
        color = 1 - color;
    }
    let Playout { mut board, empty, .. } = playout;
    if empty == 0 {
        Ending::Draw
    } else if board.vcf(color, &mut { QUICK }).is_some() {
        Ending::Win(color)
    } else if board.completing(1 - color).count_ones() > 1 {
        Ending::Win(1 - color)
    } else {
        Ending::Open(color, board.balance(color))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Ggp, Spec};
    use quintet_core::game::Game;

    fn powers_are_kept_up_to_date<R: Ruleset>() {
        let table = ShapeTable::get(Gomoku::<R>::WINNING);
        let mut rng = Rng::stream(43, 0);
        for _ in 0..20 {
            let mut position = Gomoku::<R>::without_setup();
            let mut playout = Playout::new(&position, table);
            while position.outcome().is_none() {
                let mv = position.random_move(&mut rng);
                playout.place(position.color(), usize::from(mv.0));
                position.apply(mv);
                let fresh = Playout::new(&position, table);
                assert_eq!(playout.empty, fresh.empty);
                assert_eq!(playout.scores, fresh.scores, "{position}");
                for color in [BLACK, WHITE] {
                    assert_eq!(playout.board.completing(color), fresh.board.completing(color));
                    assert_eq!(playout.board.fours(color), fresh.board.fours(color));
                    assert_eq!(playout.board.balance(color), fresh.board.balance(color));
                }
            }
        }
    }

    #[test]
    fn powers_are_kept_up_to_date_stone_by_stone() {
        powers_are_kept_up_to_date::<Spec>();
        powers_are_kept_up_to_date::<Ggp>();
    }

    #[test]
    fn lines_are_completed_and_stopped_and_two_are_too_many() {
        let table = ShapeTable::get(Gomoku::<Ggp>::WINNING);
        let mut rng = Rng::stream(44, 0);
        let mut ending = |text: &str| {
            let position: Gomoku<Ggp> = text.parse().expect("valid");
            play(&position, table, &mut rng)
        };
        assert_eq!(ending("11/11/11/11/11/1wbbbb5/11/11/11/4w1w1w2/11 b 1 -"), Ending::Win(BLACK));
        assert_eq!(ending("11/11/11/11/11/1w1bbbb4/11/11/11/4w1w1w2/b10 b 2 -"), Ending::Win(BLACK));
    }
}

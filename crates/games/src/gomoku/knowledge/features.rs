//! What a model sees of Gomoku: the contents of lines.

use quintet_core::learned::{FeatureCounts, Features};

use super::GomokuKnowledge;
use crate::gomoku::{CELLS, Move, PLAY, SIZE};
use crate::{Gomoku, Ruleset};

/// The content of a cell: nothing, a stone of the color to move, one of the other color. What is off the
/// board stops a line as the other color does.
const OTHER: u8 = 2;

/// The contents of the eight cells around a cell in a direction, four on each side.
const AROUND: usize = 3_usize.pow(8);

/// The most cells in a line that wins.
const LONGEST: usize = 6;
/// The contents of that many cells.
const PATTERNS: usize = 3_usize.pow(LONGEST as u32);

/// Right, up, and both diagonals up.
const DIRECTIONS: [(i32, i32); 4] = [(1, 0), (0, 1), (1, 1), (-1, 1)];

/// The index in a [`Contents`] of what is off the board.
const OFF: usize = CELLS;

/// The content of each cell, and of what is off the board.
type Contents = [u8; CELLS + 1];

/// `STEPPED[cell][direction][n]`: the cell `n` - 4 steps away, without the cell itself.
static STEPPED: [[[u8; 8]; 4]; CELLS] = {
    let mut table = [[[0; 8]; 4]; CELLS];
    let mut cell = 0;
    while cell < CELLS {
        let mut direction = 0;
        while direction < 4 {
            let mut n = 0;
            while n < 8 {
                let step = if n < 4 { n as i32 - 4 } else { n as i32 - 3 };
                table[cell][direction][n] = stepped(cell, direction, step) as u8;
                n += 1;
            }
            direction += 1;
        }
        cell += 1;
    }
    table
};

/// `AHEAD[cell][direction][n]`: the cell `n` steps away.
static AHEAD: [[[u8; LONGEST]; 4]; CELLS] = {
    let mut table = [[[0; LONGEST]; 4]; CELLS];
    let mut at = 0;
    while at < CELLS * 4 * LONGEST {
        let (cell, direction, n) = (at / LONGEST / 4, at / LONGEST % 4, at % LONGEST);
        table[cell][direction][n] = stepped(cell, direction, n as i32) as u8;
        at += 1;
    }
    table
};

/// The cell that many steps away, or [`OFF`].
const fn stepped(cell: usize, direction: usize, steps: i32) -> usize {
    let (dx, dy) = DIRECTIONS[direction];
    let (x, y) = ((cell % SIZE) as i32 + steps * dx, (cell / SIZE) as i32 + steps * dy);
    if x < 0 || y < 0 || x >= SIZE as i32 || y >= SIZE as i32 { OFF } else { (y * SIZE as i32 + x) as usize }
}

/// The contents of the cells around one, the same from either end.
static FROM_EITHER_END: [u16; AROUND] = {
    let mut table = [0; AROUND];
    let mut contents = 0;
    while contents < AROUND {
        let (mut rest, mut reversed, mut n) = (contents, 0, 0);
        while n < 8 {
            reversed = 3 * reversed + rest % 3;
            rest /= 3;
            n += 1;
        }
        table[contents] = if reversed < contents { reversed } else { contents } as u16;
        contents += 1;
    }
    table
};

impl<R: Ruleset> Gomoku<R> {
    fn contents(&self) -> Contents {
        let color = self.color();
        let [own, other] = [self.stones[color], self.stones[1 - color]];
        let mut contents = [OTHER; CELLS + 1];
        for (cell, content) in contents[..CELLS].iter_mut().enumerate() {
            *content = (own >> cell & 1) as u8 + OTHER * (other >> cell & 1) as u8;
        }
        contents
    }
}

impl<R: Ruleset> Features<Gomoku<R>> for GomokuKnowledge<R> {
    // A position shows the cells of every line that could win; a move, the cells around its own in all
    // directions. The set-up shows nothing.
    const COUNTS: FeatureCounts = FeatureCounts { positions: PATTERNS, moves: AROUND };

    fn of_position(position: &Gomoku<R>, mut see: impl FnMut(usize)) {
        if position.step != PLAY {
            return;
        }
        let contents = position.contents();
        for cells in AHEAD.iter().flatten() {
            let line = &cells[..Gomoku::<R>::WINNING];
            if line[line.len() - 1] == OFF as u8 {
                continue;
            }
            match line.iter().fold(0, |sum, &cell| 3 * sum + usize::from(contents[usize::from(cell)])) {
                0 => {}
                pattern => see(pattern),
            }
        }
    }

    fn of_moves(position: &Gomoku<R>, moves: &[Move], mut see: impl FnMut(usize, usize)) {
        if position.step != PLAY {
            return;
        }
        let contents = position.contents();
        for (index, mv) in moves.iter().enumerate() {
            for cells in &STEPPED[usize::from(mv.0) % CELLS] {
                let around =
                    cells.iter().fold(0, |sum, &cell| 3 * sum + usize::from(contents[usize::from(cell)]));
                see(index, usize::from(FROM_EITHER_END[around]));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use quintet_core::game::{Game, MoveList, Rng};

    use super::*;
    use crate::{Ggp, Spec};

    /// The features of a position, and those of each cell, each sorted.
    fn seen<R: Ruleset>(position: &Gomoku<R>) -> (Vec<usize>, Vec<Vec<usize>>) {
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        let (mut of_position, mut of_moves) = (Vec::new(), vec![Vec::new(); moves.len()]);
        GomokuKnowledge::of_position(position, |feature| of_position.push(feature));
        GomokuKnowledge::of_moves(position, &moves, |index, feature| of_moves[index].push(feature));
        of_position.sort_unstable();
        for features in &mut of_moves {
            features.sort_unstable();
        }
        of_moves.sort();
        (of_position, of_moves)
    }

    fn a_turned_board_looks_alike<R: Ruleset>() {
        let mut rng = Rng::stream(1, 0);
        for _ in 0..10 {
            let mut position = Gomoku::<R>::without_setup();
            while position.outcome().is_none() {
                let mut turned = position;
                turned.stones = [0; 2];
                for cell in 0..CELLS {
                    let (x, y) = (cell % SIZE, cell / SIZE);
                    for (to, from) in turned.stones.iter_mut().zip(position.stones) {
                        *to |= (from >> cell & 1) << ((SIZE - 1 - x) * SIZE + y);
                    }
                }
                let (of_position, of_moves) = seen(&position);
                assert_eq!(of_moves, seen(&turned).1, "{position}");
                assert_eq!(of_position.len(), seen(&turned).0.len());
                let counts = <GomokuKnowledge<R> as Features<Gomoku<R>>>::COUNTS;
                assert!(of_position.iter().all(|it| *it < counts.positions));
                assert!(of_moves.iter().flatten().all(|it| *it < counts.moves));
                position.apply(position.random_move(&mut rng));
            }
        }
    }

    #[test]
    fn a_quarter_turn_changes_nothing() {
        a_turned_board_looks_alike::<Spec>();
        a_turned_board_looks_alike::<Ggp>();
    }

    #[test]
    fn a_move_shows_what_is_around_it() {
        let mut position = Gomoku::<Ggp>::without_setup();
        // Black in the corner, white beside it.
        position.apply(Move::place(0, 0));
        position.apply(Move::place(1, 0));
        let mut features = Vec::new();
        GomokuKnowledge::of_moves(&position, &[Move::place(2, 0)], |_, feature| features.push(feature));
        let digits = |text: &str| text.bytes().fold(0, |sum, digit| 3 * sum + usize::from(digit - b'0'));
        let row = digits("22120000").min(digits("00002122"));
        let column = digits("22220000").min(digits("00002222"));
        let up = digits("22220000").min(digits("00002222"));
        let down = digits("22220022");
        assert_eq!(features.len(), 4);
        assert_eq!(&features[..3], &[row, column, up]);
        assert_eq!(features[3], down.min(digits("22002222")));
    }
}

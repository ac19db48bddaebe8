//! The shapes of all cells at once.
//!
//! The cells of a line are sixteen bytes, each with what a stone of either color makes there. The rows of the board
//! have each cell in its column. Columns are the rows of a matrix that is transposed; so are diagonals, each put
//! where its cells are in the bytes of their rows, and what comes out is moved to their columns.

use super::lines::{LINES_OF, SHAPES};
use super::threats::ThreatBoard;
use crate::gomoku::{CELLS, SIZE};

/// The shapes of each cell.
pub(super) struct CellShapes {
    /// By color, row and column: the [`Shape`](super::lines::Shape)s in the four lines, as decimal digits. Columns beyond
    /// the board have 0.
    of: [[[u16; WIDTH]; SIZE]; 2],
}

/// The numbers of shapes in four lines.
pub(super) const NUMBERS: usize = SHAPES.pow(4);

/// The bytes of a line.
const WIDTH: usize = 16;

/// How many columns the shortest diagonals with shapes lie beside the longest.
const FARTHEST: usize = 6;

/// Where the cells of a line go.
#[derive(Clone, Copy)]
struct Slot {
    line: u8,
    /// The first cell's byte, in bits of [`LineShapes`](super::lines::LineShapes).
    shift: u8,
}

/// By direction, the lines side by side: diagonals from left to right as they cross the first row or would cross it.
static SLOTS: [[Slot; WIDTH]; 4] = {
    // The line of a corner alone has no shapes.
    let corner = Slot { line: LINES_OF[SIZE - 1][2].line, shift: 0 };
    let mut slots = [[corner; WIDTH]; 4];
    const_for!(0..CELLS, |cell| {
        let (x, y) = (cell % SIZE, cell / SIZE);
        const_for!(0..4, |direction| {
            let place = LINES_OF[cell][direction];
            let slot =
                [y, x, (x + FARTHEST).wrapping_sub(y), (x + y).wrapping_sub(SIZE - 1 - FARTHEST)][direction];
            if slot <= 2 * FARTHEST {
                let at = if direction == 0 { x } else { y };
                slots[direction][slot] = Slot { line: place.line, shift: 4 * (at as u8 - place.n) };
            }
        });
    });
    slots
};

impl CellShapes {
    #[inline(always)]
    pub(super) fn of(board: &ThreatBoard) -> Self {
        Self::with::<Fastest>(board)
    }

    /// The numbers for `color` of the cells of each row.
    #[inline(always)]
    pub(super) fn rows(&self, color: usize) -> impl Iterator<Item = &[u16; SIZE]> {
        self.of[color].iter().map(|row| row.first_chunk().expect("a row is wider"))
    }

    /// The number for `color` of a cell.
    #[inline(always)]
    pub(super) fn number(&self, color: usize, cell: usize) -> u16 {
        self.of[color][cell / SIZE % SIZE][cell % SIZE]
    }

    #[inline(always)]
    fn with<B: Bytes>(board: &ThreatBoard) -> Self {
        let rows = lines::<B>(board, 0);
        let columns = transposed(lines::<B>(board, 1));
        let rising = B::rising(transposed(lines(board, 2)));
        let falling = B::falling(transposed(lines(board, 3)));
        let mut of = [[[0; WIDTH]; SIZE]; 2];
        let mut row = |y: usize| {
            let two = B::digits(rows[y], columns[y]);
            let others = B::digits(rising[y], falling[y]);
            for color in 0..2 {
                of[color][y] = two[color].numbers(others[color]);
            }
        };
        row(0);
        row(1);
        row(2);
        row(3);
        row(4);
        row(5);
        row(6);
        row(7);
        row(8);
        row(9);
        row(10);
        Self { of }
    }
}

/// The lines of a direction. This and the functions below are written out: in loops the vectors would go through memory,
/// and loads that are wider than the stores just before them are slow.
#[inline(always)]
fn lines<B: Bytes>(board: &ThreatBoard, direction: usize) -> [B; WIDTH] {
    let of = &SLOTS[direction];
    let none = B::shapes([0; 2]);
    [
        line(board, of[0]),
        line(board, of[1]),
        line(board, of[2]),
        line(board, of[3]),
        line(board, of[4]),
        line(board, of[5]),
        line(board, of[6]),
        line(board, of[7]),
        line(board, of[8]),
        line(board, of[9]),
        line(board, of[10]),
        line(board, of[11]),
        line(board, of[12]),
        none,
        none,
        none,
    ]
}

#[inline(always)]
fn line<B: Bytes>(board: &ThreatBoard, Slot { line, shift }: Slot) -> B {
    let [black, white] = board.shapes_of(line.into());
    B::shapes([black << shift, white << shift])
}

/// Exchanges rows and columns.
#[inline(always)]
fn transposed<B: Bytes>(rows: [B; WIDTH]) -> [B; WIDTH] {
    shuffled(shuffled(shuffled(shuffled(rows))))
}

/// A perfect shuffle: the bytes of the first row and the ninth in turn, and so on.
#[inline(always)]
fn shuffled<B: Bytes>(rows: [B; WIDTH]) -> [B; WIDTH] {
    let pairs = [
        rows[0].shuffled(rows[8]),
        rows[1].shuffled(rows[9]),
        rows[2].shuffled(rows[10]),
        rows[3].shuffled(rows[11]),
        rows[4].shuffled(rows[12]),
        rows[5].shuffled(rows[13]),
        rows[6].shuffled(rows[14]),
        rows[7].shuffled(rows[15]),
    ];
    [
        pairs[0][0],
        pairs[0][1],
        pairs[1][0],
        pairs[1][1],
        pairs[2][0],
        pairs[2][1],
        pairs[3][0],
        pairs[3][1],
        pairs[4][0],
        pairs[4][1],
        pairs[5][0],
        pairs[5][1],
        pairs[6][0],
        pairs[6][1],
        pairs[7][0],
        pairs[7][1],
    ]
}

/// Sixteen bytes.
trait Bytes: Copy {
    /// The shapes of black in the low half of each byte, and those of white in the other.
    fn shapes(of: [u64; 2]) -> Self;
    /// The bytes of both in turn.
    fn shuffled(self, other: Self) -> [Self; 2];
    /// Moves each byte `BY` places ahead and then `BACK` places back; zeros come in.
    fn moved<const BY: i32, const BACK: i32>(self) -> Self;
    /// By color, the shapes in two lines as decimal digits.
    fn digits(a: Self, b: Self) -> [Self; 2];
    /// Each byte plus a hundred times the other.
    fn numbers(self, hundreds: Self) -> [u16; WIDTH];

    /// By row, the diagonals along which rows and columns rise, each moved to its column.
    #[inline(always)]
    fn rising(rows: [Self; WIDTH]) -> [Self; SIZE] {
        [
            rows[0].moved::<0, 6>(),
            rows[1].moved::<0, 5>(),
            rows[2].moved::<0, 4>(),
            rows[3].moved::<0, 3>(),
            rows[4].moved::<0, 2>(),
            rows[5].moved::<0, 1>(),
            rows[6].moved::<0, 0>(),
            rows[7].moved::<1, 0>(),
            rows[8].moved::<2, 0>(),
            rows[9].moved::<3, 0>(),
            rows[10].moved::<4, 0>(),
        ]
    }

    /// By row, the diagonals along which rows rise and columns fall, each moved to its column.
    #[inline(always)]
    fn falling(rows: [Self; WIDTH]) -> [Self; SIZE] {
        [
            rows[0].moved::<4, 0>(),
            rows[1].moved::<3, 0>(),
            rows[2].moved::<2, 0>(),
            rows[3].moved::<1, 0>(),
            rows[4].moved::<0, 0>(),
            rows[5].moved::<0, 1>(),
            rows[6].moved::<0, 2>(),
            rows[7].moved::<0, 3>(),
            rows[8].moved::<0, 4>(),
            rows[9].moved::<0, 5>(),
            rows[10].moved::<0, 6>(),
        ]
    }
}

#[cfg(target_arch = "x86_64")]
use sse2::Vector as Fastest;

#[cfg(not(target_arch = "x86_64"))]
use portable::Array as Fastest;

/// Compilers don't make vectors of matrices that stay in registers.
#[cfg(target_arch = "x86_64")]
mod sse2 {
    use safe_arch::{
        add_i8_m128i, add_i16_m128i, bitand_m128i, bitor_m128i, byte_shl_imm_u128_m128i,
        byte_shr_imm_u128_m128i, m128i, mul_i16_keep_low_m128i, set_splat_i8_m128i, set_splat_i16_m128i,
        shl_imm_u16_m128i, shr_imm_u16_m128i, unpack_high_i8_m128i, unpack_low_i8_m128i, zeroed_m128i,
    };

    use super::{Bytes, WIDTH};

    #[derive(Clone, Copy)]
    pub(super) struct Vector(m128i);

    impl Bytes for Vector {
        #[inline(always)]
        fn shapes(of: [u64; 2]) -> Self {
            let (both, low) = (m128i::from(of), set_splat_i8_m128i(15));
            let even = bitand_m128i(both, low);
            let odd = bitand_m128i(shr_imm_u16_m128i::<4>(both), low);
            let [black, white] = [unpack_low_i8_m128i(even, odd), unpack_high_i8_m128i(even, odd)];
            Self(bitor_m128i(black, shl_imm_u16_m128i::<4>(white)))
        }

        #[inline(always)]
        fn shuffled(self, other: Self) -> [Self; 2] {
            [Self(unpack_low_i8_m128i(self.0, other.0)), Self(unpack_high_i8_m128i(self.0, other.0))]
        }

        #[inline(always)]
        fn moved<const BY: i32, const BACK: i32>(self) -> Self {
            Self(byte_shr_imm_u128_m128i::<BACK>(byte_shl_imm_u128_m128i::<BY>(self.0)))
        }

        #[inline(always)]
        fn digits(a: Self, b: Self) -> [Self; 2] {
            let low = |a| bitand_m128i(a, set_splat_i8_m128i(15));
            let high = |a| low(shr_imm_u16_m128i::<4>(a));
            // No product is above a byte, so two of them are one of 16 bits.
            let number = |a, b| Self(add_i8_m128i(a, mul_i16_keep_low_m128i(b, set_splat_i16_m128i(10))));
            [number(low(a.0), low(b.0)), number(high(a.0), high(b.0))]
        }

        #[inline(always)]
        fn numbers(self, hundreds: Self) -> [u16; WIDTH] {
            let (zero, hundred) = (zeroed_m128i(), set_splat_i16_m128i(100));
            let number = |a, b| add_i16_m128i(a, mul_i16_keep_low_m128i(b, hundred));
            let low = number(unpack_low_i8_m128i(self.0, zero), unpack_low_i8_m128i(hundreds.0, zero));
            let high = number(unpack_high_i8_m128i(self.0, zero), unpack_high_i8_m128i(hundreds.0, zero));
            let (low, high): ([u16; 8], [u16; 8]) = (low.into(), high.into());
            let mut numbers = [0; WIDTH];
            numbers[..8].copy_from_slice(&low);
            numbers[8..].copy_from_slice(&high);
            numbers
        }
    }
}

/// For other processors, and to check the vectors against.
#[cfg(any(test, not(target_arch = "x86_64")))]
mod portable {
    use super::{Bytes, WIDTH};

    #[derive(Clone, Copy)]
    pub(super) struct Array([u8; WIDTH]);

    impl Bytes for Array {
        #[inline(always)]
        fn shapes([black, white]: [u64; 2]) -> Self {
            let of = |n: usize| (black >> (4 * n) & 15 | (white >> (4 * n) & 15) << 4) as u8;
            Self(std::array::from_fn(of))
        }

        #[inline(always)]
        fn shuffled(self, other: Self) -> [Self; 2] {
            let both = [self.0, other.0];
            [0, WIDTH / 2].map(|first| Self(std::array::from_fn(|n| both[n % 2][first + n / 2])))
        }

        #[inline(always)]
        fn moved<const BY: i32, const BACK: i32>(self) -> Self {
            Self((u128::from_le_bytes(self.0) << (8 * BY) >> (8 * BACK)).to_le_bytes())
        }

        #[inline(always)]
        fn digits(a: Self, b: Self) -> [Self; 2] {
            let number = |shift: u32| {
                Self(std::array::from_fn(|n| (a.0[n] >> shift & 15) + 10 * (b.0[n] >> shift & 15)))
            };
            [number(0), number(4)]
        }

        #[inline(always)]
        fn numbers(self, hundreds: Self) -> [u16; WIDTH] {
            std::array::from_fn(|n| u16::from(self.0[n]) + 100 * u16::from(hundreds.0[n]))
        }
    }
}

#[cfg(test)]
mod tests {
    use quintet_core::game::{Game, Rng};

    use super::portable::Array;
    use super::*;
    use crate::gomoku::knowledge::lines::ShapeTable;
    use crate::{Ggp, Gomoku, Ruleset, Spec};

    fn cells_have_the_shapes_of_their_lines<R: Ruleset>() {
        let (table, mut rng) = (ShapeTable::get(Gomoku::<R>::WINNING), Rng::stream(46, 0));
        for _ in 0..20 {
            let mut position = Gomoku::<R>::without_setup();
            while position.outcome().is_none() {
                let board = ThreatBoard::new(&position, table);
                for shapes in [CellShapes::of(&board), CellShapes::with::<Array>(&board)] {
                    for color in 0..2 {
                        let expected = LINES_OF.iter().map(|places| {
                            let shape = |n: usize| {
                                let place = places[n];
                                let of_line = board.shapes_of(place.line.into())[color];
                                (of_line >> (4 * place.n) & 15) as u16
                            };
                            shape(0) + 10 * shape(1) + 100 * shape(2) + 1000 * shape(3)
                        });
                        assert!(shapes.rows(color).flatten().copied().eq(expected), "{color} in {position}");
                    }
                }
                position.apply(position.random_move(&mut rng));
            }
        }
    }

    #[test]
    fn cells_have_the_shapes_of_their_lines_under_both_rules() {
        cells_have_the_shapes_of_their_lines::<Spec>();
        cells_have_the_shapes_of_their_lines::<Ggp>();
    }
}

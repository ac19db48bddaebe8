//! A 16-bit number for each of the 16 cells, all processed at once.
//!
//! Compilers don't vectorize sixteen numbers that stay in registers, so for x86-64 the vector
//! instructions are written out.

/// A lane of 16 bits for each cell. True is all bits set, false is 0.
pub(super) trait Lanes: Copy {
    /// The same value in every lane.
    fn splat(value: i16) -> Self;
    /// Four words in memory order, cell 0 in the lowest bits of the first.
    fn from_words(words: [u64; 4]) -> Self;
    /// Whether the cell is in the mask.
    #[inline(always)]
    fn is_in(cells: u16) -> Self {
        let bit = Self::from_words([
            0x0008_0004_0002_0001,
            0x0080_0040_0020_0010,
            0x0800_0400_0200_0100,
            0x8000_4000_2000_1000,
        ]);
        Self::splat(cells as i16).and(bit).equal(bit)
    }
    /// The piece on the cell, from the four masks of the cells where each bit is set; 0 if there is
    /// none.
    #[inline(always)]
    fn pieces(ones: u64) -> Self {
        let with = |bit: usize| Self::is_in((ones >> (16 * bit)) as u16).and(Self::splat(1 << bit));
        with(0).or(with(1)).or(with(2).or(with(3)))
    }

    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn times_16(self) -> Self;
    fn min(self, other: Self) -> Self;
    fn max(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        self.and(other.xor(Self::splat(-1)))
    }
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    /// Whether the lane is equal to the other.
    fn equal(self, other: Self) -> Self;
    /// Whether the lane is greater than the other.
    fn greater(self, other: Self) -> Self;

    /// The number of the sixteen lanes that are greater than this one.
    fn rank(self) -> Self;
    /// The least of the sixteen lanes, in every lane.
    fn least(self) -> Self;
    /// The four cells of each of the ten lines joined. The lines are in no particular order, some
    /// of them in several lanes.
    fn lines(self, join: impl Fn(Self, Self) -> Self) -> Self;

    /// The mask of the cells where the lane is true.
    fn mask(self) -> u16;
    /// The sum of the lanes, which must be in 0..256.
    fn sum(self) -> u32;
}

#[cfg(target_arch = "x86_64")]
pub(super) use sse2::Vectors as Fastest;

#[cfg(not(target_arch = "x86_64"))]
pub(super) use portable::Array as Fastest;

#[cfg(target_arch = "x86_64")]
mod sse2 {
    use safe_arch::{
        add_i16_m128i, add_i32_m128i, bitand_m128i, bitandnot_m128i, bitor_m128i, bitxor_m128i,
        cmp_eq_mask_i16_m128i, cmp_gt_mask_i16_m128i, get_i32_from_m128i_s, m128i, max_i16_m128i,
        min_i16_m128i, move_mask_i8_m128i, pack_i16_to_i8_m128i, pack_i16_to_u8_m128i, set_i64_m128i,
        set_reversed_i16_m128i, set_splat_i16_m128i, shl_imm_u16_m128i, shuffle_ai_f32_all_m128i,
        shuffle_ai_i16_h64all_m128i, shuffle_ai_i16_l64all_m128i, sub_i16_m128i, sum_of_u8_abs_diff_m128i,
        unpack_high_i16_m128i, unpack_high_i64_m128i, unpack_low_i16_m128i, unpack_low_i64_m128i,
        zeroed_m128i,
    };

    use super::Lanes;

    /// The lanes of cells 0 to 7, and those of cells 8 to 15.
    #[derive(Debug, Clone, Copy)]
    pub(in super::super) struct Vectors(m128i, m128i);

    /// Exchanges the halves of a vector.
    #[inline(always)]
    fn swap_halves(a: m128i) -> m128i {
        shuffle_ai_f32_all_m128i::<0b01_00_11_10>(a)
    }

    /// Exchanges the quarters of each half of a vector.
    #[inline(always)]
    fn swap_quarters(a: m128i) -> m128i {
        shuffle_ai_f32_all_m128i::<0b10_11_00_01>(a)
    }

    impl Vectors {
        #[inline(always)]
        fn map(self, f: impl Fn(m128i) -> m128i) -> Self {
            Self(f(self.0), f(self.1))
        }

        #[inline(always)]
        fn zip(self, other: Self, f: impl Fn(m128i, m128i) -> m128i) -> Self {
            Self(f(self.0, other.0), f(self.1, other.1))
        }

        /// The number of lanes greater than this one among four: the `n`-th of each half of each
        /// vector. `ALL` is `n` four times over.
        #[inline(always)]
        fn greater_of_four<const ALL: i32>(self) -> Self {
            let Self(low, high) = self;
            let first = |a| {
                let a = shuffle_ai_i16_l64all_m128i::<ALL>(a);
                let all = unpack_low_i64_m128i(a, a);
                Self(all, all).greater(self)
            };
            let second = |a| {
                let a = shuffle_ai_i16_h64all_m128i::<ALL>(a);
                let all = unpack_high_i64_m128i(a, a);
                Self(all, all).greater(self)
            };
            // True is -1.
            Self::splat(0).sub(first(low).add(second(low)).add(first(high).add(second(high))))
        }
    }

    impl Lanes for Vectors {
        #[inline(always)]
        fn splat(value: i16) -> Self {
            let all = set_splat_i16_m128i(value);
            Self(all, all)
        }

        #[inline(always)]
        fn from_words([a, b, c, d]: [u64; 4]) -> Self {
            Self(set_i64_m128i(b as i64, a as i64), set_i64_m128i(d as i64, c as i64))
        }

        #[inline(always)]
        fn add(self, other: Self) -> Self {
            self.zip(other, add_i16_m128i)
        }

        #[inline(always)]
        fn sub(self, other: Self) -> Self {
            self.zip(other, sub_i16_m128i)
        }

        #[inline(always)]
        fn times_16(self) -> Self {
            self.map(shl_imm_u16_m128i::<4>)
        }

        #[inline(always)]
        fn min(self, other: Self) -> Self {
            self.zip(other, min_i16_m128i)
        }

        #[inline(always)]
        fn max(self, other: Self) -> Self {
            self.zip(other, max_i16_m128i)
        }

        #[inline(always)]
        fn and(self, other: Self) -> Self {
            self.zip(other, bitand_m128i)
        }

        #[inline(always)]
        fn or(self, other: Self) -> Self {
            self.zip(other, bitor_m128i)
        }

        #[inline(always)]
        fn xor(self, other: Self) -> Self {
            self.zip(other, bitxor_m128i)
        }

        #[inline(always)]
        fn equal(self, other: Self) -> Self {
            self.zip(other, cmp_eq_mask_i16_m128i)
        }

        #[inline(always)]
        fn greater(self, other: Self) -> Self {
            self.zip(other, cmp_gt_mask_i16_m128i)
        }

        #[inline(always)]
        fn rank(self) -> Self {
            let [a, b, c, d] = [
                self.greater_of_four::<0b00_00_00_00>(),
                self.greater_of_four::<0b01_01_01_01>(),
                self.greater_of_four::<0b10_10_10_10>(),
                self.greater_of_four::<0b11_11_11_11>(),
            ];
            a.add(b).add(c.add(d))
        }

        #[inline(always)]
        fn least(self) -> Self {
            let min = min_i16_m128i;
            let least = min(self.0, self.1);
            let least = min(least, swap_halves(least));
            let least = min(least, swap_quarters(least));
            let swapped = shuffle_ai_i16_l64all_m128i::<0b10_11_00_01>(least);
            let least = min(least, shuffle_ai_i16_h64all_m128i::<0b10_11_00_01>(swapped));
            Self(least, least)
        }

        #[inline(always)]
        fn lines(self, join: impl Fn(Self, Self) -> Self) -> Self {
            let Self(low, high) = self;
            let join = |a, b| join(Self(a, a), Self(b, b)).0;

            let columns = join(low, high);
            let columns = join(columns, swap_halves(columns));

            // The eight cells of the diagonals are in eight different lanes: rows 0 and 1 in these
            // lanes of the first vector, rows 2 and 3 in the other lanes of the second.
            let from_low = set_reversed_i16_m128i(-1, 0, 0, -1, 0, -1, -1, 0);
            let diagonals = bitor_m128i(bitand_m128i(low, from_low), bitandnot_m128i(from_low, high));
            let diagonals = shuffle_ai_i16_h64all_m128i::<0b10_11_00_01>(diagonals);
            let diagonals = join(diagonals, swap_halves(diagonals));
            let diagonals = join(diagonals, swap_quarters(diagonals));

            let even = unpack_low_i16_m128i(low, high);
            let odd = unpack_high_i16_m128i(low, high);
            let rows = join(unpack_low_i64_m128i(even, odd), unpack_high_i64_m128i(even, odd));
            let rows = join(rows, swap_quarters(rows));

            Self(unpack_low_i64_m128i(columns, diagonals), rows)
        }

        #[inline(always)]
        fn mask(self) -> u16 {
            move_mask_i8_m128i(pack_i16_to_i8_m128i(self.0, self.1)) as u16
        }

        #[inline(always)]
        fn sum(self) -> u32 {
            let bytes = pack_i16_to_u8_m128i(self.0, self.1);
            let sums = sum_of_u8_abs_diff_m128i(bytes, zeroed_m128i());
            get_i32_from_m128i_s(add_i32_m128i(sums, swap_halves(sums))) as u32
        }
    }
}

/// For other processors, and to check the vectors against.
#[cfg(any(test, not(target_arch = "x86_64")))]
mod portable {
    use std::array;

    use super::super::{CELLS, LINES};
    use super::Lanes;

    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(in super::super) struct Array(pub(in super::super) [i16; CELLS]);

    /// The cells of each line: columns, diagonals and rows, some of them twice to fill the lanes.
    const CELLS_OF: [[usize; 4]; CELLS] = {
        const ORDER: [usize; CELLS] = [4, 5, 6, 7, 8, 9, 8, 9, 0, 2, 0, 2, 1, 3, 1, 3];
        let mut table = [[0; 4]; CELLS];
        const_for!(0..CELLS, |place| {
            let mut rest = LINES[ORDER[place]];
            const_for!(0..4, |n| {
                table[place][n] = rest.trailing_zeros() as usize;
                rest &= rest - 1;
            });
        });
        table
    };

    impl Array {
        #[inline(always)]
        fn zip(self, other: Self, f: impl Fn(i16, i16) -> i16) -> Self {
            Self(array::from_fn(|cell| f(self.0[cell], other.0[cell])))
        }
    }

    impl Lanes for Array {
        #[inline(always)]
        fn splat(value: i16) -> Self {
            Self([value; CELLS])
        }

        #[inline(always)]
        fn from_words(words: [u64; 4]) -> Self {
            Self(array::from_fn(|cell| (words[cell / 4] >> (16 * (cell % 4))) as i16))
        }

        #[inline(always)]
        fn add(self, other: Self) -> Self {
            self.zip(other, i16::wrapping_add)
        }

        #[inline(always)]
        fn sub(self, other: Self) -> Self {
            self.zip(other, i16::wrapping_sub)
        }

        #[inline(always)]
        fn times_16(self) -> Self {
            Self(self.0.map(|a| a << 4))
        }

        #[inline(always)]
        fn min(self, other: Self) -> Self {
            self.zip(other, Ord::min)
        }

        #[inline(always)]
        fn max(self, other: Self) -> Self {
            self.zip(other, Ord::max)
        }

        #[inline(always)]
        fn and(self, other: Self) -> Self {
            self.zip(other, |a, b| a & b)
        }

        #[inline(always)]
        fn or(self, other: Self) -> Self {
            self.zip(other, |a, b| a | b)
        }

        #[inline(always)]
        fn xor(self, other: Self) -> Self {
            self.zip(other, |a, b| a ^ b)
        }

        #[inline(always)]
        fn equal(self, other: Self) -> Self {
            self.zip(other, |a, b| -i16::from(a == b))
        }

        #[inline(always)]
        fn greater(self, other: Self) -> Self {
            self.zip(other, |a, b| -i16::from(a > b))
        }

        #[inline(always)]
        fn rank(self) -> Self {
            Self(self.0.map(|a| self.0.iter().map(|&b| i16::from(b > a)).sum()))
        }

        #[inline(always)]
        fn least(self) -> Self {
            Self::splat(self.0.into_iter().fold(i16::MAX, Ord::min))
        }

        #[inline(always)]
        fn lines(self, join: impl Fn(Self, Self) -> Self) -> Self {
            let [a, b, c, d] = array::from_fn(|n| Self(CELLS_OF.map(|cells| self.0[cells[n]])));
            join(join(a, b), join(c, d))
        }

        #[inline(always)]
        fn mask(self) -> u16 {
            (0..CELLS).map(|cell| (self.0[cell] as u16 & 1) << cell).sum()
        }

        #[inline(always)]
        fn sum(self) -> u32 {
            self.0.into_iter().map(|a| a as u32).sum()
        }
    }
}

#[cfg(test)]
pub(super) use portable::Array;

#[cfg(test)]
mod tests {
    use super::super::{CELLS, LINES};
    use super::{Array, Fastest, Lanes};
    use quintet_core::game::Rng;

    /// The lanes as numbers.
    fn lanes<L: Lanes>(of: L) -> [i16; CELLS] {
        let bits: [u16; 16] = std::array::from_fn(|bit| {
            let bit = L::splat(1 << bit);
            of.and(bit).equal(bit).mask()
        });
        std::array::from_fn(|cell| {
            (0..16).fold(0, |lane, bit| lane | ((bits[bit] >> cell & 1) << bit) as i16)
        })
    }

    /// The results of all operations on random numbers.
    fn all_results<L: Lanes>(rng: &mut Rng) -> Vec<[i16; CELLS]> {
        let mut random = || std::array::from_fn(|_| rng.bits());
        let (a, b) = (L::from_words(random()), L::from_words(random()));
        let [word, few, ..]: [u64; 4] = random();
        // Small numbers, so that some are equal.
        let (c, d) = (L::pieces(word), L::pieces(few));
        vec![
            lanes(a),
            lanes(L::splat(word as i16)),
            lanes(L::is_in(word as u16)),
            lanes(c),
            lanes(a.add(b)),
            lanes(a.sub(b)),
            lanes(a.times_16()),
            lanes(a.min(b)),
            lanes(a.max(b)),
            lanes(a.and(b)),
            lanes(a.and_not(b)),
            lanes(a.or(b)),
            lanes(a.xor(b)),
            lanes(c.equal(d)),
            lanes(c.greater(d)),
            lanes(a.greater(b)),
            lanes(a.rank()),
            lanes(c.rank()),
            lanes(a.least()),
            lanes(a.lines(L::max)),
            lanes(a.lines(L::and)),
            lanes(L::splat(c.greater(d).mask() as i16)),
            lanes(L::splat(c.sum() as i16)),
        ]
    }

    #[test]
    fn vectors_and_arrays_agree() {
        for index in 0..200 {
            let fastest = all_results::<Fastest>(&mut Rng::stream(31, index));
            let array = all_results::<Array>(&mut Rng::stream(31, index));
            assert_eq!(fastest, array);
        }
    }

    #[test]
    fn pieces_have_the_bits_of_the_four_masks() {
        let mut rng = Rng::stream(32, 0);
        for _ in 0..200 {
            let ones = rng.bits();
            let bit = |cell: usize, bit: usize| (ones >> (16 * bit + cell) & 1) as i16;
            let expected = std::array::from_fn(|cell| (0..4).map(|it| bit(cell, it) << it).sum());
            assert_eq!(lanes(Fastest::pieces(ones)), expected);
            assert_eq!(lanes(Fastest::is_in(ones as u16)), std::array::from_fn(|cell| -bit(cell, 0)));
        }
    }

    #[test]
    fn the_ten_lines_are_those_of_the_game() {
        let cells = Array(std::array::from_fn(|cell| 1 << cell));
        let mut found = cells.lines(Array::or).0.map(|line| line as u16).to_vec();
        found.sort_unstable();
        found.dedup();
        let mut lines = LINES.to_vec();
        lines.sort_unstable();
        assert_eq!(found, lines);
    }
}

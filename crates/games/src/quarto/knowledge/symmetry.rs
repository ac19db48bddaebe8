//! Symmetric positions.
//!
//! The value of a position does not change if the bits of its pieces are permuted or some bit of
//! all pieces is flipped (24 · 16 = 384 ways): pieces that share a bit still do. Nor does it change
//! under the 32 permutations of the cells that map lines to lines. One of all these positions
//! represents them all.

use std::array;
use std::fmt;
use std::sync::LazyLock;

use crate::quarto::{CELLS, LANES, QuartoBoard, SPREAD};
use quintet_core::bits::bits;

/// The number of permutations of the cells.
const COUNT: usize = 32;

/// Tables of the permutations of the cells.
pub(super) struct Symmetries {
    /// The images of the cells in each byte of a mask.
    images: Vec<[[u16; 256]; 2]>,
    /// For each set of cells, the permutations, a bit each, that map it to its smallest image.
    to_least: Vec<u32>,
}

impl fmt::Debug for Symmetries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Symmetries").finish_non_exhaustive()
    }
}

impl Symmetries {
    /// Returns the tables: 288 KiB, built on first use.
    pub(super) fn get() -> &'static Self {
        static TABLES: LazyLock<Symmetries> = LazyLock::new(Symmetries::new);
        &TABLES
    }

    fn new() -> Self {
        // A permutation of the coordinates that keeps opposite ones (0 and 3, 1 and 2) opposite is
        // applied to both files and ranks. Besides, the files may be mirrored, and files and ranks
        // may be exchanged.
        const ALIKE: [[usize; 4]; 8] = [
            [0, 1, 2, 3],
            [0, 2, 1, 3],
            [3, 1, 2, 0],
            [3, 2, 1, 0],
            [1, 0, 3, 2],
            [1, 3, 0, 2],
            [2, 0, 3, 1],
            [2, 3, 0, 1],
        ];
        let cell_images: [[usize; CELLS]; COUNT] = array::from_fn(|index| {
            let alike = ALIKE[index & 7];
            let [is_mirrored, is_exchanged] = [8, 16].map(|bit| index & bit != 0);
            array::from_fn(|cell| {
                let (x, y) = (alike[cell % 4], alike[cell / 4]);
                let x = if is_mirrored { 3 - x } else { x };
                if is_exchanged { 4 * x + y } else { 4 * y + x }
            })
        });
        let inverse = cell_images.map(|cells| {
            let undoes = |other: &[usize; CELLS]| (0..CELLS).all(|cell| other[cells[cell]] == cell);
            cell_images.iter().position(undoes).expect("the permutations are a group")
        });
        let images = cell_images
            .iter()
            .map(|cells| {
                [0, 1].map(|byte| {
                    array::from_fn(|mask| {
                        (0..8)
                            .filter(|bit| mask >> bit & 1 == 1)
                            .fold(0, |image, bit| image | 1 << cells[8 * byte + bit])
                    })
                })
            })
            .collect();
        let mut all = Self { images, to_least: vec![0; 1 << 16] };
        for least in 0..=u16::MAX {
            // Sets are visited in ascending order, so one that is no image of an earlier one is the
            // smallest of its images. The inverse permutation leads back from an image.
            if all.to_least[usize::from(least)] == 0 {
                for (index, back) in inverse.into_iter().enumerate() {
                    let image = all.image(index, least);
                    all.to_least[usize::from(image)] |= 1 << back;
                }
            }
        }
        all
    }

    #[inline]
    fn image(&self, index: usize, cells: u16) -> u16 {
        let [low, high] = &self.images[index & (COUNT - 1)];
        low[usize::from(cells & 0xFF)] | high[usize::from(cells >> 8)]
    }

    /// The images of four lanes.
    #[inline]
    fn image_of_lanes(&self, index: usize, lanes: u64) -> u64 {
        let lane = |n: u32| u64::from(self.image(index, (lanes >> (16 * n)) as u16)) << (16 * n);
        lane(0) | lane(1) | lane(2) | lane(3)
    }

    /// A key that two boards share if and only if they are symmetric.
    ///
    /// Flipping bits so that the last occupied cell has piece 0000 leaves only the order of the
    /// bits open, and sorting the lanes fixes that. No other piece is 0000, so the lanes of set
    /// bits determine all other pieces. The number of the last cell goes into bit 15 of the lanes,
    /// which is clear.
    pub(super) fn key(&self, board: &QuartoBoard) -> u64 {
        let cells = board.occupied();
        if cells == 0 {
            return u64::MAX;
        }
        let permutations = self.to_least[usize::from(cells)];
        let cells = self.image(permutations.trailing_zeros() as usize, cells);
        let all = u64::from(cells) * LANES;
        let last = 15_u32.saturating_sub(cells.leading_zeros());
        let mut key = u64::MAX;
        for permutation in bits(permutations) {
            let lanes = self.image_of_lanes(permutation.into(), board.ones);
            let flipped = (lanes >> last & LANES) * 0xFFFF;
            key = key.min(sort_lanes(lanes ^ flipped & all));
        }
        key | SPREAD[last as usize] << 15
    }

    /// A key likewise for a board and a piece in hand.
    ///
    /// Here bits are flipped so that the piece in hand is 0000. No piece on the board is, so the
    /// lanes of set bits determine all of them.
    pub(super) fn key_with_hand(&self, board: &QuartoBoard, hand: u8) -> u64 {
        let cells = board.occupied();
        let flipped = SPREAD[usize::from(hand & 15)] * 0xFFFF;
        let lanes = board.ones ^ flipped & (u64::from(cells) * LANES);
        let images = bits(self.to_least[usize::from(cells)]).map(|it| self.image_of_lanes(it.into(), lanes));
        images.map(sort_lanes).fold(u64::MAX, u64::min)
    }
}

/// The four lanes sorted, the greatest highest.
#[inline]
fn sort_lanes(lanes: u64) -> u64 {
    let [a, b, c, d] = [0, 16, 32, 48].map(|shift| (lanes >> shift) as u16);
    let (a, b, c, d) = (a.min(b), a.max(b), c.min(d), c.max(d));
    let (a, c, b, d) = (a.min(c), a.max(c), b.min(d), b.max(d));
    let (b, c) = (b.min(c), b.max(c));
    u64::from(a) | u64::from(b) << 16 | u64::from(c) << 32 | u64::from(d) << 48
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::quarto::{LINES, Quarto};
    use crate::samples::after_all;
    use crate::samples::quarto::positions;
    use crate::{Ggp, Spec};
    use quintet_core::game::{Game, Rng};

    /// All permutations of the cells that map lines to lines, found by trying every cell in turn.
    static ALL_PERMUTATIONS: LazyLock<Vec<[usize; CELLS]>> = LazyLock::new(|| {
        fn extend(images: &mut Vec<usize>, found: &mut Vec<[usize; CELLS]>) {
            let known = images.len();
            let last = (known as u32).checked_sub(1);
            // Every line that ends at the last cell with an image maps to a line.
            let fits = LINES.iter().filter(|&&line| line.checked_ilog2() == last).all(|&line| {
                let image = (0..known).filter(|cell| line >> cell & 1 == 1);
                LINES.contains(&image.fold(0, |set, cell| set | 1 << images[cell]))
            });
            if !fits {
                return;
            }
            if let Ok(all) = <[usize; CELLS]>::try_from(images.as_slice()) {
                found.push(all);
                return;
            }
            for image in (0..CELLS).filter(|cell| !images.contains(cell)).collect::<Vec<_>>() {
                images.push(image);
                extend(images, found);
                images.pop();
            }
        }
        let mut found = Vec::new();
        extend(&mut Vec::new(), &mut found);
        found
    });

    #[test]
    fn the_permutations_are_complete() {
        let all = Symmetries::get();
        let mut found = ALL_PERMUTATIONS.clone();
        let mut tables: Vec<[usize; CELLS]> = (0..COUNT)
            .map(|index| array::from_fn(|cell| all.image(index, 1 << cell).trailing_zeros() as usize))
            .collect();
        found.sort_unstable();
        tables.sort_unstable();
        assert_eq!(tables, found);
    }

    /// The pieces by cell, and the one in hand.
    type Pieces = ([Option<u8>; CELLS], Option<u8>);

    fn pieces<R: crate::Ruleset>(position: &Quarto<R>) -> Pieces {
        let on = |cell: usize| {
            let lanes = position.board.ones >> cell;
            (position.board.occupied() >> cell & 1 == 1)
                .then(|| (0..4).map(|bit| ((lanes >> (16 * bit)) as u8 & 1) << bit).sum())
        };
        (array::from_fn(on), position.hand)
    }

    /// All symmetric images of `pieces`, by trying everything.
    fn symmetric_images((board, hand): &Pieces) -> Vec<Pieces> {
        let mut all = Vec::new();
        for order in (0..256).map(|n| [n & 3, n >> 2 & 3, n >> 4 & 3, n >> 6 & 3]) {
            if (0..4).any(|bit| !order.contains(&bit)) {
                continue;
            }
            for flipped in 0..16 {
                let images: [u8; 16] = array::from_fn(|piece| {
                    let bits = (0..4).map(|bit| (piece as u8 >> order[bit] & 1) << bit);
                    bits.sum::<u8>() ^ flipped
                });
                let image = |piece: u8| images[usize::from(piece)];
                for cells in &*ALL_PERMUTATIONS {
                    let mut image_of_board = [None; CELLS];
                    for (cell, piece) in board.iter().enumerate() {
                        image_of_board[cells[cell]] = piece.map(image);
                    }
                    all.push((image_of_board, hand.map(image)));
                }
            }
        }
        all
    }

    #[test]
    fn keys_are_equal_only_for_symmetric_positions() {
        let keys = Symmetries::get();
        let key = |position: &Quarto<Ggp>| match position.hand {
            None => keys.key(&position.board),
            Some(hand) => keys.key_with_hand(&position.board, hand),
        };
        // Few pieces, so that many of the positions are symmetric.
        let mut games: HashMap<(bool, u64), Pieces> = HashMap::new();
        let mut count = 0;
        for position in positions::<Ggp>(0..=4, 300) {
            let images = symmetric_images(&pieces(&position));
            let least = *images.iter().min().expect("some");
            let known = *games.entry((position.hand.is_some(), key(&position))).or_insert(least);
            assert_eq!(known, least, "{position}");
            count += 1;
        }
        // Each key had one class only, so different classes have different keys. Check that each
        // class has only one key.
        let mut by_game: HashMap<Pieces, usize> = HashMap::new();
        for &game in games.values() {
            *by_game.entry(game).or_default() += 1;
        }
        assert!(by_game.values().all(|&keys| keys == 1));
        assert!(games.len() < count, "no two of {count} positions were symmetric");
    }

    #[test]
    fn keys_stay_the_same_under_symmetry_late_in_the_game_too() {
        let keys = Symmetries::get();
        let mut rng = Rng::stream(5, 0);
        for position in positions::<Spec>(5..=12, 200) {
            let images = symmetric_images(&pieces(&position));
            let key = |(board, hand): Pieces| {
                let empty = QuartoBoard::START;
                let board = (0..CELLS as u8).fold(empty, |all, cell| match board[usize::from(cell)] {
                    Some(piece) => all.with(piece, cell),
                    None => all,
                });
                hand.map_or_else(|| keys.key(&board), |hand| keys.key_with_hand(&board, hand))
            };
            let of_position = key(pieces(&position));
            for _ in 0..20 {
                assert_eq!(key(images[rng.below(images.len())]), of_position, "{position}");
            }
        }
    }

    #[test]
    fn keys_do_not_collide() {
        let keys = Symmetries::get();
        // All positions two turns after a given one, many of them similar.
        let mut games: HashMap<u64, Quarto<Spec>> = HashMap::new();
        let mut start = positions::<Spec>(6..=6, 1).next().expect("one");
        start.hand = None;
        let mut level = vec![start];
        for _ in 0..4 {
            level = level.iter().flat_map(after_all).collect();
        }
        let count_ones = |position: &Quarto<Spec>| {
            let mut lanes = [0, 16, 32, 48].map(|shift| {
                let ones = (position.board.ones >> shift) as u16;
                let (ones, all) = (ones.count_ones(), position.board.occupied().count_ones());
                ones.min(all - ones)
            });
            lanes.sort_unstable();
            lanes
        };
        for position in level.into_iter().filter(|position| position.outcome().is_none()) {
            let other = games.entry(keys.key(&position.board)).or_insert(position);
            assert_eq!(count_ones(&position), count_ones(other), "{position} {other}");
        }
    }
}

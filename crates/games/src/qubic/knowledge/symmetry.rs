//! Symmetric positions.
//!
//! 192 permutations of the cells map lines to lines (Silver 1967): the axes may be exchanged, each
//! axis may be mirrored, and on all axes alike the inner and the outer coordinates may be exchanged,
//! or the two inner ones with each other. One position of each class represents it.

use std::array;
use std::sync::LazyLock;

use super::cube::Cube;
use crate::qubic::CELLS;
use quintet_core::bits::bits;
use quintet_core::game::derive_seed;

/// The number of permutations.
pub(super) const COUNT: usize = 192;

/// A random number for each image of a set of cells; that of a set is the sum, by XOR, of those of
/// its cells.
pub(super) type Hashes = [u32; COUNT];

/// Tables of the permutations.
pub(super) struct Symmetries {
    /// The image of each cell under each permutation.
    images: Vec<[u8; CELLS]>,
    /// The hashes of the images of each cell.
    hashes: Vec<Hashes>,
}

impl Symmetries {
    /// Returns the tables: 60 KiB, built on first use.
    pub(super) fn get() -> &'static Self {
        static TABLES: LazyLock<Symmetries> = LazyLock::new(Symmetries::new);
        &TABLES
    }

    fn new() -> Self {
        const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        const ALIKE: [[usize; 4]; 4] = [[0, 1, 2, 3], [0, 2, 1, 3], [1, 0, 3, 2], [1, 3, 0, 2]];
        let image = |index: usize, cell: usize| {
            let (order, mirrored, alike) = (ORDERS[index / 32], index / 4 % 8, ALIKE[index % 4]);
            let at = [0, 2, 4].map(|shift| cell >> shift & 3);
            let to = |axis: usize| {
                let at = alike[at[order[axis]]];
                if mirrored >> axis & 1 == 1 { 3 - at } else { at }
            };
            to(0) | to(1) << 2 | to(2) << 4
        };
        let hash = |cell: usize| derive_seed(0x9B1C, cell as u64) as u32;
        Self {
            images: (0..COUNT).map(|index| array::from_fn(|cell| image(index, cell) as u8)).collect(),
            hashes: (0..CELLS).map(|cell| array::from_fn(|index| hash(image(index, cell)))).collect(),
        }
    }

    /// The hashes of the images of `position`.
    pub(super) fn hashes(&self, position: &Cube) -> Hashes {
        let mut hashes = [0; COUNT];
        for (team, marks) in position.marks.into_iter().enumerate() {
            for cell in bits(marks) {
                self.add(&mut hashes, team, cell);
            }
        }
        hashes
    }

    /// Adds the hashes of a mark.
    fn add(&self, hashes: &mut Hashes, team: usize, cell: u8) {
        let own = &self.hashes[usize::from(cell)];
        let turn = if team == 0 { 0 } else { 16 };
        // A plain loop: `array::from_fn` may call the closure for each.
        for (hash, own) in hashes.iter_mut().zip(own) {
            *hash ^= own.rotate_left(turn);
        }
    }

    /// The permutation that leads from a position, of whose images these are the hashes, to the one that
    /// represents it: the one with the least hash.
    fn least(hashes: &Hashes) -> usize {
        let least = hashes.iter().copied().fold(u32::MAX, u32::min);
        hashes.iter().position(|&hash| hash == least).unwrap_or(0)
    }

    /// The position that represents `position`, and the image of each cell there.
    pub(super) fn canonical_with_cells(&self, position: &Cube) -> (Cube, &[u8; CELLS]) {
        let index = Self::least(&self.hashes(position));
        (self.image(index, position), &self.images[index])
    }

    /// The position that represents `position`.
    pub(super) fn canonical(&self, position: &Cube) -> Cube {
        self.canonical_with_cells(position).0
    }

    /// The position that represents the one after a mark on `cell`. `hashes` are those of the images of
    /// `position`.
    pub(super) fn canonical_after(&self, position: &Cube, hashes: &Hashes, cell: u8) -> Cube {
        let mut after = *hashes;
        self.add(&mut after, position.team(), cell);
        self.image(Self::least(&after), &position.with(cell))
    }

    /// The image of `position` under a permutation.
    pub(super) fn image(&self, index: usize, position: &Cube) -> Cube {
        let images = &self.images[index];
        let of = |marks: u64| bits(marks).fold(0, |set, cell: u8| set | 1 << images[usize::from(cell)]);
        Cube { marks: position.marks.map(of) }
    }
}

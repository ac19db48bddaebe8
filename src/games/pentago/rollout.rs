//! Fast rollouts of Pentago.
//!
//! Turning a quadrant moves its stones, and a table would have to move them for both colours. Instead the
//! stones stay where they are, under labels, and a quadrant only remembers how far it has been turned: a
//! random empty cell is a random empty label, so the order in which labels get stones is a random
//! permutation, and a table tells for each quadrant, turn and set of labels which lines it fills.

use super::{FILLED, Pentago, TURNED, quadrant_of};
use crate::game::{Outcome, Rng, Rollout, Side};
use crate::games::Ruleset;
use crate::games::shuffle::Shuffle;

/// The bits of a quadrant in a word: nine for its labels, and above them the number of its quarter turns.
pub(crate) const WIDTH: usize = 16;

/// `FILLED_TURNED[quadrant][labels]`: the lines that these labels of a quadrant fill after as many quarter
/// turns clockwise as the two bits above them say; see [`FILLED`].
static FILLED_TURNED: [[u32; 2048]; 4] = {
    let mut table = [[0; 2048]; 4];
    let mut quadrant = 0;
    while quadrant < 4 {
        let mut labels = 0;
        while labels < 512 {
            let mut cells = labels;
            let mut turns = 0;
            while turns < 4 {
                table[quadrant][turns << 9 | labels] = FILLED[quadrant][cells];
                cells = TURNED[0][cells] as usize;
                turns += 1;
            }
            labels += 1;
        }
        quadrant += 1;
    }
    table
};

/// The quarter turns of each rotation, to be added: one clockwise, or three, which is one counterclockwise.
pub(crate) static ROTATIONS: [u64; 8] = {
    let mut table = [0; 8];
    let mut rotation = 0;
    while rotation < 8 {
        table[rotation] = (1 + 2 * (rotation as u64 & 1)) << (9 + WIDTH * (rotation >> 1));
        rotation += 1;
    }
    table
};

/// The labels of a mask of cells before any turn.
#[inline]
pub(crate) fn labels(cells: u64) -> u64 {
    let quadrant = |it| (quadrant_of(cells, it) as u64) << (WIDTH * it);
    quadrant(0) | quadrant(1) | quadrant(2) | quadrant(3)
}

/// A rollout under way.
struct Play<'a> {
    /// The labels with a red and with a black stone.
    stones: [u64; 2],
    /// The quarter turns of each quadrant, of which only the last two bits count. A game has at most 36
    /// rotations of at most three quarters, so none runs into the next quadrant.
    turns: u64,
    /// Not held in here: an index that is only known at run time would keep all of this in memory.
    order: &'a mut Shuffle,
    placed: usize,
    /// Random bits, three for each rotation until labels are drawn again.
    rotations: u64,
    rng: &'a mut Rng,
}

impl Play<'_> {
    /// Rotates a random quadrant.
    #[inline(always)]
    fn rotate(&mut self) {
        self.turns += ROTATIONS[self.rotations as usize % 8];
        self.rotations >>= 3;
    }

    /// Places a stone of `color` on a random cell.
    #[inline(always)]
    fn place(&mut self, color: usize) {
        /// Labels drawn at a time.
        const CHUNK: usize = 8;
        if self.placed.is_multiple_of(CHUNK) {
            self.order.draw::<CHUNK>(self.placed, self.rng);
            self.rotations = self.rng.bits();
        }
        let label = self.order.cell(self.placed);
        self.placed += 1;
        if color == 0 {
            self.stones[0] |= 1 << label;
        } else {
            self.stones[1] |= 1 << label;
        }
    }

    /// Whether these labels hold a line: some line is filled in all four quadrants.
    #[inline(always)]
    fn has_line(&self, stones: u64) -> bool {
        let both = stones | self.turns;
        let filled = |quadrant: usize| FILLED_TURNED[quadrant][(both >> (WIDTH * quadrant)) as usize % 2048];
        filled(0) & filled(1) & filled(2) & filled(3) != 0
    }

    /// Does what is to be done at a ply, and judges the board.
    #[inline(always)]
    fn step(&mut self, (color, rotates): (usize, bool)) -> Option<Outcome> {
        let [red, black] = [Side::First, Side::Second].map(Outcome::Win);
        if rotates {
            self.rotate();
            match self.stones.map(|stones| self.has_line(stones)) {
                [false, false] => None,
                [true, true] => Some(Outcome::Draw),
                [true, false] => Some(red),
                [false, true] => Some(black),
            }
        } else {
            self.place(color);
            let (stones, win) = if color == 0 { (self.stones[0], red) } else { (self.stones[1], black) };
            if self.has_line(stones) {
                Some(win)
            } else if self.placed == self.order.len() {
                Some(Outcome::Draw)
            } else {
                None
            }
        }
    }
}

/// Plays uniformly random moves from `position`, which is not over.
#[inline(always)]
pub(super) fn rollout<R: Ruleset>(position: &Pentago<R>, rng: &mut Rng) -> Rollout {
    let mut order = Shuffle::new(labels(position.empty()).to_le_bytes());
    let rotations = if Pentago::<R>::phase(position.ply).1 { rng.bits() } else { 0 };
    let stones = position.stones.map(labels);
    let mut game = Play { stones, turns: 0, order: &mut order, placed: 0, rotations, rng };
    let mut ply = position.ply;

    // Who does what repeats every four plies: with all four spelled out, nothing depends on the ply.
    macro_rules! steps {
        ($($ply:expr),+) => {
            $(
                ply += 1;
                if let Some(outcome) = game.step(Pentago::<R>::phase($ply)) {
                    return Rollout { outcome, plies: u32::from(ply - position.ply) };
                }
            )+
        };
    }
    while !ply.is_multiple_of(4) {
        steps!(ply - 1);
    }
    // With fewer than five stones no colour has a line: there is nothing to judge.
    let most = game.stones[0].count_ones().max(game.stones[1].count_ones());
    for _ in most..4 {
        macro_rules! moves {
            ($($ply:expr),+) => {
                $(
                    let (color, rotates) = Pentago::<R>::phase($ply);
                    if rotates { game.rotate() } else { game.place(color) }
                )+
            };
        }
        moves!(0, 1, 2, 3);
        ply += 4;
    }
    loop {
        steps!(0, 1, 2, 3);
    }
}

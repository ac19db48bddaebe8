//! Fast rollouts of Pentago.
//!
//! A rotation moves the stones of a quadrant, which would take a table lookup for each color.
//! Instead stones stay under fixed labels, and a quadrant only counts its quarter turns. A random
//! empty cell is a random empty label, so labels get stones in the order of a random permutation. A
//! table gives the lines that each set of labels of a quadrant fills after each turn.

use super::shuffle::{CHUNK, Shuffle};
use super::{CELLS, FILLED, Pentago, TURNED, quadrant_of};
use crate::Ruleset;
use crate::rollout::PlayOut;
use quintet_core::game::{Outcome, Rng, Rollout, Side};

/// The number of bits of a quadrant in a word: nine for its labels, and above them the number of
/// its quarter turns.
pub(crate) const WIDTH: usize = 16;

/// `[quadrant][turns << 9 | labels]`: what a table has for the cells that these labels of a quadrant are on
/// after `turns` quarter turns clockwise.
pub(crate) const fn by_turns<T: Copy>(of_cells: &[[T; 512]; 4]) -> [[T; 2048]; 4] {
    let mut table = [[of_cells[0][0]; 2048]; 4];
    const_for!(0..4 * 512, |index| {
        let (quadrant, labels) = (index / 512, index % 512);
        let mut cells = labels;
        const_for!(0..4, |turns| {
            table[quadrant][turns << 9 | labels] = of_cells[quadrant][cells];
            cells = TURNED[0][cells] as usize;
        });
    });
    table
}

/// The lines that the labels of a quadrant fill after some turns; see [`FILLED`].
static FILLED_TURNED: [[u32; 2048]; 4] = by_turns(&FILLED);

/// `FILLED_SOMEHOW[quadrant][labels]`: the lines that these labels of a quadrant fill after some
/// number of turns.
static FILLED_SOMEHOW: [[u32; 512]; 4] = {
    let mut table = [[0; 512]; 4];
    const_for!(0..4 * 2048, |index| {
        table[index / 2048][index % 512] |= FILLED_TURNED[index / 2048][index % 2048];
    });
    table
};

/// The quarter turns that each rotation adds: one if clockwise, three if counterclockwise.
pub(crate) static ROTATIONS: [u64; 8] = {
    let mut table = [0; 8];
    const_for!(0..8, |rotation| {
        table[rotation] = (1 + 2 * (rotation as u64 & 1)) << (9 + WIDTH * (rotation >> 1));
    });
    table
};

/// The labels of a mask of cells on an unturned board.
#[inline]
pub(crate) fn labels(cells: u64) -> u64 {
    let quadrant = |it| (quadrant_of(cells, it) as u64) << (WIDTH * it);
    quadrant(0) | quadrant(1) | quadrant(2) | quadrant(3)
}

/// The color that acts at a ply and whether it rotates, as [`Pentago::phase`] returns them.
type Phase = (usize, bool);

/// A rollout in progress.
struct LabelGame<'a> {
    /// The labels with red and with black stones.
    stones: [u64; 2],
    /// The number of quarter turns of each quadrant; only its low two bits count. A game has at
    /// most 36 rotations of at most three quarter turns, so none overflows into the next quadrant.
    turns: u64,
    /// A reference: with the list in this struct, an index known only at run time would keep the
    /// whole struct in memory, not in registers.
    order: &'a mut Shuffle,
    placed: usize,
    /// The number of labels in their final order.
    drawn: usize,
    /// Random bits, three for each rotation until the next labels are drawn.
    rotations: u64,
    rng: &'a mut Rng,
}

impl LabelGame<'_> {
    /// Ensures that labels and random bits for four plies are drawn.
    #[inline(always)]
    fn draw(&mut self) {
        if self.drawn < self.placed + 2 {
            self.order.draw(self.drawn, self.rng);
            self.drawn += CHUNK;
            self.rotations = self.rng.bits();
        }
    }

    /// Draws the move of a ply: the turns of a rotation, or the mask of an empty label.
    #[inline(always)]
    fn next(&mut self, (_, rotates): Phase) -> u64 {
        if rotates {
            let turns = ROTATIONS[self.rotations as usize % 8];
            self.rotations >>= 3;
            turns
        } else {
            let label = self.order.cell(self.placed);
            self.placed += 1;
            1 << label
        }
    }

    /// Applies the move of a ply.
    #[inline(always)]
    fn apply(&mut self, (color, rotates): Phase, next: u64) {
        if rotates {
            self.turns += next;
        } else if color == 0 {
            self.stones[0] |= next;
        } else {
            self.stones[1] |= next;
        }
    }

    /// Draws the moves of four plies.
    #[inline(always)]
    fn next_round(&mut self, [first, second, third, fourth]: [Phase; 4]) -> [u64; 4] {
        self.draw();
        [self.next(first), self.next(second), self.next(third), self.next(fourth)]
    }

    /// Applies the moves of four plies.
    #[inline(always)]
    fn apply_round(&mut self, phases: [Phase; 4], next: [u64; 4]) {
        self.apply(phases[0], next[0]);
        self.apply(phases[1], next[1]);
        self.apply(phases[2], next[2]);
        self.apply(phases[3], next[3]);
    }

    /// Whether these labels hold a line: some line is filled in all four quadrants.
    #[inline(always)]
    fn has_line(&self, stones: u64) -> bool {
        let both = stones | self.turns;
        let filled = |quadrant: usize| FILLED_TURNED[quadrant][(both >> (WIDTH * quadrant)) as usize % 2048];
        filled(0) & filled(1) & filled(2) & filled(3) != 0
    }

    /// Whether these labels would hold a line for some turns of the quadrants.
    #[inline(always)]
    fn can_have_line(stones: u64) -> bool {
        let filled =
            |quadrant: usize| FILLED_SOMEHOW[quadrant][(stones >> (WIDTH * quadrant)) as usize % 512];
        filled(0) & filled(1) & filled(2) & filled(3) != 0
    }

    /// Applies the move that leads to `ply` and judges the board.
    #[inline(always)]
    fn step<R: Ruleset>(&mut self, phase: Phase, next: u64, ply: u8) -> Option<Outcome> {
        let (red, black) = (Outcome::Win(Side::First), Outcome::Win(Side::Second));
        self.apply(phase, next);
        let (color, rotates) = phase;
        if rotates {
            match [self.has_line(self.stones[0]), self.has_line(self.stones[1])] {
                [false, false] => None,
                [true, true] => Some(Outcome::Draw),
                [true, false] => Some(red),
                [false, true] => Some(black),
            }
        } else {
            // The number of plies after which the last cell is taken.
            let full = if R::IS_GGP { 2 * CELLS - 1 } else { 2 * CELLS - 2 };
            let (stones, win) = if color == 0 { (self.stones[0], red) } else { (self.stones[1], black) };
            if self.has_line(stones) {
                Some(win)
            } else if usize::from(ply) == full {
                Some(Outcome::Draw)
            } else {
                None
            }
        }
    }
}

impl<R: Ruleset> PlayOut for Pentago<R> {
    #[inline(always)]
    fn play_out(&self, rng: &mut Rng) -> Rollout {
        let mut order = Shuffle::new(labels(self.empty()).to_le_bytes());
        let stones = [labels(self.stones[0]), labels(self.stones[1])];
        let mut game =
            LabelGame { stones, turns: 0, order: &mut order, placed: 0, drawn: 0, rotations: 0, rng };
        let mut ply = self.ply;

        macro_rules! step {
            ($phase:expr, $next:expr) => {
                let (phase, next) = ($phase, $next);
                ply += 1;
                if let Some(outcome) = game.step::<R>(phase, next, ply) {
                    return Rollout { outcome, plies: u32::from(ply - self.ply) };
                }
            };
        }
        game.draw();
        while !ply.is_multiple_of(4) {
            let phase = Pentago::<R>::phase(ply);
            step!(phase, game.next(phase));
        }

        // Phases repeat every four plies: with all four spelled out, nothing depends on the ply.
        let phases = const {
            [Pentago::<R>::phase(0), Pentago::<R>::phase(1), Pentago::<R>::phase(2), Pentago::<R>::phase(3)]
        };
        // A color with fewer than five stones has no line, so there is nothing to judge.
        let most = game.stones[0].count_ones().max(game.stones[1].count_ones());
        for _ in most..4 {
            let next = game.next_round(phases);
            game.apply_round(phases, next);
            ply += 4;
        }
        // The same holds while no turns of the quadrants would give a color a line, as in the first
        // half of most games. Stones are only added, so one check after each round is enough.
        while game.order.len() - game.placed > 2 {
            let (stones, turns) = (game.stones, game.turns);
            let next = game.next_round(phases);
            game.apply_round(phases, next);
            if LabelGame::can_have_line(game.stones[0]) || LabelGame::can_have_line(game.stones[1]) {
                (game.stones, game.turns) = (stones, turns);
                step!(phases[0], next[0]);
                step!(phases[1], next[1]);
                step!(phases[2], next[2]);
                step!(phases[3], next[3]);
                break;
            }
            ply += 4;
        }
        loop {
            game.draw();
            step!(phases[0], game.next(phases[0]));
            step!(phases[1], game.next(phases[1]));
            step!(phases[2], game.next(phases[2]));
            step!(phases[3], game.next(phases[3]));
        }
    }
}

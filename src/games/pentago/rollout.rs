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

/// `FILLED_TURNED[quadrant][turns][labels]`: the lines that these labels of a quadrant fill after so many
/// quarter turns clockwise; see [`FILLED`].
static FILLED_TURNED: [[[u32; 512]; 4]; 4] = {
    let mut table = [[[0; 512]; 4]; 4];
    let mut quadrant = 0;
    while quadrant < 4 {
        let mut labels = 0;
        while labels < 512 {
            let mut cells = labels;
            let mut turns = 0;
            while turns < 4 {
                table[quadrant][turns][labels] = FILLED[quadrant][cells];
                cells = TURNED[0][cells] as usize;
                turns += 1;
            }
            labels += 1;
        }
        quadrant += 1;
    }
    table
};

/// `ONLY[quadrant]`: a mask for each quadrant, all ones for that one.
static ONLY: [[u64; 4]; 4] = [[!0, 0, 0, 0], [0, !0, 0, 0], [0, 0, !0, 0], [0, 0, 0, !0]];

/// The board of a rollout. It fits the registers: a table of the four quadrants in memory, written at a place
/// that is only just known and read as a whole right after, would make every ply wait for the one before.
#[derive(Clone, Copy)]
struct Board {
    /// The labels with a red and with a black stone.
    stones: [u64; 2],
    /// The quarter turns clockwise of each quadrant, eight bits each, of which only the last two count.
    /// A game has at most 36 rotations of at most three quarters, so none runs into the next.
    turns: u32,
    /// The lines that each quadrant fills for red in the low half, for black in the high half.
    filled: [u64; 4],
}

impl Board {
    /// Looks up anew which lines `quadrant` fills.
    #[inline]
    fn update(&mut self, quadrant: usize) {
        let turns = (self.turns >> (8 * quadrant)) as usize & 3;
        let table = &FILLED_TURNED[quadrant & 3][turns];
        let [red, black] = self.stones.map(|stones| u64::from(table[quadrant_of(stones, quadrant)]));
        let now = red | black << 32;
        for (filled, mask) in self.filled.iter_mut().zip(ONLY[quadrant & 3]) {
            *filled ^= (*filled ^ now) & mask;
        }
    }

    /// The lines that are filled in every quadrant.
    #[inline]
    fn lines(&self) -> u64 {
        self.filled[0] & self.filled[1] & self.filled[2] & self.filled[3]
    }
}

/// The outcome of a board with the lines of red in the low half and those of black in the high half.
#[inline]
fn judge(lines: u64) -> Option<Outcome> {
    if lines == 0 {
        return None;
    }
    Some(match (lines as u32 != 0, lines >> 32 != 0) {
        (true, true) => Outcome::Draw,
        (red, _) => Outcome::Win(if red { Side::First } else { Side::Second }),
    })
}

/// A rollout under way.
struct Play<'a> {
    board: Board,
    order: Shuffle,
    placed: usize,
    /// Random bits, three for each rotation, and for how many rotations there are.
    rotations: (u64, u32),
    rng: &'a mut Rng,
}

#[expect(clippy::inline_always, reason = "out of line, a rollout takes a quarter longer")]
impl Play<'_> {
    /// Rotates a random quadrant, and returns which.
    #[inline(always)]
    fn rotate(&mut self) -> usize {
        /// A word has the three bits of so many rotations.
        const ROTATIONS: u32 = 21;
        if self.rotations.1 == 0 {
            self.rotations = (self.rng.bits(), ROTATIONS);
        }
        let bits = self.rotations.0;
        self.rotations = (bits >> 3, self.rotations.1 - 1);
        let quadrant = (bits >> 1) as usize & 3;
        // One turn clockwise, or three, which is one counterclockwise.
        self.board.turns += (1 + 2 * (bits & 1) as u32) << (8 * quadrant);
        quadrant
    }

    /// Places a stone of `color` on a random cell, and returns its quadrant.
    #[inline(always)]
    fn place(&mut self, color: usize) -> usize {
        /// Labels drawn at a time.
        const CHUNK: usize = 8;
        if self.placed.is_multiple_of(CHUNK) {
            self.order.draw::<CHUNK>(self.placed, self.rng);
        }
        let label = self.order.cell(self.placed);
        self.placed += 1;
        self.board.stones[color] |= 1 << label;
        usize::from(label) / 9
    }

    /// Does what is to be done at a ply, and judges the board.
    #[inline(always)]
    fn step(&mut self, (color, rotates): (usize, bool)) -> Option<Outcome> {
        let quadrant = if rotates { self.rotate() } else { self.place(color) };
        self.board.update(quadrant);
        let is_full = !rotates && self.placed == self.order.len();
        judge(self.board.lines()).or(is_full.then_some(Outcome::Draw))
    }
}

/// Plays uniformly random moves from `position`, which is not over.
#[inline]
pub(super) fn rollout<R: Ruleset>(position: &Pentago<R>, rng: &mut Rng) -> Rollout {
    let board = Board { stones: position.stones, turns: 0, filled: [0; 4] };
    let order = Shuffle::new(position.empty().to_le_bytes());
    let mut game = Play { board, order, placed: 0, rotations: (0, 0), rng };
    let mut ply = position.ply;

    // With fewer than five stones no colour has a line: there is nothing to judge.
    let mut counts = position.stones.map(u64::count_ones);
    if counts.iter().all(|&count| count < 5) {
        loop {
            let (color, rotates) = Pentago::<R>::phase(ply);
            if rotates {
                game.rotate();
            } else if counts[color] < 4 {
                counts[color] += 1;
                game.place(color);
            } else {
                break;
            }
            ply += 1;
        }
    }
    (0..4).for_each(|quadrant| game.board.update(quadrant));

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
    loop {
        steps!(0, 1, 2, 3);
    }
}

//! Fast rollouts of Pentago.
//!
//! Turning a quadrant moves its stones, and a table would have to move them for both colors. Instead the
//! stones stay where they are, under labels, and a quadrant only remembers how far it has been turned: a
//! random empty cell is a random empty label, so the order in which labels get stones is a random
//! permutation, and a table tells for each quadrant, turn and set of labels which lines it fills.

use super::{CELLS, FILLED, Pentago, TURNED, quadrant_of};
use crate::Ruleset;
use crate::shuffle::Shuffle;
use quintet_core::cpu::Work;
use quintet_core::game::{Outcome, Rng, Rollout, Side};

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

/// `FILLED_SOMEHOW[quadrant][labels]`: the lines that these labels of a quadrant fill after some number of
/// turns.
static FILLED_SOMEHOW: [[u32; 512]; 4] = {
    let mut table = [[0; 512]; 4];
    let mut index = 0;
    while index < 4 * 2048 {
        table[index / 2048][index % 512] |= FILLED_TURNED[index / 2048][index % 2048];
        index += 1;
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

/// Who acts at a ply and whether by rotating, as [`Pentago::phase`] tells.
type Phase = (usize, bool);

/// A rollout under way.
struct LabelGame<'a> {
    /// The labels with a red and with a black stone.
    stones: [u64; 2],
    /// The quarter turns of each quadrant, of which only the last two bits count. A game has at most 36
    /// rotations of at most three quarters, so none runs into the next quadrant.
    turns: u64,
    /// Not held in here: an index that is only known at run time would keep all of this in memory.
    order: &'a mut Shuffle,
    placed: usize,
    /// So many labels are in their final order.
    drawn: usize,
    /// Random bits, three for each rotation until labels are drawn again.
    rotations: u64,
    rng: &'a mut Rng,
}

impl LabelGame<'_> {
    /// Makes sure that there are random bits for four plies.
    #[inline(always)]
    fn draw(&mut self) {
        /// Labels drawn at a time.
        const CHUNK: usize = 8;
        if self.drawn < self.placed + 2 {
            self.order.draw::<CHUNK>(self.drawn, self.rng);
            self.drawn += CHUNK;
            self.rotations = self.rng.bits();
        }
    }

    /// What a ply does: the turns of a random rotation, or a random empty label.
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

    /// Does it.
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

    /// What four plies do.
    #[inline(always)]
    fn next_round(&mut self, [first, second, third, fourth]: [Phase; 4]) -> [u64; 4] {
        self.draw();
        [self.next(first), self.next(second), self.next(third), self.next(fourth)]
    }

    /// Does it.
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

    /// Whether these labels would hold a line if each quadrant were turned in some way.
    #[inline(always)]
    fn can_have_line(stones: u64) -> bool {
        let filled =
            |quadrant: usize| FILLED_SOMEHOW[quadrant][(stones >> (WIDTH * quadrant)) as usize % 512];
        filled(0) & filled(1) & filled(2) & filled(3) != 0
    }

    /// Does what the ply before `ply` does, and judges the board.
    #[inline(always)]
    fn step<R: Ruleset>(&mut self, phase: Phase, next: u64, ply: u8) -> Option<Outcome> {
        let [red, black] = [Side::First, Side::Second].map(Outcome::Win);
        self.apply(phase, next);
        let (color, rotates) = phase;
        if rotates {
            match self.stones.map(|stones| self.has_line(stones)) {
                [false, false] => None,
                [true, true] => Some(Outcome::Draw),
                [true, false] => Some(red),
                [false, true] => Some(black),
            }
        } else {
            // The last cell is taken one ply before the last that could be, or two.
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

/// A rollout, as work to be compiled for several processors.
pub(super) struct RandomGame<'a, R: Ruleset> {
    pub(super) position: &'a Pentago<R>,
    pub(super) rng: &'a mut Rng,
}

impl<R: Ruleset> Work for RandomGame<'_, R> {
    type Output = Rollout;

    #[inline(always)]
    fn run(self) -> Rollout {
        rollout(self.position, self.rng)
    }
}

/// Plays uniformly random moves from `position`, which is not over.
#[inline(always)]
fn rollout<R: Ruleset>(position: &Pentago<R>, rng: &mut Rng) -> Rollout {
    let mut order = Shuffle::new(labels(position.empty()).to_le_bytes());
    let stones = position.stones.map(labels);
    let mut game = LabelGame { stones, turns: 0, order: &mut order, placed: 0, drawn: 0, rotations: 0, rng };
    let mut ply = position.ply;

    macro_rules! step {
        ($phase:expr, $next:expr) => {
            let (phase, next) = ($phase, $next);
            ply += 1;
            if let Some(outcome) = game.step::<R>(phase, next, ply) {
                return Rollout { outcome, plies: u32::from(ply - position.ply) };
            }
        };
    }
    game.draw();
    while !ply.is_multiple_of(4) {
        let phase = Pentago::<R>::phase(ply);
        step!(phase, game.next(phase));
    }

    // Who does what repeats every four plies: with all four spelled out, nothing depends on the ply.
    let phases = const {
        [Pentago::<R>::phase(0), Pentago::<R>::phase(1), Pentago::<R>::phase(2), Pentago::<R>::phase(3)]
    };
    // With fewer than five stones no color has a line: there is nothing to judge.
    let most = game.stones[0].count_ones().max(game.stones[1].count_ones());
    for _ in most..4 {
        let next = game.next_round(phases);
        game.apply_round(phases, next);
        ply += 4;
    }
    // Nor is there while no turns whatever would make a line of the stones, as in the first half of most games. As
    // stones only come, it is enough to look after each round.
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

#[cfg(test)]
mod tests {
    use quintet_core::cpu::Cpu;
    use quintet_core::game::Game;

    use super::*;
    use crate::{Ggp, Spec};

    fn same_on_every_cpu<R: Ruleset>() {
        let mut rng = Rng::stream(32, 0);
        let mut position = Pentago::<R>::initial();
        while position.outcome().is_none() {
            let rollouts = |cpu: Cpu| {
                let mut rng = Rng::stream(33, 0);
                let all = [(); 101].map(|()| cpu.run(RandomGame { position: &position, rng: &mut rng }));
                (all, rng.bits())
            };
            for cpu in Cpu::all() {
                assert_eq!(rollouts(cpu), rollouts(Cpu::PORTABLE), "{position} with {}", cpu.name());
            }
            position.apply(position.random_move(&mut rng));
        }
    }

    #[test]
    fn rollouts_come_out_the_same_on_every_cpu() {
        same_on_every_cpu::<Spec>();
        same_on_every_cpu::<Ggp>();
    }
}

//! Knowledge of Gomoku: fours, VCF and VCT search, and a trained evaluation by shapes; moves are weighed by
//! shapes under `ggp`, for refined priors by a trained network, and by windows under `spec`.

mod cells;
mod evaluation;
mod features;
mod lines;
mod policy;
mod set_up;
mod simulation;
#[cfg(test)]
mod tests;
mod threats;
mod vct;
mod windows;

use std::marker::PhantomData;

use self::evaluation::{points, points_after};
use self::lines::ShapeTable;
use self::threats::{FAILED_SLOTS, ThreatBoard};
use self::vct::VctSearch;
use crate::gomoku::{CELLS, CHOICE_STEP, Move, PICK_STEP, PLAY, ROOM};
use crate::{Gomoku, HasKnowledge, Ruleset};
use quintet_core::bits::{bits_wide, nth_bit_wide};
use quintet_core::game::{Game, Outcome, Rng};
use quintet_core::knowledge::{
    Candidates, Effort, Knowledge, Prover, Selection, SolveScope, Solved, Value, evaluate_one_by_one,
};
use quintet_core::learned::{Learned, expectation};

/// Knowledge of Gomoku.
#[derive(Debug, Clone, Copy)]
pub struct GomokuKnowledge<R: Ruleset> {
    table: &'static ShapeTable,
    rules: PhantomData<R>,
}

impl<R: Ruleset> Default for GomokuKnowledge<R> {
    fn default() -> Self {
        Self { table: ShapeTable::get(Gomoku::<R>::WINNING), rules: PhantomData }
    }
}

/// The number of fours that a VCF search may try in a new position.
const QUICK: u32 = 60;
/// The same limit for candidates and before a VCT search, and the number of positions of a VCT search for an
/// explanation.
const THOROUGH: u32 = 600;
/// The same limit for an explanation, and for the move of a VCT that has been found.
const EXPLANATORY: u32 = 10_000;
/// The maximum number of bytes for what a VCT search finds: about 260,000 positions of each color.
const VCT_MEMORY: usize = 64 << 20;

/// The distance of each cell from the edge, 0 to 5.
static INNER: [u16; CELLS] = {
    let mut table = [0; CELLS];
    const_for!(0..CELLS, |cell| {
        let [below, above] = ROOM[cell][2];
        table[cell] = if below < above { below } else { above } as u16;
    });
    table
};

/// The cells at least `least` away from the edge.
const fn inner(least: u16) -> u128 {
    let mut cells = 0;
    const_for!(0..CELLS, |cell| {
        if INNER[cell] >= least {
            cells |= 1 << cell;
        }
    });
    cells
}

impl<R: Ruleset> GomokuKnowledge<R> {
    fn board(&self, position: &Gomoku<R>) -> ThreatBoard {
        ThreatBoard::new(position, self.table)
    }

    /// The expected result of the side to move, from -1 to 1. The set-up is over, or a color may be
    /// picked.
    fn expectation(&self, position: &Gomoku<R>) -> f32 {
        if position.step == PLAY {
            return expectation(points::<R>(&self.board(position), position.color()));
        }
        // The side to move can take the better color.
        let side = position.side_to_move();
        let [black, white] = [Move::PICK_BLACK, Move::PICK_WHITE].map(|pick| {
            let next = position.after(pick);
            let value = self.expectation(&next);
            if next.side_to_move() == side { value } else { -value }
        });
        black.max(white)
    }
}

/// Appends these cells, each with the weight of a stone of the color to move there.
fn weigh<R: Ruleset>(position: &Gomoku<R>, board: &ThreatBoard, cells: u128, moves: &mut Candidates<Move>) {
    let color = position.color();
    let weights = if R::IS_GGP {
        evaluation::weights(board, color)
    } else {
        windows::weights(position.stones[color], position.stones[1 - color])
    };
    moves.extend(bits_wide(cells).map(|cell| (Move(cell), weights[usize::from(cell)])));
}

impl<R: Ruleset> HasKnowledge for Gomoku<R> {
    type Knowledge = Learned<GomokuKnowledge<R>>;
}

impl<R: Ruleset> Knowledge<Gomoku<R>> for GomokuKnowledge<R> {
    /// Chosen by matches. Under `spec`, where evaluations differ less, the weights of the moves say more.
    const SELECTION: Selection = Selection::Puct { c: if R::IS_GGP { 1.0 } else { 3.0 } };

    /// Chosen by what the moves of searches are worth to another program, and by the wins of a suite that are proven in
    /// the same time.
    const ROOT_EXPLORATION: f32 = if R::IS_GGP { 2.0 } else { 1.0 };

    /// Under `ggp`, where a visit takes longer, fewer are worth a batch.
    const LEAST_BATCH: u32 = if R::IS_GGP { 160 } else { 320 };

    /// Evaluates the shapes on the board.
    fn evaluate(&self, position: &Gomoku<R>, rng: &mut Rng) -> Value {
        let mut position = *position;
        // The early set-up continues at random near the center, until a color may be picked.
        while position.step != PLAY && position.step != CHOICE_STEP && position.step != PICK_STEP {
            let cells = position.empty() & const { inner(2) };
            let cell = nth_bit_wide(cells, rng.below(cells.count_ones() as usize));
            position.apply(Move(cell as u8));
        }
        Value::expected(position.side_to_move(), self.expectation(&position))
    }

    fn evaluate_after(
        &self,
        position: &Gomoku<R>,
        moves: &[Move],
        rng: &mut Rng,
        mut see: impl FnMut(Value),
    ) {
        let (color, board) = (position.color(), self.board(position));
        // A move that ends the game has no points.
        if position.step != PLAY || board.completing(color) != 0 || position.empty().is_power_of_two() {
            return evaluate_one_by_one(self, position, moves, rng, see);
        }
        let side = position.owner(1 - color);
        points_after::<R>(&board, color, moves, |points| see(Value::expected(side, expectation(points))));
    }

    fn reweigh(&self, position: &Gomoku<R>, moves: &mut Candidates<Move>) -> bool {
        let is_known = R::IS_GGP && position.step == PLAY;
        if is_known {
            policy::reweigh(&self.board(position), position.stones, position.color(), moves);
        }
        is_known
    }

    /// Keeps only the moves that complete a line, else those that stop one. If several are left and
    /// none completes a line, keeps only the first stone of a VCF, or else the refutations of the
    /// VCF that the other color would have if it were to move: any other move loses to it. All of
    /// this is sound. The weights are heuristic.
    fn candidates(&self, position: &Gomoku<R>, moves: &mut Candidates<Move>) {
        if position.step != PLAY {
            return set_up::candidates(position, moves);
        }
        let mut keep = position.empty();
        let color = position.color();
        let other = 1 - color;
        let mut board = self.board(position);
        let [own, others] = [board.completing(color), board.completing(other)];
        if own != 0 {
            keep = own;
        } else if others != 0 {
            keep = others;
        }
        if keep.count_ones() > 1 && own == 0 {
            if let Some(win) = board.small_vcf(color, THOROUGH) {
                keep = 1 << win.first;
            } else if let Some(win) = board.small_vcf(other, THOROUGH)
                && win.refutations & keep != 0
            {
                keep &= win.refutations;
            }
        }
        if keep.is_power_of_two() {
            moves.push((Move(keep.trailing_zeros() as u8), 1.0));
            return;
        }
        weigh::<R>(position, &board, keep, moves);
    }

    fn all_moves(&self, position: &Gomoku<R>, moves: &mut Candidates<Move>) {
        if position.step != PLAY {
            return set_up::candidates(position, moves);
        }
        weigh::<R>(position, &self.board(position), position.empty(), moves);
    }

    /// Proves a win if the color to move has a VCF. Proves a loss if the other color threatens to
    /// complete a line on two cells, or on one and has a VCF after it is stopped.
    fn prove(&self, position: &Gomoku<R>) -> Option<Outcome> {
        if position.step != PLAY {
            return None;
        }
        let color = position.color();
        let other = 1 - color;
        let mut board = self.board(position);
        if board.small_vcf(color, QUICK).is_some() {
            return Some(Outcome::Win(position.owner(color)));
        }
        let must_stop = board.completing(other);
        let is_lost = match must_stop.count_ones() {
            0 => false,
            1 => {
                board.place(color, must_stop.trailing_zeros() as usize);
                board.small_vcf(other, QUICK).is_some()
            }
            _ => true,
        };
        is_lost.then(|| Outcome::Win(position.owner(other)))
    }

    /// Chosen by the wins of a suite that are proven in the same time.
    fn refined_at(&self, position: &Gomoku<R>) -> Option<u32> {
        (R::IS_GGP && position.step == PLAY).then_some(32)
    }

    /// Looks for a VCT, which the search would take long to find, in up to half of the effort's time. The
    /// search finds a VCF by itself.
    fn solve(&self, position: &Gomoku<R>, _: SolveScope, effort: Effort) -> Option<Vec<Solved<Move>>> {
        if position.step != PLAY || self.board(position).small_vcf(position.color(), THOROUGH).is_some() {
            return None;
        }
        let side = position.side_to_move();
        let mut search = VctSearch::new(self.table, VCT_MEMORY);
        if !search.wins.proves_win(position, side, effort.in_half_the_time()) {
            return None;
        }
        let mv = search.first(position)?;
        Some(vec![Solved { mv, outcome: Outcome::Win(side), plies: None }])
    }

    /// Looks for VCTs.
    fn prover(&self, memory: usize) -> Option<Box<dyn Prover<Gomoku<R>>>> {
        (memory >= VctSearch::<R>::MIN_MEMORY)
            .then(|| Box::new(VctSearch::new(self.table, memory.min(VCT_MEMORY))) as Box<dyn Prover<_>>)
    }

    fn explain(&self, position: &Gomoku<R>, mv: Move) -> Option<String> {
        let cell = usize::from(mv.0);
        if position.step != PLAY || cell >= CELLS {
            return None;
        }
        let color = position.color();
        let other = 1 - color;
        let mut board = self.board(position);
        if board.completing(color) >> cell & 1 == 1 {
            return Some("completes a line".into());
        }
        let lines = board.completing(other);
        let blocks = lines >> cell & 1 == 1;
        if lines & !(1 << cell) != 0 {
            return Some("lets the opponent complete a line".into());
        }
        let mut facts = Vec::new();
        if blocks {
            facts.push("blocks a line".to_owned());
        }
        board.place(color, cell);
        let completing = board.completing(color);
        match completing.count_ones() {
            0 => {
                let next = position.after(mv);
                let effort = Effort::positions(THOROUGH.into());
                if VctSearch::new(self.table, VCT_MEMORY).wins.proves_win(
                    &next,
                    position.side_to_move(),
                    effort,
                ) {
                    facts.push("wins by forcing moves".to_owned());
                }
                if board.vcf(other, EXPLANATORY, &mut vec![0; FAILED_SLOTS]).is_some() {
                    facts.push("lets the opponent win by line threats".to_owned());
                }
            }
            1 => {
                let reply = completing.trailing_zeros() as u8;
                facts.push(format!("threatens a line at {}", Move(reply)));
                board.place(other, usize::from(reply));
                if let Some(win) = board.vcf(color, EXPLANATORY, &mut vec![0; FAILED_SLOTS]) {
                    let plies = 2 * win.stones + 1;
                    facts.push(format!("wins by line threats in at most {plies} plies"));
                }
            }
            _ => facts.push("makes two line threats at once".to_owned()),
        }
        if facts.is_empty() { None } else { Some(facts.join(", ")) }
    }
}

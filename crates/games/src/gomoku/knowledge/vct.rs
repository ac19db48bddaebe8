//! Victory by continuous threats (VCT): fours and threes.
//!
//! A three threatens a VCF. The other color has to refute that VCF, and the VCF itself says where a
//! stone may do so. So threes and fours leave few replies, and a sequence that wins against all of
//! them is a proven win. This is lambda search of order two, with VCF as order one (Thomsen,
//! "Lambda-search in game trees, with application to Go", 2000), by depth-first proof-number search.

use super::EXPLANATORY;
use super::evaluation::points;
use super::lines::ShapeTable;
use super::threats::{FAILED_SLOTS, ThreatBoard};
use crate::Ruleset;
use crate::gomoku::{Gomoku, Move, PLAY};
use quintet_core::bits::bits_wide;
use quintet_core::game::{Game, Outcome};
use quintet_core::knowledge::{Effort, Prover};
use quintet_core::solver::{Claim, LeafStatus, ProofHeuristic, Successor, WinSearch, initial_proof_numbers};

/// The number of fours that a VCF search within a VCT search may try.
const FOURS: u32 = 200;

/// A search for VCTs of both colors, which keeps what it has found.
#[derive(Debug)]
pub(super) struct VctSearch<R: Ruleset> {
    table: &'static ShapeTable,
    memory: usize,
    /// Whether a side wins by a VCT, whoever is to move. The set-up is over.
    pub(super) wins: WinSearch<Gomoku<R>, Threats>,
}

impl<R: Ruleset> VctSearch<R> {
    /// The minimum memory, in bytes.
    pub(super) const MIN_MEMORY: usize = 1 << 19;

    /// A search with at most `memory` bytes for what it finds, which is at least
    /// [`MIN_MEMORY`](Self::MIN_MEMORY).
    pub(super) fn new(table: &'static ShapeTable, memory: usize) -> Self {
        let heuristic = || Threats { table, failed: vec![0; FAILED_SLOTS], last: None };
        let wins = WinSearch::new(heuristic, memory.saturating_sub(2 * size_of::<u64>() * FAILED_SLOTS));
        Self { table, memory, wins }
    }

    /// A stone that keeps the VCT which has been found for the color to move.
    pub(super) fn first(&self, position: &Gomoku<R>) -> Option<Move> {
        let search = self.wins.of(position.side_to_move());
        let mut board = ThreatBoard::new(position, self.table);
        // The search for the VCT had a table that was full of failed positions already, so without it the
        // VCF may take more than `FOURS`.
        if let Some(win) = board.vcf(position.color(), EXPLANATORY, &mut vec![0; FAILED_SLOTS]) {
            return Some(Move(win.first));
        }
        let mut cells = bits_wide(vct_stones(&board, position.color()));
        let cell = cells.find(|&cell| search.known(&after(position, &mut board, cell)) == Some(true));
        cell.map(Move)
    }
}

impl<R: Ruleset> Prover<Gomoku<R>> for VctSearch<R> {
    fn prove(&mut self, position: &Gomoku<R>, effort: Effort) -> Option<Outcome> {
        if position.step != PLAY {
            return None;
        }
        // Mostly the other side threatens nothing, which takes a look at one position.
        self.wins.either_wins(position, effort)
    }

    fn winning_move(&self, position: &Gomoku<R>) -> Option<Move> {
        if position.step == PLAY { self.first(position) } else { None }
    }

    fn forget(&mut self) {
        *self = Self::new(self.table, self.memory);
    }
}

/// The stones of `color`, which is to move, that may be part of a VCT.
fn vct_stones(board: &ThreatBoard, color: usize) -> u128 {
    // If the other color threatens a line, it must be stopped.
    match board.completing(1 - color) {
        0 => board.threats(color),
        to_stop => to_stop,
    }
}

/// The position after a stone of the color to move on `cell`, and after the reply if there is a single
/// one, which a four leaves.
fn after<R: Ruleset>(position: &Gomoku<R>, board: &mut ThreatBoard, cell: u8) -> Gomoku<R> {
    let color = position.color();
    let mut next = position.after(Move(cell));
    let before = board.place(color, usize::from(cell));
    let completing = board.completing(color);
    if next.outcome().is_none() && completing.is_power_of_two() && board.completing(1 - color) == 0 {
        next.apply(Move(completing.trailing_zeros() as u8));
    }
    board.take_back(color, usize::from(cell), before);
    next
}

/// The heuristic to a VCT of the side that wins by the claim.
#[derive(Debug)]
pub(super) struct Threats {
    table: &'static ShapeTable,
    /// The positions that are known to have no VCF.
    failed: Vec<u64>,
    /// The stones and the board of the position whose successors were listed last.
    last: Option<([u128; 2], ThreatBoard)>,
}

impl Threats {
    /// The board of a position: mostly the last one with one or two more stones.
    fn board<R: Ruleset>(&self, position: &Gomoku<R>) -> ThreatBoard {
        const FEW: u32 = 2;
        if let Some((stones, board)) = &self.last {
            let [black, white] = [0, 1].map(|color| position.stones[color] & !stones[color]);
            let are_kept = (0..2).all(|color| stones[color] & !position.stones[color] == 0);
            if are_kept && black.count_ones() + white.count_ones() <= FEW {
                let mut board = board.clone();
                for (color, more) in [black, white].into_iter().enumerate() {
                    for cell in bits_wide(more) {
                        board.place(color, usize::from(cell));
                    }
                }
                return board;
            }
        }
        ThreatBoard::new(position, self.table)
    }

    /// Judges a position in which the attacker, with `color`, is to move.
    fn judge_attack<R: Ruleset>(&mut self, board: &mut ThreatBoard, color: usize) -> LeafStatus<u128> {
        if board.quick_vcf(color, FOURS, &mut self.failed).is_some() {
            return LeafStatus::Proven;
        }
        if board.completing(1 - color).count_ones() > 1 {
            return LeafStatus::Disproven;
        }
        let stones = vct_stones(board, color);
        if stones == 0 {
            return LeafStatus::Disproven;
        }
        let (proof, disproof) = initial_proof_numbers(points::<R>(board, color));
        LeafStatus::Open { proof, disproof, note: stones }
    }

    /// Judges a position in which the defender, with `color`, is to move.
    fn judge_defense(&mut self, board: &mut ThreatBoard, color: usize) -> LeafStatus<u128> {
        if board.completing(color) != 0 {
            return LeafStatus::Disproven;
        }
        let attacker = 1 - color;
        let completing = board.completing(attacker);
        match completing.count_ones() {
            0 => {}
            1 => return LeafStatus::Open { proof: 1, disproof: 1, note: completing },
            _ => return LeafStatus::Proven,
        }
        let Some(threat) = board.quick_vcf(attacker, FOURS, &mut self.failed) else {
            return LeafStatus::Disproven;
        };
        if board.quick_vcf(color, FOURS, &mut self.failed).is_some() {
            return LeafStatus::Disproven;
        }
        // Two open fours mostly win, however many replies there are.
        let proof = if board.open_fours(attacker) > 1 { 1 } else { threat.refutations.count_ones() };
        LeafStatus::Open { proof, disproof: 1, note: threat.refutations }
    }
}

impl<R: Ruleset> ProofHeuristic<Gomoku<R>> for Threats {
    /// The cells of the stones that matter: where the attacker is to move, [its own](vct_stones); where the
    /// defender is, those on which a stone may refute the threat.
    type Note = u128;

    fn leaf_status(&mut self, position: &Gomoku<R>, claim: Claim) -> LeafStatus<u128> {
        match position.outcome() {
            Some(outcome) if claim.holds(outcome) => return LeafStatus::Proven,
            Some(_) => return LeafStatus::Disproven,
            None => {}
        }
        let mut board = self.board(position);
        if position.side_to_move() == claim.side {
            self.judge_attack::<R>(&mut board, position.color())
        } else {
            self.judge_defense(&mut board, position.color())
        }
    }

    fn successors(
        &mut self,
        position: &Gomoku<R>,
        _: Claim,
        note: &mut u128,
        successors: &mut Vec<Successor<Gomoku<R>, u128>>,
    ) {
        let mut board = self.board(position);
        self.last = Some((position.stones, board.clone()));
        let after = |cell| Successor { position: after(position, &mut board, cell), status: None };
        successors.extend(bits_wide(*note).map(after));
    }
}

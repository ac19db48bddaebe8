//! Victory by continuous threats (VCT): fours and threes.
//!
//! A three threatens a VCF. The other color has to refute that VCF, and the VCF itself says where a
//! stone may do so. So threes and fours leave few replies, and a sequence that wins against all of
//! them is a proven win. This is lambda search of order two, with VCF as order one (Thomsen,
//! "Lambda-search in game trees, with application to Go", 2000), by depth-first proof-number search.

use std::ops::RangeInclusive;

use super::EXPLANATORY;
use super::evaluation::points;
use super::lines::ShapeTable;
use super::threats::{FAILED_SLOTS, ThreatBoard};
use crate::Ruleset;
use crate::gomoku::{CELLS, Gomoku, Move, PLAY, SIZE};
use quintet_core::bits::bits_wide;
use quintet_core::game::{Game, Outcome, Side};
use quintet_core::knowledge::{Effort, FORKS_FILL_MEMORY, Prover};
use quintet_core::solver::{Claim, LeafStatus, ProofHeuristic, Successor, WinSearch, initial_proof_numbers};

/// The number of fours that a VCF search within a VCT search may try.
pub(super) const FOURS: u32 = 200;

/// The effort from which a prover also looks for a VCT that the other side would have if it were to move, and the most
/// positions that this may take. With less, it costs more than it helps.
const IF_PASSED: RangeInclusive<u64> = 64..=4_096;

/// The first proof number of a position is so many times as large if the attacker's last stone did not
/// [go on](goes_on) with the one before. Otherwise two attacks that have nothing to do with each other are mixed in
/// all orders.
const ELSEWHERE: u32 = 3;

/// A search for VCTs of both colors, which keeps what it has found.
#[derive(Debug)]
pub(super) struct VctSearch<R: Ruleset> {
    pub(super) table: &'static ShapeTable,
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
        let wins = WinSearch::new(|| Threats::new(table), without_failed(memory));
        Self { table, memory, wins }
    }

    /// A stone that keeps the VCT which has been found for the color to move.
    pub(super) fn first(&self, position: &Gomoku<R>) -> Option<Move> {
        let mut board = ThreatBoard::new(position, self.table);
        // The search for the VCT had a table that was full of failed positions already, so without it the
        // VCF may take more than `FOURS`.
        if let Some(win) = board.vcf(position.color(), EXPLANATORY, &mut vec![0; FAILED_SLOTS]) {
            return Some(Move(win.first));
        }
        self.winning_stone(position, &mut board).map(Move)
    }

    /// The cell of a stone of the color to move after which a win of that color has been found.
    pub(super) fn winning_stone(&self, position: &Gomoku<R>, board: &mut ThreatBoard) -> Option<u8> {
        let search = self.wins.of(position.side_to_move());
        let mut cells = bits_wide(vct_stones(board, position.color()));
        cells.find(|&cell| search.known(&after(position, board, cell)) == Some(true))
    }

    /// The number of positions judged so far.
    fn positions(&self) -> u64 {
        [Side::First, Side::Second].map(|side| self.wins.of(side).positions()).iter().sum()
    }
}

impl<R: Ruleset> Prover<Gomoku<R>> for VctSearch<R> {
    fn prove(&mut self, position: &Gomoku<R>, effort: Effort) -> Option<Outcome> {
        if position.step != PLAY {
            return None;
        }
        if self.wins_with_another_stone(position) {
            return Some(Outcome::Win(position.side_to_move()));
        }
        let before = self.positions();
        // Mostly the other side threatens nothing, which takes a look at one position.
        let outcome = self.wins.either_wins(position, effort);
        if outcome.is_none() && effort.positions >= *IF_PASSED.start() {
            // If the other side would have a VCT, most moves lose, and are soon proven to.
            let rest = effort.positions.saturating_sub(self.positions() - before);
            let half = Effort { positions: (rest / 2).min(*IF_PASSED.end()), ..effort };
            self.wins.proves_win(&position.passed(), position.side_to_move().opponent(), half);
        }
        outcome
    }

    /// Whether the side to move has no VCT.
    fn is_settled(&self, position: &Gomoku<R>) -> bool {
        self.wins.of(position.side_to_move()).known(position) == Some(false)
    }

    fn winning_move(&self, position: &Gomoku<R>) -> Option<Move> {
        if position.step == PLAY { self.first(position) } else { None }
    }

    fn fork(&mut self) -> Option<Box<dyn Prover<Gomoku<R>>>> {
        let Self { table, memory, ref mut wins } = *self;
        let memory = memory / FORKS_FILL_MEMORY;
        (memory >= Self::MIN_MEMORY).then(|| {
            let wins = wins.fork(|| Threats::new(table), without_failed(memory));
            Box::new(Self { table, memory, wins }) as Box<dyn Prover<_>>
        })
    }

    fn share(&mut self) {
        self.wins.share();
    }

    fn forget(&mut self) {
        *self = Self::new(self.table, self.memory);
    }
}

/// What is left of so much memory for the tables of two searches.
fn without_failed(memory: usize) -> usize {
    memory.saturating_sub(2 * size_of::<u64>() * FAILED_SLOTS)
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
pub(super) fn after<R: Ruleset>(position: &Gomoku<R>, board: &mut ThreatBoard, cell: u8) -> Gomoku<R> {
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
    /// The position whose successors were listed last.
    listed: Option<Listed>,
}

/// A position whose successors were listed.
#[derive(Debug)]
struct Listed {
    stones: [u128; 2],
    board: ThreatBoard,
    /// The attacker's last stone.
    last: u8,
    /// Whether the attacker is to move.
    is_attack: bool,
}

impl Listed {
    /// By color, the stones that `position` has besides these: one or two. `None` if it does not follow.
    fn more<R: Ruleset>(&self, position: &Gomoku<R>) -> Option<[u128; 2]> {
        const FEW: u32 = 2;
        let more = [0, 1].map(|color| position.stones[color] & !self.stones[color]);
        let are_kept = (0..2).all(|color| self.stones[color] & !position.stones[color] == 0);
        (are_kept && more.map(u128::count_ones).iter().sum::<u32>() <= FEW).then_some(more)
    }
}

/// What is stored of a position: the cells of the stones that matter, which are the attacker's [own](vct_stones)
/// where he is to move, and elsewhere those on which a stone may refute the threat; and the attacker's last stone, if
/// it is known.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Note(u128);

impl Note {
    /// Stands for a stone that is not known.
    pub(super) const NONE: u8 = 127;

    /// The cells leave seven bits.
    const fn new(cells: u128, last: u8) -> Self {
        Self(cells | (last as u128) << CELLS)
    }

    pub(super) const fn cells(self) -> u128 {
        self.0 & ((1 << CELLS) - 1)
    }

    const fn last(self) -> u8 {
        (self.0 >> CELLS) as u8
    }
}

/// Whether a stone on `cell` may go on with an attack whose last stone was on `last`: they lie in one line, with less
/// than a winning line from one to the other.
fn goes_on(cell: u8, last: u8) -> bool {
    const FAR: u8 = 5;
    if last == Note::NONE {
        return true;
    }
    let size = SIZE as u8;
    let [x, y] = [cell % size, cell / size];
    let (x, y) = (x.abs_diff(last % size), y.abs_diff(last / size));
    x.max(y) < FAR && (x == 0 || y == 0 || x == y)
}

impl Threats {
    fn new(table: &'static ShapeTable) -> Self {
        Self { table, failed: vec![0; FAILED_SLOTS], listed: None }
    }

    /// The board of a position: mostly the last one with one or two more stones.
    fn board<R: Ruleset>(&self, position: &Gomoku<R>) -> ThreatBoard {
        if let Some(listed) = &self.listed
            && let Some(more) = listed.more(position)
        {
            let mut board = listed.board.clone();
            for (color, more) in more.into_iter().enumerate() {
                for cell in bits_wide(more) {
                    board.place(color, usize::from(cell));
                }
            }
            return board;
        }
        ThreatBoard::new(position, self.table)
    }

    /// The last stone of the attacker, who has `color`, in a position that was reached from the one whose successors
    /// were listed last; and whether it [went on](goes_on) with the stone before.
    fn last_stone<R: Ruleset>(&self, position: &Gomoku<R>, color: usize) -> (u8, bool) {
        let Some(listed) = &self.listed else { return (Note::NONE, true) };
        match listed.more(position) {
            None => (Note::NONE, true),
            // A stone that only stops a four of the other color is no attack.
            Some(more) if !listed.is_attack || more[color] == 0 => (listed.last, true),
            Some(more) => {
                let cell = more[color].trailing_zeros() as u8;
                (cell, goes_on(cell, listed.last))
            }
        }
    }

    /// Judges a position in which the attacker, with `color`, is to move.
    fn judge_attack<R: Ruleset>(
        &mut self,
        board: &mut ThreatBoard,
        color: usize,
        last: u8,
    ) -> LeafStatus<Note> {
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
        LeafStatus::Open { proof, disproof, note: Note::new(stones, last) }
    }
}

/// Judges a position in which the defender, with `color`, is to move. `last` is the attacker's last stone, and `failed`
/// are the positions that are known to have no VCF.
pub(super) fn judge_defense(
    board: &mut ThreatBoard,
    color: usize,
    last: u8,
    failed: &mut [u64],
) -> LeafStatus<Note> {
    if board.completing(color) != 0 {
        return LeafStatus::Disproven;
    }
    let attacker = 1 - color;
    let completing = board.completing(attacker);
    match completing.count_ones() {
        0 => {}
        1 => return LeafStatus::Open { proof: 1, disproof: 1, note: Note::new(completing, last) },
        _ => return LeafStatus::Proven,
    }
    let Some(threat) = board.quick_vcf(attacker, FOURS, failed) else {
        return LeafStatus::Disproven;
    };
    if board.quick_vcf(color, FOURS, failed).is_some() {
        return LeafStatus::Disproven;
    }
    // Two open fours mostly win, however many replies there are.
    let proof = if board.open_fours(attacker) > 1 { 1 } else { threat.refutations.count_ones() };
    LeafStatus::Open { proof, disproof: 1, note: Note::new(threat.refutations, last) }
}

impl<R: Ruleset> ProofHeuristic<Gomoku<R>> for Threats {
    type Note = Note;

    fn leaf_status(&mut self, position: &Gomoku<R>, claim: Claim) -> LeafStatus<Note> {
        match position.outcome() {
            Some(outcome) if claim.holds(outcome) => return LeafStatus::Proven,
            Some(_) => return LeafStatus::Disproven,
            None => {}
        }
        let mut board = self.board(position);
        let (color, is_attack) = (position.color(), position.side_to_move() == claim.side);
        let attacker = if is_attack { color } else { 1 - color };
        let (last, goes_on) = self.last_stone(position, attacker);
        let status = if is_attack {
            self.judge_attack::<R>(&mut board, color, last)
        } else {
            judge_defense(&mut board, color, last, &mut self.failed)
        };
        match status {
            LeafStatus::Open { proof, disproof, note } if !goes_on => {
                LeafStatus::Open { proof: ELSEWHERE * proof, disproof, note }
            }
            status => status,
        }
    }

    fn successors(
        &mut self,
        position: &Gomoku<R>,
        claim: Claim,
        note: &mut Note,
        successors: &mut Vec<Successor<Gomoku<R>, Note>>,
    ) {
        let mut board = self.board(position);
        self.listed = Some(Listed {
            stones: position.stones,
            board: board.clone(),
            last: note.last(),
            is_attack: position.side_to_move() == claim.side,
        });
        let after = |cell| Successor { position: after(position, &mut board, cell), status: None };
        successors.extend(bits_wide(note.cells()).map(after));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Ggp;

    #[test]
    fn a_stone_goes_on_with_another_in_reach_of_a_line() {
        let cell = |x, y| Move::place(x, y).0;
        let middle = cell(5, 5);
        for (to, expected) in [
            (cell(6, 5), true),
            (cell(9, 5), true),
            (cell(5, 1), true),
            (cell(1, 9), true),
            (cell(9, 9), true),
            (cell(0, 5), false),
            (cell(10, 5), false),
            (cell(6, 7), false),
            (cell(10, 0), false),
        ] {
            assert_eq!(goes_on(to, middle), expected, "{to}");
            assert_eq!(goes_on(middle, to), expected, "{to}");
        }
        assert!(goes_on(cell(10, 0), Note::NONE));
        for last in [0, 120, Note::NONE] {
            let note = Note::new((1 << CELLS) - 1, last);
            assert_eq!((note.cells(), note.last()), ((1 << CELLS) - 1, last));
        }
    }

    #[test]
    fn the_last_stone_of_an_attack_is_passed_on() {
        let position: Gomoku<Ggp> =
            "11/11/11/5b1b3/7wb2/11/5ww4/11/5w1b3/11/11 w 2 -".parse().expect("valid");
        let table = ShapeTable::get(Gomoku::<Ggp>::WINNING);
        let attacker = position.color();
        let listed = |position: &Gomoku<Ggp>, last: Move, is_attack| {
            let board = ThreatBoard::new(position, table);
            Some(Listed { stones: position.stones, board, last: last.0, is_attack })
        };
        let mut threats = Threats { table, failed: vec![0; FAILED_SLOTS], listed: None };
        let [before, near, far, reply] = [(2, 2), (2, 4), (9, 0), (4, 10)].map(|(x, y)| Move::place(x, y));
        let next = position.after(near);
        assert_eq!(threats.last_stone(&next, attacker), (Note::NONE, true));
        threats.listed = listed(&position, before, true);
        assert_eq!(threats.last_stone(&next, attacker), (near.0, true));
        assert_eq!(threats.last_stone(&position.after(far), attacker), (far.0, false));
        // A reply of the defender leaves it, and so does a stone that stops the defender's four.
        threats.listed = listed(&next, near, false);
        let replied = next.after(reply);
        assert_eq!(threats.last_stone(&replied, attacker), (near.0, true));
        assert_eq!(threats.last_stone(&replied.after(far), attacker), (near.0, true));
        assert_eq!(threats.last_stone(&position, attacker), (Note::NONE, true), "it does not follow");
    }
}

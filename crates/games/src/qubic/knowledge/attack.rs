//! The heuristic of proofs that a team wins: what its threats leave to the other team.

use super::cube::Cube;
use super::lines::{Attacks, completing, is_line_free_of, ones_and_twos};
use super::symmetry::Symmetries;
use super::threats::{Sequence, Threats};
use quintet_core::bits::bits;
use quintet_core::game::Game;
use quintet_core::solver::{Claim, LeafStatus, ProofHeuristic, Successor};

/// The attacks that a search for a win of the attackers to move may try.
const ATTACKS: u32 = 10_000;
/// The attacks that a search for what they would win if the other team passed may try.
const NEXT_ATTACKS: u32 = 2_000;
/// From this number of marks of the attackers on, their moves have to threaten a win, where that is
/// possible.
const MIN_MARKS_TO_THREATEN: u32 = 3;

/// The heuristic for claims that a team wins. Its proofs are sound, its disproofs are not: it leaves out
/// moves of the attackers.
#[derive(Debug)]
pub(super) struct AttackGuide;

impl ProofHeuristic<Cube> for AttackGuide {
    /// The cells that are worth a mark; 0 if that is not known yet.
    type Note = u64;

    fn leaf_status(&mut self, position: &Cube, claim: Claim) -> LeafStatus<u64> {
        let [own, other] = position.teams(claim.side);
        if position.side_to_move() == claim.side {
            judge_attack(own, other)
        } else {
            judge_defence(own, other)
        }
    }

    fn successors(
        &mut self,
        position: &Cube,
        claim: Claim,
        note: &mut u64,
        successors: &mut Vec<Successor<Cube, u64>>,
    ) {
        let symmetries = Symmetries::get();
        let hashes = symmetries.hashes(position);
        let after = |cell| symmetries.canonical_after(position, &hashes, cell);
        if *note != 0 {
            successors.extend(bits(*note).map(|cell| Successor { position: after(cell), status: None }));
            return;
        }
        // The attackers are to move, for the first time here.
        let [own, _] = position.teams(claim.side);
        let blank = position.blank();
        let quiet = blank & !Attacks::new(own, blank).once;
        let cells = if quiet != 0 { quiet } else { blank };
        let mut threatening = Vec::new();
        for cell in bits(cells) {
            let position = after(cell);
            let [own, other] = position.teams(claim.side);
            let status = judge_defence(own, other);
            if status == LeafStatus::Disproven {
                continue;
            }
            let is_threat = !matches!(status, LeafStatus::Open { note, .. } if note == position.blank());
            *note |= 1 << cell;
            successors.push(Successor { position, status: Some(status) });
            threatening.push((cell, is_threat));
        }
        if own.count_ones() >= MIN_MARKS_TO_THREATEN && threatening.iter().any(|&(_, is_threat)| is_threat) {
            *note = threatening.iter().filter(|it| it.1).fold(0, |set, &(cell, _)| set | 1 << cell);
            let mut threatening = threatening.into_iter();
            successors.retain(|_| threatening.next().is_some_and(|(_, is_threat)| is_threat));
        }
    }
}

/// The attackers are to move.
fn judge_attack(own: u64, other: u64) -> LeafStatus<u64> {
    if Threats::find(own, other, u64::MAX, ATTACKS).is_some() {
        return LeafStatus::Proven;
    }
    let to_stop = completing(other) & !(own | other);
    if to_stop & to_stop.wrapping_sub(1) != 0 || !is_line_free_of(other) {
        return LeafStatus::Disproven;
    }
    LeafStatus::Open { proof: 1, disproof: 1 + twos(own, other), note: to_stop }
}

/// The defenders are to move.
fn judge_defence(own: u64, other: u64) -> LeafStatus<u64> {
    let blank = !(own | other);
    if completing(other) & blank != 0 || blank == 0 {
        return LeafStatus::Disproven;
    }
    let to_stop = completing(own) & blank;
    let defences = if to_stop != 0 {
        if to_stop & (to_stop - 1) != 0 {
            return LeafStatus::Proven;
        }
        to_stop
    } else if let Some(win) = next_win(own, other) {
        let defences = win.spoilers(own, other);
        if defences == 0 {
            return LeafStatus::Proven;
        }
        defences
    } else {
        if !is_line_free_of(other) {
            return LeafStatus::Disproven;
        }
        blank
    };
    LeafStatus::Open { proof: 1 + defences.count_ones() / 3, disproof: 1 + twos(own, other), note: defences }
}

/// What the attackers would win by if the defenders, who are to move, passed.
pub(super) fn next_win(own: u64, other: u64) -> Option<Sequence> {
    Some(Threats::find(own, other, u64::MAX, NEXT_ATTACKS)?.shortened(own, other))
}

/// The lines with two marks of the attackers and none of the defenders.
fn twos(own: u64, other: u64) -> u32 {
    ones_and_twos([own, other])[0][1]
}

//! A full search a few plies ahead, for wins only.

use crate::game::{Game, MAX_SCORE, Side};

/// What a [`Lookahead`] counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Plies,
    /// All moves of a side before the other one moves.
    Turns,
}

/// Tells whether a side can win within some plies or turns, in a game that can be
/// [solved](super::unsolvable), by all moves.
#[derive(Debug)]
pub(crate) struct Lookahead<M> {
    unit: Unit,
    /// The positions that may still be visited.
    left: u32,
    /// The plies of the line that it looks at.
    plies: u32,
    /// The last move that decided at each depth, for the attacker and the defender: it often does so again.
    killers: [[Option<M>; 2]; MAX_DEPTH],
}

/// The number of plies or turns for which there are killers.
const MAX_DEPTH: usize = 8;
/// The maximum plies of a line: a turn may have any number of them, and threads have small stacks.
const MAX_PLIES: u32 = 40;

impl<M: Copy + PartialEq> Lookahead<M> {
    pub(crate) fn new(unit: Unit, positions: u32) -> Self {
        Self { unit, left: positions, plies: 0, killers: [[None; 2]; MAX_DEPTH] }
    }

    /// Lets it visit this many positions from now on.
    pub(crate) fn look_at(&mut self, positions: u32) {
        self.left = positions;
    }

    /// Whether it has visited all positions that it may visit, and so may have missed a win.
    pub(crate) fn is_spent(&self) -> bool {
        self.left == 0
    }

    /// Whether `attacker` wins within this depth if `mv` is the first move.
    pub(crate) fn wins_by<G: Game<Move = M>>(
        &mut self,
        position: &G,
        mv: M,
        attacker: Side,
        depth: u32,
    ) -> bool {
        self.left = self.left.saturating_sub(1);
        let next = position.after(mv);
        if let Some(outcome) = next.outcome() {
            return outcome.score(attacker) == MAX_SCORE;
        }
        let is_same_turn = self.unit == Unit::Turns && next.side_to_move() == position.side_to_move();
        if self.plies >= MAX_PLIES {
            self.left = 0;
        }
        self.plies += 1;
        let wins = self.wins(&next, attacker, if is_same_turn { depth } else { depth - 1 });
        self.plies -= 1;
        wins
    }

    /// Whether `attacker` wins within this depth from `position`, which is not over.
    pub(crate) fn wins<G: Game<Move = M>>(&mut self, position: &G, attacker: Side, depth: u32) -> bool {
        let attacks = position.side_to_move() == attacker;
        // The last turn has to be the attacker's.
        let is_in_vain = self.unit == Unit::Turns && attacks != (depth % 2 == 1);
        let depth = if is_in_vain { depth.saturating_sub(1) } else { depth };
        if depth == 0 || self.left == 0 {
            return false;
        }
        let at = (depth as usize).min(MAX_DEPTH) - 1;
        let moves = position.move_list();
        let first = self.killers[at][usize::from(attacks)].filter(|mv| moves.contains(mv));
        let mut decides = |mv: &M| self.wins_by(position, *mv, attacker, depth) == attacks;
        let decisive = match first.filter(&mut decides) {
            Some(mv) => Some(mv),
            None => moves.iter().copied().filter(|mv| Some(*mv) != first).find(decides),
        };
        if decisive.is_some() {
            self.killers[at][usize::from(attacks)] = decisive;
        }
        decisive.is_some() == attacks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nim::Nim;

    #[test]
    fn a_win_is_seen_as_far_as_it_looks() {
        // Whoever leaves four sticks wins, two turns later.
        let seen = |sticks, attacker, depth| {
            Lookahead::new(Unit::Plies, 10_000).wins(&Nim::<3>::new(sticks, 0), attacker, depth)
        };
        assert_eq!([0, 1, 2].map(|depth| seen(3, Side::First, depth)), [false, true, true]);
        assert_eq!([1, 2, 3].map(|depth| seen(4, Side::Second, depth)), [false, true, true]);
        assert_eq!([2, 3, 4].map(|depth| seen(7, Side::First, depth)), [false, true, true]);
        assert_eq!([3, 4, 5].map(|depth| seen(8, Side::Second, depth)), [false, true, true]);
        assert_eq!([9, 99].map(|depth| seen(8, Side::First, depth)), [false; 2]);
        let mut spent = Lookahead::new(Unit::Turns, 3);
        assert!(!spent.wins(&Nim::<3>::new(11, 0), Side::First, 5) && spent.is_spent());
    }
}

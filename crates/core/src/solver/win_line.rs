//! The line that shows a proven win.

use std::collections::HashMap;
use std::fmt::{self, Debug};

use super::claim::Claim;
use super::countdown::Countdown;
use super::df_pn::DfPn;
use super::knowledge_heuristic::KnowledgeHeuristic;
use super::lookahead::{Lookahead, Unit};
use super::unsolvable;
use crate::effort::Effort;
use crate::game::{Game, MAX_SCORE, Outcome, Side, has_one_player};
use crate::knowledge::{Candidates, Knowledge, Prover, SolveScope};
use crate::order;

/// A line from a position that is proven to be won for one side, to the end of the game. The winner plays what the
/// proof says; the other side holds out as long as it can against that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WinLine<M> {
    /// The moves.
    pub moves: Vec<M>,
    /// What is known for certain about each move of the winner, such as what it threatens; empty where nothing is, and
    /// for the moves of the other side.
    pub reasons: Vec<String>,
    /// In how many plies the winner wins.
    pub length: WinLength,
}

/// In how many plies a side wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WinLength {
    /// If both sides play best, the winner for speed and the other for delay.
    Exactly(u32),
    /// As long as the winner plays what the proof says; there may be a shorter way.
    AtMost(u32),
    /// No limit was found: the replies were too many. The line has one of them each time.
    Unknown,
}

/// What the trees of a search know: the moves that win for a side after these moves from the root.
pub(crate) type WinsInTree<'a, M> = &'a dyn Fn(&[M], Side) -> Option<M>;

/// The memory for the provers, in bytes.
const MEMORY: usize = 32 << 20;
/// The positions to visit to find one winning move, by each method.
const FOR_A_MOVE: u64 = 20_000;
/// The positions within a turn that are asked about to find one winning move.
const FOR_A_TURN: u32 = 1_000;
/// The maximum plies of a turn that are looked at: a turn may have any number of them, and threads have small stacks.
const MAX_TURN: u32 = 40;
/// What a prover's work counts as, in positions: mostly it finds a move soon.
const FOR_A_PROOF: u64 = 16;
/// The positions of a look at a reply. Where the winner wins soon, it mostly does so in the same way.
const SHORT: u32 = 1_000;
/// The positions of a look for a win of two turns.
const LONG: u32 = 20_000;
/// The positions to visit for a line without a limit to its length.
const FOR_THE_LINE: u64 = 20_000;
/// The positions of a search for a shorter win.
const FOR_A_SHORTER_WIN: u32 = 2_000_000;
/// The maximum plies of a line.
const MAX_LENGTH: usize = 200;
/// The maximum plies of a line whose length is looked for, which limits the depth of recursion. A longer one, such as a
/// whole game that a strategy wins, has too many replies on the way.
const MAX_MEASURED: usize = 96;

impl<M> WinLine<M> {
    /// The same line with every move replaced, for example by its token.
    #[must_use]
    pub fn map<T>(self, change: impl Fn(M) -> T) -> WinLine<T> {
        let Self { moves, reasons, length } = self;
        WinLine { moves: moves.into_iter().map(change).collect(), reasons, length }
    }
}

/// Returns the line with which `winner` wins from `position`, if the winning moves can be found. `first` is a winning
/// move to begin with. `effort` counts the positions on the way, each of which may take a small proof.
pub(crate) fn win_line<G: Game, K: Knowledge<G>>(
    knowledge: &K,
    position: &G,
    (winner, first): (Side, Option<G::Move>),
    effort: Effort,
    in_tree: WinsInTree<'_, G::Move>,
) -> Option<WinLine<G::Move>> {
    if unsolvable(position).is_some() || position.outcome().is_some() {
        return None;
    }
    let first = first.filter(|_| position.side_to_move() == winner);
    let mut show = Show {
        knowledge,
        winner,
        prover: knowledge.prover(MEMORY),
        search: DfPn::new(KnowledgeHeuristic(knowledge), Claim::win(winner), MEMORY),
        known: HashMap::new(),
        wins: first.map(|mv| (*position, Some(mv))).into_iter().collect(),
        ahead: Lookahead::new(Unit::Turns, LONG),
        near: Lookahead::new(Unit::Plies, SHORT),
        soon: 4 * plies_of_a_turn(position),
        run: Countdown::new(effort),
        effort,
        in_tree,
        path: Vec::new(),
    };
    let length = show.plies(position);
    if length.is_none() {
        // The line alone takes less.
        show.run = Countdown::new(Effort::positions(FOR_THE_LINE.min(effort.positions)));
        show.effort = Effort { deadline: None, ..effort };
        show.wins.retain(|_, mv| mv.is_some());
    }
    let moves = show.line(position)?;
    let length = match length {
        Some(plies) if effort.deadline.is_none() && is_shortest(position, winner, plies) => {
            WinLength::Exactly(plies)
        }
        Some(plies) => WinLength::AtMost(plies),
        None => WinLength::Unknown,
    };
    let mut at = *position;
    let reason = |&mv: &G::Move| {
        let known = if at.side_to_move() == winner { knowledge.explain(&at, mv) } else { None };
        at.apply(mv);
        known.unwrap_or_default()
    };
    let reasons = moves.iter().map(reason).collect();
    Some(WinLine { moves, reasons, length })
}

/// The plies of the turn after that of `position`, if the first moves are made; at least 1.
fn plies_of_a_turn<G: Game>(position: &G) -> u32 {
    let mut at = *position;
    let mut of_turn = |side: Side| {
        let mut plies = 0;
        while at.outcome().is_none() && at.side_to_move() == side && plies < MAX_LENGTH as u32 {
            at.apply(at.nth_move(0));
            plies += 1;
        }
        plies
    };
    let side = position.side_to_move();
    of_turn(side);
    of_turn(side.opponent()).max(1)
}

/// Whether it is certain that there is no shorter win.
fn is_shortest<G: Game>(position: &G, winner: Side, plies: u32) -> bool {
    /// Beyond this a full search has no chance.
    const MAX_DEPTH: u32 = 9;
    if plies > MAX_DEPTH {
        return false;
    }
    let mut ahead = Lookahead::new(Unit::Plies, FOR_A_SHORTER_WIN);
    !ahead.wins(position, winner, plies - 1) && !ahead.is_spent()
}

struct Show<'a, G: Game, K: Knowledge<G>> {
    knowledge: &'a K,
    winner: Side,
    prover: Option<Box<dyn Prover<G>>>,
    search: DfPn<G, KnowledgeHeuristic<'a, K>>,
    /// The plies to the end of positions, and the move to play there. `None`: it was given up.
    known: HashMap<G, Option<(u32, G::Move)>>,
    /// The winner's moves.
    wins: HashMap<G, Option<G::Move>>,
    /// Looks for wins within a few turns.
    ahead: Lookahead<G::Move>,
    /// Looks for wins within a few plies.
    near: Lookahead<G::Move>,
    /// About the plies of four turns.
    soon: u32,
    run: Countdown<'a>,
    effort: Effort<'a>,
    in_tree: WinsInTree<'a, G::Move>,
    /// The moves from the first position.
    path: Vec<G::Move>,
}

impl<G: Game, K: Knowledge<G>> Debug for Show<'_, G, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Show").field("winner", &self.winner).finish_non_exhaustive()
    }
}

impl<G: Game, K: Knowledge<G>> Show<'_, G, K> {
    /// The plies to the end from `position`; `None` if a winning move is not found or the effort is spent.
    fn plies(&mut self, position: &G) -> Option<u32> {
        if let Some(outcome) = position.outcome() {
            return self.is_win(outcome).then_some(0);
        }
        if let Some(known) = self.known.get(position) {
            return known.map(|(plies, _)| plies);
        }
        let may_go_on = self.path.len() < MAX_MEASURED && self.run.count().is_some();
        let found = if may_go_on { self.best(position) } else { None };
        self.known.insert(*position, found);
        found.map(|(plies, _)| plies)
    }

    fn best(&mut self, position: &G) -> Option<(u32, G::Move)> {
        if position.side_to_move() == self.winner {
            let mv = self.winning_move(position)?;
            return Some((1 + self.plies_after(position, mv)?, mv));
        }
        let mut longest = None;
        for mv in self.replies(position) {
            // Most replies lose soon: then it does not matter how soon.
            if let Some((most, _)) = longest
                && self.loses_within(position, mv, self.soon.min(most))
            {
                continue;
            }
            let plies = 1 + self.plies_after(position, mv)?;
            if longest.is_none_or(|(most, _)| plies > most) {
                longest = Some((plies, mv));
            }
        }
        longest
    }

    /// All moves of the loser, the most promising first.
    #[inline(never)]
    fn replies(&self, position: &G) -> Vec<G::Move> {
        let mut promising = Candidates::new();
        self.knowledge.candidates(position, &mut promising);
        let keys: Vec<u64> = promising.iter().map(|it| order::descending(it.1)).collect();
        let mut moves: Vec<G::Move> = order::ascending(&keys).into_iter().map(|at| promising[at].0).collect();
        for mv in position.move_list() {
            if !moves.contains(&mv) {
                moves.push(mv);
            }
        }
        moves
    }

    /// Whether the winner wins within so many plies of which this reply is the first, as far as a short look shows.
    fn loses_within(&mut self, position: &G, reply: G::Move, plies: u32) -> bool {
        self.near.look_at(SHORT);
        self.near.wins_by(position, reply, self.winner, plies)
    }

    fn plies_after(&mut self, position: &G, mv: G::Move) -> Option<u32> {
        self.path.push(mv);
        let plies = self.plies(&position.after(mv));
        self.path.pop();
        plies
    }

    /// The line from `position` to the end.
    fn line(&mut self, position: &G) -> Option<Vec<G::Move>> {
        let mut at = *position;
        self.path.clear();
        while at.outcome().is_none() {
            if self.path.len() >= MAX_LENGTH {
                return None;
            }
            let known = self.known.get(&at).copied().flatten();
            let mv = match known {
                Some((_, mv)) => mv,
                None if at.side_to_move() == self.winner => self.winning_move(&at)?,
                None => self.stubborn_reply(&at),
            };
            self.path.push(mv);
            at.apply(mv);
        }
        self.is_win(at.outcome()?).then(|| self.path.clone())
    }

    /// A reply that does not lose soon, the most promising first.
    fn stubborn_reply(&mut self, position: &G) -> G::Move {
        let replies = self.replies(position);
        let holds = replies.iter().copied().find(|mv| !self.loses_within(position, *mv, self.soon));
        holds.unwrap_or(replies[0])
    }

    fn is_win(&self, outcome: Outcome) -> bool {
        outcome.score(self.winner) == MAX_SCORE
    }

    /// A move with which the winner, who is to move, wins.
    fn winning_move(&mut self, position: &G) -> Option<G::Move> {
        if let Some(known) = self.wins.get(position) {
            return *known;
        }
        let found = self.find_winning_move(position);
        self.wins.insert(*position, found);
        found
    }

    #[inline(never)]
    fn find_winning_move(&mut self, position: &G) -> Option<G::Move> {
        let mut candidates = Candidates::new();
        self.knowledge.candidates(position, &mut candidates);
        let moves = || candidates.iter().map(|it| it.0);
        let ends = |mv: &G::Move| position.after(*mv).outcome().is_some_and(|outcome| self.is_win(outcome));
        if let Some(mv) = moves().find(ends) {
            return Some(mv);
        }
        self.ahead.look_at(LONG);
        let ahead = &mut self.ahead;
        if let Some(mv) = moves().find(|mv| ahead.wins_by(position, *mv, self.winner, 3)) {
            return Some(mv);
        }
        // Where one player plays alone, a turn would be the whole game.
        let mut left = if has_one_player(position) { 0 } else { FOR_A_TURN };
        if left > 0
            && let Some(mv) =
                moves().find(|mv| self.is_proven_this_turn(&position.after(*mv), MAX_TURN, &mut left))
        {
            return Some(mv);
        }
        if let Some(mv) = (self.in_tree)(&self.path, self.winner) {
            return Some(mv);
        }
        self.run.count_all(FOR_A_PROOF)?;
        let effort = Effort { positions: FOR_A_MOVE, ..self.effort };
        if let Some(prover) = &mut self.prover
            && prover.prove(position, effort).is_some_and(|outcome| outcome.score(self.winner) == MAX_SCORE)
            && let Some(mv) = prover.winning_move(position)
        {
            return Some(mv);
        }
        for (scope, positions) in [(SolveScope::Best, FOR_A_MOVE), (SolveScope::All, 0)] {
            let effort = Effort { positions, ..self.effort };
            if let Some(best) =
                self.knowledge.solve(position, scope, effort).and_then(|all| all.first().copied())
                && self.is_win(best.outcome)
            {
                return Some(best.mv);
            }
        }
        if let Some(mut prover) = self.prover.take() {
            // Within a turn the prover may know no move, but what follows.
            let (winner, run) = (self.winner, &mut self.run);
            let mut ends_turn = moves()
                .map(|mv| (mv, position.after(mv)))
                .filter(|it| it.1.outcome().is_none() && it.1.side_to_move() != winner);
            let found = ends_turn.find(|(_, next)| {
                run.count_all(FOR_A_PROOF).is_some()
                    && prover.prove(next, effort).is_some_and(|it| it.score(winner) == MAX_SCORE)
            });
            let found = found.map(|it| it.0);
            self.prover = Some(prover);
            if found.is_some() {
                return found;
            }
        }
        let mut positions = 16;
        while positions <= FOR_A_MOVE && !self.effort.is_over() {
            for mv in moves() {
                let before = self.search.positions();
                let effort = Effort { positions: positions.min(self.run.left()), ..self.effort };
                let wins = self.search.decide(&position.after(mv), effort) == Some(true);
                self.run.count_all(self.search.positions() - before)?;
                if wins {
                    return Some(mv);
                }
            }
            positions *= 8;
        }
        None
    }

    /// Whether the knowledge proves the win once the winner's turn is over, within so many plies.
    fn is_proven_this_turn(&self, position: &G, plies: u32, left: &mut u32) -> bool {
        if let Some(outcome) = position.outcome().or_else(|| self.knowledge.prove(position)) {
            return self.is_win(outcome);
        }
        *left = left.saturating_sub(1);
        if position.side_to_move() != self.winner || plies == 0 || *left == 0 || self.effort.is_over() {
            return false;
        }
        let mut moves = Candidates::new();
        self.knowledge.candidates(position, &mut moves);
        moves.iter().any(|(mv, _)| self.is_proven_this_turn(&position.after(*mv), plies - 1, left))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::RulesOnly;
    use crate::nim::Nim;

    type Three = Nim<3>;

    fn shown(sticks: u8, winner: Side, first: Option<u8>, positions: u64) -> Option<WinLine<u8>> {
        let effort = Effort::positions(positions);
        win_line(&RulesOnly, &Three::new(sticks, 0), (winner, first), effort, &|_, _| None)
    }

    /// The plies to the end under perfect play, and whether the side to move wins.
    fn exact(sticks: u8) -> (u32, bool) {
        if sticks == 0 {
            return (0, false);
        }
        let after: Vec<(u32, bool)> = (1..=sticks.min(3)).map(|taken| exact(sticks - taken)).collect();
        let wins = after.iter().filter(|it| !it.1).map(|it| it.0 + 1).min();
        wins.map_or_else(
            || (1 + after.iter().map(|it| it.0).max().unwrap_or(0), false),
            |plies| (plies, true),
        )
    }

    #[test]
    fn the_line_is_as_long_as_the_other_side_can_make_it() {
        for sticks in 1..24 {
            let (plies, wins) = exact(sticks);
            let winner = if wins { Side::First } else { Side::Second };
            let line = shown(sticks, winner, None, 100_000).expect("a line");
            assert_eq!(line.moves.len() as u32, plies, "{sticks}");
            let is_short = plies <= 9;
            let expected = if is_short { WinLength::Exactly(plies) } else { WinLength::AtMost(plies) };
            assert_eq!(line.length, expected, "{sticks}");
            assert_eq!(line.moves.iter().sum::<u8>(), sticks, "to the end");
            assert_eq!(line.reasons.len(), line.moves.len());
        }
    }

    #[test]
    fn it_begins_with_the_move_that_is_given_and_without_a_proof_there_is_none() {
        // To leave four sticks or to leave eight: with seven there is one way, with six another.
        assert_eq!(shown(7, Side::First, Some(3), 10_000).map(|line| line.moves[0]), Some(3));
        assert_eq!(shown(7, Side::First, Some(1), 10_000), None, "that loses");
        assert_eq!(shown(7, Side::Second, None, 10_000), None);
        assert_eq!(shown(0, Side::First, None, 10_000), None);
        let in_tree = |path: &[u8], side: Side| (path.is_empty() && side == Side::First).then_some(3);
        let effort = Effort::positions(10_000);
        let line = win_line(&RulesOnly, &Three::new(23, 0), (Side::First, None), effort, &in_tree);
        assert_eq!(line.map(|line| line.moves[0]), Some(3), "as the tree says");
    }

    #[test]
    fn where_the_replies_are_too_many_the_line_is_there_all_the_same() {
        let line = shown(21, Side::First, None, 100).expect("a line");
        assert_eq!((line.length, line.moves.iter().sum::<u8>()), (WinLength::Unknown, 21));
    }
}

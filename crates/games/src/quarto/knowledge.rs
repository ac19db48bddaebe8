//! What is known of Quarto.
//!
//! - A piece that completes a line wins; whoever has one to place wins at once.
//! - A piece that completes a line is *unsafe*: under `ggp` it must not be handed over, under `spec` none may
//!   be left in the pool. A move that makes either unavoidable loses, so it is no candidate while there are
//!   others.
//! - Early on, most moves lead to positions that are the same game by symmetry; one of each kind is enough.
//! - Rollouts know the first two rules.
//! - With few cells left, positions are searched to the end when a tree meets them. With more, [`solve`] does
//!   that before the search begins; from then on the play is perfect.
//!
//! # Exact facts
//!
//! Under `spec` the second player wins; [`solve`] proves it in about a second. Under `ggp` perfect play is a
//! draw (known since 1998).

mod board;
mod lines;
mod moves;
mod rollout;
mod solver;
mod symmetry;
mod turn;

use std::marker::PhantomData;

use arrayvec::ArrayVec;

use crate::quarto::{CELLS, Move, Quarto};
use crate::{Known, Ruleset};
use board::{QuartoBoard, QuartoThreats, each};
use quintet_core::game::{Game, Outcome, Rng, Side};
use quintet_core::knowledge::{Candidates, Effort, Knowledge, Selection, Solved, Wanted};
use solver::Solver;
use symmetry::Symmetries;
use turn::{DRAW, LOSS, QuartoTurn, opposite, value_by};

/// Up to so many pieces on the board, candidates that lead to the same game are left out.
const SYMMETRIC: u32 = 3;

/// Knowledge of Quarto, for both rulesets.
#[derive(Debug, Clone, Copy)]
pub struct QuartoKnowledge {
    symmetries: &'static Symmetries,
}

impl Default for QuartoKnowledge {
    fn default() -> Self {
        Self { symmetries: Symmetries::get() }
    }
}

impl<R: Ruleset> Known for Quarto<R> {
    type Knowledge = QuartoKnowledge;
}

impl<R: Ruleset> Knowledge<Quarto<R>> for QuartoKnowledge {
    const SELECTION: Selection = Selection::Ucb1 { c: 0.5 };
    const POSITIONS_PER_ITERATION: u64 = 20;
    const SWINDLE_ITERATIONS: u64 = 50_000;

    /// Takes a win, and makes moves at random among those that give none away.
    #[inline(always)]
    fn rollout(&self, position: &Quarto<R>, rng: &mut Rng) -> Outcome {
        rollout::rollout(position, rng)
    }

    /// The moves that win at once; if there are none, those that don't lose at once; if there are none
    /// either, all. Of moves to positions that are the same game, the first only: their values are equal.
    fn candidates(&self, position: &Quarto<R>, moves: &mut Candidates<Move>) {
        let look = Look::at(position);
        let legal = position.choices();
        let good = [look.wins(), look.safe()].into_iter().find(|&good| good != 0).unwrap_or(legal);
        let good = each(good).map(|choice| position.choice(choice));
        if position.placed() > SYMMETRIC {
            moves.extend(good.map(|mv| (mv, 1.0)));
            return;
        }
        let mut keys: ArrayVec<u64, CELLS> = ArrayVec::new();
        for mv in good {
            let key = self.key_after(position, mv);
            if !keys.contains(&key) {
                keys.push(key);
                moves.push((mv, 1.0));
            }
        }
    }

    /// Whether the side to move wins at once, or loses whatever it does because every move gives a win away;
    /// with few cells left, the value by searching all that can follow.
    fn prove(&self, position: &Quarto<R>) -> Option<Outcome> {
        /// So few empty cells; any number from two to five plays as well.
        const FEW: u32 = 4;
        let side = position.side_to_move();
        let look = Look::at(position);
        if look.wins() != 0 {
            return Some(Outcome::Win(side));
        }
        if look.board.empty().count_ones() <= FEW {
            return Some(outcome(look.value_of_few(), side));
        }
        let is_lost = if !R::IS_GGP && look.hand.is_none() {
            !QuartoTurn::new::<R>(look.board, 0).can_go_on::<R>()
        } else {
            look.safe() == 0
        };
        is_lost.then(|| outcome(LOSS, side))
    }

    /// As [`solve`], where that is likely to succeed.
    fn solve(&self, position: &Quarto<R>, wanted: Wanted, effort: Effort) -> Option<Vec<Solved<Move>>> {
        /// What the solver does in a second on a slow machine, under `spec` and under `ggp`.
        const POSITIONS_PER_SECOND: [f64; 2] = [5e6, 1e7];
        let in_time = effort.positions_in_time(POSITIONS_PER_SECOND[usize::from(R::IS_GGP)]);
        if expected_positions(position) <= in_time { solve(position, wanted, effort) } else { None }
    }

    fn explain(&self, position: &Quarto<R>, mv: Move) -> Option<String> {
        let look = Look::at(position);
        let choice = mv.target();
        let fact = match position.hand {
            _ if look.wins() >> choice & 1 == 1 => "completes a line".to_owned(),
            None if !R::IS_GGP => return None,
            None if look.safe() >> choice & 1 == 0 => "hands over a winning piece".to_owned(),
            None => return None,
            Some(hand) => {
                let pool = look.board.pool;
                let wins = (look.threats.at(choice).pieces_after(hand) & pool).count_ones();
                match (wins, pool.count_ones()) {
                    (_, 0) => return None,
                    (0, _) => "leaves no winning piece".to_owned(),
                    (wins, all) if wins == all => "leaves only winning pieces".to_owned(),
                    (1, _) => "leaves a winning piece".to_owned(),
                    (wins, _) => format!("leaves {wins} winning pieces"),
                }
            }
        };
        Some(fact)
    }
}

impl QuartoKnowledge {
    /// A number that two moves of `position` have in common only if they lead to the same game.
    fn key_after<R: Ruleset>(&self, position: &Quarto<R>, mv: Move) -> u64 {
        let mut next = *position;
        next.apply(mv);
        let board = QuartoBoard::of(&next);
        match next.hand {
            None => self.symmetries.key(&board),
            Some(hand) => self.symmetries.key_with_hand(&board, hand),
        }
    }
}

/// The exact values of moves of `position`, best first, found by searching all that can follow: of the best, and of the
/// others that are wanted as far as the effort goes. `None` if the game is over or the effort does not suffice for the
/// best.
///
/// It takes at most 32 MiB of memory while it runs. With an unlimited effort all moves take about a tenth of a second
/// from five pieces on the board and most of a second from four (the best a fifth of that, or half of it with a piece in
/// hand), and a second or two for any position of `spec`, the start too; but under `ggp` the time grows tenfold and more
/// with every piece less, and hours won't do from the start.
///
/// ```
/// use quintet_core::game::{Game, Outcome, Side};
/// use quintet_games::{Ggp, Quarto};
/// use quintet_core::knowledge::{Effort, Wanted};
/// use quintet_games::quarto::knowledge::solve;
///
/// let position: Quarto<Ggp> = "86a./c.d./.b.4/1f.. 0 w".parse()?;
/// let effort = Effort { positions: 1_000_000, deadline: None, stop: None };
/// let moves = solve(&position, Wanted::All, effort).expect("enough");
/// assert_eq!(moves.len(), position.move_count());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn solve<R: Ruleset>(position: &Quarto<R>, wanted: Wanted, effort: Effort) -> Option<Vec<Solved<Move>>> {
    /// Under `ggp` it looks at 160 for each that it stores, but some positions take much more than most, and all moves
    /// more than the best.
    const POSITIONS_PER_ENTRY: u64 = 16;
    /// The sizes of the table, as powers of two: 16 KiB to 32 MiB.
    const MIN_BITS: u32 = 11;
    const MAX_BITS: u32 = 22;
    if position.outcome().is_some() {
        return None;
    }
    let entries = expected_positions(position).min(effort.positions) / POSITIONS_PER_ENTRY;
    let bits = (u64::BITS - entries.leading_zeros()).clamp(MIN_BITS, MAX_BITS);
    moves::values(position, wanted, &mut Solver::new(bits, effort))
}

/// About how many positions it takes to find the best move of `position`: the mean over random ones with as many pieces,
/// in which obvious losses were avoided; under `ggp` with less than four pieces a guess.
fn expected_positions<R: Ruleset>(position: &Quarto<R>) -> u64 {
    /// In thousands, by the pieces on the board, with none in hand and with one. Where there are more pieces,
    /// it is the last.
    const GGP: [[u64; 2]; 9] = [
        [10_000_000_000, 10_000_000_000],
        [5_000_000_000, 3_000_000_000],
        [1_500_000_000, 500_000_000],
        [200_000_000, 60_000_000],
        [3_000, 2_000],
        [430, 300],
        [55, 36],
        [8, 7],
        [1, 1],
    ];
    const SPEC: [[u64; 2]; 9] = [
        [6_000, 6_000],
        [6_000, 7_000],
        [10_000, 2_300],
        [530, 620],
        [810, 92],
        [28, 20],
        [34, 4],
        [2, 2],
        [1, 1],
    ];
    let table = if R::IS_GGP { GGP } else { SPEC };
    let thousands = table[(position.placed() as usize).min(table.len() - 1)];
    1_000 * thousands[usize::from(position.hand.is_some())]
}

/// What a look at a position that is not over tells.
#[derive(Debug)]
struct Look<R> {
    board: QuartoBoard,
    threats: QuartoThreats,
    hand: Option<u8>,
    rules: PhantomData<R>,
}

impl<R: Ruleset> Look<R> {
    #[inline(always)]
    fn at(position: &Quarto<R>) -> Self {
        let board = QuartoBoard::of(position);
        Self { board, threats: QuartoThreats::of(&board), hand: position.hand, rules: PhantomData }
    }

    /// The choices that win in this turn.
    #[inline(always)]
    fn wins(&self) -> u16 {
        match self.hand {
            Some(hand) => self.threats.cells(hand),
            None if R::IS_GGP => 0,
            None => self.board.pool & self.threats.pieces(),
        }
    }

    /// The choices after which the other side has no piece that completes a line, or need not get one.
    /// Without a piece in hand this looks no further than the selection: under `spec` all are safe.
    #[inline(always)]
    fn safe(&self) -> u16 {
        let pool = self.board.pool;
        match self.hand {
            Some(hand) => each(self.board.empty())
                .filter(|&cell| pool == 0 || is_safe_after::<R>(&self.threats, hand, cell, pool))
                .fold(0, |set, cell| set | 1 << cell),
            None if R::IS_GGP => pool & !self.threats.pieces(),
            None => pool,
        }
    }

    /// The value for the side to move, which has no win in this turn, by searching all that can follow.
    fn value_of_few(&self) -> u8 {
        let board = self.board;
        let reaches = |turn: &QuartoTurn, goal| turn.reaches::<R>(goal, &mut 0);
        let turns: ArrayVec<QuartoTurn, CELLS> = match self.hand {
            Some(_) if board.pool == 0 => return DRAW,
            Some(hand) if !R::IS_GGP => {
                each(self.safe()).map(|cell| QuartoTurn::new::<R>(board.with(hand, cell), 0)).collect()
            }
            None if R::IS_GGP => each(self.safe()).map(|hand| QuartoTurn::new::<R>(board, hand)).collect(),
            hand => {
                let turn = QuartoTurn::new::<R>(board, hand.unwrap_or(0));
                return value_by(|goal| reaches(&turn, goal));
            }
        };
        value_by(|goal| turns.iter().any(|turn| !reaches(turn, opposite(goal))))
    }
}

/// Whether the other side can be kept from completing a line once `piece` is on `cell`, where it completes
/// none itself, and `pool`, not nothing, is left. Under `ggp` it takes one safe piece to hand over, under
/// `spec` all have to be safe.
#[inline(always)]
fn is_safe_after<R: Ruleset>(threats: &QuartoThreats, piece: u8, cell: u8, pool: u16) -> bool {
    let winning = threats.at(cell).pieces_after(piece) & pool;
    if R::IS_GGP { winning != pool } else { winning == 0 }
}

/// The outcome that has this value for `side`.
const fn outcome(value: u8, side: Side) -> Outcome {
    match value {
        LOSS => Outcome::Win(side.opponent()),
        DRAW => Outcome::Draw,
        _ => Outcome::Win(side),
    }
}

#[cfg(test)]
mod tests {
    use std::ops::RangeInclusive;
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    use quintet_core::clock::{Clock, Deadline};

    use super::turn::WIN;
    use super::*;
    use crate::{Ggp, Spec};
    use quintet_core::game::MoveList;

    const WITHOUT_LIMIT: Effort = Effort { positions: u64::MAX, deadline: None, stop: None };

    /// Positions of random games that are not over, with so many pieces on the board and half of them with
    /// one in hand. One in two games is played without giving wins away, as others end early.
    pub(super) fn positions<R: Ruleset>(
        placed: RangeInclusive<u32>,
        count: usize,
    ) -> impl Iterator<Item = Quarto<R>> {
        let (least, most) = placed.into_inner();
        (0..)
            .filter_map(move |index| {
                let mut rng = Rng::stream(41, index);
                let mut position = Quarto::initial();
                let plies = 2 * least as usize + rng.below(2 * (most - least + 1) as usize);
                for _ in 0..plies {
                    let mut moves = MoveList::new();
                    position.legal_moves(&mut moves);
                    if index % 2 == 0 {
                        let mut safe = moves.clone();
                        safe.retain(|mv| !wins_in_two(&position.play(*mv).expect("legal")));
                        if !safe.is_empty() {
                            moves = safe;
                        }
                    }
                    position.apply(moves[rng.below(moves.len())]);
                    position.outcome().is_none().then_some(())?;
                }
                Some(position)
            })
            .take(count)
    }

    /// Whether the game is won or can be won with one or two moves from here, by whoever.
    fn wins_in_two<R: Ruleset>(position: &Quarto<R>) -> bool {
        let wins = |position: &Quarto<R>| matches!(position.outcome(), Some(Outcome::Win(_)));
        wins(position)
            || after_all(position).any(|next| wins(&next) || after_all(&next).any(|next| wins(&next)))
    }

    fn after_all<R: Ruleset>(position: &Quarto<R>) -> impl Iterator<Item = Quarto<R>> {
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        let position = *position;
        moves.into_iter().map(move |mv| position.play(mv).expect("legal"))
    }

    /// The value for the first side in half points, by the rules of the game and nothing else.
    fn minimax<R: Ruleset>(position: &Quarto<R>) -> u8 {
        if let Some(outcome) = position.outcome() {
            return outcome.half_points(Side::First);
        }
        let is_first = position.side_to_move() == Side::First;
        let (mut best, most) = if is_first { (0, 2) } else { (2, 0) };
        for next in after_all(position) {
            let value = minimax(&next);
            best = if is_first { best.max(value) } else { best.min(value) };
            if best == most {
                break;
            }
        }
        best
    }

    fn solver_agrees_with_minimax<R: Ruleset>() {
        let mut counts = [0; 3];
        for position in positions::<R>(11..=15, 150) {
            let moves = solve(&position, Wanted::All, WITHOUT_LIMIT).expect("no limit");
            assert_eq!(moves.len(), position.move_count());
            let mut last = WIN;
            for solved in moves {
                let next = position.play(solved.mv).expect("legal");
                let value = solved.outcome.half_points(Side::First);
                assert_eq!(value, minimax(&next), "{position} {}", solved.mv);
                let value = solved.outcome.half_points(position.side_to_move());
                assert!(value <= last, "{position}: not best first");
                last = value;
                counts[usize::from(value)] += 1;
            }
        }
        assert!(counts.iter().all(|&count| count > 20), "{counts:?}");
    }

    #[test]
    fn the_solver_agrees_with_minimax() {
        solver_agrees_with_minimax::<Spec>();
        solver_agrees_with_minimax::<Ggp>();
    }

    /// Where the effort is enough for the best move only, or no other is wanted: no move is worth more, and those that are
    /// listed have the values that they have among all.
    fn the_best_move_is_known_first<R: Ruleset>() {
        let mut counts = [0; 3];
        for position in positions::<R>(7..=9, 150) {
            let all = solve(&position, Wanted::All, WITHOUT_LIMIT).expect("no limit");
            let few = Effort { positions: 300, ..WITHOUT_LIMIT };
            let attempts = [
                solve(&position, Wanted::Best, WITHOUT_LIMIT),
                solve(&position, Wanted::Best, few),
                solve(&position, Wanted::All, few),
            ];
            assert!(attempts[0].is_some());
            assert_eq!(attempts[1].is_some(), attempts[2].is_some());
            for (moves, count) in attempts.into_iter().zip(&mut counts) {
                let Some(moves) = moves else { continue };
                assert_eq!((moves[0].outcome, moves[0].plies), (all[0].outcome, all[0].plies), "{position}");
                for mv in &moves {
                    assert!(all.contains(mv), "{position}: {}", mv.mv);
                }
                *count += usize::from(moves.len() < all.len());
            }
        }
        assert!(counts.iter().all(|&count| count > 5), "{counts:?}");
    }

    #[test]
    fn the_best_move_is_known_first_in_both() {
        the_best_move_is_known_first::<Spec>();
        the_best_move_is_known_first::<Ggp>();
    }

    #[test]
    fn the_first_player_of_spec_loses() {
        let start = Quarto::<Spec>::initial();
        let moves = solve(&start, Wanted::All, Effort { positions: 50_000_000, deadline: None, stop: None })
            .expect("enough");
        assert_eq!(moves.len(), 16);
        assert!(moves.iter().all(|solved| solved.outcome == Outcome::Win(Side::Second)));
    }

    #[test]
    fn the_effort_is_kept_to() {
        let position: Quarto<Ggp> = "..../.5../..c./3... 0 w".parse().expect("valid");
        let mut solver = Solver::new(11, Effort { positions: 1_000, deadline: None, stop: None });
        assert!(moves::values(&position, Wanted::All, &mut solver).is_none());
        assert!(solver.positions < 2_000);
        let clock = Clock::manual();
        let until = |time| Some(Deadline::new(clock.now() + time, &clock));
        let late = Effort { deadline: until(Duration::ZERO), ..WITHOUT_LIMIT };
        assert!(solve(&position, Wanted::All, late).is_none());
        let stop = AtomicBool::new(true);
        let stopped = Effort { stop: Some(&stop), ..WITHOUT_LIMIT };
        assert!(solve(&position, Wanted::All, stopped).is_none());
        // Not even begun where it has no prospect of success: the clock stands still, so that it would succeed.
        let short = Effort { deadline: until(Duration::from_millis(10)), ..WITHOUT_LIMIT };
        assert!(QuartoKnowledge::default().solve(&position, Wanted::All, short).is_none());
    }

    fn proofs_are_right_and_pruning_is_sound<R: Ruleset>() {
        let knowledge = QuartoKnowledge::default();
        let (mut proven, mut left_out) = (0, 0);
        for position in positions::<R>(8..=15, 3_000) {
            let moves = solve(&position, Wanted::All, WITHOUT_LIMIT).expect("no limit");
            let value = moves[0].outcome;
            if let Some(outcome) = knowledge.prove(&position) {
                assert_eq!(outcome, value, "{position}");
                proven += 1;
            }
            let mut kept = Candidates::new();
            knowledge.candidates(&position, &mut kept);
            assert!(kept.iter().all(|(_, weight)| *weight > 0.0));
            let outcome_of = |mv: Move| moves.iter().find(|solved| solved.mv == mv).expect("legal").outcome;
            assert!(kept.iter().any(|(mv, _)| outcome_of(*mv) == value), "{position}");
            left_out += moves.len() - kept.len();
        }
        assert!(proven > 1_000 && left_out > 1_000, "{proven} {left_out}");
    }

    #[test]
    fn proofs_are_right_and_pruning_is_sound_in_both() {
        proofs_are_right_and_pruning_is_sound::<Spec>();
        proofs_are_right_and_pruning_is_sound::<Ggp>();
    }

    /// Early positions can't be solved here. A move that is left out has to be equal to one that is kept.
    fn early_pruning_is_by_symmetry<R: Ruleset>() {
        let knowledge = QuartoKnowledge::default();
        for position in positions::<R>(0..=3, 200) {
            let mut kept = Candidates::new();
            knowledge.candidates(&position, &mut kept);
            let mut legal = MoveList::new();
            position.legal_moves(&mut legal);
            let keys: Vec<_> = kept.iter().map(|(mv, _)| knowledge.key_after(&position, *mv)).collect();
            for mv in legal {
                let key = knowledge.key_after(&position, mv);
                let next = position.play(mv).expect("legal");
                let is_lost = after_all(&next).any(|next| matches!(next.outcome(), Some(Outcome::Win(_))));
                assert!(
                    is_lost || keys.contains(&key) || knowledge.prove(&next).is_some(),
                    "{position} {mv}"
                );
            }
        }
        let mut first = Candidates::new();
        knowledge.candidates(&Quarto::<R>::initial(), &mut first);
        assert_eq!(first.len(), 1);
    }

    #[test]
    fn early_pruning_is_by_symmetry_in_both() {
        early_pruning_is_by_symmetry::<Spec>();
        early_pruning_is_by_symmetry::<Ggp>();
    }

    /// The positions at which the turn of the side to move can end.
    fn turn_ends<R: Ruleset>(position: &Quarto<R>) -> Vec<Quarto<R>> {
        let side = position.side_to_move();
        let mut ends = Vec::new();
        for next in after_all(position) {
            if next.outcome().is_none() && next.side_to_move() == side {
                ends.extend(turn_ends(&next));
            } else {
                ends.push(next);
            }
        }
        ends
    }

    /// The results that play can have in which wins are taken, and not given away as long as that can be
    /// helped: in half points of the first side, a bit each.
    fn sensible_results<R: Ruleset>(position: &Quarto<R>) -> u8 {
        let bit = |outcome: Outcome| 1 << outcome.half_points(Side::First);
        let side = position.side_to_move();
        let ends = turn_ends(position);
        let has_won = |end: &Quarto<R>| matches!(end.outcome(), Some(Outcome::Win(_)));
        if ends.iter().any(has_won) {
            return bit(Outcome::Win(side));
        }
        let safe = ends.iter().filter(|end| end.outcome().is_some() || !turn_ends(end).iter().any(has_won));
        let results = safe.fold(0, |all, end| all | end.outcome().map_or_else(|| sensible_results(end), bit));
        if results == 0 { bit(Outcome::Win(side.opponent())) } else { results }
    }

    fn rollouts_are_sensible<R: Ruleset>() {
        let (mut wanted, mut seen) = (0, 0);
        for position in positions::<R>(12..=15, 400) {
            let mut rng = Rng::stream(43, 0);
            let results = (0..200).fold(0, |all, _| {
                let outcome = QuartoKnowledge::default().rollout(&position, &mut rng);
                all | 1_u8 << outcome.half_points(Side::First)
            });
            let sensible = sensible_results(&position);
            assert_eq!(results & !sensible, 0, "{position}");
            wanted += sensible.count_ones();
            seen += results.count_ones();
        }
        assert!(seen * 100 > wanted * 95, "{seen} of {wanted}");
    }

    #[test]
    fn rollouts_are_sensible_in_both() {
        rollouts_are_sensible::<Spec>();
        rollouts_are_sensible::<Ggp>();
    }

    #[test]
    fn what_is_said_of_a_move_is_so() {
        fn why<R: Ruleset>(position: &str, mv: &str) -> Option<String> {
            let position: Quarto<R> = position.parse().expect("valid");
            QuartoKnowledge::default().explain(&position, position.parse_move(mv).expect("legal"))
        }
        // On the first rank all have bit 0 set.
        assert_eq!(
            why::<Ggp>("..../..../..../135. - b", "0111").as_deref(),
            Some("hands over a winning piece")
        );
        assert_eq!(why::<Ggp>("..../..../..../135. - b", "1010"), None);
        assert_eq!(why::<Ggp>("..../..../..../135. 7 w", "d1").as_deref(), Some("completes a line"));
        // Bit 3 is clear in all three, too, so of those that are left a, c and e only are safe.
        let nine = "leaves 9 winning pieces";
        assert_eq!(why::<Ggp>("..../..../..../135. 8 w", "a4").as_deref(), Some(nine));
        assert_eq!(why::<Ggp>("..../..../..../135. 8 w", "d1").as_deref(), Some("leaves no winning piece"));
        assert_eq!(why::<Spec>("..../..../..../135. - b", "0111").as_deref(), Some("completes a line"));
        assert_eq!(why::<Spec>("..../..../..../135. 8 b", "a4").as_deref(), Some(nine));
    }
}

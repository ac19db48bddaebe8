//! The order of the moves, and the report on what the trees have found.

use std::time::Duration;

use super::config::Budget;
use super::guide::Guide;
use super::joint::is_within_joint_move;
use super::merged::{Merged, MoveStats, PositionStats, RankSlot, Totals, follow, mean, sum_children};
use super::policy::{draw_first, policies};
use super::ranks::Ranks;
use super::report::{Candidate, DEVIATION, EndedEarly, Report};
use super::tree::{Place, Tree};
use crate::effort::Effort;
use crate::game::{Game, has_one_player, has_simultaneous_moves, is_chance};
use crate::hash::Fnv1a;
use crate::knowledge::{Knowledge, SolveScope, Solved, Value};

/// The measure by which candidates are compared for the final choice.
#[derive(Clone, Copy)]
pub(super) enum FinalChoice {
    /// The visits.
    Visits,
    /// The lower confidence bound of the value. It is used if trees split the moves: each tree
    /// gives the best of its own moves many visits, even if that of another tree is better.
    LowerConfidenceBound,
}

impl FinalChoice {
    /// The measure for this number of trees, which split the moves if there are several.
    pub(super) fn of_split_trees(trees: usize) -> Self {
        if trees > 1 { Self::LowerConfidenceBound } else { Self::Visits }
    }

    /// The key of a move with these visits and this value, 0 to 100: the larger the better.
    fn sort_key(self, visits: u64, value: f64) -> f64 {
        /// The distance of the bound below the mean, in standard errors: a usual number in Go
        /// programs.
        const ERRORS: f64 = 5.0;
        match self {
            Self::Visits => visits as f64,
            Self::LowerConfidenceBound => value - ERRORS * DEVIATION / (visits.max(1) as f64).sqrt(),
        }
    }
}

/// The moves of a position as candidates, best first, as [`Report::candidates`] says.
fn ranked<M: Copy>(
    sums: &PositionStats<M>,
    may_choose: &dyn Fn(M) -> bool,
    choice: FinalChoice,
) -> Vec<Candidate<M>> {
    let (side, of_position) = (sums.side, sums.bounds.of(sums.side));
    let is_proven = of_position.outcome().is_some();
    let best_line = sums.moves.iter().filter(|sum| may_choose(sum.mv)).map(|sum| sum.bounds.lower).max();
    let best_line = best_line.unwrap_or(0);
    let allowed: Vec<_> = sums.moves.iter().filter(|sum| may_choose(sum.mv)).collect();
    let candidate = |sum: &MoveStats<M>| {
        // No move is worth more than the position.
        let keeps = is_proven && sum.bounds.of(side).lower == of_position.upper && of_position.upper > 0;
        let sum = if keeps { MoveStats { bounds: sums.bounds, ..*sum } } else { *sum };
        let mut candidate = sum.candidate(side);
        if sums.has_lines && sum.bounds.lower > 0 {
            // The line is a better guess than the mean.
            candidate.value = candidate.value.map(|mean| mean.max(sum.bounds.lower.into()));
        }
        let class = match candidate.proven {
            _ if keeps => 3,
            Some(outcome) if outcome.score(side) == 0 => 1,
            // Not tried, since the position is lost without it: it may lose sooner.
            None if candidate.visits == 0 && of_position.upper == 0 => 0,
            _ => 2,
        };
        let value = candidate.value.unwrap_or(-1.0);
        // The best line that was found is better than a mean.
        let is_line = sums.has_lines && class == 2 && sum.bounds.lower == best_line;
        let line = u8::from(is_line && best_line > 0);
        ((class, line, choice.sort_key(candidate.visits, value), value), candidate)
    };
    let (keys, candidates): (Vec<_>, Vec<_>) = allowed.into_iter().map(candidate).unzip();
    let mut ranked: Vec<_> = best_first(&keys).into_iter().map(|index| candidates[index].clone()).collect();
    // A proven score is better than a move that seems to get less.
    let score = |it: &Candidate<M>| it.proven.map_or(0, |outcome| outcome.score(side));
    let highest = ranked.iter().map(score).max().unwrap_or(0);
    let best = &ranked[0];
    if highest > 0
        && best.proven.is_none()
        && best.value.is_none_or(|value| {
            // One player alone has nothing to gain from a move that only seems to get as much.
            if sums.has_lines { value <= highest.into() } else { value < highest.into() }
        })
        && let Some(proven) = ranked.iter().position(|it| it.proven.is_some() && score(it) == highest)
    {
        ranked[..=proven].rotate_right(1);
    }
    ranked
}

/// The indices of these keys (class, whether it is the best line, rank key, value), the largest key first; equal keys
/// keep their order. Not generic, so that it is compiled once.
fn best_first(keys: &[(u8, u8, f64, f64)]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by(|&a, &b| {
        let (a, b) = (keys[a], keys[b]);
        b.0.cmp(&a.0).then(b.1.cmp(&a.1)).then(b.2.total_cmp(&a.2)).then(b.3.total_cmp(&a.3))
    });
    order
}

/// Why a search with the limit `budget` ended, if that is the part of `given` that a position with
/// one move gets and was used up.
pub(super) fn of_only_move(given: Budget, budget: Budget, totals: Totals) -> Option<EndedEarly> {
    (budget != given && totals.remaining == 0).then_some(EndedEarly::OnlyMove)
}

/// The best move so far, if `remaining` more iterations can't put another before it, except by a
/// proof. `trees` are those of this rank.
pub(super) fn safe_leader<G: Game>(
    trees: &[Tree<G>],
    merged: &Merged<G::Move>,
    choice: FinalChoice,
    remaining: u64,
) -> Option<G::Move> {
    let side = trees[0].asked.side_to_move();
    let mut sums = merged.root.moves.clone();
    sums.retain(|sum| trees[0].may_choose(sum.mv) && sum.bounds.of(side).upper > 0);
    // A proven score comes first as soon as the leader's value falls below it, and so does a line that may be found.
    if merged.root.has_lines && sums.len() > 1 || sums.iter().any(|sum| sum.bounds.outcome().is_some()) {
        return None;
    }
    leader(&sums, choice, remaining).map(|leader| leader.mv)
}

/// The same for moves that are not proven.
fn leader<M: Copy + PartialEq>(
    sums: &[MoveStats<M>],
    choice: FinalChoice,
    remaining: u64,
) -> Option<&MoveStats<M>> {
    let value = |reward: u64, visits: u64| mean(reward, visits.max(1));
    let so_far = |sum: &MoveStats<M>| choice.sort_key(sum.visits, value(sum.reward, sum.visits));
    let leader = sums.iter().max_by(|a, b| so_far(a).total_cmp(&so_far(b)))?;
    // At worst it loses all remaining iterations, or gets none and stays as uncertain as it is, and
    // another move wins them all.
    let worst = choice.sort_key(leader.visits, value(leader.reward, leader.visits + remaining));
    let is_safe = sums.iter().filter(|sum| sum.mv != leader.mv).all(|sum| {
        let visits = sum.visits + remaining;
        choice.sort_key(visits, value(sum.reward + u64::from(Value::WIN) * remaining, visits)) < worst
    });
    is_safe.then_some(leader)
}

/// The report on a position, some of whose moves are [solved](Knowledge::solve). If there was a
/// search, `found` is its report, which gives the visits. The variations go on as long as `effort`
/// is enough to solve each of their positions: those of the best `variations` candidates. `only` are the
/// moves to choose from; all if it is empty.
pub(super) fn solved<G: Game, K: Knowledge<G>>(
    root: &G,
    moves: &[Solved<G::Move>],
    found: Option<Report<G::Move>>,
    guide: &Guide<K>,
    effort: Effort,
    (only, variations): (&[G::Move], usize),
) -> Report<G::Move> {
    let found = found.unwrap_or_else(|| Report::without_search(root, moves[0].mv));
    let visits = |mv| found.candidates.iter().find(|it| it.mv == mv).map_or(0, |it| it.visits);
    let side = root.side_to_move();
    let known = moves.iter().map(|known| {
        let value = f64::from(known.outcome.score(side));
        let candidate = Candidate::new(known.mv, visits(known.mv), Some(value), Some(known.outcome));
        Candidate { plies: known.plies, ..candidate }
    });
    let mut candidates: Vec<_> = known.collect();
    // The others are no better than the first, but any of them may be as good.
    let losses = candidates.partition_point(|it| it.proven.is_none_or(|outcome| outcome.score(side) > 0));
    let is_other = |it: &&Candidate<G::Move>| {
        moves.iter().all(|known| known.mv != it.mv) && (only.is_empty() || only.contains(&it.mv))
    };
    candidates.splice(losses..losses, found.candidates.iter().filter(is_other).cloned());
    let variation = |first: &Candidate<G::Move>| {
        let mut variation = vec![first.mv];
        let mut position = *root;
        loop {
            position.apply(variation[variation.len() - 1]);
            if position.outcome().is_some() || variation.len() == root.max_plies() {
                return variation;
            }
            match guide.knowledge.solve(&position, SolveScope::Best, effort).as_deref() {
                Some([reply, ..]) => variation.push(reply.mv),
                _ => return variation,
            }
        }
    };
    let mut variations = candidates.iter().take(variations.max(1)).map(variation);
    let principal_variation = variations.next().unwrap_or_default();
    let other_variations = variations.collect();
    // The solution names no move that is worth less than the best, and leaves out none that is worth more.
    let (proven, ended_early) = (Some(moves[0].outcome), Some(EndedEarly::Proven));
    Report { candidates, proven, principal_variation, other_variations, ended_early, ..found }
}

/// The candidates at the root, best first.
pub(super) fn candidates<G: Game>(
    trees: &[Tree<G>],
    merged: &Merged<G::Move>,
    choice: FinalChoice,
) -> Vec<Candidate<G::Move>> {
    ranked(&merged.root, &|mv| trees[0].may_choose(mv), choice)
}

/// The report on what the trees have found: `merged` at the root, and below it what `ranks` tell each
/// other of the best lines of as many candidates as there are to be `variations`. Of the moves that were `asked` about,
/// [settled ones are preferred](prefer_settled). `seed` draws the part of a joint move. The times are those by the clock
/// and of the CPU.
pub(super) fn report<G: Game>(
    trees: &[Tree<G>],
    merged: &Merged<G::Move>,
    ranks: Ranks,
    (choice, asked): (FinalChoice, &[(G::Move, bool)]),
    (variations, seed): (usize, u64),
    [elapsed, cpu_time]: [Duration; 2],
) -> Report<G::Move> {
    let mut visits_hash = Fnv1a::default();
    visits_hash.bytes(merged.root.moves.iter().flat_map(|sum| sum.visits.to_le_bytes()));
    let mut candidates = candidates(trees, merged, choice);
    if let FinalChoice::Visits = choice {
        prefer_settled(&mut candidates, asked);
    }
    let mut all_policies = Vec::new();
    if has_simultaneous_moves(&trees[0].root) {
        all_policies = policies(trees, ranks, &merged.root);
        if let Some(policy) = all_policies.get(trees[0].choices_before) {
            draw_first(&mut candidates, policy, &trees[0].root, seed);
        }
    }
    let mut variations =
        candidates.iter().take(variations.max(1)).map(|first| line_or_variation(trees, ranks, first.mv));
    let principal_variation = variations.next().unwrap_or_default();
    let other_variations = variations.collect();
    let Totals { iterations, nodes, full, .. } = merged.totals;
    Report {
        role: trees[0].asked.role_to_move(),
        candidates,
        policies: all_policies,
        proven: merged.outcome(),
        principal_variation,
        other_variations,
        iterations,
        nodes,
        bytes: nodes * trees[0].pool.node_bytes() as u64,
        memory_was_full: full > 0,
        ended_early: None,
        elapsed,
        cpu_time,
        visits_hash: visits_hash.hash(),
    }
}

/// A settled move needs this part of the visits of the best one to be preferred.
pub(super) const RIVAL: f64 = 0.5;

/// Puts the first move before the others that is [settled](crate::knowledge::Prover::is_settled), as `asked` says, unless
/// that or a proven score is the best one, or it has much fewer visits or is worth much less: the best one may still be
/// refuted by the proof that time did not allow.
fn prefer_settled<M: Copy + PartialEq>(candidates: &mut [Candidate<M>], asked: &[(M, bool)]) {
    /// What a move may be worth less than the best one, in points of the expected score.
    const LOSS: f64 = 10.0;
    let is_settled = |it: &Candidate<M>| asked.contains(&(it.mv, true));
    let Some(best) = candidates.first().filter(|it| it.proven.is_none() && !is_settled(it)) else { return };
    let (visits, value) = (RIVAL * best.visits as f64, best.value.unwrap_or(0.0) - LOSS);
    let is_close = |it: &Candidate<M>| {
        it.proven.is_none() && it.visits as f64 >= visits && it.value.is_some_and(|it| it >= value)
    };
    if let Some(settled) = candidates.iter().position(|it| is_settled(it) && is_close(it)) {
        candidates[..=settled].rotate_right(1);
    }
}

/// The best line to the end that starts with the move `first` of the root, if one was found, else the best
/// [variation].
fn line_or_variation<G: Game>(trees: &[Tree<G>], ranks: Ranks, first: G::Move) -> Vec<G::Move> {
    if !has_one_player(&trees[0].root) {
        return variation(trees, ranks, first);
    }
    let lines = trees.iter().filter_map(|tree| tree.line.as_ref()).filter(|line| line.moves[0] == first);
    match lines.max_by_key(|line| line.score) {
        Some(line) if ranks.is_alone() => line.moves.clone(),
        _ => variation(trees, ranks, first),
    }
}

/// The best line that starts with the move `first` of the root.
fn variation<G: Game>(trees: &[Tree<G>], ranks: Ranks, first: G::Move) -> Vec<G::Move> {
    let mut nodes: Vec<_> = (0..trees.len()).map(|tree| (tree, Place::ROOT)).collect();
    let mut variation = vec![first];
    let mut position = trees[0].asked;
    loop {
        let best = variation[variation.len() - 1];
        position.apply(best);
        nodes = follow(trees, &nodes, best);
        let is_unknown = is_chance(&position) || is_within_joint_move(&position);
        if position.outcome().is_some() || is_unknown || trees[0].choices_before > 0 {
            return variation;
        }
        let mut sums = sum_children(trees, &nodes, &position);
        sums.over(RankSlot::of(ranks), &mut [], &mut |numbers| ranks.sum(numbers));
        let replies = ranked(&sums, &|_| true, FinalChoice::Visits);
        if replies[0].visits == 0 {
            return variation;
        }
        variation.push(replies[0].mv);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Bounds, Outcome, Rng, Side};

    const SIDE: Side = Side::First;

    /// A move with this sum of half points.
    fn sum(mv: u8, visits: u64, reward: u64) -> MoveStats<u8> {
        MoveStats { mv, visits, reward: reward * u64::from(Value::HALF_POINT), bounds: Bounds::UNKNOWN }
    }

    fn sums(moves: &[MoveStats<u8>]) -> PositionStats<u8> {
        let mut sums =
            PositionStats { side: SIDE, moves: moves.to_vec(), bounds: Bounds::UNKNOWN, has_lines: false };
        sums.conclude();
        sums
    }

    fn best(moves: &[MoveStats<u8>], choice: FinalChoice) -> u8 {
        ranked(&sums(moves), &|_| true, choice)[0].mv
    }

    #[test]
    fn split_moves_are_ranked_by_lower_confidence_bounds() {
        // The best moves of two trees, and one that was hardly tried.
        let sums = [sum(0, 1_000, 1_000), sum(1, 900, 1_100), sum(2, 16, 32)];
        assert_eq!(best(&sums, FinalChoice::Visits), 0);
        assert_eq!(best(&sums, FinalChoice::LowerConfidenceBound), 1);
        // 100 visits leave a value uncertain by 25, 10,000 by 2.5.
        assert_eq!(best(&[sum(0, 10_000, 10_000), sum(1, 100, 140)], FinalChoice::LowerConfidenceBound), 0);
        assert_eq!(best(&[sum(0, 10_000, 10_000), sum(1, 100, 150)], FinalChoice::LowerConfidenceBound), 1);
    }

    #[test]
    fn of_moves_that_are_close_a_settled_one_is_preferred() {
        // The third has few visits, the last is worth 39 where the first is worth 50.
        let sums = [sum(0, 1_000, 1_000), sum(1, 600, 590), sum(2, 400, 800), sum(3, 900, 700)];
        let first = |asked: &[(u8, bool)], moves: &[MoveStats<u8>]| {
            let mut candidates = ranked(&super::tests::sums(moves), &|_| true, FinalChoice::Visits);
            prefer_settled(&mut candidates, asked);
            assert_eq!(candidates.len(), moves.len());
            candidates[0].mv
        };
        for (asked, expected) in [
            (&[][..], 0),
            (&[(0, false), (1, true)], 1),
            (&[(1, true)], 1),
            (&[(0, true), (1, true)], 0),
            (&[(0, false), (1, false)], 0),
            (&[(0, false), (2, true), (3, true)], 0),
        ] {
            assert_eq!(first(asked, &sums), expected, "{asked:?}");
        }
        // A draw that is proven stays.
        assert_eq!(first(&[(1, true)], &[proven(0, 1_000, 1_000, 1, 1), sum(1, 600, 590)]), 0);
    }

    /// A move with this sum and these bounds in half points.
    fn proven(mv: u8, visits: u64, reward: u64, lower: u8, upper: u8) -> MoveStats<u8> {
        MoveStats { bounds: Bounds { lower: 50 * lower, upper: 50 * upper }, ..sum(mv, visits, reward) }
    }

    fn order(moves: &[MoveStats<u8>]) -> Vec<u8> {
        ranked(&sums(moves), &|_| true, FinalChoice::Visits).iter().map(|it| it.mv).collect()
    }

    #[test]
    fn candidates_are_ranked_by_what_is_proven_then_by_visits_then_by_value() {
        // A win, then what may still be one, by visits.
        assert_eq!(order(&[sum(0, 50, 50), proven(1, 1, 0, 2, 2), sum(2, 90, 90)]), [1, 2, 0]);
        // A loss comes last. Of as many visits, the greater value is better; then the place counts.
        let moves = [proven(0, 99, 0, 0, 0), sum(1, 50, 40), sum(2, 50, 60), sum(3, 50, 60), sum(4, 0, 0)];
        assert_eq!(order(&moves), [2, 3, 1, 4, 0]);
        // A draw is better than a move that seems to lose, and worse than one that does not.
        assert_eq!(order(&[sum(0, 90, 89), sum(1, 80, 90), proven(2, 5, 5, 1, 1)]), [2, 0, 1]);
        assert_eq!(order(&[sum(0, 90, 90), sum(1, 80, 10), proven(2, 5, 5, 1, 1)]), [0, 1, 2]);
        // So is any proven score, the highest of them.
        let scores = |score| MoveStats { bounds: Bounds { lower: score, upper: score }, ..sum(score, 5, 5) };
        assert_eq!(order(&[sum(0, 90, 60), scores(30), scores(40)]), [40, 0, 30]);
        assert_eq!(order(&[sum(0, 90, 60), scores(20), scores(30)]), [0, 30, 20]);
        assert_eq!(order(&[sum(1, 0, 0), scores(0)]), [1, 0]);
        // The position is a draw: the moves that keep it come first.
        assert_eq!(
            order(&[proven(0, 90, 90, 0, 1), proven(1, 5, 5, 1, 1), proven(2, 9, 9, 0, 1)]),
            [1, 0, 2]
        );
        // So does a move that may be worth more by itself, as no move is worth more than the position.
        let mut drawn = sums(&[proven(0, 90, 90, 0, 1), proven(1, 5, 9, 1, 2)]);
        drawn.bounds = Bounds { lower: 50, upper: 50 };
        let best = ranked(&drawn, &|_| true, FinalChoice::Visits).swap_remove(0);
        assert_eq!((best.mv, best.value, best.proven), (1, Some(50.0), Some(Outcome::Draw)));
        // All lose; what was not tried may lose sooner.
        let mut lost = sums(&[sum(0, 0, 0), proven(1, 3, 0, 0, 0), proven(2, 7, 0, 0, 0)]);
        lost.bounds = Bounds { lower: 0, upper: 0 };
        let ranked = ranked(&lost, &|mv| mv != 9, FinalChoice::Visits);
        assert_eq!(ranked.iter().map(|it| it.mv).collect::<Vec<_>>(), [2, 1, 0]);
    }

    #[test]
    fn only_the_moves_to_choose_from_are_ranked_and_a_proof_gives_their_value() {
        let moves = sums(&[sum(0, 9, 9), sum(1, 10, 15), proven(2, 3, 0, 1, 1)]);
        let ranked = ranked(&moves, &|mv| mv != 0, FinalChoice::Visits);
        let found: Vec<_> = ranked.iter().map(|it| (it.mv, it.visits, it.value, it.proven)).collect();
        assert_eq!(found, [(1, 10, Some(75.0), None), (2, 3, Some(50.0), Some(Outcome::Draw))]);
    }

    #[test]
    fn a_leader_that_is_safe_stays_first_whatever_follows() {
        let mut rng = Rng::stream(7, 0);
        for choice in [FinalChoice::Visits, FinalChoice::LowerConfidenceBound] {
            let mut safe = 0;
            for _ in 0..30_000 {
                let mut sums = [0, 1, 2].map(|mv| {
                    let visits = rng.below(2_000) as u64;
                    sum(mv, visits, rng.below(2 * visits as usize + 1) as u64)
                });
                let remaining = rng.below(400) as u64;
                let Some(leader) = leader(&sums, choice, remaining).map(|sum| sum.mv) else { continue };
                safe += 1;
                assert_eq!(best(&sums, choice), leader);
                // One move gets all remaining iterations, won or lost; or they are spread at
                // random.
                for points in [0, 2] {
                    for mv in 0..3 {
                        let mut sums = sums;
                        sums[mv].visits += remaining;
                        sums[mv].reward += points * remaining * u64::from(Value::HALF_POINT);
                        assert_eq!(best(&sums, choice), leader);
                    }
                }
                let mut left = remaining as usize;
                for sum in &mut sums {
                    let part = rng.below(left + 1);
                    left -= part;
                    sum.visits += part as u64;
                    sum.reward += rng.below(2 * part + 1) as u64 * u64::from(Value::HALF_POINT);
                }
                assert_eq!(best(&sums, choice), leader);
            }
            assert!(safe > 1_000, "{safe}");
        }
    }
}

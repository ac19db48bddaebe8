//! The search's proofs are right: checked by brute force in late positions of every game, with each
//! technique switched off in turn, on one tree and on two.

use std::collections::HashMap;
use std::num::NonZeroUsize;

use quintet_core::game::{Game, MoveList, Outcome, Rng, Side};
use quintet_core::search::{Budget, Search, SearchConfig, Technique, Techniques};
use quintet_games::Known;

use crate::catalog::{GameId, Rules, Visitor};

/// The value of a position for the first side in half points, by brute force; `None` if that takes
/// more than `budget` positions.
fn brute_force<G: Game>(position: &G, known: &mut HashMap<G, u8>, budget: &mut u32) -> Option<u8> {
    if let Some(outcome) = position.outcome() {
        return Some(outcome.half_points(Side::First));
    }
    if let Some(&value) = known.get(position) {
        return Some(value);
    }
    *budget = budget.checked_sub(1)?;
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    let is_first = position.side_to_move() == Side::First;
    let mut best = if is_first { 0 } else { 2 };
    for mv in moves {
        let mut next = *position;
        next.apply(mv);
        let value = brute_force(&next, known, budget)?;
        best = if is_first { best.max(value) } else { best.min(value) };
    }
    known.insert(*position, best);
    Some(best)
}

/// Late positions of random games, with the values of all positions that can follow.
fn late_positions<G: Game>(count: u64) -> Vec<(G, HashMap<G, u8>)> {
    /// The number of positions to search for one late position.
    const BUDGET: u32 = 2_500;
    (0..)
        .filter_map(|index| {
            let mut rng = Rng::stream(21, index);
            let mut line = vec![G::initial()];
            while line[line.len() - 1].outcome().is_none() {
                let mut next = line[line.len() - 1];
                next.apply(next.random_move(&mut rng));
                line.push(next);
            }
            // The earliest position within the budget.
            let mut found = None;
            for position in line.iter().rev().skip(1) {
                let (mut known, mut budget) = (HashMap::new(), BUDGET);
                if brute_force(position, &mut known, &mut budget).is_none() {
                    break;
                }
                found = Some((*position, known));
            }
            found
        })
        .take(count as usize)
        .collect()
}

struct Check;

impl Visitor for Check {
    /// The number of proofs checked.
    type Output = usize;

    fn visit<G: Known>(self) -> usize {
        const POSITIONS: u64 = 100;
        let positions = late_positions::<G>(POSITIONS);
        let mut proofs = 0;
        let off = Technique::ALL.map(|technique| Techniques::NONE.with(technique));
        for without in [Techniques::NONE].into_iter().chain(off) {
            for trees in [1, 2] {
                let config = SearchConfig {
                    trees: NonZeroUsize::new(trees).expect("not 0"),
                    techniques: Techniques::ALL.and_not(without),
                    ..SearchConfig::default()
                };
                let mut search = Search::new(config, G::Knowledge::default()).expect("valid");
                for (position, known) in &positions {
                    let budget = Budget::iterations(250).expect("not 0");
                    let report = search.run(position, budget).expect("the game is not over");
                    for candidate in report.candidates {
                        let Some(claim) = candidate.proven.map(|outcome| outcome.half_points(Side::First))
                        else {
                            continue;
                        };
                        let next = position.play(candidate.mv).expect("legal");
                        let value = next.outcome().map_or_else(
                            || known[&next],
                            |outcome: Outcome| outcome.half_points(Side::First),
                        );
                        assert_eq!(
                            claim,
                            value,
                            "{} after {position}, {config:?}",
                            candidate.mv,
                            config = search.config()
                        );
                        proofs += 1;
                    }
                }
            }
        }
        proofs
    }
}

#[test]
fn nothing_is_said_to_be_proven_that_is_not_so() {
    for &game in GameId::ALL {
        for rules in Rules::ALL {
            let proofs = game.visit(rules, Check);
            assert!(proofs > 1_000, "{game} {rules}: only {proofs} proofs");
        }
    }
}

//! The search's proofs are right: checked by brute force in late positions of every game, with each
//! technique switched off in turn, on one tree and on several.

use std::collections::HashMap;
use std::num::NonZeroUsize;

use quintet_core::game::{Game, MoveList, Notation, Outcome, Rng, Side};
use quintet_core::search::{SearchConfig, Technique, Techniques};
use quintet_core::session::EngineConfig;
use quintet_games::HasKnowledge;
use rayon::prelude::*;

use crate::catalog::{GameId, Rules, Visitor};
use crate::player::Player;

/// The score of the first side in a position, by brute force; `None` if that takes
/// more than `budget` positions.
fn brute_force<G: Game>(position: &G, known: &mut HashMap<G, u8>, budget: &mut u32) -> Option<u8> {
    if let Some(outcome) = position.outcome() {
        return Some(outcome.score(Side::First));
    }
    if let Some(&value) = known.get(position) {
        return Some(value);
    }
    *budget = budget.checked_sub(1)?;
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    let is_first = position.side_to_move() == Side::First;
    let mut best = if is_first { 0 } else { 100 };
    for mv in moves {
        let mut next = *position;
        next.apply(mv);
        let value = brute_force(&next, known, budget)?;
        best = if is_first { best.max(value) } else { best.min(value) };
    }
    known.insert(*position, best);
    Some(best)
}

/// A position late in a game, with what brute force finds.
struct Late {
    position: String,
    to_move: Side,
    /// The score of the first side.
    value: u8,
    /// The same after every move.
    after: HashMap<String, u8>,
}

impl Late {
    fn new<G: Notation>(position: &G, known: &HashMap<G, u8>) -> Self {
        let value =
            |next: &G| next.outcome().map_or_else(|| known[next], |outcome| outcome.score(Side::First));
        let moves = position.move_list();
        Self {
            position: position.to_string(),
            to_move: position.side_to_move(),
            value: value(position),
            after: moves.iter().map(|mv| (mv.to_string(), value(&position.after(*mv)))).collect(),
        }
    }
}

/// Late positions of random games.
fn late_positions<G: Notation>(count: u64) -> Vec<Late> {
    /// The number of positions to search for one late position.
    const BUDGET: u32 = 2_500;
    /// With more moves, three plies mostly take more than that.
    const MOVES: usize = 24;
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
            for position in line.iter().rev().skip(1).take_while(|it| it.move_count() <= MOVES) {
                let (mut known, mut budget) = (HashMap::new(), BUDGET);
                if brute_force(position, &mut known, &mut budget).is_none() {
                    break;
                }
                found = Some((*position, known));
            }
            found.map(|(position, known)| Late::new(&position, &known))
        })
        .take(count as usize)
        .collect()
}

struct LatePositions(u64);

impl Visitor for LatePositions {
    type Output = Vec<Late>;

    fn visit<G: HasKnowledge>(self) -> Vec<Late> {
        late_positions::<G>(self.0)
    }
}

/// The number of proofs checked.
fn check(game: GameId, rules: Rules) -> usize {
    let positions = game.visit(rules, LatePositions(60));
    let mut proofs = 0;
    let off = Technique::ALL.map(|technique| Techniques::NONE.with(technique));
    for without in [Techniques::NONE].into_iter().chain(off) {
        for trees in 1..=3 {
            let config = SearchConfig {
                trees: NonZeroUsize::new(trees),
                techniques: Techniques::ALL.and_not(without),
                ..SearchConfig::default()
            };
            let mut player = Player::new(game, rules, &EngineConfig::Quintet(config.clone()));
            // Each position on two of the three numbers of trees, and with few iterations or many.
            let some = positions.iter().enumerate().filter(|(index, _)| index % 3 + 1 != trees);
            for (index, late) in some {
                player.go_to(&late.position);
                let report = player.iterate([20, 60, 250][index / 3 % 3]);
                let claim = |outcome: Option<Outcome>| Some(outcome?.score(Side::First));
                let what = || format!("{}, {config:?}", late.position);
                for candidate in &report.candidates {
                    let Some(claim) = claim(candidate.proven) else { continue };
                    assert_eq!(claim, late.after[&candidate.mv], "{} after {}", candidate.mv, what());
                    proofs += 1;
                }
                if let Some(claim) = claim(report.proven) {
                    assert_eq!(claim, late.value, "{}", what());
                    let best = report.best();
                    assert_eq!(late.after[&best.mv], claim, "{} is played at {}", best.mv, what());
                    assert_eq!(best.proven, report.proven, "{}", what());
                }
                // It takes a search a move.
                if index % 5 != 0 {
                    continue;
                }
                let explained = player.explain();
                assert_eq!(explained.len(), report.candidates.len(), "{}", what());
                for (why, it) in explained.iter().zip(&report.candidates) {
                    let is_said = why == "not tried: the best move is proven";
                    assert!(!is_said || report.proven.is_some(), "{} after {}", it.mv, what());
                    let wins = ["wins", "proven win"].iter().any(|word| why.starts_with(word));
                    let is_won = report.proven == Some(Outcome::Win(late.to_move));
                    let is_claimed = report.best().proven.is_some();
                    assert!(!(wins && is_claimed) || is_won, "{} {why} after {}", it.mv, what());
                }
            }
        }
    }
    proofs
}

#[test]
fn nothing_is_said_to_be_proven_that_is_not_so() {
    GameId::ALL.par_iter().for_each(|&game| {
        Rules::ALL.par_iter().for_each(|&rules| {
            let proofs = check(game, rules);
            assert!(proofs > 500, "{game} {rules}: only {proofs} proofs");
        });
    });
}

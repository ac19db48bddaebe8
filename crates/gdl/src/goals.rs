//! Proves that the goals of two roles add up to 100 at every end.

use std::ops::Range;

use crate::gates::{Gate, Gates, Lit};
use crate::limits::Late;
use crate::net::Net;
use crate::prover::Prover;

/// The effort of a proof of two goals.
const EFFORT: usize = 1_000_000;
/// The effort of a proof of what a step does to one fluent.
const SMALL_EFFORT: usize = 20_000;
/// The effort of a proof that a role always has a move.
const STUCK_EFFORT: usize = 100_000;

/// For each goal what holds where it is the greatest; the goal is 0 where none holds.
fn exact(gates: &mut Gates, goals: &[(u8, Lit)]) -> Vec<(u8, Lit)> {
    let mut greater = Vec::new();
    let mut exact = Vec::new();
    for &(goal, lit) in goals.iter().rev() {
        let none = !gates.any(greater.clone());
        exact.push((goal, gates.and(lit, none)));
        greater.push(lit);
    }
    exact.push((0, !gates.any(greater)));
    exact
}

/// The ends of a game at which the goals of the first two roles are proven to add up to 100.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ends {
    /// Those by `terminal`. Where a role has no move, the game is over, too.
    ByTerminal,
    All,
}

/// At which ends after a step it is proven that the goals of the first two roles add up to 100. In every state one of the
/// cases holds: that the first role has no choice, or that the second has none.
///
/// Two goals that do not add up to 100 may exclude each other in every state. If not, no step may lead to a new end with
/// both: mostly a role that has no choice does not come by a goal that it did not have before, when the game was not over.
pub(crate) fn shares_100(
    known: &Prover<'_>,
    moves_of: &[Range<usize>],
    cases: &[Lit],
) -> Result<Option<Ends>, Late> {
    let [first, second, ..] = &known.net.goals[..] else { return Ok(None) };
    let mut net = known.net.clone();
    let [first, second] = [first, second].map(|goals| exact(&mut net.gates, goals));
    let pairs = first.iter().flat_map(|one| second.iter().map(move |other| (one, other)));
    let wrong: Vec<[Lit; 2]> =
        pairs.filter(|(one, other)| one.0 + other.0 != 100).map(|(one, other)| [one.1, other.1]).collect();
    let mut now = known.for_states(&net);
    let mut left: Vec<[Lit; 2]> = Vec::new();
    for [one, other] in wrong {
        known.end.look()?;
        if !now.is_impossible(&[one, other, net.terminal], SMALL_EFFORT) {
            left.push([one, other]);
        }
    }
    let lits: Vec<Lit> = left.iter().flatten().copied().chain([net.terminal]).collect();
    let After { net: after, images, lits } = After::new(&net, &lits);
    let (lits, is_over_next) = lits.split_at(2 * left.len());
    let mut step = Step { prover: known.for_steps(&after)?, images };
    step.prover.takes_last = true;
    for (pair, next) in left.iter().zip(lits.chunks(2)) {
        for (role, &case) in cases.iter().enumerate() {
            let before = [case, !after.terminal];
            let is_kept = now.is_impossible(&[pair[role], !after.terminal], SMALL_EFFORT)
                && step.keeps_false(pair[role], &before)?;
            let both = [&[next[role], next[1 - role]], is_over_next, &before].concat();
            if !is_kept && !step.prover.is_impossible(&both, EFFORT) {
                return Ok(None);
            }
        }
    }
    Ok(Some(if is_never_stuck(known, moves_of)? { Ends::All } else { Ends::ByTerminal }))
}

/// Whether it is proven that after each step `terminal` holds, or each role has a move.
fn is_never_stuck(known: &Prover<'_>, moves_of: &[Range<usize>]) -> Result<bool, Late> {
    let mut net = known.net.clone();
    let mut lits: Vec<Lit> =
        moves_of.iter().map(|moves| net.gates.any(net.legal[moves.clone()].to_vec())).collect();
    lits.push(net.terminal);
    let After { net: after, lits, .. } = After::new(&net, &lits);
    let Some((&is_over, may_move)) = lits.split_last() else { return Ok(false) };
    let mut step = known.for_steps(&after)?;
    step.takes_last = true;
    Ok(may_move.iter().all(|&it| step.is_impossible(&[!is_over, !it, !after.terminal], STUCK_EFFORT)))
}

/// A network with what holds after a step.
struct After {
    net: Net,
    /// What stands for each node of the network after the step, where that is known.
    images: Vec<Option<Lit>>,
    /// What some of them are after the step.
    lits: Vec<Lit>,
}

impl After {
    fn new(net: &Net, lits: &[Lit]) -> Self {
        let mut gates = net.gates.clone();
        let mut images = vec![None; net.gates.len()];
        images[0] = Some(Lit::FALSE);
        for (fluent, &next) in net.next.iter().enumerate() {
            images[net.fluent(fluent).node()] = Some(next);
        }
        let lits = net.gates.copy_to(&mut gates, lits, &mut images);
        Self { net: Net { gates, ..net.clone() }, images, lits }
    }
}

/// A step of a game.
struct Step<'a> {
    prover: Prover<'a>,
    /// What stands for each node of the network after the step, where that is known.
    images: Vec<Option<Lit>>,
}

/// What a step does to a node: whether what is false stays false, and what is true stays true.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Keeps {
    is_false: bool,
    is_true: bool,
}

impl Keeps {
    const ALL: Self = Self { is_false: true, is_true: true };

    fn of_complement(self, is_complement: bool) -> Self {
        if is_complement { Self { is_false: self.is_true, is_true: self.is_false } } else { self }
    }

    fn both(self, other: Self) -> Self {
        Self { is_false: self.is_false && other.is_false, is_true: self.is_true && other.is_true }
    }
}

impl Step<'_> {
    /// Whether `lit` stays false in a step before which these hold, as follows from what its inputs do.
    fn keeps_false(&mut self, lit: Lit, before: &[Lit]) -> Result<bool, Late> {
        let net = self.prover.net;
        let cone = net.gates.cone([lit]);
        let mut known: Vec<Keeps> = Vec::with_capacity(lit.node() + 1);
        for (node, &is_needed) in cone[..=lit.node()].iter().enumerate() {
            self.prover.end.look_at(node, 1 << 8)?;
            let of = |known: &[Keeps], lit: Lit| known[lit.node()].of_complement(lit.is_complement());
            known.push(match net.gates.gate(node) {
                _ if !is_needed || self.images[node] == Some(Lit::of(node)) => Keeps::ALL,
                Gate::And(a, b) => of(&known, a).both(of(&known, b)),
                Gate::Xor(a, b) => {
                    let both = of(&known, a).both(of(&known, b));
                    if both == Keeps::ALL { both } else { Keeps { is_false: false, is_true: false } }
                }
                Gate::Input => {
                    let (now, next) = (Lit::of(node), self.images[node].unwrap_or(Lit::of(node)));
                    let mut never = |one: Lit, other: Lit| {
                        self.prover.is_impossible(&[&[one, other], before].concat(), SMALL_EFFORT)
                    };
                    Keeps { is_false: never(next, !now), is_true: never(!next, now) }
                }
                Gate::False => Keeps::ALL,
            });
        }
        Ok(known[lit.node()].of_complement(lit.is_complement()).is_false)
    }
}

#[cfg(test)]
mod tests {
    use super::Ends;
    use crate::{Compiled, Limits};

    /// Two players place stones on six points in turn.
    const STONES: &str = "(role a) (role b) (init (turn a)) (point 1) (point 2) (point 3) (point 4) (point 5) (point 6)
        (<= (legal ?p (put ?x)) (true (turn ?p)) (point ?x) (not (true (stone a ?x))) (not (true (stone b ?x))))
        (<= (legal ?p noop) (role ?p) (not (true (turn ?p))))
        (<= (next (stone ?p ?x)) (does ?p (put ?x))) (<= (next (stone ?p ?x)) (true (stone ?p ?x)))
        (<= (next (turn ?q)) (role ?q) (not (true (turn ?q))))
        (<= (three ?p) (true (stone ?p 1)) (true (stone ?p 3)) (true (stone ?p 5)))
        (<= (three ?p) (true (stone ?p 2)) (true (stone ?p 3)) (true (stone ?p 4)))
        (<= open (point ?x) (not (true (stone a ?x))) (not (true (stone b ?x))))
        (<= terminal (three ?p)) (<= terminal (not open))
        (<= (goal ?p 100) (three ?p)) (<= (goal ?p 0) (role ?p) (role ?q) (distinct ?p ?q) (three ?q))";

    #[test]
    fn goals_that_add_up_to_100_are_proven_to() {
        let is_proven = |rest: &str| {
            let compiled =
                Compiled::new(&format!("{STONES} {rest}"), Limits::default()).expect("it is right");
            compiled.summary_of_goals()
        };
        let draw = "(<= (goal ?p 50) (role ?p) (not (three a)) (not (three b)))";
        assert_eq!(is_proven(draw), (true, Some(Ends::All)));
        // Without a goal for a draw both have 0.
        assert_eq!(is_proven(""), (false, None));
        // Where a has its three by the third point, both have 100, which random games come across.
        let both = "(<= (goal b 100) (true (stone a 1)) (true (stone a 3)) (true (stone a 5)))";
        assert_eq!(is_proven(&format!("{draw} {both}")), (false, None));
    }

    #[test]
    fn the_goals_where_a_role_has_no_move_are_told_apart() {
        // Nobody has a move after the first stone of `a` on 1.
        let stuck = STONES
            .replace("(true (turn ?p)) (point ?x)", "(true (turn ?p)) (not (true (stone a 1))) (point ?x)");
        assert_ne!(stuck, STONES);
        let draw = "(<= (goal ?p 50) (role ?p) (not (three a)) (not (three b)))";
        let compiled = Compiled::new(&format!("{stuck} {draw}"), Limits::default()).expect("it is right");
        assert_eq!(compiled.summary_of_goals(), (true, Some(Ends::ByTerminal)));
    }
}

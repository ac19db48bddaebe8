//! How many moves may be legal at once, as far as the pieces are counted that make them.
//!
//! Fluents are grouped, such as those of white pieces by cell. If no move of a role fills more groups than it empties, no
//! state has more filled ones than the start; and if each move needs a group that is filled, few of them are legal at once.
//! Samples suggest which fluents are pieces, and networks in which not all inputs are known prove it.

use std::cell::RefCell;
use std::collections::BTreeMap;

use quintet_core::game::MAX_MOVES;

use crate::bits::{bits, has_bit, set_bit};
use crate::evidence::{Evidence, Proven};
use crate::follows::{Input, denied_fluents, following};
use crate::hash::FastMap;
use crate::limits::Late;
use crate::net::Net;
use crate::partial::{Partial, Step, gates_of};
use crate::prover::Prover;
use crate::slots::Exclusive;

/// The most kinds of groups of which it is tried to prove that they don't become more.
const MAX_TRIED: usize = 16;
/// The most moves that need no group.
const MAX_WITHOUT: usize = 2 * MAX_MOVES;
/// The most names of pieces of a kind.
const MAX_NAMES: usize = 64;
/// The steps of proofs by cases that moves exclude each other.
const STEPS: u64 = 20_000_000;
/// The most gates that are computed for a proof, 64 moves at a time.
const MAX_WORK: usize = 1 << 28;

/// Groups of fluents, no more than `most` of which have one that is true.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) groups: Vec<Vec<usize>>,
    pub(crate) most: usize,
}

impl Count {
    pub(crate) fn filled(&self, state: &[u64]) -> usize {
        self.groups.iter().filter(|group| group.iter().any(|&it| has_bit(state, it))).count()
    }
}

/// The most moves of a role that are legal at once, with what that depends on, if counting shows that there are no more
/// than [`MAX_MOVES`]. Of each slot one is legal at most.
pub(crate) fn most_moves(
    evidence: &Evidence<'_>,
    proven: &Proven,
    role: usize,
    slots: &[Vec<usize>],
) -> Result<Option<(usize, Count)>, Late> {
    let moves = slots.iter().flatten().copied().filter(|it| evidence.moves_of[role].contains(it));
    let mut moves: Vec<usize> = moves.collect();
    moves.sort_unstable();
    let mut slot_of = vec![None; proven.legal.len()];
    for (number, slot) in slots.iter().enumerate() {
        for &mv in slot {
            slot_of[mv] = Some(number);
        }
    }
    let net = evidence.net;
    let Some(denied) = denied_fluents(net, &proven.exclusions) else { return Ok(None) };
    let mut exclusive = Exclusive { proven, denied: Some(&denied), prover: None };
    let mut tried: Vec<(usize, Count, Vec<Vec<u64>>)> = Vec::new();
    for groups in suggested(evidence, role)? {
        evidence.end.look()?;
        let mut count = Count { groups, most: 0 };
        let states = &evidence.samples.states;
        count.most = count.filled(&states[0].state);
        if count.most < count.groups.len()
            && states.iter().all(|it| count.filled(&it.state) <= count.most)
            && let Some(needed) = needed_groups(net, &count.groups)
        {
            let most = bound(evidence, &count, &needed, &moves, &slot_of, &exclusive)?;
            tried.push((most, count, needed));
        }
    }
    if tried.iter().all(|it| it.0 > MAX_MOVES) {
        // By cases, too, where that may be enough.
        let role_of: Vec<usize> = (0..evidence.moves_of.len())
            .flat_map(|role| evidence.moves_of[role].clone().map(move |_| role))
            .collect();
        let mut prover = Prover::new(net, &role_of, evidence.moves_of.len(), STEPS, evidence.end);
        prover.exclusions = proven.exclusions.clone();
        exclusive.prover = Some(RefCell::new(prover));
        for (most, count, needed) in tried.iter_mut().filter(|it| it.0 <= 2 * MAX_MOVES) {
            *most = bound(evidence, count, needed, &moves, &slot_of, &exclusive)?;
        }
    }
    tried.retain(|it| it.0 <= MAX_MOVES);
    tried.sort_by_key(|it| it.0);
    tried.truncate(MAX_TRIED);
    let legal_gates = gates_of(net, net.legal.iter().copied());
    let step = Step {
        net,
        moves_of: evidence.moves_of,
        legal: &proven.legal,
        denied: &denied,
        legal_gates: &legal_gates,
    };
    for (most, count, needed) in tried {
        if let Some(proof) = Proof::new(evidence, proven, &count.groups, &needed, step)
            && proof.never_grows(role)?
        {
            return Ok(Some((most, count)));
        }
    }
    Ok(None)
}

/// The groups that samples suggest: those of fluents that differ in one symbol, which names a piece. A role moves its
/// pieces, and gets no more of them.
fn suggested(evidence: &Evidence<'_>, role: usize) -> Result<Vec<Vec<Vec<usize>>>, Late> {
    // A name is a symbol in a place after a first symbol.
    let mut numbers: FastMap<(&str, usize, &str), usize> = FastMap::default();
    let mut kinds: BTreeMap<(&str, usize), Vec<usize>> = BTreeMap::new();
    let mut symbol_of: Vec<&str> = Vec::new();
    let mut names_of: Vec<Vec<usize>> = Vec::new();
    for symbols in evidence.fluents {
        let name = |(place, symbol)| {
            let next = numbers.len();
            let name = *numbers.entry((symbols[0], place, symbol)).or_insert(next);
            if name == next {
                kinds.entry((symbols[0], place)).or_default().push(name);
                symbol_of.push(symbol);
            }
            name
        };
        names_of.push(symbols.iter().copied().enumerate().skip(1).map(name).collect());
    }
    // By how much the number of facts with a name grew in a step.
    let mut steps: Vec<FastMap<usize, i32>> = Vec::new();
    let mut is_gained = vec![false; numbers.len()];
    let mut is_seen = vec![false; numbers.len()];
    for (fluent, names) in names_of.iter().enumerate() {
        if evidence.samples.states.iter().any(|it| has_bit(&it.state, fluent)) {
            for &name in names {
                is_seen[name] = true;
            }
        }
    }
    for pair in evidence.samples.states.windows(2) {
        let [now, next] = pair else { continue };
        let Some(&mv) = now.moves.get(role) else { continue };
        let is_idle = has_bit(&evidence.samples.idle, mv as usize);
        let mut grown: FastMap<usize, i32> = FastMap::default();
        for fluent in bits(now.state.iter().zip(&next.state).map(|(a, b)| a ^ b)) {
            let gains = has_bit(&next.state, fluent);
            for &name in &names_of[fluent] {
                *grown.entry(name).or_default() += if gains { 1 } else { -1 };
                is_gained[name] |= gains && !is_idle;
            }
        }
        steps.push(grown);
    }
    let growths = |pieces: &[usize]| {
        let grows =
            |it: &&FastMap<usize, i32>| pieces.iter().filter_map(|name| it.get(name)).sum::<i32>() > 0;
        steps.iter().filter(grows).count()
    };
    let mut found = Vec::new();
    for (&(_, place), names) in &kinds {
        let mut pieces: Vec<usize> = names.iter().copied().filter(|&it| is_gained[it]).collect();
        if pieces.len() > MAX_NAMES {
            continue;
        }
        let mut tried: Vec<Vec<usize>> = pieces.iter().map(|&it| vec![it]).collect();
        tried.retain(|it| growths(it) == 0);
        // Leaves out the names without which it happens least often that there are more, such as that of an empty cell.
        while growths(&pieces) > 0 {
            evidence.end.look()?;
            let without = |at: usize| growths(&[&pieces[..at], &pieces[at + 1..]].concat());
            let Some(at) = (0..pieces.len()).min_by_key(|&at| without(at)) else { break };
            pieces.remove(at);
        }
        if let Some(&first) = pieces.first() {
            // And those that no random game had, such as `whitequeen` beside `whiterook` and `whitepawn`.
            let alike = |it: &usize| shared_prefix(symbol_of[first], symbol_of[*it]);
            let length = pieces.iter().map(alike).min().unwrap_or(0);
            let others = names.iter().filter(|it| length > 0 && !is_seen[**it] && alike(it) >= length);
            let all: Vec<usize> = pieces.iter().chain(others).copied().collect();
            if all.len() > pieces.len() {
                tried.push(all);
            }
            if pieces.len() > 1 {
                tried.push(pieces);
            }
        }
        for pieces in tried {
            let is_piece =
                |fluent: &usize| names_of[*fluent].get(place - 1).is_some_and(|it| pieces.contains(it));
            let fluents: Vec<usize> = (0..names_of.len()).filter(is_piece).collect();
            // One symbol more may be none of the place, such as the kind of piece beside its color.
            let longest = fluents.iter().map(|&it| evidence.fluents[it].len()).max().unwrap_or(0);
            for other in 1..longest {
                let mut groups: BTreeMap<Vec<&str>, Vec<usize>> = BTreeMap::new();
                for &fluent in &fluents {
                    let symbols = evidence.fluents[fluent].iter().enumerate();
                    let rest = symbols.filter(|it| it.0 != place && it.0 != other).map(|it| *it.1);
                    groups.entry(rest.collect()).or_default().push(fluent);
                }
                found.push(groups.into_values().collect());
            }
        }
    }
    Ok(found)
}

/// The number of bytes that two texts have in common at their start.
fn shared_prefix(one: &str, other: &str) -> usize {
    one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count()
}

/// For each move the set of groups each of which has to be filled where it is legal.
fn needed_groups(net: &Net, groups: &[Vec<usize>]) -> Option<Vec<Vec<u64>>> {
    let mut group_of = vec![None; net.next.len()];
    for (number, group) in groups.iter().enumerate() {
        for &fluent in group {
            group_of[fluent] = Some(number);
        }
    }
    following(net, &net.legal, groups.len(), |input, found| {
        if let Input::Fluent(fluent, true) = input
            && let Some(group) = group_of[fluent]
        {
            set_bit(found, group);
        }
    })
}

/// The most legal moves: those of the groups with the most moves, as many as may be filled, and those without a group.
fn bound(
    evidence: &Evidence<'_>,
    count: &Count,
    needed: &[Vec<u64>],
    moves: &[usize],
    slot_of: &[Option<usize>],
    exclusive: &Exclusive<'_>,
) -> Result<usize, Late> {
    let mut moves_of_group = vec![Vec::new(); count.groups.len() + 1];
    for &mv in moves {
        let group = (0..count.groups.len()).find(|&it| has_bit(&needed[mv], it));
        moves_of_group[group.unwrap_or(count.groups.len())].push(mv);
    }
    if moves_of_group[count.groups.len()].len() > MAX_WITHOUT {
        return Ok(usize::MAX);
    }
    // Slots of their own may be fewer or more than those that they share with others.
    let slots = |moves: Vec<usize>| {
        let mut shared: Vec<Option<usize>> = moves.iter().map(|&it| slot_of[it]).collect();
        shared.sort_unstable();
        shared.dedup();
        Ok(shared.len().min(exclusive.slots(moves.into_iter(), evidence.end)?.len()))
    };
    let mut sizes = moves_of_group.into_iter().map(slots).collect::<Result<Vec<usize>, Late>>()?;
    let without = sizes.pop().unwrap_or(0);
    sizes.sort_unstable();
    Ok(without + sizes.iter().rev().take(count.most).sum::<usize>())
}

/// What the proof that there are no more filled groups looks at.
struct Proof<'a> {
    evidence: &'a Evidence<'a>,
    proven: &'a Proven,
    groups: &'a [Vec<usize>],
    needed: &'a [Vec<u64>],
    step: Step<'a>,
    /// The gates of what each group is next.
    next: Vec<Vec<u32>>,
}

impl<'a> Proof<'a> {
    /// `None` if it would take too long.
    fn new(
        evidence: &'a Evidence<'a>,
        proven: &'a Proven,
        groups: &'a [Vec<usize>],
        needed: &'a [Vec<u64>],
        step: Step<'a>,
    ) -> Option<Self> {
        let net = evidence.net;
        let words = evidence.moves_of.iter().map(|it| it.len().div_ceil(64)).sum::<usize>();
        let mut next = Vec::new();
        let mut work = step.legal_gates.len();
        for group in groups {
            let gates = gates_of(net, group.iter().map(|&it| net.next[it]));
            work += net.gates.len() / 64 + gates.len();
            if work * 2 * words > MAX_WORK {
                return None;
            }
            next.push(gates);
        }
        Some(Self { evidence, proven, groups, needed, step, next })
    }

    /// Whether no step fills more groups than it empties. What the role does is looked at first, whatever the others do;
    /// where that proves nothing, such as where it waits, what another one does.
    fn never_grows(&self, role: usize) -> Result<bool, Late> {
        let moves_of = self.evidence.moves_of;
        let open = self.growing(role, &|_| true)?;
        let is_open = |mv: usize| !moves_of[role].contains(&mv) || open.contains(&mv);
        let mut never = open.is_empty();
        for other in (0..moves_of.len()).filter(|&it| it != role) {
            never = never || self.growing(other, &is_open)?.is_empty();
        }
        Ok(never)
    }

    /// The moves of a role with which the filled groups may become more if the others make moves that are allowed.
    fn growing(&self, role: usize, is_allowed: &dyn Fn(usize) -> bool) -> Result<Vec<usize>, Late> {
        let Self { evidence, proven, needed, .. } = self;
        let net = evidence.net;
        let mut found = Vec::new();
        let moves: Vec<usize> =
            evidence.moves_of[role].clone().filter(|&it| !proven.legal[it].is_impossible).collect();
        for moves in moves.chunks(64) {
            evidence.end.look()?;
            let (mut known, possible) = Partial::of_moves(&self.step, moves, is_allowed);
            let mut balance = vec![0_i32; moves.len()];
            for (number, (group, gates)) in self.groups.iter().zip(&self.next).enumerate() {
                let fills = known.may_become_true(net, gates, group);
                for (lane, (balance, &mv)) in balance.iter_mut().zip(moves).enumerate() {
                    let is_new = (fills & possible) >> lane & 1 == 1 && !has_bit(&needed[mv], number);
                    *balance += i32::from(is_new);
                }
            }
            for (number, (group, gates)) in self.groups.iter().zip(&self.next).enumerate() {
                let may_empty = |&lane: &usize| balance[lane] > 0 && has_bit(&needed[moves[lane]], number);
                let lanes: Vec<usize> = (0..moves.len()).filter(may_empty).collect();
                if !lanes.is_empty() {
                    let stays = known.may_be_true_next(net, gates, group);
                    for lane in lanes {
                        balance[lane] -= i32::from(stays >> lane & 1 == 0);
                    }
                }
            }
            found.extend(moves.iter().zip(balance).filter(|it| it.1 > 0).map(|it| it.0));
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Compiled, Limits};

    /// Two sides move two stones each to any cell where they have none, and capture.
    fn stones(rules: &str) -> String {
        let index = (1..=40).map(|it| format!("(index {it})")).collect::<Vec<_>>().concat();
        let steps = (1..20).map(|it| format!("(after {it} {})", it + 1)).collect::<Vec<_>>().concat();
        format!(
            "(role w) (role b) (init (cell 1 w)) (init (cell 2 w)) (init (cell 3 b)) (init (cell 4 b))
             (init (control w)) (init (step 1)) {index} {steps} {rules}
             (<= (legal ?p (move ?x ?y)) (true (control ?p)) (true (cell ?x ?p)) (index ?y) (not (true (cell ?y ?p))))
             (<= (legal ?p noop) (role ?p) (not (true (control ?p))))
             (<= (next (control w)) (true (control b))) (<= (next (control b)) (true (control w)))
             (<= (next (step ?n)) (true (step ?m)) (after ?m ?n)) (<= terminal (true (step 20)))
             (<= (next (cell ?y ?piece)) (does ?p (move ?x ?y)) (true (cell ?x ?piece)))
             (<= (touched ?x) (does ?p (move ?x ?y))) (<= (touched ?y) (does ?p (move ?x ?y)))
             (<= (next (cell ?x ?piece)) (true (cell ?x ?piece)) (not (touched ?x)))
             (<= (goal ?p 100) (role ?p) (true (cell 30 ?p))) (<= (goal ?p 0) (role ?p) (not (true (cell 30 ?p))))"
        )
    }

    fn compiled(rules: &str) -> Result<Compiled, String> {
        // Few games, so that what is rare is not seen.
        let limits = Limits { sampling: 200_000, ..Limits::default() };
        Compiled::new(&stones(rules), limits).map_err(|it| it.to_string())
    }

    #[test]
    fn as_many_moves_are_legal_as_stones_have() {
        let compiled = compiled("").expect("there are few stones");
        assert_eq!(compiled.most_moves, 2 * 39);
        let state = |terms: &str| compiled.state_of(terms.split(", ").map(str::to_owned));
        let two = "(control w), (step 2), (cell 5 w), (cell 6 w), (cell 7 b)";
        assert!(state(two).is_ok());
        let (_, reason) = state(&format!("{two}, (cell 8 w)")).expect_err("a stone too many");
        assert_eq!(reason, "is never true with so many others of its kind");
    }

    #[test]
    fn pieces_that_no_random_game_had_are_counted_with_those_of_their_name() {
        // A stone that is hardly ever there moves as well.
        let rules = "(<= (next (cell 30 w2)) (does w (move 29 30)) (true (cell 28 w)) (true (step 19)))
             (<= (legal w (move ?x ?y)) (true (control w)) (true (cell ?x w2)) (index ?y) (not (true (cell ?y w))))";
        assert_eq!(compiled(rules).expect("there are few stones").most_moves, 2 * 40);
    }

    #[test]
    fn stones_that_may_become_more_are_not_counted() {
        for rules in [
            // A stone leaves another one behind, is brought by the other side, or by itself.
            "(<= (next (cell 29 w)) (does w (move 29 30)))",
            "(<= (next (cell 30 w)) (does b (move 29 28)))",
            "(<= (next (cell 30 w)) (true (step 19)))",
            "(<= (next (cell 30 w)) (does b noop) (true (cell 29 w)))",
        ] {
            let error = compiled(rules).map(|_| ()).expect_err("there may be more stones");
            assert!(error.contains("moves of a role that may be legal at the same time"), "{rules}: {error}");
        }
    }
}

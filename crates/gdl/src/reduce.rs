//! Fluents that never change, or always go with another one, are taken out of a network, and so are moves that are never
//! legal. Samples suggest which, and induction proves it: if it holds in a state, it holds in the next one.

use crate::bits::has_bit;
use crate::gates::{Gates, Lit};
use crate::hash::FastMap;
use crate::limits::{End, Late};
use crate::net::Net;

/// What a fluent of the rules is in the reduced network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fluent {
    Always(bool),
    /// This fluent, or its complement.
    Same(usize, bool),
}

impl Fluent {
    pub(crate) fn is_true(self, state: &[u64]) -> bool {
        match self {
            Self::Always(value) => value,
            Self::Same(index, is_complement) => has_bit(state, index) != is_complement,
        }
    }
}

/// A network without what is redundant.
#[derive(Debug)]
pub(crate) struct Reduced {
    pub(crate) net: Net,
    pub(crate) fluents: Vec<Fluent>,
    /// The fluents of the rules that are left, in order.
    pub(crate) kept: Vec<usize>,
    /// The moves that are left, in order.
    pub(crate) moves: Vec<usize>,
}

/// The most rounds of induction; if more are needed, nothing is taken out.
const MAX_ROUNDS: usize = 40;

/// The classes of fluents that go together: the number of the class, and whether complemented. The first class is that
/// of the constant.
type Classes = Vec<(usize, bool)>;

/// The classes that samples, the first of which is the start, suggest.
fn suggested(fluents: usize, samples: &[Vec<u64>]) -> Classes {
    let mut numbers: FastMap<Vec<u64>, usize> = FastMap::default();
    numbers.insert(vec![0; samples.len().div_ceil(64)], 0);
    let class = |fluent: usize| {
        let is_complement = has_bit(&samples[0], fluent);
        let mut bits = vec![0; samples.len().div_ceil(64)];
        for (index, state) in samples.iter().enumerate() {
            bits[index / 64] |= u64::from(has_bit(state, fluent) != is_complement) << (index % 64);
        }
        let next = numbers.len();
        (*numbers.entry(bits).or_insert(next), is_complement)
    };
    (0..fluents).map(class).collect()
}

/// The network under the assumption that these classes hold: its gates over one input for each class and then the moves,
/// with the next value of each fluent, what is legal, and where the nodes of the old network went.
struct Assumed {
    gates: Gates,
    next: Vec<Lit>,
    map: Vec<Option<Lit>>,
}

fn assume(net: &Net, classes: &Classes, count: usize) -> Assumed {
    let mut gates = Gates::new(count - 1 + net.legal.len());
    let mut map = vec![None; net.gates.len()];
    map[0] = Some(Lit::FALSE);
    for (fluent, &(class, is_complement)) in classes.iter().enumerate() {
        let lit = if class == 0 { Lit::FALSE } else { gates.input(class - 1) };
        map[net.fluent(fluent).node()] = Some(lit.xor(is_complement));
    }
    let legal = net.gates.copy_to(&mut gates, &net.legal, &mut map);
    for (mv, legal) in legal.into_iter().enumerate() {
        let done = gates.input(count - 1 + mv);
        // What is not legal is not done.
        map[net.done(mv).node()] = Some(if legal == Lit::FALSE { Lit::FALSE } else { done });
    }
    let next = net.gates.copy_to(&mut gates, &net.next, &mut map);
    Assumed { gates, next, map }
}

/// Splits classes whose members do not stay together; `true` if there are none.
fn split(classes: &mut Classes, next: &[Lit], count: &mut usize) -> bool {
    let mut numbers: FastMap<(usize, Lit), usize> = FastMap::default();
    numbers.insert((0, Lit::FALSE), 0);
    let mut used = vec![false; *count];
    used[0] = true;
    let mut is_stable = true;
    for (fluent, class) in classes.iter_mut().enumerate() {
        let key = (class.0, next[fluent].xor(class.1));
        let fresh = if std::mem::replace(&mut used[class.0], true) { *count } else { class.0 };
        let number = *numbers.entry(key).or_insert(fresh);
        if number == *count {
            *count += 1;
            is_stable = false;
        }
        class.0 = number;
    }
    is_stable
}

/// Takes out what is proven to be redundant.
pub(crate) fn reduce(net: &Net, samples: &[Vec<u64>], end: &End) -> Result<Reduced, Late> {
    let fluents = net.next.len();
    let mut classes = suggested(fluents, samples);
    let mut count = 1 + classes.iter().map(|it| it.0).max().unwrap_or(0);
    let mut assumed = None;
    for _ in 0..MAX_ROUNDS {
        end.look()?;
        let found = assume(net, &classes, count);
        if split(&mut classes, &found.next, &mut count) {
            assumed = Some(found);
            break;
        }
    }
    let assumed = assumed.unwrap_or_else(|| {
        classes = (0..fluents).map(|it| (it + 1, false)).collect();
        count = fluents + 1;
        assume(net, &classes, count)
    });
    end.look()?;
    // That fluent of each class stands for it which is true least often, as those of a counter are: the first of several.
    let mut rarest: Vec<Option<(usize, usize)>> = vec![None; count];
    for (fluent, &(class, _)) in classes.iter().enumerate() {
        let times = samples.iter().filter(|it| has_bit(it, fluent)).count();
        if class > 0 && rarest[class].is_none_or(|it| times < it.0) {
            rarest[class] = Some((times, fluent));
        }
    }
    let mut kept: Vec<usize> = rarest.into_iter().flatten().map(|it| it.1).collect();
    kept.sort_unstable();
    let mut place = vec![None; count];
    for (index, &fluent) in kept.iter().enumerate() {
        let (class, is_complement) = classes[fluent];
        place[class] = Some((index, is_complement));
    }
    let of_class = |(class, is_complement): (usize, bool)| match place[class] {
        Some((index, other)) => Fluent::Same(index, is_complement != other),
        None => Fluent::Always(is_complement),
    };
    let Assumed { gates, next, mut map } = assumed;
    let moves: Vec<usize> = (0..net.legal.len())
        .filter(|&it| map[net.legal[it].node()] != Some(Lit::FALSE.xor(net.legal[it].is_complement())))
        .collect();
    // Once more, over the inputs that are left.
    let mut reduced = Gates::new(kept.len() + moves.len());
    let mut second = vec![None; gates.len()];
    second[0] = Some(Lit::FALSE);
    for class in 1..count {
        if let Some((index, is_complement)) = place[class] {
            second[gates.input(class - 1).node()] = Some(reduced.input(index).xor(is_complement));
        }
    }
    for (index, &mv) in moves.iter().enumerate() {
        second[gates.input(count - 1 + mv).node()] = Some(reduced.input(kept.len() + index));
    }
    let mut gates = gates;
    let outer: Vec<Lit> = net.legal.iter().copied().chain([net.terminal]).collect();
    let outer: Vec<Lit> = outer.into_iter().chain(net.goals.iter().flatten().map(|it| it.1)).collect();
    let outer = net.gates.copy_to(&mut gates, &outer, &mut map);
    end.look()?;
    second.resize(gates.len(), None);
    let outer = gates.copy_to(&mut reduced, &outer, &mut second);
    let next: Vec<Lit> = kept.iter().map(|&it| next[it]).collect();
    let next = gates.copy_to(&mut reduced, &next, &mut second);
    let (legal, rest) = outer.split_at(net.legal.len());
    let mut rest = rest.iter().copied();
    let terminal = rest.next().unwrap_or(Lit::FALSE);
    let goals = net.goals.iter().map(|all| {
        all.iter()
            .map(|it| (it.0, rest.next().unwrap_or(Lit::FALSE)))
            .filter(|it| it.1 != Lit::FALSE)
            .collect()
    });
    let goals = goals.collect();
    let legal = moves.iter().map(|&it| legal[it]).collect();
    let net = Net { gates: reduced, next, legal, terminal, goals };
    Ok(Reduced { net, fluents: classes.into_iter().map(of_class).collect(), kept, moves })
}

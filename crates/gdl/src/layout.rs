//! Lays a network out as programs: chooses the order of its operations, and the slots in which values stand. A value
//! that is no longer needed leaves its slot to another one, so that what is in use fits in the caches next to a core.

use std::collections::{BTreeMap, BTreeSet};

use crate::gates::{Gates, Lit};
use crate::hash::FastMap;
use crate::limits::{End, Late};
use crate::mapping::{VARIABLES, depends, functions, swapped};
use crate::program::{Place, Program};

/// A part of what is to be found.
#[derive(Debug, Clone)]
pub(crate) struct Phase {
    pub(crate) wanted: Vec<Lit>,
    /// Whether the phases after it can't rely on it, as it is not always run.
    pub(crate) is_aside: bool,
}

/// A program, and where it leaves what is wanted of it.
pub(crate) type Part = (Program<u32>, Vec<Place>);

/// Programs that share their values: one for each phase, to be run in this order.
#[derive(Debug)]
pub(crate) struct Layout<const N: usize> {
    pub(crate) parts: [Part; N],
    /// The number of slots.
    pub(crate) slots: usize,
}

/// An operation on the values of nodes as they are stored.
#[derive(Debug, Clone, Copy, Default)]
struct Operation {
    table: u8,
    operands: [u32; 3],
}

/// The operations of a network: for each node the one that finds it, and whether it is stored complemented.
struct Operations {
    all: Vec<Option<Operation>>,
    is_complement: Vec<bool>,
}

impl Operations {
    /// That of a node that is no input.
    fn of(&self, node: usize) -> Operation {
        self.all[node].unwrap_or_default()
    }

    fn new(gates: &Gates, wanted: &[Lit], end: &End) -> Result<Self, Late> {
        let functions = functions(gates, wanted, end)?;
        let mut is_complement = vec![false; functions.len()];
        let all = functions.iter().enumerate().map(|(node, function)| {
            let function = function.as_ref()?;
            let mut table = function.table();
            for (variable, leaf) in function.leaves().enumerate() {
                if is_complement[leaf] {
                    let rows = VARIABLES[variable];
                    table = (table & rows) >> (1 << variable) | (table << (1 << variable)) & rows;
                }
            }
            // What is false if all operands are: that halves the kinds of operations.
            is_complement[node] = table & 1 == 1;
            let table = if is_complement[node] { !table } else { table };
            let mut operands = [0; 3];
            operands.iter_mut().zip(function.leaves()).for_each(|(to, leaf)| *to = leaf as u32);
            Some(in_order(Operation { table, operands }))
        });
        let all = all.collect();
        Ok(Self { all, is_complement })
    }
}

/// The same operation with its operands in the order in which the table is the least, and those last that do not
/// matter.
fn in_order(operation: Operation) -> Operation {
    let swaps: [&[(usize, usize)]; 6] =
        [&[], &[(0, 1)], &[(0, 2)], &[(1, 2)], &[(0, 1), (0, 2)], &[(0, 1), (1, 2)]];
    let variant = |swaps: &[(usize, usize)]| {
        let Operation { mut table, mut operands } = operation;
        for &(one, other) in swaps {
            table = swapped(table, one, other);
            operands.swap(one, other);
        }
        Operation { table, operands }
    };
    let least = |it: &Operation| (depends(it.table, 2), it.table);
    swaps.into_iter().map(variant).min_by_key(least).unwrap_or(operation)
}

/// The most operations that are ordered together. More make longer runs of one kind, and more values that are in use at
/// the same time.
const BLOCK: usize = 1_024;

impl<const N: usize> Layout<N> {
    /// The constant stands in the first slot, the inputs in the next ones, in this order. They and what is wanted keep
    /// their slots.
    pub(crate) fn new(gates: &Gates, inputs: &[Lit], phases: [Phase; N], end: &End) -> Result<Self, Late> {
        let wanted: Vec<Lit> = phases.iter().flat_map(|it| &it.wanted).copied().collect();
        let operations = Operations::new(gates, &wanted, end)?;
        let mut is_there = vec![false; gates.len()];
        let mut slots = Slots { of: vec![0; gates.len()], count: 1, free: Vec::new() };
        is_there[0] = true;
        for input in inputs {
            is_there[input.node()] = true;
            slots.give(input.node());
        }
        let mut orders: Vec<Vec<usize>> = Vec::new();
        for phase in &phases {
            let new = new_nodes(&operations, &phase.wanted, &mut is_there);
            if phase.is_aside {
                for &it in &new {
                    is_there[it] = false;
                }
            }
            let mut order = Vec::with_capacity(new.len());
            for block in new.chunks(BLOCK) {
                end.look()?;
                order.extend(ordered(&operations, block));
            }
            orders.push(order);
        }
        let last = last_uses(&operations, &orders, wanted.iter().chain(inputs));
        let mut parts = orders.iter().zip(last).zip(phases).map(|((order, last), phase)| {
            let mut program = Program::default();
            for (&node, last) in order.iter().zip(last) {
                let operation = operations.of(node);
                let [a, b, c] = operation.operands.map(|it| slots.of[it as usize]);
                slots.free.extend([a, b, c].into_iter().zip(last).filter(|it| it.1).map(|it| it.0));
                slots.give(node);
                program.push(operation.table, [a, b, c, slots.of[node]]);
            }
            let place = |lit: &Lit| Place {
                at: slots.of[lit.node()],
                is_complement: lit.is_complement() != operations.is_complement[lit.node()],
            };
            let places = phase.wanted.iter().map(place).collect();
            (program, places)
        });
        let parts = [(); N].map(|()| parts.next().unwrap_or_default());
        Ok(Self { parts, slots: slots.count as usize })
    }
}

/// The slots of nodes.
struct Slots {
    of: Vec<u32>,
    count: u32,
    /// Slots whose value is no longer needed, the latest last.
    free: Vec<u32>,
}

impl Slots {
    fn give(&mut self, node: usize) {
        self.of[node] = self.free.pop().unwrap_or_else(|| {
            self.count += 1;
            self.count - 1
        });
    }
}

/// The nodes that these need besides what is there, each after what it depends on and soon before what needs it; then
/// they are there, too.
fn new_nodes(operations: &Operations, wanted: &[Lit], is_there: &mut [bool]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut to_do: Vec<(usize, bool)> = Vec::new();
    for it in wanted {
        to_do.push((it.node(), false));
        while let Some((node, is_ready)) = to_do.pop() {
            if is_there[node] {
                continue;
            }
            let Some(operation) = operations.all[node] else { continue };
            if is_ready {
                is_there[node] = true;
                found.push(node);
                continue;
            }
            to_do.push((node, true));
            to_do.extend(operation.operands.iter().rev().map(|&it| (it as usize, false)));
        }
    }
    found
}

/// The nodes of a block, each after what it depends on, in long runs of the same table.
fn ordered(operations: &Operations, block: &[usize]) -> Vec<usize> {
    let number: FastMap<usize, usize> = block.iter().copied().zip(0..).collect();
    let operands = |node: usize| {
        operations.of(node).operands.into_iter().filter_map(|it| number.get(&(it as usize)).copied())
    };
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); block.len()];
    let mut missing = vec![0; block.len()];
    for (index, &node) in block.iter().enumerate() {
        for operand in operands(node) {
            users[operand].push(index);
            missing[index] += 1;
        }
    }
    let table = |index: usize| operations.of(block[index]).table;
    let mut ready: BTreeMap<u8, BTreeSet<usize>> = BTreeMap::new();
    for index in (0..block.len()).filter(|&it| missing[it] == 0) {
        ready.entry(table(index)).or_default().insert(index);
    }
    let mut order = Vec::with_capacity(block.len());
    while let Some(kind) =
        ready.iter().filter(|it| !it.1.is_empty()).max_by_key(|it| it.1.len()).map(|it| *it.0)
    {
        while let Some(index) = ready.get_mut(&kind).and_then(BTreeSet::pop_first) {
            order.push(block[index]);
            for &user in &users[index] {
                missing[user] -= 1;
                if missing[user] == 0 {
                    ready.entry(table(user)).or_default().insert(user);
                }
            }
        }
    }
    order
}

/// For each operation in order, and each of its operands, whether nothing needs the value after it. What `stays` is
/// always needed.
fn last_uses<'a>(
    operations: &Operations,
    orders: &[Vec<usize>],
    stays: impl Iterator<Item = &'a Lit>,
) -> Vec<Vec<[bool; 3]>> {
    let mut does_stay = vec![false; operations.all.len()];
    does_stay[0] = true;
    stays.for_each(|it| does_stay[it.node()] = true);
    let mut is_used = does_stay.clone();
    let mut last: Vec<Vec<[bool; 3]>> = Vec::new();
    for order in orders.iter().rev() {
        let mut of_phase = Vec::with_capacity(order.len());
        for &node in order.iter().rev() {
            // What is found once more in a later phase is a value of its own.
            is_used[node] = does_stay[node];
            let operands = operations.of(node).operands;
            of_phase.push(operands.map(|it| !std::mem::replace(&mut is_used[it as usize], true)));
        }
        of_phase.reverse();
        last.push(of_phase);
    }
    last.reverse();
    last
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::gates::Gate;

    /// A network at random over inputs, by a small generator.
    fn network(inputs: usize, count: usize, mut seed: u64) -> (Gates, Vec<Lit>) {
        let mut gates = Gates::new(inputs);
        let mut lits: Vec<Lit> = (0..inputs).map(|it| gates.input(it)).collect();
        let mut below = |count: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) as usize % count
        };
        while lits.len() < inputs + count {
            // Mostly of what is new.
            let from = lits.len().saturating_sub(30);
            let mut lit = |lits: &[Lit]| lits[from + below(lits.len() - from)].xor(below(2) == 1);
            let (a, b) = (lit(&lits), lit(&lits));
            lits.push(if below(3) == 0 { gates.xor(a, b) } else { gates.and(a, b) });
        }
        (gates, lits)
    }

    /// What each node is for these values of the inputs.
    fn values_of(gates: &Gates, inputs: &[u64]) -> Vec<u64> {
        let mut values = vec![0; gates.len()];
        for node in 1..gates.len() {
            let of = |lit: Lit| values[lit.node()] ^ if lit.is_complement() { u64::MAX } else { 0 };
            values[node] = match gates.gate(node) {
                Gate::And(a, b) => of(a) & of(b),
                Gate::Xor(a, b) => of(a) ^ of(b),
                Gate::False => 0,
                Gate::Input => inputs[node - 1],
            };
        }
        values
    }

    #[test]
    fn programs_find_what_gates_say_in_whatever_slots() {
        for (seed, count) in [(1, 5), (2, 50), (3, 400), (4, 3_000)] {
            let (gates, lits) = network(12, count, seed);
            let part = |from: usize| lits.iter().skip(from).step_by(17).copied().collect::<Vec<_>>();
            let wanted = [part(0), part(3), part(8)];
            let phases = [0, 1, 2].map(|it| Phase { wanted: wanted[it].clone(), is_aside: it == 1 });
            let inputs: Vec<Lit> = (0..12).map(|it| gates.input(it)).collect();
            let end = End::after(Duration::MAX / 4);
            let layout = Layout::new(&gates, &inputs, phases, &end).expect("there is time");
            let given: Vec<u64> =
                (1..=12_u64).map(|it| it.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(21)).collect();
            let expected = values_of(&gates, &given);
            for with_aside in [false, true] {
                let mut values = vec![[0_u64; 2]; layout.slots];
                for (value, given) in values[1..].iter_mut().zip(&given) {
                    *value = [0, *given];
                }
                for (phase, (program, places)) in layout.parts.iter().enumerate() {
                    if phase == 1 && !with_aside {
                        continue;
                    }
                    program.run(&mut values[..]);
                    for (lit, place) in wanted[phase].iter().zip(places) {
                        let flip = if lit.is_complement() { u64::MAX } else { 0 };
                        assert_eq!(
                            place.get(&values)[1],
                            expected[lit.node()] ^ flip,
                            "{seed} {phase} {lit:?}"
                        );
                    }
                }
            }
            if count > 1_000 {
                assert!(layout.slots < count / 2, "{} slots", layout.slots);
            }
        }
    }
}

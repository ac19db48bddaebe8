//! A network as functions of up to three inputs each, as few as can be found quickly: a step of an adder is two of
//! them, and seven gates.

use crate::gates::{Gate, Gates, Lit};
use crate::limits::{End, Late};

/// No node.
const NONE: u32 = u32::MAX;

/// A function of the values of up to three nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Function {
    /// The nodes, the least first; [`u32::MAX`] stands for those that are missing.
    leaves: [u32; 3],
    /// The values: that for the values `a`, `b` and `c` of the nodes is bit `a + 2 b + 4 c`.
    table: u8,
    /// What it costs to find the value, shared by all who use it.
    flow: f32,
}

impl Function {
    /// The node itself.
    fn identity(node: usize) -> Self {
        Self { leaves: [node as u32, NONE, NONE], table: VARIABLES[0], flow: 0.0 }
    }

    pub(crate) fn table(&self) -> u8 {
        self.table
    }

    pub(crate) fn leaves(&self) -> impl Iterator<Item = usize> + use<> {
        self.leaves.into_iter().take_while(|&it| it != NONE).map(|it| it as usize)
    }

    /// The table over other leaves, of which these are some.
    fn table_over(&self, leaves: [u32; 3]) -> u8 {
        let mut table = self.table;
        // From the last on: where a leaf is not in its place, it comes from the one before.
        for at in (0..3).rev() {
            let Some(from) = self.leaves.iter().position(|&it| it == leaves[at] && it != NONE) else {
                continue;
            };
            if from != at {
                table = swapped(table, from, at);
            }
        }
        table
    }
}

/// The tables of the three variables.
pub(crate) const VARIABLES: [u8; 3] = [0xAA, 0xCC, 0xF0];

/// A table with two of its variables swapped.
pub(crate) fn swapped(table: u8, one: usize, other: usize) -> u8 {
    let (low, high) = (one.min(other), one.max(other));
    // The rows in which only the first of them is true go where only the second is.
    let rows = VARIABLES[low] & !VARIABLES[high];
    let shift = (1 << high) - (1 << low);
    let kept = table & !(rows | rows << shift);
    kept | (table & rows) << shift | (table >> shift) & rows
}

/// Whether a table depends on a variable.
pub(crate) fn depends(table: u8, variable: usize) -> bool {
    (table ^ table >> (1 << variable)) & !VARIABLES[variable] != 0
}

/// The union of two lists of leaves, if it is not too long.
fn union(one: [u32; 3], other: [u32; 3]) -> Option<[u32; 3]> {
    let next = |list: [u32; 3], at: usize| list.get(at).copied().unwrap_or(NONE);
    let mut all = [NONE; 3];
    let (mut at, mut at_other) = (0, 0);
    for to in &mut all {
        let (leaf, leaf_other) = (next(one, at), next(other, at_other));
        *to = leaf.min(leaf_other);
        at += usize::from(leaf <= leaf_other);
        at_other += usize::from(leaf_other <= leaf);
    }
    (next(one, at) == NONE && next(other, at_other) == NONE).then_some(all)
}

/// The functions of a node that are looked at.
const MOST: usize = 5;

/// The times that functions are chosen again, by how many use what.
const ROUNDS: usize = 3;

/// Chooses functions.
struct Mapping<'a> {
    gates: &'a Gates,
    needed: Vec<bool>,
    /// For each node that is needed where its functions begin; the first of them is the one that is taken.
    starts: Vec<u32>,
    functions: Vec<Function>,
    /// How many use a node.
    uses: Vec<f32>,
    flow: Vec<f32>,
}

/// For each node that `wanted` need a function of other such nodes or inputs; `None` for inputs, for the constant, and
/// for nodes that are not needed.
pub(crate) fn functions(gates: &Gates, wanted: &[Lit], end: &End) -> Result<Vec<Option<Function>>, Late> {
    let needed = gates.cone(wanted.iter().copied());
    let mut uses = vec![0.0; gates.len()];
    for node in (0..gates.len()).filter(|&it| needed[it]) {
        if let Gate::And(a, b) | Gate::Xor(a, b) = gates.gate(node) {
            uses[a.node()] += 1.0;
            uses[b.node()] += 1.0;
        }
    }
    for it in wanted {
        uses[it.node()] += 1.0;
    }
    let count = gates.len();
    let mut mapping = Mapping {
        gates,
        needed,
        starts: Vec::with_capacity(count + 1),
        functions: Vec::new(),
        uses,
        flow: vec![0.0; count],
    };
    mapping.find(end)?;
    for _ in 1..ROUNDS {
        end.look()?;
        let counts = mapping.counts(wanted);
        for (uses, count) in mapping.uses.iter_mut().zip(counts) {
            *uses = (*uses + 2.0 * count as f32) / 3.0;
        }
        mapping.choose();
    }
    let counts = mapping.counts(wanted);
    Ok((0..count).map(|node| mapping.taken(node).filter(|_| counts[node] > 0)).collect())
}

impl Mapping<'_> {
    fn taken(&self, node: usize) -> Option<Function> {
        let (from, to) = (self.starts[node], self.starts[node + 1]);
        (from < to).then(|| self.functions[from as usize])
    }

    /// What a function costs: what its nodes do, and itself.
    fn flow_of(&self, leaves: [u32; 3]) -> f32 {
        /// A third input costs this part of a function of two.
        const THIRD: f32 = 0.15;
        let all = leaves.iter().take_while(|it| **it != NONE);
        1.0 + all.map(|&it| self.flow[it as usize]).sum::<f32>() + if leaves[2] == NONE { 0.0 } else { THIRD }
    }

    fn set_flow(&mut self, node: usize, cost: f32) {
        self.flow[node] = cost / self.uses[node].max(1.0);
    }

    /// Finds the functions of all nodes, the best of each first.
    fn find(&mut self, end: &End) -> Result<(), Late> {
        for node in 0..self.gates.len() {
            end.look_at(node, 1 << 14)?;
            self.starts.push(self.functions.len() as u32);
            let (Gate::And(a, b) | Gate::Xor(a, b)) = self.gates.gate(node) else { continue };
            if !self.needed[node] {
                continue;
            }
            let is_xor = matches!(self.gates.gate(node), Gate::Xor(..));
            let mut found = [Function::identity(0); MOST];
            let mut count = 0;
            let of = |mapping: &Self, lit: Lit| {
                let (from, to) = (mapping.starts[lit.node()], mapping.starts[lit.node() + 1]);
                (from as usize..to as usize, lit)
            };
            let ((all_a, a), (all_b, b)) = (of(self, a), of(self, b));
            for i in std::iter::once(None).chain(all_a.map(Some)) {
                for j in std::iter::once(None).chain(all_b.clone().map(Some)) {
                    let one = i.map_or(Function::identity(a.node()), |it| self.functions[it]);
                    let other = j.map_or(Function::identity(b.node()), |it| self.functions[it]);
                    let Some(leaves) = union(one.leaves, other.leaves) else { continue };
                    let flow = self.flow_of(leaves);
                    let is_full = count == MOST;
                    if is_full && found[MOST - 1].flow <= flow
                        || found[..count].iter().any(|it| it.leaves == leaves)
                    {
                        continue;
                    }
                    let flip = |lit: Lit| if lit.is_complement() { 0xFF } else { 0 };
                    let (x, y) = (one.table_over(leaves) ^ flip(a), other.table_over(leaves) ^ flip(b));
                    let table = if is_xor { x ^ y } else { x & y };
                    // What depends on fewer nodes than it has is another function, or none.
                    if (0..3).any(|at| leaves[at] != NONE && !depends(table, at)) {
                        continue;
                    }
                    count = (count + 1).min(MOST);
                    let at = found[..count - 1].iter().position(|it| it.flow > flow).unwrap_or(count - 1);
                    found[at..count].rotate_right(1);
                    found[at] = Function { leaves, table, flow };
                }
            }
            self.set_flow(node, found[0].flow);
            self.functions.extend(&found[..count]);
        }
        self.starts.push(self.functions.len() as u32);
        Ok(())
    }

    /// Chooses the best function of each node again.
    fn choose(&mut self) {
        for node in 0..self.gates.len() {
            let (from, to) = (self.starts[node] as usize, self.starts[node + 1] as usize);
            let cost = |mapping: &Self, at: usize| mapping.flow_of(mapping.functions[at].leaves);
            let best = (from..to).map(|at| (cost(self, at), at)).min_by(|a, b| a.0.total_cmp(&b.0));
            if let Some((cost, at)) = best {
                self.functions.swap(from, at);
                self.set_flow(node, cost);
            }
        }
    }

    /// How many of the functions that are taken use each node.
    fn counts(&self, wanted: &[Lit]) -> Vec<u32> {
        let mut counts = vec![0; self.gates.len()];
        for it in wanted {
            counts[it.node()] += 1;
        }
        for node in (0..self.gates.len()).rev() {
            if counts[node] > 0
                && let Some(function) = self.taken(node)
            {
                function.leaves().for_each(|it| counts[it] += 1);
            }
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn tables_have_their_variables_swapped() {
        let [a, b, c] = VARIABLES;
        assert_eq!([swapped(a, 0, 1), swapped(b, 0, 1), swapped(c, 0, 1)], [b, a, c]);
        assert_eq!(
            [swapped(a & !c, 0, 2), swapped(b | a, 1, 2), swapped(a ^ b, 2, 1)],
            [c & !a, c | a, a ^ c]
        );
        assert!(depends(a & b, 1) && !depends(a & b, 2) && !depends(0xFF, 0));
    }

    #[test]
    fn a_full_adder_is_two_functions_and_a_choice_is_one() {
        let (mut gates, end) = (Gates::new(3), End::after(Duration::MAX / 4));
        let [a, b, c] = [0, 1, 2].map(|it| gates.input(it));
        let odd = gates.xor(a, b);
        let sum = gates.xor(odd, c);
        let (both, through) = (gates.and(a, b), gates.and(odd, c));
        let carry = gates.or(both, through);
        let found = functions(&gates, &[sum, carry], &end).expect("there is time");
        assert_eq!(found.iter().flatten().count(), 2);
        let (sums, carries) = (0b1001_0110, 0b1110_1000);
        let table_of = |lit: Lit| {
            let table = found[lit.node()].expect("it is wanted").table();
            if lit.is_complement() { !table } else { table }
        };
        assert_eq!((table_of(sum), table_of(carry)), (sums, carries));
        let (one, other) = (gates.and(a, b), gates.and(!a, c));
        let choice = gates.or(one, other);
        let found = functions(&gates, &[choice], &end).expect("there is time");
        assert_eq!(found.iter().flatten().count(), 1);
    }
}

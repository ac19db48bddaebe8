//! A network as a list of operations on words: each bit of a word is a world of its own, a lane.

use quintet_cpu::{Cpu, Work};

use crate::gates::{Gate, Gates, Lit};

/// What an operation does with its two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    And,
    /// The first and not the second.
    AndNot,
    /// Neither.
    Nor,
    Xor,
}

/// Operations of one kind whose results come one after the other.
#[derive(Debug, Clone, Copy)]
struct Run {
    kind: Kind,
    /// The place of the first result.
    first: u32,
    count: u32,
}

/// A list of operations.
#[derive(Debug, Clone, Default)]
pub(crate) struct Program {
    runs: Vec<Run>,
    operands: Vec<[u32; 2]>,
}

/// Where a value stands, and whether it stands there complemented.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) at: u32,
    pub(crate) is_complement: bool,
}

impl Place {
    /// The value, in all lanes.
    #[inline(always)]
    pub(crate) fn get<const W: usize>(self, values: &[[u64; W]]) -> [u64; W] {
        let flip = if self.is_complement { u64::MAX } else { 0 };
        values[self.at as usize].map(|it| it ^ flip)
    }
}

/// Programs that share their values, and where these stand.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    /// The place of each node; `u32::MAX` if it has none.
    places: Vec<u32>,
    /// The number of values.
    pub(crate) values: usize,
}

impl Layout {
    /// Gives a place to the constant and to these inputs, in this order.
    pub(crate) fn new(gates: &Gates, inputs: &[Lit]) -> Self {
        let mut layout = Self { places: vec![u32::MAX; gates.len()], values: 1 };
        layout.places[0] = 0;
        for input in inputs {
            layout.places[input.node()] = layout.values as u32;
            layout.values += 1;
        }
        layout
    }

    /// The operations that these need besides what has a place already.
    pub(crate) fn program(&mut self, gates: &Gates, wanted: impl IntoIterator<Item = Lit>) -> Program {
        let needed = gates.cone(wanted);
        let mut levels = vec![0_u32; gates.len()];
        let mut all: Vec<(u32, Kind, usize, [Lit; 2])> = Vec::new();
        for node in (0..gates.len()).filter(|&it| needed[it] && self.places[it] == u32::MAX) {
            let (kind, operands) = match gates.gate(node) {
                Gate::And(a, b) => match (a.is_complement(), b.is_complement()) {
                    (false, false) => (Kind::And, [a, b]),
                    (false, true) => (Kind::AndNot, [a, b]),
                    (true, false) => (Kind::AndNot, [b, a]),
                    (true, true) => (Kind::Nor, [a, b]),
                },
                Gate::Xor(a, b) => (Kind::Xor, [a, b]),
                Gate::False | Gate::Input => continue,
            };
            levels[node] = 1 + operands.map(|it| levels[it.node()]).into_iter().max().unwrap_or(0);
            all.push((levels[node], kind, node, operands));
        }
        all.sort_unstable_by_key(|it| (it.0, it.1, it.2));
        for (index, &(_, _, node, _)) in all.iter().enumerate() {
            self.places[node] = (self.values + index) as u32;
        }
        let mut program = Program::default();
        let mut last = None;
        for &(level, kind, _, operands) in &all {
            if last != Some((level, kind)) {
                program.runs.push(Run { kind, first: self.values as u32, count: 0 });
            }
            last = Some((level, kind));
            if let Some(run) = program.runs.last_mut() {
                run.count += 1;
            }
            program.operands.push(operands.map(|it| self.places[it.node()]));
            self.values += 1;
        }
        program
    }

    /// Where a value stands.
    pub(crate) fn place(&self, lit: Lit) -> Place {
        Place { at: self.places[lit.node()], is_complement: lit.is_complement() }
    }
}

impl Program {
    pub(crate) fn len(&self) -> usize {
        self.operands.len()
    }

    /// Does all operations.
    pub(crate) fn run<const W: usize>(&self, values: &mut [[u64; W]]) {
        Cpu::best().run(Running { program: self, values });
    }

    #[inline(always)]
    pub(crate) fn run_inlined<const W: usize>(&self, values: &mut [[u64; W]]) {
        let mut operands = &self.operands[..];
        for run in &self.runs {
            let (own, rest) = operands.split_at(run.count as usize);
            operands = rest;
            // All operands were there before the run.
            let (known, results) = values.split_at_mut(run.first as usize);
            let known = &*known;
            match run.kind {
                Kind::And => all(known, results, own, |a, b| a & b),
                Kind::AndNot => all(known, results, own, |a, b| a & !b),
                Kind::Nor => all(known, results, own, |a, b| !(a | b)),
                Kind::Xor => all(known, results, own, |a, b| a ^ b),
            }
        }
    }
}

#[inline(always)]
fn all<const W: usize>(
    known: &[[u64; W]],
    results: &mut [[u64; W]],
    operands: &[[u32; 2]],
    operation: impl Fn(u64, u64) -> u64,
) {
    for (result, &[a, b]) in results.iter_mut().zip(operands) {
        let (a, b) = (&known[a as usize], &known[b as usize]);
        for lane in 0..W {
            result[lane] = operation(a[lane], b[lane]);
        }
    }
}

struct Running<'a, const W: usize> {
    program: &'a Program,
    values: &'a mut [[u64; W]],
}

impl<const W: usize> Work for Running<'_, W> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        self.program.run_inlined(self.values);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_compute_what_gates_say() {
        let mut gates = Gates::new(3);
        let [a, b, c] = [0, 1, 2].map(|it| gates.input(it));
        let both = gates.and(a, !b);
        let neither = gates.and(!a, !c);
        let odd = gates.xor(both, c);
        let last = gates.or(odd, neither);
        let mut layout = Layout::new(&gates, &[a, b, c]);
        let first = layout.program(&gates, [both]);
        let second = layout.program(&gates, [last, both]);
        assert_eq!((first.len(), second.len()), (1, 3));
        let mut values = vec![[0_u64; 2]; layout.values];
        (values[1], values[2], values[3]) = ([0b1111_0000; 2], [0b1100_1100; 2], [0b1010_1010; 2]);
        first.run(&mut values);
        second.run(&mut values);
        let found = layout.place(last).get(&values)[1] & 0xFF;
        let expected = (0..8).filter(|it| {
            let [a, b, c] = [it >> 2 & 1 == 1, it >> 1 & 1 == 1, it & 1 == 1];
            ((a && !b) != c) || (!a && !c)
        });
        assert_eq!(found, expected.map(|it| 1 << it).sum::<u64>());
    }
}

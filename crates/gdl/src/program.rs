//! A network as a list of operations on words: each bit of a word is a world of its own, a lane.

use quintet_cpu::{Cpu, Work};

/// Operations of one kind, done one after the other.
#[derive(Debug, Clone, Copy)]
struct Run {
    /// What they do: bit `a + 2 b + 4 c` is the result for the operands `a`, `b` and `c`.
    table: u8,
    count: u32,
}

/// The values in slots, each of `W` words.
pub(crate) trait Values<S, const W: usize> {
    fn value(&mut self, slot: S) -> &mut [u64; W];
}

/// Any number of slots.
impl<const W: usize> Values<u32, W> for [[u64; W]] {
    #[inline(always)]
    fn value(&mut self, slot: u32) -> &mut [u64; W] {
        &mut self[slot as usize]
    }
}

/// The number of slots that short numbers have.
pub(crate) const SLOTS: usize = 1 << u16::BITS;

/// A slot for each short number, so that it is not checked whether there is one.
impl<const W: usize> Values<u16, W> for [[u64; W]; SLOTS] {
    #[inline(always)]
    fn value(&mut self, slot: u16) -> &mut [u64; W] {
        &mut self[usize::from(slot)]
    }
}

/// A list of operations.
#[derive(Debug, Clone, Default)]
pub(crate) struct Program<S> {
    runs: Vec<Run>,
    /// The slots of the three operands and of the result.
    operations: Vec<[S; 4]>,
}

/// Where a value stands, and whether it stands there complemented.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) at: u32,
    pub(crate) is_complement: bool,
}

impl Place {
    /// What is never true.
    pub(crate) const FALSE: Self = Self { at: 0, is_complement: false };

    /// The value, in all lanes.
    #[inline(always)]
    pub(crate) fn get<const W: usize>(self, values: &[[u64; W]]) -> [u64; W] {
        let flip = if self.is_complement { u64::MAX } else { 0 };
        let mut value = values[self.at as usize];
        for word in &mut value {
            *word ^= flip;
        }
        value
    }
}

impl<S: Copy> Program<S> {
    /// Adds an operation. Of a table that does not depend on the last operand, only the first two are looked at.
    pub(crate) fn push(&mut self, table: u8, operation: [S; 4]) {
        match self.runs.last_mut() {
            Some(run) if run.table == table => run.count += 1,
            _ => self.runs.push(Run { table, count: 1 }),
        }
        self.operations.push(operation);
    }

    pub(crate) fn len(&self) -> usize {
        self.operations.len()
    }

    /// Does all operations.
    pub(crate) fn run<const W: usize, V: Values<S, W> + ?Sized>(&self, values: &mut V) {
        Cpu::best().run_narrow(Running::<S, V, W> { program: self, values });
    }
}

/// A program with numbers of slots as short as they may be.
#[derive(Debug, Clone)]
pub(crate) enum Packed {
    Short(Program<u16>),
    Long(Program<u32>),
}

impl Packed {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Short(program) => program.len(),
            Self::Long(program) => program.len(),
        }
    }

    /// Does all operations. There have to be [`SLOTS`] values at least.
    pub(crate) fn run<const W: usize>(&self, values: &mut [[u64; W]]) {
        match self {
            Self::Short(program) => {
                program.run(values.first_chunk_mut::<SLOTS>().expect("there are as many"));
            }
            Self::Long(program) => program.run(values),
        }
    }
}

impl Program<u32> {
    pub(crate) fn packed(self) -> Packed {
        let short = |[a, b, c, result]: [u32; 4]| {
            Some([a.try_into().ok()?, b.try_into().ok()?, c.try_into().ok()?, result.try_into().ok()?])
        };
        match self.operations.iter().map(|it| short(*it)).collect::<Option<_>>() {
            Some(operations) => Packed::Short(Program { runs: self.runs, operations }),
            None => Packed::Long(self),
        }
    }
}

struct Running<'a, S, V: ?Sized, const W: usize> {
    program: &'a Program<S>,
    values: &'a mut V,
}

impl<S: Copy, V: Values<S, W> + ?Sized, const W: usize> Work for Running<'_, S, V, W> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        /// A loop for each table.
        macro_rules! each {
            ($table:expr, $operations:expr, $values:expr, $($known:literal)*) => {
                match $table {
                    $($known => all::<$known, S, V, W>($values, $operations),)*
                    other => any(other, $values, $operations),
                }
            };
        }
        let mut operations = &self.program.operations[..];
        for run in &self.program.runs {
            let (own, rest) = operations.split_at(run.count as usize);
            operations = rest;
            each!(
                run.table, own, self.values,
                // Of two operands.
                0x22 0x66 0x88 0xEE
                // Of three.
                0x02 0x06 0x08 0x0E 0x16 0x18 0x1A 0x1E 0x28 0x2A 0x2C 0x2E 0x3E 0x68 0x6A 0x6E 0x7E
                0x80 0x82 0x86 0x8A 0x8E 0x96 0x98 0x9A 0x9E 0xA8 0xAC 0xAE 0xBC 0xBE 0xE8 0xEA 0xFE
            );
        }
    }
}

/// Operations of a table that is known when quintet is compiled.
#[inline(always)]
fn all<const TABLE: u8, S: Copy, V: Values<S, W> + ?Sized, const W: usize>(
    values: &mut V,
    operations: &[[S; 4]],
) {
    any(TABLE, values, operations);
}

/// Operations of any table.
#[inline(always)]
fn any<S: Copy, V: Values<S, W> + ?Sized, const W: usize>(table: u8, values: &mut V, operations: &[[S; 4]]) {
    for &[a, b, c, result] in operations {
        let (a, b) = (*values.value(a), *values.value(b));
        // Not looked at if it does not matter.
        let c = if table >> 4 == table & 15 { a } else { *values.value(c) };
        let result = values.value(result);
        for word in 0..W {
            result[word] = of_three(table, a[word], b[word], c[word]);
        }
    }
}

#[inline(always)]
fn of_three(table: u8, a: u64, b: u64, c: u64) -> u64 {
    let (without, with) = (of_two(table & 15, a, b), of_two(table >> 4, a, b));
    match (table & 15, table >> 4) {
        (low, high) if low == high => without,
        (0, _) => c & with,
        (_, 0) => without & !c,
        (_, 15) => c | without,
        (low, high) if low == 15 - high => c ^ without,
        _ => without & !c | with & c,
    }
}

#[inline(always)]
fn of_two(table: u8, a: u64, b: u64) -> u64 {
    match table & 15 {
        0x0 => 0,
        0x1 => !(a | b),
        0x2 => a & !b,
        0x3 => !b,
        0x4 => b & !a,
        0x5 => !a,
        0x6 => a ^ b,
        0x7 => !(a & b),
        0x8 => a & b,
        0x9 => !(a ^ b),
        0xA => a,
        0xB => a | !b,
        0xC => b,
        0xD => b | !a,
        0xE => a | b,
        _ => u64::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_do_what_their_tables_say() {
        for table in 0..=u8::MAX {
            let mut program = Program::default();
            program.push(table, [1, 2, 3, 4]);
            // A result may take the place of an operand.
            program.push(table, [1, 2, 4, 1]);
            let mut values = vec![[0_u64; 2]; 5];
            let inputs = [0xAA, 0xCC, 0xF0];
            for (value, input) in values[1..].iter_mut().zip(inputs) {
                *value = [input, !input];
            }
            let row =
                |a: u64, b: u64, c: u64, bit: u32| (a >> bit & 1) + 2 * (b >> bit & 1) + 4 * (c >> bit & 1);
            let of = |a: u64, b: u64, c: u64| {
                (0..64).map(|bit| u64::from(table >> row(a, b, c, bit) & 1) << bit).sum::<u64>()
            };
            let once = |flip: u64| of(inputs[0] ^ flip, inputs[1] ^ flip, inputs[2] ^ flip);
            let twice = |flip: u64| of(inputs[0] ^ flip, inputs[1] ^ flip, once(flip));
            let mut others = vec![[0_u64; 2]; SLOTS + 1];
            others[..5].copy_from_slice(&values);
            program.run(&mut values[..]);
            assert_eq!(
                (values[4], values[1]),
                ([0, u64::MAX].map(once), [0, u64::MAX].map(twice)),
                "{table:x}"
            );
            let mut packed = [others.clone(), others];
            program.clone().packed().run(&mut packed[0]);
            // A slot whose number is not short.
            program.push(table, [1, 2, 3, SLOTS as u32]);
            let long = program.packed();
            assert!(matches!(long, Packed::Long(_)));
            long.run(&mut packed[1]);
            assert!(packed.iter().all(|it| it[..5] == values), "{table:x}");
        }
    }
}

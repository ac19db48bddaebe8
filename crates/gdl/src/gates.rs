//! A network of and-gates and exclusive-or-gates with complemented edges, in which equal gates are one.

use crate::hash::FastMap;

/// A gate or an input, or its complement: twice its number, and 1 more for the complement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Lit(u32);

impl Lit {
    pub(crate) const FALSE: Self = Self(0);
    pub(crate) const TRUE: Self = Self(1);

    pub(crate) fn of(node: usize) -> Self {
        Self((node as u32) << 1)
    }

    pub(crate) fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub(crate) fn is_complement(self) -> bool {
        self.0 & 1 == 1
    }

    /// The complement if `complement`.
    pub(crate) fn xor(self, complement: bool) -> Self {
        Self(self.0 ^ u32::from(complement))
    }

    fn is_constant(self) -> bool {
        self.0 < 2
    }
}

impl std::ops::Not for Lit {
    type Output = Self;
    fn not(self) -> Self {
        self.xor(true)
    }
}

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gate {
    /// Never true.
    False,
    Input,
    And(Lit, Lit),
    Xor(Lit, Lit),
}

/// The network. Its first node is the constant, then come the inputs; a gate comes after what it depends on.
#[derive(Debug, Clone)]
pub(crate) struct Gates {
    nodes: Vec<Gate>,
    table: FastMap<(u32, u32), u32>,
}

impl Gates {
    pub(crate) fn new(inputs: usize) -> Self {
        let nodes = std::iter::once(Gate::False).chain((0..inputs).map(|_| Gate::Input)).collect();
        Self { nodes, table: FastMap::default() }
    }

    /// Adds an input.
    pub(crate) fn add_input(&mut self) -> Lit {
        self.nodes.push(Gate::Input);
        Lit::of(self.nodes.len() - 1)
    }

    pub(crate) fn input(&self, index: usize) -> Lit {
        debug_assert_eq!(self.nodes[1 + index], Gate::Input, "the inputs come first");
        Lit::of(1 + index)
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn gate(&self, node: usize) -> Gate {
        self.nodes[node]
    }

    fn node(&mut self, key: (Lit, Lit), gate: Gate) -> Lit {
        let new = self.nodes.len() as u32;
        let known = *self.table.entry((key.0.0, key.1.0)).or_insert(new);
        if known == new {
            self.nodes.push(gate);
        }
        Lit(known << 1)
    }

    /// The inputs of the and-gate that this is, not complemented.
    fn parts(&self, lit: Lit) -> Option<(Lit, Lit)> {
        match self.nodes[lit.node()] {
            Gate::And(a, b) => Some((a, b)),
            _ => None,
        }
    }

    pub(crate) fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == Lit::FALSE || a == !b {
            return Lit::FALSE;
        }
        if a == Lit::TRUE || a == b {
            return b;
        }
        for (one, other) in [(a, b), (b, a)] {
            let Some((c, d)) = self.parts(one) else { continue };
            if one.is_complement() {
                if other == !c || other == !d {
                    return other;
                }
                if other == c {
                    return self.and(other, !d);
                }
                if other == d {
                    return self.and(other, !c);
                }
            } else {
                if other == c || other == d {
                    return one;
                }
                if other == !c || other == !d {
                    return Lit::FALSE;
                }
                if let Some((e, f)) = self.parts(other)
                    && !other.is_complement()
                    && (c == !e || c == !f || d == !e || d == !f)
                {
                    return Lit::FALSE;
                }
            }
        }
        self.node((a, b), Gate::And(a, b))
    }

    pub(crate) fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    pub(crate) fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        if a.is_constant() {
            return b.xor(a == Lit::TRUE);
        }
        if b.is_constant() {
            return a.xor(b == Lit::TRUE);
        }
        let complement = a.is_complement() != b.is_complement();
        let (a, b) = (Lit::of(a.node()), Lit::of(b.node()));
        if a == b {
            return Lit::FALSE.xor(complement);
        }
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        // And-gates have the smaller input first.
        self.node((b, a), Gate::Xor(a, b)).xor(complement)
    }

    /// The conjunction of all.
    pub(crate) fn all(&mut self, mut lits: Vec<Lit>) -> Lit {
        lits.sort_unstable();
        lits.dedup();
        if lits.windows(2).any(|it| it[0] == !it[1]) {
            return Lit::FALSE;
        }
        // A balanced tree, whose first gates join what was made first.
        while lits.len() > 1 {
            lits = lits.chunks(2).map(|it| if let [a, b] = it { self.and(*a, *b) } else { it[0] }).collect();
        }
        lits.pop().unwrap_or(Lit::TRUE)
    }

    pub(crate) fn any(&mut self, mut lits: Vec<Lit>) -> Lit {
        for it in &mut lits {
            *it = !*it;
        }
        !self.all(lits)
    }

    /// The nodes that these depend on, themselves included.
    pub(crate) fn cone(&self, of: impl IntoIterator<Item = Lit>) -> Vec<bool> {
        let mut found = vec![false; self.nodes.len()];
        let mut to_do: Vec<usize> = of.into_iter().map(Lit::node).collect();
        while let Some(node) = to_do.pop() {
            if !std::mem::replace(&mut found[node], true)
                && let Gate::And(a, b) | Gate::Xor(a, b) = self.nodes[node]
            {
                to_do.extend([a.node(), b.node()]);
            }
        }
        found
    }

    /// The nodes that depend on this one, and itself.
    pub(crate) fn dependents(&self, of: Lit) -> Vec<bool> {
        let mut found = vec![false; self.nodes.len()];
        found[of.node()] = true;
        for node in of.node() + 1..self.nodes.len() {
            if let Gate::And(a, b) | Gate::Xor(a, b) = self.nodes[node] {
                found[node] = found[a.node()] || found[b.node()];
            }
        }
        found
    }

    /// Copies what `lits` depend on into other gates, where `map` says what stands for the nodes that are there
    /// already, and has the others afterwards.
    pub(crate) fn copy_to(&self, other: &mut Self, lits: &[Lit], map: &mut [Option<Lit>]) -> Vec<Lit> {
        let mut needed = vec![false; self.nodes.len()];
        let mut to_do: Vec<usize> = lits.iter().map(|it| it.node()).collect();
        while let Some(node) = to_do.pop() {
            if map[node].is_none()
                && !std::mem::replace(&mut needed[node], true)
                && let Gate::And(a, b) | Gate::Xor(a, b) = self.nodes[node]
            {
                to_do.extend([a.node(), b.node()]);
            }
        }
        let of =
            |map: &[Option<Lit>], lit: Lit| map[lit.node()].unwrap_or(Lit::FALSE).xor(lit.is_complement());
        for node in (0..self.nodes.len()).filter(|&it| needed[it]) {
            map[node] = Some(match self.nodes[node] {
                Gate::And(a, b) => other.and(of(map, a), of(map, b)),
                Gate::Xor(a, b) => other.xor(of(map, a), of(map, b)),
                Gate::False | Gate::Input => Lit::FALSE,
            });
        }
        lits.iter().map(|&it| of(map, it)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_gates_are_one_and_constants_vanish() {
        let mut gates = Gates::new(3);
        let [a, b, c] = [0, 1, 2].map(|it| gates.input(it));
        let ab = gates.and(a, b);
        assert_eq!(gates.and(b, a), ab);
        assert_eq!([gates.and(a, Lit::TRUE), gates.and(a, !a), gates.or(a, !a)], [a, Lit::FALSE, Lit::TRUE]);
        assert_eq!([gates.and(ab, a), gates.and(ab, !b), gates.and(!ab, !b)], [ab, Lit::FALSE, !b]);
        let not_a_but_b = gates.and(!a, b);
        assert_eq!(gates.and(!ab, b), not_a_but_b);
        let not_bc = gates.and(!b, c);
        assert_eq!(gates.and(ab, not_bc), Lit::FALSE);
        let xor = gates.xor(a, !b);
        assert_eq!([gates.xor(b, !a), gates.xor(!a, !b), gates.xor(a, a)], [xor, !xor, Lit::FALSE]);
        let all = gates.all(vec![c, b, a, b]);
        assert_eq!(gates.all(vec![a, b, c]), all);
        assert_eq!(gates.all(vec![a, c, !a]), Lit::FALSE);
    }

    #[test]
    fn gates_are_copied_for_other_inputs() {
        let mut gates = Gates::new(2);
        let [a, b] = [0, 1].map(|it| gates.input(it));
        let both = gates.and(a, !b);
        let odd = gates.xor(both, b);
        let mut other = Gates::new(1);
        let x = other.input(0);
        let mut map = vec![None; gates.len()];
        (map[0], map[a.node()], map[b.node()]) = (Some(Lit::FALSE), Some(x), Some(!x));
        // a and not b is x; with b that is x xor not x.
        assert_eq!(gates.copy_to(&mut other, &[both, !odd], &mut map), [x, Lit::FALSE]);
    }
}

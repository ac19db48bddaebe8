//! The network of a rulesheet: what is legal, the end and the goals from the fluents, and the next fluents from these
//! and the moves.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use crate::Error;
use crate::boxes;
use crate::facts::FactId;
use crate::gates::{Gates, Lit};
use crate::graph::components;
use crate::ground::{Ground, Meaning};
use crate::hash::FastMap;
use crate::limits::{End, Late, Limits};
use crate::sheet::Sheet;
use crate::split::split;

/// The gates of a large network.
const LARGE: usize = 300_000;

/// A network whose inputs are the fluents and then the moves. Of the moves, exactly one of each role is made, a legal one.
#[derive(Debug, Clone)]
pub(crate) struct Net {
    pub(crate) gates: Gates,
    pub(crate) next: Vec<Lit>,
    pub(crate) legal: Vec<Lit>,
    pub(crate) terminal: Lit,
    /// For each role its goals, the least first.
    pub(crate) goals: Vec<Vec<(u8, Lit)>>,
}

impl Net {
    /// The input of a fluent.
    pub(crate) fn fluent(&self, index: usize) -> Lit {
        self.gates.input(index)
    }

    /// The input of a move.
    pub(crate) fn done(&self, index: usize) -> Lit {
        self.gates.input(self.next.len() + index)
    }

    /// Grounds a rulesheet and builds its network. If that is large, rules that take many steps are taken apart: mostly
    /// it is smaller then.
    pub(crate) fn of_sheet(mut sheet: Sheet, limits: Limits, end: &End) -> Result<(Ground, Self), Error> {
        loop {
            let ground = Ground::of(&mut sheet, limits, end)?;
            let net = Self::of(&ground, limits, end);
            if ground.heavy.is_empty()
                || net.as_ref().is_ok_and(|it| it.gates.len() < LARGE)
                || end.has_come()
            {
                return net.map(|net| (ground, net));
            }
            split(&mut sheet, &ground.heavy);
        }
    }

    fn of(ground: &Ground, limits: Limits, end: &End) -> Result<Self, Error> {
        let mut builder = Builder::new(ground, limits, end)?;
        builder.build()?;
        let Builder { gates, lits, .. } = builder;
        let lit = |fact: FactId| lits[fact as usize].unwrap_or(Lit::FALSE);
        Ok(Self {
            gates,
            next: ground.next.iter().map(|it| it.map_or(Lit::FALSE, lit)).collect(),
            legal: ground.legal.iter().map(|&it| lit(it)).collect(),
            terminal: ground.terminal.map_or(Lit::FALSE, lit),
            goals: ground
                .goals
                .iter()
                .map(|all| all.iter().map(|&(goal, it)| (goal, lit(it))).collect())
                .collect(),
        })
    }
}

/// Literals that hold together.
type Product = Vec<Lit>;

/// What a sentence in a group that depends on itself follows from: the others of the group, each with what has to hold
/// besides, and what does not depend on the group.
#[derive(Default)]
struct Equation {
    from: BTreeMap<usize, Lit>,
    rest: Option<Lit>,
}

struct Builder<'a> {
    ground: &'a Ground,
    limits: Limits,
    end: &'a End,
    gates: Gates,
    /// What stands for each sentence, once it is known.
    lits: Vec<Option<Lit>>,
    /// The conditions of each sentence: twice the number of a sentence, and 1 more for its negation.
    rules: Vec<Vec<Vec<u32>>>,
    /// The role of each move.
    role_of_move: Vec<usize>,
    /// The number of moves of each role.
    move_counts: Vec<usize>,
    /// The numbers of all moves.
    all_moves: Vec<u32>,
    /// What is a disjunction of moves, with these.
    moves_of: FastMap<Lit, Vec<u32>>,
}

impl<'a> Builder<'a> {
    fn new(ground: &'a Ground, limits: Limits, end: &'a End) -> Result<Self, Error> {
        let (fluents, moves) = (ground.fluents.len(), ground.moves.len());
        let gates = Gates::new(fluents + moves);
        let mut rules = vec![Vec::new(); ground.meanings.len()];
        for (index, rule) in ground.rules().enumerate() {
            let first = || Error::TooLarge(ground.relation_text(rule.head).to_owned());
            end.look_at(index, 1 << 16).map_err(|Late| first())?;
            let hold = rule.hold.iter().map(|&it| it << 1);
            let conditions: Vec<u32> = hold.chain(rule.hold_not.iter().map(|&it| it << 1 | 1)).collect();
            rules[rule.head as usize].push(conditions);
        }
        let lits = ground.meanings.iter().zip(&ground.is_fixed).map(|(meaning, &is_fixed)| match *meaning {
            _ if is_fixed => Some(Lit::TRUE),
            Meaning::Fluent(index) => Some(gates.input(index)),
            Meaning::Done(index) => Some(gates.input(fluents + index)),
            Meaning::Derived => None,
        });
        let lits = lits.collect();
        let role_of_move: Vec<usize> = ground.moves.iter().map(|it| it.0).collect();
        let mut move_counts = vec![0; ground.roles.len()];
        for &it in &role_of_move {
            move_counts[it] += 1;
        }
        let all_moves = (0..moves as u32).collect();
        let moves_of = FastMap::default();
        Ok(Self { ground, limits, end, gates, lits, rules, role_of_move, move_counts, all_moves, moves_of })
    }

    /// Checks that the network stays within its limits while a sentence is built.
    fn check(&self, fact: FactId) -> Result<(), Error> {
        if self.gates.len() > self.limits.gates || self.end.has_come() {
            return Err(Error::TooLarge(self.ground.relation_text(fact).to_owned()));
        }
        Ok(())
    }

    fn build(&mut self) -> Result<(), Error> {
        let mut targets: Vec<Vec<u32>> = Vec::with_capacity(self.rules.len());
        for (fact, rules) in self.rules.iter().enumerate() {
            if fact.is_multiple_of(1 << 12) {
                self.check(fact as FactId)?;
            }
            let mut all: Vec<u32> = rules.iter().flatten().map(|it| it >> 1).collect();
            all.retain(|&it| self.lits[it as usize].is_none());
            all.sort_unstable();
            all.dedup();
            targets.push(all);
        }
        for group in components(targets.len(), |it| &targets[it]) {
            let first = group[0];
            if self.lits[first as usize].is_some() {
                continue;
            }
            self.check(first)?;
            if group.len() == 1 && !targets[first as usize].contains(&first) {
                let rules = std::mem::take(&mut self.rules[first as usize]);
                let products = rules.iter().filter_map(|it| self.product(it)).collect();
                self.lits[first as usize] = Some(self.sum(products));
            } else {
                self.solve(&group)?;
            }
        }
        Ok(())
    }

    /// What stands for conditions that are known; `None` if they can't hold.
    fn product(&self, conditions: &[u32]) -> Option<Product> {
        let lit = |it: u32| self.lits[(it >> 1) as usize].unwrap_or(Lit::FALSE).xor(it & 1 == 1);
        let mut product: Product =
            conditions.iter().map(|&it| lit(it)).filter(|it| *it != Lit::TRUE).collect();
        product.sort_unstable();
        product.dedup();
        let is_false = product.first() == Some(&Lit::FALSE) || product.windows(2).any(|it| it[0] == !it[1]);
        (!is_false).then_some(product)
    }

    /// The disjunction of products.
    fn sum(&mut self, mut products: Vec<Product>) -> Lit {
        products.sort_unstable();
        products.dedup();
        let mut parts = Vec::new();
        for sides in boxes::take_out(&mut products) {
            let sides = sides.into_iter().map(|it| self.disjunction(it)).collect();
            parts.push(self.conjunction(sides));
        }
        if parts.is_empty() {
            return self.factored(products);
        }
        parts.push(self.factored(products));
        self.disjunction(parts)
    }

    /// The disjunction of products, with what most have in common taken out.
    fn factored(&mut self, mut products: Vec<Product>) -> Lit {
        /// The most literals that are looked at again for each that is taken out.
        const MOST: usize = 1 << 22;
        products.sort_unstable();
        products.dedup();
        if products.first().is_some_and(Vec::is_empty) {
            return Lit::TRUE;
        }
        // Where each literal is, of products with several.
        let mut places: FastMap<Lit, Vec<u32>> = FastMap::default();
        let mut length = 0;
        let has_some = products.iter().filter(|it| it.len() > 1).nth(1).is_some();
        for (index, product) in products.iter().enumerate().filter(|it| has_some && it.1.len() > 1) {
            length += product.len();
            for &lit in product {
                places.entry(lit).or_default().push(index as u32);
            }
        }
        // Of those that are as frequent, the first that was made: the choice depends on nothing else.
        let mut frequent: BinaryHeap<(usize, Reverse<Lit>)> =
            places.iter().map(|(&lit, places)| (places.len(), Reverse(lit))).filter(|it| it.0 > 1).collect();
        let mut parts = Vec::new();
        let mut effort = length;
        while effort < MOST
            && let Some((count, Reverse(best))) = frequent.pop()
        {
            let Some(with) = places.get_mut(&best) else { continue };
            with.retain(|&it| !products[it as usize].is_empty());
            if with.len() < count {
                // Some have been taken out with other literals.
                frequent.extend((with.len() > 1).then_some((with.len(), Reverse(best))));
                continue;
            }
            let quotients = std::mem::take(with).into_iter().map(|index| {
                let product = std::mem::take(&mut products[index as usize]);
                length -= product.len();
                product.into_iter().filter(|lit| *lit != best).collect()
            });
            let quotients = quotients.collect();
            let quotient = self.factored(quotients);
            parts.push(self.gates.and(best, quotient));
            effort += length;
        }
        products.retain(|it| !it.is_empty());
        for product in products {
            parts.push(self.conjunction(product));
        }
        self.disjunction(parts)
    }

    fn conjunction(&mut self, product: Product) -> Lit {
        let denied = product.into_iter().map(|it| !it).collect();
        !self.disjunction(denied)
    }

    /// The moves that this is a disjunction of, if it is known to be one.
    fn moves_in(&self, lit: Lit) -> &[u32] {
        let first = 1 + self.ground.fluents.len();
        match lit.node().checked_sub(first) {
            Some(mv) if mv < self.all_moves.len() && !lit.is_complement() => &self.all_moves[mv..=mv],
            _ => self.moves_of.get(&lit).map_or(&[], |it| it),
        }
    }

    /// The disjunction. Exactly one move of each role is made: one of many is none of the few others.
    fn disjunction(&mut self, mut lits: Vec<Lit>) -> Lit {
        lits.sort_unstable();
        lits.dedup();
        let mut moves: Vec<u32> = lits.iter().flat_map(|&it| self.moves_in(it)).copied().collect();
        if moves.is_empty() {
            return self.gates.any(lits);
        }
        moves.sort_unstable();
        moves.dedup();
        let are_all = lits.iter().all(|&it| !self.moves_in(it).is_empty());
        let of_role = moves.chunk_by(|&a, &b| self.role_of_move[a as usize] == self.role_of_move[b as usize]);
        let of_role: Vec<&[u32]> = of_role.collect();
        let role = |of_role: &[u32]| self.role_of_move[of_role[0] as usize];
        let are_many = |of_role: &[u32]| 2 * of_role.len() > self.move_counts[role(of_role)];
        if of_role.iter().any(|it| are_many(it)) {
            lits.retain(|&it| self.moves_in(it).is_empty());
            let first = self.ground.fluents.len();
            for own in of_role {
                let others = (0..self.role_of_move.len()).filter(|&it| self.role_of_move[it] == role(own));
                if are_many(own) {
                    let others = others.filter(|&it| own.binary_search(&(it as u32)).is_err());
                    let others = others.map(|it| Lit::of(1 + first + it)).collect();
                    lits.push(!self.gates.any(others));
                } else {
                    lits.extend(own.iter().map(|&it| Lit::of(1 + first + it as usize)));
                }
            }
            lits.sort_unstable();
        }
        let found = self.gates.any(lits);
        if are_all && moves.len() > 1 {
            self.moves_of.insert(found, moves);
        }
        found
    }

    /// Builds sentences that depend on each other: the least solution of their equations.
    fn solve(&mut self, group: &[FactId]) -> Result<(), Error> {
        let number: FastMap<FactId, usize> = group.iter().copied().zip(0..).collect();
        let inner =
            |conditions: &[u32]| conditions.iter().filter(|it| number.contains_key(&(**it >> 1))).count();
        let is_linear = group.iter().all(|&it| self.rules[it as usize].iter().all(|it| inner(it) <= 1));
        if !is_linear {
            return self.unroll(group);
        }
        let mut equations = Vec::new();
        for &fact in group {
            let mut products: BTreeMap<Option<usize>, Vec<Product>> = BTreeMap::new();
            for conditions in std::mem::take(&mut self.rules[fact as usize]) {
                let from = conditions.iter().find_map(|it| number.get(&(it >> 1)).copied());
                let rest: Vec<u32> =
                    conditions.into_iter().filter(|it| !number.contains_key(&(it >> 1))).collect();
                if let Some(product) = self.product(&rest) {
                    products.entry(from).or_default().push(product);
                }
            }
            let mut equation = Equation::default();
            for (from, products) in products {
                let lit = self.sum(products);
                match from {
                    Some(from) => _ = equation.from.insert(from, lit),
                    None => equation.rest = Some(lit),
                }
            }
            equations.push(equation);
            self.check(fact)?;
        }
        self.eliminate(group, equations)
    }

    /// Solves linear equations: takes one sentence after the other out of the equations of the others, those first
    /// that are in few, and then goes back.
    fn eliminate(&mut self, group: &[FactId], mut equations: Vec<Equation>) -> Result<(), Error> {
        let mut left: Vec<usize> = (0..group.len()).collect();
        let mut order = Vec::new();
        while !left.is_empty() {
            let mut uses = vec![0; group.len()];
            for &it in &left {
                equations[it].from.keys().for_each(|&from| uses[from] += 1);
            }
            let at = (0..left.len())
                .min_by_key(|&at| uses[left[at]] * equations[left[at]].from.len())
                .unwrap_or(0);
            let out = left.remove(at);
            let mut own = std::mem::take(&mut equations[out]);
            // What follows from itself alone does not hold.
            own.from.remove(&out);
            for &other in &left {
                let Some(through) = equations[other].from.remove(&out) else { continue };
                for (&from, &lit) in &own.from {
                    let path = self.gates.and(through, lit);
                    let known = equations[other].from.get(&from).copied().unwrap_or(Lit::FALSE);
                    let both = self.gates.or(known, path);
                    equations[other].from.insert(from, both);
                }
                if let Some(rest) = own.rest {
                    let path = self.gates.and(through, rest);
                    let both = self.gates.or(equations[other].rest.unwrap_or(Lit::FALSE), path);
                    equations[other].rest = Some(both);
                }
            }
            equations[out] = own;
            order.push(out);
            self.check(group[out])?;
        }
        for &out in order.iter().rev() {
            let mut parts = vec![equations[out].rest.unwrap_or(Lit::FALSE)];
            for (&from, &lit) in &equations[out].from {
                let solved = self.lits[group[from] as usize].unwrap_or(Lit::FALSE);
                parts.push(self.gates.and(lit, solved));
            }
            self.lits[group[out] as usize] = Some(self.gates.any(parts));
        }
        Ok(())
    }

    /// Derives them again and again from what has been derived, until nothing can be new.
    fn unroll(&mut self, group: &[FactId]) -> Result<(), Error> {
        for &it in group {
            self.lits[it as usize] = Some(Lit::FALSE);
        }
        // In each round but the last, at least one sentence more is derived.
        for _ in 0..=group.len() {
            let mut is_new = false;
            for &fact in group {
                let products = self.rules[fact as usize].iter().filter_map(|it| self.product(it)).collect();
                let lit = self.sum(products);
                is_new |= self.lits[fact as usize].replace(lit) != Some(lit);
                self.check(fact)?;
            }
            if !is_new {
                break;
            }
        }
        Ok(())
    }
}

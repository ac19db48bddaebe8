//! Random games in lanes: 64 in each word, which begin at the same state and end each in its time. The uniform choice of a
//! move is a part of the network: an adder tree counts the legal moves, a number below the count is drawn bit by bit, and
//! the tree leads it down to a move.

use quintet_core::hash::mix;
use quintet_cpu::{Cpu, Work};

use std::ops::Range;

use crate::bits::has_bit;
use crate::gates::{Gates, Lit};
use crate::hash::FastMap;
use crate::net::Net;
use crate::program::{Layout, Place, Program};

/// One choice in each step: a number below the number of legal moves.
#[derive(Debug, Clone)]
struct Choice {
    /// The number of legal moves in binary, the lowest bit first.
    count: Vec<Place>,
    /// Where the bits of the number are put.
    drawn: Vec<u32>,
    /// The moves among which it chooses, in order: of each slot one is legal at most.
    slots: Vec<Vec<u16>>,
}

/// Roles of which one chooses at a time, and the moves among which it does: of each slot one is legal at most. Other
/// moves of the roles are the only ones where they are legal.
#[derive(Debug, Clone)]
pub(crate) struct Pool {
    pub(crate) roles: Vec<usize>,
    pub(crate) slots: Vec<Vec<usize>>,
}

/// A network that plays random games.
#[derive(Debug, Clone)]
pub(crate) struct Lanes {
    values: usize,
    /// The fluents that matter, each with its place.
    fluents: Vec<(u16, u32)>,
    /// Finds what is legal, and the end.
    view: Program,
    /// Finds the goals, which may take longer than a step and are asked for at ends only.
    goals_at_end: Program,
    /// Leads the drawn numbers to moves and finds the next state.
    step: Program,
    choices: Vec<Choice>,
    /// Whether the game is over, or can't go on.
    over: Place,
    /// For each role its goals, the greatest first.
    goals: Vec<Vec<(u8, Place)>>,
    /// The next value of each fluent that matters.
    next: Vec<Place>,
    max_steps: u32,
}

/// The games of a word.
pub(crate) const GAMES: usize = 64;

/// How games in lanes ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Played<const W: usize> {
    /// For each role the lanes that ended with a goal, which is not 0.
    pub(crate) goals: Vec<Vec<(u8, [u64; W])>>,
    /// The lanes that had no end within the limit.
    pub(crate) unfinished: [u64; W],
    /// The lanes that were over after the first step.
    pub(crate) short: [u64; W],
    /// The steps of the games of each word together.
    pub(crate) steps: [u64; W],
}

/// Where the games of a word begin.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Start<'a> {
    /// The bits of the fluents.
    pub(crate) fluents: &'a [u64],
    pub(crate) seed: u64,
}

/// What is made of the first step in place of random moves: the numbers that lead to moves, one for each lane.
#[derive(Debug, Clone)]
pub(crate) struct FirstMoves<const W: usize>(Vec<(u32, [u64; W])>);

impl<const W: usize> FirstMoves<W> {
    /// Random moves from the first step on.
    pub(crate) const RANDOM: Self = Self(Vec::new());
}

impl Lanes {
    pub(crate) fn new(net: &Net, pools: &[Pool], moves_of: &[Range<usize>], max_steps: u32) -> Self {
        let relevant = relevant(net);
        let fluents: Vec<usize> = (0..net.next.len()).filter(|&it| relevant[it]).collect();
        let mut gates = Gates::new(fluents.len());
        let mut map = vec![None; net.gates.len()];
        map[0] = Some(Lit::FALSE);
        for (index, &fluent) in fluents.iter().enumerate() {
            map[net.fluent(fluent).node()] = Some(gates.input(index));
        }
        let legal = net.gates.copy_to(&mut gates, &net.legal, &mut map);
        let mut over = net.gates.copy_to(&mut gates, &[net.terminal], &mut map)[0];
        let mut goals = Vec::new();
        for all in &net.goals {
            let lits: Vec<Lit> = all.iter().map(|it| it.1).collect();
            let lits = net.gates.copy_to(&mut gates, &lits, &mut map);
            goals.push(all.iter().zip(lits).map(|(&(goal, _), lit)| (goal, lit)).rev().collect::<Vec<_>>());
        }
        let mut choices: Vec<(Vec<Lit>, Vec<Lit>, &Pool)> = Vec::new();
        let mut is_chosen = vec![false; legal.len()];
        for pool in pools {
            let leaves: Vec<Lit> =
                pool.slots.iter().map(|slot| gates.any(slot.iter().map(|&it| legal[it]).collect())).collect();
            let tree = Tree::new(&mut gates, &leaves);
            let drawn: Vec<Lit> = (0..width(leaves.len())).map(|_| gates.add_input()).collect();
            let any = gates.any(tree.count.clone());
            let mut led = Vec::new();
            tree.lead(&mut gates, any, &drawn, &mut led);
            for (slot, led) in pool.slots.iter().zip(led) {
                for &mv in slot {
                    is_chosen[mv] = true;
                    map[net.done(mv).node()] =
                        Some(if slot.len() == 1 { led } else { gates.and(led, legal[mv]) });
                }
            }
            // Without a legal move of a role the game is over, too. A role makes the only move that it has, or chooses.
            let forced: Vec<Lit> = pool
                .roles
                .iter()
                .map(|&role| {
                    let only =
                        moves_of[role].clone().filter(|it| !pool.slots.iter().flatten().any(|mv| mv == it));
                    gates.any(only.map(|it| legal[it]).collect())
                })
                .collect();
            let all_forced = gates.all(forced.clone());
            let mut but_one = vec![any];
            for (index, &one) in forced.iter().enumerate() {
                for &other in &forced[index + 1..] {
                    but_one.push(gates.or(one, other));
                }
            }
            let but_one = gates.all(but_one);
            let goes_on = gates.or(all_forced, but_one);
            over = gates.or(over, !goes_on);
            choices.push((tree.count, drawn, pool));
        }
        for mv in (0..legal.len()).filter(|&it| !is_chosen[it]) {
            map[net.done(mv).node()] = Some(legal[mv]);
        }
        let next: Vec<Lit> = fluents.iter().map(|&it| net.next[it]).collect();
        let next = net.gates.copy_to(&mut gates, &next, &mut map);
        let inputs = (0..fluents.len()).map(|it| gates.input(it));
        let inputs: Vec<Lit> = inputs.chain(choices.iter().flat_map(|it| it.1.clone())).collect();
        let mut layout = Layout::new(&gates, &inputs);
        let counts = choices.iter().flat_map(|it| it.0.clone());
        let view = layout.program(&gates, counts.chain([over]));
        // What both find is found twice, as goals are not always; so they may be found in the same places.
        let mut at_end = layout.clone();
        let goals_at_end = at_end.program(&gates, goals.iter().flatten().map(|it| it.1));
        let step = layout.program(&gates, next.iter().copied());
        let place = |lit: &Lit| layout.place(*lit);
        Self {
            values: layout.values.max(at_end.values),
            fluents: fluents.iter().zip(0..).map(|(&fluent, index)| (fluent as u16, 1 + index)).collect(),
            view,
            goals_at_end,
            step,
            choices: choices
                .iter()
                .map(|(count, drawn, pool)| Choice {
                    count: count.iter().map(place).collect(),
                    drawn: drawn.iter().map(|it| layout.place(*it).at).collect(),
                    slots: pool.slots.iter().map(|slot| slot.iter().map(|&it| it as u16).collect()).collect(),
                })
                .collect(),
            over: place(&over),
            goals: goals
                .iter()
                .map(|all| all.iter().map(|(goal, lit)| (*goal, at_end.place(*lit))).collect())
                .collect(),
            next: next.iter().map(place).collect(),
            max_steps,
        }
    }

    /// The steps after which a game is cut off.
    pub(crate) fn max_steps(&self) -> u32 {
        self.max_steps
    }

    /// The number of operations of a step.
    pub(crate) fn operations(&self) -> usize {
        self.view.len() + self.step.len()
    }

    /// Plays 64 random games for each of `W` starts. What is found for one depends on nothing of the others.
    pub(crate) fn play<const W: usize>(
        &self,
        starts: &[Start<'_>; W],
        first: &FirstMoves<W>,
        values: &mut Vec<u64>,
    ) -> Played<W> {
        values.clear();
        values.resize(self.values * W, 0);
        let (values, _) = values.as_chunks_mut::<W>();
        Cpu::best().run(Playing { lanes: self, starts, first, values, followed: None })
    }

    /// Plays the same games once more, and returns for each step of one lane the number that led to its move in each
    /// choice.
    pub(crate) fn follow<const W: usize>(
        &self,
        starts: &[Start<'_>; W],
        first: &FirstMoves<W>,
        lane: usize,
        values: &mut Vec<u64>,
    ) -> Vec<Vec<usize>> {
        let mut numbers = Vec::new();
        values.clear();
        values.resize(self.values * W, 0);
        let (values, _) = values.as_chunks_mut::<W>();
        let followed = Some((lane, &mut numbers));
        Cpu::best().run(Playing { lanes: self, starts, first, values, followed });
        numbers
    }

    /// The moves to which the numbers of a step lead from a state with these legal moves.
    pub(crate) fn moves_by(&self, numbers: &[usize], legal: &[u64]) -> impl Iterator<Item = u16> {
        self.choices.iter().zip(numbers).filter_map(|(choice, &number)| {
            let is_legal = |it: &&u16| has_bit(legal, usize::from(**it));
            choice.slots.iter().filter_map(|slot| slot.iter().find(is_legal)).nth(number).copied()
        })
    }

    /// The first moves from a state with these legal moves: those that roles have chosen, and one of `among`, which are
    /// the legal moves of a role, for each lane in turn.
    pub(crate) fn first_moves<const W: usize>(
        &self,
        legal: &[u64],
        chosen: &[u16],
        among: &[u16],
    ) -> FirstMoves<W> {
        let mut first = FirstMoves::RANDOM;
        for choice in &self.choices {
            // The number that leads to each move.
            let mut numbers: FastMap<u16, usize> = FastMap::default();
            let mut count = 0;
            for slot in &choice.slots {
                if let Some(&mv) = slot.iter().find(|it| has_bit(legal, usize::from(**it))) {
                    numbers.insert(mv, count);
                    count += 1;
                }
            }
            let made = chosen.iter().find_map(|it| numbers.get(it));
            let lanes: Vec<usize> = match made {
                Some(&number) => vec![number],
                None => among.iter().filter_map(|it| numbers.get(it).copied()).collect(),
            };
            if lanes.is_empty() {
                continue;
            }
            for (bit, &at) in choice.drawn.iter().enumerate() {
                let mut words = [0; W];
                for lane in 0..W * GAMES {
                    let number = lanes[lane % lanes.len()];
                    words[lane / GAMES] |= ((number >> bit & 1) as u64) << (lane % GAMES);
                }
                first.0.push((at, words));
            }
        }
        first
    }
}

/// The fluents that may make a difference to the game.
pub(crate) fn relevant(net: &Net) -> Vec<bool> {
    let mut found = vec![false; net.next.len()];
    let mut wanted: Vec<Lit> = net.legal.clone();
    wanted.push(net.terminal);
    wanted.extend(net.goals.iter().flatten().map(|it| it.1));
    loop {
        let cone = net.gates.cone(wanted.iter().copied());
        let mut is_new = false;
        for fluent in 0..found.len() {
            if cone[net.fluent(fluent).node()] && !std::mem::replace(&mut found[fluent], true) {
                is_new = true;
                wanted.push(net.next[fluent]);
            }
        }
        if !is_new {
            return found;
        }
    }
}

/// The bits of numbers below `count`.
fn width(count: usize) -> usize {
    (usize::BITS - count.saturating_sub(1).leading_zeros()) as usize
}

/// An adder tree over the legal moves.
struct Tree {
    /// The number of legal moves below, in binary.
    count: Vec<Lit>,
    leaves: usize,
    parts: Option<Box<[Tree; 2]>>,
}

impl Tree {
    fn new(gates: &mut Gates, leaves: &[Lit]) -> Self {
        if leaves.len() < 2 {
            return Self { count: leaves.to_vec(), leaves: leaves.len(), parts: None };
        }
        let (left, right) = leaves.split_at(leaves.len().div_ceil(2));
        let parts = [Self::new(gates, left), Self::new(gates, right)];
        let mut count = sum(gates, &parts[0].count, &parts[1].count);
        count.truncate(width(leaves.len() + 1));
        Self { count, leaves: leaves.len(), parts: Some(Box::new(parts)) }
    }

    /// Leads a number, which is below the count, to its leaf, if it comes here; says of each leaf whether it is led
    /// there.
    fn lead(&self, gates: &mut Gates, is_here: Lit, number: &[Lit], found: &mut Vec<Lit>) {
        let Some([left, right]) = self.parts.as_deref() else {
            return found.extend((0..self.leaves).map(|_| is_here));
        };
        let (rest, is_left) = difference(gates, number, &left.count);
        let (to_left, to_right) = (gates.and(is_here, is_left), gates.and(is_here, !is_left));
        left.lead(gates, to_left, &number[..width(left.leaves)], found);
        right.lead(gates, to_right, &rest[..width(right.leaves)], found);
    }
}

/// The sum of two binary numbers.
fn sum(gates: &mut Gates, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
    let mut carry = Lit::FALSE;
    let mut sum = Vec::new();
    for bit in 0..a.len().max(b.len()) {
        let [a, b] = [a, b].map(|it| it.get(bit).copied().unwrap_or(Lit::FALSE));
        let odd = gates.xor(a, b);
        sum.push(gates.xor(odd, carry));
        let (both, through) = (gates.and(a, b), gates.and(odd, carry));
        carry = gates.or(both, through);
    }
    sum.push(carry);
    sum
}

/// `a - b` modulo a power of two, and whether `a` is less than `b`.
fn difference(gates: &mut Gates, a: &[Lit], b: &[Lit]) -> (Vec<Lit>, Lit) {
    let mut borrow = Lit::FALSE;
    let mut rest = Vec::new();
    for bit in 0..a.len().max(b.len()) {
        let [a, b] = [a, b].map(|it| it.get(bit).copied().unwrap_or(Lit::FALSE));
        let odd = gates.xor(a, b);
        rest.push(gates.xor(odd, borrow));
        let (less, through) = (gates.and(!a, b), gates.and(!odd, borrow));
        borrow = gates.or(less, through);
    }
    (rest, borrow)
}

/// A generator for each word: xoshiro256++.
struct Random<const W: usize>([[u64; W]; 4]);

impl<const W: usize> Random<W> {
    fn new(starts: &[Start<'_>; W]) -> Self {
        const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
        let part = |index: u64| {
            std::array::from_fn(|word| mix(starts[word].seed.wrapping_add(GOLDEN.wrapping_mul(index + 1))))
        };
        Self([part(0), part(1), part(2), part(3)])
    }

    #[inline(always)]
    fn bits(&mut self) -> [u64; W] {
        let [a, b, c, d] = &mut self.0;
        let mut bits = [0; W];
        for word in 0..W {
            bits[word] = a[word].wrapping_add(d[word]).rotate_left(23).wrapping_add(a[word]);
            let shifted = b[word] << 17;
            c[word] ^= a[word];
            d[word] ^= b[word];
            b[word] ^= c[word];
            a[word] ^= d[word];
            c[word] ^= shifted;
            d[word] = d[word].rotate_left(45);
        }
        bits
    }
}

struct Playing<'a, const W: usize> {
    lanes: &'a Lanes,
    starts: &'a [Start<'a>; W],
    first: &'a FirstMoves<W>,
    values: &'a mut [[u64; W]],
    /// A lane, and where the numbers go that led to its moves.
    followed: Option<(usize, &'a mut Vec<Vec<usize>>)>,
}

impl<const W: usize> Work for Playing<'_, W> {
    type Output = Played<W>;

    #[inline(always)]
    fn run(self) -> Played<W> {
        let Self { lanes, starts, first, values, mut followed } = self;
        let mut random = Random::new(starts);
        let goals = lanes.goals.iter().map(|all| all.iter().map(|it| (it.0, [0; W])).collect());
        let mut played = Played { goals: goals.collect(), unfinished: [0; W], short: [0; W], steps: [0; W] };
        for &(fluent, at) in &lanes.fluents {
            for word in 0..W {
                values[at as usize][word] =
                    0_u64.wrapping_sub(has_bit(starts[word].fluents, fluent.into()).into());
            }
        }
        let mut is_on = [u64::MAX; W];
        let mut next = vec![[0; W]; lanes.next.len()];
        for step in 0.. {
            lanes.view.run_inlined(values);
            let over = lanes.over.get(values);
            let mut done = [0; W];
            for word in 0..W {
                done[word] = is_on[word] & over[word];
                is_on[word] &= !over[word];
            }
            if done != [0; W] {
                lanes.goals_at_end.run_inlined(values);
                lanes.add_goals(values, done, &mut played);
            }
            if step == 1 {
                played.short = done;
            }
            if is_on == [0; W] {
                break;
            }
            for (steps, is_on) in played.steps.iter_mut().zip(is_on) {
                *steps += u64::from(is_on.count_ones());
            }
            if step >= lanes.max_steps {
                played.unfinished = is_on;
                break;
            }
            for choice in &lanes.choices {
                choice.draw(values, is_on, &mut random);
            }
            if step == 0 {
                for &(at, words) in &first.0 {
                    values[at as usize] = words;
                }
            }
            if let Some((lane, numbers)) = &mut followed {
                numbers.push(lanes.choices.iter().map(|it| it.number(values, *lane)).collect());
            }
            lanes.step.run_inlined(values);
            for (next, place) in next.iter_mut().zip(&lanes.next) {
                *next = place.get(values);
            }
            for (&next, &(_, at)) in next.iter().zip(&lanes.fluents) {
                values[at as usize] = next;
            }
        }
        played
    }
}

impl Choice {
    /// The number that was drawn in a lane.
    fn number<const W: usize>(&self, values: &[[u64; W]], lane: usize) -> usize {
        let bit = |at: u32| (values[at as usize][lane / GAMES] >> (lane % GAMES) & 1) as usize;
        self.drawn.iter().enumerate().map(|(index, &at)| bit(at) << index).sum()
    }

    /// Draws numbers below the count for the lanes that are on.
    #[inline(always)]
    fn draw<const W: usize>(&self, values: &mut [[u64; W]], is_on: [u64; W], random: &mut Random<W>) {
        if self.drawn.is_empty() {
            return;
        }
        // Where the only move of a role is legal, there is nothing to choose.
        let mut any = [0; W];
        for place in &self.count {
            let bit = place.get(values);
            (0..W).for_each(|word| any[word] |= bit[word]);
        }
        let is_on: [u64; W] = std::array::from_fn(|word| is_on[word] & any[word]);
        if is_on == [0; W] {
            return;
        }
        let mut left = is_on;
        loop {
            let (before, still) = (random.0, left);
            let (mut less, mut equal) = ([0; W], [u64::MAX; W]);
            let mut above = [0; W];
            for (bit, place) in self.count.iter().enumerate().rev() {
                let count = place.get(values);
                let Some(&at) = self.drawn.get(bit) else {
                    // Only as many as there are moves at most have this bit.
                    for word in 0..W {
                        above[word] |= count[word];
                        less[word] |= equal[word] & count[word];
                        equal[word] &= !count[word];
                    }
                    continue;
                };
                let bits = random.bits();
                let drawn = &mut values[at as usize];
                for word in 0..W {
                    above[word] |= count[word];
                    // Bits above those of the count are 0.
                    let new = bits[word] & above[word];
                    drawn[word] = drawn[word] & !left[word] | new & left[word];
                    less[word] |= equal[word] & !new & count[word];
                    equal[word] &= !(new ^ count[word]);
                }
            }
            // A word whose lanes all had a number has drawn nothing: it goes the same way whatever the others do.
            for (part, before) in random.0.iter_mut().zip(before) {
                for word in 0..W {
                    let keeps = 0_u64.wrapping_sub(u64::from(still[word] == 0));
                    part[word] = before[word] & keeps | part[word] & !keeps;
                }
            }
            let mut any = 0;
            for word in 0..W {
                left[word] &= !less[word];
                any |= left[word];
            }
            if any == 0 {
                return;
            }
        }
    }
}

impl Lanes {
    /// Notes the goals of the games that are over.
    #[inline(always)]
    fn add_goals<const W: usize>(&self, values: &[[u64; W]], done: [u64; W], played: &mut Played<W>) {
        for (goals, ended) in self.goals.iter().zip(&mut played.goals) {
            let mut left = done;
            for (&(_, place), (_, ended)) in goals.iter().zip(ended) {
                let holds = place.get(values);
                for word in 0..W {
                    ended[word] |= left[word] & holds[word];
                    left[word] &= !holds[word];
                }
            }
        }
    }
}

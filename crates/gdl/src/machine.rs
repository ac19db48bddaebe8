//! The state machine of a compiled game: one state at a time.

use std::cell::RefCell;

use crate::bits::has_bit;
use crate::limits::MAX_ROLES;
use crate::net::Net;
use crate::program::{Layout, Place, Program};

/// The words of a state.
pub(crate) const STATE_WORDS: usize = 16;
/// The words of a set of moves.
pub(crate) const MOVE_WORDS: usize = 64;

/// The bits of the fluents.
pub(crate) type State = [u64; STATE_WORDS];
/// The bits of moves.
pub(crate) type MoveSet = [u64; MOVE_WORDS];

/// What can be seen of a state, besides the legal moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) is_over: bool,
    /// The goal of each role: the greatest if the rules tell several, 0 if they tell none.
    pub(crate) goals: [u8; MAX_ROLES],
}

/// Computes what is seen of a state, and the next one.
#[derive(Debug, Clone)]
pub(crate) struct Machine {
    fluents: usize,
    view: Program,
    view_values: usize,
    legal: Vec<Place>,
    terminal: Place,
    goals: Vec<Vec<(u8, Place)>>,
    step: Program,
    step_values: usize,
    next: Vec<Place>,
}

thread_local! {
    /// Values of a program, kept from one use to the next.
    static VALUES: RefCell<Vec<[u64; 1]>> = const { RefCell::new(Vec::new()) };
}

/// Lends the values of this thread, zeroed.
fn with_values<T>(count: usize, work: impl FnOnce(&mut [[u64; 1]]) -> T) -> T {
    // Nothing that works with them asks for more of them, and a thread that ends gets new ones.
    let mut values = VALUES.try_with(RefCell::take).unwrap_or_default();
    if values.len() < count {
        values.resize(count, [0]);
    }
    values[0] = [0];
    let result = work(&mut values[..count]);
    let _ = VALUES.try_with(|it| it.replace(values));
    result
}

impl Machine {
    pub(crate) fn new(net: &Net) -> Self {
        let fluents = net.next.len();
        let fluent_inputs: Vec<_> = (0..fluents).map(|it| net.fluent(it)).collect();
        let done: Vec<_> = (0..net.legal.len()).map(|it| net.done(it)).collect();
        let mut layout = Layout::new(&net.gates, &fluent_inputs);
        let goals = net.goals.iter().flatten().map(|it| it.1);
        let view = layout.program(&net.gates, net.legal.iter().copied().chain([net.terminal]).chain(goals));
        let legal = net.legal.iter().map(|&it| layout.place(it)).collect();
        let terminal = layout.place(net.terminal);
        let goals = net
            .goals
            .iter()
            .map(|all| all.iter().rev().map(|&(goal, lit)| (goal, layout.place(lit))).collect());
        let goals = goals.collect();
        let view_values = layout.values;
        let mut layout = Layout::new(&net.gates, &[fluent_inputs, done].concat());
        let step = layout.program(&net.gates, net.next.iter().copied());
        let next = net.next.iter().map(|&it| layout.place(it)).collect();
        Self { fluents, view, view_values, legal, terminal, goals, step, step_values: layout.values, next }
    }

    /// The operations of a step.
    pub(crate) fn operations(&self) -> usize {
        self.view.len() + self.step.len()
    }

    /// What is seen of a state. Its legal moves are put into `legal`, which was empty.
    pub(crate) fn see(&self, state: &[u64], legal: &mut [u64]) -> Seen {
        with_values(self.view_values, |values| {
            for (index, value) in values[1..=self.fluents].iter_mut().enumerate() {
                value[0] = u64::from(has_bit(state, index));
            }
            self.view.run(values);
            for (index, place) in self.legal.iter().enumerate() {
                legal[index / 64] |= (place.get(values)[0] & 1) << (index % 64);
            }
            let mut seen = Seen { is_over: is_true(self.terminal, values), goals: [0; MAX_ROLES] };
            for (goal, all) in seen.goals.iter_mut().zip(&self.goals) {
                let found = all.iter().find(|(_, place)| is_true(*place, values));
                *goal = found.map_or(0, |it| it.0);
            }
            seen
        })
    }

    /// Puts the state after a move of each role into `next`, which was empty.
    pub(crate) fn next(&self, state: &[u64], moves: &[u16], next: &mut [u64]) {
        with_values(self.step_values, |values| {
            let count = self.legal.len();
            let (fluents, done) = values[1..=self.fluents + count].split_at_mut(self.fluents);
            for (index, value) in fluents.iter_mut().enumerate() {
                value[0] = u64::from(has_bit(state, index));
            }
            done.fill([0]);
            for &mv in moves {
                done[usize::from(mv)] = [1];
            }
            self.step.run(values);
            for (index, place) in self.next.iter().enumerate() {
                next[index / 64] |= (place.get(values)[0] & 1) << (index % 64);
            }
        });
    }
}

fn is_true(place: Place, values: &[[u64; 1]]) -> bool {
    place.get(values)[0] & 1 == 1
}

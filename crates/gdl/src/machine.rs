//! The state machine of a compiled game: one state at a time.

use std::cell::RefCell;

use crate::bits::has_bit;
use crate::limits::MAX_ROLES;
use crate::net::Net;
use crate::program::{Layout, Place, Program};

/// The words of a state.
pub(crate) const STATE_WORDS: usize = 32;

/// The bits of the fluents.
pub(crate) type State = [u64; STATE_WORDS];

/// Computes what is seen of a state, and the next one.
#[derive(Debug, Clone)]
pub(crate) struct Machine {
    fluents: usize,
    /// Finds what is legal, and the end.
    view: Program,
    /// Finds the goals, after that.
    goals_of: Program,
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
        let view = layout.program(&net.gates, net.legal.iter().copied().chain([net.terminal]));
        let goals_of = layout.program(&net.gates, net.goals.iter().flatten().map(|it| it.1));
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
        let step_values = layout.values;
        Self { fluents, view, goals_of, view_values, legal, terminal, goals, step, step_values, next }
    }

    /// The operations of a step.
    pub(crate) fn operations(&self) -> usize {
        self.view.len() + self.goals_of.len() + self.step.len()
    }

    /// Whether the game is over in a state, with its legal moves, in order.
    pub(crate) fn see(&self, state: &[u64], mut legal: impl FnMut(usize)) -> bool {
        self.with_view(state, |values| {
            for (index, place) in self.legal.iter().enumerate() {
                if is_true(*place, values) {
                    legal(index);
                }
            }
            is_true(self.terminal, values)
        })
    }

    /// The goal of each role: the greatest if the rules tell several, 0 if they tell none.
    pub(crate) fn goals(&self, state: &[u64]) -> [u8; MAX_ROLES] {
        self.with_view(state, |values| {
            self.goals_of.run(values);
            let mut found = [0; MAX_ROLES];
            for (goal, all) in found.iter_mut().zip(&self.goals) {
                *goal = all.iter().find(|(_, place)| is_true(*place, values)).map_or(0, |it| it.0);
            }
            found
        })
    }

    fn with_view<T>(&self, state: &[u64], look: impl FnOnce(&mut [[u64; 1]]) -> T) -> T {
        with_values(self.view_values, |values| {
            for (index, value) in values[1..=self.fluents].iter_mut().enumerate() {
                value[0] = u64::from(has_bit(state, index));
            }
            self.view.run(values);
            look(values)
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

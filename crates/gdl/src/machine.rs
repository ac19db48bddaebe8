//! The state machine of a compiled game: one state at a time.

use std::cell::RefCell;

use crate::bits::has_bit;
use crate::gates::Lit;
use crate::layout::{Layout, Phase};
use crate::limits::{End, Late, MAX_ROLES};
use crate::net::Net;
use crate::program::{Place, Program};

/// The words of a state.
pub(crate) const STATE_WORDS: usize = 32;

/// The bits of the fluents.
pub(crate) type State = [u64; STATE_WORDS];

/// Computes what is seen of a state, and the next one.
#[derive(Debug, Clone)]
pub(crate) struct Machine {
    fluents: usize,
    /// Finds what is legal, and the end.
    view: Program<u32>,
    /// Finds the goals, after that.
    goals_of: Program<u32>,
    view_values: usize,
    legal: Vec<Place>,
    terminal: Place,
    goals: Vec<Vec<(u8, Place)>>,
    step: Program<u32>,
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
    pub(crate) fn new(net: &Net, end: &End) -> Result<Self, Late> {
        let fluents = net.next.len();
        let inputs: Vec<_> = (0..fluents).map(|it| net.fluent(it)).collect();
        let done = (0..net.legal.len()).map(|it| net.done(it));
        let phase = |wanted| Phase { wanted, is_aside: false };
        let outer: Vec<Lit> = net.legal.iter().copied().chain([net.terminal]).collect();
        let goals: Vec<Lit> = net.goals.iter().flatten().map(|it| it.1).collect();
        let seen = Layout::new(&net.gates, &inputs, [phase(outer), phase(goals)], end)?;
        let inputs: Vec<_> = inputs.into_iter().chain(done).collect();
        let changed = Layout::new(&net.gates, &inputs, [phase(net.next.clone())], end)?;
        let [(view, mut legal), (goals_of, places)] = seen.parts;
        let terminal = legal.pop().unwrap_or(Place::FALSE);
        let mut places = places.into_iter();
        let places_of = |all: &Vec<(u8, Lit)>| {
            let mut all: Vec<(u8, Place)> = all.iter().map(|it| it.0).zip(places.by_ref()).collect();
            all.reverse();
            all
        };
        let goals = net.goals.iter().map(places_of).collect();
        let [(step, next)] = changed.parts;
        let (view_values, step_values) = (seen.slots, changed.slots);
        Ok(Self { fluents, view, goals_of, view_values, legal, terminal, goals, step, step_values, next })
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
    pub(crate) fn next(&self, state: &[u64], moves: impl Iterator<Item = usize>, next: &mut [u64]) {
        with_values(self.step_values, |values| {
            let count = self.legal.len();
            let (fluents, done) = values[1..=self.fluents + count].split_at_mut(self.fluents);
            for (index, value) in fluents.iter_mut().enumerate() {
                value[0] = u64::from(has_bit(state, index));
            }
            done.fill([0]);
            for mv in moves {
                done[mv] = [1];
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

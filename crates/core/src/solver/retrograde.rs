//! Retrograde analysis: who wins from every state of a small game, and how quickly, found backwards from the
//! ends of the game (Ströhlein 1970, Thompson 1986, and every endgame table since).
//!
//! The game is a graph of numbered states. One side, the attacker, wants to reach a state where it has won,
//! as quickly as it can; the other, the defender, wants to prevent that, or put it off. Whatever else may
//! happen, a draw, a loss or play without end, is all the same to the attacker.
//!
//! A won state is won in 0 plies. Layer by layer from there: a state with the attacker to move is won in one
//! ply more than the quickest of its moves; one with the defender to move is won as soon as all its moves are
//! known to lead to won states, in one ply more than the slowest. As layers are done in the order of their
//! distance, the first won move of an attacker is the quickest, and the last open move of a defender the
//! slowest. So each move is looked at once. A state that no layer has reached is not won: its defender has a
//! move that leads to no won state, for ever.
//!
//! # Example
//!
//! Two piles of up to three sticks: a move takes any number of sticks from one pile, and who takes the last
//! one wins.
//!
//! ```
//! use quintet::knowledge::retrograde::{State, plies_to_win};
//!
//! // The number of a state: 16 * (1 if the defender moves) + 4 * first pile + second pile.
//! let state = |number: usize| match (number / 16, number % 16) {
//!     (1, 0) => State::Won, // the attacker took the last stick
//!     (0, 0) => State::NotWon,
//!     (1, _) => State::Defender,
//!     _ => State::Attacker,
//! };
//! let states: Vec<State> = (0..32).map(state).collect();
//! let plies = plies_to_win(&states, |number, next| {
//!     let (other, first, second) = (16 - number / 16 * 16, number / 4 % 4, number % 4);
//!     next.extend((0..first).map(|left| other + 4 * left + second));
//!     next.extend((0..second).map(|left| other + 4 * first + left));
//! });
//! assert_eq!(plies[4 * 3 + 2], Some(5)); // takes one stick: the piles are alike
//! assert_eq!(plies[4 * 2 + 2], None);
//! assert_eq!(plies[16 + 4 * 2 + 2], Some(4));
//! ```

/// What a state is to the attacker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// The attacker has won here.
    Won,
    /// The attacker does not win from here: the game is over in another way, or the number stands for no
    /// state at all.
    NotWon,
    /// The game goes on, the attacker is to move. Without a move the state is not won.
    Attacker,
    /// The game goes on, the defender is to move. Without a move the state is not won.
    Defender,
}

impl State {
    /// Whether moves are made from here.
    const fn goes_on(self) -> bool {
        matches!(self, Self::Attacker | Self::Defender)
    }
}

/// The plies to the attacker's win from each state, if the attacker takes the quickest way and the defender
/// the longest; `None` where the defender can prevent the win.
///
/// `successors(state, list)` adds the states that the moves of `state` lead to to `list`, which is empty. It
/// is asked twice for each state where the game goes on, and has to say the same both times. Two moves may
/// lead to the same state.
///
/// # Panics
/// If there are 2³² states or more, or a move leads to a state beyond the last.
#[must_use]
pub fn plies_to_win(states: &[State], successors: impl Fn(usize, &mut Vec<usize>)) -> Vec<Option<u32>> {
    let Reversed { predecessors, mut open } = Reversed::new(states, successors);
    let mut plies: Vec<Option<u32>> =
        states.iter().map(|&state| (state == State::Won).then_some(0)).collect();
    let mut layer: Vec<u32> =
        (0..states.len() as u32).filter(|&state| states[state as usize] == State::Won).collect();
    for distance in 1.. {
        let mut next = Vec::new();
        for &won in &layer {
            for &state in predecessors.of(won) {
                let index = state as usize;
                // A defender's last open move; for the attacker, any move will do.
                open[index] -= 1;
                let is_won = states[index] == State::Attacker || open[index] == 0;
                if is_won && plies[index].is_none() {
                    plies[index] = Some(distance);
                    next.push(state);
                }
            }
        }
        if next.is_empty() {
            break;
        }
        layer = next;
    }
    plies
}

/// The graph with all moves turned around.
struct Reversed {
    predecessors: Predecessors,
    /// The number of moves of each state.
    open: Vec<u32>,
}

/// From where moves lead to each state: one list for all, and where the part of each state begins in it, with
/// the end of the list behind (compressed sparse rows).
struct Predecessors {
    starts: Vec<usize>,
    list: Vec<u32>,
}

impl Predecessors {
    /// The states from which a move leads to `state`, once for each such move.
    fn of(&self, state: u32) -> &[u32] {
        let state = state as usize;
        &self.list[self.starts[state]..self.starts[state + 1]]
    }
}

impl Reversed {
    fn new(states: &[State], successors: impl Fn(usize, &mut Vec<usize>)) -> Self {
        assert!(u32::try_from(states.len()).is_ok(), "{} states are too many", states.len());
        let mut next = Vec::new();
        let mut for_each_move = |work: &mut dyn FnMut(usize, usize)| {
            for (from, _) in states.iter().enumerate().filter(|(_, state)| state.goes_on()) {
                next.clear();
                successors(from, &mut next);
                for &to in &next {
                    work(from, to);
                }
            }
        };
        // Count what goes into each part, sum that up to the parts' ends, and fill them from their ends.
        let mut open = vec![0; states.len()];
        let mut starts = vec![0; states.len() + 1];
        for_each_move(&mut |from, to| {
            assert!(to < states.len(), "a move of state {from} leads to {to}, which is no state");
            open[from] += 1;
            starts[to] += 1;
        });
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        let mut list = vec![0; end];
        for_each_move(&mut |from, to| {
            starts[to] -= 1;
            list[starts[to]] = from as u32;
        });
        Self { predecessors: Predecessors { starts, list }, open }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Rng;

    /// The same by its definition: a win in at most so many plies, for more and more plies.
    fn slowly(states: &[State], next: &[Vec<usize>]) -> Vec<Option<u32>> {
        let mut plies: Vec<Option<u32>> =
            states.iter().map(|&state| (state == State::Won).then_some(0)).collect();
        for most in 1..=states.len() as u32 {
            let before = plies.clone();
            let is_won = |&to: &usize| before[to].is_some();
            for (state, kind) in states.iter().enumerate() {
                let won = match kind {
                    State::Attacker => next[state].iter().any(is_won),
                    State::Defender => !next[state].is_empty() && next[state].iter().all(is_won),
                    State::Won | State::NotWon => false,
                };
                if won && plies[state].is_none() {
                    plies[state] = Some(most);
                }
            }
        }
        plies
    }

    #[test]
    fn random_graphs_come_out_as_by_the_definition() {
        let (mut won, mut not_won, mut longest) = (0, 0, 0);
        for graph in 0..3_000 {
            let mut rng = Rng::stream(0x7e7_1096, graph);
            let count = 1 + rng.below(40);
            // Few kinds of ends and few moves make long ways.
            let most_moves = 1 + rng.below(4);
            let kinds: Vec<State> = (0..count)
                .map(|_| match rng.below(20) {
                    0 => State::Won,
                    1 => State::NotWon,
                    2..9 => State::Attacker,
                    _ => State::Defender,
                })
                .collect();
            let next: Vec<Vec<usize>> = (0..count)
                .map(|_| (0..rng.below(most_moves + 1)).map(|_| rng.below(count)).collect())
                .collect();
            let found = plies_to_win(&kinds, |state, list| list.extend(&next[state]));
            assert_eq!(found, slowly(&kinds, &next), "graph {graph}: {kinds:?} {next:?}");
            won += found.iter().flatten().filter(|&&plies| plies > 0).count();
            not_won += found.iter().filter(|plies| plies.is_none()).count();
            longest = longest.max(found.into_iter().flatten().max().unwrap_or(0));
        }
        assert!(won > 1_000 && not_won > 1_000 && longest >= 8, "{won} {not_won} {longest}");
    }

    #[test]
    fn a_long_way_is_counted_to_its_end() {
        let kinds: Vec<State> = (0..100_000)
            .map(|state| match state {
                0 => State::Won,
                _ if state % 2 == 1 => State::Attacker,
                _ => State::Defender,
            })
            .collect();
        let plies = plies_to_win(&kinds, |state, list| list.push(state - 1));
        assert!(plies.iter().enumerate().all(|(state, &plies)| plies == Some(state as u32)));
    }

    #[test]
    fn a_circle_is_no_win_and_no_states_are_none() {
        let circle = plies_to_win(&[State::Attacker, State::Defender], |state, list| list.push(1 - state));
        assert_eq!(circle, [None, None]);
        assert_eq!(plies_to_win(&[], |_, _| ()), []);
    }

    #[test]
    fn who_can_not_move_does_not_lose_by_that() {
        let stuck = plies_to_win(&[State::Won, State::Attacker, State::Defender], |_, _| ());
        assert_eq!(stuck, [Some(0), None, None]);
    }

    #[test]
    #[should_panic(expected = "leads to 7, which is no state")]
    fn a_move_to_nowhere_is_refused() {
        let _ = plies_to_win(&[State::Attacker], |_, list| list.push(7));
    }
}

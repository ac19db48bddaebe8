//! Retrograde analysis: who wins from every state of a small game, and how quickly, computed
//! backwards from the ends of the game (Ströhlein 1970, Thompson 1986, and every endgame table
//! since).
//!
//! The game is a graph of numbered states. One side, the attacker, wants to reach a state where it
//! has won, as quickly as it can; the other, the defender, wants to prevent or delay that. To the
//! attacker all other results are the same: a draw, a loss or endless play.
//!
//! A won state is won in 0 plies. The rest is solved layer by layer. A state with the attacker to
//! move takes one ply more than the quickest of its winning moves. A state with the defender to
//! move is won once all its moves are known to lead to won states, and takes one ply more than the
//! slowest. Layers are processed by rising distance, so the first winning move found for an
//! attacker is the quickest, and a defender's last move found to lose is the slowest. So each move
//! is visited once. A state that no layer reaches is not won: from there the defender can avoid the
//! won states.
//!
//! # Example
//!
//! Two piles of up to three sticks: a move takes any number of sticks from one pile, and whoever
//! takes the last stick wins.
//!
//! ```
//! use quintet_core::solver::retrograde::{State, plies_to_win};
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
//! assert_eq!(plies[4 * 3 + 2], Some(5)); // takes one stick: then the piles are equal
//! assert_eq!(plies[4 * 2 + 2], None);
//! assert_eq!(plies[16 + 4 * 2 + 2], Some(4));
//! ```

/// What a state means for the attacker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// The attacker has won.
    Won,
    /// The attacker has not won and the game is over, or the number stands for no state.
    NotWon,
    /// The attacker is to move. Without a move the state is not won.
    Attacker,
    /// The defender is to move. Without a move the state is not won.
    Defender,
}

impl State {
    /// Whether the game goes on.
    const fn goes_on(self) -> bool {
        matches!(self, Self::Attacker | Self::Defender)
    }
}

/// The plies to the attacker's win from each state, if the attacker plays for speed and the
/// defender for delay; `None` where the defender can prevent the win.
///
/// `successors(state, list)` adds the state after each move of `state` to the empty `list`. It is
/// called twice for each state where the game goes on and must give the same answer both times. Two
/// moves may lead to the same state.
///
/// # Panics
/// If there are 2³² states or more, or a move leads to a state beyond the last.
#[must_use]
pub fn plies_to_win(states: &[State], successors: impl Fn(usize, &mut Vec<usize>)) -> Vec<Option<u32>> {
    let Reversed { list, starts, mut open } = Reversed::new(states, successors);
    let mut plies: Vec<Option<u32>> =
        states.iter().map(|&state| (state == State::Won).then_some(0)).collect();
    let mut layer: Vec<u32> =
        (0..states.len() as u32).filter(|&state| states[state as usize] == State::Won).collect();
    for distance in 1.. {
        let mut next = Vec::new();
        for &won in &layer {
            for &state in &list[starts[won as usize]..starts[won as usize + 1]] {
                let index = state as usize;
                // The attacker needs one move to a won state; the defender must have no other.
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

/// The graph with all moves reversed.
struct Reversed {
    /// The predecessors of all states in one list, once for each move.
    list: Vec<u32>,
    /// Where the part of each state begins in the list, and its end (compressed sparse rows).
    starts: Vec<usize>,
    /// The number of moves of each state.
    open: Vec<u32>,
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
        // Count the entries of each part, sum the counts to the parts' ends, and fill each part
        // from its end.
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
        Self { list, starts, open }
    }
}

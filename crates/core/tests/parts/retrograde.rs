//! Retrograde analysis.

use quintet_core::game::Rng;
use quintet_core::solver::retrograde::{State, plies_to_win};

/// Computes the same by the definition: which states are won in at most 1, 2, … plies.
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
        // Few ends and few moves make long wins.
        let most_moves = 1 + rng.below(4);
        let kinds: Vec<State> = (0..count)
            .map(|_| match rng.below(20) {
                0 => State::Won,
                1 => State::NotWon,
                2..9 => State::Attacker,
                _ => State::Defender,
            })
            .collect();
        let next: Vec<Vec<usize>> =
            (0..count).map(|_| (0..rng.below(most_moves + 1)).map(|_| rng.below(count)).collect()).collect();
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

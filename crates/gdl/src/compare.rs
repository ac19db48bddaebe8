//! A compiled game against the rules followed to the letter.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use quintet_core::game::Rng;

use crate::bits::{has_bit, set_bit};
use crate::compiled::Compiled;
use crate::lanes::Room;
use crate::machine::State;
use crate::reference::Reference;

/// Plays random games until so many steps are compared or the time is over, and returns the number of steps. In each
/// state legal moves, end and goals are compared, and after each step all that is true.
///
/// # Errors
/// The first difference, with the state in which it was found; also if the reference does not come to an end.
pub fn compare(
    text: &str,
    compiled: &Compiled,
    steps: usize,
    time: Duration,
    seed: u64,
) -> Result<usize, String> {
    let end = Instant::now() + time;
    let failed = |error: crate::Error| error.to_string();
    let mut reference = Reference::new(text).map_err(failed)?;
    let mut rng = Rng::stream(seed, 0);
    let mut order: Vec<usize> = Vec::new();
    for role in &compiled.roles {
        let found = reference.roles.iter().position(|&it| reference.text(it) == role.name);
        order.push(found.ok_or_else(|| format!("the reference has no role {}", role.name))?);
    }
    let term_of: Vec<HashMap<&str, usize>> = compiled
        .moves_of
        .iter()
        .map(|moves| moves.clone().map(|it| (compiled.terms[it].as_str(), it)).collect())
        .collect();
    let mut compared = 0;
    while compared < steps && Instant::now() < end {
        let mut state = reference.initial();
        loop {
            let bits = bits_of(compiled, &reference, &state)?;
            let shown = state.iter().map(|&it| reference.text(it)).collect::<Vec<_>>().join(" ");
            let mut legal_bits = vec![0; compiled.terms.len().div_ceil(64)];
            let is_end = compiled.machine.see(&bits, |mv| set_bit(&mut legal_bits, mv));
            let view = reference.view(&state).map_err(failed)?;
            let differs = |what: &str| Err(format!("{what} differs in: {shown}"));
            if view.is_over != is_end {
                return differs("the end");
            }
            let seen_goals = compiled.machine.goals(&bits);
            let mut moves = vec![0; order.len()];
            let mut chosen = Vec::new();
            let mut is_stuck = false;
            for (role, &at) in order.iter().enumerate() {
                let goals: Vec<u8> =
                    view.goals[at].iter().filter_map(|&it| reference.text(it).parse().ok()).collect();
                if goals.iter().max().copied().unwrap_or(0) != seen_goals[role] {
                    return differs("a goal");
                }
                let mut legal = Vec::new();
                for &mv in &view.legal[at] {
                    let Some(&index) = term_of[role].get(&*reference.text(mv)) else {
                        return differs(&format!("the move {}", reference.text(mv)));
                    };
                    if !has_bit(&legal_bits, index) {
                        return differs(&format!("the move {}", reference.text(mv)));
                    }
                    legal.push((index, mv));
                }
                let own = compiled.moves_of[role].clone().filter(|&it| has_bit(&legal_bits, it)).count();
                if own != legal.len() {
                    return differs("the number of moves");
                }
                if legal.is_empty() {
                    is_stuck = true;
                    continue;
                }
                let (index, mv) = legal[rng.below(legal.len())];
                moves[at] = mv;
                chosen.push(index as u16);
            }
            compared += 1;
            if view.is_over || is_stuck || compared >= steps || Instant::now() >= end {
                break;
            }
            let next = reference.next(view, &moves).map_err(failed)?;
            if compiled.next(&bits, &chosen) != bits_of(compiled, &reference, &next)? {
                return differs("the next state");
            }
            state = next;
        }
    }
    Ok(compared)
}

/// How far random games in lanes are from random games step by step, which are played for this time: the largest
/// difference in the mean goal of a role or the mean number of steps, in standard errors. Above 5 something is wrong.
#[must_use]
pub fn compare_lanes(compiled: &Compiled, time: Duration, seed: u64) -> f64 {
    const IN_LANES: u64 = 4_096;
    let end = Instant::now() + time;
    let mut rng = Rng::stream(seed, 1);
    let roles = compiled.roles.len();
    let mut games: Vec<Vec<f64>> = Vec::new();
    while Instant::now() < end {
        games.push(random_game(compiled, &mut rng));
    }
    let totals = compiled.lanes.play_many(&compiled.initial, IN_LANES, rng.bits(), &mut Room::default());
    let sums: Vec<f64> = totals.goals.iter().chain([&totals.steps]).map(|&it| it as f64).collect();
    let count = games.len() as f64;
    let in_lanes = IN_LANES as f64;
    let off = |at: usize| {
        let mean = games.iter().map(|it| it[at]).sum::<f64>() / count;
        let variance = games.iter().map(|it| (it[at] - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
        let off = (sums[at] / in_lanes - mean).abs();
        // Where all games that were seen ended alike, others may be rare.
        let error = (variance.max(1.0 / count) * (1.0 / count + 1.0 / in_lanes)).sqrt();
        if count < 30.0 { 0.0 } else { off / error }
    };
    (0..=roles).map(off).fold(0.0, f64::max)
}

/// The goals of all roles, 0 if the game has no end, and the number of steps.
fn random_game(compiled: &Compiled, rng: &mut Rng) -> Vec<f64> {
    let mut state = compiled.initial;
    let most = compiled.lanes.max_steps;
    for step in 0.. {
        let view = compiled.look(&state);
        if view.is_over || step >= most {
            let goals = compiled.machine.goals(&state);
            let goals = goals[..compiled.roles.len()].iter();
            let goals = goals.map(|&goal| if view.is_over { f64::from(goal) } else { 0.0 });
            return goals.chain([f64::from(step)]).collect();
        }
        let mut moves = view.only;
        compiled.draw_moves(&state, &mut moves, rng);
        state = compiled.next(&state, &moves[..compiled.roles.len()]);
    }
    Vec::new()
}

fn bits_of(compiled: &Compiled, reference: &Reference, state: &[u32]) -> Result<State, String> {
    let terms = state.iter().map(|&fact| reference.text(fact));
    compiled.state_of(terms).map_err(|(term, reason)| format!("{term} {reason}"))
}

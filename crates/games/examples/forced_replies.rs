//! Makes the suites of forced replies: positions in which most moves lose at once, or a win is at hand.
//!
//! ```console
//! $ cargo run --release -p quintet-games --example forced_replies -- tests/suites
//! ```
//!
//! It takes some minutes. The positions are from games of a weak engine. What is right is found by trying all moves as
//! many turns ahead as the file's name says, without any knowledge of the game: in `forced-1` the side to move wins with
//! this turn, in `forced-2` the opponent would win with the next one, and `forced-3` and `forced-4` are the same one
//! turn of each side later. Other moves may win or hold as well, but later than that. A turn is all moves of a side before the other one moves.

#![expect(clippy::print_stdout, reason = "tells how far it is")]

use std::collections::HashSet;
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::{env, fs};

use quintet_core::game::{Game, Notation, Outcome, Side};
use quintet_core::registry::Variant;
use quintet_core::search::{Budget, SearchConfig, Technique, Techniques, Weakness};
use quintet_core::session::EngineConfig;
use quintet_games::{Ggp, Gomoku, Krk, Pentago, Quarto, Qubic, Spec};

/// The positions of a game in a file.
const POSITIONS: usize = 20;
/// The games from which they are taken.
const GAMES: u64 = 1_000;
/// Among the moves, at most one in so many is right.
const RARE: usize = 4;

/// Whether `attacker` wins within this many turns, of which that of `position` is the first.
fn wins<G: Game>(position: &G, attacker: Side, turns: u32) -> bool {
    if let Some(outcome) = position.outcome() {
        return outcome == Outcome::Win(attacker);
    }
    if turns == 0 {
        return false;
    }
    let side = position.side_to_move();
    let wins_by = |mv: &G::Move| {
        let next = position.after(*mv);
        let is_same_turn = next.outcome().is_none() && next.side_to_move() == side;
        wins(&next, attacker, if is_same_turn { turns } else { turns - 1 })
    };
    let moves = position.move_list();
    if side == attacker { moves.iter().any(wins_by) } else { moves.iter().all(wins_by) }
}

/// The number of turns to look ahead in which a position is forced, at most `most`, and the right moves.
fn forced<G: Game>(position: &G, most: u32) -> Option<(u32, Vec<G::Move>)> {
    let side = position.side_to_move();
    let moves = position.move_list();
    for turns in 1..=most {
        let attacker = if turns % 2 == 1 { side } else { side.opponent() };
        let wins_by = |mv: &G::Move| {
            let next = position.after(*mv);
            let is_same_turn = next.outcome().is_none() && next.side_to_move() == side;
            wins(&next, attacker, if is_same_turn { turns } else { turns - 1 })
        };
        let right: Vec<G::Move> =
            moves.iter().copied().filter(|mv| wins_by(mv) == (attacker == side)).collect();
        if attacker == side && !right.is_empty() || attacker != side && right.len() < moves.len() {
            let is_forced = !right.is_empty() && right.len() * RARE <= moves.len();
            return is_forced.then_some((turns, right));
        }
    }
    None
}

/// The number of ways in which the side to move can make its turn.
fn ways<G: Game>(position: &G) -> u64 {
    let side = position.side_to_move();
    let ways_after = |mv: &G::Move| {
        let next = position.after(*mv);
        if next.outcome().is_none() && next.side_to_move() == side { ways(&next) } else { 1 }
    };
    position.move_list().iter().map(ways_after).sum()
}

/// The number of turns that can be looked ahead in a fraction of a second.
fn affordable<G: Game>(position: &G) -> u32 {
    /// The maximum of sequences of turns, one of which is refuted at once.
    const MOST: u64 = 3_000_000;
    let ways = ways(position).max(2);
    (1..=4).rev().find(|turns| ways.pow(turns - 1) <= MOST).unwrap_or(1)
}

/// Adds positions of a game to the suites for each number of turns.
fn add<G: Notation>(game: &Variant, suites: &mut [String; 4]) -> Result<(), Box<dyn Error>> {
    let techniques = [Technique::Proofs, Technique::Pruning, Technique::Solve];
    let config = EngineConfig::Quintet(SearchConfig {
        techniques: Techniques::ALL.and_not(techniques.into_iter().fold(Techniques::NONE, Techniques::with)),
        trees: std::num::NonZero::new(1),
        threads: std::num::NonZero::new(1),
        weakness: Weakness { temperature: 15.0, max_loss: 40.0, sight: 1 },
        ..SearchConfig::default()
    });
    let mut found = [0; 4];
    let mut seen = HashSet::new();
    for seed in 0..GAMES {
        if found.iter().all(|&count| count == POSITIONS) {
            break;
        }
        let mut session = game.start();
        let engine = session.add_engine(&config)?;
        while session.outcome().is_none() {
            let text = session.position();
            let position = G::initial().read(&text)?;
            let Some(open) = found.iter().rposition(|&count| count < POSITIONS) else { break };
            let most = affordable(&position).min(open as u32 + 1);
            if let Some((turns, right)) = forced(&position, most)
                && found[turns as usize - 1] < POSITIONS
                && seen.insert(text.clone())
            {
                found[turns as usize - 1] += 1;
                let right: Vec<String> = right.iter().map(|mv| format!("{:?}", mv.to_string())).collect();
                writeln!(
                    suites[turns as usize - 1],
                    "{{\"game\":\"{}\",\"rules\":\"{}\",\"position\":{text:?},\"moves\":[],\"best\":[{}]}}",
                    game.game,
                    game.rules,
                    right.join(",")
                )?;
                // One position of a game.
                if turns > 1 {
                    break;
                }
            }
            let budget = Budget::iterations(100)?;
            let report = session.think(engine, budget, seed, &AtomicBool::new(false))?;
            session.play(&report.best().mv.clone())?;
        }
    }
    println!("{game}: {found:?}");
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = env::args().nth(1).ok_or("name the folder to write to")?;
    let games = quintet_games::registry();
    let mut suites = [const { String::new() }; 4];
    macro_rules! add {
        ($($name:literal $game:ident)*) => {$(
            add::<$game<Spec>>(&games.find($name, Some("spec"))?, &mut suites)?;
            add::<$game<Ggp>>(&games.find($name, Some("ggp"))?, &mut suites)?;
        )*};
    }
    add!("quarto" Quarto "qubic" Qubic "gomoku" Gomoku "pentago" Pentago "krk" Krk);
    for (turns, suite) in (1..).zip(suites) {
        fs::write(Path::new(&folder).join(format!("forced-{turns}.jsonl")), suite)?;
    }
    Ok(())
}

//! The same query gets the same answer on any number of cores and any processor level.

use std::num::NonZeroUsize;

use quintet_cpu::Cpu;
use serde_json::{Value, json};

use crate::harness::{VARIANTS, command, half_a_game, quintet, run, without_seconds};

/// Returns the answer to a query with `cores` worker threads, without the time it took.
fn answer(args: &[&str], cores: &str) -> Value {
    let mut command = command();
    command.args(args).env("RAYON_NUM_THREADS", cores);
    without_seconds(run(command, "").succeeds_quietly().json())
}

#[test]
fn the_cores_at_work_change_nothing_in_the_answer() {
    // The tests of the search try all games.
    let moves = half_a_game("pentago", "ggp").join(" ");
    let args = ["suggest", "pentago", "--rules", "ggp", "--moves", &moves, "--iterations", "1001"];
    let args = [&args[..], &["--threads", "3", "--seed", "11", "--json"]].concat();
    let first = answer(&args, "1");
    // Fewer if the position is solved early.
    assert!(first["iterations"].as_u64() <= Some(1001), "{first}");
    for cores in ["2", "3"] {
        assert_eq!(answer(&args, cores), first, "{cores} cores");
    }
}

#[test]
fn what_is_left_out_has_the_documented_defaults() {
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get).to_string();
    for game in ["quarto", "gomoku"] {
        let bare = ["suggest", game, "--iterations", "2000", "--json"];
        let full = ["--rules", "spec", "--seed", "0", "--threads", &cores, "--engine", "quintet"];
        let [bare, full] = [bare.to_vec(), [&bare[..], &full].concat()]
            .map(|args| without_seconds(quintet(args).succeeds_quietly().json()));
        assert_eq!(bare, full);
    }
}

#[test]
fn every_processor_level_gives_the_same_answers() {
    let mut queries = String::new();
    for (game, rules) in VARIANTS {
        for moves in [Vec::new(), half_a_game(game, rules)] {
            for (engine, threads) in [("uct", 1), ("quintet", 1), ("quintet", 2)] {
                let query = json!({
                    "id": format!("{game} {rules} {engine} {moves:?}"), "game": game, "rules": rules, "moves": moves,
                    "engine": engine, "threads": threads, "iterations": 2000, "seed": 5,
                });
                queries.push_str(&format!("{query}\n"));
            }
        }
    }
    let answers = |level: &str| -> Vec<Value> {
        let mut command = command();
        command.arg("analyze").env(Cpu::VARIABLE, level);
        let run = run(command, queries.as_str()).succeeds_quietly();
        run.json_lines().into_iter().map(without_seconds).collect()
    };
    // That of the best level.
    let best = answers("");
    assert_eq!(best.len(), 6 * VARIANTS.len());
    let others = Cpu::all().into_iter().filter(|it| *it != Cpu::best());
    for level in others {
        for (answer, best) in answers(level.name()).iter().zip(&best) {
            assert_eq!(answer, best, "{}", level.name());
        }
    }
}

#[test]
fn a_processor_level_that_the_machine_has_not_is_refused() {
    for level in ["x86-64-v9", "PORTABLE", " "] {
        let mut command = command();
        command.args(["suggest", "krk"]).env(Cpu::VARIABLE, level);
        let message = run(command, "").refused();
        let expected = format!("QUINTET_CPU is {level:?}: this machine has portable");
        assert!(message.contains(&expected), "{message}");
    }
}

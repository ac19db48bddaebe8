//! `quintet arena`: the file of the games being played.

#![cfg(unix)]

use std::fs::{self, File};
use std::path::Path;

use quintet_protocol::PlayingGame;

use crate::harness::{Run, command, quintet, run};
use crate::running::{Running, ended_by, signal, wait_until};

/// Engines that need an hour for a move, and a game that they play.
const SLOW: [&str; 8] = [
    "arena",
    "pentago",
    "--engine=x=uct:time=1h,threads=1",
    "--engine=random",
    "--opening-plies=2",
    "--games=2",
    "--concurrency=2",
    "--out",
];

fn playing(folder: &Path) -> Vec<PlayingGame> {
    let text = fs::read_to_string(folder.join("games.jsonl.playing")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("a game being played")).collect()
}

fn files(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder).expect("it is there");
    files.map(|it| it.expect("it is there").file_name().to_string_lossy().into_owned()).collect()
}

/// Plays 20 games in no time.
fn quick(folder: &Path) -> Run {
    let mut command = command();
    let engines = ["--engine=random", "--engine=b=random"];
    command.args(["arena", "krk", "--games=20", "--out=games.jsonl"]).args(engines).current_dir(folder);
    run(command, "")
}

#[test]
fn the_games_being_played_can_be_read_until_the_arena_is_interrupted() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let folder = directory.path();
    let mut command = command();
    command.args(SLOW).arg(folder.join("games.jsonl"));
    // In one of the two games `random` has moved.
    let is_ready = |_: &str| {
        let games = playing(folder);
        games.len() == 2 && games.iter().map(|it| it.moves.len()).sum::<usize>() == 5
    };
    let run = ended_by("-TERM", command, |process| {
        let is_ready = is_ready(process);
        if is_ready {
            let games = playing(folder);
            assert!(games.iter().all(|it| it.opening.len() == 2 && it.pair == 0 && it.game == "pentago"));
            assert_ne!(games[0].seats, games[1].seats);
            assert!(games.iter().all(|it| it.arena.engines["random"] == "random"), "{games:?}");
        }
        is_ready
    });
    let run = run.exits(130);
    assert!(run.stderr.contains("interrupted after 0 of 2 games"), "{run}");
    assert_eq!(files(folder), ["games.jsonl"]);
}

#[test]
fn a_killed_arena_leaves_a_file_without_a_lock_and_the_next_one_removes_it() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let folder = directory.path();
    let mut command = command();
    command.args(SLOW).arg(folder.join("games.jsonl"));
    let arena = Running::start(command);
    wait_until(|| playing(folder).len() == 2);
    let file = File::open(folder.join("games.jsonl.playing")).expect("it is there");
    assert!(file.try_lock_shared().is_err(), "the arena holds a lock");
    assert!(signal("-KILL", &arena.id()));
    arena.status();
    let file = File::open(folder.join("games.jsonl.playing")).expect("it is there");
    file.try_lock_shared().expect("nobody holds a lock");
    assert_eq!(playing(folder).len(), 2);

    quick(folder).exits(0);
    assert_eq!(files(folder), ["games.jsonl"]);
}

#[test]
fn a_file_that_cannot_be_written_is_told_once_and_the_games_are_played() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let folder = directory.path();
    fs::write(folder.join("games.jsonl.playing"), "notes\n").expect("it can be written");
    let run = quick(folder).exits(0);
    let said = "games.jsonl.playing already has content: nobody can watch the games being played\n";
    assert_eq!(run.stderr.matches(said).count(), 1, "{run}");
    assert_eq!(fs::read_to_string(folder.join("games.jsonl")).expect("it is there").lines().count(), 20);
    assert_eq!(fs::read_to_string(folder.join("games.jsonl.playing")).expect("it is there"), "notes\n");
}

#[test]
fn beside_a_device_there_is_no_file() {
    let args = ["arena", "krk", "--engine=random", "--engine=b=random", "--games=2", "--out=/dev/null"];
    let run = quintet(args).exits(0);
    assert!(!run.stderr.contains("playing"), "{run}");
    assert!(!Path::new("/dev/null.playing").exists());
}

//! Files that can't be written: the error names the file, what it has is whole, and the same command
//! goes on later.

#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::harness::{Run, command, run, without_times};

const ARENA: [&str; 10] = [
    "arena",
    "krk,quarto",
    "--games",
    "6",
    "--engine",
    "a=uct:iterations=20,threads=1",
    "--engine",
    "b=random",
    "--concurrency",
    "1",
];

/// Runs the binary in `folder` with files limited to `blocks` blocks of 512 or 1024 bytes, as the
/// shell counts them. The write that crosses the limit is cut short, and the next one fails.
fn limited<A: AsRef<OsStr>>(blocks: usize, folder: &Path, args: impl IntoIterator<Item = A>) -> Run {
    let mut shell = Command::new("sh");
    shell.args(["-c", r#"trap "" XFSZ && ulimit -f "$0" && exec "$@""#, &blocks.to_string()]);
    shell.arg(command().get_program()).args(args).current_dir(folder);
    run(shell, "")
}

/// Runs the binary in `folder`.
fn unlimited<A: AsRef<OsStr>>(folder: &Path, args: impl IntoIterator<Item = A>) -> Run {
    let mut command = command();
    command.args(args).current_dir(folder);
    run(command, "")
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap_or_default()
}

/// Returns the games of a file, all of whose lines are whole, without the times that moves took.
#[track_caller]
fn games(content: &str) -> Vec<Value> {
    assert!(content.is_empty() || content.ends_with('\n'), "{content}");
    content.lines().map(|line| without_times(serde_json::from_str(line).expect("a record is JSON"))).collect()
}

/// Plays the games of [`ARENA`] into the file `whole` of a new folder, and returns the folder and the
/// content.
fn played() -> (TempDir, String) {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    unlimited(directory.path(), ARENA.iter().chain(&["--out", "whole"])).exits(0);
    let whole = read(directory.path(), "whole");
    (directory, whole)
}

/// Calls `attempt` with growing limits, from no byte at all, until it returns whether the command
/// got through. Returns how often it did not.
fn with_growing_limits(mut attempt: impl FnMut(usize) -> bool) -> usize {
    (0..1000).find(|&blocks| attempt(blocks)).expect("it gets through in the end")
}

/// Checks the failure of a command that wrote the games of `whole`, one after the other, to `name`.
#[track_caller]
fn check_games(run: Run, folder: &Path, name: &str, whole: &str) {
    let run = run.exits(1);
    assert!(run.stderr.contains(&format!("can't write {name}: File too large")), "{run}");
    let content = read(folder, name);
    assert!(games(whole).starts_with(&games(&content)), "{content}");
}

#[test]
fn wherever_the_disk_is_full_the_games_are_whole_and_resume_goes_on() {
    let (directory, whole) = played();
    let folder = directory.path();
    let arena = |more: &[&'static str]| [&ARENA[..], more].concat();

    let failures = with_growing_limits(|blocks| {
        let run = limited(blocks, folder, arena(&["--out", "games"]));
        let is_done = run.code == Some(0);
        if !is_done {
            let has_games = !read(folder, "games").is_empty();
            assert_eq!(run.stderr.contains("the file has the earlier games"), has_games, "{run}");
            check_games(run, folder, "games", &whole);
            unlimited(folder, arena(&["--out", "games", "--resume"])).exits(0);
        }
        assert_eq!(games(&read(folder, "games")), games(&whole), "{blocks} blocks");
        fs::remove_file(folder.join("games")).expect("it is there");
        is_done
    });
    assert!(failures > 3, "{failures}");

    // The same file, which gets a little more space each time.
    with_growing_limits(|blocks| {
        let run = limited(blocks, folder, arena(&["--out", "games", "--resume"]));
        let is_done = run.code == Some(0);
        if !is_done {
            check_games(run, folder, "games", &whole);
        }
        is_done
    });
    assert_eq!(games(&read(folder, "games")), games(&whole));
}

#[test]
fn a_merged_file_on_a_full_disk_has_whole_games_and_the_parts_are_left_alone() {
    let (directory, whole) = played();
    let folder = directory.path();
    let failures = with_growing_limits(|blocks| {
        let run = limited(blocks, folder, ["arena", "merge", "whole", "--out", "merged"]);
        let is_done = run.code == Some(0);
        if is_done {
            assert_eq!(read(folder, "merged"), whole);
        } else {
            let run = run.exits(1);
            assert!(run.stderr.contains("can't write merged: File too large"), "{run}");
            assert!(!folder.join("merged").exists());
        }
        is_done
    });
    assert!(failures > 3, "{failures}");
    assert_eq!(read(folder, "whole"), whole);
}

#[test]
fn a_page_that_cannot_be_written_is_an_error_and_the_games_are_left_alone() {
    let (directory, whole) = played();
    let folder = directory.path();
    for blocks in [0, 1, 20] {
        let run = limited(blocks, folder, ["arena", "report", "whole", "--out", "page.html"]).exits(1);
        assert!(run.stderr.contains("can't write page.html: File too large"), "{run}");
        assert_eq!(fs::read_dir(folder).expect("it is there").count(), 1, "nothing is left");
        assert_eq!((run.stdout.as_str(), read(folder, "whole")), ("", whole.clone()));
    }
    unlimited(folder, ["arena", "report", "whole", "--out", "page.html"]).exits(0);
    let page = read(folder, "page.html");
    assert!(page.ends_with("</html>\n"));
    // A page that is there already stays.
    limited(20, folder, ["arena", "report", "whole", "--out", "page.html"]).exits(1);
    assert!(read(folder, "page.html") == page);
}

const PLAY: [&str; 7] =
    ["play", "krk", "--seat=none", "--engine=uct:iterations=20,threads=1", "--seed=1", "--record", "games"];

#[test]
fn a_full_disk_is_found_out_before_a_game_with_people() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let folder = directory.path();
    let failures = with_growing_limits(|blocks| {
        let run = limited(blocks, folder, PLAY);
        let is_done = run.code == Some(0);
        if is_done {
            assert_eq!(read(folder, "games").lines().count(), 1);
        } else {
            let run = run.exits(1);
            assert!(
                run.stdout.is_empty() && run.stderr.contains("can't write games: File too large"),
                "{run}"
            );
            assert_eq!(read(folder, "games"), "");
        }
        assert_eq!(fs::read_dir(folder).expect("it is there").count(), 1, "nothing is left");
        is_done
    });
    assert!(failures > 3, "{failures}");
}

#[test]
fn a_file_that_is_too_long_is_an_error_and_not_the_end() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -f 2 && exec \"$0\" \"$@\""]).arg(command().get_program());
    shell.args(ARENA).args(["--out", "games"]).current_dir(directory.path());
    let run = run(shell, "").exits(1);
    assert!(run.stderr.contains("can't write games: File too large"), "{run}");
}

const LADDER: &str = r#"
seed = 3
opening-plies = 2
games-per-meeting = 4
games = ["krk"]
rules = ["spec"]

[[ladder]]
name = "up"
title = "Up"
base = "random"
kinds = ["uct"]
steps = [{ iterations = 20, trees = 1 }, { iterations = 40, trees = 1 }]
"#;

#[test]
fn results_of_strength_that_cannot_be_written_are_written_by_the_next_run() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let folder = directory.path();
    fs::write(folder.join("ladder.toml"), LADDER).expect("it can be written");
    let strength = ["bench", "strength", "--config", "ladder.toml", "--out", "results"];
    let failed_on = |run: Run| {
        let run = run.exits(1);
        let file = run.stderr.split("can't write results/").nth(1).and_then(|rest| rest.split(':').next());
        file.unwrap_or_else(|| panic!("{run}")).to_owned()
    };
    assert_eq!(failed_on(limited(0, folder, strength)), "games/up.jsonl");
    unlimited(folder, strength).exits(0);
    let files = ["games/up.jsonl", "ladder.jsonl", "ladder.md"];
    let contents = || files.map(|name| read(folder, &format!("results/{name}")));
    let whole = contents();
    // All games are there, so the results are all that is written.
    let mut named = Vec::new();
    with_growing_limits(|blocks| {
        let run = limited(blocks, folder, strength);
        let is_done = run.code == Some(0);
        if !is_done {
            named.push(failed_on(run));
        }
        is_done
    });
    assert!(
        named[0] == "ladder.md" && named.iter().all(|name| files[1..].contains(&name.as_str())),
        "{named:?}"
    );
    assert_eq!(contents(), whole);
}

/// Makes every call of the system on a file fail in turn, with each error that it may have.
#[cfg(target_os = "linux")]
mod every_call {
    use super::*;
    use crate::harness::lacks;

    /// The calls that write or open a file, with errors that a disk or a network file system gives.
    const FAULTS: [(&str, &[&str]); 8] = [
        ("write", &["ENOSPC", "EDQUOT", "EIO", "EINTR"]),
        ("fdatasync", &["EIO", "ENOSPC", "EINTR"]),
        ("ftruncate", &["EIO", "EINTR"]),
        ("flock", &["EINTR", "ENOLCK"]),
        ("statx", &["EIO"]),
        ("lseek", &["EIO"]),
        ("read", &["EIO", "EINTR"]),
        ("rename", &["EIO", "EACCES"]),
    ];

    /// Whether there is strace and it may trace.
    fn traces() -> bool {
        let strace = Command::new("strace").args(["-o", "/dev/null", "true"]).status();
        strace.is_ok_and(|status| status.success())
    }

    /// Calls `check` with the result of the command for each fault that hits it. `prepare` is called
    /// before each run. Returns the number of faults.
    fn each_fault(
        folder: &Path,
        file: &str,
        args: &[&str],
        prepare: impl Fn(),
        check: impl Fn(&str, Run),
    ) -> usize {
        let mut count = 0;
        for (call, error) in
            FAULTS.into_iter().flat_map(|(call, errors)| errors.iter().map(move |it| (call, it)))
        {
            for number in 1.. {
                prepare();
                let fault = format!("inject={call}:error={error}:when={number}");
                let mut strace = Command::new("strace");
                strace.args(["-f", "--seccomp-bpf", "-qq", "-o", "trace"]);
                strace.args(["-e", &format!("trace={call}"), "-e", &fault, "-P"]);
                strace.arg(folder.join(file)).arg(command().get_program()).args(args).current_dir(folder);
                let run = run(strace, "");
                if !read(folder, "trace").contains("(INJECTED)") {
                    break;
                }
                count += 1;
                check(&fault, run);
            }
        }
        count
    }

    #[test]
    fn wherever_a_call_fails_the_games_are_whole_and_resume_goes_on() {
        if lacks("strace", traces()) {
            return;
        }
        let (directory, whole) = played();
        let folder = directory.path();
        let torn = &whole[..whole.len() * 3 / 5];
        let args = [&ARENA[..], &["--resume", "--out", "games"]].concat();
        for start in ["", torn] {
            let prepare = || fs::write(folder.join("games"), start).expect("it can be written");
            let count = each_fault(folder, "games", &args, prepare, |fault, run| {
                let content = read(folder, "games");
                if run.code == Some(0) {
                    assert_eq!(games(&content), games(&whole), "{fault}");
                    return;
                }
                let message = run.stderr.lines().last().unwrap_or_default();
                assert!(
                    message.starts_with("error: can't ") && message.contains(" games: "),
                    "{fault}: {run}"
                );
                // A call that failed before the first game leaves a torn line where it is.
                assert!(
                    content == start || games(&whole).starts_with(&games(&content)),
                    "{fault}: {content}"
                );
                unlimited(folder, args.iter()).exits(0);
                assert_eq!(games(&read(folder, "games")), games(&whole), "{fault}");
            });
            assert!(count > 20, "{count} faults");
        }
    }

    #[test]
    fn wherever_a_call_fails_merge_and_report_say_which_file_it_was() {
        if lacks("strace", traces()) {
            return;
        }
        let (directory, whole) = played();
        let folder = directory.path();
        unlimited(folder, ["arena", "report", "whole", "--out", "whole.html"]).exits(0);
        let page = read(folder, "whole.html");
        // A page is written beside the old one and then moved.
        for (command, written, before, expected) in
            [("merge", "new", "", &whole), ("report", "new.new", "the old page", &page)]
        {
            let prepare = || fs::write(folder.join("new"), before).expect("it can be written");
            let args = ["arena", command, "whole", "--out", "new"];
            let count = each_fault(folder, written, &args, prepare, |fault, run| {
                let content = read(folder, "new");
                if run.code == Some(0) {
                    assert_eq!(content, *expected, "{fault}");
                } else {
                    assert!(run.stderr.starts_with("error: can't write new: "), "{fault}: {run}");
                    assert_eq!(content, before, "{fault}");
                }
            });
            assert!(count > 3, "{count} faults");
        }
        assert_eq!(read(folder, "whole"), whole);
    }

    #[test]
    fn wherever_a_call_fails_the_moves_of_people_are_recorded_or_shown() {
        if lacks("strace", traces()) {
            return;
        }
        let directory = tempfile::tempdir().expect("a temporary directory can be made");
        let folder = directory.path();
        unlimited(folder, PLAY).exits(0);
        let record = read(folder, "games");
        for start in ["", "{}\n"] {
            let prepare = || fs::write(folder.join("games"), start).expect("it can be written");
            let count = each_fault(folder, "games", &PLAY, prepare, |fault, run| {
                let content = read(folder, "games");
                if run.code == Some(0) {
                    assert_eq!(content, format!("{start}{record}"), "{fault}");
                    return;
                }
                assert_eq!(content, start, "{fault}");
                let run = run.exits(1);
                let is_before = run.stdout.is_empty() && run.stderr.contains("error: can't write games: ");
                let is_shown =
                    run.stdout.contains("can't write games: ") && run.stdout.contains("The moves: K");
                assert!(is_before || is_shown, "{fault}: {run}");
            });
            assert!(count > 5, "{count} faults");
        }
    }
}

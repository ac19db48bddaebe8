//! Where the output goes: terminals, pipes, closed pipes and full disks.

use std::process::Command;

use crate::harness::{Run, command, run};

const SUGGEST: [&str; 6] = ["suggest", "krk", "--iterations", "50", "--threads", "1"];
const ARENA: [&str; 9] = [
    "arena",
    "krk",
    "--engine",
    "random",
    "--engine",
    "uct:iterations=20,threads=1",
    "--games",
    "4",
    "--threads=1",
];

fn every_command() -> Vec<Vec<&'static str>> {
    let trace = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/traces/krk-spec.jsonl");
    let bench = ["bench", "--game", "krk", "--rules", "ggp", "--seconds", "0.01"];
    let mut commands = vec![vec!["--help"], vec!["man"], vec!["completions", "bash"]];
    commands.push(vec!["play", "krk", "--seat", "none", "--engine", "uct:iterations=20,threads=1"]);
    for command in [&["games"][..], &SUGGEST, &ARENA, &["replay", trace], &bench] {
        commands.push(command.to_vec());
        commands.push([command, &["--json"]].concat());
    }
    commands
}

fn with_env(args: &[&str], variables: &[(&str, &str)]) -> Run {
    let mut command = command();
    command.args(args).envs(variables.iter().copied());
    run(command, "")
}

#[test]
fn piped_output_has_no_escape_bytes() {
    for args in every_command() {
        for variables in [&[("TERM", "xterm-256color")][..], &[("NO_COLOR", "1"), ("TERM", "xterm-256color")]]
        {
            let run = with_env(&args, variables).exits(0);
            assert!(!run.stdout.contains('\x1b') && !run.stderr.contains('\x1b'), "{run}");
        }
    }
}

#[test]
fn colors_can_be_forced_and_no_color_has_the_last_word() {
    let force = ("CLICOLOR_FORCE", "1");
    for args in [&SUGGEST[..], &["games"]] {
        assert!(with_env(args, &[force]).exits(0).stdout.contains("\x1b["), "{args:?}");
        assert!(!with_env(args, &[force, ("NO_COLOR", "1")]).exits(0).stdout.contains('\x1b'), "{args:?}");
    }
    let wrong = with_env(&["suggest", "krk", "--moves", "z9"], &[force]).exits(2);
    assert!(wrong.stderr.contains("\x1b["), "{wrong}");
}

#[test]
fn colors_are_never_forced_into_json() {
    for args in every_command().into_iter().filter(|args| args.contains(&"--json")) {
        let run = with_env(&args, &[("CLICOLOR_FORCE", "1")]).exits(0);
        assert!(!run.stdout.contains('\x1b') && !run.json_lines().is_empty(), "{run}");
    }
}

/// Runs `command` with a standard output whose reader is closed.
fn with_closed_stdout(mut command: Command) -> Run {
    let (reader, writer) = std::io::pipe().expect("a pipe can be had");
    drop(reader);
    let name = format!("{command:?}");
    // The harness's `run` captures standard output, so it can't be used here.
    let output =
        command.stdin(std::process::Stdio::null()).stdout(writer).stderr(std::process::Stdio::piped());
    Run::new(name, output.spawn().and_then(std::process::Child::wait_with_output).expect("the binary starts"))
}

#[test]
fn a_reader_that_leaves_early_is_no_error_to_complain_about() {
    for args in every_command() {
        let mut command = command();
        command.args(&args);
        let run = with_closed_stdout(command);
        assert!(!run.stderr.contains("error"), "{run}");
    }
}

#[test]
fn a_search_goes_on_to_answer_when_standard_error_is_closed() {
    let (reader, writer) = std::io::pipe().expect("a pipe can be had");
    drop(reader);
    let mut command = command();
    command.args(ARENA).arg("--json").stdin(std::process::Stdio::null()).stderr(writer);
    let output = command.stdout(std::process::Stdio::piped()).spawn().expect("the binary starts");
    let run = Run::new("arena".into(), output.wait_with_output().expect("it ends")).exits(0);
    assert_eq!(run.json()["results"][0]["games"], 4);
}

#[cfg(target_os = "linux")]
mod full_disk {
    use std::fs::File;
    use std::process::Stdio;

    use super::*;
    use crate::harness::quintet;

    fn full() -> File {
        File::options().write(true).open("/dev/full").expect("there is /dev/full")
    }

    #[test]
    fn a_full_disk_under_standard_output_is_an_error() {
        for args in every_command().into_iter().chain([vec!["--version"], vec!["suggest", "--help"]]) {
            let mut command = command();
            command.args(&args).stdin(Stdio::null()).stdout(full()).stderr(Stdio::piped());
            let name = format!("{command:?}");
            let output =
                command.spawn().and_then(std::process::Child::wait_with_output).expect("the binary starts");
            let run = Run::new(name, output);
            assert!(run.code != Some(0) && run.stderr.contains("error: "), "{run}");
        }
    }

    #[test]
    fn a_full_disk_under_the_records_ends_the_arena_with_status_1_and_its_table() {
        let run = quintet(ARENA.into_iter().chain(["--out", "/dev/full"])).exits(1);
        assert!(run.stdout.starts_with("game  rules"), "{run}");
        assert!(run.stderr.contains("error: ") && run.stderr.contains("/dev/full"), "{run}");

        let run = quintet(ARENA.into_iter().chain(["--json", "--out", "/dev/full"])).exits(1);
        assert!(run.json()["results"][0]["games"].as_u64() < Some(4), "{run}");
    }

    #[test]
    fn a_full_disk_under_the_records_is_reported_even_if_nobody_reads_the_table() {
        let mut command = command();
        command.args(ARENA).args(["--out", "/dev/full"]);
        let run = with_closed_stdout(command).exits(1);
        assert!(run.stderr.contains("/dev/full"), "{run}");
    }
}

//! `quintet arena` with external engines, correct and faulty ones.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::harness::{Run, command, quintet, run, strings, variants};
use crate::running::{Running, signal, wait_until};

/// The main loop of a fake UGI engine. Its first move in a game of Quarto is legal.
const FAKE_UGI: &str = r"
while read -r word rest; do
    case $word in
        ugi) on_ugi; echo ugiok ;;
        uginewgame) moves=0 ;;
        isready) echo readyok ;;
        position) position=$rest ;;
        go)
            moves=$((moves + 1))
            on_go
            case $position in *0000*) echo bestmove 0001 ;; *) echo bestmove 0000 ;; esac
            ;;
        quit) exit 0 ;;
    esac
done
";

/// The main loop of a fake engine for JSON lines, which does not answer by itself.
const FAKE_JSON: &str = "
while read -r query; do
    on_query
done
";

/// Writes a fake engine with the hooks in `special` into `folder`, and returns its command.
fn fake(folder: &Path, loop_: &str, special: &str) -> String {
    let file = folder.join("fake.sh");
    let nothing = "on_ugi() { :; }; on_go() { :; }; on_query() { :; }";
    fs::write(&file, format!("{nothing}\n{special}\n{loop_}")).expect("it can be written");
    format!("sh {}", file.display())
}

/// Plays four games of Quarto between `engine` and a correct one, and returns the finished run and
/// the records.
#[track_caller]
fn play(engine: &str) -> (Run, Vec<Value>) {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let file = folder.path().join("games.jsonl");
    let out = file.to_str().expect("the path is text");
    let run = quintet(
        [
            &["arena", "quarto", "--opening-plies", "0", "--games", "4", "--concurrency", "1", "--json"],
            &["--engine", engine, "--engine", "good=uct:iterations=20,threads=1", "--out", out][..],
        ]
        .concat(),
    );
    let content = fs::read_to_string(&file).expect("the records are there");
    if !content.is_empty() {
        quintet(["replay", out]).succeeds_quietly();
    }
    let records = content.lines().map(|line| serde_json::from_str(line).expect("a record is JSON"));
    (run, records.collect())
}

/// Plays with a fake engine, which has to lose all games, each by `end` and with a fault that
/// begins with `fault`. `lengths` are the numbers of moves played, with the engine on the first
/// side and on the second.
#[track_caller]
fn loses(settings: &str, loop_: &str, special: &str, (end, fault): (&str, &str), lengths: [usize; 2]) {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let engine = format!("bad={settings}command={}", fake(folder.path(), loop_, special));
    let (run, records) = play(&engine);
    let run = run.exits(0);
    assert_eq!(run.json()["results"][0]["losses"], 4, "{run}");
    assert_eq!(run.json()["results"][0]["faults"], serde_json::json!([4, 0]), "{run}");
    assert_eq!(records.len(), 4, "{run}");
    for (number, record) in records.iter().enumerate() {
        assert_eq!(record["end"], end, "{record}");
        let what = record["fault"].as_str().expect("a fault");
        assert!(what.starts_with(fault), "{record}");
        assert!(run.stderr.contains(&format!("bad loses a game: {fault}")), "{run}");
        let roles = record["seats"].as_object().expect("seats by role");
        for (role, name) in roles {
            assert_eq!(record["scores"][role], if name == "bad" { 0 } else { 100 }, "{record}");
        }
        let moves = strings(&record["moves"]);
        assert_eq!(moves.len(), lengths[number % 2], "{record}");
        assert!(moves.iter().all(|token| token.len() > 1), "{record}");
    }
}

/// The fault is at the engine's first move. The first side selects a piece and places it, then the
/// second does.
const AT_FIRST_MOVE: [usize; 2] = [0, 2];
/// The fault is at the engine's second move.
const AT_SECOND_MOVE: [usize; 2] = [1, 3];
/// The fault is before the first move.
const AT_START: [usize; 2] = [0, 0];

#[test]
fn an_illegal_move_loses() {
    loses(
        "ugi:iterations=9,",
        FAKE_UGI,
        "on_go() { echo bestmove zz; }",
        ("illegal", r#"illegal move "zz""#),
        AT_FIRST_MOVE,
    );
    // The first move is legal, though written in its own way, the second is not.
    let first = "case $position in *1010*) echo bestmove B ;; *) echo bestmove A ;; esac";
    loses(
        "ugi:iterations=9,",
        FAKE_UGI,
        &format!("on_go() {{ if [ $moves = 1 ]; then {first}; else echo bestmove 7; fi; }}"),
        ("illegal", r#"illegal move "7""#),
        AT_SECOND_MOVE,
    );
}

#[test]
fn what_is_no_move_loses() {
    loses(
        "ugi:iterations=9,",
        FAKE_UGI,
        "on_go() { echo bestmove; }",
        ("illegal", r#"no move in "bestmove""#),
        AT_FIRST_MOVE,
    );
    for (answer, fault) in [
        ("garbage", r#"no JSON: "garbage""#),
        (r#"{"id":1,"error":"busy"}"#, r#"an error: "busy""#),
        (r#"{"id":1,"move":"zz"}"#, r#"illegal move "zz""#),
        (r#"{"id":7,"move":"zz"}"#, "no answer to query 1: "),
    ] {
        let special = format!("on_query() {{ echo '{answer}'; }}");
        loses("json:iterations=9,", FAKE_JSON, &special, ("illegal", fault), AT_FIRST_MOVE);
    }
}

#[test]
fn who_does_not_answer_in_time_loses() {
    let settings = "ugi:iterations=9,timeout=300ms,";
    loses(settings, FAKE_UGI, "on_go() { sleep 1000; }", ("time", "no bestmove within 300ms"), AT_FIRST_MOVE);
    let settings = "ugi:time=100ms,margin=200ms,";
    loses(settings, FAKE_UGI, "on_go() { sleep 1000; }", ("time", "no bestmove within 300ms"), AT_FIRST_MOVE);
    let settings = "json:iterations=9,timeout=200ms,start=100ms,";
    loses(settings, FAKE_JSON, "", ("time", "no answer within 300ms"), AT_FIRST_MOVE);
}

#[test]
fn who_is_not_ready_in_time_loses() {
    let settings = "ugi:iterations=9,start=300ms,";
    loses(settings, FAKE_UGI, "on_ugi() { sleep 1000; }", ("time", "no ugiok within 300ms"), AT_START);
}

#[test]
fn garbage_without_end_loses_by_time() {
    let special = "on_go() { while :; do echo garbage; done; }";
    let fault = "no bestmove within 300ms";
    loses("ugi:iterations=9,timeout=300ms,", FAKE_UGI, special, ("time", fault), AT_FIRST_MOVE);
}

#[test]
fn a_line_without_end_loses() {
    let special = "on_go() { tr '\\0' x < /dev/zero; }";
    let fault = "a line of more than 1048576 bytes";
    loses("ugi:iterations=9,", FAKE_UGI, special, ("illegal", fault), AT_FIRST_MOVE);
}

#[test]
fn who_ends_loses_and_its_last_words_are_kept() {
    let special = "echo first >&2; echo no licence >&2; exit 3";
    let fault = "it ended (exit status: 3); last line on standard error: \"no licence\"";
    loses("ugi:iterations=9,", FAKE_UGI, special, ("crash", fault), AT_START);
    loses("json:iterations=9,", FAKE_JSON, special, ("crash", fault), AT_FIRST_MOVE);
    let special = "on_ugi() { echo ugiok; exit 0; }";
    loses("ugi:iterations=9,", FAKE_UGI, special, ("crash", "it ended (exit status: 0)"), AT_START);
    let special = "on_go() { [ $moves = 1 ] || kill -9 $$; }";
    loses("ugi:iterations=9,", FAKE_UGI, special, ("crash", "it ended (signal: 9"), AT_SECOND_MOVE);
}

#[test]
fn the_end_of_an_engine_is_seen_at_once_though_another_process_holds_its_output() {
    // The first child is in the process group of the engine, the second is not.
    for child in ["sleep 1000", "setsid sleep 20"] {
        let special = format!("on_go() {{ {child} & echo why >&2; exit 3; }}");
        let fault = "it ended (exit status: 3); last line on standard error: \"why\"";
        loses("ugi:iterations=9,timeout=1h,", FAKE_UGI, &special, ("crash", fault), AT_FIRST_MOVE);
    }
}

#[test]
fn an_engine_that_crashes_and_leaves_processes_behind_does_not_use_up_the_descriptors() {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let engine = fake(folder.path(), FAKE_UGI, "on_go() { setsid sleep 20 & exit 3; }");
    let arena = format!(
        "ulimit -n 40; exec '{}' arena quarto --games 60 --opening-plies 0 --concurrency 1 --json \
         --engine 'bad=ugi:iterations=9,command={engine}' --engine random",
        env!("CARGO_BIN_EXE_quintet")
    );
    let mut shell = Command::new("sh");
    shell.args(["-c", &arena]);
    let run = run(shell, "").exits(0);
    assert_eq!(run.json()["results"][0]["faults"], json!([60, 0]), "{run}");
}

#[test]
fn an_engine_that_is_never_ready_loses_a_few_games_and_then_ends_the_arena() {
    let engine = "other=ugi:iterations=9,command=sh -c 'echo why >&2; exit 2'";
    let why = "engine \"other\": not ready for a game, 5 times in a row: it ended (exit status: 2); \
               last line on standard error: \"why\"";
    // Games side by side count their failures together.
    for concurrency in ["1", "8"] {
        let arena = ["arena", "krk", "--games", "20", "--concurrency", concurrency];
        let run = quintet(arena.into_iter().chain(["--engine", engine, "--engine", "random"]));
        let message = run.exits(1).stderr;
        assert!(message.contains(why), "{message}");
    }
}

#[test]
fn an_engine_that_can_not_be_started_again_loses_a_few_games_and_then_ends_the_arena() {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let program = folder.path().join("vanishing");
    let script = format!("#!/bin/sh\non_ugi() {{ :; }}\non_go() {{ rm \"$0\"; exit 1; }}\n{FAKE_UGI}");
    let engine = format!("x=ugi:iterations=9,command={}", program.display());
    let arena = |games| {
        fs::write(&program, &script).expect("it can be written");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it is ours");
        let file = folder.path().join(games);
        let out = file.to_str().expect("the path is text").to_owned();
        let run = quintet([
            "arena",
            "quarto",
            "--games",
            games,
            "--opening-plies",
            "0",
            "--concurrency",
            "1",
            "--engine",
            &engine,
            "--engine",
            "random",
            "--out",
            &out,
        ]);
        let records = fs::read_to_string(&file).expect("it has been made");
        (run, records.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect::<Vec<Value>>())
    };
    let (run, records) = arena("4");
    run.exits(0);
    assert!(records.iter().all(|record| record["end"] == "crash"), "{records:?}");
    assert!(records[1]["fault"].as_str().is_some_and(|fault| fault.contains("can't start")), "{records:?}");
    let (run, records) = arena("20");
    let run = run.exits(1);
    assert!(run.stderr.contains(r#"engine "x": can't start "#), "{run}");
    assert_eq!(records.len(), 5);
}

#[test]
fn a_lot_on_standard_error_stops_nobody() {
    let special = "on_go() { head -c 1000000 /dev/zero | tr '\\0' x >&2; echo bestmove zz; }";
    loses("ugi:iterations=9,", FAKE_UGI, special, ("illegal", "illegal move"), AT_FIRST_MOVE);
}

#[test]
fn who_crashed_is_started_again() {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let special = format!(
        "if [ -e {0} ]; then exec {1} ugi --threads 1; fi; echo > {0}; exit 1",
        folder.path().join("has crashed").display().to_string().replace(' ', "\\ "),
        env!("CARGO_BIN_EXE_quintet"),
    );
    let (run, records) = play(&format!("x=ugi:iterations=9,command={}", fake(folder.path(), "", &special)));
    run.exits(0);
    let ends: Vec<&Value> = records.iter().map(|record| &record["end"]).collect();
    assert_eq!(ends, ["crash", "rules", "rules", "rules"]);
}

#[test]
fn a_program_that_can_not_be_started_ends_the_arena_before_the_first_game() {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let file = folder.path().join("games.jsonl");
    let out = file.to_str().expect("the path is text");
    let args =
        ["arena", "krk", "--engine", "random", "--engine", "other=random", "--games", "2", "--out", out];
    let run = quintet([&args[..], &["--engine", "x=ugi:command=/no/such/program -x"]].concat()).exits(1);
    assert!(run.stderr.contains(r#"engine "x": can't start "/no/such/program -x": "#), "{run}");
    assert_eq!(run.stdout, "", "there is nothing to show");
    assert_eq!(fs::read_to_string(&file).expect("it has been made"), "");
}

/// Returns the ends and the moves of games of `engine` against `random`, in all games.
fn moves_of(engine: &str) -> Vec<Value> {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let file = folder.path().join("games.jsonl");
    let out = file.to_str().expect("the path is text");
    quintet(
        [
            &[
                "arena",
                "all",
                "--rules",
                "both",
                "--games",
                "2",
                "--concurrency",
                "1",
                "--opening-plies",
                "4",
            ],
            &["--engine", engine, "--engine", "random", "--out", out][..],
        ]
        .concat(),
    )
    .exits(0);
    let content = fs::read_to_string(&file).expect("the records are there");
    let records = content.lines().map(|line| serde_json::from_str(line).expect("a record is JSON"));
    records.map(|mut record: Value| json!([record["end"].take(), record["moves"].take()])).collect()
}

#[test]
fn quintet_plays_the_same_as_an_external_engine() {
    let program = env!("CARGO_BIN_EXE_quintet");
    let own = moves_of("x=quintet:iterations=30,threads=1");
    assert_eq!(own.len(), 2 * variants().len());
    assert!(own.iter().all(|game| game[0] == "rules"));
    let ugi = moves_of(&format!("x=ugi:iterations=30,command='{program}' ugi --threads 1"));
    assert_eq!(ugi, own);
    // analyze keeps no tree between queries.
    let own = moves_of("x=quintet:iterations=30,threads=1,without=reuse");
    let json = moves_of(&format!("x=json:iterations=30,threads=1,command='{program}' analyze"));
    assert_eq!(json, own);
}

#[test]
fn engines_of_a_file_may_be_external() {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let file = folder.path().join("engines.toml");
    let name = file.to_str().expect("the path is text");
    let table = |more: &str| format!("[[engine]]\nname = \"x\"\nkind = \"ugi\"\niterations = 9\n{more}\n");
    let program = env!("CARGO_BIN_EXE_quintet");
    let right = table(&format!("timeout = \"20s\"\ncommand = \"'{program}' ugi --threads 1\""));
    fs::write(&file, right).expect("it can be written");
    let args = ["arena", "krk", "--games", "2", "--engine", "random", "--engines", name, "--json"];
    assert_eq!(quintet(args).exits(0).json()["results"][0]["b"], "x");
    for (more, part) in [
        ("", "needs a command"),
        ("command = \"\"", "no command"),
        ("command = \"x\"\nc = 0.5", "c is not a setting; known: iterations, time, tc, timeout"),
        ("command = \"x\"\nstart = \"0s\"", "start = \"0s\" is not a time above 0"),
        ("command = \"x\"\nmargin = \"5\"", "not a time"),
    ] {
        fs::write(&file, table(more)).expect("it can be written");
        let message = quintet(args).refused();
        assert!(message.contains(part), "{more}: {message}");
    }
}

#[test]
fn other_commands_refuse_external_engines() {
    let part = "external engines (ugi) play in the arena only";
    let message = quintet(["suggest", "krk", "--engine", "ugi:command=x"]).refused();
    assert!(message.contains(part), "{message}");
    let query = r#"{"id":1,"game":"krk","engine":"ugi:command=x"}"#;
    let run = crate::harness::quintet_reading(query, ["analyze"]).exits(1);
    assert!(run.json()["error"].as_str().is_some_and(|error| error.contains(part)), "{run}");
}

#[test]
fn engines_end_with_an_arena_that_is_interrupted() {
    assert_eq!(engines_end_with_the_arena_after("-TERM"), Some(130));
}

#[test]
fn engines_end_with_an_arena_that_is_killed() {
    assert_eq!(engines_end_with_the_arena_after("-KILL"), None);
}

/// Sends a signal to an arena, checks that its engines end too, and returns its exit status.
fn engines_end_with_the_arena_after(name: &str) -> Option<i32> {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let ids = folder.path().join("ids");
    let special =
        format!("on_go() {{ sleep 1000 & echo $$ $! > {0}.new; mv {0}.new {0}; wait; }}", ids.display());
    let engine = format!("x=ugi:iterations=9,command={}", fake(folder.path(), FAKE_UGI, &special));
    let mut arena = command();
    arena.args(["arena", "quarto", "--opening-plies", "0", "--engine", &engine, "--engine", "random"]);
    let arena = Running::start(arena);
    wait_until(|| ids.exists());
    assert!(signal(name, &arena.id()));
    let status = arena.output().status;
    // The engine and its child process.
    let ids = fs::read_to_string(ids).expect("it is there");
    assert_eq!(ids.split_whitespace().count(), 2);
    for id in ids.split_whitespace() {
        wait_until(|| has_ended(id));
    }
    status.code()
}

#[test]
fn an_engine_that_has_just_started_ends_with_an_arena_that_is_killed() {
    // A number of seconds that nobody else sleeps.
    let seconds = format!("{}.{}", 100_000, std::process::id());
    let engine = format!("x=ugi:start=1h,command=sleep {seconds}");
    for milliseconds in 0..25 {
        let mut arena = command();
        arena.args(["arena", "gomoku", "--concurrency", "4", "--engine", &engine, "--engine", "random"]);
        arena.stdout(Stdio::null()).stderr(Stdio::null());
        let arena = Running::spawn(arena);
        std::thread::sleep(std::time::Duration::from_millis(milliseconds));
        drop(arena);
    }
    let engines = || {
        let processes = Command::new("ps").args(["-eo", "args"]).output().expect("there is ps");
        let processes = String::from_utf8_lossy(&processes.stdout).into_owned();
        processes.lines().filter(|it| *it == format!("sleep {seconds}")).count()
    };
    wait_until(|| engines() == 0);
}

#[test]
fn no_game_is_lost_because_the_arena_has_no_descriptors_left() {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let file = folder.path().join("games.jsonl");
    let arena = format!(
        "ulimit -n 40; exec '{0}' arena krk --games 40 --concurrency 12 --out '{1}' --engine random \
         --engine \"x=ugi:iterations=9,command='{0}' ugi --threads 1\"",
        env!("CARGO_BIN_EXE_quintet"),
        file.display()
    );
    let mut shell = Command::new("sh");
    shell.args(["-c", &arena]);
    let run = run(shell, "").exits(1);
    assert!(run.stderr.contains("ulimit -n"), "{run}");
    let records = fs::read_to_string(&file).expect("it has been made");
    assert!(!records.contains("crash"), "{records}");
}

/// Whether there is no such process, or it only waits for its parent to ask how it ended.
fn has_ended(process: &str) -> bool {
    let state = Command::new("ps").args(["-o", "stat=", "-p", process]).output().expect("there is ps");
    let state = String::from_utf8_lossy(&state.stdout).trim().to_owned();
    state.is_empty() || state.starts_with('Z')
}

#[test]
fn the_table_says_who_lost_games_by_faults() {
    let args =
        ["arena", "quarto,krk", "--games", "2", "--engine", "random", "--engine", "bad=ugi:command=true"];
    let table = quintet(args).exits(0).stdout;
    let line = "\nbad lost 4 games by an illegal move, no answer in time, or a crash; the first: ";
    let (_, fault) = table.split_once(line).unwrap_or_else(|| panic!("{table}"));
    assert!(fault.lines().next().is_some_and(|it| it.contains("ended")), "{table}");
}

//! `quintet arena` with external engines that speak the Gomocup protocol, correct and faulty ones.

#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::harness::{Run, quintet, strings};

/// A fake brain, which moves to the first empty cell. What it reads goes to the file `log`.
const FAKE: &str = r#"
taken=" "
suffix=
move() {
    for y in 0 1 2 3 4 5 6 7 8 9 10; do
        for x in 0 1 2 3 4 5 6 7 8 9 10; do
            case $taken in *" $x,$y "*) ;; *) taken="$taken$x,$y "; echo "$x,$y$suffix"; return ;; esac
        done
    done
}
read_list() {
    taken=" "
    stones=0
    fields=0
    while read -r line && [ "$line" != DONE ]; do
        echo "$line" >> "$log"
        case $line in *,*,*) line=${line%,*}; fields=$((fields + 1)) ;; esac
        taken="$taken$line "
        stones=$((stones + 1))
    done
}
while read -r word rest; do
    echo "$word $rest" >> "$log"
    case $word in
        START) taken=" "; on_start ;;
        RESTART) taken=" "; on_restart ;;
        INFO) on_info ;;
        BEGIN) on_move ;;
        TURN) taken="$taken$rest "; on_move ;;
        BOARD) read_list; on_move ;;
        SWAP2BOARD) read_list; on_swap ;;
        END) on_end ;;
        *) echo UNKNOWN ;;
    esac
done
"#;

/// Writes a fake brain with the hooks in `special` into `folder`, and returns its command.
fn fake(folder: &Path, special: &str) -> String {
    let file = folder.join("fake.sh");
    let log = folder.join("log").display().to_string();
    let hooks = "on_start() { echo OK; }; on_restart() { echo OK; }; on_info() { :; }; on_move() { move; }
        on_swap() { echo UNKNOWN SWAP2BOARD; }; on_end() { exit 0; }";
    fs::write(&file, format!("log='{log}'\n{hooks}\n{special}\n{FAKE}")).expect("it can be written");
    format!("sh {}", file.display())
}

/// What came of some games.
struct Played {
    run: Run,
    records: Vec<Value>,
    /// The lines that the fake brain has read.
    log: Vec<String>,
}

/// Plays games of Gomoku between a fake brain and `random`, with openings of this many plies, or with
/// this one.
#[track_caller]
fn play(settings: &str, special: &str, opening: &str, games: &str) -> Played {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let engine = format!("fake=gomocup:{settings}command={}", fake(folder.path(), special));
    let file = folder.path().join("games.jsonl");
    let out = file.to_str().expect("the path is text");
    let book = folder.path().join("book.jsonl");
    let line = serde_json::json!({
        "game": "gomoku", "rules": "ggp", "moves": opening.split(' ').collect::<Vec<_>>(),
    });
    fs::write(&book, line.to_string()).expect("it can be written");
    let openings = match opening.parse::<u32>() {
        Ok(_) => ["--opening-plies", opening],
        Err(_) => ["--openings", book.to_str().expect("the path is text")],
    };
    let run = quintet([
        "arena",
        "gomoku",
        "--rules",
        "ggp",
        "--games",
        games,
        "--concurrency",
        "1",
        openings[0],
        openings[1],
        "--engine",
        &engine,
        "--engine",
        "random",
        "--out",
        out,
        "--json",
    ])
    .exits(0);
    quintet(["replay", out]).succeeds_quietly();
    let content = fs::read_to_string(&file).expect("the records are there");
    let records = content.lines().map(|line| serde_json::from_str(line).expect("a record is JSON"));
    let log = fs::read_to_string(folder.path().join("log")).unwrap_or_default();
    Played { records: records.collect(), log: log.lines().map(|it| it.trim().to_owned()).collect(), run }
}

/// Plays with a fake brain, which has to lose all games, each by `end` and with a fault that begins with
/// `fault`.
#[track_caller]
fn loses(settings: &str, special: &str, plies: &str, (end, fault): (&str, &str)) {
    let Played { run, records, .. } = play(settings, special, plies, "2");
    assert_eq!(run.json()["results"][0]["faults"], serde_json::json!([2, 0]), "{run}");
    assert_eq!(records.len(), 2);
    for record in &records {
        assert_eq!(record["end"], end, "{record}");
        assert!(record["fault"].as_str().is_some_and(|what| what.starts_with(fault)), "{fault}: {record}");
    }
}

/// The number of lines of the log that begin with `start`.
fn count(log: &[String], start: &str) -> usize {
    log.iter().filter(|line| line.starts_with(start)).count()
}

#[test]
fn games_are_played_in_the_words_of_the_protocol() {
    let Played { run, records, log } = play("time=250ms,memory=80MiB,iterations=7,", "", "6", "4");
    assert_eq!(run.json()["results"][0]["faults"], serde_json::json!([0, 0]), "{run}");
    assert!(records.iter().all(|record| record["end"] == "rules"), "{records:?}");
    // One process, whose first game is started and whose others are restarted.
    assert_eq!([count(&log, "START 11"), count(&log, "RESTART"), count(&log, "END")], [1, 3, 1], "{log:?}");
    assert_eq!(
        log[..7],
        [
            "START 11",
            "INFO rule 1",
            "INFO game_type 1",
            "INFO timeout_turn 250",
            "INFO timeout_match 0",
            "INFO max_memory 83886080",
            "INFO max_node 7",
        ]
    );
    assert_eq!(log[7], "INFO time_left 2147483647");
    // The position after the opening is a list, and then there is one move at a time.
    assert_eq!([count(&log, "BOARD"), count(&log, "BEGIN")], [4, 0]);
    let own: usize = records
        .iter()
        .map(|record| {
            let thoughts = record["thoughts"].as_array().expect("thoughts");
            // The other engine knows how many iterations it made.
            thoughts.iter().filter(|it| it.is_object() && it["iterations"].is_null()).count()
        })
        .sum();
    assert_eq!(count(&log, "TURN"), own - 4);
    let at = log.iter().position(|line| line == "BOARD").expect("a list");
    let list: Vec<&str> =
        log[at + 1..].iter().map(String::as_str).take_while(|it| it.contains(',')).collect();
    let list: Vec<&str> = list.into_iter().take_while(|line| !line.starts_with("TURN")).collect();
    let moves = strings(&records[0]["moves"]);
    let stones: Vec<&&str> = moves.iter().filter(|token| !["black", "white"].contains(*token)).collect();
    for (index, line) in list.iter().enumerate() {
        let (column, rest) = line.split_once(',').expect("a column");
        let (row, field) = rest.split_once(',').expect("a row");
        let letter = char::from(b'a' + column.parse::<u8>().expect("a number"));
        let name = format!("{letter}{}", 11 - row.parse::<u32>().expect("a number"));
        assert_eq!(&name, stones[index], "{list:?} {moves:?}");
        let is_own = index % 2 == list.len() % 2;
        assert_eq!(field, if is_own { "1" } else { "2" }, "{list:?}");
    }
    assert!(list.len() >= 5, "{list:?}");
}

#[test]
fn a_clock_is_told_as_the_time_of_the_match() {
    let Played { log, .. } = play("tc=20,", "", "6", "2");
    assert_eq!(log[3..5], ["INFO timeout_turn 20000", "INFO timeout_match 20000"]);
    let left: Vec<u32> = log
        .iter()
        .filter_map(|line| line.strip_prefix("INFO time_left "))
        .map(|left| left.parse().expect("a number"))
        .collect();
    assert_eq!(left[0], 20_000);
    assert!(left.iter().all(|left| (1..=20_000).contains(left)), "{left:?}");
}

#[test]
fn wrong_moves_lose() {
    for (answer, fault) in [
        ("echo 11,0", "11,0 is not on the board"),
        ("echo -1,-1", "-1,-1 is not on the board"),
        ("echo 4000000000,0", "4000000000,0 is not on the board"),
        ("set -- $taken; echo $1", "illegal move \""),
        ("echo 0,0 0,1", "not one move: \"0,0 0,1\""),
    ] {
        loses("time=5s,", &format!("on_move() {{ {answer}; }}"), "6", ("illegal", fault));
    }
    let endless = "on_move() { tr '\\0' x < /dev/zero; }";
    loses("time=5s,", endless, "6", ("illegal", "a line of more than 1048576 bytes"));
}

#[test]
fn who_is_late_loses() {
    let settings = "time=100ms,margin=200ms,";
    let fault = ("time", "no move within 300ms");
    loses(settings, "on_move() { sleep 1000; }", "6", fault);
    loses(settings, "on_move() { echo ERROR no; echo maybe 3,4; }", "6", fault);
    // What is no answer does not put off the end, however much of it comes.
    loses(settings, "on_move() { while :; do echo MESSAGE 0,0; done; }", "6", fault);
    let fault = ("time", "no answer to SWAP2BOARD within 300ms");
    loses(settings, "on_swap() { :; }", "3", fault);
    let fault = ("time", "no OK after START 11 within 300ms");
    loses("time=5s,start=300ms,", "on_start() { echo MESSAGE soon; }", "6", fault);
}

#[test]
fn who_ends_loses() {
    let fault = ("crash", "it ended (exit status: 3); last line on standard error: \"why\"");
    for hook in ["on_start", "on_move", "on_info"] {
        loses("time=5s,", &format!("{hook}() {{ echo why >&2; exit 3; }}"), "6", fault);
    }
}

#[test]
fn who_refuses_the_board_loses() {
    let special = "on_start() { echo ERROR only 15 and 20; }";
    loses("time=5s,", special, "6", ("illegal", "it refuses START 11: \"ERROR only 15 and 20\""));
}

#[test]
fn what_is_beside_the_answers_is_skipped() {
    let special = "
        on_restart() { echo UNKNOWN RESTART; }
        on_info() { echo UNKNOWN; echo ERROR too little; }
        on_start() { echo MESSAGE hello; printf 'OK\\r\\n'; }
        on_move() { echo DEBUG 0,0; echo; echo Message 0,0; echo 'name=\"x\"'; suffix=,1; move; }";
    let Played { run, log, .. } = play("time=5s,", special, "6", "4");
    assert_eq!(run.json()["results"][0]["faults"], serde_json::json!([0, 0]), "{run}");
    assert!(count(&log, "TURN") > 0, "{log:?}");
    // Who does not know RESTART is started again.
    assert_eq!([count(&log, "START"), count(&log, "RESTART")], [4, 3], "{log:?}");
}

#[test]
fn a_suggestion_is_taken() {
    let special = "on_move() { echo \"SUGGEST 0,0\"; read -r play; echo \"$play\" >> \"$log\"; move; }";
    let Played { run, log, .. } = play("time=5s,", special, "6", "2");
    assert_eq!(run.json()["results"][0]["faults"], serde_json::json!([0, 0]), "{run}");
    assert!(count(&log, "PLAY 0,0") > 0, "{log:?}");
}

#[test]
fn an_engine_that_ignores_the_end_is_killed() {
    let start = Instant::now();
    let Played { log, .. } = play("time=5s,", "on_end() { while :; do sleep 1; done; }", "6", "2");
    assert_eq!(count(&log, "END"), 1);
    assert!(start.elapsed() < Duration::from_secs(60));
}

/// The decisions of the set-up, as the record has them, by an engine whose answer to `SWAP2BOARD` is
/// `special`. `random` makes the others.
#[track_caller]
fn decisions(special: &str, opening: &str) -> Vec<(Vec<String>, bool)> {
    let Played { run, records, .. } = play("time=5s,", special, opening, "2");
    assert_eq!(run.json()["results"][0]["faults"], serde_json::json!([0, 0]), "{run}");
    let set_up = |record: &Value| {
        let moves: Vec<String> = strings(&record["moves"]).into_iter().map(str::to_owned).collect();
        (moves, record["seats"]["player1"] == "fake")
    };
    records.iter().map(set_up).collect()
}

#[test]
fn the_set_up_is_decided_by_swap2board() {
    // Every kind of answer, in each of both seats. The opponent may decide before there are five stones.
    let first = "0) echo 0,0 2,1 4,2 ;;";
    let last = "5) echo SWAP ;;";
    for (third, expected) in
        [("SWAP", vec!["black"]), ("10,10", vec!["white", "k1"]), ("10,10 9,9,1", vec!["k1", "j2"])]
    {
        let special = format!("on_swap() {{ case $stones in {first} 3) echo {third} ;; {last} esac; }}");
        for (moves, is_first) in decisions(&special, "0") {
            if is_first {
                assert_eq!(moves[..3], ["a11", "c10", "e9"]);
            } else {
                assert_eq!(moves[3..3 + expected.len()], expected, "{moves:?}");
            }
        }
    }
    // After five stones, of which the opening has all.
    let mut seen = 0;
    for (answer, expected) in [("SWAP", vec!["black"]), ("10,10", vec!["white", "k1"])] {
        let special =
            format!("on_swap() {{ case $stones in {first} 3) echo 9,9 10,9 ;; 5) echo {answer} ;; esac; }}");
        for (moves, is_first) in decisions(&special, "a1 c2 e3 g4 i5") {
            if is_first {
                assert_eq!(moves[5..5 + expected.len()], expected, "{moves:?}");
                seen += 1;
            }
        }
    }
    assert_eq!(seen, 2);
}

#[test]
fn stones_of_the_set_up_have_a_field_for_engines_that_want_one() {
    let special = "on_swap() {
        if [ $fields -lt $stones ]; then for stone in $taken; do echo ERROR no field; done; echo 0,0; return; fi
        case $stones in 0) echo 0,0 2,1 4,2 ;; *) echo SWAP ;; esac
    }";
    let Played { run, log, .. } = play("tc=60,iterations=7,", special, "3", "2");
    assert_eq!(run.json()["results"][0]["faults"], serde_json::json!([0, 0]), "{run}");
    // The brain is told all limits after every restart, and what is left of its clock in the set-up.
    let keys_after = |at: usize| {
        let info = log[at + 1..].iter().map_while(|line| line.strip_prefix("INFO "));
        info.filter_map(|it| it.split(' ').next()).collect::<Vec<_>>()
    };
    let keys = ["rule", "game_type", "timeout_turn", "timeout_match", "max_node", "time_left"];
    let begins = |it: &str| it == "RESTART" || it == "START 11";
    assert!(log.iter().filter(|it| begins(it)).count() > 2, "{log:?}");
    for (at, _) in log.iter().enumerate().filter(|(_, it)| begins(it)) {
        assert_eq!(keys_after(at), keys, "{log:?}");
    }
    // The form that works is kept.
    let lists: Vec<usize> =
        log.iter().enumerate().filter(|(_, it)| *it == "SWAP2BOARD").map(|(at, _)| at).collect();
    assert!(lists.len() >= 2, "{log:?}");
    let fields = |at: usize| log[at + 1].split(',').skip(2).collect::<Vec<_>>();
    assert_eq!((fields(lists[0]), fields(lists[1])), (vec![], vec!["2"]), "{log:?}");
}

#[test]
fn a_refusal_of_something_else_does_not_lose_the_set_up() {
    let special = "on_info() { echo UNKNOWN; }
        on_swap() { [ $fields = 0 ] && echo SWAP || echo ERROR not these; }";
    let Played { run, .. } = play("time=5s,", special, "3", "2");
    assert_eq!(run.json()["results"][0]["faults"], serde_json::json!([0, 0]), "{run}");
}

#[test]
fn a_brain_without_restart_is_started_again_in_the_set_up() {
    let special = "on_restart() { echo UNKNOWN RESTART; }";
    let [knows, refuses] =
        ["on_info() { echo UNKNOWN; }\non_swap() { echo SWAP; }", "on_swap() { echo UNKNOWN; }"]
            .map(|more| format!("{special}\n{more}"));
    let Played { run, .. } = play("time=5s,", &knows, "3", "2");
    assert_eq!(run.json()["results"][0]["faults"], serde_json::json!([0, 0]), "{run}");
    let fault = "it refuses SWAP2BOARD: \"UNKNOWN\"; take openings of at least 6 plies";
    loses("time=5s,", &refuses, "3", ("illegal", fault));
}

#[test]
fn the_questions_of_a_decision_share_its_time() {
    // Each answer would be in time if it were the only one.
    let special = "on_swap() { sleep 0.5; echo ERROR; }";
    loses("time=700ms,margin=100ms,", special, "3", ("time", "no answer to SWAP2BOARD within "));
}

#[test]
fn who_does_not_know_the_set_up_loses_and_the_fault_says_what_helps() {
    let fault = "it refuses SWAP2BOARD: \"UNKNOWN SWAP2BOARD\"; take openings of at least 6 plies";
    let Played { records, .. } = play("time=5s,", "", "0", "2");
    for record in &records {
        assert!(record["fault"].as_str().is_some_and(|it| it.starts_with(fault)), "{record}");
    }
    let special = "on_swap() { [ $stones = 0 ] && echo SWAP || echo 1,1 2,2 3,3; }";
    for record in &play("time=5s,", special, "0", "2").records {
        let fault = record["fault"].as_str().expect("a fault");
        assert!(fault.starts_with("no decision of the set-up with "), "{record}");
    }
}

#[test]
fn what_the_protocol_does_not_have_is_refused_before_the_first_game() {
    let engines = ["--engine", "x=gomocup:time=1s,command=/no/such/program", "--engine", "random"];
    let refused = |args: &[&str]| quintet([&["arena"], args, &engines[..]].concat()).refused();
    for args in [["krk", "--rules", "ggp"], ["gomoku", "--rules", "spec"], ["all", "--rules", "both"]] {
        let message = refused(&args);
        assert!(message.contains("engine \"x\": the Gomocup protocol has gomoku under ggp"), "{message}");
    }
    for plies in ["1", "2", "4"] {
        let message = refused(&["gomoku", "--rules", "ggp", "--opening-plies", plies]);
        assert!(message.contains("take openings of 0, 3, or at least 6 plies"), "{message}");
    }
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let book = folder.path().join("book.jsonl");
    let book_name = book.to_str().expect("the path is text");
    let line = |moves: &str| format!("{{\"game\":\"gomoku\",\"rules\":\"ggp\",\"moves\":[{moves}]}}\n");
    let (right, wrong) = (line("\"a1\",\"b2\",\"c3\",\"black\""), line("\"a1\",\"b2\""));
    fs::write(&book, right + &wrong).expect("it can be written");
    let message = refused(&["gomoku", "--rules", "ggp", "--openings", book_name]);
    assert!(message.contains("not with 2: take openings"), "{message}");
}

#[cfg(target_os = "linux")]
#[test]
fn the_cpu_time_of_an_engine_is_that_of_its_process() {
    // One works, in the shell itself, and one only waits.
    let work = "on_move() { i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done; move; }";
    let wait = "on_move() { sleep 0.03; move; }";
    let used = [work, wait].map(|special| {
        let Played { run, records, .. } = play("time=60s,", special, "6", "2");
        let result = &run.json()["results"][0];
        let sum = |key: &str| -> f64 {
            let of = |record: &Value| record["times"]["fake"][key].as_f64().expect("a time") / 1000.0;
            records.iter().map(of).sum()
        };
        let [ms, cpu_ms] = ["ms", "cpu_ms"].map(sum);
        assert!((result["seconds"][0].as_f64().expect("a time") - ms).abs() < 1e-6, "{run}");
        assert!((result["cpu_seconds"][0].as_f64().expect("a time") - cpu_ms).abs() < 1e-6, "{run}");
        assert!(result["cpu_seconds"][1].is_null(), "{run}");
        for record in &records {
            assert!(record["times"]["random"]["cpu_ms"].is_null(), "{record}");
            let of_moves = |key: &str| -> u64 {
                let thoughts = record["thoughts"].as_array().expect("thoughts");
                thoughts
                    .iter()
                    .filter(|it| it["cpu_ms"].is_u64())
                    .map(|it| it[key].as_u64().unwrap_or(0))
                    .sum()
            };
            assert_eq!(record["times"]["fake"]["ms"], of_moves("ms"), "{record}");
            assert_eq!(record["times"]["fake"]["cpu_ms"], of_moves("cpu_ms"), "{record}");
        }
        (ms, cpu_ms)
    });
    let [(working, of_work), (waiting, of_wait)] = used;
    // A single thread can't use more than the time that goes by, and waiting uses hardly any.
    assert!(of_work > 0.0 && of_work <= working + 0.5, "{used:?}");
    assert!(of_wait < waiting / 2.0, "{used:?}");
}

#[test]
fn quintet_is_a_brain_among_others() {
    let program = env!("CARGO_BIN_EXE_quintet");
    for plies in ["0", "3", "6"] {
        let engine = format!("brain=gomocup:iterations=30,command='{program}' gomocup --threads 1");
        let run = quintet([
            "arena",
            "gomoku",
            "--rules",
            "ggp",
            "--games",
            "4",
            "--opening-plies",
            plies,
            "--engine",
            &engine,
            "--engine",
            "quintet:iterations=30,threads=1",
            "--json",
        ])
        .exits(0);
        assert_eq!(run.json()["results"][0]["faults"], serde_json::json!([0, 0]), "{run}");
    }
}

#[test]
fn what_a_brain_says_of_its_moves_is_in_the_records() {
    let says = "on_move() { echo 'MESSAGE Speed 9 | Depth 3-4 | Eval +M3 | Node 2K'; echo MESSAGE Bestline A1; move; }";
    let Played { records, .. } = play("time=5s,", says, "6", "2");
    let thoughts: Vec<&Value> = records
        .iter()
        .flat_map(|record| record["thoughts"].as_array().expect("a list"))
        .filter(|thought| thought["depth"] == 3)
        .collect();
    assert!(!thoughts.is_empty(), "{records:?}");
    for thought in thoughts {
        assert_eq!(
            [&thought["value"], &thought["proven"], &thought["iterations"]],
            [&Value::from(100.0), &Value::from(100), &Value::from(2000)]
        );
    }
}

//! All commands with the games of this crate. Every test runs the program.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// Where the games start.
const STARTS: [(&str, &str); 7] = [
    ("connect-four", "7/7/7/7/7/7 y"),
    ("breakthrough", "bbbbbbbb/bbbbbbbb/8/8/8/8/wwwwwwww/wwwwwwww w"),
    ("pegs", ".oooooooooooooo"),
    ("three", "4/4/4/4 r"),
    ("pig", "0 0 6 0 anna"),
    ("goofspiel", "12345 12345 0 0 -"),
    ("hex", "7/7/7/7/7/7/7 r"),
];

/// The names of all games, as errors list them.
const NAMES: &str = "connect-four, breakthrough, pegs, three, pig, goofspiel, hex";

/// Runs the program with `input` on standard input, and returns its exit status and what it prints.
#[track_caller]
fn run(args: &[&str], input: &str) -> (Option<i32>, String, String) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_own-games"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = program.stdin.take().expect("it is a pipe");
    stdin.write_all(input.as_bytes()).expect("the program reads");
    drop(stdin);
    let output = program.wait_with_output().expect("the program ends");
    let text = |bytes| String::from_utf8(bytes).expect("the output is UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// What the program prints, if all goes well.
#[track_caller]
fn answer(args: &[&str], input: &str) -> String {
    let (status, stdout, stderr) = run(args, input);
    assert_eq!(status, Some(0), "{args:?}: {stdout}{stderr}");
    stdout
}

/// What the program says of wrong usage.
#[track_caller]
fn refusal(args: &[&str]) -> String {
    let (status, stdout, stderr) = run(args, "");
    assert_eq!((status, stdout.as_str()), (Some(2), ""), "{args:?}: {stderr}");
    stderr
}

#[track_caller]
fn json_lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

/// A path for a file that isn't there yet.
fn new_file(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_file(&path);
    path.to_str().expect("the path is text").to_owned()
}

#[test]
fn the_games_keep_their_promises() {
    let found = answer(&["check", "--games", "50"], "");
    assert_eq!(found.matches("no fault found").count(), STARTS.len(), "{found}");
}

#[test]
fn games_lists_these_games_and_no_others() {
    let lines = json_lines(&answer(&["games", "--json"], ""));
    assert_eq!(lines.len(), STARTS.len());
    for (line, (game, start)) in lines.iter().zip(STARTS) {
        assert_eq!([&line["game"], &line["rules"], &line["start"]], [game, "standard", start]);
    }
    assert_eq!(lines[0]["roles"], json!(["yellow", "red"]));
    assert_eq!(lines[1]["roles"], json!(["white", "black"]));
    // Nobody plays the die.
    let roles = [json!(["player"]), json!(["red", "green", "blue"]), json!(["anna", "otto"])];
    assert_eq!([2, 3, 4].map(|line: usize| lines[line]["roles"].clone()), roles);

    // The only ruleset of a game needs no words about itself.
    let one = answer(&["games", "connect-four"], "");
    assert!(one.starts_with("connect-four  Connect Four\n") && !one.contains("Rules"), "{one}");
    assert_eq!([&lines[0]["standard"], &lines[0]["rules_text"]], [&json!(true), &json!("")]);

    let text = answer(&["games"], "");
    for part in ["connect-four  Connect Four", "breakthrough  Breakthrough", STARTS[0].1, STARTS[1].1] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn name_version_and_helps_are_those_of_this_program() {
    let title = concat!("own-games ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(answer(&["--version"], ""), title);
    assert!(answer(&["ugi"], "ugi\n").starts_with(&format!("id name {title}")));
    assert!(answer(&["completions", "fish"], "").contains("complete -c own-games"));
    assert!(answer(&["man", "suggest"], "").contains("\n.TH own-games-suggest 1 "));
    assert!(answer(&["games"], "").ends_with("\nTry: own-games suggest connect-four --moves \"a\"\n"));
    assert!(answer(&["suggest", "--help"], "").contains("  own-games suggest connect-four --time 2s\n"));

    let overview = answer(&["--help"], "");
    let commands = overview.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    for command in commands.filter(|it| !it.is_empty() && !it.starts_with('-') && *it != "help") {
        let help = answer(&[command, "--help"], "");
        for part in ["quarto", "krk", "Qubic", "Gomoku", "spec]", "quintet arena", "quintet games", "{"] {
            let is_about_json = part == "{" && ["arena", "suite", "analyze"].contains(&command);
            assert!(is_about_json || !help.contains(part), "{part} in {help}");
        }
    }
    for [command, file] in [["verify", "proof.jsonl"], ["gomocup", "--margin"]] {
        assert!(refusal(&[command, file]).contains(&format!("unrecognized subcommand '{command}'")));
    }
}

#[test]
fn suggest_finds_the_winning_move() {
    let search = ["--iterations", "2000", "--threads", "1"];
    let suggest = |position: &[&str]| answer(&[&["suggest"], position, &search].concat(), "");

    // Three yellow discs lie in the bottom rank. There is no knowledge of the game, so the search
    // has to find the win.
    let text = suggest(&["connect-four", "--moves", "c c d d e f"]);
    assert!(text.starts_with("Connect Four (standard): yellow to move\n"), "{text}");
    for part in [" 1  . [.] y  y  y  r  .\n", "position: 7/7/7/7/2rr3/2yyyr1 y\n", "\nbest move: b "] {
        assert!(text.contains(part), "{part:?} in {text}");
    }

    // The pawn on g4 can't stop the pawn on c6, and the knowledge proves it.
    let text = suggest(&["breakthrough", "--position", "8/8/2w5/8/6b1/8/8/8 w"]);
    assert!(text.starts_with("Breakthrough (standard): white to move\n"), "{text}");
    for part in ["proven win: can't be stopped", "best move: c6-"] {
        assert!(text.contains(part), "{part:?} in {text}");
    }
}

#[test]
fn solve_finds_the_value_of_late_positions() {
    let solved = |args: &[&str]| {
        json_lines(&answer(&[&["solve"], args, &["--time", "60s", "--json"]].concat(), "")).remove(0)
    };
    // There is no knowledge of this game: whoever has three discs in the bottom rank wins.
    let line = solved(&["connect-four", "--moves", "c c d d e f"]);
    assert_eq!([&line["value"], &line["move"]], [&json!({ "yellow": 100, "red": 0 }), &json!("b")]);
    // Two empty cells, and no line through either.
    let full = "yyrryy1/rryyrr1/yyrryyr/rryyrry/yyrryyr/rryyrry";
    let line = solved(&["connect-four", "--position", &format!("{full} y")]);
    assert_eq!([&line["value"], &line["method"]], [&json!({ "yellow": 50, "red": 50 }), &json!("df-pn")]);
    // The pawn on g4 can't stop the pawn on c6.
    let line = solved(&["breakthrough", "--position", "8/8/2w5/8/6b1/8/8/8 w"]);
    assert_eq!(line["value"], json!({ "white": 100, "black": 0 }));

    let (status, stdout, _) = run(&["solve", "breakthrough", "--time", "100ms"], "");
    assert!(status == Some(1) && stdout.contains("\nnot settled: nothing is proven\n"), "{stdout}");
    let refused = refusal(&["solve", "connect-four", "--certificate", "proof"]);
    assert!(refused.contains("there are no certificates for connect-four standard\n"), "{refused}");
}

#[test]
fn the_arena_plays_all_games_and_its_records_are_read_everywhere() {
    let file = new_file("arena.jsonl");
    let engines = ["--engine", "quintet:iterations=100,threads=1", "--engine", "random"];
    let table = answer(&[&["arena", "all", "--games", "2", "--out", &file], &engines[..]].concat(), "");
    let records = json_lines(&fs::read_to_string(&file).expect("it has been written"));
    let games: Vec<&Value> = records.iter().map(|record| &record["game"]).collect();
    assert_eq!(games.len(), 2 * STARTS.len() + 4);
    assert_eq!(records[0]["arena"]["program"], concat!("own-games ", env!("CARGO_PKG_VERSION")));
    for (game, _) in STARTS {
        assert!(table.contains(game), "{game} in {table}");
        // Three players share their seats in six ways.
        let expected = if game == "three" { 6 } else { 2 };
        assert_eq!(games.iter().filter(|it| **it == game).count(), expected, "{game}");
    }
    assert!(records.iter().all(|record| record["rules"] == "standard" && record["end"] == "rules"));

    let text = answer(&["replay", &file], "");
    assert!(text.starts_with("18 games, all correct; "), "{text}");
    for (record, replay) in records.iter().zip(json_lines(&answer(&["replay", "--json", &file], ""))) {
        let last = replay["steps"].as_array().and_then(|steps| steps.last()).expect("there are steps");
        assert_eq!((&last["terminal"], &last["scores"]), (&json!(true), &record["scores"]), "{record}");
    }

    let (status, page, notes) = run(&["arena", "report", &file], "");
    assert_eq!(status, Some(0), "{notes}");
    assert!(page.starts_with("<!doctype html>") && page.contains("id=\"recording\""));
    for game in ["pegs", "three", "pig", "goofspiel"] {
        assert!(
            notes.contains(&format!("{game} standard is in the results alone: a page shows games of two")),
            "{notes}"
        );
    }
}

#[test]
fn analyze_answers_queries_and_says_what_is_wrong_with_them() {
    let query = json!({
        "id": 7, "game": "breakthrough", "rules": "standard", "moves": ["a2-a3", "h7-h6"],
        "iterations": 300, "threads": 1,
    });
    let lines = json_lines(&answer(&["analyze"], &query.to_string()));
    assert_eq!(lines.len(), 1);
    assert_eq!([&lines[0]["id"], &lines[0]["to_move"]], [&json!(7), &json!("white")]);
    assert_eq!(lines[0]["candidates"].as_array().map(Vec::len), Some(23));

    for (query, message) in [
        (
            json!({"game": "chess"}),
            "unknown game \"chess\"; known: connect-four, breakthrough, pegs, three, pig, goofspiel, hex",
        ),
        (
            json!({"game": "connect-four", "rules": "five"}),
            "unknown ruleset \"five\" of connect-four; known: standard",
        ),
        (
            json!({"game": "connect-four", "position": "7/7/7/7/3y3/7 r"}),
            "bad position: column d: there is an empty cell under a disc",
        ),
        (
            json!({"game": "connect-four", "moves": ["h"]}),
            "ply 1: illegal move \"h\"; legal here: a b c d e f g",
        ),
    ] {
        let (status, stdout, _) = run(&["analyze"], &query.to_string());
        assert_eq!((status, &json_lines(&stdout)[0]["error"]), (Some(1), &json!(message)), "{query}");
    }
}

#[test]
fn ugi_plays_the_games() {
    let session = "ugi\nsetoption name Game value breakthrough\nposition startpos moves a2-a3\nquery p1turn\n\
                   go nodes 200\n\
                   setoption name Game value connect-four\nposition startpos moves c c d d e f\ngo nodes 2000\n\
                   position startpos moves c c d d e f b\nquery result\n\
                   setoption name Game value chess\nsetoption name Rules value five\n";
    let text = answer(&["ugi", "--threads", "1"], session);
    for part in [
        "option name Game type combo default connect-four var connect-four var breakthrough var pegs",
        "option name Rules type combo default standard var standard\n",
        "ugiok\nresponse false\ninfo nodes 200 ",
        "\nbestmove b\nresponse p1win\n",
        "known: connect-four, breakthrough, pegs",
        "known: standard\n",
    ] {
        assert!(text.contains(part), "{part:?} in {text}");
    }
}

#[test]
fn bench_measures_the_games() {
    let lines = json_lines(&answer(&["bench", "--json", "--seconds", "0.01"], ""));
    let games: Vec<&Value> = lines.iter().map(|line| &line["game"]).collect();
    assert_eq!(games, STARTS.map(|(game, _)| game));
    for line in lines {
        // Where scores are more than wins, draws and losses, nodes hold parts of points; joint moves need such nodes,
        // too.
        let has_scores = ["pegs", "three", "goofspiel"].iter().any(|game| line["game"] == *game);
        assert_eq!(line["bytes_per_node"], if has_scores { 24 } else { 16 }, "{line}");
    }
}

#[test]
fn names_that_are_not_known_are_answered_with_those_that_are() {
    for (args, known) in [
        (&["suggest", "chess"][..], NAMES),
        (&["suggest", "breakthrough", "--rules", "five"], "standard"),
        (&["bench", "--game", "chess"], NAMES),
        (&["arena", "chess", "--engine", "quintet", "--engine", "random"], NAMES),
        (&["arena", "all", "--rules", "five", "--engine", "quintet", "--engine", "random"], "standard"),
    ] {
        let message = refusal(args);
        assert!(message.starts_with("error: ") && message.contains(known), "{args:?}: {message}");
    }
}

#[test]
fn train_makes_a_model_with_which_the_engine_plays() {
    for game in ["connect-four", "breakthrough"] {
        let folder = new_file(&format!("{game}-model"));
        let _ = fs::remove_dir_all(&folder);
        let small = ["--games=4", "--positions=100", "--iterations=20", "--match-games=2", "--generations=1"];
        let lines = answer(&[&["train", game, "--out", &folder], &small[..]].concat(), "");
        assert!(lines.starts_with("generation 1: "), "{lines}");
        let engine = format!("quintet:model={folder}/generation-001.model");
        let found = answer(&["suggest", game, "--engine", &engine, "--iterations", "100", "--json"], "");
        assert_eq!(json_lines(&found)[0]["iterations"], 100, "{found}");
    }
}

#[test]
fn a_game_for_one_player_is_played_by_the_best_line_that_was_found() {
    let found = answer(&["suggest", "pegs", "--iterations", "20000", "--json"], "");
    let report = &json_lines(&found)[0];
    // A single peg is left, after thirteen jumps.
    assert_eq!(
        (&report["proven"], report["pv"].as_array().map(Vec::len)),
        (&json!(100), Some(13)),
        "{report}"
    );
    let played = answer(&["play", "pegs", "--seat", "none", "--iterations", "2000"], "");
    assert!(played.contains("player gets 100"), "{played}");
    // Who plays alone takes back one move.
    let undone = answer(&["play", "pegs", "--iterations", "10"], "4-1\n6-4\nundo\nquit\n");
    assert!(undone.contains("1 move taken back"), "{undone}");
    // Plain UCT has no lines, and goes by visits.
    let uct = ["suggest", "pegs", "--position", ".o..oo.o..o.ooo", "--engine", "uct", "--iterations", "2000"];
    assert!(answer(&uct, "").contains("best move: 6-4"), "{}", answer(&uct, ""));
    let problem = r#"{"game":"pegs","position":".o..oo.o..o.ooo","moves":[],"best":["6-4"],"value":100}"#;
    let suite = new_file("pegs.jsonl");
    fs::write(&suite, problem).expect("it can be written");
    answer(&["suite", &suite, "--iterations", "500"], "");
}

/// Plays a match of a stronger engine against a weaker one and returns its result, the file of the games, and the
/// table.
#[track_caller]
fn won_match(game: &str, games: &str, iterations: [u32; 2]) -> (Value, String, String) {
    let file = new_file(&format!("{game}-match.jsonl"));
    let [strong, weak] = ["strong", "weak"];
    let engines = [(strong, iterations[0]), (weak, iterations[1])];
    let engines = engines.map(|(name, iterations)| format!("{name}=uct:iterations={iterations},threads=1"));
    let arena =
        ["arena", game, "--games", games, "--engine", &engines[0], "--engine", &engines[1], "--out", &file];
    let table = answer(&arena, "");
    let text = fs::read_to_string(&file).expect("it has been written");
    // A run that was stopped within a group, and within a line, goes on.
    let kept: usize = text.split_inclusive('\n').take(3).map(str::len).sum();
    fs::write(&file, &text[..kept + 40]).expect("it can be written");
    let resumed = answer(&[&arena[..], &["--resume", "--json"]].concat(), "");
    let merged = answer(&["arena", "merge", "--json", &file], "");
    assert_eq!(merged, resumed);
    let records = |text: &str| {
        let mut records = json_lines(text);
        for record in &mut records {
            record["thoughts"] = Value::Null;
        }
        records.sort_by_key(Value::to_string);
        records
    };
    assert_eq!(records(&fs::read_to_string(&file).expect("it is there")), records(&text));
    let result = json_lines(&resumed)[0]["results"][0].clone();
    assert!(result["elo"][0].as_f64().is_some_and(|low| low > 0.0), "{result}");
    assert!(result["mean_scores"][0].as_f64() > result["mean_scores"][1].as_f64(), "{result}");
    (result, file, table)
}

#[test]
fn engines_that_play_alone_are_compared_by_their_scores() {
    let (result, file, table) = won_match("pegs", "40", [500, 5]);
    assert!(table.contains("pegs standard: each engine plays alone from every opening"), "{table}");
    assert_eq!((&result["games"], &result["best_scores"]), (&json!(40), &json!([100, 100])), "{result}");
    assert_eq!(result["pairs"].as_array().map(Vec::len), Some(3), "{result}");
    assert!(result.get("mean_places").is_none(), "{result}");
    for record in json_lines(&fs::read_to_string(&file).expect("it is there")) {
        assert_eq!(record["seats"].as_object().map(serde_json::Map::len), Some(1), "{record}");
    }
    let refused = refusal(&["arena", "report", &file]);
    assert!(refused.contains("there is no game to show") && refused.contains("two sides"), "{refused}");
}

#[test]
fn engines_share_the_seats_of_several_players_in_all_ways() {
    let (result, file, table) = won_match("three", "40", [500, 10]);
    // Seven groups.
    assert_eq!(result["games"], 42, "{result}");
    assert!(table.contains("three standard: wins, draws and losses compare every two seats"), "{table}");
    assert!(result["mean_places"][0].as_f64() < result["mean_places"][1].as_f64(), "{result}");
    let records = json_lines(&fs::read_to_string(&file).expect("it is there"));
    let ways: std::collections::BTreeSet<String> = records.iter().map(|it| it["seats"].to_string()).collect();
    assert_eq!(ways.len(), 6, "{ways:?}");
    let engines = ["--engine", "random", "--engine", "uct:iterations=10"];
    let refused = |more: &[&str]| refusal(&[&["arena", "three"], &engines[..], more].concat());
    for flag in [&["--resign", "value=3,moves=4"][..], &["--draw", "value=1,moves=4"], &["--undecided"]] {
        let refused = refused(flag);
        assert!(refused.contains(&format!("{} needs two sides that share the score", flag[0])), "{refused}");
    }
    assert!(refused(&["--games", "3"]).contains("--games 3 is odd"));
    // The first meets each of the others.
    let gauntlet =
        [&["arena", "three", "--gauntlet", "--games", "6", "--engine", "uct:iterations=20"], &engines[..]];
    let table = answer(&gauntlet.concat(), "");
    assert!(table.contains("\nthree standard ") && table.contains("mean place"), "{table}");
}

#[test]
fn three_players_each_play_for_themselves() {
    // Red completes a row; nobody could stop it.
    let found =
        answer(&["suggest", "three", "--position", "4/g3/b2g/rr1b r", "--iterations", "2000", "--json"], "");
    let report = &json_lines(&found)[0];
    assert_eq!((&report["move"], &report["to_move"]), (&json!("c1"), &json!("red")), "{report}");
    let played = answer(&["play", "three", "--seat", "none", "--iterations", "200"], "");
    assert!(played.contains("The game is over: red gets ") && played.contains(", blue gets "), "{played}");
}

#[test]
fn chance_moves_by_itself_and_nobody_is_asked_for_its_moves() {
    let played = answer(&["play", "pig", "--seat", "none", "--iterations", "100"], "");
    assert!(
        played.contains("die: ") && played.contains("The game is") | played.contains(" wins"),
        "{played}"
    );
    for engine in ["quintet", "uct", "random"] {
        let refused = refusal(&["suggest", "pig", "--moves", "roll", "--engine", engine]);
        assert!(refused.contains("chance moves here"), "{refused}");
    }
    let ugi = "ugi\nsetoption name Game value pig\nposition startpos moves roll\ngo nodes 100\n\
               setoption name Game value three\nposition startpos moves a1 b1\ngo nodes 100\n";
    let told = run(&["ugi", "--threads", "1"], ugi);
    assert!(told.1.contains("bestmove "), "{told:?}");
    // What engines agree on is found again from the record.
    let file = new_file("pig.jsonl");
    let arena = [
        "arena",
        "pig",
        "--games",
        "6",
        "--engine",
        "uct:iterations=20",
        "--engine",
        "random",
        "--out",
        &file,
    ];
    answer(&[&arena[..], &["--draw", "value=30,moves=1", "--resign", "value=40,moves=1"]].concat(), "");
    assert!(answer(&["replay", &file], "").starts_with("6 games, all correct; "));
    let replayed = answer(
        &["replay", "--json", "-"],
        r#"{"game":"pig","rules":"standard","moves":["roll","5","hold"]}"#,
    );
    let steps = &json_lines(&replayed)[0]["steps"];
    assert_eq!([&steps[1]["to_move"], &steps[3]["to_move"]], [&json!("die"), &json!("otto")], "{steps}");
    assert_eq!(steps[0]["scores"], json!({ "anna": 0, "otto": 0 }), "{steps}");
}

#[test]
fn a_board_has_the_size_that_is_set() {
    let listed = answer(&["games", "hex"], "");
    assert!(listed.contains("--set size=7: cells along a side, 3 to 19"), "{listed}");
    let found = answer(&["suggest", "hex", "--set", "size=3", "--iterations", "5000", "--json"], "");
    // The middle of a small board wins.
    let report = &json_lines(&found)[0];
    assert_eq!((&report["move"], &report["proven"]), (&json!("b2"), &json!(100)), "{report}");
    let file = new_file("hex.jsonl");
    let engines = ["--engine", "uct:iterations=50", "--engine", "random", "--set", "size=4"];
    answer(&[&["arena", "hex", "--games", "2", "--out", &file], &engines[..]].concat(), "");
    // The records say where they start, so they need no flag.
    assert!(answer(&["replay", &file], "").starts_with("2 games, all correct; "));
    let resumed =
        ["arena", "hex", "--games", "4", "--resume", "--out", &file, "--engine", "uct:iterations=50"];
    let refused = refusal(&[&resumed[..], &["--engine", "random", "--set", "size=3"]].concat());
    assert!(refused.contains("size=4"), "{refused}");
    // An external engine is told where the game starts.
    let ugi = format!("ugi:iterations=20,command={} ugi --threads 1", env!("CARGO_BIN_EXE_own-games"));
    let table = answer(
        &["arena", "hex", "--games", "2", "--engine", &ugi, "--engine", "random", "--set", "size=4"],
        "",
    );
    assert!(!table.contains("illegal"), "{table}");
    let record = new_file("hex-play.jsonl");
    answer(
        &["play", "hex", "--set", "size=3", "--seat", "none", "--iterations", "50", "--record", &record],
        "",
    );
    assert!(fs::read_to_string(&record).expect("a record").contains(r#""position":"3/3/3 r""#));
    let checked = answer(&["check", "hex", "--set", "size=4", "--games", "20"], "");
    assert!(checked.contains("at most 16 moves each") && checked.contains("no fault found"), "{checked}");
    for args in [["suggest", "pegs"], ["check", "three"], ["play", "pig"]] {
        let refused = refusal(&[&args[..], &["--set", "size=5"]].concat());
        assert!(refused.contains("standard has no parameter \"size\""), "{refused}");
    }
    for (setting, message) in [
        ("size=5,size=6", "one parameter at a time: repeat --set for each"),
        ("size=20", "size=20: size is from 3 to 19"),
        ("sise=9", "unknown parameter \"sise\"; did you mean \"size\"? known: size"),
        ("size", "expected a name and a number, such as size=9"),
        ("size=x", "the value of \"size\" is no whole number"),
    ] {
        let refused = refusal(&["suggest", "hex", "--set", setting]);
        assert!(refused.contains(message), "{refused}");
    }
}

#[test]
fn a_role_of_a_joint_move_draws_its_move_and_sees_no_other() {
    let json = |moves: &[&str]| {
        let args = ["suggest", "goofspiel", "--iterations", "5000", "--json"];
        let found: Value =
            serde_json::from_str(&answer(&[&args, moves].concat(), "")).expect("a line of JSON");
        found
    };
    let (anna, otto) = (json(&[]), json(&["--moves", "2"]));
    assert_eq!((&anna["to_move"], &otto["to_move"]), (&json!("anna"), &json!("otto")));
    assert_eq!((&anna["policies"], &anna["confidence"]), (&otto["policies"], &Value::Null));
    for (name, found) in [("anna", &anna), ("otto", &otto)] {
        let policy = found["policies"][name].as_object().expect("a policy");
        let sum: f64 = policy.values().map(|it| it.as_f64().expect("a number")).sum();
        assert!((sum - 1.0).abs() < 1e-3, "{found}");
        assert!(policy[found["move"].as_str().expect("a move")].as_f64() > Some(0.0), "{found}");
    }
    let text = answer(&["suggest", "goofspiel", "--iterations", "5000", "--moves", "2"], "");
    assert!(text.contains("move drawn: ") && text.contains("\nanna: ") && !text.contains("[2]"), "{text}");
    // Who plays against the engine learns what it has chosen together with it.
    let played = answer(&["play", "goofspiel", "--seat", "otto", "--iterations", "500"], "why\n3\nquit\n");
    let (_title, played) = played.split_once('\n').expect("some lines");
    let place = |text: &str| played.find(text).unwrap_or_else(|| panic!("{text} in {played}"));
    assert!(place("quintet has chosen.") < place("when you have made yours"), "{played}");
    assert!(place("when you have made yours") < place("quintet plays "), "{played}");
    let input = "board\n3\nundo\n4\nquit\n";
    let played = answer(&["play", "goofspiel", "--seat", "otto", "--iterations", "500"], input);
    assert!(!played.contains("12345 12345 0 0"), "{played}");
    let resumed = played.lines().last().expect("how to go on");
    let moves =
        resumed.split_once("--moves ").expect("the moves").1.trim_matches(['"', '\'']).split(' ').count();
    assert_eq!(moves, 2, "the choice in hand is not told: {played}");
    let line = json!({"id": 1, "action": "replay", "game": "goofspiel", "moves": ["2"]}).to_string();
    let shown: Value = serde_json::from_str(&answer(&["analyze"], &line)).expect("a line of JSON");
    assert_eq!([&shown["steps"][0]["unseen"], &shown["steps"][1]["unseen"]], [&Value::Null, &json!(1)]);
    // Nothing is proven, and plain UCT plays, too.
    let (status, stdout, _) = run(&["solve", "goofspiel", "--json"], "");
    assert!(status == Some(1) && stdout.contains("\"value\":null"), "{stdout}");
    let file = new_file("goofspiel.jsonl");
    let engines = ["--engine", "uct:iterations=300", "--engine", "quintet:iterations=300,trees=2"];
    answer(&[&["arena", "goofspiel", "--games", "4", "--out", &file], &engines[..]].concat(), "");
    let replayed = answer(&["replay", &file], "");
    assert!(replayed.starts_with("4 games, all correct"), "{replayed}");
}

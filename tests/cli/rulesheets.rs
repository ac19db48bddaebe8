//! Rulesheets in files as games of all commands.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::harness::{quintet, quintet_reading};

/// The path of a rulesheet of the repository.
fn sheet(name: &str) -> String {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "rulesheets", &format!("{name}.kif")].iter().collect();
    path.display().to_string()
}

#[test]
fn a_path_stands_where_a_game_stands() {
    let text = quintet(["games", &sheet("connect-four")]).succeeds_quietly().stdout;
    for part in [
        "connect-four ",
        "yellow, red",
        "drop",
        "kind",
        "one role chooses at a time (proven)",
        "sizes",
        "speed",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let moves = "drop-4 drop-1 (drop 4) DROP-1 drop-4 (drop 2)";
    let found = ["suggest", &sheet("connect-four"), "--iterations", "2000", "--json", "--moves", moves];
    let report = quintet(found).succeeds_quietly().json();
    assert_eq!((report["game"].as_str(), report["rules"].as_str()), (Some("connect-four"), Some("gdl")));
    assert_eq!((report["move"].as_str(), report["proven"].as_i64()), (Some("drop-4"), Some(100)), "{report}");
    quintet(["check", &sheet("three-heaps")]).succeeds_quietly();
    let value = quintet(["solve", &sheet("tic-tac-toe")]).succeeds_quietly().stdout;
    assert!(value.contains("draw"), "{value}");
}

#[test]
fn games_of_rulesheets_are_played_recorded_and_replayed() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("games.jsonl").display().to_string();
    let both = format!("{},{}", sheet("hex"), sheet("three-rounds"));
    let engines = ["--engine", "quintet", "--engine", "random", "--iterations", "50", "--games", "4"];
    quintet(["arena", &both].into_iter().chain(engines).chain(["--out", &log])).exits(0);
    let text = fs::read_to_string(&log).expect("it was written");
    assert!(text.contains("\"hex\"") && text.contains("\"three-rounds\""), "{text}");
    let named = |name: &str| format!("{name}={}", sheet(name));
    let flags = ["--rulesheet", &named("hex"), "--rulesheet", &named("three-rounds")];
    quintet(["replay", &log].into_iter().chain(flags)).exits(0);
}

#[test]
fn games_by_other_rules_are_not_taken_for_those_of_a_tournament() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (rules, log, other) = (path("nim.kif"), path("games.jsonl"), path("other.jsonl"));
    let arena = |games: &str, log: &str, resume: &[&str]| {
        let engines = ["--engine", "a=random", "--engine", "b=random", "--games", games, "--out", log];
        quintet(["arena", &rules].into_iter().chain(engines).chain(resume.iter().copied()))
    };
    fs::copy(sheet("three-heaps"), &rules).expect("it can be copied");
    arena("2", &log, &[]).exits(0);
    // A rule that changes no game, so that all records can be replayed.
    let text = fs::read_to_string(&rules).expect("a text") + "\n(<= (goal ?r 50) (true (never ?r)))";
    fs::write(&rules, text).expect("it can be written");
    let run = arena("4", &log, &["--resume"]).exits(2);
    assert!(run.stderr.contains("fingerprint of the rulesheet nim"), "{run}");
    arena("2", &other, &[]).exits(0);
    let named = ["--rulesheet", &format!("nim={rules}")];
    for command in [&["arena", "merge", &other, &log][..], &["arena", "report", &log]] {
        let error = quintet([command, &named].concat()).refused();
        assert!(error.contains("games.jsonl, line 1: fingerprint of the rulesheet nim: \""), "{error}");
    }
    let wrong = quintet([&["replay", "--json", &log][..], &named].concat()).exits(1).json_lines();
    let fingerprint = |line: &Value| line["arena"]["rulesheet"].as_str().expect("it is there").to_owned();
    let [theirs, ours] = [&log, &other].map(|path| fingerprint(&records(path)[0]));
    let message = format!("fingerprint of the rulesheet nim: \"{theirs}\" in the record, \"{ours}\" here");
    assert_eq!((&wrong[0]["error"]["line"], &wrong[0]["error"]["message"]), (&json!(1), &json!(message)));
    quintet([&["replay", &other][..], &named].concat()).exits(0);
}

/// The lines of a file.
fn records(path: &str) -> Vec<Value> {
    let text = fs::read_to_string(path).expect("it was written");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn a_game_that_was_played_by_other_rules_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("games.jsonl").display().to_string();
    let play = ["play", &sheet("connect-four"), "--seat", "both", "--iterations", "10", "--record", &log];
    quintet_reading("drop-4\nquit\n", play).exits(0);
    let by = |command: &[&str], rules: &str| {
        let named = format!("connect-four={}", sheet(rules));
        let progress = folder.path().join("progress").display().to_string();
        let args = [command, &[&log, "--rulesheet", &named]].concat();
        let is_puzzle = command[0] == "puzzle";
        quintet(args.into_iter().chain(is_puzzle.then_some(["--progress", &progress]).into_iter().flatten()))
    };
    by(&["replay"], "connect-four").exits(0);
    for command in [&["replay"][..], &["arena", "report"], &["puzzle", "--games"]] {
        let run = by(command, "tic-tac-toe");
        let told = format!("{}{}", run.stdout, run.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(run.code != Some(0) && told.contains("line 1: "), "{run}");
        assert!(told.contains("fingerprint of the rulesheet connect-four: \""), "{run}");
    }
}

#[test]
fn a_game_that_would_count_twice_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let copy = folder.path().join("copy.kif").display().to_string();
    fs::copy(sheet("hex"), &copy).expect("it can be copied");
    let [hex, named] = [sheet("hex"), format!("other={}", sheet("hex"))];
    let twice = format!("{hex},{hex}");
    for (games, part) in [
        ("krk,quarto,krk", "the game \"krk\" is there twice"),
        (&*twice, "the game \"hex\" is there twice"),
        (&*format!("{hex},{copy}"), "hex gdl and copy gdl are there with the same rules"),
        (&*format!("other,{copy}"), "other gdl and copy gdl are there with the same rules"),
    ] {
        let engines = ["--engine", "a=random", "--engine", "b=random", "--games", "2"];
        let error = quintet(["arena", games, "--rulesheet", &named].into_iter().chain(engines)).refused();
        assert!(error.contains(part), "{part}: {error}");
    }
}

#[test]
fn commands_that_have_nothing_for_rulesheets_say_what_is_missing() {
    let error = quintet(["train", &sheet("hex"), "--out", "/nowhere"]).refused();
    assert!(error.contains("hex gdl is the game of a rulesheet, and has no features"), "{error}");
    let error = quintet(["puzzle", &sheet("hex")]).refused();
    assert!(error.contains("no puzzles come with the game of a rulesheet: --games FILE"), "{error}");
    // The answer to a corner is the center.
    let folder = tempfile::tempdir().expect("a folder");
    let [games, progress] = ["games", "progress"].map(|it| folder.path().join(it).display().to_string());
    fs::write(&games, r#"{"game":"tic-tac-toe","moves":["mark-1-1","mark-1-2"]}"#)
        .expect("it can be written");
    let args = ["puzzle", &sheet("tic-tac-toe"), "--games", &games, "--progress", &progress];
    let told = quintet_reading("show\n", args).exits(0).stdout;
    assert!(told.contains("Move 2: mark-1-2?? was played"), "{told}");
}

#[test]
fn a_query_names_a_rulesheet_of_the_command_line() {
    let query = r#"{"id":"1","game":"nim","rules":"gdl","moves":["(take left 3)"],"iterations":500}"#;
    let named = format!("nim={}", sheet("three-heaps"));
    let run = quintet_reading(query, ["analyze", "--rulesheet", &named]);
    let answer = run.exits(0).json_lines().pop().expect("an answer");
    let candidates = answer["candidates"].as_array().expect("candidates");
    let moves: Vec<&str> = candidates.iter().map(|it| it["move"].as_str().expect("a move")).collect();
    assert!(moves.contains(&"take-left-3") && !moves.contains(&"wait"), "{answer}");
}

#[test]
fn the_command_that_goes_on_names_the_rulesheet() {
    let run = quintet_reading(
        "drop-4\nquit\n",
        ["play", &sheet("connect-four"), "--seat", "both", "--iterations", "10"],
    );
    let text = run.exits(0).stdout;
    let flag = format!("play connect-four --rulesheet connect-four={}", sheet("connect-four"));
    assert!(text.contains(&flag) && text.contains("--moves drop-4"), "{text}");
}

#[test]
fn moves_tell_their_cells_but_not_what_others_have_chosen() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("claim.kif");
    let rules =
        "(role a) (role b) (line 1) (line 2) (init (round 1)) (<= (init (cell ?x ?y e)) (line ?x) (line ?y))
        (<= (legal ?r (claim ?x ?y)) (role ?r) (true (cell ?x ?y e)))
        (<= (next (cell ?x ?y ?r)) (does ?r (claim ?x ?y))) (<= (next (round 2)) (true (round 1)))
        (<= terminal (true (round 2))) (<= (goal ?r 50) (role ?r))";
    fs::write(&path, rules).expect("it can be written");
    let named = [format!("claim={}", path.display()), format!("breakthrough={}", sheet("breakthrough"))];
    let flags = named.iter().flat_map(|it| ["--rulesheet", it]);
    let query = |game: &str, moves: &str| {
        format!(
            r#"{{"id":1,"action":"replay","game":"{game}","rules":"gdl","moves":[{moves}],"pictures":true}}"#
        )
    };
    let queries = [query("breakthrough", ""), query("claim", r#""claim-1-1""#)].join("\n");
    let answers = quintet_reading(queries, ["analyze"].into_iter().chain(flags)).exits(0).json_lines();
    let effect = |answer: usize, token: &str| {
        let steps = answers[answer]["steps"].as_array().expect("steps");
        steps.last().expect("a step")["effects"][token].clone()
    };
    // Rows are numbered from below, places from above.
    assert_eq!(effect(0, "move-1-2-2-3")["cells"], json!([24, 19]));
    assert_eq!(effect(0, "move-1-2-2-3")["places"], json!([[19, "w"], [24, "."]]));
    assert_eq!(effect(1, "claim-2-1"), json!({ "cells": [3], "open": [], "places": [] }));
}

#[test]
fn what_looks_like_a_slip_is_told_with_the_place() {
    let text = fs::read_to_string(sheet("domineering")).expect("it is there");
    assert!(!quintet(["games", &sheet("domineering")]).succeeds_quietly().stdout.contains("look at"));
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("slip.kif");
    let wrong = text.replace(
        "(legal ?player (place ?x ?y)) (true (control ?player))",
        "(legal ?player (place ?x ?y)) (control ?player)",
    );
    fs::write(&path, wrong).expect("it can be written");
    let told = quintet(["games", &path.display().to_string()]).succeeds_quietly().stdout;
    let words = told.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "look at line 20, column 1: \"(control …)\" never holds: no fact or rule tells it; what is true in the position",
        "look at the game is over at the start: upright has no legal move",
    ] {
        assert!(words.contains(part), "{part}: {told}");
    }
}

#[test]
fn wrong_rulesheets_are_named_with_the_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("broken.kif");
    fs::write(&path, "(role a)\n(<= (legal a ?x) (not (true ?x)))").expect("it can be written");
    let path = path.display().to_string();
    let error = quintet(["suggest", &path]).refused();
    for part in ["broken.kif", "line 2, column 1", "the variable \"?x\" is in no condition"] {
        assert!(error.contains(part), "{part}: {error}");
    }
    let error = quintet(["suggest", "missing.kif"]).refused();
    assert!(error.contains("can't read the rulesheet \"missing.kif\""), "{error}");
    for (value, part) in [
        ("nim", "expected NAME=FILE"),
        ("Nim=x.kif", "the name \"Nim\" is not of letters in lower case"),
        ("quarto=x.kif", "there is a game \"quarto\" already"),
    ] {
        let error = quintet(["ugi", "--rulesheet", value]).refused();
        assert!(error.contains(part), "{part}: {error}");
    }
}

/// Nim with one heap, changed in one place, in a file of this name.
fn nim(folder: &tempfile::TempDir, name: &str, from: &str, to: &str) -> String {
    let rules =
        "(role anna) (role bert) (init (heap 3)) (init (control anna)) (other anna bert) (other bert anna)
        (minus 3 1 2) (minus 2 1 1) (minus 1 1 0) (minus 3 2 1) (minus 2 2 0)
        (<= (legal ?p (take ?n)) (true (control ?p)) (true (heap ?h)) (minus ?h ?n ?rest))
        (<= (legal ?p wait) (other ?p ?q) (true (control ?q)))
        (<= (next (heap ?rest)) (does ?p (take ?n)) (true (heap ?h)) (minus ?h ?n ?rest))
        (<= (next (control ?p)) (other ?p ?q) (true (control ?q)))
        (<= terminal (true (heap 0)))
        (<= (goal ?p 100) (true (heap 0)) (other ?p ?q) (true (control ?q)))
        (<= (goal ?p 0) (true (heap 0)) (true (control ?p)))";
    assert!(rules.contains(from), "{from}");
    let path = folder.path().join(name);
    fs::write(&path, rules.replace(from, to)).expect("it can be written");
    path.display().to_string()
}

#[test]
fn a_game_that_ends_for_want_of_a_move_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let stuck = nim(&folder, "stuck.kif", "(<= (next (control ?p)) (other ?p ?q) (true (control ?q)))", "");
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    for command in ["games", "check"] {
        let told = one_line(&quintet([command, &stuck]).succeeds_quietly().stdout);
        assert!(
            told.contains("`terminal` held in none of 2000 random games: anna had no legal move"),
            "{told}"
        );
    }
    let told = one_line(&quintet(["suggest", &stuck, "--moves", "take-1"]).succeeds_quietly().stdout);
    assert!(told.contains("ended: anna has no legal move, though `terminal` does not hold"), "{told}");
    let run = quintet_reading("take-1\n", ["play", &stuck, "--seat", "both", "--iterations", "10"]).exits(0);
    let told = one_line(&run.stdout);
    assert!(told.contains("Anna has no legal move, though `terminal` does not hold"), "{told}");
    let right = nim(&folder, "right.kif", "(heap 3)", "(heap 3)");
    let over = quintet(["suggest", &right, "--moves", "take-1 take-2"]).succeeds_quietly().stdout;
    assert!(!over.contains("ended: "), "{over}");
}

#[test]
fn a_role_with_one_legal_move_is_not_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("auction.kif").display().to_string();
    let rules = "(role anna) (role bert) (init (round 1)) (then 1 2) (then 2 3) (init (coin anna)) (init (coin bert))
        (<= (legal ?p bid-0) (role ?p)) (<= (legal ?p bid-1) (true (coin ?p)))
        (<= (next (coin ?p)) (true (coin ?p)) (does ?p bid-0)) (<= (next (round ?m)) (true (round ?n)) (then ?n ?m))
        (<= terminal (true (round 3))) (<= (goal ?p 50) (role ?p))";
    fs::write(&path, rules).expect("it can be written");
    let game = |moves: &str| quintet(["suggest", &path, "--moves", moves, "--iterations", "10"]);
    assert!(game("bid-0 bid-1 bid-1").succeeds_quietly().stdout.contains("the game is over"));
    assert!(game("bid-0 bid-1 bid-1 bid-0").refused().contains("the game is over, so no move is legal"));
}

#[test]
fn play_takes_terms_and_tells_what_it_takes() {
    let play = ["play", &sheet("tic-tac-toe"), "--seat", "both", "--iterations", "10"];
    let run = quintet_reading("(mark 1 1)\nmark-2-2 mark-9-9\nhelp\nquit\n", play).exits(0);
    let text = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("--moves mark-1-1") && !text.contains("\"(mark 1 1)\" is no"), "{run}");
    assert!(text.contains("After mark-2-2: \"mark-9-9\" is no legal move"), "{run}");
    assert!(text.contains("a term such as (mark 1 2)") && !text.contains("Where a piece goes"), "{run}");
    let krk = quintet_reading("help\nquit\n", ["play", "krk", "--seat", "both", "--iterations", "10"]);
    assert!(krk.exits(0).stdout.contains("Where a piece goes is enough"));
}

#[test]
fn a_rulesheet_where_no_game_stands_names_the_flag() {
    let path = sheet("hex");
    for (command, part) in [
        ("bench", "use --game FILE"),
        ("analyze", "use --rulesheet NAME=FILE"),
        ("ugi", "use --rulesheet NAME=FILE"),
        ("serve", "hex.kif is no game log: a rulesheet is named by --rulesheet NAME=FILE"),
    ] {
        let error = quintet([command, &path]).refused();
        assert!(error.contains(part), "{part}: {error}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let [text, log] = ["game.txt", "log"].map(|it| folder.path().join(it).display().to_string());
    fs::copy(&path, &text).expect("it can be copied");
    let error = quintet(["games", &text]).refused();
    assert!(error.contains("game.txt\" is no game: the path of a rulesheet ends in .kif or .gdl"), "{error}");
    let engines = ["--engine", "a=random", "--engine", "b=random", "--games", "2", "--out", &log];
    quintet(["arena", &sheet("three-rounds")].into_iter().chain(engines)).exits(0);
    for command in [&["replay"][..], &["arena", "report"]] {
        let run = quintet([command, &[&log]].concat());
        let told = format!("{}{}", run.stdout, run.stderr);
        assert!(told.contains("it was played by a rulesheet: add --rulesheet NAME=FILE"), "{run}");
    }
}

#[test]
fn a_solution_for_one_player_is_no_win_against_anybody() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("climb.kif").display().to_string();
    let rules = "(role a) (init (at 0)) (up 0 1) (up 1 2) (init (left 3)) (less 3 2) (less 2 1) (less 1 0)
        (legal a climb) (legal a stay)
        (<= (next (at ?y)) (true (at ?x)) (does a climb) (up ?x ?y)) (<= (next (at ?x)) (true (at ?x)) (does a stay))
        (<= (next (left ?n)) (true (left ?m)) (less ?m ?n))
        (<= terminal (true (left 0))) (<= terminal (true (at 2)))
        (<= (goal a 100) (true (at 2))) (<= (goal a 0) (not (true (at 2))))";
    fs::write(&path, rules).expect("it can be written");
    let told = quintet(["solve", &path]).succeeds_quietly().stdout;
    assert!(
        told.contains("solution") && told.contains("best move: ") && !told.contains("resistance"),
        "{told}"
    );
    let answer = quintet(["solve", &path, "--json"]).succeeds_quietly().json();
    assert!(answer["move"].is_string() && answer["move"] == answer["line"][0], "{answer}");
}

#[test]
fn an_end_at_which_the_goals_do_not_add_up_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("late.kif").display().to_string();
    let numbers = (0..40).map(|it| format!("(number {it})")).collect::<Vec<_>>().concat();
    // No random game says 7 three times.
    let text = format!(
        "(role a) (role b) (init (run 0)) (init (step 0)) (then 0 1) (then 1 2) (then 2 3) {numbers}
        (<= (legal a (say ?x)) (number ?x)) (legal b noop)
        (<= (next (run ?m)) (true (run ?n)) (then ?n ?m) (does a (say 7)))
        (<= (next (run ?n)) (true (run ?n)) (not (does a (say 7))))
        (<= (next (step ?m)) (true (step ?n)) (then ?n ?m)) (<= terminal (true (step 3)))
        (<= (goal ?p 100) (role ?p) (true (run 3)))
        (<= (goal a 60) (not (true (run 3)))) (<= (goal b 40) (not (true (run 3))))"
    );
    fs::write(&path, text).expect("it can be written");
    let suggest = ["suggest", &path, "--threads", "1", "--iterations", "300", "--moves"];
    let moves = |moves: &'static str| quintet(suggest.into_iter().chain([moves])).exits(0).stderr;
    assert_eq!(moves("say-1 say-7"), "");
    assert_eq!(
        moves("say-7 say-7"),
        "the goals of both do not add up to 100 in all ends, so scores and proofs are of 50 and half of their difference\n"
    );
}

//! `quintet puzzle`, and the puzzles that `analyze` lists.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::harness::{Run, VARIANTS, command, quintet_reading, run, strings};

fn puzzle(progress: &Path, typed: &str, args: &[&str]) -> Run {
    let progress = progress.to_str().expect("the path is text");
    quintet_reading(typed, [&["puzzle", "--progress", progress], args].concat())
}

/// The puzzles of a game.
fn listed(game: &str, rules: &str) -> Vec<Value> {
    let query = json!({ "id": 1, "action": "puzzles", "game": game, "rules": rules });
    let answer = quintet_reading(query.to_string(), ["analyze"]).succeeds_quietly().json();
    assert_eq!((&answer["action"], &answer["id"]), (&json!("puzzles"), &json!(1)));
    answer["puzzles"].as_array().expect("puzzles").clone()
}

#[test]
fn every_game_has_puzzles_of_every_difficulty_whose_best_moves_are_legal() {
    for (game, rules) in VARIANTS {
        let puzzles = listed(game, rules);
        for difficulty in ["easy", "medium", "hard"] {
            assert!(puzzles.iter().any(|it| it["difficulty"] == difficulty), "{game} {rules}: {difficulty}");
        }
        let records = puzzles.iter().map(|it| {
            let mut record = it.clone();
            record["moves"] = json!([strings(&it["moves"]), vec![strings(&it["best"])[0]]].concat());
            format!("{record}\n")
        });
        quintet_reading(records.collect::<String>(), ["replay", "-"]).exits(0);
    }
}

#[test]
fn a_puzzle_is_solved_once_and_remembered() {
    let folder = tempfile::tempdir().expect("created");
    let progress = folder.path().join("new").join("progress");
    let args = ["krk", "--rules", "spec", "--difficulty", "hard"];
    let first = listed("krk", "spec").into_iter().find(|it| it["difficulty"] == "hard").expect("a puzzle");
    let best = strings(&first["best"])[0];
    let run = puzzle(&progress, &format!("z9\n{best}\nquit\n"), &args).exits(0);
    assert!(run.stdout.contains(" 0 of them solved.") && run.stdout.contains("Right."), "{run}");
    assert!(run.stdout.contains("illegal move \"z9\""), "{run}");
    assert_eq!(fs::read_to_string(&progress).expect("written").lines().count(), 1);
    let run = puzzle(&progress, "quit\n", &args).exits(0);
    assert!(run.stdout.contains(" 1 of them solved."), "{run}");
    // What was shown or helped with comes again.
    let run = puzzle(&progress, "hint\nshow\n", &args).exits(0);
    assert!(run.stdout.contains("Find the win.") || run.stdout.contains("Hold the draw."), "{run}");
    assert_eq!(fs::read_to_string(&progress).expect("it is there").lines().count(), 1);
}

#[test]
fn a_wrong_move_is_answered() {
    let folder = tempfile::tempdir().expect("created");
    let args = ["quarto", "--rules", "ggp", "--difficulty", "easy"];
    let puzzles = listed("quarto", "ggp");
    let trap = puzzles.iter().find(|it| it["difficulty"] == "easy").expect("a puzzle");
    let game =
        json!({ "game": "quarto", "rules": "ggp", "position": trap["position"], "moves": trap["moves"] });
    let legal = quintet_reading(game.to_string(), ["replay", "--json", "-"]).succeeds_quietly().json();
    let steps = legal["steps"].as_array().expect("steps");
    let legal = strings(&steps.last().expect("a step")["legal"]);
    let wrong = legal.iter().find(|mv| !strings(&trap["best"]).contains(mv)).expect("a wrong move");
    let run = puzzle(&folder.path().join("p"), &format!("{wrong}\nskip\nquit\n"), &args).exits(0);
    assert!(run.stdout.contains(&format!("the answer to {wrong} is ")), "{run}");
}

#[test]
fn mistakes_in_games_are_puzzles() {
    let folder = tempfile::tempdir().expect("created");
    let file = folder.path().join("games.jsonl");
    // A piece that wins at once is handed over.
    let moves = ["0000", "a1", "0001", "b1", "0010", "c1", "0100", "d1"];
    fs::write(&file, json!({ "game": "quarto", "rules": "ggp", "moves": moves }).to_string())
        .expect("written");
    let file = file.to_str().expect("the path is text");
    let progress = folder.path().join("p");
    let run = puzzle(&progress, "show\n", &["--games", file]).exits(0);
    assert!(run.stdout.contains("Move 7: 0100?? was played, find better."), "{run}");
    let run = puzzle(&progress, "", &["krk", "--games", file]);
    assert!(run.refused().contains("there are no such puzzles"));
    let torn = folder.path().join("torn.jsonl");
    fs::write(&torn, r#"{"game":"quarto","moves":["z9"]}"#).expect("written");
    let run = puzzle(&progress, "", &["--games", torn.to_str().expect("text")]);
    assert!(run.refused().contains("line 1: ply 1: illegal move \"z9\""));
}

#[test]
fn a_move_that_knowledge_rules_out_is_a_mistake() {
    let folder = tempfile::tempdir().expect("created");
    let file = folder.path().join("games.jsonl");
    // d1 wins, so that the search has no value of d4. What follows is a line that a program did not finish.
    let game =
        json!({ "game": "quarto", "rules": "spec", "position": "..../..../..../012. 3 b", "moves": ["d4"] });
    fs::write(&file, format!("{game}\n{{\"game\":\"quarto\",\"ru")).expect("written");
    let args = ["--games", file.to_str().expect("the path is text"), "--difficulty", "easy"];
    let run = puzzle(&folder.path().join("p"), "hint\nd1\n", &args).exits(0);
    assert!(run.stdout.contains("Move 1: d4?? was played, a win was missed. (easy)"), "{run}");
    assert!(
        run.stdout.contains("The right move: completes a line.") && run.stdout.contains("Right."),
        "{run}"
    );
}

#[test]
fn a_mistake_is_as_hard_as_its_win_is_long() {
    let folder = tempfile::tempdir().expect("created");
    let file = folder.path().join("games.jsonl");
    let games = [
        json!({ "game": "krk", "rules": "spec", "moves": ["Kc1-b2", "ka4-b4", "Kb2-a1"] }),
        json!({ "game": "krk", "rules": "spec", "position": "4/k3/2K1/3R w 3", "moves": ["Kc2-b1"] }),
        // The piece that is handed over wins at once.
        json!({ "game": "quarto", "rules": "ggp", "moves": ["0000", "a1", "0001", "b1", "0010", "c1", "0100"] }),
    ];
    fs::write(&file, games.map(|it| format!("{it}\n")).concat()).expect("written");
    let file = file.to_str().expect("the path is text");
    let run = puzzle(&folder.path().join("p"), "skip\nskip\nskip\n", &["--games", file]).exits(0);
    for expected in
        ["Kb2-a1?? was played, a win was missed. (easy)", "Move 7: 0100?? was played, find better. (easy)"]
    {
        assert!(run.stdout.contains(expected), "{expected}: {run}");
    }
    assert!(run.stdout.contains("Kc2-b1?? was played, a win was missed. (medium)"), "{run}");
}

#[test]
fn what_can_not_be_asked_for_is_refused() {
    let folder = tempfile::tempdir().expect("created");
    let progress = folder.path().join("p");
    assert!(puzzle(&progress, "", &["chess"]).refused().contains("chess"));
    assert!(puzzle(&progress, "", &["--difficulty", "soft"]).refused().contains("easy, medium, hard"));
    // A folder is no file of solved puzzles.
    let run = puzzle(folder.path(), "", &["krk"]);
    assert!(run.refused().contains("can't read"));
    // Nor is a file of anything else one of games without a mistake.
    let other = folder.path().join("other");
    fs::write(&other, b"\x7fELF\x02\x01\0\0").expect("written");
    let refused = puzzle(&progress, "", &["--games", &other.to_string_lossy()]).refused();
    assert!(refused.contains("other: line 1: "), "{refused}");
}

#[test]
fn a_line_that_is_no_text_is_no_move() {
    let folder = tempfile::tempdir().expect("created");
    let mut command = command();
    command.args(["puzzle", "krk", "--progress"]).arg(folder.path().join("p"));
    let said = run(command, b"\xff\nhint\nquit\n".to_vec()).succeeds_quietly().stdout;
    assert!(said.contains("your move") && said.contains("The right move: "), "{said}");
}

#[test]
fn a_file_with_anything_else_than_solved_puzzles_stays_as_it_is() {
    let folder = tempfile::tempdir().expect("created");
    let other = folder.path().join("games.jsonl");
    let text = "0123456789abcdef\n{\"game\":\"krk\"}\n";
    fs::write(&other, text).expect("written");
    let refused = puzzle(&other, "show\nquit\n", &["krk"]).refused();
    assert!(
        refused.contains("games.jsonl, line 2: this is no solved puzzle: name another file"),
        "{refused}"
    );
    assert_eq!(fs::read_to_string(&other).expect("it is there"), text);
    if cfg!(unix) {
        let refused = puzzle(Path::new("/dev/zero"), "quit\n", &["krk"]).refused();
        assert!(refused.contains("can't read /dev/zero: it is no regular file"), "{refused}");
    }
}

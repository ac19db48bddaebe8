//! `quintet convert`: files of other programs, and what takes their records.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{finished_trace, quintet, quintet_reading, strings};

/// A game in each format.
const FILES: [&str; 4] = [
    "Piskvorky 11x11, 11:11, 0\r\n6,6,0\r\n7,5,120\r\n5,6,88\r\n6,5,12\r\nanna\r\notto\r\n-1\r\n",
    "(;GM[4]SZ[11]PB[anna]PW[otto]C[x];B[ff];W[ge];B[ef](;W[fe])(;W[aa]))",
    "f6g7e6f7\n",
    r#"{"game":"gomoku","rules":"ggp","moves":["f6","g7","e6","white","f7"],"seats":{"player1":"anna","player2":"otto"}}"#,
];

#[test]
fn files_of_other_programs_become_records_that_the_other_commands_take() {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let path = |name: &str| folder.path().join(name).to_str().expect("the path is text").to_owned();
    let files: Vec<String> = (0..FILES.len()).map(|number| path(&format!("game-{number}"))).collect();
    for (file, text) in files.iter().zip(FILES) {
        fs::write(file, text).expect("it can be written");
    }
    let run = quintet([vec!["convert".to_owned()], files].concat()).exits(0);
    assert!(
        run.stderr.ends_with("game-1, line 1: the main line is converted, 1 variation left out\n"),
        "{run}"
    );
    let records = run.json_lines();
    for (index, record) in records.iter().enumerate() {
        let names = if index == 2 { ["black", "white"] } else { ["anna", "otto"] };
        let expected = json!({
            "game": "gomoku", "rules": "ggp", "moves": ["f6", "g7", "e6", "white", "f7"],
            "seats": { "player1": names[0], "player2": names[1] }, "end": "unfinished",
        });
        assert_eq!(*record, expected);
    }
    let games = path("games.jsonl");
    fs::write(&games, &run.stdout).expect("it can be written");
    let replayed = quintet(["replay", &games]).succeeds_quietly().stdout;
    assert!(replayed.starts_with("4 games, all correct; "), "{replayed}");
    let answers =
        quintet_reading(run.stdout, ["analyze", "--iterations=20", "--threads=1"]).exits(0).json_lines();
    assert_eq!(answers.iter().map(|it| &it["to_move"]).collect::<Vec<_>>(), ["player1"; 4]);
    let page = path("games.html");
    let said = quintet(["arena", "report", &games, "--out", &page]).succeeds_quietly().stdout;
    assert_eq!(said, format!("{page} has the report; games: 4\n"));
    assert!(fs::read_to_string(&page).expect("it has been written").ends_with("</html>\n"));
}

#[test]
fn a_record_written_in_another_format_has_the_same_game() {
    for rules in ["ggp", "spec"] {
        let moves = finished_trace("gomoku", rules).moves;
        let record = json!({ "game": "gomoku", "rules": rules, "moves": moves });
        let stones = |record: &Value| -> Vec<String> {
            let tokens = strings(&record["moves"]).into_iter().map(str::to_owned);
            tokens.filter(|token| !["black", "white"].contains(&token.as_str())).collect()
        };
        for format in ["psq", "sgf", "cells"] {
            let written = quintet_reading(record.to_string(), ["convert", "-", "--to", format]);
            if written.code == Some(1) {
                assert!(rules == "spec" && written.stderr.contains("colors alternate there"), "{written}");
                continue;
            }
            let text = written.succeeds_quietly().stdout;
            let again = quintet_reading(text, ["convert", "-", "--rules", rules]).succeeds_quietly().json();
            assert_eq!(
                (stones(&again), &again["end"]),
                (stones(&record), &json!("rules")),
                "{rules} {format}"
            );
        }
    }
}

#[test]
fn a_game_without_stones_is_refused_where_it_would_be_lost() {
    let record = json!({ "game": "gomoku", "rules": "ggp", "moves": [] }).to_string();
    let run = quintet_reading(record.clone(), ["convert", "-", "--to", "cells"]).exits(1);
    assert!(
        run.stdout.is_empty() && run.stderr.contains("line 1, a game without stones has no cells"),
        "{run}"
    );
    for format in ["psq", "sgf"] {
        let text =
            quintet_reading(record.clone(), ["convert", "-", "--to", format]).succeeds_quietly().stdout;
        let again = quintet_reading(text, ["convert", "-"]).succeeds_quietly().json();
        assert_eq!(again["moves"], json!([]), "{format}");
    }
}

#[test]
fn a_refused_game_is_named_and_the_others_are_converted() {
    let text = "f6g7\nf6f6\n\nf6 l1\na1\n";
    let run = quintet_reading(text, ["convert", "-"]).exits(1);
    assert_eq!(
        run.stderr,
        "error: -, line 2, move 2: there is a stone on f6 already\n\
         error: -, line 4, move 2: \"l1\" is not on the board of 11x11\n\
         2 games converted, 2 refused\n"
    );
    assert_eq!(
        run.json_lines().iter().map(|it| strings(&it["moves"])).collect::<Vec<_>>(),
        [vec!["f6", "g7"], vec!["a1"]]
    );
    // A file that is torn, and one that is long.
    for (text, converted) in [
        ("(;SZ[11];B[ff])(;SZ[11];B[ff];W[".to_owned(), 1),
        (format!("(;SZ[11]C[{}];B[ff])(;SZ[11])", "x".repeat(17 << 20)), 1),
        (format!("{}\na1\n", "f6".repeat(9 << 20)), 1),
        (format!("Piskvorky 11x11, 0:0, 0\n{}", "6,6,0\n".repeat(100_000)), 0),
        ("(;SZ[11]".to_owned() + &"(;B[ff]".repeat(100_000), 0),
    ] {
        let run = quintet_reading(text, ["convert", "-"]).exits(1);
        assert_eq!(run.json_lines().len(), converted, "{run}");
        assert!(run.stderr.len() < 1000, "{run}");
    }
}

#[test]
fn what_is_no_file_of_games_is_refused() {
    for (text, part) in [
        (
            "hello",
            "it begins with \"hello\": tried Piskvork's .psq (\"Piskvorky 11x11\"), SGF (\"(;\"), cells",
        ),
        ("", "there is nothing in it"),
    ] {
        let message = quintet_reading(text, ["convert", "-"]).refused();
        assert!(message.contains(part), "{message}");
    }
    assert!(quintet(["convert", "no-such-file"]).refused().contains("can't open no-such-file"));
    assert!(quintet(["convert"]).refused().contains("<FILE>"));
    let other = quintet_reading(r#"{"game":"krk","moves":[]}"#, ["convert", "-", "--to", "sgf"]).exits(1);
    assert!(
        other.stderr.contains("line 1: the game is \"krk\": other programs' formats have gomoku"),
        "{other}"
    );
}

#[test]
fn the_page_asks_for_the_records_of_a_text() {
    let ask = |text: &str| json!({ "id": 1, "action": "convert", "text": text }).to_string();
    let answer = quintet_reading(ask("f6g7\nf6f6"), ["analyze"]).exits(0).json();
    assert_eq!(answer["records"][0]["moves"], json!(["f6", "g7"]));
    assert_eq!(answer["errors"], json!(["line 2, move 2: there is a stone on f6 already"]));
    for (text, error) in
        [("hello", "it begins with \"hello\""), (&"a1\n".repeat(1001), "more than 1000 games")]
    {
        let answer = quintet_reading(ask(text), ["analyze"]).exits(1).json();
        assert!(answer["error"].as_str().is_some_and(|it| it.contains(error)), "{answer}");
    }
}

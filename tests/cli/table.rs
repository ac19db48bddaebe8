//! `quintet table`: single positions of the solved endgame, and counts.

use serde_json::{Value, json};

use crate::harness::{fields, quintet, replayed, strings};

fn table(more: &[&str]) -> Value {
    let answer = quintet([&["table", "krk", "--json"], more].concat()).succeeds_quietly().json();
    assert_eq!(answer["game"], "krk");
    answer
}

#[test]
fn the_start_is_won_in_three_plies_by_one_move() {
    for rules in ["spec", "ggp"] {
        let answer = table(&["--rules", rules, "--position", "k3/4/4/2KR w 1"]);
        assert_eq!(fields(&answer), "best game mate_in moves plies position rules terminal to_move winner");
        assert_eq!(answer["rules"], rules);
        assert_eq!(answer["to_move"], "white");
        assert_eq!((&answer["winner"], &answer["plies"]), (&json!("white"), &json!(3)));
        assert_eq!((&answer["mate_in"], &answer["terminal"]), (&json!(3), &json!(false)));
        assert_eq!(strings(&answer["best"]), ["Kc1-b2"]);
        let moves = answer["moves"].as_array().expect("an array");
        assert_eq!(moves[0], json!({ "move": "Kc1-b2", "winner": "white", "plies": 3, "mate_in": 3 }));
        let plies: Vec<u64> = moves.iter().filter_map(|it| it["plies"].as_u64()).collect();
        assert_eq!(plies, [3, 5, 7, 9, 9, 9, 9], "{answer}");
    }
}

#[test]
fn the_step_limit_decides_who_wins() {
    for (rules, step, winner, plies) in [
        ("spec", "8", "white", 3),
        ("spec", "9", "black", 2),
        ("ggp", "7", "white", 3),
        ("ggp", "8", "black", 2),
    ] {
        let position = format!("k3/4/4/2KR w {step}");
        let args = ["--rules", rules, "--position", &position];
        let answer = table(&args);
        assert_eq!((&answer["winner"], &answer["plies"]), (&json!(winner), &json!(plies)), "{rules} {step}");
        assert_eq!(answer["mate_in"], 3, "without the limit nothing changes");
        let text = quintet([&["table", "krk"], &args[..]].concat()).succeeds_quietly().stdout;
        assert!(text.contains(&format!("{winner} wins")), "{text}");
        let told = text.contains("without the step limit: mate in 3 plies");
        assert_eq!(told, winner == "black", "{text}");
    }
}

#[test]
fn the_text_shows_the_board_the_verdict_and_every_move() {
    let text = quintet(["table", "krk", "--position", "k3/4/4/2KR w 1"]).succeeds_quietly().stdout;
    assert!(text.starts_with("KRK, king and rook against king (spec): white to move\n"), "{text}");
    assert!(text.contains(" 1  .  . [K] R\n") && text.contains(" 2  . [.] .  .\n"), "{text}");
    assert!(text.contains("\nwhite wins: mate in 3 plies\nbest: Kc1-b2\n"), "{text}");
    let rows: Vec<Vec<&str>> = text
        .lines()
        .skip_while(|line| !line.starts_with("move "))
        .skip(1)
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(rows[0], ["Kc1-b2", "white", "wins", "3", "3"]);
    assert_eq!(rows.len(), 7);
}

#[test]
fn a_game_that_is_over_has_no_moves() {
    for (position, winner, verdict) in
        [("1k1R/4/1K2/4 b 4", "white", "white wins: checkmate"), ("k3/4/4/2KR w 11", "black", "black wins")]
    {
        let answer = table(&["--position", position]);
        assert_eq!(answer["terminal"], true, "{answer}");
        assert_eq!((&answer["winner"], &answer["plies"]), (&json!(winner), &json!(0)));
        assert_eq!((&answer["best"], &answer["moves"]), (&json!([]), &json!([])));
        let text = quintet(["table", "krk", "--position", position]).succeeds_quietly().stdout;
        assert!(text.contains("the game is over") && text.contains(verdict), "{text}");
        assert!(!text.contains("best"), "{text}");
    }
}

#[test]
fn the_best_moves_in_turn_end_the_game_as_the_table_says() {
    for (rules, position) in [
        ("spec", "k3/4/4/2KR w 1"),
        ("ggp", "3k/4/4/KR2 w 1"),
        ("ggp", "3k/4/4/KR2 w 2"),
        ("spec", "4/1k2/4/2KR b 5"),
    ] {
        let first = table(&["--rules", rules, "--position", position]);
        let mut moves: Vec<String> = Vec::new();
        let mut answer = first.clone();
        while answer["terminal"] == false {
            moves.push(strings(&answer["best"])[0].to_owned());
            let record = json!({ "game": "krk", "rules": rules, "position": position, "moves": moves });
            assert_eq!(replayed(&record)["ok"], true, "{record}");
            let args = ["suggest", "krk", "--rules", rules, "--engine", "random", "--position", position];
            let text =
                quintet([&args[..], &["--moves", &moves.join(" ")]].concat()).succeeds_quietly().stdout;
            let now = text.lines().find_map(|line| line.strip_prefix("position: ")).expect("a position");
            answer = table(&["--rules", rules, "--position", now]);
        }
        assert_eq!(json!(moves.len()), first["plies"], "{rules} {position}: {moves:?}");
        assert_eq!(answer["winner"], first["winner"], "{rules} {position}: {moves:?}");
    }
}

#[test]
fn the_counts_are_all_placements() {
    for rules in ["spec", "ggp"] {
        let answer = table(&["--rules", rules]);
        assert_eq!(fields(&answer), "counts game rules");
        let counts = answer["counts"].as_array().expect("an array");
        let by_plies = json!({ "1": 120, "3": 428, "5": 320, "7": 236, "9": 128 });
        assert_eq!(
            counts[0],
            json!({
                "to_move": "white", "black_king_attacked": false, "placements": 1_312, "won": 1_232,
                "mate_in": by_plies, "stuck": 80, "escapes": 0,
            })
        );
        let of = |index: usize| counts[index]["placements"].as_u64().expect("a number");
        assert_eq!((counts.len(), of(0) + of(2), of(1)), (3, 2_184, 2_184));
        for count in counts {
            let sum: u64 = ["won", "stuck", "escapes"].iter().filter_map(|key| count[key].as_u64()).sum();
            assert_eq!(count["placements"], sum, "{count}");
        }
    }
}

#[test]
fn what_is_wrong_is_named() {
    let cases: [(&[&str], &[&str]); 6] = [
        (&["table"], &["<GAME>"]),
        (&["table", "quarto"], &["'quarto'", "krk"]),
        (&["table", "krk", "--rules", "house"], &["'house'", "spec", "ggp", "standard"]),
        (&["table", "krk", "--position", "k3/4/4/2KQ w 1"], &["krk (spec)", "rank 1", "'Q'"]),
        (&["table", "krk", "--position", "k3/4/4/2KR w"], &["fields", "step"]),
        (&["table", "krk", "--rules", "ggp", "--position", "k3/4/4/2KR w 11"], &["krk (ggp)", "step", "10"]),
    ];
    for (args, parts) in cases {
        let message = quintet(args).refused();
        for part in parts {
            assert!(message.contains(part), "{args:?}: no {part:?} in {message}");
        }
    }
}

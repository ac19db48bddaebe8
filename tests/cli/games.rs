//! `quintet games`: the list of games.

use crate::harness::{keys, quintet, strings, variants};

#[test]
fn the_text_tells_the_roles_the_notation_and_the_start_of_all_games() {
    let text = quintet(["games"]).succeeds_quietly().stdout;
    let blocks: Vec<&str> = text.split("\n\n").collect();
    let mut names: Vec<&str> = variants().into_iter().map(|(game, _)| game).collect();
    names.dedup();
    for (game, block) in names.into_iter().zip(&blocks) {
        assert_eq!(block.split_whitespace().next(), Some(game), "{block}");
        for heading in ["roles", "moves", "position", "start"] {
            let line = block.lines().find_map(|line| line.trim_start().strip_prefix(heading));
            assert!(line.is_some_and(|line| line.starts_with(' ')), "{heading} in {block}");
        }
    }
    for role in ["xrow", "olevel", "player1", "red", "white"] {
        assert!(text.contains(role), "{role}");
    }
    assert!(text.contains("spec") && text.contains("ggp"), "{text}");
}

#[test]
fn the_json_has_a_line_for_each_game_and_ruleset() {
    let lines = quintet(["games", "--json"]).succeeds_quietly().json_lines();
    let listed: Vec<_> = lines.iter().map(|line| (line["game"].as_str(), line["rules"].as_str())).collect();
    let expected: Vec<_> = variants().into_iter().map(|(game, rules)| (Some(game), Some(rules))).collect();
    assert_eq!(listed, expected);
    for line in &lines {
        for key in ["game", "rules", "roles", "moves", "position", "start"] {
            assert!(keys(line).contains(&key), "{key} in {line}");
        }
        let roles = strings(&line["roles"]);
        let game = line["game"].as_str().expect("checked above");
        let expected: &[&str] = match game {
            "qubic" => &["xrow", "xcolumn", "xlevel", "orow", "ocolumn", "olevel"],
            "gomoku" => &["player1", "player2"],
            "pentago" => &["red", "black"],
            "quarto" | "krk" => &["white", "black"],
            _ => continue,
        };
        assert_eq!(roles, expected, "{game}");
    }
}

#[test]
fn every_listed_start_is_accepted_by_suggest_and_shown_in_the_text() {
    let text = quintet(["games"]).succeeds_quietly().stdout;
    for line in quintet(["games", "--json"]).json_lines() {
        let field = |key: &str| line[key].as_str().unwrap_or_else(|| panic!("{key} of {line}")).to_owned();
        let (game, rules, start) = (field("game"), field("rules"), field("start"));
        assert!(text.contains(&start), "{start}");
        let search = ["--iterations", "20", "--threads", "1", "--json"];
        let from_start = quintet(["suggest", &game, "--rules", &rules].into_iter().chain(search));
        let position = ["suggest", &game, "--rules", &rules, "--position", &start];
        let from_string = quintet(position.into_iter().chain(search)).succeeds_quietly();
        assert_eq!(from_string.json()["candidates"], from_start.json()["candidates"], "{game} {rules}");
        assert_eq!(from_string.json()["to_move"], strings(&line["roles"])[0], "{game} {rules}");
    }
}

//! `quintet games`: the list of games.

use crate::harness::{keys, quintet, quintet_reading, strings, variants};

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

/// What people know: in Quarto the opponent selects the piece, in Gomoku five win, in Pentago a turn
/// is a placement and a rotation, and in chess only the rook gives check here. A turn of Qubic marks
/// a cell under both rulesets, in the simpler order under `spec`.
const STANDARD: [(&str, &str); 5] =
    [("quarto", "ggp"), ("qubic", "spec"), ("gomoku", "ggp"), ("pentago", "ggp"), ("krk", "ggp")];

#[test]
fn the_rules_of_a_game_are_told_with_what_differs_and_which_people_know() {
    for (game, standard) in STANDARD {
        let page = quintet(["games", game]).succeeds_quietly().stdout;
        // Without the line breaks.
        let text = page.split_whitespace().collect::<Vec<_>>().join(" ");
        let lines = quintet(["games", game, "--json"]).succeeds_quietly().json_lines();
        assert_eq!(lines.len(), 2, "{game}");
        for line in &lines {
            let field = |key: &str| line[key].as_str().unwrap_or_else(|| panic!("{key} of {line}"));
            assert_eq!(line["standard"], field("rules") == standard, "{line}");
            assert!(text.contains(field("differs")), "{page}");
            for paragraph in field("rules_text").lines() {
                assert!(text.contains(paragraph), "{paragraph}: {page}");
            }
        }
        for key in ["rules_text", "differs"] {
            assert_ne!(lines[0][key], lines[1][key], "{game}");
        }
        let heading = if standard == "spec" {
            "--rules spec (the default, or standard)"
        } else {
            "--rules ggp (or standard)"
        };
        assert!(text.contains(heading), "{page}");
        assert!(page.lines().all(|line| line.chars().count() <= 80), "{page}");
    }
}

#[test]
fn standard_is_another_name_for_the_ruleset_that_people_know() {
    let quick = ["--iterations", "10", "--threads", "1", "--json"];
    for (game, rules) in STANDARD {
        let suggest = ["suggest", game, "--rules", "standard"].into_iter().chain(quick);
        assert_eq!(quintet(suggest).succeeds_quietly().json()["rules"], rules, "{game}");
        let query = format!("{{\"game\":\"{game}\",\"rules\":\"standard\"}}\n");
        let answer =
            quintet_reading(query.clone(), ["analyze"].into_iter().chain(quick).filter(|it| *it != "--json"));
        assert_eq!(answer.exits(0).json()["rules"], rules, "{game}");
    }
    let arena = ["arena", "all", "--rules", "standard", "--engine", "random", "--engine", "a=random"];
    let results = quintet(arena.into_iter().chain(["--games", "2", "--json"])).exits(0).json();
    let played: Vec<_> = strings_of(&results["results"], "rules");
    assert_eq!(played, STANDARD.map(|(_, rules)| rules));
    let bench = ["bench", "--game", "krk", "--rules", "standard", "--seconds", "0.01", "--json"];
    assert_eq!(quintet(bench).exits(0).json()["rules"], "ggp");
}

/// The field `key` of each object of a list.
fn strings_of<'a>(list: &'a serde_json::Value, key: &str) -> Vec<&'a str> {
    let list = list.as_array().expect("a list");
    list.iter().map(|it| it[key].as_str().expect("a text")).collect()
}

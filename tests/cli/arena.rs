//! `quintet arena`: matches, their records and their results.

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Value, json};

use crate::harness::{Run, fields, keys, quintet, strings, variants, without_times};

/// Plays matches with `--json` and `--out`, and returns the results and the records.
#[track_caller]
fn play(args: &[&str]) -> (Value, Vec<Value>) {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let file = directory.path().join("games.jsonl");
    let out = file.to_str().expect("the path is text");
    let run = quintet([&["arena"], args, &["--json", "--out", out]].concat()).exits(0);
    let last = run.stdout.lines().last().expect("there is a line");
    let results: Value = serde_json::from_str(last).expect("the last line is JSON");
    let expected = ["results", "overall results", "ratings results", "overall ratings results"];
    assert!(expected.contains(&fields(&results).as_str()), "{results}");

    let text = quintet(["replay", out]).succeeds_quietly().stdout;
    assert!(text.contains(", all correct; "), "{text}");
    let content = fs::read_to_string(&file).expect("the records are there");
    assert!(content.ends_with('\n'));
    let records: Vec<Value> =
        content.lines().map(|line| serde_json::from_str(line).expect("a record is JSON")).collect();

    let replays = quintet(["replay", "--json", out]).succeeds_quietly().json_lines();
    assert_eq!(replays.len(), records.len());
    for (record, replay) in records.iter().zip(&replays) {
        let end =
            replay["steps"].as_array().and_then(|steps| steps.last()).expect("there is the start at least");
        assert_eq!((&end["terminal"], &end["scores"]), (&json!(true), &record["scores"]), "{record}");
    }
    (results["results"].clone(), records)
}

const QUICK: [&str; 4] = ["--engine", "quick=uct:iterations=30,threads=1", "--engine", "random"];

#[test]
fn every_game_is_recorded_with_the_fields_that_programs_rely_on() {
    let args = ["all", "--rules", "both", "--games", "2", "--concurrency", "1"];
    let (_, records) = play(&[&args[..], &QUICK].concat());
    assert_eq!(records.len(), 2 * variants().len());
    for (game, rules) in variants() {
        let of_variant = |record: &&Value| record["game"] == game && record["rules"] == rules;
        assert_eq!(records.iter().filter(of_variant).count(), 2, "{game} {rules}");
    }
    for record in &records {
        for key in ["game", "rules", "opening", "moves", "seats", "scores", "seed", "end"] {
            assert!(keys(record).contains(&key), "{key} in {record}");
        }
        assert!(record["seed"].is_u64(), "{record}");
        assert_eq!(record["end"], "rules");
        assert_eq!(keys(&record["seats"]), keys(&record["scores"]), "every role has a seat and a score");
        let (opening, moves) = (strings(&record["opening"]), strings(&record["moves"]));
        assert_eq!(opening.len(), 2, "{record}");
        assert!(moves.starts_with(&opening), "{record}");
    }
}

#[test]
fn the_games_of_a_pair_have_one_opening_and_swapped_seats() {
    let args = ["krk,qubic,quarto", "--rules", "both", "--games", "6", "--concurrency", "1"];
    let (_, records) = play(&[&args[..], &QUICK].concat());
    assert_eq!(records.len(), 36);
    let mut openings = Vec::new();
    for pair in records.chunks(2) {
        for key in ["game", "rules", "opening"] {
            assert_eq!(pair[0][key], pair[1][key], "{key} in a pair");
        }
        openings.push(pair[0]["opening"].clone());
        let seats = [&pair[0]["seats"], &pair[1]["seats"]];
        for role in keys(seats[0]) {
            assert_ne!(seats[0][role], seats[1][role], "{role}");
        }
        for seats in seats {
            let teams = if pair[0]["game"] == "qubic" {
                [["xrow", "xcolumn", "xlevel"], ["orow", "ocolumn", "olevel"]]
            } else {
                [["white"; 3], ["black"; 3]]
            };
            for team in teams {
                assert!(team.iter().all(|role| seats[role] == seats[team[0]]), "{seats}");
            }
            assert_ne!(seats[teams[0][0]], seats[teams[1][0]], "{seats}");
        }
    }
    assert!(openings.iter().any(|opening| *opening != openings[0]), "the openings are drawn at random");
}

/// Returns the wins, draws and losses of `a` against `b` in `records`.
fn counts(records: &[Value], result: &Value) -> [u64; 3] {
    let (a, b) = (&result["a"], &result["b"]);
    let mut counts = [0; 3];
    for record in records {
        let seats = record["seats"].as_object().expect("seats by role");
        let is_theirs = ["game", "rules"].iter().all(|key| record[key] == result[key])
            && seats.values().all(|name| name == a || name == b);
        if is_theirs {
            let role = seats.iter().find(|(_, name)| *name == a).expect("they both take part").0;
            match record["scores"][role].as_u64() {
                Some(100) => counts[0] += 1,
                Some(50) => counts[1] += 1,
                _ => counts[2] += 1,
            }
        }
    }
    counts
}

#[test]
fn the_results_are_those_of_the_recorded_games() {
    let engines = [&QUICK[..], &["--engine", "uct:iterations=10,threads=1"]].concat();
    let args = ["krk,quarto", "--rules", "both", "--games", "4", "--concurrency", "2"];
    let (results, records) = play(&[&args[..], &engines].concat());
    let results = results.as_array().expect("results are an array").clone();
    assert_eq!(results.len(), 4 * 3, "every two engines meet in every game and ruleset");
    assert_eq!(records.len(), 4 * 3 * 4);
    for result in &results {
        let expected = "a b draws elo faults game games identical los losses normalized_elo pairs repeated rules score wins";
        assert_eq!(fields(result), expected);
        let number = |key: &str| result[key].as_u64().unwrap_or_else(|| panic!("{key} of {result}"));
        let [wins, draws, losses] = ["wins", "draws", "losses"].map(number);
        assert_eq!(counts(&records, result), [wins, draws, losses], "{result}");
        assert_eq!(number("games"), 4);
        assert_eq!(wins + draws + losses, 4);
        let score = (wins as f64 + draws as f64 / 2.0) / 4.0;
        assert_eq!(result["score"].as_f64(), Some(score), "{result}");
        let elo: Vec<f64> =
            result["elo"].as_array().expect("low, mid, high").iter().filter_map(Value::as_f64).collect();
        assert!(elo.len() == 3 && elo.is_sorted(), "{result}");
        assert_eq!((score > 0.5, score < 0.5), (elo[1] > 0.0, elo[1] < 0.0), "{result}");
    }
}

#[test]
fn the_table_has_a_row_for_each_match() {
    let args = ["arena", "krk,quarto", "--games", "2"];
    let run = quintet([&args[..], &QUICK].concat()).exits(0);
    let rows: Vec<Vec<&str>> = run.stdout.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0][..6], ["game", "rules", "engine", "against", "games", "wins"], "{run}");
    assert_eq!(rows[1][..5], ["krk", "spec", "quick", "random", "2"], "{run}");
    assert_eq!(rows[2][..5], ["quarto", "spec", "quick", "random", "2"], "{run}");
    // And a rating list over both games.
    assert_eq!(rows[4][..2], ["all", "games,"], "{run}");
    let said = "\nThe mean of the ratings is 0: each engine has half of the difference, which is ";
    assert!(run.stdout.contains(said), "{run}");
    assert_eq!(rows.len(), 8);
}

#[test]
fn engines_are_rated_over_all_games_too() {
    let args = ["arena", "krk,quarto", "--games", "4", "--json", "--engine=uct:iterations=10,threads=1"];
    let results = quintet([&args[..], &QUICK].concat()).exits(0).json();
    let overall = results["overall"].as_array().expect("a list").clone();
    assert_eq!(overall.len(), 3);
    for rated in &overall {
        let games = |list: &Value| {
            let list = list["ratings"].as_array().expect("a list").clone();
            let own = list.into_iter().find(|it| it["engine"] == rated["engine"]).expect("it is rated");
            own["games"].as_u64().expect("a number")
        };
        let sum: u64 = results["ratings"].as_array().expect("lists").iter().map(games).sum();
        assert_eq!(rated["games"], sum, "{results}");
    }
    let one = quintet([&["arena", "krk", "--games", "4", "--json"], &QUICK[..]].concat()).exits(0).json();
    assert_eq!(fields(&one), "results", "there is nothing to pool");
}

#[test]
fn where_everything_was_won_the_interval_has_one_end_in_the_table_and_in_the_progress() {
    let strong = ["--engine", "strong=uct:iterations=300,threads=1"];
    for (engines, interval) in [
        ([&strong[..], &["--engine", "random"]].concat(), ["+∞", "≥ +245"]),
        ([&["--engine", "random"], &strong[..]].concat(), ["-∞", "≤ -245"]),
    ] {
        let run = quintet([&["arena", "qubic", "--games", "20"], &engines[..]].concat()).exits(0);
        let row = run.stdout.lines().nth(1).expect("a row");
        assert!(row.contains(&interval.join("  ")), "{run}");
        let [elo, interval] = interval;
        assert!(run.stderr.contains(&format!(", Elo {elo} ({interval}), ")), "{run}");
    }
}

#[test]
fn an_end_of_an_interval_that_is_far_off_is_not_shown() {
    // After two pairs the interval of an even match ends at ±798.
    let args = ["arena", "krk", "--games=4", "--opening-plies=0", "--iterations=4000", "--threads=1"];
    let run = quintet([&args[..], &["--engine=a=uct", "--engine=b=uct", "--seed=3"]].concat()).exits(0);
    let row = run.stdout.lines().nth(1).expect("a row");
    assert!(row.contains("  unbounded  "), "{run}");
    assert!(run.stderr.contains(" (unbounded), "), "{run}");
    let json = quintet([&args[..], &["--engine=a=uct", "--engine=b=uct", "--json"]].concat()).exits(0).json();
    assert!(json["results"][0]["elo"][2].as_f64().is_some_and(|high| high > 600.0), "{json}");
}

#[test]
fn the_table_says_which_games_are_no_further_evidence() {
    // Both engines always answer alike from the start.
    let args = ["arena", "krk", "--games=6", "--opening-plies=0", "--iterations=4000", "--threads=1"];
    let run = quintet([&args[..], &["--engine=a=quintet", "--engine=b=quintet"]].concat()).exits(0);
    let said = "\n4 games are the same as earlier ones, move by move: pairs of two such games count in results, \
                score and Elo, but make no interval smaller\n";
    assert!(run.stdout.contains(said), "{run}");
}

#[test]
fn the_table_says_which_games_both_engines_ended() {
    let args = ["arena", "krk", "--games=4", "--opening-plies=0", "--iterations=1000", "--threads=1"];
    let engines = ["--engine=a=quintet", "--engine=b=quintet", "--resign=value=3,moves=1"];
    let run = quintet([&args[..], &engines].concat()).exits(0);
    assert!(run.stdout.contains("\n4 games ended early: both engines agreed on the result\n"), "{run}");
}

#[test]
fn matches_without_a_game_and_lists_without_a_pair_are_left_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("text").to_owned();
    let [all, some] = ["all.jsonl", "some.jsonl"].map(path);
    let args = ["arena", "krk,quarto", "--games=2", "--concurrency=1", "--progress=1"];
    quintet([&args[..], &QUICK, &["--out", &all]].concat()).exits(0);
    let games = fs::read_to_string(&all).expect("there are games");
    fs::write(&some, games.lines().next().expect("a game").to_owned() + "\n").expect("written");
    let run = quintet(["arena", "merge", &some]).exits(0);
    let said = "1 game is the only one of its pair so far: Elo, LOS and tests leave it out, results and score \
                count it\n";
    assert!(run.stdout.ends_with(said), "{run}");
    assert_eq!(run.stdout.lines().count(), 3, "{run}");
    // The games of the two matches are those of different parts.
    let of_part = |part: &str| {
        let run = quintet([&args[..], &QUICK, &[part]].concat()).exits(0);
        run.stdout.lines().filter(|it| it.contains("random")).count()
    };
    let parts = ["--shard=1/5", "--shard=2/5", "--shard=3/5", "--shard=4/5", "--shard=5/5"].map(of_part);
    assert_eq!((parts.iter().sum::<usize>(), parts.iter().max()), (2, Some(&1)), "{parts:?}");
}

#[test]
fn a_game_that_its_openings_decide_is_said_to_be_one() {
    // Both engines play perfectly from the start.
    let engines = ["--engine", "a=quintet", "--engine", "b=quintet", "--iterations=100", "--threads=1"];
    let said = "krk spec: all pairs are split evenly: the openings decide, not the engines";
    let run = quintet([&["arena", "krk", "--games", "20"], &engines[..]].concat()).exits(0);
    assert!(run.stdout.contains(said), "{run}");
    let run = quintet([&["arena", "krk", "--games", "20"], &QUICK[..]].concat()).exits(0);
    assert!(!run.stdout.contains("openings decide"), "{run}");
}

#[test]
fn with_json_there_is_one_object_and_nothing_else() {
    let run = quintet([&["arena", "krk", "--games", "2", "--json"], &QUICK[..]].concat()).exits(0);
    assert_eq!(run.json()["results"][0]["games"], 2);
}

#[test]
fn an_even_match_is_zero_elo_without_a_sign() {
    // White mates in two from the start, and both engines find it.
    let args = ["arena", "krk", "--games", "2", "--opening-plies", "0", "--concurrency", "1"];
    let engines =
        ["--engine", "a=uct:iterations=4000,threads=1", "--engine", "b=uct:iterations=4000,threads=1"];
    let args = [&args[..], &engines].concat();
    let json = quintet([&args[..], &["--json"]].concat()).exits(0);
    let result = &json.json()["results"][0];
    assert_eq!((&result["wins"], &result["losses"]), (&json!(1), &json!(1)), "{result}");
    assert!(!json.stdout.contains("-0.0"), "{}", json.stdout);
    let Run { stdout, stderr, .. } = quintet(args).exits(0);
    for text in [stdout, stderr] {
        assert!(!text.split_whitespace().any(|word| word == "-0"), "{text}");
    }
}

/// Counts equal records: equal maps have the same records in any order.
fn by_text(records: &[Value]) -> BTreeMap<String, usize> {
    let mut texts = BTreeMap::new();
    for record in records {
        *texts.entry(without_times(record.clone()).to_string()).or_default() += 1;
    }
    texts
}

#[test]
fn games_at_the_same_time_are_the_games_one_after_the_other() {
    for threads in ["1", "2"] {
        let args = ["pentago,krk,qubic", "--rules", "both", "--games", "4", "--seed", "9"];
        let engines =
            ["--engine", "uct", "--engine", "uct:c=0.9", "--iterations", "40", "--threads", threads];
        let played =
            |concurrency: &str| play(&[&args[..], &engines, &["--concurrency", concurrency]].concat());
        let (results, records) = played("1");
        for concurrency in ["1", "2", "3"] {
            let (other_results, other_records) = played(concurrency);
            assert_eq!(
                by_text(&other_records),
                by_text(&records),
                "{concurrency} games of {threads} threads at a time"
            );
            assert_eq!(other_results, results);
        }
    }
}

#[test]
fn another_seed_makes_other_games() {
    let played = |seed: &str| {
        let (_, records) = play(&[&["quarto", "--games", "2", "--seed", seed], &QUICK[..]].concat());
        records.into_iter().map(|mut record| record["moves"].take()).collect::<Vec<_>>()
    };
    assert_ne!(played("1"), played("2"));
}

#[test]
fn the_same_engine_plays_itself_under_two_names_and_only_so() {
    let arena = ["arena", "krk", "--games", "2", "--threads", "1"];
    for (text, name, spec) in
        [("random", "random", "random"), ("me=uct:iterations=5", "me", "uct:iterations=5")]
    {
        let message = quintet([&arena[..], &["--engine", text, "--engine", text]].concat()).refused();
        let told =
            format!("two engines have the name \"{name}\": name one of them, as in --engine other={spec} ");
        assert!(message.contains(&told), "{message}");
        let other = format!("other={spec}");
        let (results, _) =
            play(&["krk", "--games", "2", "--threads", "1", "--engine", text, "--engine", &other]);
        assert_eq!((&results[0]["a"], &results[0]["b"]), (&json!(name), &json!("other")));
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("engines.toml");
    let engine = "[[engine]]\nname = \"me\"\nkind = \"random\"\n";
    std::fs::write(&file, engine.repeat(2)).expect("written");
    let file = file.to_str().expect("text");
    let message = quintet([&arena[..], &["--engines", file]].concat()).refused();
    assert!(
        message.contains("two engines have the name \"me\"") && message.contains("name = \"other\""),
        "{message}"
    );
}

#[test]
fn openings_are_as_long_as_asked_for() {
    for plies in ["0", "5"] {
        let (_, records) =
            play(&[&["quarto", "--games", "2", "--opening-plies", plies], &QUICK[..]].concat());
        for record in records {
            assert_eq!(strings(&record["opening"]).len().to_string(), plies, "{record}");
        }
    }
}

#[test]
fn openings_that_no_game_can_have_end_the_arena_with_a_message() {
    for plies in ["40", "18446744073709551615"] {
        let args = ["arena", "krk", "--games", "2", "--opening-plies", plies];
        let run = quintet([&args[..], &QUICK].concat());
        assert!(matches!(run.code, Some(1 | 2)), "{run}");
        assert!(run.stderr.contains("error: ") && run.stderr.contains("opening"), "{run}");
    }
}

//! `quintet ugi`: the behaviour that a manager relies on.

use crate::harness::{
    VARIANTS, finished_trace, half_a_game, quintet, quintet_reading, state_after, variants,
};

/// Returns the lines of the answer to `input`, with only the last of the lines about a search.
#[track_caller]
fn session(input: &str) -> Vec<String> {
    let run = quintet_reading(input, ["ugi", "--threads", "1"]).succeeds_quietly();
    final_lines(run.stdout.lines())
}

/// Returns the lines without those that a search printed before its last ones, if there are any:
/// when a search prints depends on its speed.
fn final_lines<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    // Lines about the same moment of a search begin alike.
    let moment = |line: &str| {
        let rest = line.strip_prefix("info ").filter(|rest| !rest.starts_with("string "))?;
        rest.split(" hashfull ").next().map(str::to_owned)
    };
    let mut kept: Vec<String> = Vec::new();
    for line in lines {
        if let Some(now) = moment(line) {
            while kept.last().and_then(|last| moment(last)).is_some_and(|before| before != now) {
                kept.pop();
            }
        }
        kept.push(line.to_owned());
    }
    kept
}

/// Returns the answer to `input`, which has to be a single line.
#[track_caller]
fn answer(input: &str) -> String {
    let lines = session(input);
    assert_eq!(lines.len(), 1, "{lines:?}");
    lines[0].clone()
}

fn set_up(game: &str, rules: &str, moves: &[String]) -> String {
    let moves = moves.join(" ");
    format!(
        "setoption name Game value {game}\nsetoption name Rules value {rules}\nposition startpos moves {moves}\n"
    )
}

#[test]
fn it_introduces_itself_with_its_options() {
    let lines = session("ugi\nisready\n");
    assert_eq!(lines[0], concat!("id name quintet ", env!("CARGO_PKG_VERSION")));
    assert!(lines[1].starts_with("id author "));
    let mut names: Vec<&str> = variants().into_iter().map(|(game, _)| game).collect();
    names.dedup();
    let games = [&[""], &names[..]].concat().join(" var ");
    assert_eq!(
        lines[2..],
        [
            &format!("option name Game type combo default quarto{games}"),
            "option name Rules type combo default spec var spec var ggp",
            "option name Threads type spin default 1 min 1 max 1024",
            "option name Trees type spin default 0 min 0 max 1024",
            "option name Hash type spin default 1024 min 1 max 1048576",
            "option name Seed type spin default 0 min 0 max 18446744073709551615",
            "option name MultiPV type spin default 1 min 1 max 512",
            "option name Ponder type check default false",
            "option name Engine type string default quintet",
            "ugiok",
            "readyok",
        ]
    );
}

#[test]
fn it_finds_the_move_that_suggest_finds() {
    for (game, rules) in VARIANTS {
        let moves = half_a_game(game, rules);
        let flags =
            ["--iterations", "300", "--threads", "1", "--seed", "5", "--engine", "uct:c=0.9", "--json"];
        let suggest = ["suggest", game, "--rules", rules, "--moves", &moves.join(" ")];
        let suggested = quintet([&suggest[..], &flags].concat()).succeeds_quietly().json();
        let lines = session(&format!(
            "setoption name seed value 5\nsetoption name Engine value uct:c=0.9\n{}go nodes 300\n",
            set_up(game, rules, &moves)
        ));
        assert_eq!(lines.len(), 2, "{lines:?}");
        let best = suggested["move"].as_str().expect("a move");
        assert_eq!(lines[1].split(' ').nth(1), Some(best), "{game} {rules}");
        assert!(lines[0].starts_with("info nodes 300 time "), "{lines:?}");
        let (info, pv) = lines[0].split_once(" pv ").expect("a principal variation");
        assert!(info.contains(" nps ") && info.contains(" hashfull "), "{info}");
        let pv: Vec<&str> = pv.split(' ').collect();
        assert_eq!(pv, crate::harness::strings(&suggested["pv"]));
        let visits = &suggested["candidates"][0]["visits"];
        let score = if suggested["proven"] == 100 { "mate" } else { "cp" };
        assert!(info.contains(&format!(" depth {} score {score} ", pv.len())), "{info}");
        assert!(info.ends_with(&format!(" visits {visits}")), "{info} {visits}");
    }
}

#[test]
fn queries_are_answered_by_the_rules() {
    let queries = "query gameover\nquery p1turn\nquery result\n";
    for (game, rules) in VARIANTS {
        let trace = finished_trace(game, rules);
        let end = trace.steps.last().expect("a step");
        let first =
            ["player1", "xrow", "red", "white"].into_iter().find(|role| !end["scores"][role].is_null());
        let first = first.expect("a role of the first side");
        let result = match end["scores"][first].as_u64() {
            Some(100) => "p1win",
            Some(50) => "draw",
            _ => "p2win",
        };
        let lines = session(&(set_up(game, rules, &trace.moves) + queries));
        assert_eq!(
            lines,
            ["response true", "response false", &format!("response {result}")],
            "{game} {rules}"
        );

        let moves = half_a_game(game, rules);
        let to_move = state_after(game, rules, &moves)["to_move"].take();
        let is_first = ["player1", "xrow", "xcolumn", "xlevel", "red", "white"]
            .contains(&to_move.as_str().expect("a role"));
        let lines = session(&(set_up(game, rules, &moves) + queries));
        assert_eq!(
            lines,
            ["response false", &format!("response {is_first}"), "response none"],
            "{game} {rules}"
        );
    }
}

#[test]
fn a_position_string_is_as_good_as_the_moves() {
    for (game, rules) in VARIANTS {
        let drawn = session(&(set_up(game, rules, &half_a_game(game, rules)) + "d\n"));
        let string =
            drawn.last().and_then(|line| line.strip_prefix("position: ")).expect("a position string");
        let again = format!("{}position fen {string}\ndisplay\n", set_up(game, rules, &[]));
        assert_eq!(session(&again), drawn, "{game} {rules}");
    }
}

#[test]
fn what_is_wrong_is_said_and_changes_nothing() {
    let krk = "setoption name Game value krk\nposition startpos moves Kc1-c2\n";
    for (line, part) in [
        ("dance", "unknown command \"dance\""),
        ("position startpos moves Kc1-c2 Kc2-c1", "position: ply 2: illegal move \"Kc2-c1\""),
        ("position startpos moves Kc1-c2 ?", "position: ply 2: illegal move \"?\""),
        ("position fen k3/4 w 1", "position: bad position: "),
        ("setoption name Game value chess", "setoption: Game: \"chess\" is not possible"),
        ("setoption name Rules value chess", "setoption: Rules: \"chess\" is not possible"),
        ("setoption name Threads value 0", "setoption: Threads: \"0\" is not a number"),
        ("setoption name Threads value 1025", "setoption: Threads: \"1025\" is not a number from 1 to 1024"),
        ("setoption name Hash value 1048577", "is not a number from 1 to 1048576"),
        ("setoption name Hash value -1", "setoption: Hash: \"-1\" is not a number"),
        ("setoption name Seed value x", "setoption: Seed: \"x\" is not a number"),
        ("setoption name Engine value deep", "\"deep\" is not an engine"),
        ("setoption name Engine value uct:time=1s", "has a budget of its own"),
        ("setoption name Engine value ugi:command=x", "is an external engine"),
        ("setoption name Ponder value maybe", "setoption: Ponder: \"maybe\" is neither true nor false"),
        ("setoption name Clear Hash", "setoption: expected setoption name NAME value VALUE"),
        ("setoption name MultiPV value 0", "setoption: MultiPV: \"0\" is not a number from 1 to"),
        ("setoption name MultiPV value 513", "is not a number from 1 to 512"),
        ("setoption name Own Book value true", "does not exist"),
        ("ponderhit", "ponderhit: the engine does not ponder"),
        ("moves ka4-a3 Kc1-c2", "moves: illegal move \"Kc1-c2\"; legal here: "),
    ] {
        let lines = session(&format!("{krk}{line}\nd\nisready\n"));
        assert!(lines[0].starts_with("info string error: ") && lines[0].contains(part), "{line}: {lines:?}");
        assert_eq!(lines[lines.len() - 2..], ["position: k3/4/2K1/3R b 2", "readyok"], "{line}: {lines:?}");
    }
}

/// Returns the words of a session without those that say what a search has found.
#[track_caller]
fn answers(input: &str) -> Vec<String> {
    let is_info = |line: &String| line.starts_with("info ") && !line.starts_with("info string ");
    session(input).into_iter().filter(|line| !is_info(line)).collect()
}

#[test]
fn every_go_is_answered_by_one_move_of_two_words() {
    let krk =
        "setoption name Game value krk\nsetoption name Engine value uct\nposition startpos moves Kc1-c2\n";
    for (go, left_out) in [
        ("", None),
        ("nodes 9", None),
        ("nodes 9 movetime 100000", None),
        ("depth 5", Some("\"depth 5\": not known here")),
        ("nodes 0", Some("nodes \"0\": not above 0")),
        ("nodes -3", Some("nodes \"-3\": not above 0")),
        ("nodes", Some("nodes: no number follows")),
        ("nodes 99999999999999", Some("nodes: 99999999999999 iterations are too many")),
        ("movetime 0", Some("movetime \"0\": not above 0")),
        ("movetime -20", Some("movetime \"-20\": not above 0")),
        ("movetime 99999999999999999999", Some("movetime \"99999999999999999999\": no limit")),
        ("p1time 5 p2time 5 movestogo -5", Some("\"movestogo -5\": not known here")),
        ("p1time 1000 p1inc 5", Some("clocks: p2 is to move, and there is no p2time")),
        ("p1time -5 p2time -5 p1inc -5 p2inc -5", Some("p1time \"-5\": below 0, so 0 is taken; p2time")),
        ("p1time 9223372036854775807 p2time 9223372036854775807 p1inc 0 p2inc 0", Some("p1time")),
        ("wtime 9 btime 9 winc 9 binc 9", Some("\"wtime 9\": not known here; \"btime 9\": not known here; ")),
        ("searchmoves", Some("searchmoves: no move follows")),
        ("searchmoves ka4-c4 ?", Some("searchmoves: illegal move \"ka4-c4\"; legal here: ")),
        ("searchmoves ka4-c4 ka4-a3 nodes 9", Some("searchmoves: illegal move \"ka4-c4\"; legal here: ")),
        ("searchmoves ka4-a3 ka4-a3", None),
        ("x y z", Some("\"x y z\": not known here")),
        ("ponder nodes 0\nponderhit", Some("nodes \"0\": not above 0")),
        ("ponder\nstop", None),
        ("infinite\nstop", None),
        ("infinite depth 3\nstop\nstop", Some("\"depth 3\": not known here")),
    ] {
        let input = format!("{krk}go {go}\nisready\n").replace('\n', "\r\n");
        let run = quintet_reading(input, ["ugi", "--threads", "1", "--iterations", "50"]).succeeds_quietly();
        let (strings, rest): (Vec<&str>, Vec<&str>) = run
            .stdout
            .lines()
            .filter(|line| !line.starts_with("info ") || line.starts_with("info string "))
            .partition(|line| line.starts_with("info string "));
        let reason = |line: &&str| line.strip_prefix("info string left out: ").map(str::to_owned);
        let reasons: Vec<String> = strings.iter().filter_map(reason).collect();
        assert_eq!(strings.len(), usize::from(left_out.is_some()), "{go}: {run}");
        assert!(reasons.iter().zip(left_out).all(|(found, part)| found.starts_with(part)), "{go}: {run}");
        let moves: Vec<&&str> = rest.iter().filter(|line| line.starts_with("bestmove ")).collect();
        assert_eq!((moves.len(), rest.len()), (1, 2), "{go}: {run}");
        let best = moves[0].strip_prefix("bestmove ").expect("a move");
        assert!(best.starts_with("ka4-") && !best.contains(' '), "{go}: {run}");
        assert!(!go.contains("ka4-a3") || best == "ka4-a3", "{go}: {run}");
    }
}

#[test]
fn a_game_that_is_over_has_no_move() {
    let mated = "setoption name Game value krk\nposition startpos moves Kc1-b2 ka4-b4 Rd1-d4\n";
    for go in
        ["go nodes 5", "go infinite\nstop", "go ponder\nponderhit", "go depth 2", "go searchmoves Kc1-b2"]
    {
        let lines = answers(&format!("{mated}{go}\nquery gameover\n"));
        let [.., best, query] = &lines[..] else { panic!("{lines:?}") };
        assert_eq!([best.as_str(), query.as_str()], ["bestmove (none)", "response true"], "{go}: {lines:?}");
        assert_eq!(lines.iter().filter(|line| line.starts_with("bestmove")).count(), 1, "{go}: {lines:?}");
    }
    // It waits for `stop`, as any endless search.
    assert_eq!(answers(&format!("{mated}go infinite\nisready\nstop\n")), ["readyok", "bestmove (none)"]);
}

#[test]
fn searches_that_nobody_waits_for_end_with_what_comes_after_them() {
    let start = "setoption name Game value gomoku\nsetoption name Engine value uct\n";
    for (commands, count) in [
        ("go infinite\ngo nodes 9\n", 2),
        ("go ponder\nposition startpos\ngo infinite\ngo nodes 9\n", 3),
        ("go infinite\ngo movetime 99999999\ngo nodes 999999999\nstop\n", 3),
        ("go infinite\ngo nodes 999999999\ngo infinite\nquit\ngo infinite\n", 3),
        ("stop\ngo nodes 9\nstop\nstop\nponderhit\ngo nodes 9\n", 2),
    ] {
        let lines = answers(&format!("{start}{commands}"));
        let moves = lines.iter().filter(|line| line.starts_with("bestmove ")).count();
        assert_eq!(moves, count, "{commands}: {lines:?}");
    }
}

#[test]
fn what_has_to_be_answered_is_answered_whatever_else_is_in_the_line() {
    let lines = answers("\u{feff}isready now\r\n\r\n  \t\nquery result please\nquery\nquery depth\n");
    assert_eq!(
        lines,
        [
            "info string left out: \"now\": no argument of isready",
            "readyok",
            "info string left out: \"please\": no argument of query",
            "response none",
            "info string left out: \"\": expected p1turn, gameover or result",
            "response none",
            "info string left out: \"depth\": expected p1turn, gameover or result",
            "response none",
        ]
    );
    let run = quintet_reading(b"go nodes \xE9 5\n".to_vec(), ["ugi", "--threads", "1"]).succeeds_quietly();
    assert!(run.stdout.contains("\nbestmove "), "{run}");
}

#[test]
fn moves_go_on_from_the_position() {
    let krk = "setoption name Game value krk\n";
    let whole = session(&format!("{krk}position startpos moves Kc1-c2 ka4-a3\nd\n"));
    assert_eq!(session(&format!("{krk}moves Kc1-c2\nmoves\nmoves ka4-a3\nd\n")), whole);
}

#[test]
fn a_game_or_ruleset_starts_at_its_start_position() {
    let lines =
        session(&(set_up("krk", "spec", &["Kc1-c2".to_owned()]) + "setoption name Rules value ggp\nd\n"));
    let start = session(&(set_up("krk", "ggp", &[]) + "d\n"));
    assert_eq!(lines, start);
    assert_eq!(session(&(set_up("krk", "ggp", &["Kc1-c2".to_owned()]) + "uginewgame\nd\n")), start);
}

#[test]
fn every_kind_of_limit_ends_in_a_move() {
    for go in [
        "go nodes 10",
        "go movetime 5",
        "go p1time 100 p2time 100",
        "go p1time 9 p1inc 5",
        "go nodes 10 movetime 9999",
    ] {
        let lines = session(&format!("{go}\n"));
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert!(lines[0].starts_with("info nodes ") && lines[1].starts_with("bestmove "), "{lines:?}");
    }
    let run = quintet_reading("go\n", ["ugi", "--threads", "1", "--iterations", "70"]).succeeds_quietly();
    assert!(run.stdout.contains("info nodes 70 "), "{run}");
}

#[test]
fn an_endless_search_ends_with_stop_with_quit_and_with_the_input() {
    for engine in ["uct", "quintet"] {
        for threads in ["1", "2"] {
            let start = format!(
                "setoption name Threads value {threads}\nsetoption name Engine value {engine}\ngo infinite\nisready\n"
            );
            for end in ["stop\n", "quit\ngo infinite\n", ""] {
                let lines = session(&format!("{start}{end}"));
                let answers: Vec<&str> = lines
                    .iter()
                    .filter_map(|line| line.split(' ').next())
                    .filter(|it| *it != "info")
                    .collect();
                assert_eq!(answers, ["readyok", "bestmove"], "{lines:?}");
            }
        }
    }
    // Even if the result is known at once, an infinite search answers only after `stop`.
    let lines = session("setoption name Game value krk\ngo infinite\nisready\nisready\nstop\n");
    let answers: Vec<&String> = lines.iter().filter(|line| !line.starts_with("info ")).collect();
    assert_eq!(answers, ["readyok", "readyok", "bestmove Kc1-b2"], "{lines:?}");
}

#[test]
fn the_search_may_be_restricted_to_moves() {
    for (game, rules) in VARIANTS {
        let moves = half_a_game(game, rules);
        let legal = state_after(game, rules, &moves)["legal"].take();
        let legal = crate::harness::strings(&legal);
        let some = &legal[legal.len().saturating_sub(2)..];
        let start = set_up(game, rules, &moves);
        for engine in ["random", "uct", "quintet"] {
            let lines = session(&format!(
                "{start}setoption name Engine value {engine}\ngo searchmoves {} nodes 400\n",
                some.join(" ")
            ));
            let best = lines.last().and_then(|line| line.split(' ').nth(1)).expect("a move");
            assert!(some.contains(&best), "{game} {rules} {engine}: {best} of {some:?}");
        }
        let lines = session(&format!(
            "{start}setoption name MultiPV value 9\ngo nodes 400 searchmoves {}\n",
            some.join(" ")
        ));
        assert_eq!(lines.len(), some.len() + 1, "{game} {rules}: {lines:?}");
    }
}

#[test]
fn several_variations_are_printed_and_change_nothing() {
    for (game, rules) in VARIANTS {
        let moves = half_a_game(game, rules);
        let number = crate::harness::strings(&state_after(game, rules, &moves)["legal"]).len().min(3);
        let start = set_up(game, rules, &moves);
        let one = session(&format!("{start}go nodes 400\n"));
        let several = session(&format!("{start}setoption name MultiPV value 3\ngo nodes 400\n"));
        assert_eq!(several.len(), number + 1, "{several:?}");
        assert_eq!(several.last(), one.last(), "{game} {rules}");
        let variation = |line: &str| line.split_once(" pv ").expect("a variation").1.to_owned();
        assert_eq!(variation(&several[0]), variation(&one[0]));
        let mut firsts: Vec<String> = Vec::new();
        for (index, line) in several[..number].iter().enumerate() {
            assert!(line.contains(&format!(" multipv {} ", index + 1)), "{line}");
            firsts.extend(variation(line).split(' ').next().map(str::to_owned));
        }
        firsts.sort_unstable();
        firsts.dedup();
        assert_eq!(firsts.len(), number, "{several:?}");
    }
}

#[test]
fn the_move_to_ponder_is_the_only_one_of_the_other_side() {
    let mut pondered = 0;
    for (game, rules) in VARIANTS {
        let moves = half_a_game(game, rules);
        let start = set_up(game, rules, &moves) + "setoption name Ponder value true\n";
        let lines = session(&format!("{start}go nodes 400\n"));
        let words: Vec<&str> = lines.last().expect("an answer").split(' ').collect();
        let [_, best, "ponder", reply] = words[..] else { continue };
        pondered += 1;
        let moves = moves.join(" ");
        let turns = session(&format!(
            "{start}query p1turn\nposition startpos moves {moves} {best}\nquery p1turn\n\
             position startpos moves {moves} {best} {reply}\nquery p1turn\n"
        ));
        assert!(turns[0] == turns[2] && turns[0] != turns[1], "{game} {rules}: {turns:?}");
    }
    assert!(pondered > 2, "{pondered}");
    let off = "setoption name Ponder value true\nsetoption name Ponder value false\n";
    let krk = "setoption name Game value krk\ngo nodes 400\n";
    assert_eq!(answers(&format!("{off}{krk}")), ["bestmove Kc1-b2"]);
    // The three roles of a team move one after the other.
    for moves in ["", "r1 ", "r1 c1 "] {
        let lines = session(&format!(
            "setoption name Ponder value TRUE\nsetoption name Game value qubic\n\
             position startpos moves {moves}\ngo nodes 400\n"
        ));
        assert!(!lines[1].contains(" ponder "), "{lines:?}");
    }
}

#[test]
fn nodes_count_this_search_and_visits_the_tree_that_was_kept_too() {
    let start = "setoption name Game value pentago\nposition startpos moves";
    let first = session(&format!("{start}\ngo nodes 20000\n"));
    let variation = first[0].split_once(" pv ").expect("a variation").1;
    let moves: Vec<&str> = variation.split(' ').take(2).collect();
    let moves = moves.join(" ");
    let lines = session(&format!("{start}\ngo nodes 20000\nposition startpos moves {moves}\ngo nodes 50\n"));
    let number = |name: &str| -> u64 {
        let words: Vec<&str> = lines[2].split(' ').collect();
        let at = words.iter().position(|word| *word == name).expect("the field is there");
        words[at + 1].parse().expect("a number")
    };
    assert_eq!(number("nodes"), 50);
    assert!(number("visits") > 50, "{lines:?}");
}

#[test]
fn what_is_too_long_is_refused_in_a_few_words() {
    let long = "x".repeat((16 << 20) + 1);
    let lines = session(&format!("position startpos moves {long}\nisready\n"));
    assert_eq!(lines, ["info string error: the line is longer than 16777216 bytes", "readyok"]);
    let long = "é".repeat(100_000);
    for go in [&format!("go {long}"), &format!("go nodes {long}"), &format!("go searchmoves {long} nodes 1")]
    {
        let lines = answers(&format!("setoption name Game value krk\n{go}\n"));
        assert!(lines.len() == 2 && lines[1].starts_with("bestmove "), "{lines:?}");
        assert!(lines[0].chars().count() < 600, "{go:.30}: {:.1000}", lines[0]);
    }
    let many = "depth 9 ".repeat(100_000);
    let lines = answers(&format!("setoption name Game value krk\ngo {many}\n"));
    assert!(lines[0].ends_with("not known here; and 99996 more"), "{:.1000}", lines[0]);
    for line in [
        &long,
        &format!("position {long}"),
        &format!("position fen {long}"),
        &format!("position startpos moves {long}"),
        &format!("setoption name {long} value 1"),
        &format!("setoption name Game value {long}"),
        &format!("setoption name Engine value {long}"),
        &format!("moves {long}"),
    ] {
        let error = answer(&format!("{line}\n"));
        assert!(error.starts_with("info string error: "), "{error:.300}");
        assert!(error.chars().count() < 600, "{line:.30}: {error:.1000}");
    }
}

//! `quintet ugi`: the behaviour that a manager relies on.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use crate::harness::{
    VARIANTS, command, finished_trace, half_a_game, quintet, quintet_reading, state_after, variants,
};

/// Returns the lines of the answer to `input`.
#[track_caller]
fn session(input: &str) -> Vec<String> {
    let run = quintet_reading(input, ["ugi", "--threads", "1"]).succeeds_quietly();
    run.stdout.lines().map(str::to_owned).collect()
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
            "option name Hash type spin default 1024 min 1 max 1048576",
            "option name Seed type spin default 0 min 0 max 18446744073709551615",
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
        assert_eq!(lines[1], format!("bestmove {best}"), "{game} {rules}");
        assert!(lines[0].starts_with("info nodes 300 time "), "{lines:?}");
        let (info, pv) = lines[0].split_once(" pv ").expect("a principal variation");
        assert!(info.contains(" score cp ") && info.contains(" nps "), "{lines:?}");
        assert_eq!(pv.split(' ').collect::<Vec<_>>(), crate::harness::strings(&suggested["pv"]));
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
        ("setoption name Threads value 1000000", "memory"),
        ("setoption name Hash value -1", "setoption: Hash: \"-1\" is not a number"),
        ("setoption name Seed value x", "setoption: Seed: \"x\" is not a number"),
        ("setoption name Engine value deep", "\"deep\" is not an engine"),
        ("setoption name Engine value uct:time=1s", "has a budget of its own"),
        ("setoption name Engine value ugi:command=x", "is an external engine"),
        ("setoption name Ponder value true", "does not exist"),
        ("go depth 5", "go: \"depth\" is not supported"),
        ("go p1time 1000", "go: p2 is to move"),
        ("go nodes 0", "go: the search budget is zero"),
        ("go nodes 99999999999999", "go: 99999999999999 iterations are too many"),
    ] {
        let lines = session(&format!("{krk}{line}\nd\nisready\n"));
        assert!(lines[0].starts_with("info string error: ") && lines[0].contains(part), "{line}: {lines:?}");
        assert_eq!(lines[lines.len() - 2..], ["position: k3/4/2K1/3R b 2", "readyok"], "{line}: {lines:?}");
    }
    let mated = "setoption name Game value krk\nposition startpos moves Kc1-b2 ka4-b4 Rd1-d4\n";
    assert_eq!(answer(&format!("{mated}go nodes 5\n")), "info string error: go: the game is over");
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
    assert!(run.stdout.starts_with("info nodes 70 "), "{run}");
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
                assert_eq!(lines.len(), 3, "{lines:?}");
                assert_eq!(lines[0], "readyok", "{lines:?}");
                assert!(lines[2].starts_with("bestmove "), "{lines:?}");
            }
        }
    }
    // Even if the result is known at once, an infinite search answers only after `stop`.
    let lines = session("setoption name Game value krk\ngo infinite\nisready\nisready\nstop\n");
    assert_eq!(lines.len(), 4, "{lines:?}");
    assert_eq!((lines[1].as_str(), lines[3].as_str()), ("readyok", "bestmove Kc1-b2"), "{lines:?}");
}

#[test]
fn answers_come_while_the_input_stays_open() {
    let mut child = command();
    child.args(["ugi", "--threads", "1"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = child.spawn().expect("the binary starts");
    let mut input = child.stdin.take().expect("it is piped");
    let mut lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
    let mut next = || lines.next().expect("a line").expect("it can be read");
    for (line, answers) in [
        ("isready", ["readyok"].as_slice()),
        ("go nodes 9", &["info ", "bestmove "]),
        ("query result", &["response none"]),
    ] {
        writeln!(input, "{line}").expect("it reads");
        for answer in answers {
            assert!(next().starts_with(answer), "{line}");
        }
    }
    writeln!(input, "quit").expect("it reads");
    assert!(child.wait().expect("it ends").success());
}

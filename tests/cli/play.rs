//! `quintet play` in a pipe: moves, commands, and what becomes of the game.

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::harness::{
    Child, Run, Trace, VARIANTS, command, finished_trace, quintet, quintet_reading, strings,
};

/// An engine that answers at once.
const QUICK: [&str; 2] = ["--engine", "quick=uct:iterations=20,threads=1"];

/// Plays with `input` typed, line by line.
#[track_caller]
fn played(args: &[&str], input: &str) -> Run {
    quintet_reading(input, [&["play"], args].concat())
}

/// The same against an engine that answers at once, with no error.
#[track_caller]
fn talk(args: &[&str], input: &str) -> String {
    played(&[args, &QUICK].concat(), input).succeeds_quietly().stdout
}

/// Returns the records of a file.
#[track_caller]
fn records(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).expect("the file is there");
    assert!(text.ends_with('\n'), "{text}");
    text.lines().map(|line| serde_json::from_str(line).expect("a record is JSON")).collect()
}

/// Checks that `replay` accepts a file, and returns what it says of the end of its only game.
#[track_caller]
fn end_of(path: &Path) -> Value {
    let path = path.to_str().expect("a name");
    let replayed = quintet(["replay", "--json", path]).succeeds_quietly().json();
    replayed["steps"].as_array().and_then(|steps| steps.last()).expect("there is a step").clone()
}

/// A game that is played move by move.
struct Sitting {
    child: Child,
    out: ChildStdout,
}

impl Sitting {
    fn start(args: &[&str]) -> Self {
        let mut command = command();
        command.arg("play").args(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = Child::start(&mut command);
        let out = child.stdout.take().expect("piped");
        Self { child, out }
    }

    /// Returns what is printed up to the next prompt.
    fn read(&mut self) -> String {
        let mut text = Vec::new();
        let mut byte = [0];
        while !text.ends_with(b"\n> ") {
            assert_eq!(self.out.read(&mut byte).expect("it can be read"), 1, "it has ended");
            text.push(byte[0]);
        }
        String::from_utf8(text).expect("text")
    }

    /// Types a line, and returns what it leads to.
    fn say(&mut self, line: &str) -> String {
        let input = self.child.stdin.as_mut().expect("piped");
        writeln!(input, "{line}").and_then(|()| input.flush()).expect("it reads");
        self.read()
    }

    /// Ends the input, and returns what is printed then.
    fn end(mut self) -> String {
        drop(self.child.stdin.take());
        let mut text = String::new();
        self.out.read_to_string(&mut text).expect("text");
        assert!(self.child.wait().expect("it ends").success(), "{text}");
        text
    }
}

#[test]
fn recorded_games_are_played_to_their_ends_and_their_records_replay() {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    for (game, rules) in VARIANTS {
        let Trace { moves, steps, .. } = finished_trace(game, rules);
        let file = folder.path().join(format!("{game}-{rules}"));
        let args = [game, "--rules", rules, "--seat", "both", "--record", file.to_str().expect("a name")];
        // One move a line, and several.
        let half = moves.len() / 2;
        let input = format!("{}\n{}\n", moves[..half].join("\n"), moves[half..].join(" "));
        let text = talk(&args, &input);
        let last = steps.last().expect("there is a step");
        let scores = last["scores"].as_object().expect("scores");
        let is_drawn = scores.values().all(|it| it == 50);
        let result = if is_drawn { "The game is drawn" } else { " wins" };
        let is_result = |line: &&str| {
            !line.contains("ules (")
                && line.split('.').next().is_some_and(|sentence| sentence.ends_with(result))
        };
        let shown = text.lines().filter(is_result).count();
        assert_eq!(shown, 1, "{game} {rules}: {text}");
        assert!(!text.contains("To go on"), "{text}");
        let record = &records(&file)[0];
        assert_eq!(strings(&record["moves"]), moves, "{game} {rules}");
        assert_eq!((&record["end"], &record["scores"]), (&json!("rules"), &last["scores"]));
        assert_eq!(&end_of(&file), last);
    }
}

#[test]
fn every_game_can_be_played_against_the_engine_by_its_hints() {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    for (game, rules) in VARIANTS {
        let file = folder.path().join(format!("{game}-{rules}"));
        let name = file.to_str().expect("a name");
        let args =
            [game, "--rules", rules, "--record", name, "--engine=uct", "--iterations=4", "--threads=1"];
        let mut sitting = Sitting::start(&args);
        sitting.read();
        for ply in 0.. {
            assert!(ply < 1000, "{game} {rules} does not end");
            let hint = sitting.say("hint");
            if hint.starts_with("hint\nThe game is over.") {
                break;
            }
            let token = hint.strip_prefix("hint\nhint: ").and_then(|rest| rest.split_whitespace().next());
            let token = token.unwrap_or_else(|| panic!("{game} {rules}: {hint}")).to_owned();
            let reply = sitting.say(&token);
            assert!(!reply.contains("no legal move"), "{game} {rules}: {reply}");
        }
        let text = sitting.end();
        assert!(text.contains(&format!("The game was added to {name}.")), "{text}");
        let record = &records(&file)[0];
        assert_eq!(record["end"], "rules", "{game} {rules}");
        assert_eq!(end_of(&file)["scores"], record["scores"], "{game} {rules}");
        let seats = record["seats"].as_object().expect("seats");
        assert_eq!(seats.values().next(), Some(&json!("you")), "the first role is the person's");
        assert!(seats.values().any(|it| it == "uct"), "{record}");
    }
}

#[test]
fn without_people_the_engine_plays_to_the_end() {
    let text = talk(&["krk", "--seat", "none"], "");
    assert!(text.starts_with("KRK, king and rook against king (spec): "), "{text}");
    assert!(text.contains(" plays both sides\n") && !text.contains("> "), "{text}");
    assert!(text.contains("\nquick (white) plays K") && text.contains(" wins. "), "{text}");
}

#[test]
fn moves_may_be_short_and_several_on_a_line() {
    // The engine's replies depend on its seed alone, and these are before any.
    for (args, line, moves) in [
        (&["krk"][..], "c2", "Kc1-c2"),
        (&["krk"], "rd1-D4", "Rd1-d4"),
        (&["qubic"], "231", "r2 c3 l1"),
        (&["qubic"], "l1 r2 c3", "r2 c3 l1"),
        (&["quarto"], "11 B2", "1011 b2"),
        (&["pentago", "--rules", "ggp"], "c4 1cc", "c4 1ccw"),
        (&["gomoku", "--moves", "a1 b1 c1", "--seat", "both"], "W", "a1 b1 c1 white"),
    ] {
        let text = talk(args, &format!("{line}\n"));
        assert!(
            text.contains(&format!(" --moves {moves}")) || text.contains(&format!(" --moves \"{moves}")),
            "{text}"
        );
    }
    let text = talk(&["pentago", "--rules", "ggp"], "c4 1cw f6\n");
    assert!(text.contains("\nNot played, since it is black's turn: f6\n"), "{text}");
}

#[test]
fn a_wrong_word_is_named_and_nothing_is_lost() {
    let mut sitting = Sitting::start(&[&["krk", "--seat=both"], &QUICK[..]].concat());
    sitting.read();
    let after = sitting.say("Kc1-c2");
    assert!(after.contains("black: move the king (5 moves left)"), "{after}");
    for (line, parts) in [
        ("a5", &["\"a5\" is no legal move and no command.", "Legal: ka4-a3 ka4-b4."][..]),
        ("ka4-a5", &["Did you mean \"ka4-a3\"?"]),
        ("hnit", &["Did you mean \"hint\"?"]),
        ("/hnit", &["\"/hnit\" is no command; did you mean \"hint\"?"]),
        ("ka4-a3 zz", &["\"zz\" is no legal move"]),
        ("hint now", &["hint stands alone: leave out \"now\"."]),
        ("save", &["save needs a file: save FILE."]),
        ("\u{1b}[31m", &["\"\\u{1b}[31m\" is no legal move"]),
    ] {
        let answer = sitting.say(line);
        for part in parts {
            assert!(answer.contains(part), "{line}: {answer}");
        }
        assert!(!answer.contains('\u{1b}') && !answer.contains("to move"), "{answer}");
    }
    assert_eq!(sitting.say(""), "\n> ", "an empty line is nothing");
    assert!(sitting.say("board").contains("position: k3/4/2K1/3R b 2\n"));
    let long = "x".repeat(100_000);
    assert!(sitting.say(&long).len() < 200_000);
    assert!(sitting.end().contains("--moves Kc1-c2\n"));
}

#[test]
fn a_line_that_is_no_text_is_no_move() {
    let run = quintet_reading(b"\xff\xfe\nKc1-c2\n".to_vec(), ["play", "krk", "--seat=both"]);
    let text = run.succeeds_quietly().stdout;
    assert!(text.contains("is no legal move") && text.contains("--moves Kc1-c2\n"), "{text}");
}

#[test]
fn the_commands_tell_what_there_is() {
    let mut sitting = Sitting::start(&["krk", "--iterations=200", "--threads=1"]);
    assert!(sitting.read().contains("help tells how to type"));
    assert!(sitting.say("why").starts_with("why\nquintet has not moved yet.\n"));
    let moves = sitting.say("moves");
    assert!(
        moves.starts_with("moves\n8 legal moves: Kc1-b1 ") || moves.contains(" legal moves: "),
        "{moves}"
    );
    for line in ["hint", "/hint", ":HINT"] {
        let hint = sitting.say(line);
        assert!(hint.contains("\nhint: ") && hint.contains("proven: mate in"), "{hint}");
        assert!(hint.contains("\nprincipal variation: "), "{hint}");
    }
    let help = sitting.say("help");
    for part in ["\nMoves\n", "\nCommands\n", "\nsave FILE  ", "Where a piece goes is enough"] {
        assert!(help.contains(part), "{help}");
    }
    let reply = sitting.say("Kc1-c2");
    assert!(reply.contains("\nquintet plays ka4-") && reply.contains("proven: mated in"), "{reply}");
    let why = sitting.say("why");
    assert!(
        why.contains("quintet played ka4-") && why.contains("Next best, with their scores: ka4-"),
        "{why}"
    );
    let board = sitting.say("board");
    assert!(board.contains("\nposition: ") && board.contains(" [k] "), "{board}");
}

#[test]
fn hints_and_reasons_come_from_the_strong_engine_whoever_plays() {
    for opponent in [&["--level=novice"][..], &["--engine=weak=random"]] {
        let mut sitting = Sitting::start(&[&["krk", "--threads=1"], opponent].concat());
        sitting.read();
        let hint = sitting.say("hint");
        assert!(hint.contains("\nhint: Kc1-b2 (proven: mate in 2 moves)\n"), "{hint}");
        assert!(sitting.say("why").contains(" has not moved yet."));
        let reply = sitting.say("Kc1-c2");
        let (_, played) = reply.split_once(" plays ka4-").expect("it has moved");
        let played = format!("ka4-{}", &played[..2]);
        let why = sitting.say("why");
        assert!(why.contains(&format!(" played {played}")) && why.contains("mated in "), "{why}");
        assert!(
            why.contains(&format!(" played {played}, as quintet would"))
                || why.contains(". quintet would have played ka4-"),
            "{why}"
        );
    }
}

#[test]
fn the_ruleset_is_told_in_words_and_how_to_get_the_usual_one() {
    let start = |args: &[&str]| talk(args, "").lines().nth(1).expect("a second line").to_owned();
    let six = "Rules (spec): A run of exactly six wins. After the set-up player1 moves first, whatever the colors. \
               Not the usual rules: for those add --rules standard.";
    assert_eq!(start(&["gomoku"]), six);
    let five = start(&["gomoku", "--rules", "standard"]);
    assert!(
        five.starts_with("Usual rules (ggp): A run of exactly five wins. ") && !five.contains("--rules"),
        "{five}"
    );
}

#[test]
fn krk_counts_moves_and_says_that_they_ran_out() {
    let text = talk(&["krk", "--position", "k3/4/4/2KR w 8", "--seat=both"], "c2\na3\nKc1\n");
    assert!(text.contains("white: move the king or the rook (2 moves left)\n"), "{text}");
    assert!(text.contains("black: move the king (the last move)\n"), "{text}");
    assert!(
        text.contains("black wins. The moves ran out: all 10 are made, and black is not mated.\n"),
        "{text}"
    );
}

#[test]
fn undo_takes_back_the_last_turn() {
    let mut sitting = Sitting::start(&[&["quarto"], &QUICK[..]].concat());
    sitting.read();
    assert!(sitting.say("undo").contains("There is nothing to take back."));
    sitting.say("0101");
    let one = sitting.say("undo");
    assert!(one.contains("1 move taken back.") && one.contains("white: select a piece"), "{one}");
    let reply = sitting.say("0101 b2");
    assert!(reply.contains("white: select a piece"), "{reply}");
    let all = sitting.say("undo");
    assert!(all.contains("4 moves taken back.") && !all.contains("[0101]"), "{all}");
    drop(sitting);

    let text = talk(&["krk", "--seat=both"], "Kc1-c2\nka4-a3\nundo\nundo\nundo\n");
    assert_eq!(text.matches("1 move taken back.").count(), 2, "{text}");
    assert!(text.contains("nothing to take back"), "{text}");
    // The moves that it was started with are moves too.
    let text = talk(&["krk", "--moves", "Kc1-c2 ka4-a3"], "undo\n");
    assert!(text.contains("2 moves taken back."), "{text}");
}

#[test]
fn who_resigns_has_lost_and_may_think_better_of_it() {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let file = folder.path().join("games");
    let name = file.to_str().expect("a name");
    let text = talk(&["krk", "--record", name], "Kc1-c2\nresign\nc3\nhint\nundo\nresign\n");
    assert_eq!(text.matches("white has resigned: quick wins as black.").count(), 2, "{text}");
    assert!(text.contains("The game is over: new starts another"), "{text}");
    assert!(text.contains("The game goes on."), "{text}");
    let record = &records(&file)[0];
    assert_eq!((&record["end"], &record["scores"]), (&json!("resign"), &json!({ "white": 0, "black": 100 })));
    end_of(&file);
}

#[test]
fn new_starts_another_game_and_save_adds_the_one_so_far() {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let (file, saved) = (folder.path().join("games"), folder.path().join("my games"));
    // A line that was torn, as by a full disk.
    fs::write(&file, "{\"game\":\"krk\",\"moves\":[]}\n{\"ga").expect("it can be written");
    let args = ["krk", "--seat=both", "--record", file.to_str().expect("a name")];
    let input = format!("c2\nsave {0}\nsave {0}\nnew\nb2\nnew\nquit\nb1\n", saved.display());
    let text = talk(&args, &input);
    assert_eq!(text.matches("A new game.").count(), 2, "{text}");
    assert_eq!(text.matches("The game was added to").count(), 2, "nothing was played in the third: {text}");
    let text = fs::read_to_string(&file).expect("it is there");
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.len() == 4 && lines[1] == "{\"ga", "{text}");
    for (line, moves) in [(lines[2], "Kc1-c2"), (lines[3], "Kc1-b2")] {
        let record: Value = serde_json::from_str(line).expect("JSON");
        assert_eq!((strings(&record["moves"]), &record["end"]), (vec![moves], &json!("unfinished")));
        assert!(record.get("scores").is_none(), "{record}");
    }
    let saved = records(&saved);
    assert_eq!(saved.len(), 2, "the second is added");
    let version = concat!("quintet ", env!("CARGO_PKG_VERSION"));
    let expected = json!({
        "game": "krk", "rules": "spec", "moves": ["Kc1-c2"], "seats": { "white": "you", "black": "you" },
        "end": "unfinished", "engine": "uct:iterations=20,threads=1", "program": version,
    });
    assert_eq!(saved[0], expected);
}

#[test]
fn the_end_of_input_tells_how_to_go_on() {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let file = folder.path().join("games");
    let position = "k3/4/2K1/3R b 2";
    let args = [
        &["krk", "--position", position, "--seat", "black", "--seed", "7", "--memory", "64MiB"][..],
        &["--record", file.to_str().expect("a name")],
    ];
    let text = talk(&args.concat(), "ka4-a3\n");
    let (_, command) = text.split_once("The game is not over. To go on:\n  quintet ").expect("it says so");
    let record = &records(&file)[0];
    assert_eq!(record["position"], position);
    assert_eq!(end_of(&file)["to_move"], "black", "the engine has moved too");

    let script = format!("{} {command}", env!("CARGO_BIN_EXE_quintet"));
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &script]);
    let again = crate::harness::run(shell, "").succeeds_quietly().stdout;
    assert!(again.ends_with(&format!("To go on:\n  quintet {command}")), "{again}\n{command}");
    assert_eq!(records(&file).len(), 1, "nothing was played");
}

#[test]
fn seats_are_named_as_games_does() {
    for (args, said) in [
        (&["krk"][..], "you play white, quick plays black"),
        (&["qubic"], "you play x, "),
        (&["qubic", "--seat", "o"], "you play o, "),
        (&["qubic", "--seat", "ocolumn"], "you play ocolumn, "),
        (&["gomoku", "--seat", "player2"], "you play player2, "),
        (&["pentago", "--seat", "both"], "you play both sides"),
        (&["pentago", "--seat", "random"], "you play "),
    ] {
        let text = talk(args, "");
        assert!(text.lines().next().is_some_and(|line| line.contains(said)), "{text}");
    }
    let teammates = talk(&["qubic", "--seat", "ocolumn"], "");
    assert!(teammates.contains(" (x) plays r") && teammates.contains(" (o) plays r"), "{teammates}");
    assert!(teammates.contains("\nocolumn: choose a column, then a level\n"), "{teammates}");
    let message = played(&["krk", "--seat", "whit"], "").refused();
    assert!(message.contains("--seat: unknown seat \"whit\"; did you mean \"white\"?"), "{message}");
}

#[test]
fn a_line_says_what_to_do_in_every_set_up() {
    for (args, said) in [
        (&["gomoku"][..], "player1: place a black stone, number 1 of 3 of the set-up"),
        (
            &["gomoku", "--moves", "a1 b1 c1", "--seat", "player2"],
            "player2: pick your color, black or white, or",
        ),
        (&["quarto", "--rules", "ggp"], "white: select the piece that black has to place"),
        (&["pentago", "--moves", "a1 b1"], "red: rotate a quadrant, 1 to 4, cw or ccw"),
        (&["qubic"], "xrow: choose a row, then a column and a level"),
    ] {
        let text = talk(args, "");
        assert!(text.contains(&format!("\n{said}")), "{text}");
    }
}

#[test]
fn a_seed_that_is_given_draws_the_same_game() {
    let game = |args: &[&str]| {
        let folder = tempfile::tempdir().expect("created");
        let record = folder.path().join("record");
        let args = [args, &["--record", record.to_str().expect("text")]].concat();
        played(&args, "quit\n").exits(0);
        let record = fs::read_to_string(record).expect("written");
        serde_json::from_str::<Value>(&record).expect("JSON")["moves"].clone()
    };
    let level = |seed: &str| game(&["krk", "--level", "novice", "--seat", "none", "--seed", seed]);
    assert_eq!(level("1"), level("1"));
    assert!((2..9).any(|seed| level(&seed.to_string()) != level("1")));
    // So are chance and the seat.
    let dice = || {
        let rules = concat!(env!("CARGO_MANIFEST_DIR"), "/rulesheets/dice-race.kif");
        game(&[rules, "--seat", "none", "--engine", "random", "--seed", "3"])
    };
    assert_eq!(dice(), dice());
    let seat = || played(&["krk", "--seat", "random", "--seed", "5", "--iterations", "9"], "quit\n").stdout;
    assert_eq!(seat(), seat());
}

#[test]
fn levels_are_engines_with_names() {
    let text = played(&["krk", "--level", "novice"], "c2\n").succeeds_quietly().stdout;
    assert!(text.contains("you play white, novice plays black\n"), "{text}");
    assert!(text.contains("\nnovice is worth about ") && text.contains("\nnovice plays ka4-"), "{text}");
    assert!(text.contains(" --level novice "), "{text}");
    for (flags, part) in [
        (&["--level", "grand"][..], "possible values: novice, beginner, "),
        (&["--level", "club", "--engine", "uct"], "cannot be used with"),
        (&["--level", "club", "--time", "1s"], "cannot be used with"),
        (&["--engine", "uct:time=1s", "--iterations", "9"], "has a budget of its own"),
        (&["--engine", "ugi:command=x"], "external engines"),
        (&["--memory", "1KiB"], "memory"),
        (&["--moves", "zz"], "krk (spec): ply 1: illegal move \"zz\""),
        (&["--position", "zz"], "bad position"),
    ] {
        let message = played(&[&["krk"], flags].concat(), "").refused();
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn a_record_that_cannot_be_written_is_found_out_before_the_game() {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let name = folder.path().to_str().expect("a name");
    let run = played(&["krk", "--record", name], "c2\n").exits(1);
    assert!(run.stdout.is_empty() && run.stderr.contains(&format!("error: can't write {name}: ")), "{run}");
    let text = talk(&["krk"], &format!("save {name}\nc2\n"));
    assert!(text.contains(&format!("can't write {name}: ")), "{text}");
}

#[cfg(target_os = "linux")]
#[test]
fn moves_are_shown_if_their_record_cannot_be_written_in_the_end() {
    let run = played(&["krk", "--seat=both", "--record", "/dev/full"], "c2\nnew\nb2\n").exits(1);
    for part in ["can't write /dev/full: ", "The moves: Kc1-c2\n", "The moves: Kc1-b2\n", "--moves Kc1-b2\n"]
    {
        assert!(run.stdout.contains(part), "{run}");
    }
}

//! `quintet gomocup`: the behaviour that a manager relies on.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::process::{ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use crate::harness::{Child, command, quintet, quintet_reading};

const START: &str = "START 11\nINFO rule 1\nINFO max_node 20\n";

/// Returns the answers to `input` after a game was started, without the messages for people.
#[track_caller]
fn session(input: &str) -> Vec<String> {
    let answers = answers(&format!("{START}{input}"));
    assert_eq!(answers[0], "OK");
    answers[1..].to_vec()
}

#[track_caller]
fn answers(input: &str) -> Vec<String> {
    let run = quintet_reading(input, ["gomocup", "--threads", "1"]).succeeds_quietly();
    run.stdout.lines().filter(|line| !line.starts_with("MESSAGE ")).map(str::to_owned).collect()
}

/// Returns the cells of an answer.
#[track_caller]
fn cells(answer: &str) -> Vec<(u32, u32)> {
    let cell = |word: &str| {
        let (x, y) = word.split_once(',').unwrap_or_else(|| panic!("{answer}"));
        let cell = (x.parse().expect("a column"), y.parse().expect("a row"));
        assert!(cell.0 < 11 && cell.1 < 11, "{answer}");
        cell
    };
    answer.split(' ').map(cell).collect()
}

#[test]
fn it_tells_about_itself() {
    let about = concat!("name=\"quintet\", version=\"", env!("CARGO_PKG_VERSION"), "\", author=\"");
    let answers = answers("about\r\nABOUT\n");
    assert_eq!(answers.len(), 2);
    assert!(answers.iter().all(|it| it.starts_with(about)), "{answers:?}");
}

#[test]
fn a_game_is_played_move_by_move() {
    for line_end in ["\n", "\r\n"] {
        let input = format!("{START}BEGIN\n").replace('\n', line_end);
        let first = cells(&answers(&input)[1]);
        let reply = if first == [(0, 0)] { (1, 0) } else { (0, 0) };
        let input = format!("{START}BEGIN\nTURN {},{}\n\n", reply.0, reply.1);
        let moves = answers(&input.replace('\n', line_end));
        assert_eq!(moves.len(), 3, "{moves:?}");
        let second = cells(&moves[2]);
        assert!(second != first && second != [reply], "{moves:?}");
    }
}

#[test]
fn it_takes_a_win_and_stops_one() {
    // Four in a row with an open end: of its own, of the opponent, and by colors.
    let four = "3,5,A\n0,0,B\n4,5,A\n0,2,B\n5,5,A\n0,4,B\n6,5,A\n";
    let (own, other) = (four.replace('A', "1").replace('B', "2"), four.replace('A', "2").replace('B', "1"));
    let ends = |answer: &str| [(2, 5), (7, 5)].contains(&cells(answer)[0]);
    let win = session(&format!("BOARD\n{own}0,10,2\nDONE\n"));
    assert!(ends(&win[0]), "{win:?}");
    // Nine stones and the last of field 1: these are the colors, and white has to stop black.
    let stop = session(&format!("BOARD\n3,6,1\n10,0,2\n{}DONE\n", own.replace("3,5,1\n", "")));
    assert!(cells(&stop[0]).len() == 1, "{stop:?}");
    let blocked = session(&format!("BOARD\n{other}2,5,1\nDONE\n").replace("0,0,1\n", ""));
    assert_eq!(blocked, ["7,5"]);
}

#[test]
fn the_order_of_a_list_is_of_no_account() {
    let [one, other] = ["5,5,2\n6,6,1\n7,7,2\n", "7,7,2\n5,5,2\n6,6,1\n"]
        .map(|list| session(&format!("BOARD\n{list}DONE\n")));
    assert_eq!(one, other);
}

#[test]
fn other_boards_and_rules_are_errors() {
    assert_eq!(
        answers(
            "START 15\nSTART 20 20\nSTART 11 12\nRECTSTART 11,12\nRECTSTART 11,11\nRESTART\nSTART 11 11\n"
        ),
        [
            "ERROR START 15: only boards of 11x11 are supported",
            "ERROR START 20: only boards of 11x11 are supported",
            "ERROR RECTSTART 11,12: only boards of 11x11 are supported",
            "ERROR RECTSTART 11,12: only boards of 11x11 are supported",
            "OK",
            "OK",
            "OK",
        ]
    );
    for rule in ["0", "2", "3", "4", "5", "8"] {
        let lines = session(&format!("INFO rule {rule}\nTURN 5,5\nINFO rule 1\nTURN 5,5\n"));
        let error =
            format!("ERROR TURN 5,5: rule {rule} is not supported: only rule 1, exactly five in a row");
        assert_eq!(lines[0], error);
        assert_eq!(cells(&lines[1]).len(), 1, "the board is as before: {lines:?}");
    }
}

#[test]
fn what_is_wrong_is_said_and_changes_nothing() {
    for (line, answer) in [
        ("TURN 11,0", "ERROR TURN 11,0: 11,0 is not on the board"),
        ("TURN 0,11", "ERROR TURN 0,11: 0,11 is not on the board"),
        ("TURN -1,0", "ERROR TURN -1,0: -1,0 is not on the board"),
        ("TURN 5,5", "ERROR TURN 5,5: 5,5 is not empty"),
        ("TURN 5", "ERROR expected TURN X,Y"),
        ("TURN 99999999999999999999,5", "ERROR expected TURN X,Y"),
        ("START", "ERROR expected START SIZE"),
        ("START eleven", "ERROR expected START SIZE"),
        ("BEGIN", "ERROR BEGIN: the board is not empty"),
        ("TAKEBACK 0,0", "ERROR TAKEBACK 0,0: 0,0 is empty"),
        ("TAKEBACK 5,5", "ERROR TAKEBACK 5,5: 5,5 is not of the color that moved last"),
        ("PLAY 3,3", "UNKNOWN PLAY: this brain suggests no moves"),
        ("DANCE 3,3", "UNKNOWN command \"DANCE\""),
        ("3,3", "UNKNOWN command \"3,3\""),
        ("BOARD\n5,5,1\n5,6,1\nDONE", "ERROR BOARD: 2 stones of field 1 and 0 of field 2: nobody is to move"),
        ("BOARD\n5,5,1\n5,5,2\nDONE", "ERROR BOARD: 5,5 is not empty"),
        ("BOARD\n5,5,3\nDONE", "ERROR BOARD: 5,5,3: the field is neither 1 nor 2"),
        ("BOARD\n5,5\nDONE", "ERROR BOARD: 5,5: expected X,Y,FIELD"),
        ("BOARD\nhere\nDONE", "ERROR BOARD: \"here\" is no stone"),
        ("BOARD\n5,5,1\nABOUT", "ERROR BOARD is not ended by DONE"),
        (
            "SWAP2BOARD\n5,5\nDONE",
            "ERROR SWAP2BOARD: there is no decision with 1 stones, only with 0, 3 and 5",
        ),
        ("SWAP2BOARD\n5,5\n5,5\n5,5\nDONE", "ERROR SWAP2BOARD: 5,5 is not empty"),
        ("SWAP2BOARD\n5,5\n5,15\n5,7\nDONE", "ERROR SWAP2BOARD: 5,15 is not on the board"),
    ] {
        let lines = session(&format!("TURN 5,5\n{line}\nTAKEBACK 5,6\nTURN 5,5\n"));
        assert_eq!(lines[1], answer, "{lines:?}");
        // The stone of the first turn is still there.
        assert_eq!(lines[lines.len() - 1], "ERROR TURN 5,5: 5,5 is not empty", "{line}: {lines:?}");
    }
    let many: String = (0..300).map(|_| "5,5,1\n").collect();
    assert_eq!(session(&format!("BOARD\n{many}DONE\n")), ["ERROR BOARD: more stones than cells"]);
    let early = answers("TURN 5,5\nBEGIN\nRESTART\nTAKEBACK 5,5\nBOARD\nDONE\nSWAP2BOARD\nDONE\n");
    assert_eq!(early.len(), 6);
    assert!(early.iter().all(|it| it.ends_with(": no game has been started; send START 11")), "{early:?}");
    // Paths may be in any encoding.
    let bytes = [START.as_bytes(), b"INFO folder C:\\\xFC\nTURN \xFF,5\nABOUT\n"].concat();
    let run = quintet_reading(bytes, ["gomocup", "--threads", "1"]).succeeds_quietly();
    assert!(run.stdout.starts_with("OK\nERROR expected TURN X,Y\nname="), "{run}");
}

#[test]
fn a_game_that_is_over_has_no_move() {
    let five = [0, 1, 2, 3, 4].map(|x| format!("{x},5,2\n{x},7,1\n")).concat();
    let over = session(&format!("BOARD\n{}DONE\n", five.replace("4,7,1\n", "")));
    assert_eq!(over, ["ERROR BOARD: the game is over"]);
    // Six in a row win nothing.
    let stones: String = [0, 1, 2, 4, 5, 3].map(|x| format!("{x},5,2\n")).concat();
    let others: String = [0, 2, 4, 6, 8].map(|x| format!("{x},9,1\n")).concat();
    assert_eq!(cells(&session(&format!("BOARD\n{stones}{others}DONE\n"))[0]).len(), 1);
}

#[test]
fn moves_are_taken_back() {
    let first = session("TURN 5,5\n");
    let lines = session(&format!("TURN 5,5\nTAKEBACK {0}\nTAKEBACK 5,5\nBEGIN\n", first[0]));
    assert_eq!(lines[..3], [first[0].as_str(), "OK", "OK"]);
    assert_eq!(cells(&lines[3]).len(), 1);
}

#[test]
fn the_set_up_is_decided() {
    let three = cells(&session("SWAP2BOARD\nDONE\n")[0]);
    assert_eq!(three.len(), 3);
    // With a field or without one.
    for list in ["5,5\n5,6\n6,5\n", "5,5,2\n5,6,1\n6,5,2\n"] {
        let answer = &session(&format!("SWAP2BOARD\n{list}DONE\n"))[0];
        assert!(answer == "SWAP" || (1..=2).contains(&cells(answer).len()), "{answer}");
    }
    // Black has an open four: whoever can takes it.
    let list = "4,5\n0,0\n5,5\n10,0\n6,5\n";
    assert_eq!(session(&format!("SWAP2BOARD\n{}DONE\n", &list[..12])).len(), 1);
    let answer = session(&format!("SWAP2BOARD\n{list}DONE\nTURN 10,10\n"));
    assert_eq!(answer[0], "SWAP");
    // White has moved then, and the brain is black.
    assert_eq!(cells(&answer[1]).len(), 1);
}

#[test]
fn the_searches_of_a_decision_share_its_iterations() {
    for list in ["", "5,5\n5,6\n6,5\n"] {
        for (flags, most) in [(&["--iterations", "50"] as &[&str], 50), (&[], 80)] {
            let input = format!("START 11\nINFO max_node 80\nSWAP2BOARD\n{list}DONE\n");
            let run = quintet_reading(input, [&["gomocup", "--threads", "1"], flags].concat());
            let run = run.succeeds_quietly();
            let count =
                |line: &str| line.split(" iterations").next()?.split(' ').next_back()?.parse::<u32>().ok();
            let sum: u32 = run.stdout.lines().filter_map(count).sum();
            assert!(sum > most / 3 && sum <= most, "{most}: {run}");
        }
    }
}

/// A brain that runs; it is killed when it is dropped.
struct Brain {
    child: Child,
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Brain {
    fn start() -> Self {
        let mut command = command();
        command.args(["gomocup", "--threads", "1"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = Child::start(&mut command);
        let input = child.stdin.take().expect("it is piped");
        let lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        Self { child, input, lines }
    }

    fn send(&mut self, lines: &str) {
        writeln!(self.input, "{lines}").expect("it reads");
    }

    /// Returns the answer to a command, and how long it took.
    fn ask(&mut self, lines: &str) -> (String, Duration) {
        let start = Instant::now();
        self.send(lines);
        loop {
            let line = self.lines.next().expect("a line").expect("it can be read");
            if !line.starts_with("MESSAGE ") {
                return (line, start.elapsed());
            }
        }
    }
}

#[test]
fn it_answers_in_time() {
    /// What the documentation states.
    const MARGIN: Duration = Duration::from_millis(50);
    for limit in [0, 10, 100] {
        let mut brain = Brain::start();
        brain.ask("START 11");
        brain.send(&format!("INFO rule 1\nINFO timeout_turn {limit}"));
        let mut late = Vec::new();
        let mut taken = Vec::new();
        let free = (0..11).flat_map(|x| (0..11).map(move |y| (x, y)));
        for (x, y) in free.step_by(5) {
            if taken.contains(&(x, y)) || taken.len() == 24 {
                continue;
            }
            let (answer, time) = brain.ask(&format!("TURN {x},{y}"));
            if answer.starts_with("ERROR") {
                break;
            }
            taken.extend([(x, y), cells(&answer)[0]]);
            if time > Duration::from_millis(limit) + MARGIN {
                late.push(time);
            }
        }
        // On a busy machine, the system may leave it without a core for a while.
        assert!(taken.len() >= 6 && late.len() <= 1, "{limit} ms: {late:?} {taken:?}");
    }
}

/// The session that docs/gomocup.md shows: lines to the brain and lines from it.
#[test]
fn the_session_of_the_document_is_what_happens() {
    let document = include_str!("../../docs/gomocup.md");
    let session = document.split("```gomocup\n").nth(1).and_then(|rest| rest.split("```").next());
    let mut brain = Brain::start();
    for line in session.expect("a block of code").lines() {
        if let Some(command) = line.strip_prefix("> ") {
            brain.send(command);
            continue;
        }
        let expected = line.strip_prefix("< ").unwrap_or_else(|| panic!("neither > nor <: {line}"));
        let found = brain.lines.next().expect("a line").expect("it can be read");
        match expected.strip_suffix('…') {
            Some(start) => assert!(found.starts_with(start), "{expected}\n{found}"),
            None => assert_eq!(found, expected),
        }
    }
    assert!(brain.child.wait().expect("it ends").success());
}

#[test]
fn after_the_end_nothing_is_answered() {
    assert_eq!(answers("START 11\nEND\nABOUT\n"), ["OK"]);
    assert_eq!(answers("START 11\nBOARD\n5,5,1\nend\r\nABOUT\n"), ["OK"]);
}

#[test]
fn the_end_stops_a_search() {
    let mut brain = Brain::start();
    assert_eq!(brain.ask("START 11").0, "OK");
    let start = Instant::now();
    brain.send("INFO rule 1\nINFO timeout_turn 1000000\nTURN 5,5\nEND");
    assert!(brain.child.wait().expect("it ends").success());
    assert!(start.elapsed() < Duration::from_secs(60));
}

#[test]
fn the_end_is_found_behind_whatever_has_not_been_read() {
    let mut brain = Brain::start();
    let lines = "INFO folder x\n".repeat(5_000);
    brain.send(&format!("START 11\nINFO timeout_turn 1000000000\nTURN 5,5\n{lines}BEGIN\nEND"));
    assert!(brain.child.wait().expect("it ends").success());
}

#[test]
fn the_end_of_the_input_ends_a_search_that_only_time_limits() {
    let input = "START 11\nINFO timeout_turn 1000000000\nBEGIN\nSWAP2BOARD\nDONE\n";
    let run = quintet_reading(input, ["gomocup", "--threads", "1", "--time", "10h"]).succeeds_quietly();
    let moves: Vec<&str> = run.stdout.lines().filter(|line| !line.starts_with("MESSAGE ")).collect();
    assert_eq!([cells(moves[1]).len(), cells(moves[2]).len()], [1, 3], "{run}");
    // Iterations are finished.
    let input = "START 11\nINFO timeout_turn 1000000000\nINFO max_node 300\nTURN 5,5\nTURN 0,0\n";
    let run = quintet_reading(input, ["gomocup", "--threads", "1"]).succeeds_quietly();
    assert_eq!(run.stdout.matches(" 300 iterations").count(), 2, "{run}");
}

#[test]
fn what_yixin_board_sends_is_taken_or_answered() {
    let start = "info show_detail 3\nyxshowinfo\nSTART 11 11\nINFO max_node 20\nINFO timeout_match 100000000\n\
                 INFO time_left 100000000\nINFO timeout_turn 2000000\nINFO max_depth 121\nINFO time_increment 0\n\
                 INFO caution_factor 1\nINFO thread_num 1\nINFO hash_size 1024\nINFO pondering 0\nINFO vcthread 0\n";
    let list = "5,5,2\n5,6,1\n6,5,2\ndone\n";
    let cases = [
        ("start 11 11\nyxboard\n5,5,2\n5,6,1\ndone\nyxshowforbid\nyxstop\n", &["OK", "FORBID ."] as &[&str]),
        ("yxhashclear\nstart 11 11\nboard\n5,5,2\ndone\nyxhashclear\nyxstop\n", &["OK", "x,y"]),
        ("yxboard\n5,5,2\ndone\nyxnbest 3\nTURN 0,0\n", &["x,y", "x,y"]),
        (
            "yxboard\n5,5,2\n5,5,1\ndone\nyxnbest\n",
            &["ERROR YXBOARD: 5,5 is not empty", "ERROR expected YXNBEST NUMBER"],
        ),
        // A list after a command that is not known is no stone for the board.
        (
            "yxquerydatabaseall\n5,5\n5,6\ndone\nTURN 5,5\n",
            &["UNKNOWN command \"yxquerydatabaseall\"", "x,y"],
        ),
        ("yxblock\n5,5\ndone\n5,5\n", &["UNKNOWN command \"yxblock\"", "UNKNOWN command \"5,5\""]),
        ("yxswap2step2\n", &["ERROR YXSWAP2STEP2: 0 stones are on the board where 3 are expected"]),
    ];
    for (commands, expected) in cases {
        let lines = answers(&format!("{start}{commands}"));
        let forms: Vec<&str> = lines[1..]
            .iter()
            .map(|line| if line.starts_with(|c: char| c.is_ascii_digit()) { "x,y" } else { line })
            .collect();
        assert_eq!((lines[0].as_str(), &forms[..]), ("OK", expected), "{commands}");
    }
    let steps = [
        ("yxswap2step1\n".to_owned(), [&["MOVE1 ", "MOVE2 ", "MOVE3 "] as &[&str], &[], &[]]),
        (format!("yxboard\n{list}yxswap2step2\n"), [&["SWAP1 YES"], &["SWAP1 NO"], &["MOVE4 ", "MOVE5 "]]),
        (format!("yxboard\n0,0,2\n0,9,1\n{list}yxswap2step3\n"), [&["SWAP2 YES"], &["SWAP2 NO"], &[]]),
    ];
    for (commands, allowed) in steps {
        let input = format!("{start}{commands}");
        let run = quintet_reading(input, ["gomocup", "--threads", "2"]).succeeds_quietly();
        let said: Vec<&str> =
            run.stdout.lines().filter_map(|line| line.strip_prefix("MESSAGE SWAP2 ")).collect();
        let is_one = |form: &&[&str]| {
            said.len() == form.len() && said.iter().zip(*form).all(|(said, start)| said.starts_with(start))
        };
        assert!(!said.is_empty() && allowed.iter().any(is_one), "{commands}: {run}");
        // What may be set: the trees, and the memory as a power of 2 in KiB.
        let info = ["MESSAGE INFO MAX_THREAD_NUM 2", "MESSAGE INFO MAX_HASH_SIZE 20"];
        assert!(info.iter().all(|line| run.stdout.lines().any(|it| it == *line)), "{run}");
    }
}

#[test]
fn a_stop_ends_the_search_before_it_with_its_move() {
    let mut brain = Brain::start();
    assert_eq!(brain.ask("yxstop\nSTART 11").0, "OK");
    brain.send("INFO timeout_turn 1000000000");
    for command in ["BEGIN\nyxstop", "TURN 0,0\nINFO x\nSTOP", "SWAP2BOARD\nDONE\nYXSTOP\nYXSTOP"] {
        cells(&brain.ask(command).0);
    }
}

#[test]
fn little_memory_is_made_do_with() {
    for limit in
        ["max_memory 1000", "max_memory 70000000", "max_memory 83886080", "max_memory 0", "hash_size 1"]
    {
        let lines = session(&format!("INFO {limit}\nTURN 5,5\n"));
        assert_eq!(cells(&lines[0]).len(), 1, "{limit}: {lines:?}");
    }
}

#[test]
fn the_same_commands_have_the_same_answers() {
    let input = "BEGIN\nTURN 0,0\nTURN 10,10\n";
    assert_eq!(session(input), session(input));
}

#[test]
fn a_wrong_margin_is_refused() {
    let message = quintet(["gomocup", "--margin", "soon"]).refused();
    assert!(message.contains("--margin"), "{message}");
}

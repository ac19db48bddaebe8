//! `quintet ggp`: whole matches with a server that replays recorded games, clocks, and what goes wrong.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{ChildStdout, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, channel};
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::harness::{Child, Trace, command, quintet, traces};

/// No answer takes longer.
const LONG: Duration = Duration::from_secs(60);

/// A rulesheet that stands for a game: the tests can't have the published ones.
fn sheet(game: &str) -> String {
    let roles: Vec<String> = roles(game).iter().map(|role| format!("(role {role})")).collect();
    let roles = roles.concat();
    format!(
        "{roles} ; the roles\n(init (board {game}))\n\
         (<= (legal ?p noop) (role ?p) (not (turn ?p)))\n\
         (<= (next (board ?x)) (true (board ?x)) (role ?p) (turn ?p))"
    )
}

/// The roles in the order in which moves are told.
fn roles(game: &str) -> Vec<&'static str> {
    match game {
        "quarto" | "krk" => vec!["white", "black"],
        "qubic" => vec!["xrow", "xcolumn", "xlevel", "orow", "ocolumn", "olevel"],
        "gomoku" => vec!["player1", "player2"],
        "pentago" => vec!["red", "black"],
        _ => panic!("{game}"),
    }
}

/// The published term of a move, from its token and the one before.
fn term(game: &str, token: &str, before: &str) -> String {
    let bytes = token.as_bytes();
    let file = |at: usize| u32::from(bytes[at] - b'a') + 1;
    let rank = |from: usize| token[from..].parse::<u32>().expect("a rank");
    match game {
        "quarto" if bytes[0].is_ascii_digit() => format!("(select p{token})"),
        "quarto" => format!("(place p{before} {} {})", file(0), rank(1)),
        "qubic" => {
            let axis = match bytes[0] {
                b'r' => "row",
                b'c' => "column",
                _ => "level",
            };
            format!("(select {axis} {})", &token[1..])
        }
        "gomoku" if ["black", "white"].contains(&token) => format!("(pick {token})"),
        "gomoku" => format!("(place {} {})", file(0), rank(1)),
        "pentago" if bytes[0].is_ascii_digit() => {
            let direction = if token.ends_with("ccw") { "counterclockwise" } else { "clockwise" };
            format!("(rotate {} {direction})", &token[..1])
        }
        "pentago" => {
            let (x, y) = (file(0), rank(1));
            let quadrant = [[3, 4], [2, 1]][usize::from(y > 3)][usize::from(x > 3)];
            format!("(place {quadrant} {} {})", (x - 1) % 3 + 1, (y - 1) % 3 + 1)
        }
        _ => {
            let piece = [("K", "wk"), ("R", "wr"), ("k", "bk")];
            let piece = piece.iter().find(|(letter, _)| token.starts_with(letter)).expect("a piece").1;
            let [a, b, c, d] = [1, 2, 4, 5].map(|at| char::from(bytes[at]));
            format!("(move {piece} {a} {b} {c} {d})")
        }
    }
}

/// `quintet ggp` on a port that was free. It ends with the test.
pub(crate) struct Player {
    child: Child,
    address: SocketAddr,
    /// The lines that it writes on standard error; a pipe that nobody reads would fill.
    log: Mutex<Receiver<String>>,
    _stdout: BufReader<ChildStdout>,
    _sheets: TempDir,
}

impl Player {
    pub(crate) fn start(args: &[&str]) -> Self {
        let sheets = tempfile::tempdir().expect("a folder");
        let mut command = command();
        command.env("RAYON_NUM_THREADS", "1").args(["ggp", "--port", "0", "--threads", "1"]).args(args);
        for game in ["quarto", "qubic", "gomoku", "pentago", "krk"] {
            let file = sheets.path().join(game);
            fs::write(&file, sheet(game)).expect("it can be written");
            command.arg("--rulesheet").arg(format!("{game}:ggp={}", file.display()));
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = Child::start(&mut command);
        let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
        let stderr = BufReader::new(child.stderr.take().expect("piped"));
        let (written, log) = channel();
        spawn(move || {
            for line in stderr.lines() {
                // The test may be over.
                let _ = written.send(line.expect("text") + "\n");
            }
        });
        let mut line = String::new();
        stdout.read_line(&mut line).expect("it can be read");
        let address = line.strip_prefix("quintet plays at ").and_then(|it| it.split(' ').next());
        let address = address.and_then(|it| it.parse().ok()).unwrap_or_else(|| panic!("{line:?}"));
        Self { child, address, log: Mutex::new(log), _stdout: stdout, _sheets: sheets }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("it listens");
        stream.set_read_timeout(Some(LONG)).expect("it can be set");
        stream
    }

    /// Begins to send a message, as the public server does.
    fn send(&self, receiver: &str, message: &str) -> TcpStream {
        let mut stream = self.connect();
        let head = format!(
            "POST / HTTP/1.0\r\nAccept: text/delim\r\nHost: {}\r\nSender: GAMESERVER\r\nReceiver: \
             {receiver}\r\nContent-Type: text/acl\r\nContent-Length: {}\r\n\r\n",
            self.address,
            message.len()
        );
        stream.write_all(head.as_bytes()).expect("it can be sent");
        stream.write_all(message.as_bytes()).expect("it can be sent");
        stream
    }

    #[track_caller]
    pub(crate) fn says(&self, receiver: &str, message: &str) -> String {
        let (status, body) = read(self.send(receiver, message));
        assert_eq!(status, 200, "{message:.200}: {body}");
        body
    }

    #[track_caller]
    pub(crate) fn refuses(&self, message: &str, status: u16, part: &str) {
        let answer = read(self.send("", message));
        assert_eq!(answer.0, status, "{message:.200}: {}", answer.1);
        assert!(answer.1.contains(part), "{message:.200}: {}", answer.1);
    }

    #[track_caller]
    fn starts(&self, id: &str, game: &str, role: &str, clocks: &str) {
        let message = format!("(START {id} {role} ({}) {clocks})", sheet(game));
        assert_eq!(self.says(role, &message), "ready");
    }

    /// Ends it once each of these parts is in its log, and returns the log. Players log on threads of
    /// their own, so a line may come after the answer.
    #[track_caller]
    pub(crate) fn log(mut self, parts: &[impl AsRef<str>]) -> String {
        let lines = self.log.get_mut().expect("nobody has panicked");
        let mut log = String::new();
        while let Some(part) = parts.iter().map(AsRef::as_ref).find(|part| !log.contains(part)) {
            log += &lines.recv_timeout(LONG).unwrap_or_else(|_| panic!("{part}: {log}"));
        }
        self.child.kill().expect("it can be ended");
        log.extend(lines.iter());
        log
    }
}

/// Reads an answer to its end: the status and the body.
fn read(mut stream: TcpStream) -> (u16, String) {
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it can be read");
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{answer:?}"));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    (status, body.to_owned())
}

#[test]
fn the_example_of_the_document_is_what_happens() {
    let page = include_str!("../../docs/ggp.md");
    let rules = include_str!("../../rulesheets/tic-tac-toe.kif");
    let (_, rest) = page.split_once("```curl\n$ ").expect("an example");
    let (said, _) = rest.split_once("\n```").expect("an end");
    let player = Player::start(&[]);
    for said in said.split("\n$ ") {
        let (command, answer) = said.split_once('\n').expect("an answer");
        let message = command.split('"').nth(1).expect("a message");
        let message = message.replace("$(cat rulesheets/tic-tac-toe.kif)", rules);
        assert_eq!(player.says("", &message), answer, "{message}");
    }
}

/// Replays a recorded game against the player, which has all roles: every answer has to be legal, and the
/// recorded moves are told, as if the server had replaced the others.
fn replay(player: &Player, id: &str, trace: &Trace) {
    let Trace { game, moves, steps, .. } = trace;
    let roles = roles(game);
    for role in &roles {
        player.starts(id, game, role, "0 20");
    }
    let mut told = "NIL".to_owned();
    for (ply, token) in moves.iter().enumerate() {
        let step = &steps[ply];
        let before = if ply > 0 { &*moves[ply - 1] } else { "" };
        let legal = step["legal"].as_array().expect("moves").iter().filter_map(Value::as_str);
        let legal: Vec<String> = legal.map(|token| term(game, token, before)).collect();
        let mut next = Vec::new();
        for role in &roles {
            let answer = player.says(role, &format!("(PLAY {id} {told})"));
            if step["to_move"] == *role {
                assert!(legal.contains(&answer), "{id} {role}, ply {ply}: {answer}");
                next.push(term(game, token, before));
            } else {
                assert_eq!(answer, "noop", "{id} {role}, ply {ply}");
                next.push("noop".to_owned());
            }
        }
        told = format!("({})", next.join(" "));
    }
    for role in &roles {
        assert_eq!(player.says(role, &format!("(STOP {id} {told})")), "done");
    }
}

#[test]
fn whole_matches_are_played_in_all_games() {
    let player = Player::start(&["--iterations", "20", "--matches", "6"]);
    let mut scores = Vec::new();
    for game in ["quarto", "qubic", "gomoku", "pentago", "krk"] {
        let traces = traces(game, "ggp");
        for (number, trace) in traces.iter().take(2).enumerate() {
            let id = format!("{game}.{number}");
            replay(&player, &id, trace);
            let last = trace.steps.last().expect("a step");
            for role in roles(game) {
                scores
                    .push(format!("\"{id}\" \"{role}\": the match is over, score {}", last["scores"][role]));
            }
        }
    }
    assert_eq!(player.says("", "(INFO)"), "((name quintet) (status available))");
    let log = player.log(&scores);
    assert!(!log.contains("don't fit") && !log.contains("no message told"), "{log}");
}

#[test]
fn matches_are_played_side_by_side() {
    let player = Player::start(&["--iterations", "20", "--matches", "5"]);
    let games = ["quarto", "qubic", "gomoku", "pentago", "krk"];
    std::thread::scope(|scope| {
        for game in games {
            let player = &player;
            // The first role is the only one that is played here.
            scope.spawn(move || {
                let trace = &traces(game, "ggp")[2];
                let (roles, id) = (roles(game), format!("m.{game}"));
                player.starts(&id, game, roles[0], "1 20");
                let mut told = "nil".to_owned();
                for (ply, token) in trace.moves.iter().enumerate() {
                    let answer = player.says(roles[0], &format!("(PLAY {id} {told})"));
                    let to_move = trace.steps[ply]["to_move"].as_str().expect("a role");
                    assert_eq!(answer == "noop", to_move != roles[0], "{id} {ply}: {answer}");
                    let before = &trace.moves[ply.saturating_sub(1)];
                    let term = term(game, token, before);
                    let moves: Vec<&str> =
                        roles.iter().map(|role| if *role == to_move { &*term } else { "noop" }).collect();
                    told = format!("({})", moves.join(" "));
                }
                assert_eq!(player.says(roles[0], &format!("(STOP {id} {told})")), "done");
            });
        }
    });
}

#[test]
fn clocks_are_used_and_kept() {
    let player = Player::start(&["--margin", "500ms"]);
    let begin = Instant::now();
    player.starts("m", "gomoku", "player1", "2 2");
    let start = begin.elapsed();
    assert!(Duration::from_millis(1400) < start && start < Duration::from_secs(2), "{start:?}");
    let begin = Instant::now();
    assert!(player.says("player1", "(PLAY m nil)").starts_with("(place "));
    let play = begin.elapsed();
    assert!(play < Duration::from_secs(2), "{play:?}");
    // The set-up goes on with the second stone of player1.
    let begin = Instant::now();
    assert!(player.says("player1", "(PLAY m ((place 6 6) noop))").starts_with("(place "));
    assert!(begin.elapsed() < Duration::from_secs(2), "{:?}", begin.elapsed());
}

#[test]
fn a_slow_server_takes_its_time_from_the_clock() {
    let player = Player::start(&["--margin", "600ms"]);
    player.starts("m", "gomoku", "player1", "0 2");
    let message = "(PLAY m nil)";
    let begin = Instant::now();
    let mut stream = player.connect();
    write!(stream, "POST / HTTP/1.0\r\nContent-Length: {}\r\n\r\n", message.len()).expect("it can be sent");
    sleep(Duration::from_millis(900));
    stream.write_all(message.as_bytes()).expect("it can be sent");
    let (status, answer) = read(stream);
    assert_eq!(status, 200);
    assert!(answer.starts_with("(place "), "{answer}");
    assert!(begin.elapsed() < Duration::from_secs(2), "{:?}", begin.elapsed());
}

#[test]
fn rules_are_recognized_whatever_their_form_and_no_others() {
    let player = Player::start(&["--iterations", "20"]);
    let rules = "(<= (next (board ?a)) (role ?b) ; other names\n(turn ?b) (true (board ?a)))
                 (INIT (Board PENTAGO)) (role BLACK) (role Red)
                 (<= (legal ?p NOOP) (not (turn ?p)) (role ?p))";
    assert_eq!(player.says("", &format!("(START m RED ({rules}) 0 10)")), "ready");
    // Moves are in the order of these rules, and spelled as they are.
    assert!(player.says("", "(PLAY m nil)").starts_with("(place "));
    assert!(player.says("", "(PLAY m (NOOP (PLACE 1 1 1)))").starts_with("(rotate "));
    assert_eq!(player.says("", "(PLAY m (noop (rotate 1 clockwise)))"), "NOOP");
    assert_eq!(player.says("", &format!("(PREVIEW ({rules}) 10)")), "ready");

    let other = rules.replace("(true (board ?a))", "");
    assert_eq!(player.says("", &format!("(START other red ({other}) 0 10)")), "busy");
    assert_eq!(player.says("", &format!("(PREVIEW ({other}) 10)")), "busy");
    assert_eq!(player.says("", "(PLAY other nil)"), "busy");
    assert_eq!(player.says("", &format!("(START no.role green ({rules}) 0 10)")), "busy");
    player.starts("next", "krk", "white", "0 10");
    player.log(&[
        "\"other\" \"red\": refused: rules, one in a line: line 1, column 1: the variable \"?a\" is in no",
        "preview refused: rules, one in a line: line 1, column 1: the variable",
        "\"no.role\" \"green\": refused: the rules have no role \"green\" to play; known: black, red",
    ]);
}

#[test]
fn messages_that_come_again_or_not_at_all_do_not_end_a_match() {
    let player = Player::start(&["--iterations", "50"]);
    player.starts("m", "pentago", "red", "0 10");
    player.starts("m", "pentago", "red", "0 10");
    // Another clock, or another order of the roles, is another START.
    let start = |rules: &str, clocks| format!("(START m red ({rules}) {clocks})");
    let rules = sheet("pentago");
    let reordered = rules.replacen("(role red)(role black)", "(role black)(role red)", 1);
    assert_ne!(reordered, rules);
    for other in [start(&rules, "0 5"), start(&rules, "1 10"), start(&reordered, "0 10")] {
        assert_eq!(player.says("red", &other), "busy");
    }
    let first = player.says("red", "(PLAY m nil)");
    assert_eq!(player.says("red", "(PLAY m nil)"), first);
    let told = format!("(PLAY m ({first} noop))");
    let rotation = player.says("red", &told);
    assert!(rotation.starts_with("(rotate "), "{rotation}");
    assert_eq!(player.says("red", &told), rotation);
    // Case makes no difference.
    assert_eq!(player.says("red", &format!("(play m ({} (NOOP)))", first.to_uppercase())), rotation);
    assert_eq!(player.says("red", "(PLAY m nil)"), rotation);
    // The message with the rotation is lost: the next one has black's move.
    let placed = if first == "(place 1 1 1)" { "(place 1 1 2)" } else { "(place 1 1 1)" };
    let placed = if rotation.starts_with("(rotate 1 ") { "(place 3 2 1)" } else { placed };
    assert_eq!(player.says("red", &format!("(PLAY m (noop {placed}))")), "noop");
    // Moves that fit nowhere.
    for moves in ["((place 9 9 9) noop)", "(noop noop)", "(noop)", "((rotate 1 clockwise) noop noop)"] {
        assert_eq!(player.says("red", &format!("(PLAY m {moves})")), "nil", "{moves}");
    }
    let answer = player.says("red", "(PLAY m (noop (rotate 2 clockwise)))");
    assert!(answer.starts_with("(place "), "{answer}");
    // The server has played another move.
    let other = if answer == "(place 2 2 2)" { "(place 2 3 3)" } else { "(place 2 2 2)" };
    let answer = player.says("red", &format!("(PLAY m ({other} noop))"));
    assert!(answer.starts_with("(rotate "), "{answer}");
    assert_eq!(player.says("red", "(STOP m nil)"), "done");
    assert_eq!(player.says("red", "(STOP m nil)"), "busy");
    player.log(&[
        "ready again",
        "no message told of ",
        "the moves don't fit the position",
        "the server played ",
        "before the end",
    ]);
}

#[test]
fn matches_are_told_apart_and_there_are_only_so_many() {
    let player = Player::start(&["--iterations", "20", "--matches", "2"]);
    player.starts("a", "quarto", "white", "0 10");
    player.starts("a", "quarto", "black", "0 10");
    assert_eq!(player.says("", "(INFO)"), "((name quintet) (status busy))");
    assert_eq!(player.says("", "(ping)"), "busy");
    let start = |id| format!("(START {id} white ({}) 0 10)", sheet("krk"));
    assert_eq!(player.says("white", &start("b")), "busy");
    assert_eq!(player.says("white", &start("a")), "busy");
    assert!(player.says("white", "(PLAY a nil)").starts_with("(select "));
    assert_eq!(player.says("black", "(PLAY a nil)"), "noop");
    for message in ["(PLAY b nil)", "(STOP b nil)", "(ABORT b)", "(PLAY A nil)", "(ABORT a)"] {
        assert_eq!(player.says("", message), "busy", "{message}");
    }
    assert_eq!(player.says("white", "(ABORT a)"), "aborted");
    assert_eq!(player.says("", "(PING)"), "ready");
    assert_eq!(player.says("white", &start("b")), "ready");
    // A server that names no receiver means the only match of that name.
    assert!(player.says("", "(PLAY b nil)").starts_with("(move w"));
}

#[test]
fn bad_requests_are_answered_and_change_nothing() {
    let player = Player::start(&["--iterations", "20"]);
    player.starts("m", "krk", "white", "0 10");
    for (message, status, part) in [
        ("", 400, "the message is empty"),
        ("hello", 400, "the message is no list"),
        ("(PLAY m", 400, "line 1, column 1: a parenthesis is not closed"),
        ("(PLAY m nil))", 400, "line 1, column 13: a parenthesis closes that was not opened"),
        ("(DANCE m)", 400, "unknown message \"DANCE\"; known: INFO, PING, START"),
        ("(START m white)", 400, "START: expected (START MATCH ROLE (RULES) STARTCLOCK PLAYCLOCK)"),
        ("(START n white ((role white)) soon 5)", 400, "\"soon\" is not a clock"),
        (&"(".repeat(10_000), 400, "nested more than 64 deep"),
        (&format!("(START m white {} 5 5)", "(".repeat(100_000)), 400, "nested more than 64 deep"),
        (&format!("(PLAY m ({}))", "noop ".repeat(10_000)), 400, "at most 16384 bytes"),
        (&" ".repeat((256 << 10) + 1), 413, "at most 262144 bytes"),
        (&" ".repeat(4 << 20), 413, "at most 262144 bytes"),
    ] {
        player.refuses(message, status, part);
    }
    assert_eq!(player.says("", "(START n white () 5 5)"), "busy");
    assert_eq!(player.says("", "(START n white ((<=)) 5 5)"), "busy");
    let raw = |text: &[u8]| {
        let mut stream = player.connect();
        stream.write_all(text).expect("it can be sent");
        read(stream).0
    };
    assert_eq!(raw(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"), 405);
    assert_eq!(raw(b"OPTIONS / HTTP/1.1\r\nHost: a\r\nOrigin: http://b\r\n\r\n"), 200);
    assert_eq!(raw(b"POST / HTTP/1.0\r\nContent-Length: 3\r\n\r\n(\xff)"), 400);
    assert_eq!(raw(b"nonsense\r\n\r\n"), 400);
    // Clients that go away.
    player.connect();
    drop(player.send("", "(PLAY m nil)"));
    assert!(player.says("", "(PLAY m nil)").starts_with("(move w"));
}

#[test]
fn wrong_arguments_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("x.kif");
    fs::write(&file, "(role white) (role red)").expect("it can be written");
    let long = folder.path().join("long.kif");
    fs::write(&long, ";".repeat((4 << 20) + 1)).expect("it can be written");
    for (args, part) in [
        (vec!["--rulesheet".to_owned(), "quarto".to_owned()], "expected GAME:RULES=FILE"),
        (vec!["--rulesheet".to_owned(), format!("chess:ggp={}", file.display())], "unknown game \"chess\""),
        (
            vec!["--rulesheet".to_owned(), "krk:ggp=none.kif".to_owned()],
            "can't read the rulesheet \"none.kif\"",
        ),
        (
            vec!["--rulesheet".to_owned(), format!("krk:ggp={}", long.display())],
            "long.kif\" has more than 4 MiB",
        ),
        (
            vec!["--rulesheet".to_owned(), format!("krk:ggp={}", file.display())],
            "the roles of krk ggp are black white, not \"red white\"",
        ),
        (vec!["--margin".to_owned(), "soon".to_owned()], "--margin"),
        (vec!["--engine".to_owned(), "ugi:command=x".to_owned()], "external engines"),
        (vec!["--listen".to_owned(), "192.0.2.1".to_owned()], "; --listen takes an address of this machine"),
    ] {
        let run = quintet([vec!["ggp".to_owned(), "--port".to_owned(), "0".to_owned()], args].concat());
        assert_eq!(run.code, Some(2), "{run}");
        assert!(run.stderr.contains(part), "{part}: {run}");
    }
}

//! The streams of `analyze`, `gomocup` and `ugi`, and the messages of `ggp`.

use std::io::Cursor;
use std::num::NonZeroUsize;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use quintet::Program;
use quintet_analysis::{Limits, QueryLimits, QueryScheduler, Sources};
use quintet_arena::ProgramConfig;
use quintet_arena::engine::{Models, Settings};
use quintet_protocol::gomocup::{Answer, Command};

use super::{PROGRAM, check_message};

/// Answers JSON queries. Each search takes a few milliseconds at most.
pub fn analyze(data: &[u8]) {
    // Workers do not end, so all inputs have the same.
    static SCHEDULER: LazyLock<QueryScheduler> = LazyLock::new(|| {
        let most = QueryLimits { time: Duration::from_millis(3), threads: 4, memory: 16 << 20 };
        let limits = Limits { of_query: Some(most), ..Limits::of_one_client() };
        QueryScheduler::start(player(), limits, Sources::default()).expect("there are threads")
    });
    let answers = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&answers);
    let client = SCHEDULER.client(move |answer| {
        let answer = serde_json::to_value(&answer).expect("an answer is JSON");
        sink.lock().expect("no panic").push(answer);
    });
    let mut input = data;
    let mut lines = 0;
    while let Ok(Some(line)) = quintet_protocol::next_line(&mut input) {
        if !line.as_ref().is_ok_and(Vec::is_empty) {
            lines += 1;
            client.line(line);
        }
    }
    client.finish();
    let mut last = 0;
    for answer in std::mem::take(&mut *answers.lock().expect("no panic")) {
        assert!(answer.get("id").is_some(), "{answer}");
        last += usize::from(answer.get("partial").is_none());
        if let Some(error) = answer.get("error") {
            assert!(error.as_str().is_some_and(|it| !it.is_empty()), "{answer}");
        }
        let Some(candidates) = answer["candidates"].as_array() else { continue };
        assert_eq!(candidates[0]["move"], answer["move"], "the best move comes first");
        let values = candidates.iter().filter_map(|it| it["value"].as_f64());
        assert!(values.clone().all(|value| (0.0..=100.0).contains(&value)), "{answer}");
        assert!(candidates.iter().all(|it| it["pv"].as_array().is_none_or(|pv| pv[0] == it["move"])));
    }
    // A query may have no plies to answer, and any may have several.
    let nothing = data.windows(13).filter(|it| it == b"analyze_plies").count();
    assert!(last + nothing >= lines, "{last} answers to {lines} lines");
}

/// A player whose searches take 20 iterations if the input does not limit them.
fn player() -> ProgramConfig {
    let Program { name, version, games } = PROGRAM.clone();
    let settings = Settings { iterations: Some(20), threads: Some(NonZeroUsize::MIN), ..Settings::default() };
    ProgramConfig { name, version, games, settings, seed: 0 }
}

/// Runs commands of a manager of Gomocup.
pub fn gomocup(data: &[u8]) {
    let input = Cursor::new([data, b"\nDONE\nABOUT\n"].concat());
    let mut out = Vec::new();
    quintet_players::gomocup::run(player(), Duration::ZERO, input, &mut out)
        .expect("memory can be read and written");
    let out = String::from_utf8(out).expect("answers are UTF-8");
    for line in out.lines() {
        match line.parse() {
            Ok(Answer::Cells(cells)) => {
                assert!(
                    (1..=3).contains(&cells.len()) && cells.iter().all(|it| it.name(11).is_some()),
                    "{line}"
                );
            }
            Ok(Answer::Suggest(_) | Answer::Debug(_)) => panic!("it does not say this: {line}"),
            Ok(_) => {}
            Err(_) => assert!(line.starts_with("name=\"") || line == "FORBID .", "{line}"),
        }
    }
    let lines = data.split(|&byte| byte == b'\n').filter_map(|line| str::from_utf8(line).ok());
    let ends = lines.map(str::parse).any(|command| command == Ok(Command::End));
    assert!(ends || out.lines().last().is_some_and(|line| line.starts_with("name=\"")), "{out}");
}

/// Runs UGI commands. Those that would search for long are left out. Every `go` has one answer.
pub fn ugi(data: &[u8]) {
    let lines: Vec<&[u8]> = data.split(|&byte| byte == b'\n').filter(|line| is_quick(line)).collect();
    let mut input = lines.join(&b'\n');
    input.extend(b"\nisready\n");
    let command = |line: &&[u8]| {
        let line = String::from_utf8_lossy(line).into_owned();
        line.trim_ascii().trim_start_matches('\u{feff}').split_whitespace().next().map(str::to_owned)
    };
    let commands = lines.iter().filter_map(command).take_while(|command| command != "quit");
    let searches = commands.filter(|command| command == "go").count();
    let mut out = Vec::new();
    quintet_players::ugi::run(player(), Models::default(), Cursor::new(input), &mut out)
        .expect("memory can be read and written");
    let out = String::from_utf8(out).expect("answers are UTF-8");
    assert!(!out.contains("the search failed"), "{out}");
    assert_eq!(out.lines().filter(|line| line.starts_with("bestmove ")).count(), searches, "{out}");
    let quits = data.split(u8::is_ascii_whitespace).any(|word| word == b"quit");
    assert!(quits || out.contains("readyok"), "{out}");
    for position in out.lines().filter_map(|line| line.strip_prefix("position: ")) {
        let is_read = PROGRAM.games.variants().iter().any(|game| {
            let mut session = game.start();
            session.reset(Some(position)).is_ok() && session.position() == position
        });
        assert!(is_read, "{position}");
    }
}

/// Whether a command starts no long search and few trees.
fn is_quick(line: &[u8]) -> bool {
    let line = String::from_utf8_lossy(line);
    let words: Vec<&str> = line.split_whitespace().collect();
    // Numbers may have a unit, such as 2M. Four digits of 0 and 1 are a move of Quarto.
    let is_piece = |word: &str| word.len() == 4 && word.bytes().all(|it| it == b'0' || it == b'1');
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit() || "+.".contains(c));
    let is_large = |word: &&str| {
        is_number(word) && !is_piece(word) && !word.parse::<u64>().is_ok_and(|number| number <= 50)
    };
    match words.first() {
        Some(&"go") => !words.iter().any(is_large),
        Some(&"setoption") => !line.to_lowercase().contains("threads") || !words.iter().any(is_large),
        _ => true,
    }
}

/// Reads a message of the General Game Playing protocol. The order of rules makes no difference.
pub fn ggp(data: &[u8]) {
    let message = String::from_utf8_lossy(data);
    match quintet_players::ggp::fingerprints(&message) {
        Ok(Some([there, back])) => assert_eq!(there, back, "{message}"),
        Ok(None) => {}
        Err(error) => check_message(&error, &message),
    }
}

//! Game records and opening books.

use std::borrow::Cow;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use quintet_arena::tournament::{self, Book, GameLog, LogError, Openings, Standings, Watch};
use quintet_core::game::Side;
use quintet_protocol::{End, GameRecord};
use serde_json::Value;

use super::PROGRAM;

/// Replays records as `replay --json` does.
pub fn replay(data: &[u8]) {
    let out = quintet::fuzzing::replay(&PROGRAM.games, data).expect("memory can be read and written");
    let out = String::from_utf8(out).expect("JSON is UTF-8");
    let mut input = data;
    let mut answers = out.lines();
    while let Ok(Some(line)) = quintet_protocol::next_line(&mut input) {
        let answer = answers.next().expect("an answer to every line");
        let answer: Value = serde_json::from_str(answer).expect("an answer is JSON");
        if answer["ok"] == true {
            let record: Value = serde_json::from_slice(&line.expect("it was read")).expect("it was read");
            let (moves, steps) = (record["moves"].as_array(), answer["steps"].as_array());
            let (moves, steps) = (moves.expect("it was replayed"), steps.expect("it was replayed"));
            assert_eq!(steps.len(), moves.len() + 1);
            for (mv, step) in moves.iter().zip(steps) {
                assert_eq!(step["terminal"], false);
                let legal = step["legal"].as_array().expect("a list");
                assert!(legal.contains(mv), "{mv} is not listed");
            }
        } else {
            assert!(answer["error"]["message"].as_str().is_some_and(|it| !it.is_empty()), "{answer}");
        }
    }
    assert_eq!(answers.next(), None);
}

/// Reads an opening book.
pub fn book(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let Ok(whole) = Book::read(&mut text.as_bytes(), None, &PROGRAM.games) else { return };
    assert_eq!(
        Book::read(&mut format!("\n{text}\n\n").as_bytes(), None, &PROGRAM.games).as_ref(),
        Ok(&whole)
    );
    let description = Openings::Book(whole).describe(false);
    // Its first moves are a book too.
    let short = Book::read(&mut text.as_bytes(), Some(1), &PROGRAM.games).expect("a shorter opening is one");
    let count = |description: &str| description.split(' ').next().map(str::to_owned);
    assert_eq!(count(&Openings::Book(short).describe(false)), count(&description));
}

/// Reads, resumes and merges the file of an arena.
pub fn game_log(data: &[u8]) {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let path = folder.path().join("games.jsonl");
    let mut content = Cow::Borrowed(data);
    // Nothing gets past the seed by chance, so a wrong seed is replaced by the right one.
    for _ in 0..8 {
        match read(&path, &content) {
            Ok(records) => return check(&path, &records),
            Err(LogError::Line { line, message, .. }) => {
                let Some((_, seed)) = message.split_once("but this game of the arena has ") else { return };
                content = Cow::Owned(with_seed(&content, line, seed));
            }
            Err(error) => panic!("{error}"),
        }
    }
}

/// Returns `content` with another seed in a line.
fn with_seed(content: &[u8], number: usize, seed: &str) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> =
        content.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
    let object = quintet_protocol::object(lines[number - 1].trim_ascii_end());
    let mut record: GameRecord = object.and_then(quintet_protocol::read).expect("it was read");
    record.seed = seed.parse().expect("a seed is a number");
    lines[number - 1] = serde_json::to_vec(&record).expect("a record is JSON");
    lines[number - 1].push(b'\n');
    lines.concat()
}

/// Reads and resumes a file with this content, which have to agree.
fn read(path: &Path, content: &[u8]) -> Result<Vec<GameRecord>, LogError> {
    fs::write(path, content).expect("it can be written");
    let records = tournament::read_games(path, &PROGRAM.games);
    let resumed = GameLog::resume(path, &PROGRAM.games).map(|(_, records)| records);
    let now = fs::read(path).expect("it is there");
    match (&records, resumed) {
        (Ok(records), Ok(resumed)) => {
            assert_eq!(*records, resumed);
            assert!(content.starts_with(&now), "resuming changed more than the end");
            assert_eq!(now.split_inclusive(|&byte| byte == b'\n').count(), records.len());
        }
        (Err(error), Err(again)) => {
            assert_eq!(error.to_string(), again.to_string());
            assert_eq!(now, content, "a refused file was changed");
        }
        (records, resumed) => panic!("read {records:?}, but resumed {resumed:?}"),
    }
    records
}

/// Checks what is counted from a file.
fn check(path: &Path, records: &[GameRecord]) {
    for record in records {
        check_score(record);
    }
    let lines: Vec<String> =
        records.iter().map(|it| serde_json::to_string(it).expect("JSON") + "\n").collect();
    fs::write(path, lines.concat()).expect("it can be written");
    assert_eq!(tournament::read_games(path, &PROGRAM.games).expect("as printed"), records);

    check_watch(path, records);
    let twice = ["a", "b"].map(|name| (name.to_owned(), records.to_vec()));
    if let Ok(merged) = tournament::merge(twice.into()) {
        assert_eq!(merged.len(), records.len());
        assert!(records.iter().all(|it| merged.contains(it)), "merging lost a game");
        let again = tournament::merge(vec![("c".to_owned(), merged.clone())]).expect("they were merged");
        assert_eq!(again, merged);
        let counted: u64 =
            Standings::of(&merged, &PROGRAM.games).matches.iter().map(|it| it.results.games()).sum();
        assert_eq!(counted, records.len() as u64);
    }
    let summary = Standings::of(records, &PROGRAM.games).summary(None);
    let page = quintet_page::report("games.jsonl", records, summary, &PROGRAM.games);
    assert!(records.is_empty() || page.expect("the records are right").trim_end().ends_with("</html>"));
}

/// Watches a file with these records. A watch ends before the first game of another tournament.
fn check_watch(path: &Path, records: &[GameRecord]) {
    let mut watch = Watch::new(path, PROGRAM.games.clone());
    let first = watch.news();
    let news = first.as_ref().map_or(&[][..], |it| &it.records);
    assert!(records.starts_with(news), "{news:?}");
    let is_whole = first.is_ok() && watch.news().is_ok_and(|it| it.records.is_empty());
    let summary = tournament::summary(records.iter().cloned(), &PROGRAM.games, &AtomicBool::new(false));
    assert_eq!(is_whole, summary.is_ok(), "{summary:?}");
    assert!(!is_whole || news.len() == records.len());
}

/// Checks that the moves of a record can be played and lead to its scores.
fn check_score(record: &GameRecord) {
    let game = PROGRAM.games.find(&record.game, Some(&record.rules)).expect("a known game");
    let mut session = game.start();
    session.reset(record.position.as_deref()).expect("a counted game has a start");
    for token in &record.moves {
        session.play(token).expect("a counted game can be replayed");
    }
    assert_eq!(session.outcome().is_some(), record.end == End::Rules);
    if let Some(outcome) = session.outcome() {
        for role in &game.roles {
            assert_eq!(record.scores[&*role.name], outcome.score(role.side));
        }
    }
    let score =
        |side| game.roles.iter().find(|role| role.side == side).map(|role| record.scores[&*role.name]);
    assert_eq!(score(Side::First).zip(score(Side::Second)).map(|(a, b)| a + b), Some(100));
}

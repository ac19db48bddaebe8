//! The game log of a tournament: a file with one JSON line per game.
//!
//! A line is written in one piece when its game ends; [`GameLog::add`] can sync it to disk. However
//! the program is killed, the file holds every game added before and at most one torn line at its
//! end, which [`GameLog::resume`] removes.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Read, Seek as _};
use std::path::{Path, PathBuf};

use quintet_core::registry::Registry;
use quintet_protocol::GameRecord;

use super::record::checked;
use super::variant_name::VariantName;
use crate::files;

/// A game log. Only one program at a time can write to it.
#[derive(Debug)]
pub struct GameLog {
    file: File,
    path: PathBuf,
    /// The length of the whole lines, in bytes.
    length: u64,
}

/// Why a game log can't be used.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// An I/O error.
    #[error("can't {what} {name}: {error}")]
    System {
        /// What was attempted: read, write or repair.
        what: &'static str,
        /// The file.
        name: String,
        /// The system's error.
        error: io::Error,
    },
    /// Another program is writing to the file.
    #[error("{0} is being written by another arena")]
    InUse(String),
    /// The file is not empty, and the tournament was not to be resumed.
    #[error("{0} already has content")]
    HasContent(String),
    /// Another program deleted, replaced or changed the file.
    #[error("{name} was deleted, replaced or changed by another program; {}", match .rescued {
        Ok(file) => format!("{file} has its games"),
        Err(error) => format!("what was written to it is lost, as it could not be saved: {error}"),
    })]
    Lost {
        /// The file.
        name: String,
        /// A new file with the games, or why they could not be saved.
        rescued: Result<String, String>,
    },
    /// A line, other than a torn last one, is not a game record.
    #[error("{name}, line {line}: {message}")]
    Line {
        /// The file.
        name: String,
        /// The line's number, from 1.
        line: usize,
        /// What is wrong with it.
        message: String,
    },
}

impl LogError {
    /// Something can't be done with a file.
    pub(super) fn cant(what: &'static str, path: &Path) -> impl Fn(io::Error) -> Self + use<> {
        let name = path.display().to_string();
        move |error| Self::System { what, name: name.clone(), error }
    }
}

impl GameLog {
    /// Creates a log; the file must be new or empty.
    ///
    /// # Errors
    /// [`LogError`] if the file can't be written, has content, or is in use.
    pub fn create(path: &Path) -> Result<Self, LogError> {
        let log = Self::open(path)?;
        if log.length > 0 { Err(LogError::HasContent(path.display().to_string())) } else { Ok(log) }
    }

    /// Opens or creates a log and returns the games in it. Removes a torn line at its end.
    ///
    /// # Errors
    /// [`LogError`] if the file can't be read and written, is in use, or has a line, other than a
    /// torn last one, that is not a record.
    pub fn resume(path: &Path, registry: &Registry) -> Result<(Self, Vec<GameRecord>), LogError> {
        let mut log = Self::open(path)?;
        let (records, length) = parse(path, &log.file, registry)?;
        if length < log.length {
            log.file.set_len(length).map_err(LogError::cant("repair", path))?;
            log.length = length;
        }
        Ok((log, records))
    }

    /// Opens and locks the file.
    fn open(path: &Path) -> Result<Self, LogError> {
        let failed = LogError::cant("write", path);
        let Some(file) = files::open_alone(path, &mut files::to_add()).map_err(&failed)? else {
            return Err(LogError::InUse(path.display().to_string()));
        };
        let is_regular = files::is_regular(&file).map_err(&failed)?;
        let length = if is_regular { file.metadata().map_err(&failed)?.len() } else { 0 };
        Ok(Self { file, path: path.to_owned(), length })
    }

    /// Adds a game. With `sync`, this and all earlier games are on disk when it returns.
    ///
    /// # Errors
    /// [`LogError`] if the game can't be written, for example because the disk is full; earlier
    /// games are safe unless the file is [lost](Self::check).
    pub fn add(&mut self, record: &GameRecord, sync: bool) -> Result<(), LogError> {
        let line = json(record) + "\n";
        // Should a part of the line stay, resuming removes it.
        files::add(&self.file, line.as_bytes(), sync).map_err(LogError::cant("write", &self.path))?;
        self.length += line.len() as u64;
        self.check()
    }

    /// Whether no game has been written.
    pub(super) fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Checks that the file still is where it was, with all games.
    ///
    /// # Errors
    /// [`LogError::Lost`] if it is not. The games are saved in a new file beside it, if that is possible.
    pub fn check(&self) -> Result<(), LogError> {
        let length = match fs::metadata(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(LogError::cant("find", &self.path)(error));
            }
            found => found.ok().map(|it| it.len()),
        };
        if length == Some(self.length) || self.playing_path().is_none() {
            return Ok(());
        }
        Err(LogError::Lost { name: self.path.display().to_string(), rescued: self.rescue() })
    }

    /// Saves the games in a new file beside the log, and returns its name, or what is wrong.
    fn rescue(&self) -> Result<String, String> {
        let mut number = 1;
        loop {
            let mut path = self.path.clone().into_os_string();
            path.push(if number == 1 { ".rescued".to_owned() } else { format!(".rescued.{number}") });
            match self.copy(path.as_ref()) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                result => return result.map(|()| path.display().to_string()).map_err(|it| it.to_string()),
            }
        }
    }

    /// Copies the games to a new file. The file that is open has them even where it has no name any more.
    fn copy(&self, path: &Path) -> io::Result<()> {
        if self.file.metadata()?.len() < self.length {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file was cut"));
        }
        let (mut from, mut to) = (&self.file, File::create_new(path)?);
        from.seek(io::SeekFrom::Start(0))?;
        io::copy(&mut from.take(self.length), &mut to)?;
        to.sync_all()
    }

    /// Returns where the games being played are [kept](super::Playing::keep) for others: beside the
    /// log, under its name and `.playing`. `None` if the log is no file but a device.
    #[must_use]
    pub fn playing_path(&self) -> Option<PathBuf> {
        files::is_regular(&self.file).unwrap_or(false).then(|| beside(&self.path))
    }
}

/// Returns a record as JSON, without the end of its line.
pub(super) fn json(record: &GameRecord) -> String {
    serde_json::to_string(record).expect("all keys of a record are strings")
}

/// Reads a game log without writing to it. Skips a torn line at its end.
///
/// # Errors
/// [`LogError`] if the file can't be read, or has a line, other than a torn last one, that is not a
/// record.
pub fn read_games(path: &Path, registry: &Registry) -> Result<Vec<GameRecord>, LogError> {
    let file = File::open(path).map_err(LogError::cant("read", path))?;
    Ok(parse(path, file, registry)?.0)
}

/// Returns the records in a log, and the length of their lines in bytes. [Checks](checked) every
/// game, and that none is there twice.
fn parse(path: &Path, log: impl Read, registry: &Registry) -> Result<(Vec<GameRecord>, u64), LogError> {
    let failed = LogError::cant("read", path);
    let mut input = BufReader::new(log);
    let mut length = 0;
    let mut records = Vec::new();
    let mut known = HashMap::new();
    for number in 1.. {
        let wrong = |message| LogError::Line { name: path.display().to_string(), line: number, message };
        let Some(line) = quintet_protocol::next_whole_line(&mut input).map_err(&failed)? else { break };
        let line = line.map_err(wrong)?;
        // What follows a line without an end was written after it was read.
        let is_last = !line.ends_with(b"\n") || input.fill_buf().map_err(&failed)?.is_empty();
        if is_last && is_torn(&line) {
            break;
        }
        length += line.len() as u64;
        let record = read_record(&line, registry).map_err(wrong)?;
        let engines = record.engines().map(str::to_owned);
        let key = (VariantName::from(&record), engines, record.arena.seed, record.pair, record.seating());
        if let Some(other) = known.insert(key, number) {
            return Err(wrong(format!("the same game as in line {other}")));
        }
        records.push(record);
    }
    Ok((records, length))
}

/// Reads a line and [checks](checked) its record.
pub(super) fn read_record(line: &[u8], registry: &Registry) -> Result<GameRecord, String> {
    let object = quintet_protocol::object(line.trim_ascii_end())?;
    checked(quintet_protocol::read(object)?, registry)
}

/// Whether the last line of a log may be the first part of a record, or one damaged by a power cut,
/// rather than a whole line or text that somebody wants to keep.
#[must_use]
pub fn is_torn(line: &[u8]) -> bool {
    const START: &[u8] = br#"{"game":""#;
    let is_start = line.starts_with(START) || START.starts_with(line);
    line.contains(&0) || !line.ends_with(b"\n") && is_start
}

/// Returns the file of the games being played beside the game log at `log`, or at the target of a
/// link.
pub(super) fn beside(log: &Path) -> PathBuf {
    let mut path = fs::canonicalize(log).unwrap_or_else(|_| log.to_owned()).into_os_string();
    path.push(".playing");
    path.into()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A file that has grown whenever its end has been reached.
    pub(in crate::tournament) struct Growing(Vec<Vec<u8>>);

    impl Growing {
        /// Returns a file that ends with the first part of a second line, and then has the rest of it.
        pub(in crate::tournament) fn at_second_line() -> Self {
            let (start, rest) = RECORD.split_at(40);
            let parts = [format!("{RECORD}\n{start}"), String::new(), format!("{rest}\n")];
            Self(parts.map(String::into_bytes).into())
        }
    }

    impl Read for Growing {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let part = if self.0.is_empty() { Vec::new() } else { self.0.remove(0) };
            buffer[..part.len()].copy_from_slice(&part);
            Ok(part.len())
        }
    }

    const RECORD: &str = r#"{"game":"krk","rules":"spec","pair":11,"opening":["Kc1-b2"],"moves":["Kc1-b2","ka4-b4","Rd1-d4"],"seats":{"white":"a","black":"b"},"scores":{"white":100,"black":0},"seed":10077524664019343039,"end":"rules","arena":{"program":"quintet 0.1.0","seed":0,"openings":"1 random plies","engines":{"a":"random","b":"random"}}}"#;

    fn read(bytes: &[u8]) -> Result<(Vec<GameRecord>, u64), LogError> {
        parse(Path::new("x"), bytes, &quintet_games::registry())
    }

    #[test]
    fn others_read_a_log_that_is_written_and_none_writes_it() {
        let folder = tempfile::tempdir().expect("a temporary directory can be made");
        let path = folder.path().join("games.jsonl");
        let games = quintet_games::registry();
        std::fs::write(&path, format!("{RECORD}\n{}", &RECORD[..40])).expect("it can be written");
        let (mut log, records) = GameLog::resume(&path, &games).expect("a torn end is no error");
        let other = RECORD.replace("\"b\"", "\"c\"").replace("10077524664019343039", "4383061781223531836");
        let other = read_record(other.as_bytes(), &games).expect("a record");
        log.add(&other, true).expect("it can be written");
        assert_eq!(read_games(&path, &games).expect("two games"), [&records[..], &[other]].concat());
        let second = GameLog::resume(&path, &games).expect_err("it is in use").to_string();
        assert_eq!(second, format!("{} is being written by another arena", path.display()));
        drop(log);
        assert_eq!(GameLog::resume(&path, &games).expect("it is free").1.len(), 2);
    }

    // Windows lets nobody do that to a file that is open for writing.
    #[cfg(unix)]
    #[test]
    fn a_log_that_is_lost_is_noticed_and_its_games_are_saved() {
        let record = read(format!("{RECORD}\n").as_bytes()).expect("a record").0.remove(0);
        let lose = |lose: &dyn Fn(&Path), name: &str| {
            let folder = tempfile::tempdir().expect("a temporary directory can be made");
            let path = folder.path().join("games.jsonl");
            let mut log = GameLog::create(&path).expect("it is new");
            log.add(&record, false).expect("it can be written");
            log.check().expect("nobody has touched it");
            lose(&path);
            let error = log.add(&record, true).expect_err("it is not there");
            let saved = fs::read_to_string(folder.path().join(name)).ok();
            let message = error.to_string();
            assert!(message.contains("games.jsonl was deleted, replaced or changed by another"), "{message}");
            assert_eq!(saved.is_some(), message.ends_with(&format!("{name} has its games")), "{message}");
            assert!(saved.is_some() || message.ends_with("the file was cut"), "{message}");
            saved.map(|text| text.lines().count())
        };
        let first = "games.jsonl.rescued";
        assert_eq!(lose(&|path| fs::remove_file(path).expect("it is there"), first), Some(2));
        let again = |path: &Path| {
            fs::write(path.with_file_name(first), "others").expect("it can be written");
            fs::remove_file(path).expect("it is there");
        };
        assert_eq!(lose(&again, "games.jsonl.rescued.2"), Some(2), "what is there stays");
        let replace = |path: &Path| {
            fs::copy(path, path.with_extension("new")).expect("it can be copied");
            fs::rename(path.with_extension("new"), path).expect("it can be replaced");
        };
        assert_eq!(lose(&replace, first), Some(2), "the other file has fewer games");
        assert_eq!(lose(&|path| fs::write(path, "").expect("it can be cut"), first), None);
    }

    #[test]
    fn a_record_is_read_and_written_alike() {
        let (records, length) = read(format!("{RECORD}\n").as_bytes()).expect("a record");
        assert_eq!(length as usize, RECORD.len() + 1);
        assert_eq!(json(&records[0]), RECORD);
    }

    #[test]
    fn a_torn_end_is_left_out_wherever_it_is_torn() {
        let whole = RECORD.len() + 1;
        let bytes = format!("{RECORD}\n{RECORD}\n").into_bytes();
        for cut in whole..bytes.len() {
            let (records, length) = read(&bytes[..cut]).expect("a torn end is no error");
            assert_eq!((records.len(), length as usize), (1, whole), "cut at {cut}");
        }
        let zeros = [&bytes[..whole], &[0; 40], b"\n"].concat();
        assert_eq!(read(&zeros).expect("zeros from a power cut").0.len(), 1);
        assert_eq!(read(b"{\"game\"").expect("a torn start").1, 0);
    }

    #[test]
    fn a_line_that_is_being_written_is_left_out() {
        let file = Growing::at_second_line();
        let (records, length) =
            parse(Path::new("x"), file, &quintet_games::registry()).expect("it is no error");
        assert_eq!((records.len(), length as usize), (1, RECORD.len() + 1));
    }

    #[test]
    fn an_error_names_the_line_of_the_file_and_no_other() {
        let error = read(format!("{RECORD}\n{{\n").as_bytes()).expect_err("no record").to_string();
        assert_eq!(error, "x, line 2: not JSON: EOF while parsing an object (column 1)");
    }

    #[test]
    fn a_record_that_was_changed_is_refused() {
        for (from, to, message) in [
            (
                r#""white":100,"black":0"#,
                r#""white":0,"black":100"#,
                "scores: by the rules white has 100, not 0",
            ),
            (r#""seed":10077524664019343039"#, r#""seed":7"#, "seed: 7, but this game of the arena has"),
            (r#""seed":0"#, r#""seed":1"#, "seed: 10077524664019343039, but"),
            (r#""pair":11"#, r#""pair":12"#, "seed: 10077524664019343039, but"),
            (
                r#""white":"a","black":"b""#,
                r#""white":"a","black":"c""#,
                "seats: \"a\" and \"c\", but the engines of the match are \"a\" and \"b\"",
            ),
            (
                r#""a":"random","b":"random""#,
                r#""a":"random","b":"random","c":"random""#,
                "seats: \"a\" and \"b\", but the engines of the match are \"a\" and \"b\" and \"c\"",
            ),
            (r#""pair":11"#, r#""pair":18446744073709551615"#, "pair: 18446744073709551615 is out of range"),
            (r#""arena":"#, r#""thoughts":[null],"arena":"#, "thoughts: 1, but there are 3 moves"),
            (r#","Rd1-d4"]"#, "]", "end: the game goes on after these moves, by its rules"),
            (r#""end":"rules""#, r#""end":"time""#, "end: the game is over after these moves, by its rules"),
            (r#""white":"a""#, r#""white":"\u001b[31m""#, r#"seats: the name "\u{1b}[31m" has the control"#),
            (
                r#""engines":"#,
                r#""models":{"c":"1"},"engines":"#,
                "arena.models: \"c\" is no engine of the match",
            ),
            (r#""opening":["Kc1-b2"]"#, r#""opening":["Kc1-c2"]"#, "opening: these are not the first moves"),
            (r#""ka4-b4","#, "", "ply 2: illegal move"),
        ] {
            assert!(RECORD.contains(from), "{from}");
            let error = read(format!("{}\n", RECORD.replace(from, to)).as_bytes()).expect_err(to).to_string();
            assert!(error.starts_with(&format!("x, line 1: {message}")), "{to}: {error}");
        }
        let fault = RECORD
            .replace(r#","Rd1-d4""#, "")
            .replace("rules\",\"arena", "time\",\"fault\":\"late\",\"arena");
        let drawn = fault.replace(r#""white":100,"black":0"#, r#""white":50,"black":50"#);
        assert_eq!(read(format!("{fault}\n").as_bytes()).expect("a fault").0.len(), 1);
        let without = fault.replace("\"fault\":\"late\",", "");
        let error = read(format!("{without}\n").as_bytes()).expect_err("no fault").to_string();
        assert_eq!(error, "x, line 1: fault: missing, but an engine lost by one");
        let error = read(format!("{drawn}\n").as_bytes()).expect_err("a draw").to_string();
        assert_eq!(error, "x, line 1: scores: an engine lost by a fault, so it has 0, and the other one 100");
        let error = read(format!("{RECORD}\n{RECORD}\n").as_bytes()).expect_err("twice").to_string();
        assert_eq!(error, "x, line 2: the same game as in line 1");
    }

    #[test]
    fn what_is_no_file_of_games_is_refused_and_not_mended() {
        for (text, number) in [
            ("notes", 1),
            ("notes\n", 1),
            (r#"{"a":1}"#, 1),
            (&format!("{RECORD}\n{{\"game\":\n{RECORD}\n"), 2),
            (&format!("{RECORD}\n{}\n", RECORD.replace("krk", "chess")), 2),
            (&format!("{RECORD}\n{}\n", RECORD.replace("\"white\":100", "\"white\":255")), 2),
            (&format!("{RECORD}\n{}\n", RECORD.replace("\"black\":0", "\"black\":50")), 2),
            (&format!("{RECORD}\n{}\n", RECORD.replace("\"pair\":11", "\"pair\":18446744073709551615")), 2),
        ] {
            match read(text.as_bytes()) {
                Err(LogError::Line { line, .. }) => assert_eq!(line, number, "{text}"),
                other => panic!("{text}: {other:?}"),
            }
        }
    }
}

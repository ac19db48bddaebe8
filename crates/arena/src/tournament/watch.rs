//! The file of a tournament, read while it is being written.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use quintet_core::hash::Fnv1a;
use quintet_core::registry::Registry;
use quintet_protocol::{ArenaResults, GameRecord, PlayingGame};

use super::log::beside;
use super::log::{LogError, is_torn, read_record};
use super::summary::RunningResults;
use crate::files;

/// A file of `arena --out`, read again and again while a tournament may be writing it.
///
/// It keeps the results of the games, about 100 bytes for each, and no record. Nothing that it does
/// disturbs the tournament.
#[derive(Debug)]
pub struct Watch {
    path: PathBuf,
    registry: Registry,
    place: Place,
    tally: RunningResults,
}

/// What is new in a watched file.
#[derive(Debug, Clone, Default)]
pub struct News {
    /// Whether `records` are the first of the file. They replace those of all earlier calls: the file
    /// is new or was replaced or cut.
    pub from_start: bool,
    /// The records since the last call, checked against the rules: at most [`Watch::MOST_AT_ONCE`].
    pub records: Vec<GameRecord>,
    /// Whether the file may have more of them: they are for the next call.
    pub has_more: bool,
    /// The games that are being played. Their moves are legal.
    pub playing: Vec<PlayingGame>,
    /// Whether a tournament is writing the file. If it was killed, this is false, except on a file
    /// system without locks.
    pub is_running: bool,
}

/// How far a file has been read.
#[derive(Debug, Default)]
struct Place {
    /// The length of the lines read, in bytes.
    position: u64,
    /// The number of these lines.
    lines: usize,
    /// The length of the last of them, with its end.
    last_length: u64,
    /// Its hash.
    last_hash: u64,
}

impl Watch {
    /// The most records that a call of [`news`](Self::news) returns.
    pub const MOST_AT_ONCE: usize = 1_000;

    /// The bytes of the file after which a call returns what it has read. A record is smaller than
    /// [`LONGEST_LINE`](quintet_protocol::LONGEST_LINE).
    const BYTES_AT_ONCE: u64 = 4 << 20;

    /// The most games of a file; those of a longer one are an error.
    pub const MOST_GAMES: usize = 1_000_000;

    /// Watches the file at `path`, which need not be there yet. It may have games of the `registry`.
    #[must_use]
    pub fn new(path: &Path, registry: Registry) -> Self {
        Self { path: path.to_owned(), registry, place: Place::default(), tally: RunningResults::default() }
    }

    /// Returns what is new since the last call. A line that is not whole yet waits for the next one.
    ///
    /// # Errors
    /// [`LogError`] if the file can't be read, or has a line that is no record of the same
    /// tournament as those before, or [too many](Self::MOST_GAMES). The records before the wrong line
    /// have been returned, and the next call tries again.
    pub fn news(&mut self) -> Result<News, LogError> {
        // First, so that a game which ends in between is in one of the two files at least.
        let playing = self.playing();
        let failed = LogError::cant("read", &self.path);
        let mut file = files::open_regular(&self.path).map_err(&failed)?;
        if !self.place.is_in(&mut file).map_err(&failed)? {
            self.place = Place::default();
            self.tally = RunningResults::default();
        }
        let start = self.place.position;
        file.seek(SeekFrom::Start(start)).map_err(failed)?;
        let mut news = News { from_start: start == 0, is_running: playing.is_some(), ..News::default() };
        let mut input = BufReader::new(file);
        loop {
            match self.next(&mut input) {
                Ok(Some(record)) => news.records.push(record),
                Ok(None) => break,
                Err(error) if news.records.is_empty() => return Err(error),
                Err(_) => {
                    // It is the error of the next call.
                    news.has_more = true;
                    break;
                }
            }
            let bytes = self.place.position - start;
            if news.records.len() == Self::MOST_AT_ONCE || bytes >= Self::BYTES_AT_ONCE {
                news.has_more = true;
                break;
            }
        }
        let known = |game: &PlayingGame| self.tally.standings.has(game);
        news.playing = playing.unwrap_or_default().into_iter().filter(|game| !known(game)).collect();
        Ok(news)
    }

    /// Returns the results and ratings of all records so far, as the line that `arena --json` prints.
    /// This takes longer the more games there are: 0.1 s for a million.
    #[must_use]
    pub fn summary(&self) -> ArenaResults {
        self.tally.standings.summary(None)
    }

    /// Reads the next line and adds its game; `None` if there is no whole line.
    fn next(&mut self, input: &mut impl BufRead) -> Result<Option<GameRecord>, LogError> {
        let number = self.place.lines + 1;
        let failed = LogError::cant("read", &self.path);
        let name = self.path.display().to_string();
        let wrong = |message| LogError::Line { name: name.clone(), line: number, message };
        let Some(line) = quintet_protocol::next_whole_line(input).map_err(&failed)? else { return Ok(None) };
        let line = line.map_err(wrong)?;
        let is_last = input.fill_buf().map_err(&failed)?.is_empty();
        // What follows a line without an end was written after it was read.
        if !line.ends_with(b"\n") || is_last && is_torn(&line) {
            return Ok(None);
        }
        if number > Self::MOST_GAMES {
            return Err(wrong(format!("there are more than {} games", Self::MOST_GAMES)));
        }
        let record = read_record(&line, &self.registry).map_err(wrong)?;
        self.tally.add(&record, &self.registry, &format!("line {number}")).map_err(wrong)?;
        self.place.pass(&line);
        Ok(Some(record))
    }

    /// Returns the games being played; `None` if no tournament runs.
    fn playing(&self) -> Option<Vec<PlayingGame>> {
        // A version that was replaced after it was opened is locked no more; the next one is.
        let path = beside(&self.path);
        let file = (0..3).find_map(|_| files::open_held(&path).ok().flatten())?;
        let mut input = BufReader::new(file);
        let mut playing = Vec::new();
        while let Ok(Some(line)) = quintet_protocol::next_line(&mut input) {
            let object = line.and_then(|line| quintet_protocol::object(&line));
            let game: Result<PlayingGame, String> = object.and_then(quintet_protocol::read);
            playing.extend(game.ok().filter(|game| self.is_right(game)));
        }
        Some(playing)
    }

    /// Whether a game can be shown.
    fn is_right(&self, playing: &PlayingGame) -> bool {
        let moves = playing.moves.iter().map(String::as_str);
        let game = self.registry.find(&playing.game, Some(&playing.rules));
        game.is_ok_and(|game| game.set_up(playing.position.as_deref(), moves).is_ok())
            && playing.moves.starts_with(&playing.opening)
            && playing.thoughts.len() == playing.moves.len()
    }
}

impl Place {
    /// Counts a line.
    fn pass(&mut self, line: &[u8]) {
        self.position += line.len() as u64;
        self.lines += 1;
        self.last_length = line.len() as u64;
        self.last_hash = hash(line);
    }

    /// Whether a file has the last line where it was.
    fn is_in(&self, file: &mut File) -> io::Result<bool> {
        let mut line = Vec::new();
        file.seek(SeekFrom::Start(self.position - self.last_length))?;
        file.take(self.last_length).read_to_end(&mut line)?;
        Ok(self.lines == 0 || hash(&line) == self.last_hash)
    }
}

fn hash(line: &[u8]) -> u64 {
    let mut hash = Fnv1a::default();
    hash.bytes(line.iter().copied());
    hash.hash()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::log::tests::Growing;

    #[test]
    fn a_line_that_is_written_while_it_is_read_waits() {
        let mut watch = Watch::new(Path::new("x"), quintet_games::registry());
        let mut input = BufReader::new(Growing::at_second_line());
        assert!(watch.next(&mut input).expect("a record").is_some());
        let position = watch.place.position;
        assert!(watch.next(&mut input).expect("no error").is_none());
        assert_eq!((watch.place.position, watch.place.lines), (position, 1));
    }
}

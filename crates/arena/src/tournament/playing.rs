//! The games that are being played, and the file that shows them to others.
//!
//! The file stands beside the game log and has a line for each game under way. It is there only
//! while a tournament runs, and it is never read back: no result depends on it.

use std::convert::Infallible;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, SystemTime};

use quintet_protocol::{PlayingGame, Thought};

use super::log::LogError;
use super::opening::Opening;
use super::schedule::{ScheduledGame, Tournament};
use crate::{files, locked};

/// The shortest time between two versions of the file.
const INTERVAL: Duration = Duration::from_millis(500);

/// The games of a tournament that are being played.
#[derive(Debug)]
pub struct Playing {
    /// The game of each worker.
    boards: Vec<Mutex<Option<PlayingGame>>>,
    /// Whether something has happened since the games were last written.
    has_news: AtomicBool,
}

impl Playing {
    /// Creates the list for a tournament of which at most `most` games are played at a time.
    #[must_use]
    pub fn new(most: usize) -> Self {
        let boards = std::iter::repeat_with(|| Mutex::new(None)).take(most).collect();
        Self { boards, has_news: AtomicBool::new(true) }
    }

    /// Returns where a worker shows its games; `None` if there are more workers than boards.
    pub(super) fn slot(&self, worker: usize) -> Option<GameSlot<'_>> {
        Some(GameSlot { board: self.boards.get(worker)?, has_news: &self.has_news })
    }

    /// Returns the games being played at this moment.
    #[must_use]
    pub fn games(&self) -> Vec<PlayingGame> {
        // A worker may be waiting for its board, so it is not locked for long.
        self.boards.iter().filter_map(|board| locked(board).clone()).collect()
    }

    /// Keeps the file at `path` up to date until `done` is closed, and then removes it. Calls
    /// `failed` once, the first time that the file can't be written; later attempts may succeed. A
    /// file with other content is left alone.
    pub fn keep(&self, path: &Path, done: &Receiver<Infallible>, failed: impl FnOnce(LogError)) {
        let mut file = match PlayingFile::new(path) {
            Ok(file) => file,
            Err(error) => return failed(error),
        };
        let mut failed = Some(failed);
        loop {
            if self.has_news.swap(false, Ordering::Relaxed)
                && let Err(error) = file.replace(&self.games())
            {
                self.has_news.store(true, Ordering::Relaxed);
                if let Some(failed) = failed.take() {
                    failed(error);
                }
            }
            if let Err(RecvTimeoutError::Disconnected) = done.recv_timeout(INTERVAL) {
                return;
            }
        }
    }
}

/// Returns the time in milliseconds since the start of 1970.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// Where a worker shows the game that it plays.
#[derive(Debug)]
pub(super) struct GameSlot<'a> {
    board: &'a Mutex<Option<PlayingGame>>,
    has_news: &'a AtomicBool,
}

impl GameSlot<'_> {
    /// Begins a game, in place of the one before.
    pub(super) fn begin(&self, tournament: &Tournament, scheduled: &ScheduledGame, opening: &Opening) {
        let now = now();
        self.set(Some(PlayingGame {
            game: scheduled.game.game.to_string(),
            rules: scheduled.game.rules.to_string(),
            pair: scheduled.group,
            position: opening.position.clone(),
            opening: opening.moves.clone(),
            moves: opening.moves.clone(),
            seats: tournament.seats(scheduled),
            thoughts: vec![None; opening.moves.len()],
            started_ms: now,
            moved_ms: now,
            arena: tournament.conditions(&scheduled.game, scheduled.engines),
        }));
    }

    /// Adds a move.
    pub(super) fn add(&self, token: &str, thought: &Thought) {
        if let Some(board) = &mut *locked(self.board) {
            board.moves.push(token.to_owned());
            board.thoughts.push(Some(thought.clone()));
            board.moved_ms = now();
        }
        self.has_news.store(true, Ordering::Relaxed);
    }

    fn set(&self, board: Option<PlayingGame>) {
        *locked(self.board) = board;
        self.has_news.store(true, Ordering::Relaxed);
    }
}

/// The worker has ended. Until then its last game is shown, so that a game which has just ended does not
/// vanish before it is in the log.
impl Drop for GameSlot<'_> {
    fn drop(&mut self) {
        self.set(None);
    }
}

/// The file, which is removed in the end.
#[derive(Debug)]
struct PlayingFile {
    path: PathBuf,
    /// The next version, before it is moved to `path`.
    new: PathBuf,
    /// The version at `path`, locked.
    current: Option<File>,
}

impl PlayingFile {
    /// Prepares the file. A killed tournament may have left one.
    fn new(path: &Path) -> Result<Self, LogError> {
        let mut new = path.as_os_str().to_owned();
        new.push(".new");
        let new = PathBuf::from(new);
        for path in [path, &new] {
            if !is_replaceable(path).map_err(LogError::cant("write", path))? {
                return Err(LogError::HasContent(path.display().to_string()));
            }
        }
        match fs::remove_file(&new) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(LogError::cant("write", &new)(error))
            }
            // From here on, what has these names is of this tournament.
            _ => Ok(Self { path: path.to_owned(), new, current: None }),
        }
    }

    /// Writes a new version. If that fails, there is none.
    fn replace(&mut self, games: &[PlayingGame]) -> Result<(), LogError> {
        let written = self.write(games).map_err(LogError::cant("write", &self.path));
        if written.is_err() {
            self.remove();
        }
        written
    }

    fn write(&mut self, games: &[PlayingGame]) -> io::Result<()> {
        let mut content = Vec::new();
        for game in games {
            serde_json::to_writer(&mut content, game)?;
            content.push(b'\n');
        }
        // It is locked before it is there, and until the next one is: readers need not lock the log,
        // which would keep an arena from it.
        let file = files::open_alone(&self.new, OpenOptions::new().write(true).create_new(true))?;
        let file = file.ok_or(io::ErrorKind::ResourceBusy)?;
        files::add(&file, &content, false)?;
        if fs::rename(&self.new, &self.path).is_err() {
            // On some file systems none can be replaced that is open.
            self.current = None;
            files::replace(&self.new, &self.path)?;
        }
        self.current = Some(file);
        Ok(())
    }

    /// Removes what this tournament has written.
    fn remove(&mut self) {
        let _ = fs::remove_file(&self.new);
        if self.current.take().is_some() {
            let _ = fs::remove_file(&self.path);
        }
    }
}

impl Drop for PlayingFile {
    fn drop(&mut self) {
        self.remove();
    }
}

/// Whether a file is not there, is empty, or begins with a game being played.
fn is_replaceable(path: &Path) -> io::Result<bool> {
    /// What a line that is not whole begins with.
    const START: &[u8] = br#"{"game":""#;
    let file = match files::open_regular(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        file => file?,
    };
    Ok(match quintet_protocol::next_whole_line(&mut BufReader::new(file))? {
        None => true,
        Some(Err(_)) => false,
        Some(Ok(line)) if line.ends_with(b"\n") => {
            let object = quintet_protocol::object(line.trim_ascii_end());
            object.and_then(quintet_protocol::read::<PlayingGame>).is_ok()
        }
        Some(Ok(line)) => line.starts_with(START) || START.starts_with(&line),
    })
}

//! Files of games that people played.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use quintet_protocol::PlayedGame;

/// A lock on a file, if it could be locked.
struct Lock<'a>(Option<&'a File>);

impl Drop for Lock<'_> {
    fn drop(&mut self) {
        if let Some(file) = self.0 {
            // The lock ends with the process at the latest.
            let _ = file.unlock();
        }
    }
}

/// A file to which games are added, one line each.
#[derive(Debug)]
pub(super) struct RecordFile {
    pub(super) path: PathBuf,
    file: File,
}

impl RecordFile {
    /// Opens or creates a file, and checks that there is room for a line.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).read(true).append(true).open(path)?;
        let opened = Self { path: path.to_owned(), file };
        opened.check_room()?;
        Ok(opened)
    }

    /// Writes as much as a long game needs, and takes it away again.
    fn check_room(&self) -> io::Result<()> {
        const ROOM: usize = 16 << 10;
        let _lock = self.lock();
        let before = self.file.metadata()?;
        if !before.is_file() {
            // A pipe or a device, which would keep what is written.
            return Ok(());
        }
        let written = (&self.file).write_all(&[b' '; ROOM]).and_then(|()| self.file.sync_data());
        let restored = self.file.set_len(before.len());
        written.and(restored)
    }

    /// Adds a game.
    pub(super) fn add(&self, game: &PlayedGame) -> io::Result<()> {
        let line = serde_json::to_string(game)? + "\n";
        let _lock = self.lock();
        let before = self.file.metadata()?;
        if !before.is_file() {
            return (&self.file).write_all(line.as_bytes());
        }
        // A line that was torn stays alone.
        let line = if self.is_torn()? { format!("\n{line}") } else { line };
        let written = (&self.file).write_all(line.as_bytes()).and_then(|()| self.file.sync_data());
        if written.is_err() {
            // What is left of the line is of no use.
            let _ = self.file.set_len(before.len());
        }
        written
    }

    /// Keeps other players away from the file while it has another length. Not all file systems have
    /// locks; without them, people have to take care themselves.
    fn lock(&self) -> Lock<'_> {
        let is_locked = self.file.lock().is_ok();
        Lock(is_locked.then_some(&self.file))
    }

    /// Whether the last line has no end.
    fn is_torn(&self) -> io::Result<bool> {
        if self.file.metadata()?.len() == 0 {
            return Ok(false);
        }
        let mut last = [0];
        let mut file = &self.file;
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
        Ok(last != *b"\n")
    }
}

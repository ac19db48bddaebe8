//! Files of games that people played.

use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use quintet_arena::files;
use quintet_protocol::PlayedGame;

/// A file to which games are added, one line each.
#[derive(Debug)]
pub(super) struct RecordFile {
    pub(super) path: PathBuf,
    /// Where games go that can't be opened a second time: a pipe or a device.
    pipe: Option<File>,
}

impl RecordFile {
    /// Opens or creates a file, and checks that the disk has room for a game.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = files::to_add().open(path)?;
        // A pipe or a device has no disk.
        let is_regular = files::is_regular(&file)?;
        if is_regular {
            check_room(path)?;
        }
        Ok(Self { path: path.to_owned(), pipe: (!is_regular).then_some(file) })
    }

    /// Adds a game. If that fails, the file is as before. If it was deleted in the meantime, there is a new
    /// one.
    pub(super) fn add(&self, game: &PlayedGame) -> io::Result<()> {
        let line = serde_json::to_string(game)? + "\n";
        if let Some(pipe) = &self.pipe {
            return files::add(pipe, line.as_bytes(), false);
        }
        let file = files::to_add().open(&self.path)?;
        // Two games may end at a time. Without locks, as on some network file systems, people have to
        // take care themselves.
        let is_locked = file.lock().is_ok();
        let added = add_line(&file, &line);
        if is_locked {
            // The lock ends with the program at the latest.
            let _ = file.unlock();
        }
        added
    }
}

fn add_line(mut file: &File, line: &str) -> io::Result<()> {
    let length = file.metadata()?.len();
    let mut last = *b"\n";
    if length > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    // A line that was torn stays alone.
    let line = if last == *b"\n" { line.to_owned() } else { format!("\n{line}") };
    files::add(file, line.as_bytes(), true)
}

/// Writes as much as a long game needs to a file beside `path`, which is gone in the end.
fn check_room(path: &Path) -> io::Result<()> {
    const ROOM: usize = 16 << 10;
    let mut name = path.as_os_str().to_owned();
    name.push(".room");
    // If the folder takes no other file, only writing the game can tell.
    let Ok(mut file) = File::create_new(&name) else { return Ok(()) };
    // Only some systems remove a file that is open.
    let is_removed = fs::remove_file(&name).is_ok();
    let written = file.write_all(&[b' '; ROOM]).and_then(|()| file.sync_data());
    drop(file);
    if !is_removed {
        let _ = fs::remove_file(&name);
    }
    written
}

#[cfg(test)]
mod tests {
    use quintet_protocol::PlayedEnd;

    use super::*;

    #[test]
    fn a_game_is_not_lost_with_the_file_that_was_there_when_it_began() {
        let folder = tempfile::tempdir().expect("a temporary directory can be made");
        let path = folder.path().join("games.jsonl");
        let file = RecordFile::open(&path).expect("it can be made");
        fs::remove_file(&path).expect("it is there");
        let game = PlayedGame {
            game: "krk".to_owned(),
            rules: "spec".to_owned(),
            position: None,
            moves: Vec::new(),
            seats: [].into(),
            scores: None,
            end: PlayedEnd::Unfinished,
            engine: "random".to_owned(),
            program: "quintet".to_owned(),
            rulesheet: None,
        };
        file.add(&game).expect("it can be written");
        assert!(fs::read_to_string(&path).is_ok_and(|text| text.contains("krk") && text.ends_with('\n')));
    }
}

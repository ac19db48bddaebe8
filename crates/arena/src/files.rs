//! Files that several programs use at a time: who may write, what is added, and what takes another's place.
//!
//! Locks differ between systems. On Unix they bind only programs that ask for them. On Windows nobody else
//! can read what is locked, so a file is opened there in a mode in which others can read it, and not write.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::thread;
use std::time::Duration;

/// Opens a file that no other program opens in this way until it is closed; `None` if another one has it.
/// Everybody can read it meanwhile. Devices such as `/dev/null` are for all. Where there are no locks, as on
/// some network file systems, users have to take care themselves.
///
/// # Errors
/// If the file can't be opened with these options, which have to allow writing.
pub fn open_alone(path: &Path, options: &mut OpenOptions) -> io::Result<Option<File>> {
    system::open_alone(path, options)
}

/// Opens a file to read it, if another program has [opened it alone](open_alone). Where there are no locks,
/// nobody knows, and any file is taken for such a one.
///
/// # Errors
/// If the file can't be opened, or is not a regular one.
pub(crate) fn open_held(path: &Path) -> io::Result<Option<File>> {
    let file = open_regular(path)?;
    Ok(system::is_held(path, &file).then_some(file))
}

/// Opens a file to read it. Refuses anything else: to open a pipe might take forever.
///
/// # Errors
/// If the file can't be opened, or is not a regular one.
pub fn open_regular(path: &Path) -> io::Result<File> {
    if fs::metadata(path)?.is_file() {
        return File::open(path);
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"))
}

/// Whether an open file is a regular one, and no pipe or device.
///
/// # Errors
/// If the system can't tell.
pub fn is_regular(file: &File) -> io::Result<bool> {
    match file.metadata() {
        // Windows tells nothing of a device.
        Err(_) if cfg!(windows) => Ok(false),
        metadata => Ok(metadata?.is_file()),
    }
}

/// How to open a file for [`add`]: it is created if it is not there, and can be read and cut.
#[must_use]
pub fn to_add() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.create(true).read(true);
    // On Windows a file to which one may only append can't be cut. On Unix appending keeps what another
    // program has written in between, where there are no locks.
    if cfg!(windows) {
        options.write(true)
    } else {
        options.append(true)
    };
    options
}

/// Adds these bytes at the end of a file. With `sync` they are on disk when it returns, if there is one. If
/// that fails, a file is as before.
///
/// # Errors
/// If they can't be written, for example because the disk is full.
pub fn add(mut file: &File, bytes: &[u8], sync: bool) -> io::Result<()> {
    if !is_regular(file)? {
        return file.write_all(bytes);
    }
    let length = file.seek(SeekFrom::End(0))?;
    let sync = || if sync { file.sync_data() } else { Ok(()) };
    let written = file.write_all(bytes).and_then(|()| sync());
    if written.is_err() {
        // What is left of them is of no use.
        let _ = file.set_len(length);
    }
    written
}

/// Moves a file to `path`, in place of what is there.
///
/// # Errors
/// If it can't be moved. On some file systems of Windows that is so while a program has the other file open;
/// one that reads it for a moment is waited for.
pub fn replace(new: &Path, path: &Path) -> io::Result<()> {
    const PAUSE: Duration = Duration::from_millis(10);
    let mut tries = if cfg!(windows) { 20 } else { 1 };
    loop {
        tries -= 1;
        match fs::rename(new, path) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied && tries > 0 => {
                thread::sleep(PAUSE);
            }
            result => return result,
        }
    }
}

#[cfg(not(windows))]
mod system {
    use std::fs::TryLockError;

    use super::{File, OpenOptions, Path, io, is_regular};

    pub(super) fn open_alone(path: &Path, options: &mut OpenOptions) -> io::Result<Option<File>> {
        let file = options.open(path)?;
        let is_held = is_regular(&file)? && matches!(file.try_lock(), Err(TryLockError::WouldBlock));
        Ok((!is_held).then_some(file))
    }

    pub(super) fn is_held(_: &Path, file: &File) -> bool {
        file.try_lock_shared().is_err()
    }
}

#[cfg(windows)]
mod system {
    use std::os::windows::fs::OpenOptionsExt as _;

    use super::{File, OpenOptions, Path, io};

    const FILE_SHARE_READ: u32 = 1;
    const FILE_SHARE_DELETE: u32 = 4;

    pub(super) fn open_alone(path: &Path, options: &mut OpenOptions) -> io::Result<Option<File>> {
        match options.share_mode(FILE_SHARE_READ | FILE_SHARE_DELETE).open(path) {
            Err(error) if is_shared_otherwise(&error) => Ok(None),
            result => result.map(Some),
        }
    }

    pub(super) fn is_held(path: &Path, _: &File) -> bool {
        OpenOptions::new().write(true).open(path).is_err_and(|error| is_shared_otherwise(&error))
    }

    /// Whether another program has the file open in a mode that does not allow this one.
    fn is_shared_otherwise(error: &io::Error) -> bool {
        const ERROR_SHARING_VIOLATION: i32 = 32;
        error.raw_os_error() == Some(ERROR_SHARING_VIOLATION)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn one_at_a_time_has_a_file_alone_and_all_can_read_it() {
        let folder = tempfile::tempdir().expect("a temporary directory can be made");
        let path = folder.path().join("x");
        let open = || open_alone(&path, &mut to_add()).expect("it can be opened");
        let file = open().expect("it is free");
        add(&file, b"one\n", true).expect("it can be written");
        assert!(open().is_none());
        let mut text = String::new();
        let mut held = open_held(&path).expect("it is there").expect("it is held");
        held.read_to_string(&mut text).expect("text");
        assert_eq!(text + &fs::read_to_string(&path).expect("text"), "one\none\n");
        drop((file, held));
        // A process that another test starts holds the file, too, until it runs its program.
        let is_free = || {
            thread::sleep(Duration::from_millis(10));
            open_held(&path).expect("it is there").is_none()
        };
        assert!((0..1_000).any(|_| is_free()));
        assert!((0..1_000).any(|_| is_free() && open().is_some()));
    }

    #[test]
    fn a_torn_end_is_cut_off_and_the_next_line_follows() {
        let folder = tempfile::tempdir().expect("a temporary directory can be made");
        let path = folder.path().join("x");
        fs::write(&path, "one\ntw").expect("it can be written");
        let mut file = to_add().open(&path).expect("it can be opened");
        let mut text = String::new();
        file.read_to_string(&mut text).expect("text");
        file.set_len(4).expect("it can be cut");
        add(&file, b"three\n", false).expect("it can be written");
        // Wherever it was read.
        file.rewind().expect("it is a file");
        add(&file, b"four\n", false).expect("it can be written");
        assert_eq!(text + &fs::read_to_string(&path).expect("text"), "one\ntwone\nthree\nfour\n");
    }

    #[test]
    fn a_file_that_is_held_takes_the_place_of_another() {
        let folder = tempfile::tempdir().expect("a temporary directory can be made");
        let [path, new] = ["x", "x.new"].map(|name| folder.path().join(name));
        fs::write(&path, "old").expect("it can be written");
        let options = &mut OpenOptions::new();
        let file = open_alone(&new, options.write(true).create_new(true)).expect("it can be made");
        let file = file.expect("nobody else has it");
        add(&file, b"new", false).expect("it can be written");
        replace(&new, &path).expect("it can be moved");
        assert!(open_held(&path).expect("it is there").is_some() && !new.exists());
        assert_eq!(fs::read_to_string(&path).expect("text"), "new");
    }

    #[test]
    fn devices_are_for_all() {
        let null = Path::new(if cfg!(windows) { "NUL" } else { "/dev/null" });
        let open = || open_alone(null, &mut to_add()).expect("it can be opened").expect("it is free");
        let both = [open(), open()];
        for file in &both {
            add(file, b"x", true).expect("it takes anything");
        }
        assert!(open_held(null).is_err());
    }
}

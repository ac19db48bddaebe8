//! Files of tournaments that clients follow.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError, TryRecvError};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use quintet_arena::locked;
use quintet_arena::tournament::{News, Watch};
use quintet_core::Quoted;
use quintet_core::registry::Registry;
use quintet_protocol::{ActionAnswer, Answer, Id, PlayingGame, WatchNews};

use crate::queue::{HasRoom, Sink};

/// The number of files that a client may follow at a time.
const MOST: usize = 4;

/// The number that all clients together may follow.
const MOST_OF_ALL: usize = 32;

/// The time between two looks at a file.
const INTERVAL: Duration = Duration::from_millis(500);

/// The same while a file has more than was read at once.
const INTERVAL_OF_PARTS: Duration = Duration::from_millis(100);

/// The files that clients may follow.
pub(crate) struct Files {
    pub(crate) paths: Vec<PathBuf>,
    pub(crate) games: Registry,
    /// Held while a file is looked at. Each file that is followed has a share.
    pub(crate) look: Arc<Mutex<()>>,
}

impl Files {
    /// Their names.
    pub(crate) fn names(&self) -> Vec<String> {
        self.paths.iter().map(|path| name(path)).collect()
    }
}

/// The files that a client follows. Dropping one ends it.
#[derive(Default)]
pub(crate) struct FollowedFiles(Vec<FollowedFile>);

struct FollowedFile {
    id: Id,
    /// A thread looks at the file until this is dropped.
    end: mpsc::Sender<()>,
    /// Held while the thread gives an answer.
    answering: Arc<Mutex<()>>,
}

impl FollowedFiles {
    /// Follows one of `files`. `sink` gets what is new in it, while it has room.
    pub(crate) fn start(
        &mut self,
        id: Id,
        file: &str,
        Files { paths, games, look }: &Files,
        sink: Sink,
        has_room: HasRoom,
    ) -> Result<(), String> {
        let path = paths.iter().find(|path| name(path) == file);
        let path = path.ok_or_else(|| format!("file: there is no {}; `files` lists them", Quoted(file)))?;
        if self.0.len() == MOST {
            return Err(format!("at most {MOST} files can be followed at a time"));
        }
        let look = Arc::clone(look);
        // One share is that of the scheduler, and one the new one.
        if Arc::strong_count(&look) - 2 >= MOST_OF_ALL {
            return Err(format!("at most {MOST_OF_ALL} files can be followed by all clients together"));
        }
        let watch = Watch::new(path, games.clone());
        let (end, ended) = mpsc::channel();
        let answering = Arc::default();
        let of_thread =
            Following { id: id.clone(), ended, answering: Arc::clone(&answering), sink, has_room };
        thread::Builder::new()
            .spawn(move || of_thread.follow(watch, &look))
            .map_err(|error| format!("can't start a thread: {error}"))?;
        self.0.push(FollowedFile { id, end, answering });
        Ok(())
    }

    /// Ends those with this id, or all; returns their ids. Nothing more of them comes to their sinks.
    pub(crate) fn terminate(&mut self, id: Option<&Id>) -> Vec<Id> {
        let end = |FollowedFile { id, end, answering }| {
            let _turn = locked(&answering);
            drop(end);
            id
        };
        self.0.extract_if(.., |it| id.is_none_or(|id| it.id == *id)).map(end).collect()
    }
}

fn name(path: &Path) -> String {
    path.display().to_string()
}

/// What a report tells besides the games that ended: whether these are the first of the file, whether it is being
/// written, the games that are being played, and why it can't be read.
type State = (bool, bool, Vec<PlayingGame>, Option<String>);

/// What the thread of a file that is followed has.
struct Following {
    id: Id,
    ended: mpsc::Receiver<()>,
    answering: Arc<Mutex<()>>,
    sink: Sink,
    has_room: HasRoom,
}

impl Following {
    /// Follows a file until that is ended, and reports what is new.
    fn follow(self, mut watch: Watch, look: &Mutex<()>) {
        let mut last = None;
        loop {
            // However many files are followed, they keep one core busy at most.
            let turn = locked(look);
            if self.is_ended() {
                return;
            }
            let interval =
                if (self.has_room)() { self.look(&mut watch, &mut last) } else { INTERVAL_OF_PARTS };
            drop(turn);
            if self.ended.recv_timeout(interval) != Err(RecvTimeoutError::Timeout) {
                return;
            }
        }
    }

    /// Reports what is new, `last` being the state in the last report. Returns the time until the next look.
    fn look(&self, watch: &mut Watch, last: &mut Option<State>) -> Duration {
        let (news, error) = match watch.news() {
            Ok(news) => (news, None),
            Err(error) => (News::default(), Some(error.to_string())),
        };
        let News { from_start, records, has_more, playing, is_running } = news;
        let state = (from_start, is_running, playing.clone(), error.clone());
        if !records.is_empty() || last.as_ref() != Some(&state) {
            self.answer(WatchNews {
                id: self.id.clone(),
                partial: true,
                from_start,
                records,
                has_more,
                playing,
                is_running,
                error,
                summary: watch.summary(),
            });
        }
        *last = Some(state);
        if has_more { INTERVAL_OF_PARTS } else { INTERVAL }
    }

    fn is_ended(&self) -> bool {
        self.ended.try_recv() == Err(TryRecvError::Disconnected)
    }

    /// Gives an answer, unless the last one has been given.
    fn answer(&self, news: WatchNews) {
        let _turn = locked(&self.answering);
        if !self.is_ended() {
            (self.sink)(Answer::Action(Box::new(ActionAnswer::Watch(news))));
        }
    }
}

//! The scheduler and its workers.

use std::collections::HashSet;
use std::fmt::{self, Debug};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use quintet_arena::engine::Models;
use quintet_arena::{ProgramConfig, locked};
use quintet_protocol::{Answer, AnswerTerminated, LevelLine, Puzzle};

use crate::answer::AnswerTo;
use crate::follow::Files;
use crate::limits::Limits;
use crate::query::{Context, Task};
use crate::queue::{Job, Queue, QueuedRequest, Running, Work};
use crate::threads::Threads;
use crate::tree_cache::{ClientId, KeptGame, TreeCache};

/// A place where clients hand in queries, which its workers search.
///
/// The workers end with the process, so a program has one scheduler.
#[derive(Clone)]
pub struct QueryScheduler(pub(super) Arc<Shared>);

/// What the workers and clients of a scheduler share. No operation on what is locked can fail half way.
pub(super) struct Shared {
    pub(super) config: ProgramConfig,
    pub(super) limits: Limits,
    pub(super) models: Models,
    pub(super) levels: Vec<LevelLine>,
    pub(super) puzzles: LazyLock<Vec<Puzzle>, MakePuzzles>,
    pub(super) files: Files,
    pub(super) queue: Mutex<Queue>,
    pub(super) tree_cache: Mutex<TreeCache>,
    /// Held while a long line is read, which takes many times its length.
    long_line: Mutex<()>,
    pub(super) clients: Mutex<HashSet<ClientId>>,
    pub(super) next_client: AtomicU64,
    /// Signals that a query waits, or may be taken now.
    pub(super) work: Condvar,
    /// Signals that a query waits.
    pub(super) arrived: Condvar,
    /// Signals that a query has ended.
    pub(super) ended: Condvar,
}

/// There are no threads for the workers.
#[derive(Debug, thiserror::Error)]
#[error("can't start the threads of {searches} searches (ulimit -u and -v limit them): {error}")]
pub struct StartError {
    searches: usize,
    error: std::io::Error,
}

/// Makes puzzles.
pub type MakePuzzles = Box<dyn FnOnce() -> Vec<Puzzle> + Send>;

/// What clients may use besides the games.
#[derive(Default)]
pub struct Sources {
    /// The files of tournaments that they may follow.
    pub files: Vec<PathBuf>,
    /// The models that their engines may name.
    pub models: Models,
    /// The levels for people, the weakest first.
    pub levels: Vec<LevelLine>,
    /// Makes the puzzles, once somebody asks for them.
    pub puzzles: Option<MakePuzzles>,
}

impl Shared {
    pub(super) fn context(&self) -> Context<'_> {
        let Self { config, limits, models, .. } = self;
        Context { config, models, limits: limits.of_query.as_ref() }
    }

    /// Keeps a game, if its client is still there.
    fn keep(&self, kept: KeptGame) {
        let clients = locked(&self.clients);
        if clients.contains(&kept.client) {
            locked(&self.tree_cache).put(kept, self.limits.kept, self.limits.kept_by_all);
        }
    }

    /// Drops trees that are kept until those of the running searches have room.
    fn make_room(&self) {
        let running = locked(&self.queue).memory();
        locked(&self.tree_cache).keep_within(self.limits.memory.saturating_sub(running));
    }

    /// Waits for the turn of a line of this length; `None` if it needs none.
    pub(super) fn turn_of_line(&self, length: usize) -> Option<MutexGuard<'_, ()>> {
        const LONG: usize = 64 << 10;
        (length > LONG).then(|| locked(&self.long_line))
    }

    /// Takes queries and runs them, one after another.
    fn work(&self) {
        let mut threads = Threads::default();
        loop {
            let mut queue = locked(&self.queue);
            let (Job { ask, work }, running) = loop {
                match queue.take(self.limits.per_client, self.limits.threads) {
                    Some(taken) => break taken,
                    None => queue = self.work.wait(queue).unwrap_or_else(PoisonError::into_inner),
                }
            };
            drop(queue);
            let answer = match work {
                Work::Answer(answer) => *answer,
                Work::Search(task) => {
                    let run = AssertUnwindSafe(|| self.search(&ask, *task, &running, &mut threads));
                    catch_unwind(run).unwrap_or_else(|_| ask.wrong("the search failed".to_owned()))
                }
                Work::ActionFn(act) => {
                    let act = AssertUnwindSafe(|| act(&running.stop));
                    let answer = catch_unwind(act).unwrap_or_else(|_| Err("the action failed".to_owned()));
                    match (answer, running.ended()) {
                        (_, Some("terminated")) => {
                            let (id, ply) = (ask.id.clone(), ask.ply);
                            Answer::Terminated(AnswerTerminated { id, ply, terminated: true })
                        }
                        (_, Some(_)) => ask.wrong("it took too long while others waited".to_owned()),
                        (Ok(answer), None) => Answer::Action(Box::new(answer)),
                        (Err(error), None) => ask.wrong(error),
                    }
                }
            };
            running.answered();
            (ask.sink)(answer);
            locked(&self.queue).finish(&running);
            self.make_room();
            // Another query may keep the same trees.
            self.work.notify_all();
            self.ended.notify_all();
        }
    }

    /// Runs a search on threads of its own, if several searches share them: a thread that waits for its
    /// search may take up work of another one in the same pool.
    fn search(&self, ask: &QueuedRequest, task: Task, running: &Running, threads: &mut Threads) -> Answer {
        if self.limits.searches == 1 || task.threads() == 1 {
            return self.run(ask, task, running);
        }
        match threads.pool(running.threads) {
            Ok(pool) => pool.install(|| self.run(ask, task, running)),
            Err(error) => ask.wrong(error),
        }
    }

    /// Runs a search, gives its partial answers, and returns the last one.
    fn run(&self, ask: &QueuedRequest, task: Task, running: &Running) -> Answer {
        let kept = ask.keep.as_ref();
        let kept = kept
            .and_then(|name| locked(&self.tree_cache).take(ask.client, name, &task.variant, &task.config));
        self.make_room();
        // The engine of a kept session has the trees.
        let session = match kept {
            Some(mut kept) => task.go_to(&mut *kept).map(|()| kept),
            None => task.session(),
        };
        let mut session = match session {
            Ok(session) => session,
            Err(error) => return ask.wrong(error),
        };
        let answered = || AnswerTo { id: Some(ask.id.clone()), ply: ask.ply };
        let mut answer = match task.search(&mut *session, answered, &running.stop, &*ask.sink) {
            Ok(answer) => answer,
            Err(error) => return ask.wrong(error.to_string()),
        };
        answer.ended = answer.ended.or(running.ended().map(str::to_owned));
        if let Some(name) = &ask.keep {
            let (memory, config) = (task.memory(), task.config);
            self.keep(KeptGame { client: ask.client, name: name.clone(), config, memory, session });
        }
        Answer::Moves(Box::new(answer))
    }

    /// Ends searches whose time slice is over while others wait.
    fn preempt(&self, slice: Duration) {
        let mut queue = locked(&self.queue);
        loop {
            queue = match queue.preempt(slice, self.limits.searches) {
                None => self.arrived.wait(queue).unwrap_or_else(PoisonError::into_inner),
                Some(time) => {
                    self.arrived.wait_timeout(queue, time).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }
}

impl Debug for Sources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { files, models, levels, puzzles: _ } = self;
        f.debug_struct("Sources")
            .field("files", files)
            .field("models", models)
            .field("levels", levels)
            .finish_non_exhaustive()
    }
}

impl QueryScheduler {
    /// Starts the workers. `config` gives what queries leave out.
    ///
    /// # Errors
    /// [`StartError`] if there are no threads for them.
    pub fn start(config: ProgramConfig, limits: Limits, sources: Sources) -> Result<Self, StartError> {
        let Sources { files, models, levels, puzzles } = sources;
        let files = Files { paths: files, games: config.games.clone(), look: Arc::default() };
        let shared = Arc::new(Shared {
            config,
            limits,
            models,
            levels,
            puzzles: LazyLock::new(puzzles.unwrap_or_else(|| Box::new(Vec::new))),
            files,
            queue: Mutex::default(),
            tree_cache: Mutex::default(),
            long_line: Mutex::default(),
            clients: Mutex::default(),
            next_client: AtomicU64::default(),
            work: Condvar::new(),
            arrived: Condvar::new(),
            ended: Condvar::new(),
        });
        let searches = shared.limits.searches;
        let shortage = |error| StartError { searches, error };
        if let Some(slice) = shared.limits.slice {
            let shared = Arc::clone(&shared);
            let preempt = move || shared.preempt(slice);
            thread::Builder::new().spawn(preempt).map_err(shortage)?;
        }
        for _ in 0..searches {
            let shared = Arc::clone(&shared);
            thread::Builder::new().spawn(move || shared.work()).map_err(shortage)?;
        }
        Ok(Self(shared))
    }
}

impl fmt::Debug for QueryScheduler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueryScheduler").field("limits", &self.0.limits).finish_non_exhaustive()
    }
}

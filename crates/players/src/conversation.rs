//! How players read and search at the same time: one thread reads lines, another one searches, and the
//! thread of the caller executes lines and writes answers.
//!
//! - **Who stops a search**: the thread of the caller alone, by [`Conversation::stop`], or by
//!   [`Conversation::hurry`] for all searches that lines so far have asked for. At most one search runs. It owns
//!   the [`Searcher`] until it has ended, and then gives it back, even after a panic.
//! - **The end of the input**: the lines that wait are still executed. A search that iterations limit is finished,
//!   so that what it finds does not depend on the time. Any other has [`GRACE`] more; then [`Event::Stop`]
//!   comes.
//! - **Memory**: lines that wait are bounded by `lines.rs`; [`Event::Full`] says when reading waits for
//!   them. Beside them, at most [`MESSAGES`] messages are held: progress that finds no room there is lost.

use std::collections::VecDeque;
use std::io::{self, BufReader, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use quintet_core::search::Report;

use super::Error;
use super::lines::{self, Input, Reservation};

/// How long a search that iterations don't limit may go on after the end of the input.
pub(crate) const GRACE: Duration = Duration::from_millis(500);

/// The maximum number of messages that are not handled yet.
const MESSAGES: usize = 16;

/// The position of a game, and the engine that searches it on a thread of its own.
pub(crate) trait Searcher: Send + 'static {
    /// What to search.
    type Task: Send + 'static;
    /// What a search has found.
    type Found: Send + 'static;

    /// Searches until `stop` becomes true or the limits of the task are reached, and tells `watch` what it has
    /// found so far.
    fn search(
        &mut self,
        task: Self::Task,
        stop: &AtomicBool,
        watch: &mut dyn FnMut(Report<String>),
    ) -> Result<Self::Found, String>;

    /// Removes the engine; the next search sets up a new one.
    fn remove_engine(&mut self);
}

/// What happens while a player waits.
pub(crate) enum Event<F> {
    /// A line, or what is wrong with it.
    Line(Result<String, String>, Reservation),
    /// Nothing more is read until some of the lines that wait are executed.
    Full,
    /// No more lines will come.
    End,
    /// The search has to end, as the input has.
    Stop,
    /// What the search has found so far.
    Progress(Report<String>),
    /// The search has ended.
    Found(Result<F, String>),
    /// The player wanted to wake now.
    Wake,
}

/// What the two other threads send.
enum Message<S: Searcher> {
    Input(Input),
    Progress(Report<String>),
    Found(S, Result<S::Found, String>),
}

/// A search to run, and what ends it when it becomes true.
type Search<S> = (S, <S as Searcher>::Task, Arc<AtomicBool>);

/// The input of a player, and its searches. `L` is a line as the player has parsed it.
pub(crate) struct Conversation<S: Searcher, L> {
    /// `None` while a search runs, which owns it.
    pub(crate) searcher: Option<S>,
    tasks: Sender<Search<S>>,
    messages: Receiver<Message<S>>,
    /// The lines that wait for the end of the search.
    waiting: VecDeque<(L, Reservation)>,
    /// How many of them came before the last call of `hurry`.
    hurried: usize,
    /// Ends the search that was begun last.
    stop: Arc<AtomicBool>,
    /// Whether iterations limit that search.
    is_counted: bool,
    /// How the input ended, once it has.
    end: Option<io::Result<()>>,
    grace: Duration,
    /// When [`Event::Stop`] comes.
    deadline: Option<Instant>,
}

impl<S: Searcher, L> Conversation<S, L> {
    /// Starts to read, and a thread for the searches.
    pub(crate) fn start(searcher: S, input: impl Read + Send + 'static) -> Result<Self, Error> {
        let (tasks, to_run) = mpsc::channel();
        let (sender, messages) = mpsc::sync_channel(MESSAGES);
        let of_searches = sender.clone();
        spawn(thread::Builder::new(), move || run(&to_run, &of_searches))?;
        spawn(thread::Builder::new(), move || {
            lines::read(&mut BufReader::new(input), |input| sender.send(Message::Input(input)).is_ok());
        })?;
        Ok(Self {
            searcher: Some(searcher),
            tasks,
            messages,
            waiting: VecDeque::new(),
            hurried: 0,
            stop: Arc::default(),
            is_counted: false,
            end: None,
            grace: GRACE,
            deadline: None,
        })
    }

    /// Lets a line wait for the end of the search.
    pub(crate) fn wait(&mut self, line: L, reservation: Reservation) {
        self.waiting.push_back((line, reservation));
    }

    /// The lines that wait, in their order.
    pub(crate) fn waiting(&mut self) -> impl DoubleEndedIterator<Item = &mut L> {
        self.waiting.iter_mut().map(|(line, _)| line)
    }

    /// Takes the next of the lines that wait, and whether a search for which it asks has to end at once.
    pub(crate) fn next_line(&mut self) -> Option<(L, bool)> {
        let (line, _) = self.waiting.pop_front()?;
        let is_hurried = self.hurried > 0;
        self.hurried = self.hurried.saturating_sub(1);
        Some((line, is_hurried))
    }

    /// Ends the search that runs as soon as possible.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Ends the search that runs, and those for which the lines that wait ask, as soon as possible.
    pub(crate) fn hurry(&mut self) {
        self.hurried = self.waiting.len();
        self.stop();
    }

    /// Ignores all lines that are still to come.
    pub(crate) fn end_input(&mut self) {
        self.end.get_or_insert(Ok(()));
    }

    /// Whether no more lines will come.
    pub(crate) fn has_ended(&self) -> bool {
        self.end.is_some()
    }

    /// Ends the conversation. An error in reading the input comes up only now, after all lines before it.
    pub(crate) fn finish(self) -> Result<(), Error> {
        self.end.unwrap_or(Ok(())).map_err(Error::Input)
    }

    /// Begins a search; no other is running. `is_counted` says whether iterations limit it.
    pub(crate) fn begin(&mut self, task: S::Task, is_counted: bool) {
        let Some(searcher) = self.searcher.take() else { return };
        (self.stop, self.is_counted, self.deadline) = (Arc::default(), is_counted, None);
        let search = (searcher, task, Arc::clone(&self.stop));
        self.tasks.send(search).expect("the thread of the searches lasts as long as the conversation");
    }

    /// Waits for the next event, at most until `wake`.
    pub(crate) fn next(&mut self, wake: Option<Instant>) -> Event<S::Found> {
        loop {
            let now = Instant::now();
            if self.deadline.is_some_and(|deadline| now >= deadline) {
                self.deadline = None;
                return Event::Stop;
            }
            // A player may wait for the end of the input without a search, too.
            let is_counted = self.searcher.is_none() && self.is_counted;
            if self.has_ended() && !is_counted {
                self.deadline.get_or_insert(now + self.grace);
            }
            let message = match [wake, self.deadline].into_iter().flatten().min() {
                None => Some(self.messages.recv().expect("the thread of the searches can send")),
                Some(at) => self.messages.recv_timeout(at.saturating_duration_since(now)).ok(),
            };
            return match message {
                Some(Message::Input(_)) if self.has_ended() => continue,
                Some(Message::Input(Input::Line(line, reservation))) => Event::Line(line, reservation),
                Some(Message::Input(Input::Full)) => Event::Full,
                Some(Message::Input(Input::End(result))) => {
                    self.end = Some(result);
                    Event::End
                }
                Some(Message::Progress(report)) => Event::Progress(report),
                Some(Message::Found(searcher, found)) => {
                    self.searcher = Some(searcher);
                    Event::Found(found)
                }
                None if wake.is_some_and(|wake| Instant::now() >= wake) => Event::Wake,
                None => continue,
            };
        }
    }
}

/// Starts a thread that does `work`.
fn spawn(thread: thread::Builder, work: impl FnOnce() + Send + 'static) -> Result<(), Error> {
    thread.spawn(work).map(drop).map_err(Error::Thread)
}

/// Runs searches until there can be no more.
fn run<S: Searcher>(searches: &Receiver<Search<S>>, messages: &SyncSender<Message<S>>) {
    while let Ok((mut searcher, task, stop)) = searches.recv() {
        let mut watch = |report| drop(messages.try_send(Message::Progress(report)));
        let search = AssertUnwindSafe(|| searcher.search(task, &stop, &mut watch));
        let found = catch_unwind(search).unwrap_or_else(|_| {
            searcher.remove_engine();
            Err("the search failed".to_owned())
        });
        if messages.send(Message::Found(searcher, found)).is_err() {
            // The conversation is over.
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts searches.
    struct Counter(u32);

    enum Task {
        /// Ends by itself.
        Count,
        /// Ends when it is stopped.
        Wait,
        Panic,
    }

    impl Searcher for Counter {
        type Task = Task;
        type Found = u32;

        fn search(
            &mut self,
            task: Task,
            stop: &AtomicBool,
            _: &mut dyn FnMut(Report<String>),
        ) -> Result<u32, String> {
            self.0 += 1;
            match task {
                Task::Count => {}
                Task::Wait => {
                    while !stop.load(Ordering::Relaxed) {
                        thread::yield_now();
                    }
                }
                Task::Panic => panic!("as it should"),
            }
            Ok(self.0)
        }

        fn remove_engine(&mut self) {
            self.0 = 0;
        }
    }

    fn conversation(input: &'static str) -> Conversation<Counter, String> {
        let mut conversation = Conversation::start(Counter(0), input.as_bytes()).expect("threads");
        conversation.grace = Duration::ZERO;
        conversation
    }

    /// Reads the lines up to the end of the input; all wait.
    fn read(conversation: &mut Conversation<Counter, String>) {
        loop {
            match conversation.next(None) {
                Event::Line(line, reservation) => conversation.wait(line.expect("short"), reservation),
                Event::End => return,
                _ => panic!("nothing runs"),
            }
        }
    }

    #[test]
    fn lines_before_a_hurry_are_hurried() {
        let mut conversation = conversation("a\nb\nc\n");
        read(&mut conversation);
        let last = conversation.waiting.pop_back().expect("three lines");
        conversation.hurry();
        conversation.wait(last.0, last.1);
        let lines: Vec<(String, bool)> = std::iter::from_fn(|| conversation.next_line()).collect();
        assert_eq!(lines, [("a", true), ("b", true), ("c", false)].map(|(line, is)| (line.to_owned(), is)));
    }

    #[test]
    fn the_end_of_the_input_ends_what_iterations_do_not_limit() {
        let mut conversation = conversation("");
        read(&mut conversation);
        conversation.begin(Task::Count, true);
        assert!(matches!(conversation.next(None), Event::Found(Ok(1))));
        conversation.begin(Task::Wait, false);
        assert!(matches!(conversation.next(None), Event::Stop));
        conversation.grace = Duration::from_secs(3600);
        conversation.stop();
        assert!(matches!(conversation.next(None), Event::Found(Ok(2))));
        assert!(conversation.finish().is_ok());
    }

    #[test]
    fn a_search_that_panics_gives_the_searcher_back() {
        let mut conversation = conversation("");
        read(&mut conversation);
        conversation.begin(Task::Panic, true);
        let Event::Found(Err(error)) = conversation.next(None) else { panic!("it ends") };
        assert_eq!(error, "the search failed");
        conversation.begin(Task::Count, true);
        assert!(matches!(conversation.next(None), Event::Found(Ok(1))), "without its engine");
    }

    #[cfg(unix)]
    #[test]
    fn a_thread_that_can_not_be_had_is_an_error() {
        // No process has as much memory as this stack takes.
        let error = spawn(thread::Builder::new().stack_size(1 << 60), || ()).expect_err("no thread");
        assert!(error.to_string().starts_with("can't start a thread (ulimit -u"), "{error}");
    }
}

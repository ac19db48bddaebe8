//! Which query is searched next.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use quintet_protocol::{ActionAnswer, Answer, AnswerError, Id};

use crate::query::Task;
use crate::tree_cache::ClientId;

/// Where the answers of a client go.
pub(crate) type Sink = Arc<dyn Fn(Answer) + Send + Sync>;

/// Tells whether a client takes the next part of an answer that comes in many.
pub(crate) type HasRoom = Arc<dyn Fn() -> bool + Send + Sync>;

/// A query, or one of its plies, that waits for a worker.
pub(crate) struct Job {
    pub(crate) ask: QueuedRequest,
    pub(crate) work: Work,
}

/// Who asks, and for what.
pub(crate) struct QueuedRequest {
    pub(crate) client: ClientId,
    pub(crate) sink: Sink,
    pub(crate) id: Id,
    pub(crate) ply: Option<usize>,
    pub(crate) priority: i64,
    pub(crate) keep: Option<String>,
}

impl QueuedRequest {
    /// The answer that says what is wrong.
    pub(crate) fn wrong(&self, error: String) -> Answer {
        Answer::Error(AnswerError { id: self.id.clone(), ply: self.ply, error })
    }
}

/// Finds the answer of an action, which is dropped once the flag is true.
pub(crate) type ActionFn = dyn FnOnce(&AtomicBool) -> Result<ActionAnswer, String> + Send;

/// What a worker has to do.
pub(crate) enum Work {
    Search(Box<Task>),
    ActionFn(Box<ActionFn>),
    /// Give an answer that is ready.
    Answer(Box<Answer>),
}

/// A query that a worker has taken.
#[derive(Clone)]
pub(crate) struct Running {
    number: u64,
    client: ClientId,
    id: Id,
    keep: Option<String>,
    since: Instant,
    /// Ends the search when it becomes true.
    pub(crate) stop: Arc<AtomicBool>,
    is_terminated: Arc<AtomicBool>,
    /// Whether its last answer is being given, so that it can't be terminated any more.
    is_answered: Arc<AtomicBool>,
    is_preempted: Arc<AtomicBool>,
    /// The bytes that the nodes of its trees may take.
    memory: usize,
    /// The threads that it works on.
    pub(crate) threads: usize,
}

impl Running {
    /// Says that the last answer is about to be given.
    pub(crate) fn answered(&self) {
        self.is_answered.store(true, Ordering::Relaxed);
    }

    /// Why the scheduler ended the search, if it did.
    pub(crate) fn ended(&self) -> Option<&'static str> {
        let is = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        match () {
            () if is(&self.is_terminated) => Some("terminated"),
            () if is(&self.is_preempted) => Some("preempted"),
            () => None,
        }
    }
}

/// The queries of all clients.
#[derive(Default)]
pub(crate) struct Queue {
    /// In the order in which they came.
    waiting: Vec<Job>,
    running: Vec<Running>,
    /// The number of queries taken so far, and for each client the number of its last one.
    taken: u64,
    last: HashMap<ClientId, u64>,
}

impl Queue {
    /// The number of queries of a client that wait.
    pub(crate) fn waiting(&self, client: ClientId) -> usize {
        self.waiting.iter().filter(|job| job.ask.client == client).count()
    }

    /// The number of actions that wait, of a client and of all.
    pub(crate) fn waiting_actions(&self, client: ClientId) -> [usize; 2] {
        let actions = self.waiting.iter().filter(|job| matches!(job.work, Work::ActionFn(_)));
        let own = actions.clone().filter(|job| job.ask.client == client);
        [own.count(), actions.count()]
    }

    /// Whether a client has no query left.
    pub(crate) fn is_idle(&self, client: ClientId) -> bool {
        self.waiting(client) == 0 && self.running_of(client) == 0
    }

    fn running_of(&self, client: ClientId) -> usize {
        self.running.iter().filter(|it| it.client == client).count()
    }

    pub(crate) fn add(&mut self, job: Job) {
        self.waiting.push(job);
    }

    /// Takes the next query: of the client that has the fewest running, or else waits the longest,
    /// the one with the highest priority, or else the first. A client may have at most
    /// `per_client` running. All running together have `threads` threads, and each at least one.
    pub(crate) fn take(&mut self, per_client: usize, threads: usize) -> Option<(Job, Running)> {
        let key = |(index, job): &(usize, &Job)| {
            let last = self.last.get(&job.ask.client).copied().unwrap_or(0);
            (self.running_of(job.ask.client), last, std::cmp::Reverse(job.ask.priority), *index)
        };
        let may_run = |(_, job): &(usize, &Job)| {
            let is_kept_busy = |it: &Running| it.client == job.ask.client && it.keep == job.ask.keep;
            self.running_of(job.ask.client) < per_client
                && (job.ask.keep.is_none() || !self.running.iter().any(is_kept_busy))
        };
        let (index, _) = self.waiting.iter().enumerate().filter(may_run).min_by_key(key)?;
        let job = self.waiting.remove(index);
        self.taken += 1;
        self.last.insert(job.ask.client, self.taken);
        let used: usize = self.running.iter().map(|it| it.threads).sum();
        let (wanted, memory) = match &job.work {
            Work::Search(task) => (task.threads(), task.memory()),
            Work::ActionFn(_) | Work::Answer(_) => (1, 0),
        };
        let running = Running {
            memory,
            threads: wanted.min(threads.saturating_sub(used)).max(1),
            number: self.taken,
            client: job.ask.client,
            id: job.ask.id.clone(),
            keep: job.ask.keep.clone(),
            since: Instant::now(),
            stop: Arc::default(),
            is_terminated: Arc::default(),
            is_answered: Arc::default(),
            is_preempted: Arc::default(),
        };
        self.running.push(running.clone());
        Some((job, running))
    }

    /// The bytes that the nodes of all running searches may take.
    pub(crate) fn memory(&self) -> usize {
        self.running.iter().map(|it| it.memory).fold(0, usize::saturating_add)
    }

    /// Ends a query that was taken.
    pub(crate) fn finish(&mut self, done: &Running) {
        self.running.retain(|it| it.number != done.number);
    }

    /// Takes the queries of a client that wait, those with this id if there is one.
    pub(crate) fn take_waiting(&mut self, client: ClientId, id: Option<&Id>) -> Vec<Job> {
        let is_meant = |ask: &QueuedRequest| ask.client == client && id.is_none_or(|id| ask.id == *id);
        self.waiting.extract_if(.., |job| is_meant(&job.ask)).collect()
    }

    /// Stops the searches of a client, those with this id if there is one. Returns their number.
    pub(crate) fn terminate(&self, client: ClientId, id: Option<&Id>) -> usize {
        let is_meant = |it: &&Running| {
            let is_open = !it.is_answered.load(Ordering::Relaxed);
            is_open && it.client == client && id.is_none_or(|id| it.id == *id)
        };
        let meant: Vec<&Running> = self.running.iter().filter(is_meant).collect();
        for running in &meant {
            running.is_terminated.store(true, Ordering::Relaxed);
            running.stop.store(true, Ordering::Relaxed);
        }
        meant.len()
    }

    /// Forgets the queries of a client that wait, and stops the others.
    pub(crate) fn stop(&mut self, client: ClientId) {
        self.waiting.retain(|job| job.ask.client != client);
        for running in self.running.iter().filter(|it| it.client == client) {
            running.stop.store(true, Ordering::Relaxed);
        }
    }

    pub(crate) fn forget(&mut self, client: ClientId) {
        self.stop(client);
        self.last.remove(&client);
    }

    /// Makes room if a client that has no search running has to wait, since all `workers` are busy:
    /// stops the search that has run for longest, once that is longer than `slice`. Returns when to
    /// look again; `None` if nobody has to wait.
    pub(crate) fn preempt(&self, slice: Duration, workers: usize) -> Option<Duration> {
        /// A search ends soon after it was stopped.
        const AGAIN: Duration = Duration::from_millis(20);
        let starves = |job: &Job| self.running_of(job.ask.client) == 0;
        let oldest = self.running.iter().min_by_key(|it| it.number)?;
        if self.running.len() < workers || !self.waiting.iter().any(starves) {
            return None;
        }
        let left = slice.saturating_sub(oldest.since.elapsed());
        if !left.is_zero() {
            return Some(left);
        }
        oldest.is_preempted.store(true, Ordering::Relaxed);
        oldest.stop.store(true, Ordering::Relaxed);
        Some(AGAIN)
    }
}

#[cfg(test)]
mod tests {
    use quintet_protocol::AnswerTerminated;

    use super::*;

    fn id(text: &str) -> Id {
        serde_json::from_str(text).expect("JSON")
    }

    fn job(client: ClientId, number: u32, priority: i64, keep: Option<&str>) -> Job {
        let id = id(&number.to_string());
        let answer = AnswerTerminated { id: id.clone(), ply: None, terminated: true };
        let work = Work::Answer(Box::new(Answer::Terminated(answer)));
        let keep = keep.map(str::to_owned);
        Job { ask: QueuedRequest { client, sink: Arc::new(|_| ()), id, ply: None, priority, keep }, work }
    }

    fn queue(jobs: impl IntoIterator<Item = Job>) -> Queue {
        let mut queue = Queue::default();
        jobs.into_iter().for_each(|job| queue.add(job));
        queue
    }

    /// The ids of the queries that are taken while none ends.
    fn taken(queue: &mut Queue, per_client: usize) -> Vec<String> {
        std::iter::from_fn(|| queue.take(per_client, 9))
            .map(|(job, _)| serde_json::to_string(&job.ask.id).expect("JSON"))
            .collect()
    }

    #[test]
    fn priorities_come_first_and_then_the_order_of_the_queries() {
        let mut queue =
            queue([job(1, 1, 0, None), job(1, 2, -1, None), job(1, 3, 7, None), job(1, 4, 0, None)]);
        assert_eq!(taken(&mut queue, 9), ["3", "1", "4", "2"]);
    }

    #[test]
    fn clients_take_turns_whatever_their_priorities() {
        let jobs =
            (0..4).map(|number| job(1, number, 99, None)).chain([job(2, 10, 0, None), job(3, 20, 0, None)]);
        let mut queue = queue(jobs);
        assert_eq!(taken(&mut queue, 2), ["0", "10", "20", "1"]);
        assert_eq!(queue.waiting(1), 2);
    }

    #[test]
    fn queries_that_keep_the_same_trees_follow_each_other() {
        let mut queue = queue([
            job(1, 1, 0, Some("a")),
            job(1, 2, 0, Some("a")),
            job(1, 3, 0, Some("b")),
            job(2, 4, 0, Some("a")),
        ]);
        let (_, first) = queue.take(9, 9).expect("one waits");
        assert_eq!(taken(&mut queue, 9), ["4", "3"]);
        queue.finish(&first);
        assert_eq!(taken(&mut queue, 9), ["2"]);
    }

    #[test]
    fn a_long_search_makes_room_for_a_client_that_has_none() {
        let mut queue = queue([job(1, 1, 0, None), job(1, 2, 0, None), job(1, 3, 0, None)]);
        let (_, first) = queue.take(2, 9).expect("one waits");
        let (_, second) = queue.take(2, 9).expect("another");
        let (long, none) = (Duration::from_secs(1000), Duration::ZERO);
        let ended = || [&first, &second].map(|it| it.ended().is_some());
        assert_eq!(queue.preempt(none, 2), None, "only the client itself waits");
        queue.add(job(2, 4, 0, None));
        assert_eq!(queue.preempt(none, 3), None, "a worker is free");
        assert!(queue.preempt(long, 2).is_some_and(|left| left > long / 2));
        assert_eq!(ended(), [false, false]);
        assert!(queue.preempt(none, 2).is_some());
        assert!(queue.preempt(none, 2).is_some());
        assert_eq!(ended(), [true, false], "one makes room");
    }

    #[test]
    fn the_queries_with_an_id_are_terminated() {
        let mut queue =
            queue([job(1, 1, 0, None), job(1, 2, 0, None), job(1, 1, 0, None), job(2, 1, 0, None)]);
        let (_, running) = queue.take(1, 9).expect("one waits");
        let ended = |queue: &mut Queue, id: Option<&Id>| {
            let waiting = queue.take_waiting(1, id).len();
            (waiting, queue.terminate(1, id))
        };
        assert_eq!(ended(&mut queue, Some(&id("1"))), (1, 1));
        assert!(running.stop.load(Ordering::Relaxed));
        assert_eq!((queue.waiting(1), queue.waiting(2)), (1, 1));
        assert_eq!(ended(&mut queue, None), (1, 1));
        running.answered();
        assert_eq!(ended(&mut queue, None), (0, 0), "it is answered");
        queue.finish(&running);
        assert!(queue.is_idle(1) && !queue.is_idle(2));
    }
}

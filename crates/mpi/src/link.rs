//! What the program's thread sees of the other ranks.

use std::collections::{HashSet, VecDeque};
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use quintet::{FollowerLink, GameSource, LeaderLink, RemoteWorkers, Task};
use quintet_core::follower::{Followers, Job};
use quintet_core::search::Exchange;

use crate::wire::{Message, WireJob};

/// What the program's thread asks of the main thread.
#[derive(Debug)]
pub(crate) enum Request {
    /// Add up these numbers over all ranks, and return the sums. The program's thread waits for them.
    Sum(Vec<u64>, Sender<Vec<u64>>),
    /// The same, but the program's thread works on.
    BeginSum(Vec<u64>, Sender<Vec<u64>>),
    /// Send a message to these ranks.
    Send { to: Range<usize>, bytes: Vec<u8> },
}

/// The connection of a rank to the others. It lives as long as the process.
#[derive(Debug)]
pub(crate) struct Link {
    rank: usize,
    ranks: usize,
    requests: Sender<Request>,
    /// Where the main thread returns sums.
    sums: Sender<Vec<u64>>,
    summed: Mutex<Receiver<Vec<u64>>>,
    /// The messages that have arrived, each with the rank that sent it.
    inbox: Mutex<VecDeque<(usize, Message)>>,
    has_arrived: Condvar,
    /// The search that was announced last, and what stops it.
    announced: Mutex<(u64, Arc<AtomicBool>)>,
    /// Stops the games of this rank.
    stop_games: AtomicBool,
    /// The workers of the other ranks: a rank, and a number there.
    workers: OnceLock<Vec<(usize, usize)>>,
    searches: Mutex<Searches>,
    is_free: Condvar,
    traffic: Mutex<Traffic>,
    has_ended: Condvar,
}

/// The searches that the leader announces.
#[derive(Debug, Default)]
struct Searches {
    /// The number of the last one.
    number: u64,
    /// When the one that goes on began.
    began: Option<Instant>,
    /// How long the others took.
    took: Duration,
    /// The sums that had been begun when the last one ended, and the one before.
    begun: [u64; 2],
    /// The engines that the followers have.
    engines: HashSet<u64>,
    /// The engines to forget.
    forget: Vec<u64>,
}

/// How much the program's thread talked.
#[derive(Debug, Clone, Copy, Default)]
struct Traffic {
    exchanges: u64,
    messages: u64,
    bytes: u64,
    /// What the program's thread waited, and what the main thread took of a processor besides.
    waited: Duration,
    /// The sums that were begun and not waited for, and how many of them have ended.
    begun: u64,
    ended: u64,
    is_in_search: bool,
}

/// Returns what is behind a lock. It is whole at any moment, so it does not matter if a thread
/// panicked.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Link {
    /// The link of a rank, and the main thread's ends of it.
    pub(crate) fn new(rank: usize, ranks: usize) -> (&'static Self, Receiver<Request>) {
        let (requests, requested) = mpsc::channel();
        let (sums, summed) = mpsc::channel();
        let link = Self {
            rank,
            ranks,
            requests,
            sums,
            summed: Mutex::new(summed),
            inbox: Mutex::default(),
            has_arrived: Condvar::new(),
            announced: Mutex::default(),
            stop_games: AtomicBool::new(false),
            workers: OnceLock::new(),
            searches: Mutex::default(),
            is_free: Condvar::new(),
            traffic: Mutex::default(),
            has_ended: Condvar::new(),
        };
        (Box::leak(Box::new(link)), requested)
    }

    pub(crate) fn is_leader(&self) -> bool {
        self.rank == 0
    }

    /// Takes in a message from another rank.
    pub(crate) fn deliver(&self, from: usize, message: Message) {
        match message {
            Message::Stop { number } => {
                let announced = locked(&self.announced);
                if announced.0 == number {
                    announced.1.store(true, Ordering::Relaxed);
                }
            }
            Message::StopGames => self.stop_games.store(true, Ordering::Relaxed),
            message => {
                if let Message::Search { number, .. } = message {
                    *locked(&self.announced) = (number, Arc::default());
                }
                locked(&self.inbox).push_back((from, message));
                self.has_arrived.notify_all();
            }
        }
    }

    /// Waits for a message that is `wanted`, at most this long, and takes it out. The end stays there,
    /// for all threads to see.
    fn take(&self, time: Duration, wanted: impl Fn(usize, &Message) -> bool) -> Option<(usize, Message)> {
        let end = Instant::now() + time;
        let mut inbox = locked(&self.inbox);
        loop {
            let found = inbox.iter().position(|(from, message)| wanted(*from, message));
            if let Some(place) = found {
                return inbox.remove(place);
            }
            if inbox.iter().any(|(_, message)| matches!(message, Message::End)) {
                return Some((0, Message::End));
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            let result = self.has_arrived.wait_timeout(inbox, left);
            inbox = result.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The same without a limit of time.
    fn wait_for(&self, wanted: impl Fn(usize, &Message) -> bool) -> (usize, Message) {
        loop {
            if let Some(found) = self.take(Duration::from_secs(60), &wanted) {
                return found;
            }
        }
    }

    /// The workers of the other ranks, once all of them are ready.
    fn workers(&self) -> &[(usize, usize)] {
        self.workers.get_or_init(|| {
            let mut workers = Vec::new();
            for rank in 1..self.ranks {
                let is_of_rank =
                    |from, message: &Message| from == rank && matches!(message, Message::Workers { .. });
                if let (_, Message::Workers { count }) = self.wait_for(is_of_rank) {
                    workers.extend((0..count.get()).map(|worker| (rank, worker)));
                }
            }
            // Each rank gets its first game before any gets a second one.
            workers.sort_by_key(|&(rank, worker)| (worker, rank));
            workers
        })
    }

    /// Waits until every follower has said once more that it is ready.
    fn wait_until_ready(&self) {
        for rank in 1..self.ranks {
            self.wait_for(|from, message| from == rank && matches!(message, Message::Ready));
        }
    }

    /// Waits until the first `begun` sums that were not waited for have ended.
    fn wait_for_sums(&self, begun: u64) {
        let mut traffic = locked(&self.traffic);
        while traffic.ended < begun {
            traffic = self.has_ended.wait(traffic).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// A sum that was not waited for has ended.
    pub(crate) fn sum_ended(&self) {
        locked(&self.traffic).ended += 1;
        self.has_ended.notify_all();
    }

    /// The main thread has taken this much of a processor, and the program's thread did not wait for it.
    pub(crate) fn was_busy(&self, time: Duration) {
        let mut traffic = locked(&self.traffic);
        if traffic.is_in_search {
            traffic.waited += time;
        }
    }

    /// Tells the followers that the program is over.
    pub(crate) fn end(&self) {
        self.send_to_all(&Message::End);
    }

    fn send(&self, to: usize, bytes: Vec<u8>) {
        self.send_to_these(to..to + 1, bytes);
    }

    fn send_to_all(&self, message: &Message) {
        self.send_to_these(1..self.ranks, message.to_bytes());
    }

    fn send_to_these(&self, to: Range<usize>, bytes: Vec<u8>) {
        let mut traffic = locked(&self.traffic);
        traffic.messages += to.len() as u64;
        traffic.bytes += (to.len() * bytes.len()) as u64;
        // The main thread is there as long as this one.
        let _ = self.requests.send(Request::Send { to, bytes });
    }
}

impl Exchange for Link {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.ranks
    }

    fn sum(&self, numbers: &mut [u64]) {
        let before = Instant::now();
        let _ = self.requests.send(Request::Sum(numbers.to_vec(), self.sums.clone()));
        if let Ok(sums) = locked(&self.summed).recv() {
            numbers.copy_from_slice(&sums);
        }
        let mut traffic = locked(&self.traffic);
        traffic.exchanges += 1;
        traffic.bytes += size_of_val(numbers) as u64;
        traffic.waited += before.elapsed();
    }

    fn begin_sum(&self, numbers: Vec<u64>) -> Receiver<Vec<u64>> {
        let mut traffic = locked(&self.traffic);
        traffic.exchanges += 1;
        traffic.begun += 1;
        traffic.bytes += size_of_val(&numbers[..]) as u64;
        drop(traffic);
        let (sums, summed) = mpsc::channel();
        let _ = self.requests.send(Request::BeginSum(numbers, sums));
        summed
    }

    fn stop(&self) {
        let number = locked(&self.searches).number;
        self.send_to_all(&Message::Stop { number });
    }
}

impl Followers for Link {
    fn announce(&self, job: &Job) {
        let engine = job.engine;
        let Some(job) = WireJob::new(job) else { return };
        let mut searches = locked(&self.searches);
        while searches.began.is_some() {
            searches = self.is_free.wait(searches).unwrap_or_else(PoisonError::into_inner);
        }
        // A process takes some time to start, and to make an engine, which is not the search's.
        if searches.number == 0 {
            self.wait_until_ready();
        }
        searches.number += 1;
        let forget = std::mem::take(&mut searches.forget);
        for engine in &forget {
            searches.engines.remove(engine);
        }
        let job = Box::new(job);
        if searches.engines.insert(engine) {
            self.send_to_all(&Message::Prepare { job: job.clone() });
            self.wait_until_ready();
        }
        // The followers are at most one search behind.
        self.wait_for_sums(searches.begun[1]);
        self.send_to_all(&Message::Search { number: searches.number, forget, job });
        locked(&self.traffic).is_in_search = true;
        searches.began = Some(Instant::now());
    }

    fn finish(&self) {
        let mut searches = locked(&self.searches);
        let took = searches.began.take().map_or(Duration::ZERO, |began| began.elapsed());
        searches.took += took;
        let mut traffic = locked(&self.traffic);
        traffic.is_in_search = false;
        searches.begun = [traffic.begun, searches.begun[0]];
        drop(traffic);
        self.is_free.notify_one();
    }

    fn forget(&self, engine: u64) {
        locked(&self.searches).forget.push(engine);
    }
}

impl FollowerLink for Link {
    fn traffic(&self) -> String {
        let Traffic { exchanges, messages, bytes, waited, .. } = *locked(&self.traffic);
        let took = locked(&self.searches).took;
        let share = 100.0 * waited.as_secs_f64() / took.as_secs_f64().max(1e-9);
        format!(
            "{} ranks: {exchanges} exchanges and {messages} messages of rank 0, {bytes} bytes; \
             {share:.2} % of {:.3} s of search was spent in exchanges",
            self.ranks,
            took.as_secs_f64()
        )
    }
}

impl RemoteWorkers for Link {
    fn count(&self) -> NonZeroUsize {
        NonZeroUsize::new(self.workers().len()).unwrap_or(NonZeroUsize::MIN)
    }

    fn play(
        &self,
        worker: usize,
        index: usize,
        stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Vec<u8>>, String> {
        /// How often the caller is asked.
        const INTERVAL: Duration = Duration::from_millis(20);
        let &(rank, worker) = self.workers().get(worker).ok_or_else(|| format!("no worker {worker}"))?;
        self.send(rank, Message::Game { worker, index }.to_bytes());
        let is_answer = |from, message: &Message| {
            from == rank && matches!(message, Message::Played { worker: of, .. } if *of == worker)
        };
        loop {
            if let Some((_, Message::Played { game, .. })) = self.take(INTERVAL, is_answer) {
                let game = game.map_err(|error| format!("rank {rank}: {error}"))?;
                return Ok(game.map(String::into_bytes));
            }
            if stopped() {
                self.send(rank, Message::StopGames.to_bytes());
                return Ok(None);
            }
        }
    }
}

impl LeaderLink for &'static Link {
    fn exchange(&self) -> &'static dyn Exchange {
        *self
    }

    fn report_ready(&self) {
        self.send(0, Message::Ready.to_bytes());
    }

    fn next(&self) -> Result<Task, String> {
        let is_task = |message: &Message| matches!(message, Message::Search { .. } | Message::Prepare { .. });
        match self.wait_for(|_, message| is_task(message)).1 {
            Message::Prepare { job } => Ok(Task::Prepare(Box::new(job.job()?))),
            Message::Search { number, forget, job } => {
                let announced = locked(&self.announced);
                let stop = if announced.0 == number { Arc::clone(&announced.1) } else { Arc::default() };
                Ok(Task::Search { job: Box::new(job.job()?), forget, stop })
            }
            _ => Ok(Task::End),
        }
    }

    fn ends_within(&self, time: Duration) -> bool {
        self.take(time, |_, _| false).is_some()
    }

    fn stop_games(&self) -> &AtomicBool {
        &self.stop_games
    }
}

impl GameSource for &'static Link {
    fn announce_workers(&self, count: NonZeroUsize) {
        self.send(0, Message::Workers { count }.to_bytes());
    }

    fn next_game(&self, worker: usize) -> Option<usize> {
        let is_own =
            |_, message: &Message| matches!(message, Message::Game { worker: of, .. } if *of == worker);
        match self.wait_for(is_own).1 {
            Message::Game { index, .. } => Some(index),
            _ => None,
        }
    }

    fn ended(&self, worker: usize, game: Result<Option<Vec<u8>>, String>) {
        let text = |bytes| String::from_utf8(bytes).map_err(|_| "a record that is no text".to_owned());
        let game = game.and_then(|game| game.map(text).transpose());
        self.send(0, Message::Played { worker, game }.to_bytes());
    }
}

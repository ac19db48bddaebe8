//! Threads that stand by while a tree grows in batches.
//!
//! A batch takes less than a millisecond at first, and the parts of it that one thread does alone even
//! less. To wake a sleeping thread takes about as long, so the threads of a crew watch for jobs for a while
//! before they sleep.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::timing::with_helpers;

/// Jobs for several threads. Each takes a portion of the jobs that are there, the heaviest first, again and
/// again.
#[derive(Debug)]
pub(super) struct Crew<J> {
    /// The threads besides the one that gives the jobs.
    helpers: usize,
    batch: Mutex<Batch<J>>,
    /// The number of jobs that nobody has taken, for those who watch it.
    waiting: AtomicUsize,
    /// The number of jobs that are not done.
    open: AtomicUsize,
    is_over: AtomicBool,
}

#[derive(Debug)]
struct Batch<J> {
    /// In the order in which they were given; `None` while a thread does them.
    jobs: Vec<Option<J>>,
    /// The jobs that nobody has taken, by weight and number.
    waiting: BinaryHeap<(u64, Reverse<usize>)>,
    /// The weight of those.
    weight: u64,
}

/// A thread takes this part of its share of the jobs that wait: less and less, so that all threads end at about
/// the same time.
const PORTIONS: u64 = 4;

impl<J: Send> Crew<J> {
    fn new(helpers: usize) -> Self {
        let batch = Mutex::new(Batch { jobs: Vec::new(), waiting: BinaryHeap::new(), weight: 0 });
        let (waiting, open) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Self { helpers, batch, waiting, open, is_over: AtomicBool::new(false) }
    }

    /// Calls `lead` with a crew that has `helpers` threads of the current pool, which do jobs by `work`, each
    /// with a `state` of its own, until `lead` returns.
    pub(super) fn with<S>(
        helpers: usize,
        work: &(dyn Fn(&mut S, &mut [J]) + Sync),
        state: &(dyn Fn() -> S + Sync),
        lead: &mut dyn FnMut(&Self),
    ) {
        let crew = Self::new(helpers);
        if helpers == 0 {
            return lead(&crew);
        }
        with_helpers(helpers, &|_| crew.help(work, &mut state()), &mut || {
            let _end = EndOf(&crew.is_over);
            lead(&crew);
        });
    }

    /// Gives jobs, each of which takes about as long as its weight says, and empties the list. The other threads may begin
    /// at once.
    pub(super) fn give(&self, jobs: &mut Vec<(J, u64)>) {
        let mut batch = self.lock();
        self.open.fetch_add(jobs.len(), Ordering::Relaxed);
        for (job, weight) in jobs.drain(..) {
            let number = batch.jobs.len();
            batch.jobs.push(Some(job));
            batch.waiting.push((weight, Reverse(number)));
            batch.weight += weight;
        }
        self.waiting.store(batch.waiting.len(), Ordering::Release);
    }

    /// Does what is left, and returns all jobs in the order in which they were given. `work` and `state` are
    /// those of this thread.
    pub(super) fn finish<S>(&self, work: &(dyn Fn(&mut S, &mut [J]) + Sync), state: &mut S) -> Vec<J> {
        while self.take_and_do(work, state) {}
        let mut looks = 0;
        while self.open.load(Ordering::Acquire) > 0 {
            pause(&mut looks);
        }
        let jobs = std::mem::take(&mut self.lock().jobs);
        jobs.into_iter().map(|job| job.expect("no other thread has panicked")).collect()
    }

    /// Does jobs until the crew is dismissed.
    fn help<S>(&self, work: &(dyn Fn(&mut S, &mut [J]) + Sync), state: &mut S) {
        let mut looks = 0;
        while !self.is_over.load(Ordering::Relaxed) {
            if self.waiting.load(Ordering::Acquire) > 0 && self.take_and_do(work, state) {
                looks = 0;
            } else {
                pause(&mut looks);
            }
        }
    }

    /// Does a portion of the jobs that wait; returns `false` if there are none.
    fn take_and_do<S>(&self, work: &(dyn Fn(&mut S, &mut [J]) + Sync), state: &mut S) -> bool {
        let (mut numbers, mut jobs) = (Vec::new(), Vec::new());
        {
            let batch = &mut *self.lock();
            let portion = batch.weight / (PORTIONS * (self.helpers as u64 + 1));
            let mut sum = 0;
            while sum <= portion
                && let Some((weight, Reverse(number))) = batch.waiting.pop()
            {
                sum += weight;
                numbers.push(number);
                jobs.extend(batch.jobs[number].take());
            }
            batch.weight -= sum;
            self.waiting.store(batch.waiting.len(), Ordering::Relaxed);
        }
        if jobs.is_empty() {
            return false;
        }
        // Should a job panic, the others are not waited for: the scope passes the panic on.
        let _open = Finish(&self.open, jobs.len());
        work(state, &mut jobs);
        let mut batch = self.lock();
        for (number, job) in numbers.into_iter().zip(jobs) {
            batch.jobs[number] = Some(job);
        }
        true
    }

    fn lock(&self) -> MutexGuard<'_, Batch<J>> {
        self.batch.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the work of a crew, even if the one who leads it panics.
struct EndOf<'a>(&'a AtomicBool);

impl Drop for EndOf<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Counts jobs as done, even if one of them panics.
struct Finish<'a>(&'a AtomicUsize, usize);

impl Drop for Finish<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(self.1, Ordering::Release);
    }
}

/// Waits a little: at first without giving up the processor.
fn pause(looks: &mut u32) {
    const SPINS: u32 = 2_000;
    const YIELDS: u32 = 1_000;
    *looks = looks.saturating_add(1);
    if *looks < SPINS {
        std::hint::spin_loop();
    } else if *looks < SPINS + YIELDS {
        std::thread::yield_now();
    } else {
        std::thread::sleep(Duration::from_micros(50));
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    /// Lets a crew do jobs again and again; each adds its number to itself.
    fn done_by(helpers: usize, jobs: u64) -> Vec<u64> {
        let work = |state: &mut u64, jobs: &mut [u64]| {
            *state += 1;
            for job in jobs {
                *job += *job;
            }
        };
        let mut jobs: Vec<u64> = (0..jobs).collect();
        Crew::with(helpers, &work, &|| 0, &mut |crew| {
            let mut state = 0;
            for _ in 0..50 {
                for jobs in jobs.chunks(3) {
                    crew.give(&mut jobs.iter().map(|&job| (job, job % 7)).collect());
                }
                jobs = crew.finish(&work, &mut state);
            }
        });
        jobs.into_iter().map(|job| job >> 50).collect()
    }

    #[test]
    fn every_job_is_done_once_by_any_number_of_threads_and_comes_back_in_order() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads");
        for helpers in 0..5 {
            for jobs in [0, 1, 2, 100] {
                let expected: Vec<u64> = (0..jobs).collect();
                assert_eq!(done_by(helpers, jobs), expected);
                assert_eq!(pool.install(|| done_by(helpers, jobs)), expected);
            }
        }
    }

    #[test]
    fn a_panic_is_passed_on_and_nobody_waits_for_ever() {
        for panics in [0, 40] {
            let work = |(): &mut (), jobs: &mut [u32]| assert!(!jobs.contains(&panics), "as it should");
            let run = || {
                Crew::with(2, &work, &|| (), &mut |crew| {
                    crew.give(&mut (0..80).map(|job| (job, 1)).collect());
                    crew.finish(&work, &mut ());
                });
            };
            assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
        }
    }
}

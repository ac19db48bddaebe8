//! Threads that stand by while a tree grows in batches.
//!
//! A batch takes less than a millisecond at first, and the parts of it that one thread does alone even
//! less. To wake a sleeping thread takes about as long, so the threads of a crew watch for jobs for a while
//! before they sleep.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::order::in_order;

/// Jobs for several threads. Each takes some of the jobs that are left, of about the same weight, until none
/// is.
#[derive(Debug)]
pub(super) struct Crew<J> {
    /// The threads besides the one that gives the jobs.
    helpers: usize,
    jobs: Mutex<Jobs<J>>,
    /// The number of jobs in `jobs` that nobody has taken, for those who watch it.
    waiting: AtomicUsize,
    /// The number of jobs that are not done.
    open: AtomicUsize,
    is_over: AtomicBool,
}

#[derive(Debug)]
struct Jobs<J> {
    /// The jobs that nobody has taken, with their weights.
    waiting: Vec<(J, u64)>,
    done: Vec<J>,
    /// The weight that a thread takes at a time.
    portion: u64,
}

/// The portions that each thread takes of a batch.
const PORTIONS: u64 = 16;

impl<J: Send> Crew<J> {
    fn new(helpers: usize) -> Self {
        let jobs = Mutex::new(Jobs { waiting: Vec::new(), done: Vec::new(), portion: 0 });
        let (waiting, open) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Self { helpers, jobs, waiting, open, is_over: AtomicBool::new(false) }
    }

    /// Calls `lead` with a crew that has `helpers` threads of the current pool, which do jobs by `work`, each
    /// with a `state` of its own, until `lead` returns.
    pub(super) fn with<S, T>(
        helpers: usize,
        work: &(dyn Fn(&mut S, &mut J) + Sync),
        state: &(dyn Fn() -> S + Sync),
        lead: impl FnOnce(&Self) -> T,
    ) -> T {
        let crew = Self::new(helpers);
        if helpers == 0 {
            return lead(&crew);
        }
        rayon::in_place_scope(|scope| {
            for _ in 0..helpers {
                scope.spawn(|_| {
                    let mut state = state();
                    crew.help(work, &mut state);
                });
            }
            let _end = EndOf(&crew.is_over);
            lead(&crew)
        })
    }

    /// Does all jobs, of which `weight` tells how long they take, and returns them in any order. `work` and
    /// `state` are those of this thread.
    pub(super) fn run<S>(
        &self,
        jobs: Vec<J>,
        weight: impl Fn(&J) -> u64,
        work: &(dyn Fn(&mut S, &mut J) + Sync),
        state: &mut S,
    ) -> Vec<J> {
        let mut jobs = jobs;
        if self.helpers == 0 || jobs.len() < 2 {
            for job in &mut jobs {
                work(state, job);
            }
            return jobs;
        }
        let count = jobs.len();
        let weights: Vec<u64> = jobs.iter().map(weight).collect();
        let all: u64 = weights.iter().sum();
        // They are taken from the end: the longest first, so that all threads end at about the same time.
        let waiting = in_order(jobs.into_iter().zip(weights.iter().copied()).collect(), &weights);
        let portion = all / (PORTIONS * (self.helpers as u64 + 1));
        self.open.store(count, Ordering::Relaxed);
        *self.lock() = Jobs { waiting, done: Vec::with_capacity(count), portion };
        self.waiting.store(count, Ordering::Release);
        while self.take_and_do(work, state) {}
        let mut looks = 0;
        while self.open.load(Ordering::Acquire) > 0 {
            pause(&mut looks);
        }
        let done = std::mem::take(&mut self.lock().done);
        assert_eq!(done.len(), count, "a job has panicked");
        done
    }

    /// Does jobs until the crew is dismissed.
    fn help<S>(&self, work: &(dyn Fn(&mut S, &mut J) + Sync), state: &mut S) {
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
    fn take_and_do<S>(&self, work: &(dyn Fn(&mut S, &mut J) + Sync), state: &mut S) -> bool {
        let mut taken = {
            let mut jobs = self.lock();
            let mut sum = 0;
            let mut first = jobs.waiting.len();
            while first > 0 && sum <= jobs.portion {
                first -= 1;
                sum += jobs.waiting[first].1;
            }
            self.waiting.store(first, Ordering::Relaxed);
            jobs.waiting.split_off(first)
        };
        if taken.is_empty() {
            return false;
        }
        // Should a job panic, the others are not waited for: the scope passes the panic on.
        let _open = Finish(&self.open, taken.len());
        for (job, _) in &mut taken {
            work(state, job);
        }
        self.lock().done.extend(taken.into_iter().map(|it| it.0));
        true
    }

    fn lock(&self) -> MutexGuard<'_, Jobs<J>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
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
        let work = |state: &mut u64, job: &mut u64| {
            *state += 1;
            *job += *job;
        };
        Crew::with(helpers, &work, &|| 0, |crew| {
            let (mut jobs, mut state) = ((0..jobs).collect::<Vec<_>>(), 0);
            for _ in 0..50 {
                jobs = crew.run(jobs, |job| job % 7, &work, &mut state);
                jobs.sort_unstable();
            }
            jobs.into_iter().map(|job| job >> 50).collect()
        })
    }

    #[test]
    fn every_job_is_done_once_by_any_number_of_threads() {
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
            let work = |(): &mut (), job: &mut u32| assert!(*job != panics, "as it should");
            let run = || {
                Crew::with(2, &work, &|| (), |crew| crew.run((0..80).collect(), |_| 1, &work, &mut ()).len())
            };
            assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
        }
    }
}

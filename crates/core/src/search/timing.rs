//! When a search began, and the CPU time that it takes on all its threads.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::clock::Clock;
use cpu_time::ThreadTime;

thread_local! {
    /// What other threads have done for the searches of this one.
    static HELP: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// What this thread has done since it began, and others for it.
fn of_this_thread() -> Duration {
    // Where the system does not tell, it is 0.
    let own = ThreadTime::try_now().map_or(Duration::ZERO, |it| it.as_duration());
    own + HELP.get()
}

/// When a search began.
#[derive(Debug, Clone, Copy)]
pub(super) struct Start {
    /// By its clock.
    pub(super) at: Instant,
    cpu_time: Duration,
}

impl Start {
    /// Now, on the thread that leads the search.
    pub(super) fn now(clock: &Clock) -> Self {
        Self { at: clock.now(), cpu_time: of_this_thread() }
    }

    /// The time since then by the clock, and the CPU time of all threads that have helped until now. To be asked by
    /// the same thread.
    pub(super) fn elapsed(self, clock: &Clock) -> [Duration; 2] {
        [clock.now() - self.at, of_this_thread().saturating_sub(self.cpu_time)]
    }
}

/// Calls `lead` on this thread, and meanwhile `help` on each of so many other threads of the current pool, with their
/// numbers from 0. Their CPU time counts as that of this thread. Not generic, so that it is compiled once.
pub(super) fn with_helpers(helpers: usize, help: &(dyn Fn(usize) + Sync), lead: &mut dyn FnMut()) {
    let cpu_time = Helpers::default();
    rayon::in_place_scope(|scope| {
        for number in 0..helpers {
            let cpu_time = &cpu_time;
            scope.spawn(move |_| cpu_time.help(&|| help(number)));
        }
        lead();
    });
}

/// Adds up what several threads do for the one that makes it, until that drops it.
#[derive(Debug, Default)]
struct Helpers {
    nanoseconds: AtomicU64,
}

impl Helpers {
    /// Does `work` on another thread.
    fn help(&self, work: &dyn Fn()) {
        let start = of_this_thread();
        work();
        let took = of_this_thread().saturating_sub(start);
        self.nanoseconds.fetch_add(took.as_nanos() as u64, Ordering::Relaxed);
    }
}

impl Drop for Helpers {
    fn drop(&mut self) {
        HELP.set(HELP.get() + Duration::from_nanos(*self.nanoseconds.get_mut()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_other_threads_do_counts_and_what_is_waited_for_does_not() {
        let work = |time| {
            let start = ThreadTime::now();
            while start.elapsed() < time {}
        };
        let time = Duration::from_millis(3);
        let start = Start::now(&Clock::default());
        {
            let helpers = Helpers::default();
            std::thread::scope(|scope| {
                for _ in 0..3 {
                    scope.spawn(|| helpers.help(&|| work(time)));
                }
            });
            std::thread::sleep(40 * time);
        }
        work(time);
        let [_, all] = start.elapsed(&Clock::default());
        assert!(all >= 4 * time && all < 40 * time, "{all:?}");
    }
}

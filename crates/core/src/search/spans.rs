//! How long a search would take on more threads than it had.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use cpu_time::ThreadTime;

/// The parts of a search on one thread that several threads could do side by side, and how long these would
/// take for them. What memory and processor caches do is not in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Spans {
    /// What one thread took for these parts.
    pub work: Duration,
    /// What the proofs took of that.
    pub proofs: Duration,
    /// What [`THREADS`](Self::THREADS) would take, each number of them in its place.
    pub spans: [Duration; Self::THREADS.len()],
    /// What these sums took.
    pub measuring: Duration,
}

/// The times of a part of a batch, which one thread does; zero if they are not measured.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Times {
    pub(super) took: Duration,
    /// How long it was expected to take, on the scale of the crew.
    pub(super) weight: u64,
    pub(super) is_proof: bool,
}

impl Spans {
    /// The numbers of threads.
    pub const THREADS: [usize; 6] = [2, 4, 8, 16, 32, 64];

    /// Adds what one thread does while the others wait.
    pub(super) fn add_alone(&mut self, took: Duration) {
        self.work += took;
        self.spans.iter_mut().for_each(|span| *span += took);
    }

    /// Adds a batch that one thread has dealt out for so long, with its jobs in the order in which they were
    /// given, evenly over that time.
    pub(super) fn add(&mut self, dealing: Duration, jobs: &[Times]) {
        self.work += dealing + jobs.iter().map(|job| job.took).sum::<Duration>();
        self.proofs += jobs.iter().filter(|job| job.is_proof).map(|job| job.took).sum::<Duration>();
        for (span, threads) in self.spans.iter_mut().zip(Self::THREADS) {
            *span += span_of(threads, dealing, jobs);
        }
    }
}

/// How long so many threads take for a batch: each does the heaviest job that is there, and one of them deals
/// first.
fn span_of(threads: usize, dealing: Duration, jobs: &[Times]) -> Duration {
    if jobs.is_empty() {
        return dealing;
    }
    let mut free: BinaryHeap<Reverse<Duration>> = (1..threads).map(|_| Reverse(Duration::ZERO)).collect();
    free.push(Reverse(dealing));
    let given = |job: usize| dealing * job as u32 / jobs.len() as u32;
    let mut waiting = BinaryHeap::new();
    let (mut next, mut end) = (0, dealing);
    while let Some(Reverse(mut now)) = free.pop() {
        if waiting.is_empty() {
            now = now.max(given(next.min(jobs.len() - 1)));
        }
        while next < jobs.len() && given(next) <= now {
            waiting.push((jobs[next].weight, Reverse(next)));
            next += 1;
        }
        let Some((_, Reverse(job))) = waiting.pop() else { break };
        let done = now + jobs[job].took;
        end = end.max(done);
        free.push(Reverse(done));
    }
    end
}

/// Tells how long this thread works, if that is measured: what it waits for the processor does not count.
#[derive(Debug)]
pub(super) struct Stopwatch(Option<(ThreadTime, Duration)>);

impl Stopwatch {
    /// Starts, if times are to be measured.
    pub(super) fn start(is_measured: bool) -> Self {
        let start = if is_measured { ThreadTime::try_now().ok() } else { None };
        Self(start.map(|start| (start, Duration::ZERO)))
    }

    /// The time since the start or the last lap; 0 if it is not measured.
    pub(super) fn lap(&mut self) -> Duration {
        let Some((start, last)) = &mut self.0 else { return Duration::ZERO };
        let now = start.try_elapsed().unwrap_or(*last);
        now.saturating_sub(std::mem::replace(last, now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(took: u64, weight: u64) -> Times {
        Times { took: Duration::from_millis(took), weight, is_proof: weight == 0 }
    }

    #[test]
    fn a_span_follows_from_when_jobs_are_given_and_how_long_they_take() {
        let span = |threads, jobs: &[Times]| span_of(threads, Duration::from_millis(6), jobs).as_millis();
        // One thread more begins while the first deals, at 0, 2 and 4 ms.
        let jobs = [job(8, 1), job(8, 1), job(8, 1)];
        assert_eq!([1, 2, 3, 4, 64].map(|threads| span(threads, &jobs)), [30, 16, 14, 12, 12]);
        // The heaviest that is there comes first.
        let jobs = [job(5, 1), job(20, 0), job(20, 9)];
        assert_eq!([2, 3].map(|threads| span(threads, &jobs)), [26, 25]);
        assert_eq!(span(2, &[]), 6);
    }

    #[test]
    fn batches_are_added_up() {
        let mut spans = Spans::default();
        for _ in 0..2 {
            spans.add(Duration::from_millis(10), &[job(5, 1), job(5, 0)]);
        }
        let milliseconds = |time: Duration| time.as_millis();
        assert_eq!([spans.work, spans.proofs].map(milliseconds), [40, 10]);
        assert_eq!(spans.spans.map(milliseconds), [20; 6]);
    }
}

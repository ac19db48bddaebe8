//! A line that shows a search while it runs.

use std::time::Duration;

use super::output::{self, counted, rate, thousands};
use indicatif::{HumanDuration, ProgressBar};
use quintet_core::search::{Budget, Report};
use quintet_core::solver::Progress;

/// A line on standard error, if that is a terminal, that shows a search while it runs. It is cleared
/// when it is dropped.
pub(crate) struct LiveLine {
    bar: ProgressBar,
    /// The limit of iterations.
    iterations: Option<u64>,
}

impl LiveLine {
    pub(crate) fn new(budget: Budget) -> Self {
        let (iterations, time) = budget.limits();
        Self { bar: bar(time, "no move found yet"), iterations }
    }

    /// The line of a proof, which may take `time`.
    pub(crate) fn of_proof(time: Option<Duration>) -> Self {
        Self { bar: bar(time, "searching"), iterations: None }
    }

    pub(crate) fn is_shown(&self) -> bool {
        !self.bar.is_hidden()
    }

    /// Shows how far a proof is, once its method tells.
    pub(crate) fn show_proof(&self, progress: &Progress) {
        let parts = match progress.parts() {
            (_, 0) => None,
            (settled, all) => Some(format!("{} of {} settled", thousands(settled), counted(all, "part"))),
        };
        let positions = match progress.positions() {
            0 => None,
            all => {
                let per_second = all as f64 / self.bar.elapsed().as_secs_f64().max(1e-9);
                Some(format!("{} ({})", counted(all, "position"), rate(per_second)))
            }
        };
        let known: Vec<String> = parts.into_iter().chain(positions).collect();
        if !known.is_empty() {
            self.bar.set_message(known.join(", "));
        }
    }

    /// Shows what a search has found so far.
    pub(crate) fn show(&self, report: &Report<String>) {
        let (best, iterations) = (report.best(), report.iterations);
        let value = report.value().map_or_else(String::new, |value| format!(", score {value:.1}"));
        let proven = match report.candidates.iter().filter(|it| it.proven.is_some()).count() {
            _ if report.proven.is_some() => ", proven".to_owned(),
            0 => String::new(),
            some => format!(", {} proven", counted(some as u64, "move")),
        };
        let iterations = match self.iterations {
            Some(all) => format!("{} of {}", thousands(iterations), counted(all, "iteration")),
            None => counted(iterations, "iteration"),
        };
        // What is drawn in the end may be another move, and nobody is to know it before.
        let best = if report.policies.is_empty() { format!(", best {}", best.mv) } else { String::new() };
        self.bar.set_message(format!("{iterations}{best}{value}{proven}"));
    }
}

impl Drop for LiveLine {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// A bar that shows the time taken, the limit of time and a message.
fn bar(time: Option<Duration>, message: &'static str) -> ProgressBar {
    let limit = time.map_or(String::new(), |time| {
        let is_short = time < Duration::from_secs(60);
        let time = if is_short { format!("{time:?}") } else { format!("{:#}", HumanDuration(time)) };
        format!(" of {time}")
    });
    output::bar(&format!("{{elapsed}}{limit}  {{wide_msg}}"), None).with_message(message)
}

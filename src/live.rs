//! A line that shows a search while it runs.

use std::time::Duration;

use indicatif::{HumanDuration, ProgressBar, ProgressStyle};
use quintet_core::search::{Budget, Report};
use quintet_core::solver::Progress;
use quintet_protocol::AnswerMoves;

use super::output::{counted, rate, redraw, thousands};

/// What a search has found so far.
pub(crate) struct SearchState<'a> {
    iterations: u64,
    best: &'a str,
    /// The expected score of the best move.
    value: Option<f64>,
    /// Whether the value of the position is proven.
    is_proven: bool,
    /// The number of moves that are proven.
    proven: usize,
}

impl<'a> SearchState<'a> {
    pub(crate) fn of_report(report: &'a Report<String>) -> Self {
        let best = report.best();
        Self {
            iterations: report.iterations,
            best: &best.mv,
            value: best.value,
            is_proven: report.proven.is_some(),
            proven: report.candidates.iter().filter(|it| it.proven.is_some()).count(),
        }
    }

    pub(crate) fn of_answer(answer: &'a AnswerMoves) -> Self {
        Self {
            iterations: answer.iterations,
            best: &answer.best,
            value: answer.value,
            is_proven: answer.proven.is_some(),
            proven: answer.candidates.iter().filter(|it| it.proven.is_some()).count(),
        }
    }
}

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

    pub(crate) fn show(&self, found: &SearchState<'_>) {
        let value = found.value.map_or_else(String::new, |value| format!(", score {value:.1}"));
        let proven = match (found.proven, found.is_proven) {
            (_, true) => ", proven".to_owned(),
            (0, false) => String::new(),
            (some, false) => format!(", {} proven", counted(some as u64, "move")),
        };
        let iterations = match self.iterations {
            Some(all) => format!("{} of {}", thousands(found.iterations), counted(all, "iteration")),
            None => counted(found.iterations, "iteration"),
        };
        self.bar.set_message(format!("{iterations}, best {}{value}{proven}", found.best));
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
    let style = ProgressStyle::with_template(&format!("{{elapsed}}{limit}  {{wide_msg}}"))
        .expect("the template is valid");
    let bar = ProgressBar::new_spinner().with_style(style).with_message(message);
    redraw(&bar, Duration::from_millis(100));
    bar
}

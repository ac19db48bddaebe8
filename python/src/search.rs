//! Searches and proofs.

use std::mem;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use quintet_analysis::embed::{self, Failure};
use quintet_arena::engine::{EngineSpec, Settings, read_time};
use quintet_arena::locked;
use quintet_core::Quoted;
use quintet_core::search::SearchError;
use quintet_protocol::{AnswerMoves, Query};

use crate::position::Position;
use crate::wait::{Message, Work};
use crate::{json, wrong};

fn raised(error: SearchError) -> PyErr {
    match error {
        SearchError::OutOfMemory(_) => PyMemoryError::new_err(error.to_string()),
        error => wrong(error),
    }
}

/// Sets a setting from its text; the error names it.
pub(crate) fn set(settings: &mut Settings, key: &str, text: Option<&str>) -> PyResult<()> {
    let Some(text) = text else { return Ok(()) };
    settings.set(key, text).map_err(|reason| wrong(format!("{key}: {text} {reason}", text = Quoted(text))))
}

/// Returns a time above 0 such as `500ms` in milliseconds, rounded up. An error calls it `name`.
#[pyfunction]
pub(crate) fn milliseconds(name: &str, text: &str) -> PyResult<u64> {
    let named = |reason| wrong(format!("{name}: {} {reason}", Quoted(text)));
    let time = read_time(text).map_err(named)?.as_nanos().div_ceil(1_000_000);
    if time == 0 {
        return Err(named("is not a time above 0".to_owned()));
    }
    u64::try_from(time).map_err(|_| wrong(format!("{name}: {} is too long", Quoted(text))))
}

/// A search under way: an iterator of reports as JSON, the last of which is not partial.
#[pyclass(frozen, module = "quintet._native")]
pub(crate) struct Stream {
    state: Mutex<State>,
    /// Ends the search.
    stop: Arc<AtomicBool>,
}

enum State {
    Running(Box<Search>),
    /// A thread waits for its next report, and has it meanwhile, so that nobody waits for a lock.
    Awaited,
    Ended,
}

type Search = Work<AnswerMoves, Result<AnswerMoves, Failure>>;

#[pymethods]
impl Stream {
    /// Starts the search of a query, as `quintet analyze` reads it.
    #[new]
    fn new(query: &str) -> PyResult<Self> {
        let query: serde_json::Map<String, serde_json::Value> = serde_json::from_str(query).map_err(wrong)?;
        let query: Query = quintet_protocol::read(query).map_err(wrong)?;
        let spec: Option<EngineSpec> = query.engine.as_deref().map(str::parse).transpose().map_err(wrong)?;
        let given = Settings { threads: query.threads, ..Settings::default() };
        let threads = spec.unwrap_or_default().settings.or(&given).threads();
        let search = Work::start(threads.get(), move |stop, tell| {
            embed::answer(&crate::registry::games(), &query, stop, tell)
        })?;
        let stop = search.flag();
        Ok(Self { state: Mutex::new(State::Running(Box::new(search))), stop })
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let taken = mem::replace(&mut *locked(&self.state), State::Awaited);
        let mut search = match taken {
            State::Running(search) => search,
            State::Awaited => return Err(wrong("another thread waits for the next report of this stream")),
            State::Ended => {
                *locked(&self.state) = State::Ended;
                return Ok(None);
            }
        };
        let message = search.next(py);
        let goes_on = matches!(message, Ok(Message::News(_)));
        *locked(&self.state) = if goes_on { State::Running(search) } else { State::Ended };
        match message? {
            Message::News(report) | Message::End(Ok(report)) => Ok(Some(json(&report)?)),
            Message::End(Err(Failure::Input(text))) => Err(wrong(text)),
            Message::End(Err(Failure::Search(error))) => Err(raised(error)),
        }
    }

    /// Ends the search. A thread that waits for a report gets the last one.
    fn close(&self, py: Python<'_>) {
        /// Longer than any search takes to end.
        const PATIENCE: Duration = Duration::from_secs(10);
        self.stop.store(true, Ordering::Relaxed);
        let mut state = locked(&self.state);
        let taken = match &*state {
            State::Running(_) => mem::replace(&mut *state, State::Ended),
            State::Awaited | State::Ended => return,
        };
        drop(state);
        if let State::Running(mut search) = taken {
            search.stop(py, PATIENCE);
        }
    }
}

/// Settles a position and returns the line of `quintet solve --json`.
#[pyfunction]
#[pyo3(signature = (position, time=None, threads=None, memory=None))]
pub(crate) fn solve(
    py: Python<'_>,
    position: &Position,
    time: Option<&str>,
    threads: Option<&str>,
    memory: Option<&str>,
) -> PyResult<String> {
    let mut settings = Settings::default();
    for (key, text) in [("time", time), ("threads", threads), ("memory", memory)] {
        set(&mut settings, key, text)?;
    }
    // A time of zero is no limit that anybody means.
    settings.budget().map_err(wrong)?;
    let session = position.copy()?;
    let mut work = Work::start(settings.threads().get(), move |stop, _: &dyn Fn(())| {
        embed::solve(&*session, &settings, stop)
    })?;
    json(&work.finish(py, |()| Ok(()))?.map_err(raised)?)
}

/// The number of cores.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

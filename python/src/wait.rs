//! Long work on threads of its own, while Python goes on.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// How often Python looks for signals such as Ctrl-C.
const INTERVAL: Duration = Duration::from_millis(20);
/// How long a signal waits for the end of the work.
const AT_ONCE: Duration = Duration::from_millis(30);

/// Work under way, which gives messages and at its end a result. Dropping it stops it.
pub(crate) struct Work<M, T> {
    messages: Receiver<Message<M, T>>,
    stop: Arc<AtomicBool>,
}

/// What comes from work.
pub(crate) enum Message<M, T> {
    /// A message on the way.
    News(M),
    /// The result. Nothing follows.
    End(T),
}

impl<M, T> Drop for Work<M, T> {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

impl<M: Send + 'static, T: Send + 'static> Work<M, T> {
    /// Starts work on a pool of this many threads, at most as many as there are cores. The pool is its
    /// own, so that searches of several Python threads do not wait for each other and a process that
    /// was forked can search too.
    ///
    /// The work looks at the flag often, and ends soon once that is true.
    pub(crate) fn start(
        threads: usize,
        work: impl FnOnce(&AtomicBool, &dyn Fn(M)) -> T + Send + 'static,
    ) -> PyResult<Self> {
        let most = std::thread::available_parallelism().map_or(1, usize::from);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.clamp(1, most)).build();
        let pool =
            pool.map_err(|error| PyRuntimeError::new_err(format!("can't start the threads: {error}")))?;
        let (sender, messages) = mpsc::channel();
        let stop = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&stop);
        pool.spawn(move || {
            // Whoever waited may have gone.
            let tell = |news| _ = sender.send(Message::News(news));
            // After a panic, the sender is dropped without a result.
            if let Ok(done) = catch_unwind(AssertUnwindSafe(|| work(&seen, &tell))) {
                let _ = sender.send(Message::End(done));
            }
        });
        Ok(Self { messages, stop })
    }

    /// The flag that ends the work once it is true.
    pub(crate) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// Waits for the next message. A signal ends the work and the wait, if its handler raises an
    /// exception.
    pub(crate) fn next(&mut self, py: Python<'_>) -> PyResult<Message<M, T>> {
        loop {
            let messages = &mut self.messages;
            match py.detach(move || messages.recv_timeout(INTERVAL)) {
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(PyRuntimeError::new_err("the search failed"));
                }
                Ok(message) => return Ok(message),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if let Err(raised) = py.check_signals() {
                self.stop(py, AT_ONCE);
                return Err(raised);
            }
        }
    }

    /// Waits for the result; the messages before it go to `on_news`, whose error ends the work.
    pub(crate) fn finish(
        &mut self,
        py: Python<'_>,
        mut on_news: impl FnMut(M) -> PyResult<()>,
    ) -> PyResult<T> {
        loop {
            match self.next(py)? {
                Message::News(news) => {
                    if let Err(raised) = on_news(news) {
                        self.stop(py, AT_ONCE);
                        return Err(raised);
                    }
                }
                Message::End(result) => return Ok(result),
            }
        }
    }

    /// Ends the work, and waits for its end at most this long. It may have much memory to give back.
    pub(crate) fn stop(&mut self, py: Python<'_>, most: Duration) {
        self.stop.store(true, Ordering::Relaxed);
        let (messages, begin) = (&mut self.messages, Instant::now());
        py.detach(move || while messages.recv_timeout(most.saturating_sub(begin.elapsed())).is_ok() {});
    }
}

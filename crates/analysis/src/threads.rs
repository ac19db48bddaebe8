//! The threads of one search after another.

use rayon::{ThreadPool, ThreadPoolBuilder};

/// Threads that the next search uses again. The allocator keeps what a thread has given back apart from what
/// others have, so with new threads for every search the program would grow.
#[derive(Default)]
pub(crate) struct Threads(Option<ThreadPool>);

impl Threads {
    /// A pool of so many threads.
    ///
    /// # Errors
    /// If they can't be started.
    pub(crate) fn pool(&mut self, threads: usize) -> Result<&ThreadPool, String> {
        let same = self.0.take().filter(|pool| pool.current_num_threads() == threads);
        let pool = same.map_or_else(|| ThreadPoolBuilder::new().num_threads(threads).build(), Ok);
        let shortage =
            |error| format!("can't start {threads} threads (ulimit -u and -v limit them): {error}");
        Ok(self.0.insert(pool.map_err(shortage)?))
    }
}

//! Lines of an input, read while earlier ones wait. They take up at most [`LineMemory::BYTES`] and one line more.

use std::io::{self, BufRead};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use quintet_arena::locked;

/// What comes from an input.
pub(crate) enum Input {
    /// A line, or what is wrong with it.
    Line(Result<String, String>, Reservation),
    /// Nothing more is read until some of the lines that were passed on are dropped.
    Full,
    /// Nothing more comes; the error that ended it, if there was one.
    End(io::Result<()>),
}

/// Passes on the lines of `input` and its end. Waits while the lines that were not dropped take up too much
/// memory, and passes that on too. Ends early if `pass_on` returns false.
pub(crate) fn read(input: &mut dyn BufRead, mut pass_on: impl FnMut(Input) -> bool) {
    let memory = Arc::<LineMemory>::default();
    loop {
        let read = match quintet_protocol::next_line(input) {
            Ok(Some(line)) => {
                if memory.is_full() && !pass_on(Input::Full) {
                    return;
                }
                let reservation = LineMemory::reserve(&memory, line.as_ref().map_or(0, Vec::len));
                // Bytes that are not UTF-8 belong to no command, but the rest of the line may.
                Input::Line(line.map(|line| String::from_utf8_lossy(&line).into_owned()), reservation)
            }
            Ok(None) => Input::End(Ok(())),
            Err(error) => Input::End(Err(error)),
        };
        let is_end = matches!(read, Input::End(_));
        if !pass_on(read) || is_end {
            return;
        }
    }
}

/// The memory for lines that were read but not handled.
#[derive(Default)]
struct LineMemory {
    /// In bytes.
    taken: Mutex<usize>,
    is_freed: Condvar,
}

impl LineMemory {
    /// The bytes at which reading waits.
    const BYTES: usize = 4 << 20;
    /// The bytes that a line takes up besides its text.
    const OF_LINE: usize = 100;

    fn is_full(&self) -> bool {
        *locked(&self.taken) >= Self::BYTES
    }

    /// Reserves memory for a line with a text of this length, as soon as there is some.
    fn reserve(memory: &Arc<Self>, length: usize) -> Reservation {
        let bytes = length + Self::OF_LINE;
        let taken = memory.is_freed.wait_while(locked(&memory.taken), |taken| *taken >= Self::BYTES);
        *taken.unwrap_or_else(PoisonError::into_inner) += bytes;
        Reservation { memory: Arc::clone(memory), bytes }
    }
}

/// The memory of a line, which becomes free when this is dropped.
pub(crate) struct Reservation {
    memory: Arc<LineMemory>,
    bytes: usize,
}

impl Drop for Reservation {
    fn drop(&mut self) {
        *locked(&self.memory.taken) -= self.bytes;
        self.memory.is_freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    #[test]
    fn lines_are_read_ahead_as_long_as_there_is_memory() {
        const MOST: usize = LineMemory::BYTES.div_ceil(LineMemory::OF_LINE);
        let (sender, receiver) = mpsc::channel();
        let read_so_far = Arc::<AtomicUsize>::default();
        let counter = Arc::clone(&read_so_far);
        thread::spawn(move || {
            read(&mut vec![b'\n'; 3 * MOST].as_slice(), |input| {
                counter.fetch_add(usize::from(matches!(input, Input::Line(..))), Ordering::Relaxed);
                sender.send(input).is_ok()
            });
        });
        let (mut reservations, mut freed) = (Vec::new(), 0);
        for input in &receiver {
            let Input::Line(line, reservation) = input else { continue };
            assert_eq!(line.as_deref(), Ok(""));
            reservations.push(reservation);
            assert!(read_so_far.load(Ordering::Relaxed) <= freed + MOST);
            if reservations.len() == MOST {
                freed += MOST;
                reservations.clear();
            }
        }
        assert_eq!(freed, 3 * MOST);
    }

    #[test]
    fn what_is_no_text_leaves_the_rest_of_a_line() {
        let mut lines = Vec::new();
        read(&mut b" caf\xE9 1\r\nb".as_slice(), |input| {
            if let Input::Line(Ok(line), _) = input {
                lines.push(line);
            }
            true
        });
        assert_eq!(lines, [" caf\u{fffd} 1", "b"]);
    }
}

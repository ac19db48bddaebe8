//! The main thread, which makes all calls of MPI.

use std::cell::Cell;
use std::ops::Range;
use std::sync::mpsc::{Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use mpi::collective::SystemOperation;
use mpi::point_to_point::MatchedReceiveVec as _;
use mpi::request;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator as _, CommunicatorCollectives as _, Destination as _, Source as _};

use crate::link::{Link, Request};

/// How long a message may wait while the program's thread asks for nothing. Each look takes some ten
/// microseconds of a processor, and a search by time looks for its sums every millisecond only.
const POLL: Duration = Duration::from_micros(500);
/// How long an exchange is waited for without a pause. Then the processor is left to others, such as
/// ranks on the same machine.
const SPIN: Duration = Duration::from_micros(50);
/// The pause.
const PAUSE: Duration = Duration::from_micros(20);

/// How long to sleep until the next look whether a message has been sent.
const SEND_PAUSE: Duration = Duration::from_micros(100);

/// The main thread's ends of the connections.
pub(crate) struct Post<'a> {
    world: &'a SimpleCommunicator,
    requests: Receiver<Request>,
    link: &'static Link,
    /// The processor time that this thread had taken when it was last told the link.
    worked: Cell<Duration>,
}

/// The processor time of this thread; nothing where that is not known.
#[cfg(not(unix))]
fn cpu_time() -> Duration {
    Duration::ZERO
}

#[cfg(unix)]
fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

impl<'a> Post<'a> {
    pub(crate) fn new(
        world: &'a SimpleCommunicator,
        requests: Receiver<Request>,
        link: &'static Link,
    ) -> Self {
        Self { world, requests, link, worked: Cell::default() }
    }

    /// Serves the program's thread until it has ended, in all ranks: a rank that had left would take no message,
    /// and who sends a long one waits for that.
    pub(crate) fn serve(&self, has_ended: impl Fn() -> bool) {
        loop {
            let is_last = has_ended();
            // What was sent before the end has been served.
            if !self.turn() && is_last {
                break;
            }
        }
        let mut leaving = self.world.immediate_barrier();
        while let Err(open) = leaving.test() {
            leaving = open;
            self.receive();
            thread::sleep(SEND_PAUSE);
        }
    }

    /// Does what the program's thread asks for next, and passes on what has arrived. Returns whether
    /// it has asked for something.
    fn turn(&self) -> bool {
        let request = self.requests.recv_timeout(POLL);
        let has_asked = request.is_ok();
        match request {
            Ok(Request::Sum(numbers, reply)) => {
                // The program's thread waits for this.
                let _ = reply.send(self.sum(&numbers));
                self.worked.set(cpu_time());
            }
            Ok(Request::BeginSum(numbers, reply)) => self.sum_meanwhile(&numbers, &reply),
            Ok(Request::Send { to, bytes }) => self.send(to, &bytes),
            Err(_) => {}
        }
        self.receive();
        let before = self.worked.replace(cpu_time());
        self.link.was_busy(self.worked.get().saturating_sub(before));
        has_asked
    }

    /// Ends all ranks with an error of this one.
    pub(crate) fn abort(&self, what: &str) -> ! {
        crate::report(&format!("rank {}: {what}", self.world.rank()));
        self.world.abort(1)
    }

    fn sum(&self, numbers: &[u64]) -> Vec<u64> {
        let began = Instant::now();
        self.sum_while(numbers, || {
            if began.elapsed() > SPIN {
                thread::sleep(PAUSE);
            }
        })
    }

    /// Adds up, and calls `wait` until all ranks have.
    fn sum_while(&self, numbers: &[u64], wait: impl Fn()) -> Vec<u64> {
        let mut sums = vec![0; numbers.len()];
        request::scope(|scope| {
            let sum = SystemOperation::sum();
            let mut going = self.world.immediate_all_reduce_into(scope, numbers, &mut sums[..], sum);
            while let Err(open) = going.test() {
                going = open;
                wait();
            }
        });
        sums
    }

    /// Adds up while the program's thread works on, and may ask for more.
    fn sum_meanwhile(&self, numbers: &[u64], reply: &Sender<Vec<u64>>) {
        let sums = self.sum_while(numbers, || _ = self.turn());
        self.link.sum_ended();
        // The program's thread need not wait for this.
        let _ = reply.send(sums);
    }

    /// Sends a message to these ranks. Within a machine that takes until the others look for messages,
    /// so it sleeps meanwhile.
    fn send(&self, to: Range<usize>, bytes: &[u8]) {
        request::scope(|scope| {
            let begin = |to| match i32::try_from(to) {
                Ok(to) => self.world.process_at_rank(to).immediate_send(scope, bytes),
                Err(_) => self.abort(&format!("there is no rank {to}")),
            };
            let mut going: Vec<_> = to.map(begin).collect();
            loop {
                going = going.into_iter().filter_map(|it| it.test().err()).collect();
                if going.is_empty() {
                    return;
                }
                self.receive();
                thread::sleep(SEND_PAUSE);
            }
        });
    }

    /// Passes on what has arrived.
    fn receive(&self) {
        while let Some(arrived) = self.world.any_process().immediate_matched_probe() {
            let (bytes, status): (Vec<u8>, _) = arrived.matched_receive_vec();
            let message = match serde_json::from_slice(&bytes) {
                Ok(message) => message,
                Err(error) => self.abort(&format!("a message of another version: {error}")),
            };
            self.link.deliver(usize::try_from(status.source_rank()).unwrap_or_default(), message);
        }
    }
}

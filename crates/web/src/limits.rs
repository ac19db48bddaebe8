//! How much a client may take.

use std::time::Duration;

use super::connections::ConnectionLimits;

/// The limits of a server.
#[derive(Debug, Clone)]
pub(super) struct Limits {
    /// The connections without a WebSocket.
    pub(super) connections: ConnectionLimits,
    /// The WebSockets at a time. Another one is refused.
    pub(super) sockets: usize,
    /// The bytes of a line from a client.
    pub(super) line_bytes: usize,
    /// A client is asked in this interval whether it is there. Before it is asked again, it has to
    /// answer, or to read something if there is more for it than the connection holds.
    pub(super) ping: Duration,
    /// The time that a client has to close a WebSocket that the server closes.
    pub(super) close: Duration,
    pub(super) outbox: OutboxLimits,
}

/// The limits of the lines that wait for a client to read them. A line is always taken if none waits.
#[derive(Debug, Clone)]
pub(super) struct OutboxLimits {
    /// Partial lines are left out where there would be more lines than these.
    pub(super) lines: usize,
    /// Partial lines are left out where there would be more bytes than these.
    pub(super) bytes: usize,
    /// The client is given up where there would be more bytes than these without any partial line.
    pub(super) final_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: ConnectionLimits::default(),
            sockets: 32,
            line_bytes: 4 << 20,
            ping: Duration::from_secs(20),
            close: Duration::from_millis(500),
            outbox: OutboxLimits { lines: 256, bytes: 4 << 20, final_bytes: 8 << 20 },
        }
    }
}

//! A small HTTP server for a page on one's own machine: its files, a WebSocket over which lines go both
//! ways, and control of who has access. It knows nothing of what the lines say.
//!
//! What holds, whatever clients do:
//!
//! - No page of another site has access: [`run`] checks every request with [`AccessControl`] first.
//! - A server that others than the users of this machine may reach asks for a token.
//! - Connections are bounded in number, and so are clients: each counts until its last line has been taken,
//!   even if it has left. What waits for a client to read it is bounded, too: one that is too slow loses lines
//!   of which later ones say more, then its connection. What a line takes is up to the service.
//! - The lines of a client are passed on in their order, and its answers are sent in theirs.
//! - A client that has left is closed at once, and dropped when its last line has been taken. When the server
//!   ends all are told.
//!
//! Servers of other protocols take [`accept`], which has the limits of connections and requests alone.
#![forbid(unsafe_code)]

mod access;
mod address;
mod connections;
mod http;
mod limits;
mod outbox;
mod server;
mod socket;
#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use access::{AccessControl, HostName};
pub use address::{ListenError, Listeners};
pub use connections::{Answer, Connection, ConnectionLimits, Request, Response, accept};
pub use http::{File, Site};
use outbox::Outbox;
pub use server::run;

/// A line for the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The line without its end.
    pub text: String,
    /// Whether it may be left out, because a later line says more.
    pub is_partial: bool,
}

/// Takes lines for a client, from any thread and at any time.
#[derive(Debug, Clone)]
pub struct Out(Arc<Outbox>);

impl Out {
    /// Sends a line. It never waits.
    pub fn send(&self, line: Line) {
        self.0.push(line);
    }

    /// Whether little enough waits for the client that it can be sent 4 MiB more. Answers that come in many large
    /// parts wait for this, so that a client behind a slow connection gets all of them.
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.0.has_room()
    }
}

/// What a service does for a client. A closure takes lines, and has nothing to end.
pub trait Serve: Send + Sync {
    /// Takes a line. The next line waits until this returns, so it may parse and check the line and answer what
    /// is known at once, but never waits for more.
    fn line(&self, line: Vec<u8>);

    /// Ends what runs for the client, which has left. This comes once, perhaps while a line is being taken, and
    /// never waits.
    fn close(&self) {}
}

impl<F: Fn(Vec<u8>) + Send + Sync> Serve for F {
    fn line(&self, line: Vec<u8>) {
        self(line);
    }
}

/// A client of a service. Dropping it ends all that runs for the client.
pub type Client = Box<dyn Serve>;

/// Admits a client, whose answers go to the [`Out`].
pub type Service = Box<dyn Fn(Out) -> Client + Send + Sync>;

/// The code of the README, compiled and run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

//! What the server passes lines to.

/// A line for the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    /// The line without its end.
    pub(crate) text: String,
    /// Whether it may be left out, because a later line says more.
    pub(crate) is_partial: bool,
}

/// Takes lines for a client, from any thread and at any time. It never waits.
pub(crate) type Out = Box<dyn Fn(Line) + Send + Sync>;

/// Answers the lines of clients.
pub(crate) trait Service: Send + Sync + 'static {
    type Client: Client;

    /// Admits a client, whose answers go to `out`.
    fn client(&self, out: Out) -> Self::Client;
}

/// A client of a [`Service`]. Dropping it ends all that runs for it.
pub(crate) trait Client: Send + 'static {
    /// Takes a line. The client's next line waits until this returns, so it may parse and check the
    /// line and answer what is known at once, but never waits for a search.
    fn line(&self, text: Vec<u8>);
}

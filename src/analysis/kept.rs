//! Trees that are kept between queries of one game.

use quintet_core::registry::Variant;
use quintet_core::session::{EngineConfig, Session};

use super::queue::ClientId;

/// A game whose engine keeps its trees.
pub(super) struct Kept {
    pub(super) client: ClientId,
    pub(super) name: String,
    /// The settings of its engine.
    pub(super) config: EngineConfig,
    pub(super) session: Box<dyn Session>,
}

/// The games that no search is using, the one used last at the end.
#[derive(Default)]
pub(super) struct Shelf(Vec<Kept>);

impl Shelf {
    /// Takes the game of a client with this name, if game and engine are the same.
    pub(super) fn take(
        &mut self,
        client: ClientId,
        name: &str,
        variant: Variant,
        config: &EngineConfig,
    ) -> Option<Box<dyn Session>> {
        let index = self.0.iter().position(|it| it.client == client && it.name == name)?;
        let kept = self.0.remove(index);
        (kept.session.variant() == variant && kept.config == *config).then_some(kept.session)
    }

    /// Puts a game back, and drops the client's game that was not used for longest if it has more
    /// than `most`.
    pub(super) fn put(&mut self, kept: Kept, most: usize) {
        let client = kept.client;
        self.0.push(kept);
        let mut of_client = self.0.iter().enumerate().filter(|(_, it)| it.client == client);
        if let Some((oldest, _)) = of_client.next()
            && of_client.count() >= most
        {
            self.0.remove(oldest);
        }
    }

    /// Drops the games of a client.
    pub(super) fn forget(&mut self, client: ClientId) {
        self.0.retain(|it| it.client != client);
    }
}

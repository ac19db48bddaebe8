//! Trees that are kept between queries of one game.

use quintet_core::registry::Variant;
use quintet_core::session::{EngineConfig, Session};

/// The number of a client.
pub(crate) type ClientId = u64;

/// A game whose engine keeps its trees.
pub(crate) struct KeptGame {
    pub(crate) client: ClientId,
    pub(crate) name: String,
    /// The settings of its engine.
    pub(crate) config: EngineConfig,
    /// The bytes that its trees may take.
    pub(crate) memory: usize,
    pub(crate) session: Box<dyn Session>,
}

/// The games that no search is using, the one used last at the end.
#[derive(Default)]
pub(crate) struct TreeCache(Vec<KeptGame>);

impl TreeCache {
    /// Takes the game of a client with this name, if game and engine are the same.
    pub(crate) fn take(
        &mut self,
        client: ClientId,
        name: &str,
        variant: &Variant,
        config: &EngineConfig,
    ) -> Option<Box<dyn Session>> {
        let index = self.0.iter().position(|it| it.client == client && it.name == name)?;
        let kept = self.0.remove(index);
        (kept.session.variant() == variant && kept.config == *config).then_some(kept.session)
    }

    /// Puts a game back. Drops the one that was not used for longest if its client has more than
    /// `of_client` games, or all clients together have more than `of_all`.
    pub(crate) fn put(&mut self, kept: KeptGame, of_client: usize, of_all: usize) {
        let client = kept.client;
        self.0.push(kept);
        self.keep_at_most(of_client, |it| it.client == client);
        self.keep_at_most(of_all, |_| true);
    }

    /// Drops the games that were not used for longest until the trees of the others take at most `memory`
    /// bytes.
    pub(crate) fn keep_within(&mut self, memory: usize) {
        while self.0.iter().map(|it| it.memory).sum::<usize>() > memory {
            self.0.remove(0);
        }
    }

    fn keep_at_most(&mut self, most: usize, is_counted: impl Fn(&KeptGame) -> bool) {
        let counted = self.0.iter().filter(|it| is_counted(it)).count();
        let oldest = self.0.iter().position(is_counted);
        if let Some(oldest) = oldest.filter(|_| counted > most) {
            self.0.remove(oldest);
        }
    }

    /// Drops the games of a client.
    pub(crate) fn forget(&mut self, client: ClientId) {
        self.0.retain(|it| it.client != client);
    }
}

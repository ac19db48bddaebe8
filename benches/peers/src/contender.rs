//! What is compared: a search of one game by one crate.

/// The iterations of every search.
pub(crate) const ITERATIONS: u32 = 50_000;

/// One way to search a game.
#[derive(Debug, Clone)]
pub(crate) struct Contender<G> {
    /// The crate, as the lock file names it.
    pub(crate) name: &'static str,
    /// What it runs, for the table.
    pub(crate) what: String,
    /// Searches a position that is not over for [`ITERATIONS`] iterations, asserts that it found a
    /// legal move, and frees all memory.
    pub(crate) search: fn(&G) -> Found<G>,
}

/// What a search found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Found<G> {
    /// The position after the best move, or the best turn where plies are merged.
    pub(crate) after: G,
    /// The iterations done; fewer than asked for where a crate stops at a proof.
    pub(crate) iterations: u64,
    /// How to measure the memory of the tree.
    pub(crate) tree: TreeBytes,
}

/// How to measure the memory of the tree of a search.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TreeBytes {
    /// The search reports its bytes. It reserves more than it touches, so the heap would mislead.
    Told(u64),
    /// The tree takes what the heap grew by.
    HeapGrowth,
}

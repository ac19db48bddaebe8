//! Training a model: games of the engine against itself, and fitting the weights to them. Files and the match
//! that decides belong to the caller.

mod fit;
mod self_play;

pub use fit::{Fit, Fitted, fit};
pub use self_play::{SearchResult, SelfGame, SelfPlay};

#[cfg(test)]
mod tests;

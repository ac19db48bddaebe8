//! What the search promises, checked from outside.

mod behaviour;
mod budget;
mod proofs;
mod random_tree;
mod signature;
mod sixth_game;

//! What the search promises, checked from outside.

#[path = "../catalog/mod.rs"]
mod catalog;

mod behaviour;
mod budget;
mod proofs;

//! Tests of the search through its public interface.

#[path = "../catalog/mod.rs"]
mod catalog;

mod behaviour;
mod budget;
mod proofs;

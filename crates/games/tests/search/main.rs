//! Tests of the search through its public interface, and that hot paths allocate nothing.

#[path = "../catalog/mod.rs"]
mod catalog;

mod allocations;
mod behaviour;
mod budget;
mod pentago_values;
mod player;
mod proofs;
mod quarto;

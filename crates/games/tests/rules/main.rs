//! Tests that the five games follow the rules. Recorded games, counts of legal sequences and twins
//! (second versions of the games, too simple to be wrong in the same way) all have to agree with
//! the crate.

#[path = "../catalog/mod.rs"]
mod catalog;

mod agreement;
mod battery;
mod drawings;
mod endings;
mod harness;
mod krk_everywhere;
mod named;
mod perft;
mod positions;
mod randomness;
mod tasks;
mod traces;
mod twins;

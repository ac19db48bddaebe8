//! Engines by name, the games that a tournament has them play, and what is made of the results.

mod engine;
mod results;
mod schedule;
mod standings;

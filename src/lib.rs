//! quintet
pub mod game;
pub mod games;
pub mod knowledge;
pub mod search;

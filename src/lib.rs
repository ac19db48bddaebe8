//! quintet
pub mod arena;
pub mod engine;
pub mod game;
pub mod games;
pub mod knowledge;
pub mod search;

//! quintet
pub mod game;
pub mod games;

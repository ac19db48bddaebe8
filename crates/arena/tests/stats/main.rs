//! What the statistics say of matches: against published figures, and against imagined engines whose strength is
//! known.

mod rating;
mod score;
mod simulation;
mod sprt;

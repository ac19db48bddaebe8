//! The statistics, compared with published figures and with simulated engines of known strength.

mod groups;
mod rating;
mod score;
mod simulation;
mod sprt;

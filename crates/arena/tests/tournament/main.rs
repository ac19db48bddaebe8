//! Engine specifications, schedules, results and standings.

mod engine;
mod harness;
mod remote;
mod results;
mod schedule;
mod standings;
mod watch;

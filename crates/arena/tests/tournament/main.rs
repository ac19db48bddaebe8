//! Engine specifications, schedules, results and standings.

mod engine;
mod results;
mod schedule;
mod standings;
mod watch;

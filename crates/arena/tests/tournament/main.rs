//! Engine specifications, schedules, results and standings.

mod engine;
#[cfg(unix)]
mod faults;
mod harness;
mod merge;
mod record;
mod remote;
mod results;
mod schedule;
mod sides;
mod standings;
mod watch;

//! Compiles rulesheets, compares them with the reference, and tells how fast their random games are, a line for each.
//!
//! ```console
//! $ cargo run --release -p quintet-gdl --example rulesheets -- 1000 5s FILE …
//! ```
#![expect(clippy::print_stdout, reason = "that is what an example is for")]

use std::time::{Duration, Instant};

use quintet_gdl::{Compiled, Limits, compare};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let steps = arguments.next().and_then(|it| it.parse().ok()).unwrap_or(1_000);
    let seconds = arguments.next().and_then(|it| it.trim_end_matches('s').parse().ok()).unwrap_or(5);
    for path in arguments {
        let text =
            std::fs::read(&path).map(|it| String::from_utf8_lossy(&it).into_owned()).unwrap_or_default();
        let start = Instant::now();
        let compiled = match Compiled::new(&text, Limits::default()) {
            Ok(compiled) => compiled,
            Err(error) => {
                println!("{path}\tfailed\t{:.3}\t{error}", start.elapsed().as_secs_f64());
                continue;
            }
        };
        let took = start.elapsed().as_secs_f64();
        let compared = match compare::compare(&text, &compiled, steps, Duration::from_secs(seconds), 0) {
            Ok(steps) => format!("{steps}"),
            Err(error) => format!("DIFFERS {error}"),
        };
        let rate = compiled.random_games(Duration::from_millis(300));
        let off = compare::compare_lanes(&compiled, Duration::from_secs(seconds) / 3, 0);
        let summary = compiled.summary();
        println!("{path}\t{took:.3}\t{summary}\t{:.0}\t{:.0}\t{compared}\t{off:.2}", rate.games, rate.steps);
    }
}

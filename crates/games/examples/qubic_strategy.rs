//! Proves that team X wins Qubic from the start, and makes the table of its strategy that the knowledge
//! of Qubic has.
//!
//! ```console
//! $ cargo run --release -p quintet-games --example qubic_strategy -- TABLE
//! $ cargo run --release -p quintet-games --example qubic_strategy -- try CELL POSITIONS
//! ```
//!
//! It takes three minutes on one core and 800 MB. After a mark of X in a corner, it proves one of team
//! O's replies after the other. Then it walks through all positions to which O can lead X, and writes to
//! `TABLE` the cell that X marks in each, except where X stops a line or finds a win by threats.
//!
//! `try` does the first part for another first cell, 16 · level + 4 · row + column, each from 0. It gives
//! up a reply after `POSITIONS` positions.

#![expect(clippy::print_stdout, reason = "tells how far it is")]

use std::error::Error;
use std::time::Instant;
use std::{env, fs};

use quintet_games::qubic::knowledge::strategy::{prove_start, try_first};

/// The bytes for the positions that the proof has met.
const MEMORY: usize = 1600 << 20;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let started = Instant::now();
    match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["try", cell, positions] => {
            let cell = cell.parse().ok().filter(|&cell| cell < 64).ok_or("CELL is a number from 0 to 63")?;
            try_first(cell, MEMORY, positions.parse()?, |reply, is_refuted, positions| {
                let fate = if is_refuted { "refuted" } else { "open" };
                println!("{:.0?}: reply {reply} {fate}, {positions} positions", started.elapsed());
            });
        }
        [table] => {
            let watch = |reply, positions| {
                println!("{:.0?}: reply {reply}, {positions} positions", started.elapsed());
            };
            let bytes = prove_start(MEMORY, watch).ok_or("a reply is not refuted")?;
            println!("{:.0?}: {} bytes", started.elapsed(), bytes.len());
            fs::write(table, bytes)?;
        }
        _ => return Err("wanted: TABLE, or try CELL POSITIONS".into()),
    }
    Ok(())
}

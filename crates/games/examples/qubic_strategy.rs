//! Proves that team X wins Qubic from the start, and makes the table of its strategy that the knowledge
//! of Qubic has.
//!
//! ```console
//! $ cargo run --release -p quintet-games --example qubic_strategy -- TABLE
//! ```
//!
//! It takes three minutes on one core and 800 MB. After a mark of X in a corner, it proves one of team
//! O's replies after the other. Then it walks through all positions to which O can lead X, and writes to
//! `TABLE` the cell that X marks in each, except where X stops a line or finds a win by threats.

#![expect(clippy::print_stdout, reason = "tells how far it is")]

use std::error::Error;
use std::time::Instant;
use std::{env, fs};

use quintet_games::qubic::knowledge::strategy::prove_start;

/// The bytes for the positions that the proof has met.
const MEMORY: usize = 1600 << 20;

fn main() -> Result<(), Box<dyn Error>> {
    let table = env::args().nth(1).ok_or("the name of a file is wanted: TABLE")?;
    let started = Instant::now();
    let watch =
        |reply, positions| println!("{:.0?}: reply {reply}, {positions} positions", started.elapsed());
    let bytes = prove_start(MEMORY, watch).ok_or("a reply is not refuted")?;
    println!("{:.0?}: {} bytes", started.elapsed(), bytes.len());
    fs::write(&table, bytes)?;
    Ok(())
}

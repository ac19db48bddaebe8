//! Checks that the mutants of a file of certificates are refused unless they prove something too.
//! The time is that of as many checks of the file.
//!
//! ```console
//! $ cargo run --release -p quintet-verify --example mutants -- FILE 500
//! ```
#![expect(clippy::print_stdout, reason = "tells the result")]

#[path = "../tests/mutants/mod.rs"]
mod mutants;

use std::error::Error;
use std::{env, fs};

use mutants::mutate;
use quintet_verify::verify;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = env::args().skip(1);
    let (Some(file), Some(count)) = (args.next(), args.next()) else {
        return Err("a file and a number of mutants are wanted".into());
    };
    let text = fs::read_to_string(file)?;
    verify(&mut text.as_bytes(), &mut |_| ())?;
    let fates = mutate(&text, count.parse()?);
    for (kind, fate) in
        ["a line less", "another turn", "a higher claim", "another position"].iter().zip(&fates)
    {
        println!("{kind}: {} refused, {} proofs", fate.refused, fate.still_proofs);
    }
    if [0, 2, 3].iter().any(|&kind| fates[kind].still_proofs > 0) {
        return Err("a line is not needed, or a higher claim or another position is accepted".into());
    }
    Ok(())
}

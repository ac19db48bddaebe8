//! Finds the values of the classes of Quarto positions under `ggp` with up to four pieces on the
//! board, and makes the table of them that the knowledge of Quarto has.
//!
//! ```console
//! $ cargo run --release -p quintet-games --example quarto_classes -- VALUES TABLE
//! ```
//!
//! `VALUES` is a text file with a line for each number of pieces, from 0 to 4: a character for each
//! class, in the order of the keys: `0` if the side to place loses, `1` for a draw, `2` if it wins,
//! `?` if not known. What is there already is not searched again, so the search can be stopped at
//! any time. Without the file, it begins with what the table of the knowledge has. Classes with three pieces come first, since they take minutes and those with four take
//! hours. `TABLE` is written at the end.

#![expect(clippy::print_stdout, reason = "tells how far it is")]

use std::error::Error;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{env, fs, io, thread};

use quintet_core::StaticMap;
use quintet_games::quarto::knowledge::classes::{Class, ClassSolver, MAX_PLACED, UNKNOWN, classes};

/// The binary logarithm of the number of slots of a thread's table, of 16 bytes each.
const TABLE_BITS: u32 = 23;
const SAVED_EVERY: Duration = Duration::from_secs(30);

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = env::args().skip(1);
    let (Some(values), Some(table)) = (args.next(), args.next()) else {
        return Err("the names of two files are wanted: VALUES TABLE".into());
    };
    let all: Vec<Vec<Class>> = (0..=MAX_PLACED).map(classes).collect();
    let known: Vec<Vec<u8>> = match fs::read_to_string(&values) {
        Ok(text) => text.lines().map(|line| line.as_bytes().to_vec()).collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let value = |class: &Class| class.known_half_points().map_or(b'?', |it| b'0' + it);
            all.iter().map(|classes| classes.iter().map(value).collect()).collect()
        }
        Err(error) => return Err(error.into()),
    };
    if !known.iter().map(Vec::len).eq(all.iter().map(Vec::len)) {
        return Err(format!("{values} does not have a character for each class").into());
    }
    let known = Mutex::new(known);
    solve(&all, &known, Path::new(&values))?;
    let known = known.into_inner().map_err(|_| "a thread failed")?;
    let value = |&it: &u8| if it == b'?' { UNKNOWN } else { it - b'0' };
    let keys = all.iter().flatten().map(|class| class.key);
    let pairs: Vec<(u64, u8)> = keys.zip(known.iter().flatten().map(value)).collect();
    fs::write(&table, StaticMap::build(&pairs, 2))?;
    Ok(())
}

/// Fills in what is not `known`.
fn solve(all: &[Vec<Class>], known: &Mutex<Vec<Vec<u8>>>, path: &Path) -> io::Result<()> {
    let order: Vec<(usize, usize)> = [3, 2, 1, 0, 4]
        .into_iter()
        .flat_map(|placed| (0..all[placed].len()).map(move |at| (placed, at)))
        .collect();
    let next = AtomicUsize::new(0);
    let started = Instant::now();
    let work = || -> io::Result<()> {
        let mut solver = ClassSolver::new(TABLE_BITS);
        let mut saved = Instant::now();
        while let Some(&(placed, at)) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
            if lock(known)[placed][at] != b'?' {
                continue;
            }
            let value = b'0' + solver.half_points(&all[placed][at]);
            let mut known = lock(known);
            known[placed][at] = value;
            if saved.elapsed() >= SAVED_EVERY {
                saved = Instant::now();
                save(&known, path)?;
                println!("{:.0?}: {at} of {} with {placed} pieces", started.elapsed(), all[placed].len());
            }
        }
        Ok(())
    };
    thread::scope(|scope| {
        let threads: Vec<_> =
            (0..thread::available_parallelism()?.get()).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().unwrap_or_else(|_| Err(io::Error::other("a thread failed"))))
    })?;
    save(&lock(known), path)
}

fn lock(known: &Mutex<Vec<Vec<u8>>>) -> std::sync::MutexGuard<'_, Vec<Vec<u8>>> {
    known.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn save(known: &[Vec<u8>], path: &Path) -> io::Result<()> {
    let mut text = known.join(&b'\n');
    text.push(b'\n');
    let part = path.with_extension("part");
    fs::write(&part, text)?;
    fs::rename(&part, path)
}

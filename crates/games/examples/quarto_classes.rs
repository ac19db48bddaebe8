//! Finds the values of the classes of Quarto positions under `ggp` with up to four pieces on the
//! board, and makes the table of them that the knowledge of Quarto has.
//!
//! ```console
//! $ cargo run --release -p quintet-games --example quarto_classes -- make VALUES TABLE
//! $ cargo run --release -p quintet-games --example quarto_classes -- check COUNT SEED
//! ```
//!
//! `make` takes half an hour on one core, almost all of it for the classes with four pieces, and
//! the first of those take longest. `VALUES` is a text file with a line for each number of pieces,
//! from 0 to 4: a character for each class, in the order of the keys: `0` if the side to place
//! loses, `1` for a draw, `2` if it wins, `?` if not known. It is written twice a minute, and what
//! it has is not searched again, so the search can be stopped at any time. `TABLE` is written at
//! the end.
//!
//! `check` solves `COUNT` random classes with four pieces without the table, and compares the
//! values with those that the table has.

#![expect(clippy::print_stdout, reason = "tells how far it is")]

use std::error::Error;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{env, fs, io, thread};

use quintet_core::StaticMap;
use quintet_core::game::Rng;
use quintet_games::quarto::knowledge::classes::{Class, ClassSolver, MAX_PLACED, classes};

/// The binary logarithm of the number of slots of a thread's table, of 16 bytes each.
const TABLE_BITS: u32 = 23;
const SAVED_EVERY: Duration = Duration::from_secs(30);

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["make", values, table] => make(values, table),
        ["check", count, seed] => check(
            count.parse().map_err(|error| format!("COUNT {count:?}: {error}"))?,
            seed.parse().map_err(|error| format!("SEED {seed:?}: {error}"))?,
        ),
        _ => Err("wanted: make VALUES TABLE, or check COUNT SEED".into()),
    }
}

fn make(values: &str, table: &str) -> Result<(), Box<dyn Error>> {
    let all: Vec<Vec<Class>> = (0..=MAX_PLACED).map(classes).collect();
    let known: Vec<Vec<u8>> = match fs::read_to_string(values) {
        Ok(text) => text.lines().map(|line| line.as_bytes().to_vec()).collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            all.iter().map(|classes| vec![b'?'; classes.len()]).collect()
        }
        Err(error) => return Err(format!("{values}: {error}").into()),
    };
    if !known.iter().map(Vec::len).eq(all.iter().map(Vec::len)) {
        return Err(format!("{values} does not have a character for each class").into());
    }
    if !known.iter().flatten().all(|it| b"012?".contains(it)) {
        return Err(format!("{values} has a character that is none of 0, 1, 2 and ?").into());
    }
    let known = Mutex::new(known);
    solve(&all, &known, Path::new(values))?;
    let known = known.into_inner().map_err(|_| "a thread failed")?;
    let keys = all.iter().flatten().map(|class| class.key);
    let pairs: Vec<(u64, u8)> = keys.zip(known.iter().flatten().map(|value| value - b'0')).collect();
    fs::write(table, StaticMap::build(&pairs, 2)).map_err(|error| format!("{table}: {error}"))?;
    Ok(())
}

fn check(count: usize, seed: u64) -> Result<(), Box<dyn Error>> {
    let mut all = classes(MAX_PLACED);
    let mut rng = Rng::stream(seed, 0);
    let mut solver = ClassSolver::new(TABLE_BITS);
    let mut by_value = [0; 3];
    for index in 0..count.min(all.len()) {
        let other = index + rng.below(all.len() - index);
        all.swap(index, other);
        let class = &all[index];
        let (found, known) = (solver.half_points(class), class.known_half_points());
        if found != known {
            return Err(format!("the table has {known} instead of {found} half points for {class:?}").into());
        }
        by_value[usize::from(found)] += 1;
    }
    let [lost, drawn, won] = by_value;
    println!("the table is right: {won} won, {drawn} drawn, {lost} lost for the side to place");
    Ok(())
}

/// Fills in what is not `known`.
fn solve(all: &[Vec<Class>], known: &Mutex<Vec<Vec<u8>>>, path: &Path) -> io::Result<()> {
    // Each number of pieces is quick after those with one more.
    let order: Vec<(usize, usize)> =
        (0..all.len()).rev().flat_map(|placed| (0..all[placed].len()).map(move |at| (placed, at))).collect();
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

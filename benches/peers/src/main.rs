//! Compares quintet's plain UCT with that of other crates, on the same games and in one process.
//!
//! Writes Markdown to standard output; README.md says how to read it.

mod allocator;
mod contender;
mod turns;
mod with_arbor;
mod with_board_game;
mod with_mcts;
mod with_minimax;
mod with_quintet;

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::Command;

use contender::{Contender, ITERATIONS, TreeBytes};
use cpu_time::ProcessTime;
use quintet_games::{Ggp, Gomoku, Pentago};
use turns::Turns;

#[global_allocator]
static ALLOCATOR: allocator::Counting = allocator::Counting;

/// How often each pair is timed.
const REPETITIONS: usize = 5;

/// The lock file, which has the versions of the crates.
const LOCK: &str = include_str!("../Cargo.lock");

fn main() -> std::io::Result<()> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(header().as_bytes())?;
    for table in [
        table::<Pentago<Ggp>>("Pentago (ggp), start position"),
        table::<Gomoku<Ggp>>("Gomoku (ggp), empty board, colors picked"),
    ] {
        stdout.write_all(table.as_bytes())?;
    }
    Ok(())
}

fn header() -> String {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|info| {
        let line = info.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    });
    let changed = run(
        "git",
        &["status", "--porcelain", "--", "../../crates/core", "../../crates/games", "../../Cargo.toml"],
    );
    let changed =
        if changed.is_some_and(|files| !files.is_empty()) { ", with changes not committed" } else { "" };
    format!(
        "# Speed and memory beside other crates\n\n    \
         cargo run --release --manifest-path benches/peers/Cargo.toml\n\n\
         Revision {}{changed}, {}, {}.\n\n\
         {} iterations a search, one thread. Iterations per second of CPU time, from making the search to having its \
         move and all memory back: medians\nof {REPETITIONS} searches, in turn with quintet's. Bytes an iteration: \
         for quintet what its nodes take, for the others by how much the live heap grew\nat its peak. Ratios are \
         quintet's plain UCT as it is, by that row: above 1 quintet does more iterations a second, below 1 it takes \
         fewer bytes.\n`benches/peers/README.md` says how to read this.\n",
        run("git", &["rev-parse", "--short", "HEAD"]).unwrap_or_else(|| "unknown".to_owned()),
        cpu.unwrap_or_else(|| "unknown processor".to_owned()),
        run("rustc", &["--version"]).unwrap_or_else(|| "unknown rustc".to_owned()),
        thousands(f64::from(ITERATIONS)),
    )
}

/// Returns what a command prints when it runs in this package's folder.
fn run(program: &str, arguments: &[&str]) -> Option<String> {
    let output =
        Command::new(program).args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Returns all contenders that quintet is compared with.
fn peers<G: Turns>() -> Vec<Contender<G>> {
    let mut peers = vec![with_quintet::move_by_move()];
    peers.extend(with_arbor::contenders());
    peers.extend(with_mcts::contenders());
    peers.extend(with_minimax::contenders());
    peers.push(with_board_game::contender());
    peers
}

/// The comparison on one game.
fn table<G: Turns>(title: &str) -> String {
    let quintet = with_quintet::as_it_is::<G>();
    let (bytes, reserved) = memory(&quintet);
    let mut rows = String::new();
    let mut all_of_quintet = Vec::new();
    for peer in peers::<G>() {
        let (own, others): (Vec<_>, Vec<_>) =
            (0..REPETITIONS).map(|_| (speed(&quintet), speed(&peer))).unzip();
        let peer_bytes = memory(&peer).0;
        let speed = median(&others);
        row(&mut rows, &peer, speed, median(&own) / speed, peer_bytes, bytes / peer_bytes);
        all_of_quintet.extend(own);
    }
    let mut first = String::new();
    row(&mut first, &quintet, median(&all_of_quintet), 1.0, bytes, 1.0);
    format!(
        "\n## {title}\n\n\
         | crate | version | what it ran | iterations/s | quintet ÷ it | bytes/iteration | quintet ÷ it |\n\
         |---|---|---|--:|--:|--:|--:|\n\
         {first}{rows}\n\
         quintet reserves {reserved:.0} bytes an iteration when a search starts, and touches only what its nodes \
         take.\n"
    )
}

fn row<G>(text: &mut String, contender: &Contender<G>, speed: f64, ratio: f64, bytes: f64, bytes_ratio: f64) {
    let Contender { name, what, .. } = contender;
    let version = version(name).unwrap_or("unknown");
    let speed = thousands(speed);
    writeln!(text, "| {name} | {version} | {what} | {speed} | {ratio:.2} | {bytes:.0} | {bytes_ratio:.3} |")
        .expect("a string takes all");
}

/// Returns the iterations per second of CPU time, all threads together.
fn speed<G: Turns>(contender: &Contender<G>) -> f64 {
    let position = G::benchmark();
    let start = ProcessTime::now();
    let found = (contender.search)(&position);
    let elapsed = start.elapsed();
    assert_eq!(found.iterations, u64::from(ITERATIONS), "{}", contender.what);
    assert_ne!(found.after, position, "{} has played nothing", contender.what);
    f64::from(ITERATIONS) / elapsed.as_secs_f64()
}

/// Returns the bytes per iteration of the tree, and of the heap at its peak.
fn memory<G: Turns>(contender: &Contender<G>) -> (f64, f64) {
    let position = G::benchmark();
    let (found, growth) = allocator::growth(|| (contender.search)(&position));
    let tree = match found.tree {
        TreeBytes::Told(bytes) => bytes,
        TreeBytes::HeapGrowth => growth,
    };
    let per_iteration = |bytes: u64| bytes as f64 / f64::from(ITERATIONS);
    (per_iteration(tree), per_iteration(growth))
}

fn median(figures: &[f64]) -> f64 {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[middle] } else { f64::midpoint(sorted[middle - 1], sorted[middle]) }
}

/// Returns the version of a package in the lock file.
fn version(package: &str) -> Option<&'static str> {
    let entry = LOCK.split("[[package]]").find(|entry| entry.contains(&format!("name = \"{package}\"\n")))?;
    entry.split("version = \"").nth(1)?.split('"').next()
}

/// Formats a rounded number with thousands separators.
fn thousands(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use quintet_core::game::{Game as _, Outcome, Side};

    use super::*;

    /// Calls `check` with a name for every contender and the position after its best move.
    fn each_plays<G: Turns>(position: &str, check: impl Fn(&str, G)) {
        let position: G = position.parse().unwrap_or_else(|_| panic!("{position} is a position"));
        for contender in [vec![with_quintet::as_it_is()], peers()].concat() {
            check(&format!("{}: {}", contender.name, contender.what), (contender.search)(&position).after);
        }
    }

    #[test]
    fn everyone_wins_where_one_move_does() {
        fn wins<G: Turns>(position: &str, side: Side) {
            each_plays(position, |who, after: G| {
                assert_eq!(after.outcome(), Some(Outcome::Win(side)), "{who}");
            });
        }
        wins::<Pentago<Ggp>>("6/rrrr2/6/6/6/bbbb2 r place", Side::First);
        wins::<Pentago<Ggp>>("6/rrrr2/1r4/6/6/bbbb2 b place", Side::Second);
        wins::<Gomoku<Ggp>>("11/11/11/11/11/2bbbb5/11/11/11/1wwww6/11 b 1 -", Side::First);
        wins::<Gomoku<Ggp>>("11/11/11/b10/11/2bbbb5/11/11/11/1wwww6/11 b 2 -", Side::Second);
    }

    #[test]
    fn everyone_parries_the_only_threat() {
        let position = "11/11/b9b/11/11/11/11/11/b9b/wwww7/11 b 1 -";
        let parsed: Gomoku<Ggp> = position.parse().expect("a position");
        let parried = parsed.play(parsed.parse_move("e2").expect("legal")).expect("legal");
        each_plays(position, |who, after: Gomoku<Ggp>| assert_eq!(after, parried, "{who}"));
    }
}

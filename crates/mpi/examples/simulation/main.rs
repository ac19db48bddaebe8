//! What one search over many ranks costs in messages, talk and waiting: the tables of
//! `docs/mpi-plan.md`.
//!
//! ```console
//! $ cargo run --release -p quintet-mpi --example simulation
//! ```
//!
//! Nothing is measured and no tree grows here. Ranks have times of work drawn at random, and
//! messages cost what `LogGP` says of them. The same seed and flags print the same tables.
//!
//! The model:
//!
//! - A message of k bytes keeps its sender busy for o, its sender's wire for k·G, travels for L and
//!   keeps its receiver busy for o. Alone it takes L + 2o + k·G. A rank does one thing at a time, and
//!   sends the next message while the bytes of the last are on its wire. Nothing else is slowed down
//!   by messages: switches are never full. Adding up what was received takes no time.
//! - Every rank grows one tree. A tree has a speed of its own for the whole search, each of its
//!   rounds takes a little more or less than that, and pauses come at random. Rank 0 has speed 1.
//! - Where time limits a search, nobody waits for sums: a rank works on, looks for them every
//!   millisecond, and loses only o for each message. Rank 0 says how long the next round is, and
//!   ends at the deadline. What the others have done since the last sums that it has does not count.
//!   A rank ends a round up to 0.1 ms late, as it looks at the clock so often.
#![expect(clippy::print_stdout, reason = "prints tables")]

mod net;
mod search;
#[cfg(test)]
mod tests;

use clap::Parser;
use net::{Form, Net, lone_merge, powers_of_two};
use search::{Budget, Noise, Plan, RATE, bytes, mean};

/// The number of ranks in a table.
const RANKS: [usize; 6] = [4, 16, 64, 256, 1024, 4096];
/// Latencies in microseconds: within a machine or a fast interconnect, a good network of one room, a
/// usual one with TCP, and the far side of a country.
const LATENCIES: [f64; 4] = [1.0, 20.0, 150.0, 20_000.0];
/// Searches by time in microseconds, and the iterations per tree of as long a search by iterations.
const BUDGETS: [(&str, f64); 3] = [("50 ms", 5e4), ("1 s", 1e6), ("10 s", 1e7)];
/// The share of waiting, in %, that is pointed out.
const MUCH: f64 = 10.0;

/// Messages, talk and waiting of a root-parallel search over many ranks, by simulation.
#[derive(Debug, Parser)]
#[command(about)]
struct Flags {
    /// Seed of all random times.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Legal moves of the root, of which a merge has four numbers each.
    #[arg(long, default_value_t = 60)]
    moves: u32,
    /// Time that a message takes of its sender, and again of its receiver, in microseconds.
    #[arg(long, default_value_t = 1.0, value_parser = positive)]
    overhead: f64,
    /// Bandwidth in megabytes a second.
    #[arg(long, default_value_t = 1000.0, value_parser = positive)]
    bandwidth: f64,
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(number) if (1e-6..=1e9).contains(&number) => Ok(number),
        _ => Err("a number from 0.000001 to 1000000000 is wanted".to_owned()),
    }
}

/// A time with three digits and its unit.
fn duration(time: f64) -> String {
    let (value, unit) = match time {
        ..1e3 => (time, "µs"),
        ..1e6 => (time / 1e3, "ms"),
        _ => (time / 1e6, "s"),
    };
    let decimals = if value < 9.995 { 2 } else { usize::from(value < 99.95) };
    format!("{value:.decimals$} {unit}")
}

fn print_messages(net: impl Fn(f64) -> Net, size: f64) {
    println!("One merge of {size} bytes a rank, which all begin at once: messages sent or received by the");
    println!("busiest rank and sent by all, bytes sent by all, and time by latency\n");
    print!("ranks  merge     busiest     all        kB");
    println!("{}", LATENCIES.map(|it| format!("{:>12}", duration(it))).concat());
    for count in RANKS {
        for form in Form::ALL {
            let lone = lone_merge(net(0.0), count, form, size);
            let busiest = lone.handled.iter().max().expect("there are ranks");
            let kilobytes = lone.sent as f64 * size / 1e3;
            print!("{count:5}  {:8}{busiest:9}{:8}{kilobytes:10.0}", form.name(), lone.sent);
            for latency in LATENCIES {
                print!("{:>12}", duration(lone_merge(net(latency), count, form, size).last()));
            }
            println!();
        }
    }
}

fn print_sizes(net: impl Fn(f64) -> Net) {
    println!("\nFrom how many ranks on, of 2, 4, 8 and so on to 4096, merges are faster than flat ones");
    println!("\nmoves  bytes  merge   {}", LATENCIES.map(|it| format!("{:>12}", duration(it))).concat());
    for moves in [3, 60, 240] {
        for form in [Form::Tree, Form::Doubling] {
            print!("{moves:5}{:7}  {:8}", bytes(moves), form.name());
            for latency in LATENCIES {
                let time = |count, form| lone_merge(net(latency), count, form, bytes(moves)).last();
                let is_faster = |count: &usize| time(*count, form) < time(*count, Form::Flat) - 1e-9;
                let counts = powers_of_two().take(13).skip(1).collect::<Vec<_>>().into_iter().rev();
                let least = counts.take_while(is_faster).last();
                print!("{:>12}", least.map_or("none".to_owned(), |it| it.to_string()));
            }
            println!();
        }
    }
}

fn print_searches(plan: &Plan, seed: u64, is_by_time: bool) {
    let (kind, late, ms) =
        if is_by_time { ("time", "  late", "late in ms, ") } else { ("iterations", "", "") };
    println!(
        "\nSearches by {kind}, latency {}: % of time in talk and in waiting,",
        duration(plan.net.latency)
    );
    println!("{ms}iterations in % of those of as many ranks alone\n");
    print!("ranks  merge   ");
    println!("{}", BUDGETS.map(|(name, _)| format!("{name:>0$}", 21 + late.len())).concat());
    println!("{:15}{}", "", format!(" rounds talk wait{late} it.").repeat(BUDGETS.len()));
    for ranks in RANKS {
        for form in Form::ALL {
            print!("{ranks:5}  {:8}", form.name());
            for (_, amount) in BUDGETS {
                let budget =
                    if is_by_time { Budget::Time(amount) } else { Budget::Iterations(amount * RATE) };
                let cost = mean(&Plan { ranks, form, budget, ..*plan }, seed);
                print!("{:7.0}{:5.0}{:5.0}", cost.rounds, 100.0 * cost.talk, 100.0 * cost.wait);
                if is_by_time {
                    let ms = cost.late / 1e3;
                    print!("{ms:6.0$}", if ms < 9.995 { 2 } else { usize::from(ms < 99.95) });
                }
                print!("{:4.0}", 100.0 * cost.relative);
            }
            println!();
        }
    }
}

fn print_waiting(plan: &Plan, seed: u64) {
    println!(
        "\n% of time in waiting of searches by iterations, by what makes ranks unequal, and where it is more than {MUCH} %"
    );
    println!("(a million per tree, merge by doubling, latency {})\n", duration(plan.net.latency));
    println!("{:36}ranks{}{:>8}", "", RANKS.map(|it| format!("{it:6}")).concat(), "from");
    for (kind, noise) in Noise::KINDS {
        let budget = Budget::Iterations(1e6 * RATE);
        let wait = |ranks| 100.0 * mean(&Plan { ranks, noise, budget, ..*plan }, seed).wait;
        let waits = RANKS.map(wait);
        let from = RANKS.iter().zip(waits).find(|(_, wait)| *wait > MUCH);
        let from = from.map_or("none".to_owned(), |(ranks, _)| ranks.to_string());
        println!("{kind:41}{}{from:>8}", waits.map(|it| format!("{it:6.1}")).concat());
    }
}

fn main() {
    let flags = Flags::parse();
    let net = |latency| Net { latency, overhead: flags.overhead, per_byte: 1.0 / flags.bandwidth };
    let bytes = bytes(flags.moves);
    print_messages(net, bytes);
    print_sizes(net);
    let (form, budget) = (Form::Doubling, Budget::Time(1e6));
    let plan = Plan { ranks: 1, form, net: net(20.0), noise: Noise::USUAL, budget, bytes };
    for is_by_time in [true, false] {
        for latency in LATENCIES {
            print_searches(&Plan { net: net(latency), ..plan }, flags.seed, is_by_time);
        }
    }
    print_waiting(&plan, flags.seed);
}

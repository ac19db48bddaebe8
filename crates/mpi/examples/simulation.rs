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
//! - Where time limits a round, a rank ends it up to 0.1 ms late, as it looks at the clock so often.
//!   The length of the next round is part of what rank 0 puts into the merge, so it goes by the
//!   exchange before: the time from the end of rank 0's work to its result, with all waiting.
#![expect(clippy::print_stdout, reason = "prints tables")]

use clap::Parser;
use quintet_core::game::Rng;

/// Iterations that a tree of speed 1 does in a microsecond.
const RATE: f64 = 1.0;
/// The minimum iterations per tree in a round that iterations limit.
const MIN_ITERATIONS: f64 = 1024.0;
/// The minimum time of a round that time limits, in microseconds.
const MIN_TIME: f64 = 1000.0;
/// A round is 1 / `PART` as long as all rounds before it together.
const PART: f64 = 8.0;
/// A round that time limits is this many times as long as the last exchange.
const EXCHANGES: f64 = 20.0;
/// The most by which a rank ends a round late because it looks at the clock so seldom, in
/// microseconds.
const LOOK: f64 = 100.0;
/// Bytes of the message that announces a search to a rank.
const ANNOUNCEMENT: f64 = 512.0;
/// Plies of the variation, for each of which there is a merge after a search by iterations.
const PLIES: usize = 12;
/// The number of ranks in a table.
const RANKS: [usize; 6] = [4, 16, 64, 256, 1024, 4096];
/// Latencies in microseconds: within a machine or a fast interconnect, a good network of one room, a
/// usual one with TCP, and the far side of a country.
const LATENCIES: [f64; 4] = [1.0, 20.0, 150.0, 20_000.0];
/// Searches by time in microseconds, and the iterations per tree of as long a search by iterations.
const BUDGETS: [(&str, f64); 3] = [("50 ms", 5e4), ("1 s", 1e6), ("10 s", 1e7)];
/// Searches with seeds of their own behind each number, fewer where many ranks make up for it.
const SEARCHES: u64 = 3;
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

/// What messages cost. All times here and below are in microseconds.
#[derive(Debug, Clone, Copy)]
struct Net {
    /// L: from the first byte's start to its arrival.
    latency: f64,
    /// o: what a message takes of its sender, and again of its receiver.
    overhead: f64,
    /// G: the time of a byte on the wire.
    per_byte: f64,
}

/// How the ranks merge what they found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// All send to rank 0, which sends the sum to all, one after another.
    Flat,
    /// Sums go up a binomial tree to rank 0 and the whole sum goes down again.
    Tree,
    /// Pairs swap their sums, at distance 1, 2, 4 and so on. Ranks beyond a power of two give theirs to
    /// a neighbour and get the whole sum from it.
    Doubling,
}

impl Form {
    const ALL: [Self; 3] = [Self::Flat, Self::Tree, Self::Doubling];

    fn name(self) -> &'static str {
        match self {
            Self::Flat => "flat",
            Self::Tree => "tree",
            Self::Doubling => "doubling",
        }
    }
}

/// The ranks as senders and receivers.
#[derive(Debug)]
struct Ranks {
    net: Net,
    /// When each rank has done what it did so far.
    free: Vec<f64>,
    /// When the last byte that each rank sends has left.
    wire: Vec<f64>,
    /// Messages that each rank has sent or received.
    handled: Vec<u64>,
    sent: u64,
}

impl Ranks {
    fn new(net: Net, count: usize) -> Self {
        Self { net, free: vec![0.0; count], wire: vec![0.0; count], handled: vec![0; count], sent: 0 }
    }

    /// Sends a message and returns when its last byte arrives.
    fn send(&mut self, from: usize, bytes: f64) -> f64 {
        self.free[from] += self.net.overhead;
        self.wire[from] = self.wire[from].max(self.free[from]) + bytes * self.net.per_byte;
        self.handled[from] += 1;
        self.sent += 1;
        self.wire[from] + self.net.latency
    }

    /// Receives a message whose last byte arrives then.
    fn receive(&mut self, to: usize, arrival: f64) {
        self.free[to] = self.free[to].max(arrival) + self.net.overhead;
        self.handled[to] += 1;
    }

    fn pass(&mut self, from: usize, to: usize, bytes: f64) {
        let arrival = self.send(from, bytes);
        self.receive(to, arrival);
    }

    /// Rank 0 sends a message to each of the others.
    fn announce(&mut self, bytes: f64) {
        for to in 1..self.free.len() {
            self.pass(0, to, bytes);
        }
    }

    /// Adds up what all ranks have and tells all of them. A rank takes part from when it is free.
    fn merge(&mut self, form: Form, bytes: f64) {
        match form {
            Form::Flat => {
                self.collect(bytes);
                self.announce(bytes);
            }
            Form::Tree => {
                self.reduce(bytes);
                self.broadcast(bytes);
            }
            Form::Doubling => self.double(bytes),
        }
    }

    /// All send to rank 0, whose wire takes the messages in the order in which they come.
    fn collect(&mut self, bytes: f64) {
        let mut arrivals: Vec<f64> = (1..self.free.len()).map(|from| self.send(from, bytes)).collect();
        arrivals.sort_unstable_by(f64::total_cmp);
        let taken = bytes * self.net.per_byte;
        let mut wire = f64::NEG_INFINITY;
        for arrival in arrivals {
            wire = arrival.max(wire + taken);
            self.receive(0, wire);
        }
    }

    /// Adds up along a binomial tree with rank 0 at its root.
    fn reduce(&mut self, bytes: f64) {
        let count = self.free.len();
        for distance in powers_of_two().take_while(|&it| it < count) {
            for from in (distance..count).step_by(2 * distance) {
                self.pass(from, from - distance, bytes);
            }
        }
    }

    /// Tells along a binomial tree with rank 0 at its root.
    fn broadcast(&mut self, bytes: f64) {
        let count = self.free.len();
        let steps = powers_of_two().take_while(|&it| it < count).count();
        for distance in powers_of_two().take(steps).collect::<Vec<_>>().into_iter().rev() {
            for from in (0..count - distance).step_by(2 * distance) {
                self.pass(from, from + distance, bytes);
            }
        }
    }

    fn double(&mut self, bytes: f64) {
        let count = self.free.len();
        let participants = 1 << count.ilog2();
        // The first ranks are in pairs, of which the second takes part for both.
        let pairs = count - participants;
        for pair in 0..pairs {
            self.pass(2 * pair, 2 * pair + 1, bytes);
        }
        let rank = |place: usize| if place < pairs { 2 * place + 1 } else { place + pairs };
        for distance in powers_of_two().take_while(|&it| it < participants) {
            for place in (0..participants).filter(|place| place & distance == 0) {
                let (a, b) = (rank(place), rank(place + distance));
                let (from_a, from_b) = (self.send(a, bytes), self.send(b, bytes));
                self.receive(a, from_b);
                self.receive(b, from_a);
            }
        }
        for pair in 0..pairs {
            self.pass(2 * pair + 1, 2 * pair, bytes);
        }
    }

    /// When the last rank is free.
    fn last(&self) -> f64 {
        self.free.iter().copied().fold(0.0, f64::max)
    }
}

fn powers_of_two() -> impl Iterator<Item = usize> {
    (0..usize::BITS).map(|bits| 1 << bits)
}

/// What makes ranks unequal.
#[derive(Debug, Clone, Copy)]
struct Noise {
    /// Standard deviation of the speed of a tree over the whole search; the mean is 1.
    speed: f64,
    /// Standard deviation of the time of a round over what it takes at that speed.
    round: f64,
    /// Mean time between two pauses of a rank.
    between_pauses: f64,
    /// Mean length of a pause, which is distributed exponentially.
    pause: f64,
    /// The most by which a rank ends a round late that time limits.
    look: f64,
}

impl Noise {
    const NONE: Self = Self { speed: 0.0, round: 0.0, between_pauses: f64::INFINITY, pause: 0.0, look: 0.0 };
    const USUAL: Self = Self { speed: 0.05, round: 0.03, between_pauses: 1e6, pause: 1e3, look: LOOK };
    const KINDS: [(&str, Self); 8] = [
        ("none", Self::NONE),
        ("looks at the clock up to 0.1 ms late", Self { look: LOOK, ..Self::NONE }),
        ("speeds vary by 2 %", Self { speed: 0.02, ..Self::NONE }),
        ("speeds vary by 10 %", Self { speed: 0.1, ..Self::NONE }),
        ("rounds vary by 3 %", Self { round: 0.03, ..Self::NONE }),
        ("a pause of 1 ms every second", Self { between_pauses: 1e6, pause: 1e3, ..Self::NONE }),
        ("a pause of 10 ms every second", Self { between_pauses: 1e6, pause: 1e4, ..Self::NONE }),
        ("as usual (5 %, 3 %, 1 ms, clock)", Self::USUAL),
    ];
}

/// What ends a search.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Budget {
    /// So many iterations in each tree.
    Iterations(f64),
    /// So many microseconds after rank 0 was asked.
    Time(f64),
}

/// A search to simulate.
#[derive(Debug, Clone, Copy)]
struct Plan {
    ranks: usize,
    form: Form,
    net: Net,
    noise: Noise,
    budget: Budget,
    /// Of what a rank gives to a merge.
    bytes: f64,
}

/// What a search took, or the mean over some searches. Shares are of the time of all ranks.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Cost {
    rounds: f64,
    /// From the search's end in rank 0's view; the end of a search by time is its deadline.
    late: f64,
    /// The share that goes into messages: what is left after work and waiting.
    talk: f64,
    /// The share that goes into waiting for the longest work of each round.
    wait: f64,
    /// Iterations over those of as many ranks of speed 1 without pauses, each alone, by the deadline
    /// or in as long as the search took.
    relative: f64,
}

/// One rank's luck.
#[derive(Debug)]
struct Luck {
    rng: Rng,
    speed: f64,
    next_pause: f64,
}

impl Luck {
    fn new(mut rng: Rng, rank: usize, noise: &Noise) -> Self {
        let drawn = 1.0 + noise.speed * normal(&mut rng);
        let speed = if rank == 0 { 1.0 } else { drawn.max(0.1) };
        Self { rng, speed, next_pause: f64::NEG_INFINITY }
    }

    /// When work of `time` ends that begins at `start`, and the pauses until then. Work that `is_timed`
    /// ends by the clock, unless the rank is paused then; other work takes longer by its pauses.
    fn work(&mut self, start: f64, time: f64, is_timed: bool, noise: &Noise) -> (f64, f64) {
        let (mut end, mut paused) = (start + time, 0.0);
        if noise.between_pauses.is_infinite() {
            return (end, paused);
        }
        if self.next_pause < start {
            self.next_pause = start + noise.between_pauses * exponential(&mut self.rng);
        }
        while self.next_pause < end {
            let length = noise.pause * exponential(&mut self.rng);
            paused += length;
            end = if is_timed { end.max(self.next_pause + length) } else { end + length };
            self.next_pause += length + noise.between_pauses * exponential(&mut self.rng);
        }
        (end, paused)
    }
}

/// A number of the standard normal distribution, very nearly: the sum of twelve uniform ones less 6.
fn normal(rng: &mut Rng) -> f64 {
    let sum: u64 =
        (0..3).map(|_| rng.bits()).flat_map(|word| [0, 16, 32, 48].map(|at| word >> at & 0xffff)).sum();
    sum as f64 / 65_536.0 - 6.0
}

/// A number of the exponential distribution with mean 1.
fn exponential(rng: &mut Rng) -> f64 {
    -((rng.bits() >> 11) as f64 + 1.0).ln() + 53.0 * std::f64::consts::LN_2
}

/// Simulates one search, with random numbers from stream `index` and on of `seed`.
fn search(plan: &Plan, seed: u64, index: u64) -> Cost {
    let Plan { ranks: count, form, net, noise, budget, bytes } = *plan;
    let stream = |rank: usize| Rng::stream(seed, (index << 32) + rank as u64);
    let mut lucks: Vec<Luck> = (0..count).map(|rank| Luck::new(stream(rank), rank, &noise)).collect();
    let mut ranks = Ranks::new(net, count);
    let deadline = if let Budget::Time(time) = budget { time } else { f64::INFINITY };
    ranks.announce(ANNOUNCEMENT);
    // What rank 0 has put into the last merge: the time of the round, if it is limited, and the end.
    let (mut time, mut exchange, mut is_over) = (MIN_TIME.min(deadline), 0.0, false);
    let (mut rounds, mut done, mut iterations, mut worked, mut waited) = (0, 0.0, 0.0, 0.0, 0.0);
    while !is_over {
        let goal = if let Budget::Iterations(all) = budget {
            (done + f64::max(MIN_ITERATIONS, (done / PART).floor())).min(all)
        } else {
            0.0
        };
        let (mut sum, mut longest) = (0.0, 0.0_f64);
        for (rank, luck) in lucks.iter_mut().enumerate() {
            let start = ranks.free[rank];
            let pace = RATE * luck.speed / f64::max(0.1, 1.0 + noise.round * normal(&mut luck.rng));
            let end = if let Budget::Time(_) = budget {
                let own = if rank == 0 { time.min(deadline - start).max(0.0) } else { time };
                let late = noise.look * (luck.rng.bits() >> 11) as f64 / (1_u64 << 53) as f64;
                let (end, paused) = luck.work(start, own + late, true, &noise);
                iterations += pace * (end - start - paused);
                end
            } else {
                iterations += goal - done;
                luck.work(start, (goal - done) / pace, false, &noise).0
            };
            ranks.free[rank] = end;
            sum += end - start;
            longest = longest.max(end - start);
        }
        done = goal;
        rounds += 1;
        worked += sum;
        waited += (longest * count as f64 - sum).max(0.0); // not less by rounding
        let now = ranks.free[0];
        match budget {
            Budget::Iterations(all) => is_over = done >= all,
            Budget::Time(_) => {
                time = MIN_TIME.max(now / PART).max(EXCHANGES * exchange).min(deadline - now - exchange);
                is_over = time <= 0.0;
            }
        }
        ranks.merge(form, bytes);
        exchange = ranks.free[0] - now;
    }
    if let Budget::Iterations(_) = budget {
        (0..PLIES).for_each(|_| ranks.merge(form, bytes));
    }
    let all: f64 = ranks.free.iter().sum();
    let end = ranks.free[0];
    Cost {
        rounds: f64::from(rounds),
        late: (end - deadline).max(0.0),
        talk: (all - worked - waited) / all,
        wait: waited / all,
        relative: iterations / (count as f64 * RATE * if deadline.is_finite() { deadline } else { end }),
    }
}

/// The mean over some searches.
fn mean(plan: &Plan, seed: u64) -> Cost {
    let searches = if plan.ranks <= 64 { 4 * SEARCHES } else { SEARCHES };
    let costs: Vec<Cost> = (0..searches).map(|index| search(plan, seed, index)).collect();
    let of = |part: fn(&Cost) -> f64| costs.iter().map(part).sum::<f64>() / searches as f64;
    Cost {
        rounds: of(|it| it.rounds),
        late: of(|it| it.late),
        talk: of(|it| it.talk),
        wait: of(|it| it.wait),
        relative: of(|it| it.relative),
    }
}

/// The bytes that a rank gives to a merge, at a root with so many legal moves.
fn bytes(moves: u32) -> f64 {
    8.0 * (4.0 * f64::from(moves) + 8.0)
}

/// A merge into which all ranks go at once.
fn lone_merge(net: Net, count: usize, form: Form, bytes: f64) -> Ranks {
    let mut ranks = Ranks::new(net, count);
    ranks.merge(form, bytes);
    ranks
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
    println!("\n% of time in waiting, by what makes ranks unequal, and where it is more than {MUCH} %");
    println!("(1 s, merge by doubling, latency {})\n", duration(plan.net.latency));
    println!("search by   ranks{:>53}{:>12}", RANKS.map(|it| format!("{it:6}")).concat(), "from");
    for (name, amount) in [("time", Budget::Time(1e6)), ("iterations", Budget::Iterations(1e6 * RATE))] {
        for (kind, noise) in Noise::KINDS {
            let wait = |ranks| 100.0 * mean(&Plan { ranks, noise, budget: amount, ..*plan }, seed).wait;
            let waits = RANKS.map(wait);
            let from = RANKS.iter().zip(waits).find(|(_, wait)| *wait > MUCH);
            let from = from.map_or("none".to_owned(), |(ranks, _)| ranks.to_string());
            println!("{name:10}  {kind:36}{}{from:>8}", waits.map(|it| format!("{it:6.1}")).concat());
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    const NETS: [Net; 3] = [
        Net { latency: 20.0, overhead: 1.0, per_byte: 0.001 },
        Net { latency: 3.0, overhead: 5.0, per_byte: 0.001 }, // o is more than the time of the bytes
        Net { latency: 0.0, overhead: 0.0, per_byte: 0.5 },
    ];
    const BYTES: f64 = 1984.0;

    fn message(net: Net) -> f64 {
        net.latency + 2.0 * net.overhead + BYTES * net.per_byte
    }

    fn log2_up(count: usize) -> u32 {
        count.next_power_of_two().ilog2()
    }

    fn plan(ranks: usize, form: Form, budget: Budget, noise: Noise) -> Plan {
        Plan { ranks, form, net: NETS[0], noise, budget, bytes: BYTES }
    }

    #[track_caller]
    fn assert_near(a: f64, b: f64) {
        assert!((a - b).abs() <= 1e-9 * b.abs().max(1.0), "{a} is not {b}");
    }

    #[test]
    fn a_flat_merge_takes_two_messages_and_the_rest_one_after_another() {
        for net in NETS {
            for count in [2, 3, 7, 64, 1000] {
                let gap = net.overhead.max(BYTES * net.per_byte);
                let expected = 2.0 * (message(net) + (count - 2) as f64 * gap);
                assert_near(lone_merge(net, count, Form::Flat, BYTES).last(), expected);
            }
        }
    }

    #[test]
    fn a_tree_takes_two_messages_for_each_doubling_of_the_ranks() {
        for net in NETS {
            for count in 2..130 {
                let time = lone_merge(net, count, Form::Tree, BYTES).last();
                let bound = 2.0 * f64::from(log2_up(count)) * message(net);
                if count.is_power_of_two() {
                    assert_near(time, bound);
                } else {
                    let down = f64::from(log2_up(count) - 1) * message(net);
                    assert!((down..bound + 1e-9).contains(&time), "{count} ranks: {time}");
                }
            }
        }
    }

    #[test]
    fn doubling_takes_one_message_for_each_doubling_and_two_for_ranks_beyond() {
        for net in NETS {
            for count in 2..130_usize {
                let time = lone_merge(net, count, Form::Doubling, BYTES).last();
                let steps = f64::from(count.ilog2()) * message(net);
                if count.is_power_of_two() {
                    assert_near(time, steps);
                } else {
                    // Those who wait for ranks beyond have what others send by then.
                    let most = steps + 2.0 * message(net) + 1e-9;
                    assert!((steps..most).contains(&time), "{count} ranks: {time}");
                }
            }
        }
    }

    #[test]
    fn as_many_messages_are_sent_as_theory_says() {
        for count in 1..130_usize {
            let of = |form| {
                let lone = lone_merge(NETS[0], count, form, BYTES);
                assert_eq!(lone.handled.iter().sum::<u64>(), 2 * lone.sent);
                (lone.sent, *lone.handled.iter().max().expect("there is a rank"))
            };
            let others = count as u64 - 1;
            assert_eq!(of(Form::Flat), (2 * others, 2 * others));
            assert_eq!(of(Form::Tree), (2 * others, 2 * u64::from(log2_up(count))));
            let steps = u64::from(count.ilog2());
            let beyond = count as u64 - (1 << steps);
            let busiest = 2 * steps + if beyond > 0 { 2 } else { 0 };
            assert_eq!(of(Form::Doubling), ((1 << steps) * steps + 2 * beyond, busiest));
        }
    }

    #[test]
    fn a_merge_waits_for_the_last_rank_and_all_wait_for_the_merge() {
        for form in Form::ALL {
            for slow in 0..11 {
                let mut ranks = Ranks::new(NETS[0], 11);
                ranks.free[slow] = 1e6;
                ranks.merge(form, BYTES);
                assert!(ranks.free.iter().all(|&free| free > 1e6), "{form:?}, rank {slow}");
            }
        }
    }

    #[test]
    fn one_rank_neither_talks_nor_waits() {
        for budget in [Budget::Time(1e6), Budget::Iterations(1e6)] {
            for form in Form::ALL {
                let cost = search(&plan(1, form, budget, Noise::NONE), 1, 0);
                assert!(cost.talk.abs() < 1e-12 && cost.wait == 0.0 && cost.late == 0.0, "{cost:?}");
                assert_near(cost.relative, 1.0);
            }
        }
    }

    #[test]
    fn equal_ranks_do_not_wait() {
        for form in Form::ALL {
            let cost = search(&plan(100, form, Budget::Iterations(1e6), Noise::NONE), 1, 0);
            assert!(cost.wait.abs() < 1e-9 && cost.talk > 0.0, "{cost:?}");
            assert!((cost.talk + cost.relative - 1.0).abs() < 1e-3, "{cost:?}");
            let cost = search(&plan(64, form, Budget::Time(1e6), Noise::NONE), 1, 0);
            assert!(cost.wait < 1e-4, "{cost:?}");
        }
    }

    #[test]
    fn unequal_ranks_wait() {
        for (kind, noise) in &Noise::KINDS[2..] {
            let cost = search(&plan(64, Form::Doubling, Budget::Iterations(1e6), *noise), 1, 0);
            assert!(cost.wait > 1e-3, "{kind}: {cost:?}");
            assert!((cost.talk + cost.wait + cost.relative - 1.0).abs() < 0.05, "{kind}: {cost:?}");
        }
    }

    #[test]
    fn rounds_are_those_of_the_search() {
        // 8 rounds of 1,024, then 1,024 and more, an eighth of all before.
        let (mut done, mut rounds) = (0_u64, 0);
        while done < 1_000_000 {
            done += 1024.max(done / 8);
            rounds += 1;
        }
        let cost = search(&plan(16, Form::Tree, Budget::Iterations(1e6), Noise::USUAL), 1, 0);
        assert_near(cost.rounds, f64::from(rounds));
    }

    #[test]
    fn a_search_by_time_spends_little_on_exchanges_and_is_late_by_one() {
        let net = Net { latency: 1000.0, ..NETS[0] };
        let by_time = plan(64, Form::Doubling, Budget::Time(1e7), Noise::NONE);
        let cost = search(&Plan { net, ..by_time }, 1, 0);
        let exchange = lone_merge(net, 64, Form::Doubling, BYTES).last();
        // The first round does not know yet how long an exchange takes.
        assert!(cost.talk < 1.0 / 21.0 + 2.0 * exchange / 1e7, "{cost:?}");
        assert!((cost.late - exchange).abs() < 1.1 * net.latency, "{cost:?}, {exchange}");
    }

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        for budget in [Budget::Time(1e5), Budget::Iterations(1e5)] {
            let plan = plan(50, Form::Doubling, budget, Noise::USUAL);
            assert_eq!(mean(&plan, 7), mean(&plan, 7));
            assert_ne!(mean(&plan, 7), mean(&plan, 8));
        }
    }

    #[test]
    fn random_numbers_have_their_moments() {
        let mut rng = Rng::stream(1, 0);
        let moments = |draw: fn(&mut Rng) -> f64, rng: &mut Rng| {
            let numbers: Vec<f64> = (0..100_000).map(|_| draw(rng)).collect();
            let mean = numbers.iter().sum::<f64>() / 1e5;
            (mean, numbers.iter().map(|it| (it - mean).powi(2)).sum::<f64>() / 1e5)
        };
        for (draw, mean) in [(normal as fn(&mut Rng) -> f64, 0.0), (exponential, 1.0)] {
            let (found, variance) = moments(draw, &mut rng);
            assert!((found - mean).abs() < 0.02 && (variance - 1.0).abs() < 0.03, "{found}, {variance}");
        }
    }
}

//! The speed of rollouts and of the search.

use std::io::Write;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use cpu_time::ThreadTime;
use quintet_arena::engine::EngineSpec;
use quintet_arena::signature;
use quintet_core::game::Rng;
use quintet_core::registry::{Registry, Variant};
use quintet_core::search::{Budget, SearchConfig};
use quintet_core::session::{EngineConfig, RolloutCounts};
use quintet_protocol::{BenchLine, rounded};

use crate::Status;
use crate::flags::{GAME, RULESETS, iterations, variants_of};
use crate::interrupt::Interrupt;
use crate::output::{TextTable, bar};

/// The flags of the speed benchmark.
#[derive(Debug, clap::Args)]
pub(crate) struct SpeedFlags {
    /// Only this game
    #[arg(long, id = GAME, value_name = "GAME")]
    game: Option<String>,
    /// The ruleset, standard for the one that people know, or both for all of them
    #[arg(long = "rules", id = RULESETS, value_name = "RULES", default_value = "both")]
    rulesets: String,
    /// Approximate time to measure each game and ruleset, in seconds; its signatures take a fixed time besides
    #[arg(long, value_name = "S", default_value_t = 1.0, value_parser = seconds)]
    seconds: f64,
    /// Instead, let one tree grow for N iterations (1M if N is left out) on one thread, and tell how many
    /// times as fast 2 to 64 threads would be by the times of its parts
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1M", value_parser = iterations)]
    #[arg(conflicts_with = "seconds")]
    pub(super) span: Option<u64>,
    /// Print one JSON object per line, for each game and ruleset
    #[arg(long)]
    pub(super) json: bool,
}

impl SpeedFlags {
    /// The games and rulesets to measure.
    pub(super) fn variants(&self, games: &Registry) -> anyhow::Result<Vec<Variant>> {
        variants_of(games, self.game.as_deref(), &self.rulesets)
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if seconds > 0.0 && seconds <= 86_400.0 => Ok(seconds),
        _ => Err("must be a number above 0, at most 86400".to_owned()),
    }
}

pub(crate) fn run(args: &SpeedFlags, games: &Registry, out: &mut dyn Write) -> anyhow::Result<Status> {
    let headings =
        ["game", "rules", "rollouts", "plies", "first wins", "draws", "iterations", "node", "iteration"];
    let mut table = TextTable::new(2, headings).with_optional(["node", "iteration", "draws", "first wins"]);
    table.row(["", "", "M/s", "", "%", "%", "M/s", "bytes", "bytes"].map(str::to_owned));
    let headings = ["signatures of", "", "uct", "quintet, one tree", "two trees"];
    let mut signatures = TextTable::new(2, headings).with_optional(["two trees", "quintet, one tree"]);
    let time = Duration::from_secs_f64(args.seconds);
    let interrupt = Interrupt::catch(None)?;
    let bar = bar("{elapsed}  {wide_msg}", None);
    for variant in args.variants(games)? {
        bar.set_message(format!("measuring {variant}"));
        let Some(it) = measure(&variant, time, interrupt.stop())? else { break };
        if args.json {
            let line = serde_json::to_string(&it)?;
            bar.suspend(|| writeln!(out, "{line}").and_then(|()| out.flush()))?;
            continue;
        }
        table.row([
            it.game.clone(),
            it.rules.clone(),
            millions(it.rollouts_per_s),
            format!("{:.1}", it.plies_per_rollout),
            format!("{:.2}", 100.0 * it.first_wins),
            format!("{:.2}", 100.0 * it.draws),
            millions(it.iterations_per_s),
            it.bytes_per_node.to_string(),
            format!("{:.1}", it.bytes_per_iteration),
        ]);
        let [one, two] = it.quintet_signatures;
        signatures.row([it.game, it.rules, it.signature, one, two]);
    }
    bar.finish_and_clear();
    if !args.json {
        table.print(out)?;
        writeln!(out)?;
        signatures.print(out)?;
    }
    Ok(interrupt.status(Status::Done))
}

/// Formats a number in millions, to three significant digits.
fn millions(number: f64) -> String {
    let millions = number / 1e6;
    let digits_before = millions.max(1e-6).log10().floor() as i32;
    let places = usize::try_from(2 - digits_before).unwrap_or(0);
    format!("{millions:.places$}")
}

/// Rollouts between two readings of the clock.
const BATCH: u64 = 1_000;

/// Iterations of each measured search.
const ITERATIONS: u64 = 100_000;

/// Measures one game and ruleset; `None` if stopped before the end.
fn measure(variant: &Variant, time: Duration, stop: &AtomicBool) -> anyhow::Result<Option<BenchLine>> {
    let is_stopped = || stop.load(Ordering::Relaxed);
    let half = time / 2;
    let mut session = variant.start();
    session.go_to_benchmark();

    let mut rng = Rng::stream(0, 0);
    let mut all = RolloutCounts::default();
    let mut rates = Vec::new();
    let start = ThreadTime::now();
    let mut before = start.elapsed();
    while (before < half || rates.is_empty()) && !is_stopped() {
        all = all + session.rollouts(BATCH, &mut rng);
        let now = start.elapsed();
        rates.push(BATCH as f64 / seconds_between(before, now));
        before = now;
    }
    let rollouts = all.rollouts() as f64;

    let engine = session.add_engine(&EngineConfig::Uct(SearchConfig::default()))?;
    let budget = Budget::iterations(ITERATIONS)?;
    let mut search_rates = Vec::new();
    let start = ThreadTime::now();
    let mut before = start.elapsed();
    let report = loop {
        let report = session.think(engine, budget, 0, stop)?;
        if is_stopped() {
            return Ok(None);
        }
        let now = start.elapsed();
        search_rates.push(report.iterations as f64 / seconds_between(before, now));
        before = now;
        if now >= half {
            break report;
        }
    };
    let hex = |hash: u64| format!("{hash:016x}");
    let trees = [NonZeroUsize::MIN, NonZeroUsize::MIN.saturating_add(1)];
    let [one, two] = trees.map(|trees| signature(variant, &EngineSpec::default(), trees, stop));
    let (Some(one), Some(two)) = (one?, two?) else { return Ok(None) };
    Ok(Some(BenchLine {
        game: variant.game.to_string(),
        rules: variant.rules.to_string(),
        rollouts_per_s: median(&mut rates).round(),
        plies_per_rollout: rounded(all.plies as f64 / rollouts, 3),
        first_wins: rounded(all.first_wins as f64 / rollouts, 5),
        draws: rounded(all.draws as f64 / rollouts, 5),
        iterations_per_s: median(&mut search_rates).round(),
        bytes_per_node: report.bytes / report.nodes.max(1),
        bytes_per_iteration: rounded(report.bytes as f64 / report.iterations as f64, 2),
        signature: hex(report.visits_hash),
        quintet_signatures: [one, two].map(hex),
    }))
}

/// Returns the seconds between two readings of a clock; above 0 even if the clock is too coarse to
/// tell them apart.
fn seconds_between(before: Duration, now: Duration) -> f64 {
    now.saturating_sub(before).as_secs_f64().max(1e-9)
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

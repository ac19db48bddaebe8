//! How fast rollouts and the search are.

use std::io::Write;
use std::num::NonZeroUsize;
use std::time::Duration;

use cpu_time::ThreadTime;
use quintet::catalog::{GameId, Visitor};
use quintet::cpu::{Cpu, Work};
use quintet::engine::{EngineSpec, signature};
use quintet::game::{Game, Rng, Tally};
use quintet::games::Rules;
use quintet::knowledge::{Known, RulesOnly};
use quintet::search::{Budget, Search, SearchConfig};
use serde_json::{Value, json};

use crate::cli::Status;
use crate::cli::flags::{self, Rulesets, rulesets};
use crate::cli::output::{Table, rate, rounded};

/// What to measure.
#[derive(Debug, clap::Args)]
pub(super) struct SpeedFlags {
    /// Only this game
    #[arg(long, value_parser = flags::game())]
    game: Option<GameId>,
    /// The rulesets
    #[arg(long, default_value = "both", value_parser = rulesets())]
    rules: Rulesets,
    /// About how long to measure each game and ruleset, in seconds
    #[arg(long, value_name = "S", default_value_t = 1.0, value_parser = seconds)]
    seconds: f64,
    /// Print one JSON object a line, one for each game and ruleset
    #[arg(long)]
    json: bool,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if seconds > 0.0 && seconds <= 86_400.0 => Ok(seconds),
        _ => Err("must be a number above 0, at most 86400".to_owned()),
    }
}

pub(super) fn run(args: &SpeedFlags, out: &mut dyn Write) -> anyhow::Result<Status> {
    let mut table = Table::new(
        2,
        ["game", "rules", "rollouts", "plies", "first wins", "draws", "iterations", "B/node", "B/iteration"],
    );
    let mut signatures = Table::new(2, ["signatures of", "", "uct", "quintet, one tree", "two trees"]);
    for &game in GameId::ALL.iter().filter(|game| args.game.is_none_or(|only| only == **game)) {
        for &rules in &args.rules.0 {
            let measured = game.visit(rules, Measure { budget: Duration::from_secs_f64(args.seconds) })?;
            if args.json {
                writeln!(out, "{}", measured.json(game, rules))?;
                out.flush()?;
                continue;
            }
            table.row([
                game.to_string(),
                rules.to_string(),
                rate(measured.rollouts_per_s),
                format!("{:.1}", measured.plies_per_rollout),
                format!("{:.4}", measured.first_wins),
                format!("{:.4}", measured.draws),
                rate(measured.iterations_per_s),
                measured.bytes_per_node.to_string(),
                format!("{:.1}", measured.bytes_per_iteration),
            ]);
            let [one, two] = measured.quintet.map(hex);
            signatures.row([game.to_string(), rules.to_string(), measured.signature(), one, two]);
        }
    }
    if !args.json {
        table.print(out)?;
        writeln!(out)?;
        signatures.print(out)?;
    }
    Ok(Status::Done)
}

struct Measured {
    rollouts_per_s: f64,
    plies_per_rollout: f64,
    first_wins: f64,
    draws: f64,
    iterations_per_s: f64,
    bytes_per_node: usize,
    bytes_per_iteration: f64,
    visits_hash: u64,
    /// Of the engine `quintet`, with one tree and with two.
    quintet: [u64; 2],
}

impl Measured {
    fn signature(&self) -> String {
        hex(self.visits_hash)
    }

    fn json(&self, game: GameId, rules: Rules) -> Value {
        json!({
            "game": game.name(),
            "rules": rules.name(),
            "rollouts_per_s": self.rollouts_per_s.round(),
            "plies_per_rollout": rounded(self.plies_per_rollout, 3),
            "first_wins": rounded(self.first_wins, 5),
            "draws": rounded(self.draws, 5),
            "iterations_per_s": self.iterations_per_s.round(),
            "bytes_per_node": self.bytes_per_node,
            "bytes_per_iteration": rounded(self.bytes_per_iteration, 2),
            "signature": self.signature(),
            "quintet_signatures": self.quintet.map(hex),
        })
    }
}

fn hex(hash: u64) -> String {
    format!("{hash:016x}")
}

struct Measure {
    budget: Duration,
}

/// The rollouts between two looks at the clock.
const BATCH: u64 = 1_000;

/// As many rollouts, compiled for the processor as the search compiles them.
struct Rollouts<'a, G> {
    position: &'a G,
    rng: &'a mut Rng,
    tally: &'a mut Tally,
}

impl<G: Game> Work for Rollouts<'_, G> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for _ in 0..BATCH {
            self.tally.add(self.position.rollout(self.rng));
        }
    }
}

/// The iterations of the search that is measured.
const ITERATIONS: u64 = 100_000;

impl Visitor for Measure {
    type Output = anyhow::Result<Measured>;

    fn visit<G: Known>(self) -> Self::Output {
        let position = G::benchmark();
        let half = self.budget / 2;

        let mut rng = Rng::stream(0, 0);
        let mut tally = Tally::default();
        let mut rates = Vec::new();
        let start = ThreadTime::now();
        let mut before = start.elapsed();
        while before < half || rates.is_empty() {
            Cpu::best().run(Rollouts { position: &position, rng: &mut rng, tally: &mut tally });
            let now = start.elapsed();
            rates.push(BATCH as f64 / seconds_between(before, now));
            before = now;
        }
        let rollouts = tally.rollouts() as f64;
        let quintet = |more| signature::<G>(&EngineSpec::default(), NonZeroUsize::MIN.saturating_add(more));

        let config = SearchConfig { trees: NonZeroUsize::MIN, ..SearchConfig::uct() };
        let mut search = Search::<G>::new(config, RulesOnly)?;
        let budget = Budget::iterations(ITERATIONS)?;
        let mut search_rates = Vec::new();
        let start = ThreadTime::now();
        let mut before = start.elapsed();
        let report = loop {
            let report = search.run(&position, budget)?;
            let now = start.elapsed();
            search_rates.push(ITERATIONS as f64 / seconds_between(before, now));
            before = now;
            if now >= half {
                break report;
            }
        };
        Ok(Measured {
            rollouts_per_s: median(&mut rates),
            plies_per_rollout: tally.plies as f64 / rollouts,
            first_wins: tally.first_wins as f64 / rollouts,
            draws: tally.draws as f64 / rollouts,
            iterations_per_s: median(&mut search_rates),
            bytes_per_node: Search::<G>::NODE_BYTES,
            bytes_per_iteration: report.bytes as f64 / report.iterations as f64,
            visits_hash: report.visits_hash,
            quintet: [quintet(0)?, quintet(1)?],
        })
    }
}

/// The seconds between two readings of a clock, which may be too coarse to tell them apart.
fn seconds_between(before: Duration, now: Duration) -> f64 {
    now.saturating_sub(before).as_secs_f64().max(1e-9)
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

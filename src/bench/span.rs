//! `quintet bench --span`

use std::io::Write;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use cpu_time::ThreadTime;
use quintet_core::registry::{Registry, Variant};
use quintet_core::search::{Budget, Controls, SearchConfig, Spans, Technique, Techniques};
use quintet_core::session::EngineConfig;
use quintet_protocol::{SpanLine, rounded};

use super::speed::SpeedFlags;
use crate::Status;
use crate::interrupt::Interrupt;
use crate::output::{TextTable, bar};

/// Measures searches of so many iterations.
pub(super) fn run(
    args: &SpeedFlags,
    iterations: u64,
    games: &Registry,
    out: &mut dyn Write,
) -> anyhow::Result<Status> {
    let budget = Budget::iterations(iterations)?;
    let interrupt = Interrupt::catch(None)?;
    let bar = bar("{elapsed}  {wide_msg}", None);
    let threads = Spans::THREADS.map(|threads| format!("×{threads}"));
    let headings = ["game", "rules", "iterations", "seconds", "proofs %"];
    let mut table = TextTable::new(2, headings.into_iter().chain(threads.iter().map(String::as_str)));
    for variant in args.variants(games)? {
        bar.set_message(format!("measuring {variant}"));
        let line = measure(&variant, budget, interrupt.stop())?;
        if interrupt.stop().load(Ordering::Relaxed) {
            break;
        }
        if args.json {
            let line = serde_json::to_string(&line)?;
            bar.suspend(|| writeln!(out, "{line}").and_then(|()| out.flush()))?;
            continue;
        }
        let numbers = [line.iterations.to_string(), format!("{:.2}", line.seconds)];
        let proofs = format!("{:.1}", 100.0 * line.proofs);
        let speed_ups = line.speed_ups.iter().map(|it| format!("{it:.2}"));
        table.row([line.game, line.rules].into_iter().chain(numbers).chain([proofs]).chain(speed_ups));
    }
    bar.finish_and_clear();
    if !args.json {
        table.print(out)?;
    }
    Ok(interrupt.status(Status::Done))
}

/// Measures one game and ruleset.
fn measure(variant: &Variant, budget: Budget, stop: &AtomicBool) -> anyhow::Result<SpanLine> {
    let mut session = variant.start();
    session.go_to_benchmark();
    let one = Some(NonZeroUsize::MIN);
    let techniques = Techniques::ALL.and_not(Techniques::NONE.with(Technique::Solve));
    let config =
        SearchConfig { trees: one, threads: one, techniques, early_stop: false, ..SearchConfig::default() };
    let engine = session.add_engine(&EngineConfig::Quintet(config))?;
    let mut spans = Spans::default();
    let controls = Controls { spans: Some(&mut spans), ..Controls::new(stop) };
    let start = ThreadTime::now();
    let report = session.think_with(engine, budget, 0, controls)?;
    let seconds = start.elapsed().saturating_sub(spans.measuring).as_secs_f64();
    let alone = seconds - spans.work.as_secs_f64();
    let speed_up = |span: Duration| rounded(seconds / (alone + span.as_secs_f64()), 2);
    Ok(SpanLine {
        game: variant.game.to_string(),
        rules: variant.rules.to_string(),
        iterations: report.iterations,
        seconds: rounded(seconds, 4),
        proofs: rounded(spans.proofs.as_secs_f64() / seconds, 4),
        threads: Spans::THREADS,
        speed_ups: spans.spans.map(speed_up),
    })
}

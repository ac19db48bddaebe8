//! What the engine prints about a search: `info` and `bestmove`.

use quintet_core::game::{Outcome, Side};
use quintet_core::search::{Candidate, Report};
use quintet_core::session::Session;

/// Returns the `info` lines about a report on a position where `side` is to move: one for each
/// variation, numbered if `is_numbered`. `memory` is the bytes that the trees may take up.
pub(super) fn info(report: &Report<String>, side: Side, memory: usize, is_numbered: bool) -> String {
    let rate = (report.iterations as f64 / report.elapsed.as_secs_f64().max(1e-9)) as u64;
    let full = (report.bytes.saturating_mul(1000) / (memory as u64).max(1)).min(1000);
    let search =
        format!("nodes {} time {} nps {rate} hashfull {full}", report.iterations, report.elapsed.as_millis());
    let variations = std::iter::once(&report.principal_variation).chain(&report.other_variations);
    let line = |(index, (candidate, variation)): (usize, (&Candidate<String>, &Vec<String>))| {
        let number = if is_numbered { format!(" multipv {}", index + 1) } else { String::new() };
        format!(
            "info {search} depth {}{number}{} visits {} pv {}\n",
            variation.len(),
            score(candidate, side),
            candidate.visits,
            variation.join(" ")
        )
    };
    report.candidates.iter().zip(variations).enumerate().map(line).collect()
}

/// Returns the score of a candidate for `side`, which is to move, with its name; empty if it was
/// not tried.
fn score(candidate: &Candidate<String>, side: Side) -> String {
    match (candidate.proven, candidate.plies, candidate.value) {
        (Some(Outcome::Win(winner)), Some(plies), _) => {
            format!(" score mate {}{plies}", if winner == side { "" } else { "-" })
        }
        (_, _, Some(value)) => format!(" score cp {}", centipawns(value)),
        (_, _, None) => String::new(),
    }
}

/// Converts an expected score, 0 to 100, to centipawns: the Elo difference with that expected
/// score, 400 · log10(p / (1 − p)), with *p* clamped to 0.001 … 0.999.
fn centipawns(value: f64) -> i64 {
    let p = (value / 100.0).clamp(0.001, 0.999);
    (400.0 * (p / (1.0 - p)).log10()).round() as i64
}

/// Returns the `bestmove` line for a report on the position of `session`. If the engine `ponders`, it has a
/// move to ponder if that is the only move of the other side before the side to move is to move again.
pub(super) fn best_move(report: &Report<String>, session: &mut dyn Session, ponders: bool) -> String {
    let best = &report.best().mv;
    let side = |session: &dyn Session| session.to_move().map(|role| role.side);
    let own = side(session);
    let mut line = format!("bestmove {best}");
    if ponders
        && let [_, reply, ..] = report.principal_variation.as_slice()
        && session.play(best).is_ok()
    {
        if side(session) != own && session.play(reply).is_ok() {
            if side(session) == own {
                line += &format!(" ponder {reply}");
            }
            session.take_back();
        }
        session.take_back();
    }
    line
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn an_even_score_is_zero_and_a_sure_one_is_finite() {
        assert_eq!([0.0, 25.0, 50.0, 75.0, 100.0].map(centipawns), [-1200, -191, 0, 191, 1200]);
    }

    #[test]
    fn every_variation_has_a_line_and_a_proven_distance_is_the_score() {
        let candidate =
            |mv: &str, value, proven, plies| Candidate { mv: mv.to_owned(), visits: 7, value, proven, plies };
        let win = Some(Outcome::Win(Side::Second));
        let tokens = |text: &str| text.split(' ').map(str::to_owned).collect();
        let report = Report {
            role: 1,
            candidates: vec![
                candidate("a", Some(100.0), win, Some(3)),
                candidate("b", Some(100.0), win, None),
                candidate("c", None, None, None),
                candidate("d", Some(0.0), Some(Outcome::Win(Side::First)), Some(2)),
                candidate("e", Some(50.0), None, None),
            ],
            policies: Vec::new(),
            proven: win,
            principal_variation: tokens("a x a"),
            other_variations: ["b x", "c", "d x"].map(tokens).to_vec(),
            iterations: 50,
            nodes: 60,
            bytes: 960,
            memory_was_full: false,
            ended_early: None,
            elapsed: Duration::from_millis(500),
            cpu_time: Duration::ZERO,
            visits_hash: 0,
        };
        let search = "nodes 50 time 500 nps 100 hashfull 480";
        let lines = [
            format!("info {search} depth 3 multipv 1 score mate 3 visits 7 pv a x a\n"),
            format!("info {search} depth 2 multipv 2 score cp 1200 visits 7 pv b x\n"),
            format!("info {search} depth 1 multipv 3 visits 7 pv c\n"),
            format!("info {search} depth 2 multipv 4 score mate -2 visits 7 pv d x\n"),
        ];
        assert_eq!(info(&report, Side::Second, 2_000, true), lines.concat());
        let one = Report { other_variations: Vec::new(), ..report };
        assert_eq!(info(&one, Side::Second, 2_000, false), lines[0].replace(" multipv 1", ""));
    }
}

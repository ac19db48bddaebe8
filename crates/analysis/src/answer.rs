//! The JSON answers of `suggest --json` and `analyze`.

use indexmap::IndexMap;
use quintet_core::game::Outcome;
use quintet_core::knowledge::Effort;
use quintet_core::registry::Variant;
use quintet_core::search::{EndedEarly, Policy, Report};
use quintet_core::session::Session;
use quintet_core::solver::WinLength;
use quintet_protocol::{Answer, AnswerMoves, AnswerTerminal, Candidate, Id, WinLine, rounded};

/// Returns the scores of all roles.
#[must_use]
pub fn scores(session: &dyn Session) -> IndexMap<String, u8> {
    let roles = session.variant().roles.iter();
    roles.map(|role| (role.name.to_string(), session.score(role.side))).collect()
}

/// The query that is answered.
#[derive(Debug, Default)]
pub struct AnswerTo {
    /// Its `id`; `None` if it is no line.
    pub id: Option<Id>,
    /// The ply of `analyze_plies`.
    pub ply: Option<usize>,
}

/// Returns the answer for a finished game.
#[must_use]
pub fn terminal(AnswerTo { id, ply }: AnswerTo, session: &dyn Session) -> Answer {
    Answer::Terminal(AnswerTerminal { id, ply, terminal: true, scores: scores(session) })
}

/// Returns the word for why a search ended early.
fn ended(why: EndedEarly) -> &'static str {
    match why {
        EndedEarly::Proven => "proven",
        EndedEarly::Decided => "safe leader",
        EndedEarly::Confident => "confident",
        EndedEarly::OnlyMove => "only move",
    }
}

/// Returns the answer for the report of engine number `engine` on the position of `session`. The
/// best `variations` candidates get their principal variations.
#[must_use]
pub fn moves(
    answered: AnswerTo,
    session: &dyn Session,
    engine: usize,
    report: &Report<String>,
    variations: usize,
) -> AnswerMoves {
    let mut answer = of_report(answered, session.variant(), report, variations);
    for (candidate, why) in answer.candidates.iter_mut().zip(session.explain(engine)) {
        candidate.why = why;
    }
    answer
}

/// Returns the line with which the position of a report is won, if that is proven. The report is on all moves.
#[must_use]
pub fn win_of(session: &dyn Session, engine: usize, report: &Report<String>) -> Option<WinLine> {
    // An engine that plays as people do may not have chosen a best move.
    let best = Some(report.best()).filter(|it| it.proven == report.proven);
    win_line(session, report.proven, best.map(|it| &*it.mv), Some(engine))
}

/// Returns the line with which the position of `session`, whose value is proven, is won, if it is. `best` is a move that
/// keeps the value,
/// and `engine` the number of an engine whose trees may help. It takes a fraction of a second, mostly a small one.
#[must_use]
pub fn win_line(
    session: &dyn Session,
    proven: Option<Outcome>,
    best: Option<&str>,
    engine: Option<usize>,
) -> Option<WinLine> {
    /// The positions on the way, each of which may take a small proof.
    const POSITIONS: u64 = 40_000;
    let Some(Outcome::Win(winner)) = proven else { return None };
    // Where one player plays alone, the other side has no line of its own.
    if !session.variant().sides().contains(&winner) {
        return None;
    }
    let line = session.win_line(winner, best, engine, Effort::positions(POSITIONS))?;
    let (plies, plies_at_most) = match line.length {
        WinLength::Exactly(plies) => (Some(plies), None),
        WinLength::AtMost(plies) => (None, Some(plies)),
        WinLength::Unknown => (None, None),
    };
    Some(WinLine { plies, plies_at_most, line: line.moves, line_why: line.reasons })
}

/// Returns the partial answer for a report.
pub(crate) fn partial(
    answered: AnswerTo,
    game: &Variant,
    report: &Report<String>,
    variations: usize,
) -> Answer {
    Answer::Moves(Box::new(AnswerMoves { partial: true, ..of_report(answered, game, report, variations) }))
}

fn of_report(
    AnswerTo { id, ply }: AnswerTo,
    game: &Variant,
    report: &Report<String>,
    variations: usize,
) -> AnswerMoves {
    let role = &game.roles[report.role];
    let value = |value: Option<f64>| value.map(|value| rounded(value, 4));
    let best = report.best();
    let lines = std::iter::once(&report.principal_variation).chain(&report.other_variations);
    let lines = lines.take(variations).map(Some).chain(std::iter::repeat(None));
    let candidates = report.candidates.iter().zip(lines).map(|(it, line)| Candidate {
        mv: it.mv.clone(),
        visits: it.visits,
        value: value(it.value),
        proven: it.proven.map(|outcome| outcome.score(role.side)),
        plies: it.plies,
        why: String::new(),
        pv: line.cloned().unwrap_or_default(),
    });
    let policy = |it: &Policy<String>| {
        let moves = it.moves.iter().map(|(mv, share)| (mv.clone(), rounded(*share, 4)));
        (game.roles[it.role].name.to_string(), moves.collect())
    };
    AnswerMoves {
        id,
        ply,
        partial: false,
        game: game.game.to_string(),
        rules: game.rules.to_string(),
        to_move: role.name.to_string(),
        best: best.mv.clone(),
        value: value(report.value()),
        proven: report.proven.map(|outcome| outcome.score(role.side)),
        iterations: report.iterations,
        seconds: rounded(report.elapsed.as_secs_f64(), 6),
        cpu_seconds: rounded(report.cpu_time.as_secs_f64(), 6),
        confidence: value(report.confidence()),
        ended: report.ended_early.map(|why| ended(why).to_owned()),
        nodes: report.nodes,
        memory_full: report.memory_was_full,
        candidates: candidates.collect(),
        policies: report.policies.iter().map(policy).collect(),
        pv: report.principal_variation.clone(),
        win: None,
        turn: Vec::new(),
        step: None,
    }
}

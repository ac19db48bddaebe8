//! What `suggest --json` and `analyze` say about a position, as JSON.

use quintet::catalog::GameId;
use quintet::engine::Engine;
use quintet::game::{Notation, Outcome, Side};
use quintet::games::Rules;
use quintet::knowledge::Known;
use quintet::search::Report;
use serde_json::{Map, Value, json};

use super::output::rounded;

/// The score of `side`, 0, 50 or 100, as a proven value.
fn proven(outcome: Option<Outcome>, side: Side) -> Value {
    outcome.map_or(Value::Null, |outcome| json!(outcome.half_points(side) * 50))
}

/// The scores of all roles.
pub(super) fn scores<G: Notation>(position: &G) -> Map<String, Value> {
    G::ROLES.iter().map(|role| (role.name.to_owned(), position.score(role.side).into())).collect()
}

/// Adds what an engine reports, or the outcome of the game if it is over, to `answer`.
pub(super) fn complete<G: Known>(
    mut answer: Map<String, Value>,
    (game, rules): (GameId, Rules),
    position: &G,
    found: Option<(&Engine<G>, &Report<G::Move>)>,
) -> Value {
    let Some((engine, report)) = found else {
        answer.insert("terminal".into(), true.into());
        answer.insert("scores".into(), scores(position).into());
        return answer.into();
    };
    let side = position.side_to_move();
    let best = report.best();
    let value = |value: Option<f64>| value.map_or(Value::Null, |value| rounded(value, 4).into());
    let candidates: Vec<Value> = report
        .candidates
        .iter()
        .map(|candidate| {
            json!({
                "move": candidate.mv.to_string(),
                "visits": candidate.visits,
                "value": value(candidate.value),
                "proven": proven(candidate.proven, side),
                "plies": candidate.plies,
                "why": engine.why(position, candidate),
            })
        })
        .collect();
    let pv: Vec<String> = report.principal_variation.iter().map(ToString::to_string).collect();
    answer.extend([
        ("game".to_owned(), game.name().into()),
        ("rules".to_owned(), rules.name().into()),
        ("to_move".to_owned(), G::ROLES[report.role].name.into()),
        ("move".to_owned(), best.mv.to_string().into()),
        ("value".to_owned(), value(best.value)),
        ("proven".to_owned(), proven(best.proven, side)),
        ("iterations".to_owned(), report.iterations.into()),
        ("seconds".to_owned(), rounded(report.elapsed.as_secs_f64(), 6).into()),
        ("candidates".to_owned(), candidates.into()),
        ("pv".to_owned(), pv.into()),
    ]);
    answer.into()
}

//! Games recorded by an independent referee replay exactly.

use quintet_games::HasKnowledge;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::catalog::{GameId, Rules, Visitor};
use crate::harness::{View, data_file};
use crate::twins::{self, Twin};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Trace {
    game: String,
    rules: String,
    moves: Vec<String>,
    /// The state before each move, and the one after the last.
    steps: Vec<Step>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    to_move: Option<String>,
    legal: Vec<String>,
    terminal: bool,
    scores: Map<String, Value>,
}

impl Step {
    fn view(&self) -> View {
        let score = |(role, value): (&String, &Value)| {
            let value = value.as_u64().and_then(|value| u32::try_from(value).ok());
            (role.clone(), value.expect("a score is a small whole number"))
        };
        View {
            to_move: self.to_move.clone(),
            legal: self.legal.clone(),
            terminal: self.terminal,
            scores: self.scores.iter().map(score).collect(),
        }
    }
}

struct ReplayInGame<'a> {
    trace: &'a Trace,
    name: &'a str,
}

impl Visitor for ReplayInGame<'_> {
    type Output = ();

    fn visit<G: HasKnowledge>(self) {
        let Self { trace, name } = self;
        let mut state = G::initial();
        for (ply, step) in trace.steps.iter().enumerate() {
            assert_eq!(View::of_game(&state), step.view(), "{name}, ply {ply}");
            if let Some(token) = trace.moves.get(ply) {
                let mv = state.parse_move(token).unwrap_or_else(|error| panic!("{name}, ply {ply}: {error}"));
                state = state.play(mv).unwrap_or_else(|error| panic!("{name}, ply {ply}: {error}"));
            }
        }
    }
}

fn replay_in_twin(trace: &Trace, name: &str, mut twin: Box<dyn Twin>) {
    for (ply, step) in trace.steps.iter().enumerate() {
        assert_eq!(View::of_twin(&*twin), step.view(), "{name}, ply {ply}, in the twin");
        if let Some(token) = trace.moves.get(ply) {
            twin.apply(token);
        }
    }
}

#[test]
fn every_trace_replays_in_game_and_twin() {
    for &game in GameId::ALL {
        for rules in Rules::ALL {
            // The referee has no traces of other games.
            let Some(twin) = twins::start(game, rules) else { continue };
            let file = data_file(&format!("traces/{game}-{rules}.jsonl"));
            // An empty file must not pass.
            assert!(file.lines().count() >= 6, "{game} {rules}: only {} traces", file.lines().count());
            for (index, line) in file.lines().enumerate() {
                let name = format!("{game} {rules}, line {}", index + 1);
                let trace: Trace =
                    serde_json::from_str(line).unwrap_or_else(|error| panic!("{name}: {error}"));
                assert_eq!(
                    (trace.game.as_str(), trace.rules.as_str()),
                    (game.name(), rules.name()),
                    "{name}"
                );
                assert_eq!(trace.steps.len(), trace.moves.len() + 1, "{name}: a state around every move");
                game.visit(rules, ReplayInGame { trace: &trace, name: &name });
                replay_in_twin(&trace, &name, twin.boxed());
            }
        }
    }
}

//! A client for the JSON lines of `quintet analyze`.

use std::time::Instant;

use quintet_core::Quoted;
use quintet_protocol::{Thought, rounded};
use serde_json::{Value, json};

use super::super::choice::{EngineMove, GameClock};
use super::conversation::{Conversation, ExternalTurn, milliseconds};
use super::process::ExchangeError;
use crate::engine::Settings;

/// The state of a conversation.
#[derive(Debug, Default)]
pub(super) struct Json {
    /// The number of queries sent.
    asked: u64,
}

impl Json {
    pub(super) fn choose(
        &mut self,
        conversation: &Conversation<'_>,
        turn: &ExternalTurn<'_>,
    ) -> Result<EngineMove, ExchangeError> {
        let settings = conversation.settings;
        let mut limit = turn.timeout(settings);
        if self.asked == 0 {
            // The first answer is the only sign that the program is ready.
            limit = limit.saturating_add(settings.start_timeout());
        }
        self.asked += 1;
        conversation.process.forget_lines();
        let start = Instant::now();
        conversation.send(query(self.asked, turn, settings).to_string());
        let (answer, at) = conversation.receive("answer", limit, |line| Some(chosen(self.asked, line)))?;
        let (token, thought) = answer.map_err(ExchangeError::Illegal)?;
        let elapsed = at.saturating_duration_since(start);
        let elapsed = match turn.clock() {
            // The clock does not run while the program starts.
            Some(clock) if self.asked == 1 => elapsed.min(clock.time()),
            _ => elapsed,
        };
        Ok(EngineMove { token, thought, elapsed })
    }
}

fn query(id: u64, turn: &ExternalTurn<'_>, settings: &Settings) -> Value {
    let mut query = json!({
        "id": id,
        "game": turn.game.game,
        "rules": turn.game.rules,
        "moves": turn.moves,
        "seed": turn.seed,
    });
    if let Some(start) = turn.start {
        query["position"] = start.into();
    }
    let time = settings.move_time(turn.clock().map(GameClock::time));
    let limits = [
        ("iterations", settings.iterations),
        ("time_ms", time.map(milliseconds)),
        ("threads", settings.threads.map(|threads| threads.get() as u64)),
        ("trees", settings.trees.map(|trees| trees.get() as u64)),
    ];
    for (key, value) in limits {
        if let Some(value) = value {
            query[key] = value.into();
        }
    }
    query
}

/// Returns the move in `line`, the answer to query `id`, with what the engine thinks, or what is
/// wrong with it.
fn chosen(id: u64, line: &str) -> Result<(String, Thought), String> {
    let answer: Value = serde_json::from_str(line).map_err(|_| format!("no JSON: {}", Quoted(line)))?;
    // Some languages write every number with a point.
    if answer["id"].as_f64() != Some(id as f64) {
        return Err(format!("no answer to query {id}: {}", Quoted(line)));
    }
    if let Some(error) = answer["error"].as_str() {
        return Err(format!("an error: {}", Quoted(error)));
    }
    let token = answer["move"].as_str().ok_or_else(|| format!("no move in {}", Quoted(line)))?.to_owned();
    let is_score = |score: &f64| (0.0..=100.0).contains(score);
    let thought = Thought {
        value: answer["value"].as_f64().filter(is_score).map(|value| rounded(value, 2)),
        proven: answer["proven"]
            .as_u64()
            .and_then(|it| [0, 50, 100].into_iter().find(|&score| u64::from(score) == it)),
        iterations: answer["iterations"].as_u64(),
        ..Thought::default()
    };
    Ok((token, thought))
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::time::Duration;

    use quintet_core::game::{MAX_SIDES, Side};

    use super::*;

    #[test]
    fn a_query_has_the_fields_of_the_command_analyze() {
        let krk = quintet_games::registry().find("krk", Some("ggp")).expect("there is krk");
        let moves = ["Kc1-c2".to_owned()];
        let mut clocks = [None; MAX_SIDES];
        let turn =
            ExternalTurn { game: &krk, start: None, moves: &moves, seed: 5, side: Side::Second, clocks };
        let settings = Settings {
            iterations: Some(9),
            time: Some(Duration::from_secs(2)),
            threads: NonZeroUsize::new(3),
            trees: NonZeroUsize::new(2),
            ..Settings::default()
        };
        let whole = r#"{"id":1,"game":"krk","rules":"ggp","moves":["Kc1-c2"],"seed":5,"iterations":9,"time_ms":2000,"threads":3,"trees":2}"#;
        assert_eq!(query(1, &turn, &settings).to_string(), whole);
        let clock = GameClock {
            left: Duration::from_secs(12),
            increment: Duration::from_millis(100),
            margin: Duration::ZERO,
        };
        clocks[Side::Second as usize] = Some(clock);
        let turn = ExternalTurn { clocks, ..turn };
        assert_eq!(query(1, &turn, &settings)["time_ms"], 1050);
    }

    #[test]
    fn an_answer_is_a_move_or_a_fault() {
        let thought = |fields: &str| {
            let (token, thought) = chosen(2, &format!(r#"{{"id":2,"move":"a1"{fields}}}"#)).expect("a move");
            assert_eq!(token, "a1");
            thought
        };
        assert_eq!(thought(r#","more":[]"#), Thought::default());
        let whole =
            Thought { value: Some(51.23), proven: Some(50), iterations: Some(7), ..Thought::default() };
        assert_eq!(thought(r#","value":51.2345,"proven":50,"iterations":7"#), whole);
        assert_eq!(thought(r#","value":-1,"proven":51,"iterations":"many""#), Thought::default());
        for (line, fault) in [
            ("a1", r#"no JSON: "a1""#),
            ("", r#"no JSON: """#),
            (r#"{"id":1,"move":"a1"}"#, "no answer to query 2: "),
            (r#"{"id":2.0}"#, "no move in "),
            ("7", "no answer to query 2: "),
            (r#"{"id":2}"#, "no move in "),
            (r#"{"id":2,"error":"busy"}"#, r#"an error: "busy""#),
        ] {
            let found = chosen(2, line).expect_err(line);
            assert!(found.starts_with(fault), "{line}: {found}");
        }
    }
}

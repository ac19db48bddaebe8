//! The position of a session and the engine that thinks about it, for any game.

use std::sync::atomic::AtomicBool;

use quintet::catalog::Visitor;
use quintet::engine::{Engine, EngineSpec, Settings};
use quintet::game::{Outcome, Side};
use quintet::knowledge::Known;
use quintet::search::{Budget, Report};

/// A game in which somebody asks for moves.
pub(super) trait Board: Send {
    /// Goes to the position that `moves` lead to from `start`, or from the start position; stays where it is
    /// if there is none.
    fn set(&mut self, start: Option<&str>, moves: &[String]) -> Result<(), String>;
    /// Forgets what the engine knows, and sets it up anew before it thinks next.
    fn reset_engine(&mut self);
    fn outcome(&self) -> Option<Outcome>;
    /// The side to move; unspecified once the game is over.
    fn side(&self) -> Side;
    /// The board and the position string.
    fn draw(&self) -> String;
    fn think(&mut self, task: &Task, stop: &AtomicBool) -> Result<Answer, String>;
}

/// What to think about a position with.
#[derive(Debug, Clone)]
pub(super) struct Task {
    pub(super) spec: EngineSpec,
    pub(super) settings: Settings,
    /// `None` for what the settings say.
    pub(super) budget: Option<Budget>,
    pub(super) seed: u64,
}

/// A move and what there is to say about it, as the end of an `info` line.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) best: String,
    pub(super) info: String,
}

/// Makes the board of a game, at its start position.
pub(super) struct NewBoard;

impl Visitor for NewBoard {
    type Output = Box<dyn Board>;

    fn visit<G: Known>(self) -> Self::Output {
        Box::new(BoardOf::<G> { position: G::initial(), engine: None })
    }
}

struct BoardOf<G: Known> {
    position: G,
    engine: Option<Engine<G>>,
}

impl<G: Known> Board for BoardOf<G> {
    fn set(&mut self, start: Option<&str>, moves: &[String]) -> Result<(), String> {
        let position = quintet::game::set_up(start, moves.iter().map(String::as_str));
        self.position = position.map_err(|error| format!("position: {error}"))?;
        Ok(())
    }

    fn reset_engine(&mut self) {
        self.engine = None;
    }

    fn outcome(&self) -> Option<Outcome> {
        self.position.outcome()
    }

    fn side(&self) -> Side {
        self.position.side_to_move()
    }

    fn draw(&self) -> String {
        format!("{}\nposition: {}", self.position.draw(None), self.position)
    }

    fn think(&mut self, task: &Task, stop: &AtomicBool) -> Result<Answer, String> {
        let engine = if let Some(engine) = &mut self.engine {
            engine
        } else {
            let engine = Engine::new(&task.spec, &task.settings).map_err(|error| error.to_string())?;
            self.engine.insert(engine)
        };
        let report = engine.think_until(&self.position, task.budget, task.seed, stop);
        report.map(|report| answer(&report)).map_err(|error| format!("go: {error}"))
    }
}

fn answer<M: Copy + PartialEq + std::fmt::Display>(report: &Report<M>) -> Answer {
    let best = report.best();
    let seconds = report.elapsed.as_secs_f64();
    let rate = (report.iterations as f64 / seconds.max(1e-9)) as u64;
    let score = best.value.map_or(String::new(), |value| format!(" score cp {}", centipawns(value)));
    let pv: Vec<String> = report.principal_variation.iter().map(ToString::to_string).collect();
    Answer {
        best: best.mv.to_string(),
        info: format!(
            "nodes {} time {} nps {rate}{score} pv {}",
            report.iterations,
            report.elapsed.as_millis(),
            pv.join(" ")
        ),
    }
}

/// An expected score of 0 to 100 on the scale of managers: the Elo difference that promises it,
/// 400 · log10(p / (1 − p)), with *p* kept a thousandth away from 0 and 1.
fn centipawns(value: f64) -> i64 {
    let p = (value / 100.0).clamp(0.001, 0.999);
    (400.0 * (p / (1.0 - p)).log10()).round() as i64
}

#[cfg(test)]
mod tests {
    use super::centipawns;

    #[test]
    fn an_even_score_is_zero_and_a_sure_one_is_finite() {
        assert_eq!([0.0, 25.0, 50.0, 75.0, 100.0].map(centipawns), [-1200, -191, 0, 191, 1200]);
    }
}

//! The engine at the table.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;

use quintet_analysis::{AnswerTo, answer_of};
use quintet_arena::engine::{EngineSpec, Settings};
use quintet_core::search::{Budget, Controls, Report};
use quintet_core::session::{EngineConfig, Session};
use quintet_protocol::AnswerMoves;

use super::Event;
use crate::WorkError;
use crate::interrupt::{Request, Requests};
use crate::live::LiveLine;

/// The number of the only engine of a session.
const ENGINE: usize = 0;

/// The engine, and its searches.
pub(super) struct Opponent {
    /// Its name for people.
    pub(super) name: String,
    /// Its kind and all of its settings.
    pub(super) settings: String,
    pub(super) config: EngineConfig,
    budget: Budget,
    seed: u64,
    /// Ends the search at hand. Each request sets it.
    stop: Arc<AtomicBool>,
}

/// What came of a search.
pub(super) struct Thought {
    pub(super) answer: Box<AnswerMoves>,
    /// Whether Ctrl-C ended the search early.
    pub(super) is_interrupted: bool,
    /// Whether the game has to end too: there was more than one request, or another one.
    pub(super) is_end: bool,
}

impl Opponent {
    /// An engine. `defaults` has the settings that it leaves out.
    pub(super) fn new(
        spec: &EngineSpec,
        defaults: &Settings,
        seed: u64,
        stop: Arc<AtomicBool>,
    ) -> anyhow::Result<Self> {
        let (config, budget) = spec.config(defaults)?;
        let settings = spec.with_defaults(defaults).to_string();
        Ok(Self { name: spec.name.clone(), settings, config, budget, seed, stop })
    }

    /// Lets the engine, which is the only one of `session`, search its position. The first Ctrl-C ends the
    /// search early.
    pub(super) fn think(
        &self,
        session: &mut dyn Session,
        events: &Receiver<Event>,
        requests: &Requests,
    ) -> Result<Thought, WorkError> {
        let asked_by_now = || {
            events.try_iter().filter_map(|event| match event {
                Event::Request(request) => Some(request),
                Event::Typed(_) => None,
            })
        };
        // A request is told before it sets the flag. One that came too late for the last search ends this one.
        self.stop.store(false, Ordering::SeqCst);
        let mut asked: Vec<Request> = asked_by_now().collect();
        self.stop.fetch_or(!asked.is_empty(), Ordering::SeqCst);
        let live = LiveLine::new(self.budget);
        let mut show = |report: Report<String>| live.show(&report);
        let mut controls = Controls::new(&self.stop);
        if live.is_shown() {
            controls.watch = Some(&mut show);
        }
        let search = AssertUnwindSafe(|| session.think_with(ENGINE, self.budget, self.seed, controls));
        let report = catch_unwind(search).map_err(|_| WorkError("the search failed".to_owned()))?;
        let report = report.map_err(|error| WorkError(error.to_string()))?;
        asked.extend(asked_by_now());
        requests.handled();
        let mut answer = answer_of(AnswerTo::default(), session, ENGINE, &report, 0);
        let is_interrupted = !asked.is_empty();
        if is_interrupted {
            answer.ended.get_or_insert("terminated".to_owned());
        }
        let is_end = asked.len() > 1 || asked.contains(&Request::End);
        Ok(Thought { answer: Box::new(answer), is_interrupted, is_end })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::super::game::Game;
    use super::*;

    #[test]
    fn a_request_ends_one_search_with_what_it_has() {
        let spec: EngineSpec = "uct:iterations=200000,threads=1".parse().expect("an engine");
        let opponent = Opponent::new(&spec, &Settings::default(), 0, Arc::default()).expect("valid");
        let mut session = quintet_games::registry().find("krk", None).expect("a game").start();
        session.add_engine(&opponent.config).expect("valid");
        let (sender, events) = mpsc::channel();
        let mut think = |requests: &[Request]| {
            for &request in requests {
                sender.send(Event::Request(request)).expect("the channel is open");
            }
            // The flag that the last request has set late.
            opponent.stop.store(true, Ordering::SeqCst);
            let thought =
                opponent.think(&mut *session, &events, &Requests::default()).expect("it can search");
            let is_whole = thought.answer.iterations == 200_000;
            assert_eq!(thought.answer.ended.as_deref(), (!is_whole).then_some("terminated"));
            (is_whole, thought.is_interrupted, thought.is_end)
        };
        assert_eq!(think(&[Request::Interrupt]), (false, true, false));
        assert_eq!(think(&[]), (true, false, false));
        assert_eq!(think(&[Request::Interrupt, Request::Interrupt]), (false, true, true));
        assert_eq!(think(&[Request::End]), (false, true, true));
    }

    #[test]
    fn the_engine_keeps_its_trees_from_move_to_move_but_not_for_hints() {
        let game = quintet_games::registry().find("pentago", None).expect("a game");
        let spec: EngineSpec = "quintet:iterations=2000,threads=1".parse().expect("an engine");
        let opponent = Opponent::new(&spec, &Settings::default(), 0, Arc::default()).expect("valid");
        let (_sender, events) = mpsc::channel();
        let visits = |game: &mut Game| {
            let session = game.with_engine(&opponent.config).expect("valid");
            let thought = opponent.think(session, &events, &Requests::default()).expect("it can search");
            (thought.answer.best, thought.answer.candidates.iter().map(|it| it.visits).sum::<u64>())
        };
        let mut game = Game::new(&game, None, &[]).expect("the start");
        let (first, _) = visits(&mut game);
        game.play(&first, None).expect("a legal move");
        let (_, of_hint) = visits(&mut game.copy(1).expect("the same moves"));
        let (_, kept) = visits(&mut game);
        assert!(kept > of_hint, "{kept} {of_hint}");
    }
}

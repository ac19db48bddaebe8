//! The engine at the table.

use std::sync::mpsc::Receiver;

use anyhow::bail;
use quintet_analysis::Client;
use quintet_arena::engine::{EngineSpec, Settings};
use quintet_core::search::Budget;
use quintet_protocol::{Answer, AnswerMoves, Id, Query};

use super::Event;
use super::game::Game;
use crate::WorkError;
use crate::interrupt::{Request, Requests};
use crate::live::{LiveLine, SearchState};

/// The name under which the trees are kept from move to move.
const KEPT: &str = "game";

/// The least time between two updates of the line that shows a search, in milliseconds.
const UPDATE_MS: u64 = 100;

/// The engine, and its searches.
pub(super) struct Opponent {
    /// Its name for people.
    pub(super) name: String,
    /// Its kind and all of its settings.
    pub(super) settings: String,
    engine: String,
    budget: Budget,
    client: Client,
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
    /// An engine whose answers go to the receiver of [`think`](Self::think). `defaults` has the
    /// settings that it leaves out.
    pub(super) fn new(spec: &EngineSpec, defaults: &Settings, client: Client) -> anyhow::Result<Self> {
        let (_, budget) = spec.config(defaults)?;
        Ok(Self {
            name: spec.name.clone(),
            settings: spec.with_defaults(defaults).to_string(),
            engine: spec.to_string(),
            budget,
            client,
        })
    }

    /// Lets the engine search the position of a game. With `keep`, it uses what it has found before.
    /// The first Ctrl-C ends the search early.
    pub(super) fn think(
        &self,
        game: &Game,
        keep: bool,
        events: &Receiver<Event>,
        requests: &Requests,
    ) -> anyhow::Result<Thought> {
        let variant = game.session.variant();
        let live = LiveLine::new(self.budget);
        let query = Query {
            game: variant.game.to_owned(),
            rules: Some(variant.rules.to_owned()),
            position: game.start.clone(),
            moves: game.moves(),
            engine: Some(self.engine.clone()),
            report_every_ms: live.is_shown().then_some(UPDATE_MS.try_into()?),
            keep: keep.then(|| KEPT.to_owned()),
            ..Query::default()
        };
        self.client.query(&query);
        let mut asked_to_stop = 0;
        let mut is_end = false;
        while let Ok(event) = events.recv() {
            match event {
                Event::Answer(Answer::Moves(answer)) if answer.partial => {
                    live.show(&SearchState::of_answer(&answer));
                }
                Event::Answer(Answer::Moves(answer)) => {
                    requests.handled();
                    return Ok(Thought { answer, is_interrupted: asked_to_stop > 0, is_end });
                }
                // It was stopped before it began.
                Event::Answer(Answer::Terminated(_)) => self.client.query(&query),
                Event::Answer(Answer::Error(wrong)) => bail!(WorkError(wrong.error)),
                Event::Request(request) => {
                    asked_to_stop += 1;
                    is_end |= asked_to_stop > 1 || request == Request::End;
                    self.client.terminate(None::<&Id>);
                }
                Event::Answer(Answer::Terminal(_) | Answer::Action(_)) | Event::Typed(_) => {}
            }
        }
        bail!(WorkError("the search failed".to_owned()))
    }
}

//! Engines that are programs of their own, as players of games.
//!
//! Every worker of the arena has [`Players`] of its own: at most one process for each engine, kept from game
//! to game. A player that does something wrong loses the game it plays, and its process ends; the next game
//! starts another.

mod json;
mod process;
mod ugi;

use std::time::{Duration, Instant};

use process::{Process, ReadError};
use quintet_core::registry::Variant;
use quintet_protocol::End;

use super::{ArenaError, Assignment, Tournament};
use crate::engine::{EngineKind, Settings};

/// What a player did wrong.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) end: End,
    pub(super) what: String,
}

/// Why a player is not ready, or has not moved.
#[derive(Debug)]
pub(super) enum TurnError {
    /// It has lost.
    Fault(Fault),
    /// Somebody wants the game to stop.
    Stopped,
    /// Its program can't be started.
    Arena(ArenaError),
}

/// What a conversation came to instead of what was hoped for.
#[derive(Debug)]
enum ExchangeError {
    /// The process has closed its output.
    End,
    /// What was waited for did not come in time.
    Timeout(String),
    /// The process said what it may not.
    Illegal(String),
    /// Somebody wants the game to stop.
    Stopped,
}

/// The outside engines of one worker.
#[derive(Debug)]
pub(super) struct Players<'a> {
    tournament: &'a Tournament,
    /// By the engines' numbers in the tournament.
    players: Vec<Option<Player>>,
}

impl<'a> Players<'a> {
    /// None has been started.
    pub(super) fn new(tournament: &'a Tournament) -> Self {
        Self { tournament, players: tournament.engines.iter().map(|_| None).collect() }
    }

    /// Starts the processes of all outside engines that `schedule` needs.
    pub(super) fn start(&mut self, schedule: &[Assignment]) -> Result<(), ArenaError> {
        for engine in schedule.iter().flat_map(|assignment| assignment.engines) {
            if self.is_external(engine) && self.players[engine].is_none() {
                self.players[engine] = Some(self.started(engine)?);
            }
        }
        Ok(())
    }

    /// Whether this engine is an outside one.
    pub(super) fn is_external(&self, engine: usize) -> bool {
        self.tournament.engines[engine].kind.is_external()
    }

    fn started(&self, engine: usize) -> Result<Player, ArenaError> {
        let spec = self.tournament.engines[engine].with_defaults(&self.tournament.defaults);
        let Some(command) = &spec.settings.command else {
            unreachable!("an external engine has a command");
        };
        let process = Process::start(command).map_err(|error| ArenaError::Start {
            name: spec.name.clone(),
            command: command.to_string(),
            error,
        })?;
        let protocol = match spec.kind {
            EngineKind::Json => Protocol::Json(json::Json::default()),
            _ => Protocol::Ugi(ugi::Ugi::default()),
        };
        Ok(Player { process, protocol, settings: spec.settings })
    }

    /// Sees to it that `engine` is ready for a new game.
    pub(super) fn new_game(
        &mut self,
        engine: usize,
        game: Variant,
        stopped: &dyn Fn() -> bool,
    ) -> Result<(), TurnError> {
        let mut player = match self.players[engine].take() {
            Some(player) => player,
            None => self.started(engine).map_err(TurnError::Arena)?,
        };
        match player.new_game(game, stopped) {
            Ok(()) => self.players[engine] = Some(player),
            Err(trouble) => return Err(player.turn_error(trouble)),
        }
        Ok(())
    }

    /// The move that `engine`, which is ready, chooses: one of the `legal` ones.
    pub(super) fn choose(
        &mut self,
        engine: usize,
        legal: &[String],
        turn: &ExternalTurn<'_>,
        stopped: &dyn Fn() -> bool,
    ) -> Result<String, TurnError> {
        let mut player = self.players[engine].take().expect("it has been made ready for the game");
        let chosen = player.choose(turn, stopped).and_then(|token| {
            if legal.contains(&token) {
                Ok(token)
            } else {
                Err(ExchangeError::Illegal(format!("illegal move {}", quoted(&token))))
            }
        });
        match chosen {
            Ok(token) => {
                self.players[engine] = Some(player);
                Ok(token)
            }
            Err(trouble) => Err(player.turn_error(trouble)),
        }
    }

    /// Lets all processes end by themselves, as far as they do so soon.
    pub(super) fn quit(self) {
        for player in self.players.into_iter().flatten() {
            player.quit();
        }
    }
}

/// A position with somebody to move.
#[derive(Debug)]
pub(super) struct ExternalTurn<'a> {
    /// The game and its ruleset.
    pub(super) game: Variant,
    /// The position string of the start, if it is not the start position.
    pub(super) start: Option<&'a str>,
    /// The moves since then.
    pub(super) moves: &'a [String],
    /// Seeds the choice, where the engine takes a seed.
    pub(super) seed: u64,
}

/// A process that takes part in games.
#[derive(Debug)]
struct Player {
    process: Process,
    protocol: Protocol,
    settings: Settings,
}

#[derive(Debug)]
enum Protocol {
    Ugi(ugi::Ugi),
    Json(json::Json),
}

impl Player {
    fn new_game(&mut self, game: Variant, stopped: &dyn Fn() -> bool) -> Result<(), ExchangeError> {
        let Self { process, protocol, settings } = self;
        match protocol {
            Protocol::Ugi(ugi) => {
                ugi.new_game(&Conversation { process, stopped }, game, settings.start_timeout())
            }
            Protocol::Json(_) => Ok(()),
        }
    }

    fn choose(
        &mut self,
        turn: &ExternalTurn<'_>,
        stopped: &dyn Fn() -> bool,
    ) -> Result<String, ExchangeError> {
        let Self { process, protocol, settings } = self;
        let conversation = Conversation { process, stopped };
        match protocol {
            Protocol::Ugi(ugi) => ugi.choose(&conversation, turn, settings),
            Protocol::Json(json) => json.choose(&conversation, turn, settings),
        }
    }

    /// Ends the process and says why.
    fn turn_error(self, trouble: ExchangeError) -> TurnError {
        let (end, what) = match trouble {
            ExchangeError::Stopped => return TurnError::Stopped,
            ExchangeError::Timeout(what) => (End::Time, what),
            ExchangeError::Illegal(what) => (End::Illegal, what),
            ExchangeError::End => (End::Crash, self.process.exit_report()),
        };
        TurnError::Fault(Fault { end, what })
    }

    fn quit(self) {
        if let Protocol::Ugi(_) = self.protocol {
            self.process.send("quit");
        }
        self.process.quit();
    }
}

/// A conversation with a process.
struct Conversation<'a> {
    process: &'a Process,
    stopped: &'a dyn Fn() -> bool,
}

impl Conversation<'_> {
    fn send(&self, line: impl Into<String>) {
        self.process.send(line);
    }

    /// Waits for the line of which `answer` makes something, and passes over others before it. `awaited` names
    /// it in the fault if it has not come after `limit`.
    fn receive<T>(
        &self,
        awaited: &str,
        limit: Duration,
        mut answer: impl FnMut(&str) -> Option<T>,
    ) -> Result<T, ExchangeError> {
        let deadline = Instant::now().checked_add(limit);
        let mut last = None;
        loop {
            let line = self.process.line(deadline, self.stopped).map_err(|no_line| match no_line {
                ReadError::End => ExchangeError::End,
                ReadError::Stopped => ExchangeError::Stopped,
                ReadError::TooLong(bytes) => {
                    ExchangeError::Illegal(format!("a line of more than {bytes} bytes"))
                }
                ReadError::Timeout => {
                    let last = last.as_deref().map(|line| format!("; its last line: {}", quoted(line)));
                    let limit = humantime::format_duration(limit);
                    ExchangeError::Timeout(format!("no {awaited} within {limit}{}", last.unwrap_or_default()))
                }
            })?;
            match answer(&line) {
                Some(answer) => return Ok(answer),
                None => last = Some(line),
            }
        }
    }
}

/// The beginning of what a process said, in quotes.
fn quoted(text: &str) -> String {
    const SHOWN: usize = 200;
    let shown: String = text.chars().take(SHOWN).collect();
    let more = if shown.len() < text.len() { "…" } else { "" };
    format!("{shown:?}{more}")
}

/// A time as whole milliseconds, at least 1.
fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX).max(1)
}

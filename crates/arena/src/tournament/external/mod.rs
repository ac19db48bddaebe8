//! External engines: separate programs that play games.
//!
//! Each worker has its own [`Players`]: at most one process per engine, kept between games. An
//! engine that commits a fault loses the game, and its process is killed; the next game starts a
//! new one. If that fails, the engine loses the game as by a crash; after [`MAX_FAILED_STARTS`]
//! failures in a row the run ends, and at once if the arena has run out of descriptors, processes or
//! memory.

pub(crate) mod gomocup;
mod group;
mod json;
mod message;
mod pipe;
mod process;
mod ugi;

use std::io;
use std::time::{Duration, Instant};

use process::{Process, ReadError};
use quintet_core::Quoted;
use quintet_core::game::Side;
use quintet_core::game::text::meant;
use quintet_core::registry::Variant;
use quintet_protocol::End;
use quintet_protocol::gomocup::Command;

use super::play::{Choice, GameClock};
use super::{ArenaError, Assignment, Tournament};
use crate::engine::{EngineKind, Settings};

/// An illegal move, a timeout or a crash of an external engine.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) end: End,
    pub(super) what: String,
}

/// Why an external engine did not become ready, or did not move.
#[derive(Debug)]
pub(super) enum TurnError {
    /// The engine loses the game.
    Fault(Fault),
    /// The run was stopped.
    Stopped,
    /// Its program can't be started or made ready for a game, again and again.
    Arena(ArenaError),
}

/// Why an exchange of lines with a process failed.
#[derive(Debug)]
enum ExchangeError {
    /// The process has closed its output.
    End,
    /// The answer did not come in time.
    Timeout(String),
    /// The process sent something that is not allowed.
    Illegal(String),
    /// The run was stopped.
    Stopped,
}

/// The external engines of one worker.
#[derive(Debug)]
pub(super) struct Players<'a> {
    tournament: &'a Tournament,
    /// Indexed by the engines' numbers in the tournament; `None` if no process is running.
    running: Vec<Option<Player>>,
    /// The failures in a row to start each engine or to get it ready for a game.
    failed_starts: Vec<u32>,
}

/// The number of failures in a row to start an engine, or to get it ready for a game, at which the run ends.
const MAX_FAILED_STARTS: u32 = 5;

impl<'a> Players<'a> {
    /// Creates the list without starting any process.
    pub(super) fn new(tournament: &'a Tournament) -> Self {
        let running: Vec<_> = tournament.engines.iter().map(|_| None).collect();
        Self { tournament, failed_starts: vec![0; running.len()], running }
    }

    /// Starts the processes of the external engines of a game, if they are not running.
    pub(super) fn start(&mut self, game: &Assignment) -> Result<(), ArenaError> {
        for engine in game.engines {
            if self.is_external(engine) && self.running[engine].is_none() {
                self.running[engine] = Some(self.start_player(engine)?);
            }
        }
        Ok(())
    }

    /// Whether this engine is external.
    pub(super) fn is_external(&self, engine: usize) -> bool {
        self.tournament.engines[engine].kind.is_external()
    }

    /// Whether the CPU time that this engine takes is known. That of engines within this process is not.
    pub(super) fn has_cpu_time(&self, engine: usize) -> bool {
        self.is_external(engine) && Process::has_cpu_time()
    }

    fn start_player(&self, engine: usize) -> Result<Player, ArenaError> {
        let spec = self.tournament.engines[engine].with_defaults(&self.tournament.defaults);
        let Some(command) = &spec.settings.command else {
            unreachable!("an external engine has a command");
        };
        let process = Process::start(command).map_err(|error| {
            if is_shortage(&error) {
                return ArenaError::Shortage(error);
            }
            ArenaError::Start { name: spec.name.clone(), command: command.to_string(), error }
        })?;
        let protocol = match spec.kind {
            EngineKind::Json => Protocol::Json(json::Json::default()),
            EngineKind::Gomocup => Protocol::Gomocup(gomocup::Gomocup::default()),
            _ => Protocol::Ugi(ugi::Ugi::default()),
        };
        Ok(Player { process, protocol, settings: spec.settings })
    }

    fn restart_player(&mut self, engine: usize) -> Result<Player, TurnError> {
        self.start_player(engine).map_err(|error| match error {
            shortage @ ArenaError::Shortage(_) => TurnError::Arena(shortage),
            error if self.fails_again(engine) => TurnError::Arena(error),
            error => TurnError::Fault(Fault { end: End::Crash, what: error.to_string() }),
        })
    }

    /// Counts a failure to start an engine; returns whether there have been too many in a row.
    fn fails_again(&mut self, engine: usize) -> bool {
        self.failed_starts[engine] += 1;
        self.failed_starts[engine] >= MAX_FAILED_STARTS
    }

    /// Prepares `engine` for a new game, and starts its process if necessary.
    pub(super) fn new_game(
        &mut self,
        engine: usize,
        game: Variant,
        stopped: &dyn Fn() -> bool,
    ) -> Result<(), TurnError> {
        let mut player = match self.running[engine].take() {
            Some(player) => player,
            None => self.restart_player(engine)?,
        };
        if let Err(error) = player.new_game(game, stopped) {
            return Err(match player.turn_error(error) {
                TurnError::Fault(Fault { what, .. }) if self.fails_again(engine) => {
                    let name = self.tournament.engines[engine].name.clone();
                    TurnError::Arena(ArenaError::NeverReady { name, what })
                }
                error => error,
            });
        }
        self.failed_starts[engine] = 0;
        self.running[engine] = Some(player);
        Ok(())
    }

    /// Returns what `engine` chooses: one of the `legal` moves. The engine must be prepared for the
    /// game.
    pub(super) fn choose(
        &mut self,
        engine: usize,
        legal: &[String],
        turn: &ExternalTurn<'_>,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Choice, TurnError> {
        let mut player = self.running[engine].take().expect("the engine is prepared for the game");
        let chosen = player.choose(turn, stopped).and_then(|choice| match meant(&choice.token, legal) {
            Some(index) => Ok(Choice { token: legal[index].clone(), ..choice }),
            None => Err(ExchangeError::Illegal(format!("illegal move {}", Quoted(&choice.token)))),
        });
        match chosen {
            Ok(choice) => {
                self.running[engine] = Some(player);
                Ok(choice)
            }
            Err(error) => Err(player.turn_error(error)),
        }
    }

    /// Asks all processes to quit, and kills those that do not end soon.
    pub(super) fn quit(self) {
        for player in self.running.into_iter().flatten() {
            player.quit();
        }
    }
}

/// Whether the arena, rather than an engine, has run out of something.
fn is_shortage(error: &io::Error) -> bool {
    #[cfg(unix)]
    {
        use nix::errno::Errno;
        let error = error.raw_os_error().map(Errno::from_raw);
        matches!(error, Some(Errno::EMFILE | Errno::ENFILE | Errno::EAGAIN | Errno::ENOMEM))
    }
    #[cfg(not(unix))]
    {
        error.kind() == io::ErrorKind::OutOfMemory
    }
}

/// A position in which an external engine is to move.
#[derive(Debug)]
pub(super) struct ExternalTurn<'a> {
    /// The game and its ruleset.
    pub(super) game: Variant,
    /// The position string of the start, if it is not the start position.
    pub(super) start: Option<&'a str>,
    /// The moves since the start.
    pub(super) moves: &'a [String],
    /// The seed of the choice, for engines that take one.
    pub(super) seed: u64,
    /// The side to move.
    pub(super) side: Side,
    /// The clocks of both sides, if they have one.
    pub(super) clocks: [Option<GameClock>; 2],
}

impl ExternalTurn<'_> {
    /// The clock of the side to move.
    fn clock(&self) -> Option<GameClock> {
        self.clocks[self.side as usize]
    }

    /// How long to wait for the move.
    fn timeout(&self, settings: &Settings) -> Duration {
        let of_clock = self.clock().map(|clock| clock.left.saturating_add(clock.margin));
        match of_clock {
            None => settings.move_timeout(),
            Some(of_clock) if settings.time.is_some() => of_clock.min(settings.move_timeout()),
            Some(of_clock) => of_clock,
        }
    }
}

/// A running external engine.
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
    Gomocup(gomocup::Gomocup),
}

impl Player {
    fn new_game(&mut self, game: Variant, stopped: &dyn Fn() -> bool) -> Result<(), ExchangeError> {
        let Self { process, protocol, settings } = self;
        match protocol {
            Protocol::Ugi(ugi) => {
                ugi.new_game(&Conversation { process, stopped }, game, settings.start_timeout())
            }
            Protocol::Json(_) => Ok(()),
            Protocol::Gomocup(gomocup) => {
                gomocup.new_game(&Conversation { process, stopped }, game, settings)
            }
        }
    }

    fn choose(
        &mut self,
        turn: &ExternalTurn<'_>,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Choice, ExchangeError> {
        let Self { process, protocol, settings } = self;
        let conversation = Conversation { process, stopped };
        let before = process.cpu_time();
        let mut choice = match protocol {
            Protocol::Ugi(ugi) => ugi.choose(&conversation, turn, settings),
            Protocol::Json(json) => json.choose(&conversation, turn, settings),
            Protocol::Gomocup(gomocup) => gomocup.choose(&conversation, turn, settings),
        }?;
        let used = process.cpu_time().zip(before).and_then(|(after, before)| after.checked_sub(before));
        choice.thought.cpu_ms = used.map(|used| u64::try_from(used.as_millis()).unwrap_or(u64::MAX));
        Ok(choice)
    }

    /// Kills the process and says why the turn failed.
    fn turn_error(self, error: ExchangeError) -> TurnError {
        let (end, what) = match error {
            ExchangeError::Stopped => return TurnError::Stopped,
            ExchangeError::Timeout(what) => (End::Time, what),
            ExchangeError::Illegal(what) => (End::Illegal, what),
            ExchangeError::End => (End::Crash, self.process.exit_report()),
        };
        TurnError::Fault(Fault { end, what })
    }

    fn quit(self) {
        match self.protocol {
            Protocol::Ugi(_) => self.process.send("quit"),
            Protocol::Gomocup(_) => self.process.send(Command::End.to_string()),
            // It ends at the end of its input.
            Protocol::Json(_) => {}
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

    /// Waits for the first line for which `answer` returns something, and skips the lines before
    /// it. `awaited` names the answer in the error if it does not come within `limit`.
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
                    let last = last.as_deref().map(|line| format!("; its last line: {}", Quoted(line)));
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

/// Returns a time in whole milliseconds, at least 1.
fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX).max(1)
}

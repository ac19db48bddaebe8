//! `quintet ugi`

mod command;

use std::collections::VecDeque;
use std::io::{self, BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, bail};
use command::{Go, Question, UgiCommand};
use quintet_arena::engine::{EngineSpec, Settings};
use quintet_core::game::{Outcome, Side};
use quintet_core::registry::Variant;
use quintet_core::search::{Budget, Report};
use quintet_core::session::Session;

use super::flags::SearchFlags;
use super::{Program, Status};

/// Run as an engine for a program that speaks UGI, the Universal Game Interface
///
/// UGI is UCI for any game of two sides. p1 is the side that moves first; a side may be a team of
/// several roles. Commands come from standard input, one per line: ugi, isready, uginewgame,
/// setoption, position (startpos or fen STRING, then moves …), go, stop, query (p1turn, gameover,
/// result), d or display, quit. `games` says how moves and positions are written.
///
/// The options are Game, Rules, Threads (trees), Hash (memory in MiB), Seed and Engine (such as
/// uct:c=0.5). Changing Game or Rules goes back to the start position.
///
/// go takes nodes (iterations), movetime (in ms), infinite (until stop), or clocks (in ms): p1time,
/// p2time, p1inc and p2inc. With a clock, a move gets a twentieth of the time left plus half the
/// increment, but at most half the time left. Without any limit, the search flags apply. The score
/// is 400 log10(p / (1 - p)) for an expected score p.
///
/// A wrong command changes nothing and is answered by a line that begins with "info string error:".
/// During a search, isready, stop and quit are answered at once, other commands after it. At the
/// end of input, a search with a limit is finished, and one without is stopped. So leave quit out
/// of piped input: right after go it stops the search.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example (> is sent to the engine, < is its answer):\n  \
    > ugi\n  \
    < id name {name} …\n  \
    < …\n  \
    < ugiok\n  \
    > setoption name Game value {game}\n  \
    > position startpos moves {move}\n  \
    > query gameover\n  \
    < response false\n  \
    > go nodes 1000\n  \
    < info nodes …\n  \
    < bestmove …\n  \
    > quit")]
pub(crate) struct Args {
    #[command(flatten)]
    search: SearchFlags,
}

/// An event that the main loop handles.
enum Event {
    Line(Result<String, String>),
    InputEnds(io::Result<()>),
    Answer(UgiGame, Result<Report<String>, String>),
}

/// The position of the game, and the engine that searches it.
struct UgiGame {
    session: Box<dyn Session>,
    /// Whether the engine has been set up.
    is_ready: bool,
}

impl UgiGame {
    fn start(game: Variant) -> Self {
        Self { session: game.start(), is_ready: false }
    }

    /// Sets the position after `moves` from `start`, or from the start position. An error leaves
    /// the position unchanged.
    fn set(&mut self, start: Option<&str>, moves: &[String]) -> Result<(), String> {
        let tokens = || moves.iter().map(String::as_str);
        let checked = self.session.variant().set_up(start, tokens());
        checked.map_err(|error| format!("position: {error}"))?;
        self.session.reset(start).expect("checked above");
        tokens().for_each(|token| self.session.play(token).expect("checked above"));
        Ok(())
    }

    /// Removes the engine; `think` sets up a new one.
    fn reset_engine(&mut self) {
        self.session.remove_engines();
        self.is_ready = false;
    }

    fn side(&self) -> Option<Side> {
        self.session.to_move().map(|role| role.side)
    }

    fn think(&mut self, task: &Task, stop: &AtomicBool) -> Result<Report<String>, String> {
        let (config, own) = task.spec.config(&task.settings).map_err(|error| error.to_string())?;
        if !self.is_ready {
            self.session.add_engine(&config).map_err(|error| error.to_string())?;
            self.is_ready = true;
        }
        let budget = task.budget.unwrap_or(own);
        self.session.think(0, budget, task.seed, stop).map_err(|error| format!("go: {error}"))
    }
}

/// A search to run.
struct Task {
    spec: EngineSpec,
    settings: Settings,
    /// `None` for the budget of the settings.
    budget: Option<Budget>,
    seed: u64,
}

pub(crate) fn run(args: &Args, program: &Program, out: &mut dyn Write) -> anyhow::Result<Status> {
    EngineSpec::default().check(&args.search.settings())?;
    converse(&args.search, program, || io::stdin().lock(), out)
}

/// Answers the commands of `input` until its end or until `quit`.
pub(crate) fn converse<R: BufRead>(
    flags: &SearchFlags,
    program: &Program,
    input: impl FnOnce() -> R + Send + 'static,
    out: &mut dyn Write,
) -> anyhow::Result<Status> {
    let (events, to_handle) = mpsc::channel();
    let from_input = events.clone();
    thread::spawn(move || read(&mut input(), &from_input));
    let Some(&game) = program.games.variants().first() else { bail!("there are no games") };
    Manager::new(flags, program, game, events).run(&to_handle, out)
}

/// Sends the lines of the input as events.
fn read(input: &mut dyn BufRead, events: &Sender<Event>) {
    loop {
        let event = match quintet_protocol::next_line(input) {
            Ok(Some(line)) => Event::Line(line.and_then(|line| {
                String::from_utf8(line).map_err(|_| "the line is not UTF-8 text".to_owned())
            })),
            Ok(None) => Event::InputEnds(Ok(())),
            Err(error) => Event::InputEnds(Err(error)),
        };
        let is_end = matches!(event, Event::InputEnds(_));
        if events.send(event).is_err() || is_end {
            return;
        }
    }
}

/// The state of the engine, as the manager has set it.
struct Manager<'a> {
    program: &'a Program,
    game: Variant,
    spec: EngineSpec,
    settings: Settings,
    seed: u64,
    /// `None` during a search, which owns it.
    board: Option<UgiGame>,
    stop: Arc<AtomicBool>,
    /// Whether only `stop` ends the current search.
    is_endless: bool,
    events: Sender<Event>,
}

impl<'a> Manager<'a> {
    fn new(flags: &SearchFlags, program: &'a Program, game: Variant, events: Sender<Event>) -> Self {
        Self {
            program,
            game,
            spec: EngineSpec::default(),
            settings: flags.settings(),
            seed: flags.seed,
            board: Some(UgiGame::start(game)),
            stop: Arc::default(),
            is_endless: false,
            events,
        }
    }

    fn run(mut self, events: &Receiver<Event>, out: &mut dyn Write) -> anyhow::Result<Status> {
        let mut waiting: VecDeque<Result<UgiCommand, String>> = VecDeque::new();
        let mut is_ending = false;
        loop {
            while self.board.is_some() {
                let Some(command) = waiting.pop_front() else { break };
                match command {
                    Err(error) => print_error(out, &error)?,
                    Ok(command) => self.execute(command, out)?,
                }
            }
            if is_ending && self.board.is_some() {
                return Ok(Status::Done);
            }
            if is_ending && self.is_endless {
                self.stop.store(true, Ordering::Relaxed);
            }
            out.flush()?;
            match events.recv().context("can't read the input")? {
                // Ignored after quit.
                Event::Line(_) if is_ending => {}
                Event::Line(line) => match line.and_then(|line| command::parse(&line)) {
                    Ok(None) => {}
                    Ok(Some(UgiCommand::IsReady)) if self.board.is_none() => writeln!(out, "readyok")?,
                    Ok(Some(UgiCommand::Stop)) if self.board.is_none() => {
                        self.stop.store(true, Ordering::Relaxed);
                    }
                    Ok(Some(UgiCommand::Quit)) => {
                        self.stop.store(true, Ordering::Relaxed);
                        waiting.clear();
                        is_ending = true;
                    }
                    Ok(Some(command)) => waiting.push_back(Ok(command)),
                    Err(error) => waiting.push_back(Err(error)),
                },
                Event::InputEnds(result) => {
                    result.context("can't read standard input")?;
                    is_ending = true;
                }
                Event::Answer(board, answer) => {
                    self.board = Some(board);
                    match answer {
                        Ok(report) => {
                            writeln!(out, "info {}\nbestmove {}", info(&report), report.best().mv)?;
                        }
                        Err(error) => print_error(out, &error)?,
                    }
                }
            }
        }
    }

    /// Executes `command`; no search is running.
    fn execute(&mut self, command: UgiCommand, out: &mut dyn Write) -> io::Result<()> {
        let Some(board) = &mut self.board else { return Ok(()) };
        let done = match command {
            UgiCommand::Ugi => {
                self.introduce(out)?;
                Ok(())
            }
            UgiCommand::IsReady => {
                writeln!(out, "readyok")?;
                Ok(())
            }
            UgiCommand::NewGame => {
                board.reset_engine();
                board.set(None, &[])
            }
            UgiCommand::Position { start, moves } => board.set(start.as_deref(), &moves),
            UgiCommand::SetOption { name, value } => {
                let done = self.set(&name, &value);
                done.map_err(|reason| format!("setoption: {name}: {value:?} {reason}"))
            }
            UgiCommand::Go(go) => self.go(go),
            // No search is running, and `run` handles `quit`.
            UgiCommand::Stop | UgiCommand::Quit => Ok(()),
            UgiCommand::Question(query) => {
                writeln!(out, "response {}", answer(board, query))?;
                Ok(())
            }
            UgiCommand::Display => {
                writeln!(out, "{}\nposition: {}", board.session.draw(None), board.session.position())?;
                Ok(())
            }
        };
        if let Err(error) = done {
            print_error(out, &error)?;
        }
        Ok(())
    }

    fn introduce(&self, out: &mut dyn Write) -> io::Result<()> {
        let (games, rules) = (self.program.games.games(), self.program.games.rulesets());
        writeln!(out, "id name {}", self.program.title())?;
        writeln!(out, "id author the authors of {}", self.program.name)?;
        writeln!(out, "option name Game type combo default {} var {}", self.game.game, games.join(" var "))?;
        writeln!(
            out,
            "option name Rules type combo default {} var {}",
            self.game.rules,
            rules.join(" var ")
        )?;
        writeln!(out, "option name Threads type spin default {} min 1 max 1024", self.settings.trees())?;
        writeln!(
            out,
            "option name Hash type spin default {} min 1 max 1048576",
            self.settings.memory() >> 20
        )?;
        writeln!(out, "option name Seed type spin default {} min 0 max {}", self.seed, u64::MAX)?;
        writeln!(out, "option name Engine type string default {}", self.spec.name)?;
        writeln!(out, "ugiok")
    }

    /// Sets an option. The caller puts the name and the value before the error.
    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let mut game = self.game;
        let (mut settings, mut spec) = (self.settings.clone(), self.spec.clone());
        let impossible = |error: &dyn std::error::Error| format!("is not possible: {error}");
        match name.to_lowercase().as_str() {
            "game" => {
                // Keeps the ruleset if the new game has it.
                let of_game = self.program.games.game(value).map_err(|error| impossible(&error))?;
                game = of_game.iter().copied().find(|it| it.rules == game.rules).unwrap_or(of_game[0]);
            }
            "rules" => {
                game = self.program.games.find(game.game, Some(value)).map_err(|error| impossible(&error))?;
            }
            "seed" => {
                // A new seed needs no new engine, so the trees are kept.
                self.seed = value.parse().map_err(|_| "is not a number in range")?;
                return Ok(());
            }
            "threads" => settings.set("threads", value)?,
            "hash" => {
                let mib: usize = value.parse().map_err(|_| "is not a number of MiB in range")?;
                settings.set("memory", &format!("{mib}MiB"))?;
            }
            "engine" => spec = engine(value)?,
            _ => return Err("is for an option that does not exist; see ugi".to_owned()),
        }
        spec.check(&settings).map_err(|error| impossible(&error))?;
        if game == self.game {
            if let Some(board) = &mut self.board {
                board.reset_engine();
            }
        } else {
            self.board = Some(UgiGame::start(game));
        }
        (self.game, self.settings, self.spec) = (game, settings, spec);
        Ok(())
    }

    /// Starts a search on another thread.
    fn go(&mut self, go: Go) -> Result<(), String> {
        let Some(board) = &self.board else { return Ok(()) };
        let Some(side) = board.side() else { return Err("go: the game is over".to_owned()) };
        let budget = go.budget(side)?;
        if let Some(budget) = budget {
            let trees = self.spec.settings.or(&self.settings).trees();
            budget.check(trees.get()).map_err(|error| format!("go: {error}"))?;
        }
        let (spec, settings, seed) = (self.spec.clone(), self.settings.clone(), self.seed);
        let task = Task { spec, settings, budget, seed };
        self.stop.store(false, Ordering::Relaxed);
        let is_endless = go.is_endless();
        self.is_endless = is_endless;
        let (stop, events) = (Arc::clone(&self.stop), self.events.clone());
        if let Some(mut board) = self.board.take() {
            thread::spawn(move || {
                // The main loop waits for the board, so it gets it back even after a panic.
                let think = AssertUnwindSafe(|| board.think(&task, &stop));
                let answer = catch_unwind(think).unwrap_or_else(|_| {
                    board.reset_engine();
                    Err("go: the search failed".to_owned())
                });
                // An endless search may finish early, but must not answer before `stop`.
                while is_endless && !stop.load(Ordering::Relaxed) {
                    thread::sleep(Duration::from_millis(5));
                }
                // The receiver is gone if writing the output failed.
                let _ = events.send(Event::Answer(board, answer));
            });
        }
        Ok(())
    }
}

/// Parses the value of the option Engine.
fn engine(text: &str) -> Result<EngineSpec, String> {
    let spec: EngineSpec = text.parse().map_err(|error| format!("is not possible: {error}"))?;
    if spec.kind.is_external() {
        return Err("is an external engine: those play in the arena only".to_owned());
    }
    if spec.settings.has_budget() {
        return Err("has a budget of its own: leave out iterations and time, which go sets".to_owned());
    }
    Ok(spec)
}

fn answer(board: &UgiGame, query: Question) -> &'static str {
    let truth = |is_true| if is_true { "true" } else { "false" };
    match (query, board.session.outcome()) {
        (Question::GameOver, outcome) => truth(outcome.is_some()),
        (Question::P1Turn, _) => truth(board.side() == Some(Side::First)),
        (Question::Result, None) => "none",
        (Question::Result, Some(Outcome::Draw)) => "draw",
        (Question::Result, Some(Outcome::Win(Side::First))) => "p1win",
        (Question::Result, Some(Outcome::Win(Side::Second))) => "p2win",
    }
}

/// Formats a report as the content of an `info` line.
fn info(report: &Report<String>) -> String {
    let rate = (report.iterations as f64 / report.elapsed.as_secs_f64().max(1e-9)) as u64;
    let score = report.best().value.map_or(String::new(), |value| format!(" score cp {}", centipawns(value)));
    format!(
        "nodes {} time {} nps {rate}{score} pv {}",
        report.iterations,
        report.elapsed.as_millis(),
        report.principal_variation.join(" ")
    )
}

/// Converts an expected score, 0 to 100, to centipawns: the Elo difference with that expected
/// score, 400 · log10(p / (1 − p)), with *p* clamped to 0.001 … 0.999.
fn centipawns(value: f64) -> i64 {
    let p = (value / 100.0).clamp(0.001, 0.999);
    (400.0 * (p / (1.0 - p)).log10()).round() as i64
}

/// Prints an error on one line.
fn print_error(out: &mut dyn Write, error: &str) -> io::Result<()> {
    let error: Vec<&str> = error.lines().collect();
    writeln!(out, "info string error: {}", error.join(" "))
}

#[cfg(test)]
mod tests {
    use super::centipawns;

    #[test]
    fn an_even_score_is_zero_and_a_sure_one_is_finite() {
        assert_eq!([0.0, 25.0, 50.0, 75.0, 100.0].map(centipawns), [-1200, -191, 0, 191, 1200]);
    }
}

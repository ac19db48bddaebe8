//! The engine: executes commands, and answers while it thinks.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Instant;

use anyhow::{Context as _, bail};
use quintet_core::Quoted;
use quintet_core::game::{Outcome, Side};
use quintet_core::search::{Budget, Report};

use super::command::{self, Line, Question, UgiCommand};
use super::info::best_move;
use super::input::Event;
use super::limits::Go;
use super::options::{Affected, Options};
use super::search::{Awaited, Search};
use super::searcher::{Searcher, Task};
use crate::Status;
use crate::ahead::{Held, Input};

/// The engine as the manager knows it.
pub(super) struct Engine<'a> {
    options: Options<'a>,
    /// `None` while a search runs, which owns it.
    searcher: Option<Searcher>,
    /// `None` if no search has to be answered.
    search: Option<Search>,
    tasks: Sender<(Searcher, Task)>,
    /// The lines that have to wait for the end of the search.
    waiting: VecDeque<(Line, Held)>,
    /// Whether no more commands will come.
    is_ending: bool,
    /// Whether the last command is `quit`.
    is_quitting: bool,
}

/// The answer in a position without a move.
const NO_MOVE: &str = "bestmove (none)";

impl<'a> Engine<'a> {
    /// The engine with these options, whose searches go to `tasks`.
    pub(super) fn new(options: Options<'a>, tasks: Sender<(Searcher, Task)>) -> Self {
        Self {
            searcher: Some(Searcher::start(options.game)),
            options,
            search: None,
            tasks,
            waiting: VecDeque::new(),
            is_ending: false,
            is_quitting: false,
        }
    }

    /// Handles events until `quit` or the end of the input.
    pub(super) fn run(mut self, events: &Receiver<Event>, out: &mut dyn Write) -> anyhow::Result<Status> {
        loop {
            while self.search.is_none()
                && let Some((line, _)) = self.waiting.pop_front()
            {
                if let Ok(UgiCommand::Go(go)) = line.command {
                    self.go(go, line.left_out, out)?;
                } else {
                    print_left_out(out, &line.left_out)?;
                    match line.command {
                        Err(error) => print_error(out, &error)?,
                        Ok(command) => self.execute(command, out)?,
                    }
                }
                self.execute_those_for_the_search(out)?;
            }
            match &mut self.search {
                None if self.is_ending => return Ok(Status::Done),
                Some(search) if self.is_ending => search.set_end(),
                _ => {}
            }
            out.flush()?;
            let wake = self.search.as_ref().and_then(Search::wake);
            let event = match wake {
                None => events.recv().ok(),
                Some(at) => match events.recv_timeout(at.saturating_duration_since(Instant::now())) {
                    Ok(event) => Some(event),
                    Err(RecvTimeoutError::Timeout) => {
                        self.look_at_the_time(out)?;
                        continue;
                    }
                    Err(RecvTimeoutError::Disconnected) => None,
                },
            };
            match event {
                None => bail!("the threads of the engine have ended"),
                Some(event) => self.handle(event, out)?,
            }
        }
    }

    fn handle(&mut self, event: Event, out: &mut dyn Write) -> anyhow::Result<()> {
        match event {
            // Ignored after quit.
            Event::Input(_) if self.is_ending => {}
            Event::Input(Input::Line(line, held)) => match line {
                Ok(line) => {
                    if let Some(line) = command::parse(&line) {
                        self.take(line, held, out)?;
                    }
                }
                Err(error) => self.take(Line { command: Err(error), left_out: Vec::new() }, held, out)?,
            },
            // The command that would end a waiting search can't be read.
            Event::Input(Input::Full) if self.search.as_ref().is_some_and(|it| it.awaits.is_some()) => {
                self.stop(out)?;
            }
            Event::Input(Input::Full) => {}
            Event::Input(Input::End(result)) => {
                result.context("can't read standard input")?;
                self.is_ending = true;
            }
            Event::Progress(report) => {
                if let Some(search) = self.search.as_mut().filter(|it| !it.is_replaced) {
                    let is_other = search.shown.as_ref() != Some(&report.best().mv);
                    search.news = Some(report);
                    if is_other {
                        search.print(self.options.variations, out)?;
                    }
                    self.look_at_the_time(out)?;
                }
            }
            Event::SearchEnds(searcher, result) => self.end_search(searcher, result, out)?,
        }
        Ok(())
    }

    /// Takes a line: executes at once what is for the search that runs, and lets the rest wait.
    fn take(&mut self, line: Line, held: Held, out: &mut dyn Write) -> io::Result<()> {
        let Some(search) = &self.search else {
            self.is_ending = matches!(line.command, Ok(UgiCommand::Quit));
            self.waiting.push_back((line, held));
            return Ok(());
        };
        let is_last = !self.waiting.iter().any(|(line, _)| is_go(line));
        match &line.command {
            Ok(UgiCommand::IsReady) => {
                print_left_out(out, &line.left_out)?;
                return writeln!(out, "readyok");
            }
            Ok(UgiCommand::PonderHit) if is_last => {
                print_left_out(out, &line.left_out)?;
                return self.ponder_hit(out);
            }
            Ok(UgiCommand::Stop) if is_last => {
                print_left_out(out, &line.left_out)?;
                return self.stop(out);
            }
            Ok(UgiCommand::Stop) => self.stop(out)?,
            Ok(UgiCommand::Quit) => {
                (self.is_quitting, self.is_ending) = (true, true);
                self.stop(out)?;
            }
            // A search that waits for `stop` or `ponderhit` would wait for ever.
            Ok(UgiCommand::Go(_)) if search.awaits.is_some() => self.stop(out)?,
            _ => {}
        }
        self.waiting.push_back((line, held));
        Ok(())
    }

    /// Executes what has come for the search that has just begun, if there is one: up to the next `go`, and
    /// whatever later ends it.
    fn execute_those_for_the_search(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.search.is_none() {
            return Ok(());
        }
        let next = self.waiting.iter().position(|(line, _)| is_go(line)).unwrap_or(self.waiting.len());
        let mut later = self.waiting.split_off(next);
        let mut kept = VecDeque::new();
        for (line, held) in std::mem::take(&mut self.waiting) {
            match line.command {
                Ok(UgiCommand::Stop | UgiCommand::PonderHit) => {
                    print_left_out(out, &line.left_out)?;
                    if line.command == Ok(UgiCommand::Stop) { self.stop(out)? } else { self.ponder_hit(out)? }
                }
                _ => kept.push_back((line, held)),
            }
        }
        let is_stopped = later.iter().any(|(line, _)| line.command == Ok(UgiCommand::Stop));
        let waits = self.search.as_ref().is_some_and(|search| search.awaits.is_some());
        if self.is_quitting || is_stopped || waits && !later.is_empty() {
            self.stop(out)?;
        }
        kept.append(&mut later);
        self.waiting = kept;
        Ok(())
    }

    /// Prints a line if there was none for too long, and stops the search if its time after the end
    /// of the input is over.
    fn look_at_the_time(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let Some(search) = &mut self.search else { return Ok(()) };
        let now = Instant::now();
        if search.end.is_some_and(|end| now >= end) {
            search.end = None;
            return self.stop(out);
        }
        if search.is_silent(now) {
            search.print(self.options.variations, out)?;
        }
        Ok(())
    }

    /// Executes `command`; no search is running.
    fn execute(&mut self, command: UgiCommand, out: &mut dyn Write) -> io::Result<()> {
        let Some(searcher) = &mut self.searcher else { return Ok(()) };
        let done = match command {
            UgiCommand::Ugi => return self.options.introduce(out),
            UgiCommand::IsReady => return writeln!(out, "readyok"),
            UgiCommand::Question(question) => {
                return writeln!(out, "response {}", answer(searcher, question));
            }
            UgiCommand::Display => {
                let session = &searcher.session;
                return writeln!(out, "{}\nposition: {}", session.draw(None), session.position());
            }
            UgiCommand::NewGame => {
                searcher.reset_engine();
                searcher.set(None, &[])
            }
            UgiCommand::Position { start, moves } => searcher.set(start.as_deref(), &moves),
            UgiCommand::Moves(moves) => searcher.play(&moves),
            UgiCommand::SetOption { name, value } => match self.options.set(&name, &value) {
                Ok(Affected::Nothing) => Ok(()),
                Ok(Affected::Engine) => {
                    searcher.reset_engine();
                    Ok(())
                }
                Ok(Affected::Game) => {
                    *searcher = Searcher::start(self.options.game);
                    Ok(())
                }
                Err(reason) => Err(format!("setoption: {name}: {} {reason}", Quoted(&value))),
            },
            UgiCommand::PonderHit => Err("ponderhit: the engine does not ponder".to_owned()),
            // No search is running, `take` handles `quit`, and `go` is not executed here.
            UgiCommand::Stop | UgiCommand::Quit | UgiCommand::Go(_) => Ok(()),
        };
        done.or_else(|error| print_error(out, &error))
    }

    /// Starts a search, or answers at once where there is nothing to search. Says what is left out, some of
    /// which is known already.
    fn go(&mut self, mut go: Go, mut left_out: Vec<String>, out: &mut dyn Write) -> io::Result<()> {
        let Some(searcher) = &mut self.searcher else { return Ok(()) };
        let Options { spec, settings, seed, variations, .. } = &self.options;
        let own = spec.settings.or(settings);
        let side = searcher.side();
        let given = go.budget(side.unwrap_or(Side::First), own.trees().get(), &mut left_out);
        let only = searcher.legal(std::mem::take(&mut go.moves), &mut left_out);
        print_left_out(out, &left_out)?;
        let is_endless = given == Some(Budget::endless());
        let first = only.first().cloned().or_else(|| searcher.session.legal_moves().into_iter().next());
        let stop = Arc::<AtomicBool>::default();
        let now = Instant::now();
        let mut search = Search {
            side: side.unwrap_or(Side::First),
            stop: Arc::clone(&stop),
            start: now,
            awaits: if go.ponder { Some(Awaited::PonderHit) } else { is_endless.then_some(Awaited::Stop) },
            after_ponderhit: None,
            is_replaced: false,
            is_endless,
            has_nodes: false,
            memory: own.memory(),
            news: None,
            shown: None,
            last_line: now,
            answer: None,
            fallback: first.map_or_else(|| NO_MOVE.to_owned(), |token| format!("bestmove {token}")),
            end: None,
        };
        let config = match side.map(|_| spec.config(settings)) {
            Some(Err(error)) => {
                print_error(out, &format!("go: {error}"))?;
                None
            }
            config => config.and_then(Result::ok),
        };
        if let Some((config, default)) = config {
            let budget = given.unwrap_or(default);
            search.has_nodes = budget.limits().0.is_some();
            let task = Task { config, budget, seed: *seed, only, variations: *variations, stop };
            if go.ponder {
                search.after_ponderhit = Some(task.clone());
                self.begin(Task { budget: Budget::endless(), ..task });
            } else {
                self.begin(task);
            }
        } else {
            search.answer = Some(search.fallback.clone());
        }
        self.search = Some(search);
        self.answer_if_due(out)
    }

    /// Gives the searcher a task.
    fn begin(&mut self, task: Task) {
        if let Some(searcher) = self.searcher.take() {
            self.tasks
                .send((searcher, task))
                .expect("the thread of the searches lasts as long as the engine");
        }
    }

    /// Ends the search as soon as possible, and answers it.
    fn stop(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let Some(search) = &mut self.search else { return Ok(()) };
        search.stop.store(true, Ordering::Relaxed);
        (search.awaits, search.after_ponderhit, search.is_replaced) = (None, None, false);
        self.answer_if_due(out)
    }

    /// Begins to search for the move, with the limits of `go`, if the engine ponders.
    fn ponder_hit(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let Some(search) = &mut self.search else { return Ok(()) };
        if search.awaits != Some(Awaited::PonderHit) {
            return print_error(out, "ponderhit: the engine does not ponder");
        }
        search.awaits = search.is_endless.then_some(Awaited::Stop);
        // An endless search just goes on; a search that has ended knows all that it can know.
        if !search.is_endless && search.answer.is_none() {
            search.stop.store(true, Ordering::Relaxed);
            search.is_replaced = true;
        }
        self.answer_if_due(out)
    }

    fn end_search(
        &mut self,
        mut searcher: Searcher,
        result: Result<Report<String>, String>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let Some(search) = &mut self.search else {
            self.searcher = Some(searcher);
            return Ok(());
        };
        if search.is_replaced
            && let Some(task) = search.after_ponderhit.take()
        {
            let stop = Arc::<AtomicBool>::default();
            (search.is_replaced, search.stop, search.start) = (false, Arc::clone(&stop), Instant::now());
            // The figures begin anew.
            search.news = None;
            self.searcher = Some(searcher);
            self.begin(Task { stop, ..task });
            return Ok(());
        }
        match result {
            Ok(report) => {
                search.answer = Some(best_move(&report, &mut *searcher.session, self.options.ponders));
                search.news = Some(report);
                search.print(self.options.variations, out)?;
            }
            Err(error) => {
                print_error(out, &error)?;
                search.answer = Some(search.fallback.clone());
            }
        }
        self.searcher = Some(searcher);
        self.answer_if_due(out)
    }

    /// Prints the answer, if there is one and nothing has to come before it.
    fn answer_if_due(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let Some(search) = &self.search else { return Ok(()) };
        if search.awaits.is_none()
            && let Some(answer) = &search.answer
        {
            writeln!(out, "{answer}")?;
            self.search = None;
        }
        Ok(())
    }
}

fn answer(searcher: &Searcher, question: Question) -> &'static str {
    let truth = |is_true| if is_true { "true" } else { "false" };
    match (question, searcher.session.outcome()) {
        (Question::GameOver, outcome) => truth(outcome.is_some()),
        (Question::P1Turn, _) => truth(searcher.side() == Some(Side::First)),
        (Question::Result, None) | (Question::Other, _) => "none",
        (Question::Result, Some(Outcome::Draw)) => "draw",
        (Question::Result, Some(Outcome::Win(Side::First))) => "p1win",
        (Question::Result, Some(Outcome::Win(Side::Second))) => "p2win",
    }
}

/// Prints an error on one line.
fn print_error(out: &mut dyn Write, error: &str) -> io::Result<()> {
    let error: Vec<&str> = error.lines().collect();
    writeln!(out, "info string error: {}", error.join(" "))
}

/// Prints on one line what was left out of a command, if anything was.
fn print_left_out(out: &mut dyn Write, left_out: &[String]) -> io::Result<()> {
    /// The most reasons that are printed.
    const MOST: usize = 4;
    let shown = &left_out[..left_out.len().min(MOST)];
    if shown.is_empty() {
        return Ok(());
    }
    write!(out, "info string left out: {}", shown.join("; "))?;
    if shown.len() < left_out.len() {
        write!(out, "; and {} more", left_out.len() - shown.len())?;
    }
    writeln!(out)
}

fn is_go(line: &Line) -> bool {
    matches!(line.command, Ok(UgiCommand::Go(_)))
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use quintet_arena::engine::{EngineSpec, Models, Settings};

    use super::super::options::Options;
    use super::*;
    use crate::Program;
    use crate::ahead;

    #[test]
    fn a_search_that_fails_is_answered_by_a_legal_move() {
        let program = Program { name: "test", version: "", games: quintet_games::registry() };
        let game = program.games.find("krk", None).expect("there is krk");
        let (spec, settings) = (EngineSpec::default(), Settings::default());
        let options = Options {
            program: &program,
            game,
            spec,
            settings,
            seed: 0,
            variations: 1,
            ponders: false,
            models: Models::default(),
        };
        let (events, to_handle) = mpsc::sync_channel(16);
        let (tasks, to_do) = mpsc::channel::<(Searcher, Task)>();
        thread::spawn(move || {
            let input = b"go nodes 5\ngo searchmoves Kc1-c2 nodes 5\ngo ponder nodes 5\nponderhit\n";
            ahead::read(&mut input.as_slice(), &mut |input| events.send(Event::Input(input)).is_ok());
            for (searcher, _) in to_do {
                if events.send(Event::SearchEnds(searcher, Err("go: no memory".to_owned()))).is_err() {
                    return;
                }
            }
        });
        let mut out = Vec::new();
        Engine::new(options, tasks).run(&to_handle, &mut out).expect("it ends");
        let out = String::from_utf8(out).expect("text");
        let lines: Vec<&str> = out.lines().collect();
        let first = format!("bestmove {}", game.start().legal_moves()[0]);
        let error = "info string error: go: no memory";
        assert_eq!(lines, [error, &first, error, "bestmove Kc1-c2", error, &first]);
    }
}

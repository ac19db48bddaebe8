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

use super::command::{self, Question, UgiCommand};
use super::info::best_move;
use super::input::Event;
use super::limits::Go;
use super::options::{Affected, Options};
use super::search::{Awaited, Search};
use super::searcher::{Searcher, Task};
use crate::Status;

/// The engine as the manager knows it.
pub(super) struct Engine<'a> {
    options: Options<'a>,
    /// `None` while a search runs, which owns it.
    searcher: Option<Searcher>,
    /// `None` if no search has to be answered.
    search: Option<Search>,
    tasks: Sender<(Searcher, Task)>,
    /// The commands that have to wait for the end of the search.
    waiting: VecDeque<Result<UgiCommand, String>>,
    /// Whether no more commands will come.
    is_ending: bool,
}

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
        }
    }

    /// Handles events until `quit` or the end of the input.
    pub(super) fn run(mut self, events: &Receiver<Event>, out: &mut dyn Write) -> anyhow::Result<Status> {
        loop {
            while self.search.is_none()
                && let Some(command) = self.waiting.pop_front()
            {
                match command {
                    Err(error) => print_error(out, &error)?,
                    Ok(command) => self.execute(command, out)?,
                }
                if self.search.is_some() {
                    self.execute_those_for_the_search(out)?;
                }
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
            Event::Line(_) if self.is_ending => {}
            Event::Line(line) => match line.and_then(|line| command::parse(&line)) {
                Ok(None) => {}
                Ok(Some(UgiCommand::IsReady)) if self.search.is_some() => writeln!(out, "readyok")?,
                Ok(Some(command @ (UgiCommand::Stop | UgiCommand::PonderHit)))
                    if self.search.is_some() && !self.waiting.iter().any(is_go) =>
                {
                    self.execute_in_search(&command, out)?;
                }
                Ok(Some(UgiCommand::Quit)) => {
                    self.waiting.clear();
                    self.is_ending = true;
                    self.stop(out)?;
                }
                Ok(Some(command)) => self.waiting.push_back(Ok(command)),
                Err(error) => self.waiting.push_back(Err(error)),
            },
            Event::InputEnds(result) => {
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

    /// Executes `stop` and `ponderhit`, which are for the search that runs.
    fn execute_in_search(&mut self, command: &UgiCommand, out: &mut dyn Write) -> anyhow::Result<()> {
        match command {
            UgiCommand::PonderHit => self.ponder_hit(out)?,
            _ => self.stop(out)?,
        }
        Ok(())
    }

    /// Executes the waiting commands that came for the search that has just begun: up to the next
    /// `go`.
    fn execute_those_for_the_search(&mut self, out: &mut dyn Write) -> anyhow::Result<()> {
        let end = self.waiting.iter().position(is_go).unwrap_or(self.waiting.len());
        let is_for_search = |command: &Result<UgiCommand, String>| {
            matches!(command, Ok(UgiCommand::Stop | UgiCommand::PonderHit))
        };
        let (before, after): (Vec<_>, Vec<_>) =
            self.waiting.drain(..).enumerate().partition(|(at, command)| *at < end && is_for_search(command));
        self.waiting = after.into_iter().map(|(_, command)| command).collect();
        for (_, command) in before {
            self.execute_in_search(&command.unwrap_or(UgiCommand::Stop), out)?;
        }
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
            UgiCommand::Go(go) => self.go(go),
            UgiCommand::PonderHit => Err("ponderhit: the engine does not ponder".to_owned()),
            // No search is running, and `handle` handles `quit`.
            UgiCommand::Stop | UgiCommand::Quit => Ok(()),
        };
        done.or_else(|error| print_error(out, &error))
    }

    /// Starts a search.
    fn go(&mut self, go: Go) -> Result<(), String> {
        let Some(searcher) = &mut self.searcher else { return Ok(()) };
        let Some(side) = searcher.side() else { return Err("go: the game is over".to_owned()) };
        searcher.check(&go.moves)?;
        let Options { spec, settings, seed, variations, .. } = &self.options;
        let (config, own) = spec.config(settings).map_err(|error| format!("go: {error}"))?;
        let settings = spec.settings.or(settings);
        let given = go.budget(side)?;
        let has_nodes = go.nodes.is_some() || given.is_none() && settings.iterations.is_some();
        let budget = given.unwrap_or(own);
        budget.check(settings.trees().get()).map_err(|error| format!("go: {error}"))?;
        let is_endless = go.is_endless();
        let stop = Arc::<AtomicBool>::default();
        let (seed, variations) = (*seed, *variations);
        let task = Task { config, budget, seed, only: go.moves, variations, stop: Arc::clone(&stop) };
        let (first, after_ponderhit, awaits) = if go.ponder {
            let pondering = Task { budget: Budget::endless(), ..task.clone() };
            (pondering, Some(task), Some(Awaited::PonderHit))
        } else {
            (task, None, is_endless.then_some(Awaited::Stop))
        };
        let now = Instant::now();
        self.search = Some(Search {
            side,
            stop,
            start: now,
            awaits,
            after_ponderhit,
            is_replaced: false,
            is_endless,
            has_nodes,
            memory: settings.memory(),
            news: None,
            shown: None,
            last_line: now,
            answer: None,
            end: None,
        });
        self.begin(first);
        Ok(())
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
                search.answer = Some(best_move(&report, &mut *searcher.session));
                search.news = Some(report);
                search.print(self.options.variations, out)?;
            }
            Err(error) => {
                print_error(out, &error)?;
                self.search = None;
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
        (Question::Result, None) => "none",
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

fn is_go(command: &Result<UgiCommand, String>) -> bool {
    matches!(command, Ok(UgiCommand::Go(_)))
}

//! The engine: executes commands, and answers while it thinks.

use std::io::{self, Read, Write};
use std::num::NonZeroUsize;
use std::time::Instant;

use quintet_arena::ProgramConfig;
use quintet_core::Quoted;
use quintet_core::game::Side;
use quintet_core::search::{Budget, Report};

use super::command::{self, Line, Question, UgiCommand};
use super::game_searcher::{GameSearcher, Task};
use super::info::best_move;
use super::limits::Go;
use super::options::{Options, ResetScope};
use super::search::{AwaitedCommand, PendingSearch};
use crate::Error;
use crate::conversation::{Conversation, Event, Searcher as _};
use crate::lines::Reservation;

/// The engine as the manager knows it.
pub(super) struct Engine {
    options: Options,
    /// `None` if no search has to be answered.
    search: Option<PendingSearch>,
    conversation: Conversation<GameSearcher, Line>,
}

/// The answer in a position without a move.
const NO_MOVE: &str = "bestmove (none)";

impl Engine {
    /// Starts to read commands from `input`.
    pub(super) fn start(options: Options, input: impl Read + Send + 'static) -> Result<Self, Error> {
        let conversation = Conversation::start(GameSearcher::start(&options.game), input)?;
        Ok(Self { options, search: None, conversation })
    }

    /// Executes commands until `quit` or the end of the input.
    pub(super) fn run(mut self, out: &mut dyn Write) -> Result<(), Error> {
        loop {
            while self.search.is_none()
                && let Some((line, is_hurried)) = self.conversation.next_line()
            {
                self.execute(line, is_hurried, out)?;
            }
            if self.search.is_none() && self.conversation.has_ended() {
                return self.conversation.finish();
            }
            if let Some(search) = &mut self.search
                && search.wake().is_some_and(|wake| Instant::now() >= wake)
            {
                search.print(self.options.variations, out)?;
            }
            out.flush()?;
            let wake = self.search.as_ref().and_then(PendingSearch::wake);
            match self.conversation.next(wake) {
                Event::Line(line, reservation) => {
                    let wrong = |error| Some(Line { command: Err(error), left_out: Vec::new() });
                    if let Some(line) = line.map_or_else(wrong, |line| command::parse(&line)) {
                        self.take(line, reservation, out)?;
                    }
                }
                // The command that would end the search can't be read.
                Event::Full if self.is_awaiting() => self.stop(out)?,
                Event::Stop => self.stop(out)?,
                Event::Progress(report) => {
                    if let Some(search) = self.search.as_mut().filter(|it| !it.is_replaced) {
                        let is_other = search.shown.as_ref() != Some(&report.best().mv);
                        search.unprinted = Some(report);
                        if is_other {
                            search.print(self.options.variations, out)?;
                        }
                    }
                }
                Event::Found(result) => self.end_search(result, out)?,
                Event::Full | Event::End | Event::Wake => {}
            }
        }
    }

    /// Whether the search waits for a command, however long.
    fn is_awaiting(&self) -> bool {
        self.search.as_ref().is_some_and(|search| search.awaits.is_some())
    }

    /// Returns the last `go` that waits for the end of the search.
    fn last_go(&mut self) -> Option<&mut Go> {
        self.conversation.waiting().rev().find_map(|line| match &mut line.command {
            Ok(UgiCommand::Go(go)) => Some(go),
            _ => None,
        })
    }

    /// Takes a line: executes at once what is for the searches before it, and lets the rest wait.
    fn take(&mut self, line: Line, reservation: Reservation, out: &mut dyn Write) -> io::Result<()> {
        match &line.command {
            Ok(UgiCommand::IsReady) => {
                print_left_out(out, &line.left_out)?;
                return writeln!(out, "readyok");
            }
            Ok(UgiCommand::PonderHit) => {
                print_left_out(out, &line.left_out)?;
                return self.ponder_hit(out);
            }
            Ok(command @ (UgiCommand::Stop | UgiCommand::Quit)) => {
                print_left_out(out, &line.left_out)?;
                if *command == UgiCommand::Quit {
                    self.conversation.end_input();
                }
                self.conversation.hurry();
                return self.stop(out);
            }
            // A search that waits for `stop` or `ponderhit` would wait for ever.
            Ok(UgiCommand::Go(_)) if self.is_awaiting() => self.stop(out)?,
            _ => {}
        }
        self.conversation.wait(line, reservation);
        Ok(())
    }

    /// Executes a line that waited; no search has to be answered. If it `is_hurried`, a search that it begins
    /// ends at once.
    fn execute(&mut self, line: Line, is_hurried: bool, out: &mut dyn Write) -> io::Result<()> {
        if let Ok(UgiCommand::Go(go)) = line.command {
            self.go(go, line.left_out, out)?;
            let is_in_the_way = self.is_awaiting() && self.last_go().is_some();
            return if is_hurried || is_in_the_way { self.stop(out) } else { Ok(()) };
        }
        print_left_out(out, &line.left_out)?;
        let Some(searcher) = &mut self.conversation.searcher else { return Ok(()) };
        let done = match line.command {
            Err(error) => Err(error),
            Ok(UgiCommand::Ugi) => return self.options.introduce(out),
            Ok(UgiCommand::Question(question)) => {
                return writeln!(out, "response {}", answer(searcher, question));
            }
            Ok(UgiCommand::Display) => {
                let session = &searcher.session;
                return writeln!(out, "{}\nposition: {}", session.draw(None), session.position());
            }
            Ok(UgiCommand::NewGame) => {
                searcher.remove_engine();
                searcher.set(None, &[])
            }
            Ok(UgiCommand::Position { start, moves }) => searcher.set(start.as_deref(), &moves),
            Ok(UgiCommand::Moves(moves)) => searcher.play(&moves),
            Ok(UgiCommand::SetOption { name, value }) => {
                let scope = self.options.set(&name, &value);
                let wrong = |reason| format!("setoption: {name}: {} {reason}", Quoted(&value));
                scope.map_err(wrong).map(|scope| match scope {
                    ResetScope::Nothing => {}
                    ResetScope::Engine => searcher.remove_engine(),
                    ResetScope::Game => *searcher = GameSearcher::start(&self.options.game),
                })
            }
            // `take` executes the rest.
            Ok(_) => Ok(()),
        };
        done.or_else(|error| print_error(out, &error))
    }

    /// Begins a search, or answers at once where there is nothing to search. Says what is left out, some of
    /// which is known already.
    fn go(&mut self, mut go: Go, mut left_out: Vec<String>, out: &mut dyn Write) -> io::Result<()> {
        let Some(searcher) = &mut self.conversation.searcher else { return Ok(()) };
        let Options { spec, variations, .. } = &self.options;
        let ProgramConfig { settings, seed, .. } = &self.options.config;
        let own = spec.settings.or(settings);
        let side = searcher.side();
        let limits =
            go.budget(side.unwrap_or(Side::First), own.trees.map_or(1, NonZeroUsize::get), &mut left_out);
        let only = searcher.legal(std::mem::take(&mut go.moves), &mut left_out);
        print_left_out(out, &left_out)?;
        let is_endless = limits == Some(Budget::endless());
        let first = only.first().cloned().or_else(|| searcher.session.legal_moves().into_iter().next());
        let now = Instant::now();
        let mut search = PendingSearch {
            side: side.unwrap_or(Side::First),
            start: now,
            awaits: if go.ponder {
                Some(AwaitedCommand::PonderHit)
            } else {
                is_endless.then_some(AwaitedCommand::Stop)
            },
            after_ponderhit: None,
            is_replaced: false,
            is_endless,
            memory: own.memory(),
            unprinted: None,
            shown: None,
            last_line: now,
            answer: None,
            fallback: first.map_or_else(|| NO_MOVE.to_owned(), |token| format!("bestmove {token}")),
        };
        let config = match side.map(|_| spec.config(settings)) {
            Some(Err(error)) => {
                print_error(out, &format!("go: {error}"))?;
                None
            }
            config => config.and_then(Result::ok),
        };
        if let Some((config, default)) = config {
            let budget = limits.unwrap_or(default);
            let task = Task { config, budget, seed: *seed, only, variations: *variations };
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

    /// Begins to search.
    fn begin(&mut self, task: Task) {
        let is_counted = task.budget.limits().0.is_some();
        self.conversation.begin(task, is_counted);
    }

    /// Ends the search as soon as possible, and answers it.
    fn stop(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let Some(search) = &mut self.search else { return Ok(()) };
        (search.awaits, search.after_ponderhit, search.is_replaced) = (None, None, false);
        self.conversation.stop();
        self.answer_if_due(out)
    }

    /// Begins to search for the move, with the limits of `go`, if the engine ponders.
    fn ponder_hit(&mut self, out: &mut dyn Write) -> io::Result<()> {
        const ERROR: &str = "ponderhit: the engine does not ponder";
        if let Some(go) = self.last_go() {
            // There was no time to ponder.
            return if std::mem::take(&mut go.ponder) { Ok(()) } else { print_error(out, ERROR) };
        }
        let is_pondering = |search: &&mut PendingSearch| search.awaits == Some(AwaitedCommand::PonderHit);
        let Some(search) = self.search.as_mut().filter(is_pondering) else {
            return print_error(out, ERROR);
        };
        search.awaits = search.is_endless.then_some(AwaitedCommand::Stop);
        // An endless search just goes on; a search that has ended knows all that it can know.
        if !search.is_endless && search.answer.is_none() {
            self.conversation.stop();
            search.is_replaced = true;
        }
        self.answer_if_due(out)
    }

    fn end_search(&mut self, result: Result<Report<String>, String>, out: &mut dyn Write) -> io::Result<()> {
        let Some(search) = &mut self.search else { return Ok(()) };
        if search.is_replaced
            && let Some(task) = search.after_ponderhit.take()
        {
            (search.is_replaced, search.start) = (false, Instant::now());
            // The figures begin anew.
            search.unprinted = None;
            self.begin(task);
            return Ok(());
        }
        match (result, &mut self.conversation.searcher) {
            (Ok(report), Some(searcher)) => {
                search.answer = Some(best_move(&report, &mut *searcher.session, self.options.ponders));
                search.unprinted = Some(report);
                search.print(self.options.variations, out)?;
            }
            (Err(error), _) => {
                print_error(out, &format!("go: {error}"))?;
                search.answer = Some(search.fallback.clone());
            }
            (Ok(_), None) => {}
        }
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

fn answer(searcher: &GameSearcher, question: Question) -> &'static str {
    let truth = |is_true| if is_true { "true" } else { "false" };
    match (question, searcher.session.outcome()) {
        (Question::GameOver, outcome) => truth(outcome.is_some()),
        (Question::P1Turn, _) => truth(searcher.side() == Some(Side::First)),
        (Question::Result, None) | (Question::Other, _) => "none",
        (Question::Result, Some(outcome)) => match outcome.winner() {
            None => "draw",
            Some(Side::First) => "p1win",
            Some(_) => "p2win",
        },
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

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use quintet_arena::ProgramConfig;
    use quintet_arena::engine::{Models, Settings};

    use super::*;

    /// Returns the answers to `commands` on KRK.
    fn answers(settings: Settings, commands: &'static str) -> Vec<String> {
        let config = ProgramConfig { games: quintet_games::registry(), ..ProgramConfig::default() };
        let mut options = Options::new(config, Models::default()).expect("there are games");
        options.game = options.config.games.find("krk", None).expect("there is krk");
        options.config.settings = Settings { threads: Some(NonZeroUsize::MIN), ..settings };
        let mut out = Vec::new();
        Engine::start(options, commands.as_bytes()).expect("threads").run(&mut out).expect("it ends");
        String::from_utf8(out).expect("text").lines().map(str::to_owned).collect()
    }

    #[test]
    fn a_search_that_fails_is_answered_by_a_legal_move() {
        let little = Settings { memory: Some(1), ..Settings::default() };
        let commands = "go nodes 5\ngo searchmoves Kc1-c2 nodes 5\ngo ponder nodes 5\nponderhit\n";
        let lines = answers(little, commands);
        let krk = quintet_games::registry().find("krk", None).expect("there is krk");
        let first = format!("bestmove {}", krk.start().legal_moves()[0]);
        let is_error = |line: &String| line.starts_with("info string error: go: ") && line.contains("memory");
        let (errors, moves): (Vec<&String>, Vec<&String>) = lines.iter().partition(|line| is_error(line));
        assert_eq!((errors.len(), moves), (3, vec![&first, &"bestmove Kc1-c2".to_owned(), &first]));
    }

    #[test]
    fn ponderhit_is_for_the_last_go_even_before_that_begins() {
        let lines = answers(Settings::default(), "go nodes 300\ngo ponder nodes 7\nponderhit\nponderhit\n");
        let is_told = |line: &&String| !line.starts_with("info ") || line.starts_with("info string ");
        let told: Vec<&str> = lines.iter().filter(is_told).map(|line| &line[..8]).collect();
        assert_eq!(told.iter().filter(|it| **it == "bestmove").count(), 2, "{lines:?}");
        assert_eq!(told.len(), 3, "{lines:?}");
    }
}

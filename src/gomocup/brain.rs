//! The brain: answers commands, one after another.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use quintet_arena::engine::{EngineSpec, Settings};
use quintet_core::Quoted;
use quintet_core::registry::Variant;
use quintet_core::search::{Budget, Report, SearchConfig};
use quintet_core::session::Session;
use quintet_protocol::gomocup::{Answer, Cell, Command, DONE, SIZE, Stone, WrongCommand};

use super::board::{Board, CELLS};
use super::input::Event;
use super::limits::{Limits, search_time};
use crate::{Program, Status};

/// What the command line says.
pub(super) struct Options<'a> {
    pub(super) program: &'a Program,
    /// Gomoku with lines of exactly five.
    pub(super) game: Variant,
    pub(super) settings: Settings,
    pub(super) seed: u64,
    /// How long before a limit a search ends.
    pub(super) margin: Duration,
}

/// The brain as the manager knows it.
pub(super) struct Brain<'a> {
    options: Options<'a>,
    /// Ends searches. Becomes true at `END`.
    stop: Arc<AtomicBool>,
    session: Box<dyn Session>,
    /// The memory of the engine's trees in bytes, once it is set up.
    memory: Option<usize>,
    limits: Limits,
    /// `None` before the first `START`.
    board: Option<Board>,
    /// The list that is being read.
    list: Option<List>,
}

/// The stones after `BOARD` or `SWAP2BOARD`, up to `DONE`.
struct List {
    command: Command,
    /// The stones so far, or what is wrong with one.
    stones: Result<Vec<Stone>, String>,
}

/// What to answer.
type Answered = Result<Option<Answer>, String>;

impl<'a> Brain<'a> {
    /// The brain before the first command. `stop` ends a search.
    pub(super) fn new(options: Options<'a>, stop: Arc<AtomicBool>) -> Self {
        Self {
            session: options.game.start(),
            options,
            stop,
            memory: None,
            limits: Limits::default(),
            board: None,
            list: None,
        }
    }

    /// Handles events until `END` or the end of the input.
    pub(super) fn run(mut self, events: &Receiver<Event>, out: &mut dyn Write) -> anyhow::Result<Status> {
        for event in events {
            let answered = match event {
                Event::InputEnds(result) => {
                    result.context("can't read standard input")?;
                    break;
                }
                Event::Line(Err(error)) => Err(error),
                Event::Line(Ok(line)) if line.parse() == Ok(Command::End) => break,
                Event::Line(Ok(line)) => self.handle(&line, out)?,
            };
            match answered {
                Ok(None) => {}
                Ok(Some(answer)) => writeln!(out, "{answer}")?,
                Err(error) => {
                    let error: Vec<&str> = error.lines().collect();
                    writeln!(out, "{}", Answer::Error(error.join(" ")))?;
                }
            }
            out.flush()?;
        }
        Ok(Status::Done)
    }

    /// Handles a line, and returns what to answer. Messages for people are printed at once.
    fn handle(&mut self, line: &str, out: &mut dyn Write) -> anyhow::Result<Answered> {
        if line.trim().is_empty() {
            return Ok(Ok(None));
        }
        let parsed: Result<Command, WrongCommand> = line.parse();
        if let Some(mut list) = self.list.take() {
            if line.trim().eq_ignore_ascii_case(DONE) {
                let word = list.command.to_string();
                let answered = list.stones.and_then(|stones| match list.command {
                    Command::Board => self.board(&stones, out),
                    _ => self.set_up(&stones, out),
                });
                return Ok(answered.map_err(|error| format!("{word}: {error}")));
            }
            if parsed == Err(WrongCommand::Unknown) {
                list.add(line);
                self.list = Some(list);
                return Ok(Ok(None));
            }
            // The manager has given up the list.
            let word = list.command;
            writeln!(out, "{}", Answer::Error(format!("{word} is not ended by {DONE}")))?;
        }
        let command = match parsed {
            Ok(command) => command,
            Err(WrongCommand::Arguments(form)) => return Ok(Err(format!("expected {form}"))),
            Err(WrongCommand::Unknown) => {
                let word = line.split_whitespace().next().unwrap_or_default();
                return Ok(Ok(Some(Answer::Unknown(format!("command {}", Quoted(word))))));
            }
        };
        let word = command.to_string();
        let answered = self.execute(command, out);
        Ok(answered.map_err(|error| format!("{word}: {error}")))
    }

    fn execute(&mut self, command: Command, out: &mut dyn Write) -> Answered {
        match command {
            Command::Start(size) => self.start((size, size)),
            Command::RectStart(width, height) => self.start((width, height)),
            Command::Restart => {
                self.started()?;
                self.start((SIZE, SIZE))
            }
            Command::Begin => {
                if self.started()?.len() > 0 {
                    return Err("the board is not empty".to_owned());
                }
                self.make_move(Board::default(), out)
            }
            Command::Turn(cell) => {
                let mut board = self.started()?.clone();
                board.place(cell)?;
                self.make_move(board, out)
            }
            Command::TakeBack(cell) => {
                let mut board = self.started()?.clone();
                board.take_back(cell)?;
                self.board = Some(board);
                Ok(Some(Answer::Ok))
            }
            Command::Board | Command::Swap2Board => {
                self.list = Some(List { command, stones: Ok(Vec::new()) });
                Ok(None)
            }
            Command::Info { key, value } => {
                self.limits.set(&key, &value);
                Ok(None)
            }
            Command::About => {
                let Program { name, version, .. } = self.options.program;
                let about =
                    writeln!(out, "name=\"{name}\", version=\"{version}\", author=\"the authors of {name}\"");
                about.map(|()| None).map_err(|error| error.to_string())
            }
            Command::Play(_) => Ok(Some(Answer::Unknown("PLAY: this brain suggests no moves".to_owned()))),
            // `run` handles it.
            Command::End => Ok(None),
        }
    }

    /// Returns the board of the game.
    fn started(&self) -> Result<&Board, String> {
        self.board.as_ref().ok_or_else(|| format!("no game has been started; send START {SIZE}"))
    }

    /// Begins a game on a board of this width and height.
    fn start(&mut self, size: (u32, u32)) -> Answered {
        if size != (SIZE, SIZE) {
            return Err(format!("only boards of {SIZE}x{SIZE} are supported"));
        }
        self.limits.start_game();
        // Setting up takes time, which no limit counts here.
        self.prepare()?;
        self.board = Some(Board::default());
        Ok(Some(Answer::Ok))
    }

    /// Answers `BOARD`.
    fn board(&mut self, stones: &[Stone], out: &mut dyn Write) -> Answered {
        self.started()?;
        self.make_move(Board::with_fields(stones)?, out)
    }

    /// Moves on this board, which becomes that of the game.
    fn make_move(&mut self, mut board: Board, out: &mut dyn Write) -> Answered {
        self.limits.check_rule()?;
        let start = Instant::now();
        self.session.reset(Some(&board.position())).map_err(|error| error.to_string())?;
        if self.session.outcome().is_some() {
            self.board = Some(board);
            return Err("the game is over".to_owned());
        }
        let cell = self.stone(start, 1, out)?;
        board.place(cell)?;
        self.board = Some(board);
        self.limits.take(start.elapsed());
        Ok(Some(Answer::Cells(vec![cell])))
    }

    /// Answers `SWAP2BOARD`: makes the decision of the set-up after these stones.
    fn set_up(&mut self, stones: &[Stone], out: &mut dyn Write) -> Answered {
        self.started()?;
        self.limits.check_rule()?;
        let mut board = Board::alternating(stones)?;
        // The searches of a decision share its limits.
        let searches = match board.len() {
            0 => 3,
            3 | 5 => 2,
            count => return Err(format!("there is no decision with {count} stones, only with 0, 3 and 5")),
        };
        let start = Instant::now();
        self.session.reset(None).map_err(|error| error.to_string())?;
        for token in board.tokens() {
            self.session.play(&token).map_err(|error| error.to_string())?;
        }
        let mut cells = Vec::new();
        for _ in 0..searches {
            let token = self.search(start, searches, out)?;
            self.session.play(&token).map_err(|error| error.to_string())?;
            match Cell::named(&token, SIZE) {
                Some(cell) => cells.push(cell),
                // White moves first after the set-up: the other side has it, or the answer is its move.
                None if token == "black" => break,
                None => {}
            }
            if self.session.about_to_move() == Some("black") {
                break;
            }
        }
        for cell in &cells {
            board.place(*cell)?;
        }
        self.board = Some(board);
        self.limits.take(start.elapsed());
        Ok(Some(if cells.is_empty() { Answer::Swap } else { Answer::Cells(cells) }))
    }

    /// Searches for a move that must be a stone.
    fn stone(&mut self, start: Instant, searches: u32, out: &mut dyn Write) -> Result<Cell, String> {
        let token = self.search(start, searches, out)?;
        Cell::named(&token, SIZE).ok_or_else(|| format!("no stone: {token}"))
    }

    /// Searches the position of the session, in one of several searches that share the iterations and the
    /// time from `start` on, and returns the best move. Says what it thinks.
    fn search(&mut self, start: Instant, searches: u32, out: &mut dyn Write) -> Result<String, String> {
        let is_short = self.prepare()?;
        let budget = self.budget(start, searches)?;
        let report = self.session.think(0, budget, self.options.seed, &self.stop);
        let report = report.map_err(|error| error.to_string())?;
        let say = |text: String| writeln!(out, "{}", Answer::Message(text));
        let notes = is_short.then(|| "max_memory is less than this program takes without a tree".to_owned());
        let said = notes.into_iter().chain([thought(&report)]).try_for_each(say);
        said.map_err(|error| error.to_string())?;
        Ok(report.best().mv.clone())
    }

    /// Returns the budget of one of several searches that share the limits of a move that began at `start`.
    fn budget(&self, start: Instant, searches: u32) -> Result<Budget, String> {
        let Settings { time, iterations, .. } = self.options.settings;
        let iterations = iterations.into_iter().chain(self.limits.iterations).min();
        let iterations = iterations.map(|whole| (whole / u64::from(searches)).max(1));
        let limited = self.limits.time().map(|limit| {
            let whole = search_time(limit, self.options.margin);
            // What setting up took is gone.
            (whole / searches).min(whole.saturating_sub(start.elapsed())).max(Duration::from_millis(1))
        });
        let time = time.map(|time| time / searches).into_iter().chain(limited).min();
        let budget = match (iterations, time) {
            (None, None) => Budget::time(Settings::DEFAULT_TIME / searches),
            (iterations, time) => Budget::new(iterations, time.map(|it| it.max(Duration::from_millis(1)))),
        };
        budget.map_err(|error| error.to_string())
    }

    /// Sets up the engine, if it has not the memory that it should have. Returns whether the manager's
    /// limit leaves too little.
    fn prepare(&mut self) -> Result<bool, String> {
        let given = self.options.settings.memory();
        let trees = self.options.settings.trees().get();
        let least = SearchConfig::MIN_MEMORY_PER_TREE.saturating_mul(trees);
        let allowed = self.limits.memory_of_trees().unwrap_or(usize::MAX);
        let memory = allowed.min(given).max(least);
        if self.memory != Some(memory) {
            self.session.remove_engines();
            self.memory = None;
            let settings = Settings { memory: Some(memory), ..self.options.settings.clone() };
            let (config, _) = EngineSpec::default().config(&settings).map_err(|error| error.to_string())?;
            self.session.add_engine(&config).map_err(|error| error.to_string())?;
            self.memory = Some(memory);
        }
        Ok(allowed < least)
    }
}

impl List {
    /// Reads a line of the list.
    fn add(&mut self, line: &str) {
        let Ok(stones) = &mut self.stones else { return };
        match line.parse() {
            Ok(_) if stones.len() == CELLS => self.stones = Err("more stones than cells".to_owned()),
            Ok(stone) => stones.push(stone),
            Err(_) => self.stones = Err(format!("{} is no stone", Quoted(line))),
        }
    }
}

/// Says in a line what a search has found.
fn thought(report: &Report<String>) -> String {
    let value = report.best().value.map_or(String::new(), |value| format!("value {value:.1} of 100, "));
    let line: Vec<String> = report
        .principal_variation
        .iter()
        .map(|token| Cell::named(token, SIZE).map_or_else(|| token.clone(), |cell| cell.to_string()))
        .collect();
    format!("{value}{} iterations, line {}", report.iterations, line.join(" "))
}

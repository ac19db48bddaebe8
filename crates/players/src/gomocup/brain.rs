//! The brain: answers commands, one after another.

use std::fmt::Display;
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use quintet_arena::ProgramConfig;
use quintet_arena::engine::{EngineSpec, Settings};
use quintet_core::Quoted;
use quintet_core::registry::Variant;
use quintet_core::search::{Budget, Report, SearchConfig};
use quintet_core::session::Session;
use quintet_protocol::gomocup::{Answer, Cell, Command, DONE, SIZE, Stone, Swap2Step, WrongCommand};

use super::board::{Board, CELLS};
use super::limits::{ManagerLimits, search_time};
use crate::conversation::Searcher;

/// The brain as the manager knows it.
pub(super) struct Brain {
    config: ProgramConfig,
    /// How long before a limit a search ends.
    margin: Duration,
    session: Box<dyn Session>,
    /// The memory of the engine's trees in bytes and their number, once it is set up.
    engine: Option<(usize, NonZeroUsize)>,
    limits: ManagerLimits,
    /// `None` before the first `START`.
    board: Option<Board>,
    /// The list that is being read.
    list: Option<List>,
    /// Whether an unknown command came last, after which a list may come.
    skips_list: bool,
}

/// A line to handle.
pub(super) struct Task {
    /// The line, or what is wrong with it.
    pub(super) line: Result<String, String>,
    /// A limit of the time for its searches.
    pub(super) cap: Option<Duration>,
}

/// What a line is handled with.
struct LineContext<'a> {
    /// Ends the searches when it becomes true.
    stop: &'a AtomicBool,
    /// A limit of the time for the searches.
    cap: Option<Duration>,
    /// The lines to answer so far.
    out: String,
}

/// The stones after `BOARD`, `YXBOARD` or `SWAP2BOARD`, up to `DONE`.
struct List {
    command: Command,
    /// The stones so far, or what is wrong with one.
    stones: Result<Vec<Stone>, String>,
}

/// The last line to answer, if there is one, or what is wrong.
type LastAnswer = Result<Option<Answer>, String>;

impl LineContext<'_> {
    /// Answers a line.
    fn print(&mut self, line: impl Display) {
        self.out += &format!("{line}\n");
    }
}

impl Searcher for Brain {
    type Task = Task;
    type Found = String;

    /// Handles a line, and returns the lines to answer.
    fn search(
        &mut self,
        Task { line, cap }: Task,
        stop: &AtomicBool,
        _: &mut dyn FnMut(Report<String>),
    ) -> Result<String, String> {
        let mut context = LineContext { stop, cap, out: String::new() };
        match line.and_then(|line| self.handle(&line, &mut context)) {
            Ok(None) => {}
            Ok(Some(answer)) => context.print(answer),
            Err(error) => {
                let error: Vec<&str> = error.lines().collect();
                context.print(Answer::Error(error.join(" ")));
            }
        }
        Ok(context.out)
    }

    fn remove_engine(&mut self) {
        self.session.remove_engines();
        self.engine = None;
    }
}

impl Brain {
    /// The brain of this game before the first command.
    pub(super) fn new(config: ProgramConfig, game: &Variant, margin: Duration) -> Self {
        Self {
            config,
            margin,
            session: game.start(),
            engine: None,
            limits: ManagerLimits::default(),
            board: None,
            list: None,
            skips_list: false,
        }
    }

    /// Handles a line. What comes before the last line to answer is printed at once.
    fn handle(&mut self, line: &str, context: &mut LineContext<'_>) -> LastAnswer {
        if line.trim().is_empty() {
            return Ok(None);
        }
        let parsed: Result<Command, WrongCommand> = line.parse();
        if let Some(mut list) = self.list.take() {
            if line.trim().eq_ignore_ascii_case(DONE) {
                let word = list.command.to_string();
                let answer = list.stones.and_then(|stones| match list.command {
                    Command::Board => self.make_move(self.listed(&stones)?, context),
                    Command::YxBoard => {
                        self.board = Some(self.listed(&stones)?);
                        Ok(None)
                    }
                    _ => self.set_up(&stones, context),
                });
                return answer.map_err(|error| format!("{word}: {error}"));
            }
            if parsed == Err(WrongCommand::Unknown) {
                list.add(line);
                self.list = Some(list);
                return Ok(None);
            }
            // The manager has given up the list.
            let word = list.command;
            context.print(Answer::Error(format!("{word} is not ended by {DONE}")));
        }
        let command = match parsed {
            Ok(command) => command,
            Err(WrongCommand::Arguments(form)) => return Err(format!("expected {form}")),
            Err(WrongCommand::Unknown) => {
                let is_done = line.trim().eq_ignore_ascii_case(DONE);
                if self.skips_list && (is_done || line.parse::<Stone>().is_ok()) {
                    self.skips_list = !is_done;
                    return Ok(None);
                }
                self.skips_list = true;
                let word = line.split_whitespace().next().unwrap_or_default();
                return Ok(Some(Answer::Unknown(format!("command {}", Quoted(word)))));
            }
        };
        self.skips_list = false;
        let word = command.to_string();
        self.execute(command, context).map_err(|error| format!("{word}: {error}"))
    }

    fn execute(&mut self, command: Command, context: &mut LineContext<'_>) -> LastAnswer {
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
                self.make_move(Board::default(), context)
            }
            Command::Turn(cell) => {
                let mut board = self.started()?.clone();
                board.place(cell)?;
                self.make_move(board, context)
            }
            Command::TakeBack(cell) => {
                let mut board = self.started()?.clone();
                board.take_back(cell)?;
                self.board = Some(board);
                Ok(Some(Answer::Ok))
            }
            Command::Board | Command::YxBoard | Command::Swap2Board => {
                self.list = Some(List { command, stones: Ok(Vec::new()) });
                Ok(None)
            }
            Command::Info { key, value } => {
                self.limits.set(&key, &value);
                Ok(None)
            }
            Command::About => {
                let ProgramConfig { name, version, .. } = self.config;
                context.print(format!(
                    "name=\"{name}\", version=\"{version}\", author=\"the authors of {name}\""
                ));
                Ok(None)
            }
            Command::YxNBest(_) => {
                let board = self.started()?.clone();
                self.make_move(board, context)
            }
            Command::YxSwap2(step) => self.yx_swap2(step, context),
            Command::YxHashClear => {
                self.remove_engine();
                Ok(None)
            }
            Command::YxShowInfo => {
                self.show_info(context);
                Ok(None)
            }
            Command::YxShowForbid => {
                // Nothing is forbidden by rule 1.
                context.print("FORBID .");
                Ok(None)
            }
            Command::Play(_) => Ok(Some(Answer::Unknown("PLAY: this brain suggests no moves".to_owned()))),
            // These only end searches.
            Command::End | Command::YxStop => Ok(None),
        }
    }

    /// Returns the board of the game.
    fn started(&self) -> Result<&Board, String> {
        self.board.as_ref().ok_or_else(|| format!("no game has been started; send START {SIZE}"))
    }

    /// Begins a game on a board of this width and height.
    fn start(&mut self, size: (u32, u32)) -> LastAnswer {
        if size != (SIZE, SIZE) {
            return Err(format!("only boards of {SIZE}x{SIZE} are supported"));
        }
        self.limits.start_game();
        // Setting up takes time, which no limit counts here.
        self.prepare()?;
        self.board = Some(Board::default());
        Ok(Some(Answer::Ok))
    }

    /// Returns the board with the stones of a list.
    fn listed(&self, stones: &[Stone]) -> Result<Board, String> {
        self.started()?;
        Board::with_fields(stones)
    }

    /// Says what a manager that knows the extensions of Yixin may set.
    fn show_info(&self, context: &mut LineContext<'_>) {
        let ProgramConfig { name, version, settings, .. } = &self.config;
        let kib = settings.memory() >> 10;
        for text in [
            format!("{name} {version}"),
            format!("INFO MAX_THREAD_NUM {}", settings.threads()),
            // As an exponent of 2.
            format!("INFO MAX_HASH_SIZE {}", kib.checked_ilog2().unwrap_or(0)),
        ] {
            context.print(Answer::Message(text));
        }
    }

    /// Moves on this board, which becomes that of the game.
    fn make_move(&mut self, mut board: Board, context: &mut LineContext<'_>) -> LastAnswer {
        self.limits.check_rule()?;
        let start = Instant::now();
        self.session.reset(Some(&board.position())).map_err(|error| error.to_string())?;
        if self.session.outcome().is_some() {
            self.board = Some(board);
            return Err("the game is over".to_owned());
        }
        let token = self.think(start, 1, context)?;
        let cell = Cell::named(&token, SIZE).ok_or_else(|| format!("no stone: {token}"))?;
        board.place(cell)?;
        self.board = Some(board);
        self.limits.take(start.elapsed());
        Ok(Some(Answer::Cells(vec![cell])))
    }

    /// Answers `SWAP2BOARD`.
    fn set_up(&mut self, stones: &[Stone], context: &mut LineContext<'_>) -> LastAnswer {
        self.started()?;
        let mut board = Board::alternating(stones)?;
        let cells = self.decide_set_up(&board, context)?;
        for cell in &cells {
            board.place(*cell)?;
        }
        self.board = Some(board);
        Ok(Some(if cells.is_empty() { Answer::Swap } else { Answer::Cells(cells) }))
    }

    /// Answers a step of the set-up as managers that know the extensions of Yixin ask for it: by messages.
    /// They send the board again before the next move.
    fn yx_swap2(&mut self, step: Swap2Step, context: &mut LineContext<'_>) -> LastAnswer {
        let started = self.started()?;
        let board = if step == Swap2Step::First { Board::default() } else { started.clone() };
        let stones = [0, 3, 5][step as usize];
        if board.len() != stones {
            return Err(format!("{} stones are on the board where {stones} are expected", board.len()));
        }
        let cells = self.decide_set_up(&board, context)?;
        let mut say = |text: &str| context.print(Answer::Message(format!("SWAP2 {text}")));
        match (step, &cells[..]) {
            (Swap2Step::Second, []) => say("SWAP1 YES"),
            (Swap2Step::Second, [_]) => say("SWAP1 NO"),
            (Swap2Step::Third, []) => say("SWAP2 YES"),
            (Swap2Step::Third, _) => say("SWAP2 NO"),
            (Swap2Step::First | Swap2Step::Second, cells) => {
                for (number, Cell { x, y }) in (stones + 1..).zip(cells) {
                    say(&format!("MOVE{number} {x} {y}"));
                }
            }
        }
        Ok(None)
    }

    /// Makes the decision of the set-up after these stones: the cells of the stones that are placed, or none
    /// to swap.
    fn decide_set_up(&mut self, board: &Board, context: &mut LineContext<'_>) -> Result<Vec<Cell>, String> {
        self.limits.check_rule()?;
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
            let token = self.think(start, searches, context)?;
            self.session.play(&token).map_err(|error| error.to_string())?;
            match Cell::named(&token, SIZE) {
                Some(cell) => cells.push(cell),
                // White moves first after the set-up: the other side has it, or the answer is its move.
                None if token == "black" => break,
                None => {}
            }
            if self.session.mover_color() == Some("black") {
                break;
            }
        }
        self.limits.take(start.elapsed());
        Ok(cells)
    }

    /// Returns the iterations for a decision, if they are limited.
    pub(super) fn iterations(&self) -> Option<u64> {
        self.config.settings.iterations.into_iter().chain(self.limits.iterations).min()
    }

    /// Searches the position of the session, in one of several searches that share the iterations and the time
    /// from `start` on, and returns the best move. Says what it thinks.
    fn think(
        &mut self,
        start: Instant,
        searches: u32,
        context: &mut LineContext<'_>,
    ) -> Result<String, String> {
        let is_short = self.prepare()?;
        let budget = self.budget(start, searches, context.cap)?;
        let report = self.session.think(0, budget, self.config.seed, context.stop);
        let report = report.map_err(|error| error.to_string())?;
        if is_short {
            let text = "the memory is less than this program takes without a tree";
            context.print(Answer::Message(text.to_owned()));
        }
        context.print(Answer::Message(thought(&report)));
        Ok(report.best().mv.clone())
    }

    /// Returns the budget of one of several searches that share the limits of a move that began at `start`.
    fn budget(&self, start: Instant, searches: u32, cap: Option<Duration>) -> Result<Budget, String> {
        let iterations = self.iterations().map(|whole| (whole / u64::from(searches)).max(1));
        let limited = self.limits.time().map(|limit| {
            let whole = search_time(limit, self.margin);
            // What setting up took is gone.
            (whole / searches).min(whole.saturating_sub(start.elapsed()))
        });
        let of_flags = self.config.settings.time.into_iter().chain(cap).map(|time| time / searches);
        let time = of_flags.chain(limited).min().map(|time| time.max(Duration::from_millis(1)));
        let budget = match (iterations, time) {
            (None, None) => Budget::time(Settings::DEFAULT_TIME / searches),
            (iterations, time) => Budget::new(iterations, time),
        };
        budget.map_err(|error| error.to_string())
    }

    /// Sets up the engine, if it has not the memory and the trees that it should have. Returns whether the
    /// manager's limit leaves too little memory.
    fn prepare(&mut self) -> Result<bool, String> {
        let settings = &self.config.settings;
        let threads = settings.threads();
        let threads = self.limits.threads.map_or(threads, |most| threads.min(most));
        let trees = settings.trees.map_or(1, NonZeroUsize::get);
        let least = SearchConfig::MIN_MEMORY_PER_TREE.saturating_mul(trees);
        let allowed = self.limits.memory_of_trees().unwrap_or(usize::MAX);
        let memory = allowed.min(settings.memory()).max(least);
        if self.engine != Some((memory, threads)) {
            self.remove_engine();
            let settings = self.config.settings.clone();
            let settings = Settings { memory: Some(memory), threads: Some(threads), ..settings };
            let (config, _) = EngineSpec::default().config(&settings).map_err(|error| error.to_string())?;
            self.session.add_engine(&config).map_err(|error| error.to_string())?;
            self.engine = Some((memory, threads));
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

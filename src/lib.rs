//! The commands of `quintet` as a library.
//!
//! Your own program can offer all commands for your own games:
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! fn main() -> ExitCode {
//!     let mut games = quintet_games::registry();
//!     // games.add::<ConnectFour, RulesOnly>("connect-four", "standard");
//!     let (name, version) = (env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
//!     quintet::Program { name, version, games }.main()
//! }
//! ```
//!
//! The parts are separate crates: [`quintet_core`] has the game trait, knowledge and search,
//! [`quintet_games`] the games of `quintet`, [`quintet_arena`] tournaments and statistics, and
//! [`quintet_protocol`] the JSON lines.
//!
//! # Stability
//!
//! [`Program`] changes only in a breaking release.
#![forbid(unsafe_code)]

mod analyze;
mod arena;
mod bench;
mod check;
mod convert;
mod flags;
#[doc(hidden)]
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
mod games;
mod ggp;
mod gomocup;
mod input;
mod interrupt;
mod levels;
mod live;
mod manual;
mod output;
mod play;
mod players;
mod processes;
mod puzzle;
mod replay;
mod rulesheets;
mod serve;
mod solve;
mod suggest;
mod suite;
mod train;
mod ugi;
mod verify;

use std::env;
use std::error::Error as _;
use std::ffi::OsString;
use std::io::{self, BufWriter, Write};
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::ExitCode;
use std::thread;

use self::flags::SearchFlags;
use self::levels::Level;
pub use self::processes::{FollowerLink, LeaderLink, Task};
pub use quintet_arena::tournament::{GameSource, RemoteWorkers};

use anyhow::bail;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, ArgMatches, FromArgMatches as _, Subcommand};
use quintet_analysis::{Limits, MakePuzzles, QueryScheduler, Sources};
use quintet_arena::ProgramConfig;
use quintet_core::Quoted;
use quintet_core::registry::Registry;
use quintet_core::search::{SearchConfig, SearchError};
use quintet_cpu::Cpu;

const ABOUT: &str = "\
Monte Carlo tree search for board games.

`games` lists the games, their rulesets and their notation, and `games GAME` tells the rules.

Exit status: 0 success, 1 a failure such as a wrong record, a full disk or a value that is not \
settled, 2 wrong usage or input, \
130 stopped by Ctrl-C, which ends `serve` and `ggp` with 0.

Environment: RAYON_NUM_THREADS is the number of cores to use. QUINTET_CPU is the processor level to \
use, portable, x86-64-v3 (AVX2) or x86-64-v4 (AVX-512), instead of the best that the machine has; all \
give the same results. NO_COLOR switches off colors.";

#[derive(Debug, Subcommand)]
enum Command {
    Games(games::Args),
    Suggest(suggest::Args),
    Solve(solve::Args),
    Play(play::Args),
    Puzzle(puzzle::Args),
    Arena(arena::Args),
    Bench(bench::Args),
    Suite(suite::Args),
    Train(train::Args),
    Replay(replay::Args),
    Convert(convert::Args),
    Check(check::Args),
    Verify(verify::Args),
    Analyze(analyze::Args),
    Ugi(ugi::Args),
    Gomocup(gomocup::Args),
    Ggp(ggp::Args),
    Serve(serve::Args),
    /// Print the JSON Schema of every line that the commands read or write; the files of a training are not part of it
    Schema,
    Completions(manual::CompletionsArgs),
    Man(manual::ManArgs),
}

impl Command {
    /// Whether it needs threads.
    fn searches(&self) -> bool {
        match self {
            Self::Games(_)
            | Self::Replay(_)
            | Self::Convert(_)
            | Self::Check(_)
            | Self::Verify(_)
            | Self::Schema
            | Self::Completions(_)
            | Self::Man(_) => false,
            Self::Arena(args) => args.plays(),
            _ => true,
        }
    }
}

/// How a command ended without an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    Done,
    /// It found something wrong and reported it.
    FoundWrong,
    /// It did not find the value that was asked for.
    NotSettled,
    /// Ctrl-C stopped it.
    Interrupted,
}

/// An error other than wrong usage or input, such as a full disk.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct WorkError(String);

impl WorkError {
    /// A file can't be written.
    fn unwritten(path: &Path) -> impl Fn(io::Error) -> Self {
        move |error| Self(format!("can't write {}: {error}", path.display()))
    }
}

/// Starts a thread that does some work.
fn start_thread(work: impl FnOnce() + Send + 'static) -> Result<(), WorkError> {
    let started = thread::Builder::new().spawn(work).map(drop);
    started.map_err(|error| WorkError(format!("can't start a thread (ulimit -u limits them): {error}")))
}

/// A program that offers all commands for its games.
#[derive(Debug, Clone)]
pub struct Program {
    /// The name in help texts, completions, manual pages, UGI and records.
    pub name: &'static str,
    /// The version in the same places.
    pub version: &'static str,
    /// The games. The first one is the example in help texts.
    pub games: Registry,
}

impl Program {
    /// Starts the workers that answer queries. The search flags give what queries leave out.
    fn scheduler(
        &self,
        flags: &SearchFlags,
        limits: Limits,
        sources: Sources,
    ) -> Result<QueryScheduler, WorkError> {
        let levels = levels::all().iter().map(Level::line).collect();
        let games = self.games.clone();
        let puzzles = Some(Box::new(move || puzzle::source::built_in(&games)) as MakePuzzles);
        let sources = Sources { levels, puzzles, ..sources };
        QueryScheduler::start(self.config(flags), limits, sources)
            .map_err(|error| WorkError(error.to_string()))
    }

    /// The program for those that talk to it. The search flags give what they leave out.
    fn config(&self, flags: &SearchFlags) -> ProgramConfig {
        let Self { name, version, games } = self.clone();
        ProgramConfig { name, version, games, settings: flags.settings(), seed: flags.seed() }
    }

    /// Runs the command line and returns the exit status.
    #[must_use]
    pub fn main(&self) -> ExitCode {
        match self.asked(None) {
            Ok((program, _, command)) => program.run(command, None),
            Err(status) => status,
        }
    }

    /// What the command line asks for, which may have one more flag, and this program with the games and parameters
    /// that it sets; the exit status if it is wrong or asks for help.
    fn asked(&self, flag: Option<Arg>) -> Result<(Self, ArgMatches, Command), ExitCode> {
        let refused = |error: anyhow::Error| {
            output::error(&error);
            ExitCode::from(2)
        };
        let (program, words) = rulesheets::taken_from(self, env::args_os().collect()).map_err(refused)?;
        let (matches, command) = program.parsed(program.command_line().args(flag), words)?;
        let program = program.with_parameters(&matches).map_err(refused)?;
        Ok((program, matches, command))
    }

    /// The program with the parameters of games that the command line sets.
    fn with_parameters(&self, matches: &ArgMatches) -> anyhow::Result<Self> {
        let all = matches.try_get_many::<(String, u32)>(PARAMETER).ok().flatten();
        let all: Vec<(&str, u32)> =
            all.into_iter().flatten().map(|(name, value)| (&**name, *value)).collect();
        Ok(Self { games: self.games.clone().with_parameters(&all)?, ..self.clone() })
    }

    /// The command line as it was given; the exit status if it is wrong or asks for help.
    fn parsed(
        &self,
        command_line: clap::Command,
        words: Vec<OsString>,
    ) -> Result<(ArgMatches, Command), ExitCode> {
        // A process that ends at once would leave the others waiting.
        let printed = |error: clap::Error| match error.print() {
            // A help or a version that can't be written; that its reader has left is no failure.
            Err(cause) if !error.use_stderr() && cause.kind() != io::ErrorKind::BrokenPipe => {
                output::error(&anyhow::anyhow!("can't write the output: {cause}"));
                ExitCode::from(1)
            }
            // If there is nowhere to print an error, nothing can be done about that.
            _ => ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2)),
        };
        let matches = command_line.try_get_matches_from(words);
        let matches = matches.map_err(|error| printed(with_short_values(self.with_tip(error))))?;
        let command = Command::from_arg_matches(&matches).map_err(printed)?;
        Ok((matches, command))
    }

    fn run(&self, command: Command, others: Option<&dyn FollowerLink>) -> ExitCode {
        // The text of an answer is never changed, a game moves the cursor without colors too, and a
        // file that is too long is an error.
        let is_raw = matches!(command, Command::Analyze(_) | Command::Play(_));
        let mut out = BufWriter::new(output::Stdout::new(is_raw));
        interrupt::do_not_end_by_long_files();
        let result = dispatch(command, self, others, &mut out).and_then(|status| {
            out.flush()?;
            Ok(status)
        });
        match result {
            Ok(Status::Done) => ExitCode::SUCCESS,
            Ok(Status::FoundWrong | Status::NotSettled) => ExitCode::from(1),
            Ok(Status::Interrupted) => ExitCode::from(130),
            Err(error) => {
                let output_error = error.chain().find_map(output::Stdout::error);
                if output_error == Some(io::ErrorKind::BrokenPipe) {
                    // The reader closed the pipe, which is not a failure.
                    return ExitCode::SUCCESS;
                }
                output::error(&error);
                let is_shortage = matches!(error.downcast_ref(), Some(SearchError::OutOfMemory(_)));
                let is_work = is_shortage || output_error.is_some() || error.is::<WorkError>();
                ExitCode::from(if is_work { 1 } else { 2 })
            }
        }
    }

    /// Returns the command line. It has the command `verify` only if a game that has certificates is among the
    /// games, and `gomocup` and `convert` only if gomoku under ggp is.
    fn command_line(&self) -> clap::Command {
        let all = Command::augment_subcommands(clap::Command::new(self.name));
        let games = &self.games;
        let has = |game| games.game(game).is_ok();
        let offered = all.get_subcommands().filter(|it| match it.get_name() {
            "verify" => has("quarto") || has("qubic"),
            "gomocup" | "convert" => games.find("gomoku", Some("ggp")).is_ok(),
            _ => true,
        });
        let command = clap::Command::new(self.name)
            .version(self.version)
            .about("Monte Carlo tree search for board games")
            .long_about(ABOUT)
            .max_term_width(output::MAX_WIDTH)
            .propagate_version(true)
            .infer_subcommands(true)
            .subcommand_required(true)
            .arg_required_else_help(true)
            .subcommands(offered.cloned());
        let has_parameters = games.variants().iter().any(|game| !game.parameters.is_empty());
        let parameter = has_parameters.then(|| {
            Arg::new(PARAMETER)
                .long(PARAMETER)
                .global(true)
                .action(ArgAction::Append)
                .value_name("NAME=VALUE")
                .value_parser(parameter)
                .help("Start games with another value of a parameter that `games` lists, such as a size")
        });
        flags::with_names(rulesheets::with_flag(command.args(parameter)), self)
    }

    /// Says how to name several games, if a second one stands where a command of `arena` would, and what a negative
    /// time is.
    fn with_tip(&self, mut error: clap::Error) -> clap::Error {
        if let Some(ContextValue::String(flag)) = error.get(ContextKind::InvalidArg)
            && error.kind() == ErrorKind::UnknownArgument
            && flag.strip_prefix('-').is_some_and(|flag| flag.starts_with(|c: char| c.is_ascii_digit()))
        {
            let tip = "no value is negative".into();
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
        }
        if let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidSubcommand)
            && error.kind() == ErrorKind::ArgumentConflict
            && self.games.games().contains(&&**name)
        {
            let first = self.games.games()[0];
            let tip = format!("separate games by commas, as in {first},{name}");
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
        }
        error
    }

    /// Returns `text` with the program's name, its first game, a first move of that game, and the first game
    /// that can be trained in place of `{name}`, `{game}`, `{move}` and `{trained}`.
    fn filled(&self, text: &str) -> String {
        let first = self.games.variants().first();
        let trained = self.games.variants().iter().find(|it| it.features.is_some()).or(first);
        let moves = first.map_or(Vec::new(), |game| game.start().legal_moves());
        text.replace("{name}", self.name)
            .replace("{game}", first.map_or("", |game| &game.game))
            .replace("{trained}", trained.map_or("", |game| &game.game))
            .replace("{move}", moves.first().map_or("", String::as_str))
    }

    /// Returns the name and the version.
    fn title(&self) -> String {
        format!("{} {}", self.name, self.version)
    }
}

/// The flag that sets a parameter of a game.
const PARAMETER: &str = "set";

/// Reads `size=9`.
fn parameter(text: &str) -> Result<(String, u32), String> {
    let (name, value) = text.split_once('=').ok_or("expected a name and a number, such as size=9")?;
    if value.contains('=') {
        return Err(format!("one parameter at a time: repeat --{PARAMETER} for each"));
    }
    let value = value.parse().map_err(|_| format!("the value of {} is no whole number", Quoted(name)))?;
    Ok((name.to_owned(), value))
}

/// Shortens the arguments that an error shows, and makes their control characters visible.
fn with_short_values(mut error: clap::Error) -> clap::Error {
    for kind in [ContextKind::InvalidArg, ContextKind::InvalidValue, ContextKind::InvalidSubcommand] {
        if let Some(ContextValue::String(value)) = error.get(kind) {
            let quoted = Quoted(value).to_string();
            // clap adds quotes of its own.
            let shown = quoted.replacen('"', "", 1);
            let shown = shown.rsplit_once('"').map(|(text, more)| format!("{text}{more}"));
            error.insert(kind, ContextValue::String(shown.unwrap_or_default()));
        }
    }
    error
}

/// The maximum number of threads, and of games played at the same time.
const MAX_THREADS: usize = SearchConfig::MAX_TREES;

/// Starts the threads of searches: as many as there are cores, or `RAYON_NUM_THREADS`. Rayon would
/// panic if they can't be started.
fn start_threads() -> anyhow::Result<()> {
    let cores = || thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let wanted = match env::var_os("RAYON_NUM_THREADS") {
        None => cores(),
        Some(text) => match text.to_str().and_then(|text| text.parse().ok()) {
            Some(0) => cores(),
            Some(number) if number <= MAX_THREADS => number,
            _ => {
                let text = text.to_string_lossy();
                bail!("RAYON_NUM_THREADS is {}: give a number of threads up to {MAX_THREADS}", Quoted(&text));
            }
        },
    };
    match rayon::ThreadPoolBuilder::new().num_threads(wanted).build_global() {
        // Without a cause they run already: the program that uses this library started them.
        Err(error) if error.source().is_some() => Err(anyhow::Error::new(WorkError(format!(
            "can't start the threads (ulimit -u and -v limit them; RAYON_NUM_THREADS asks for fewer): {error}"
        )))),
        _ => Ok(()),
    }
}

/// Checks that there is some memory beside that of the search trees. Without any, the program would
/// abort.
fn check_memory() -> anyhow::Result<()> {
    const LEAST: usize = 64 << 20;
    let enough = Vec::<u8>::new().try_reserve_exact(LEAST);
    Ok(enough.map_err(|_| {
        WorkError(format!("less than {} MiB of memory can be had (ulimit -v limits it)", LEAST >> 20))
    })?)
}

/// Checks that this machine has the processor level that the environment asks for.
fn check_cpu() -> anyhow::Result<()> {
    let wanted = env::var_os(Cpu::VARIABLE).unwrap_or_default();
    let levels: Vec<&str> = Cpu::all().into_iter().map(Cpu::name).collect();
    if !wanted.is_empty() && !levels.iter().any(|level| wanted == *level) {
        let wanted = wanted.to_string_lossy();
        bail!("{} is {}: this machine has {}", Cpu::VARIABLE, Quoted(&wanted), levels.join(", "));
    }
    Ok(())
}

/// Checks and starts what a command needs that searches.
fn prepare_to_search() -> anyhow::Result<()> {
    check_cpu()?;
    start_threads()?;
    check_memory()
}

fn dispatch(
    command: Command,
    program: &Program,
    others: Option<&dyn FollowerLink>,
    out: &mut dyn Write,
) -> anyhow::Result<Status> {
    let games = &program.games;
    if command.searches() {
        prepare_to_search()?;
    }
    match command {
        Command::Games(args) => games::run(&args, program, out),
        Command::Suggest(args) => suggest::run(&args, games, out),
        Command::Solve(args) => solve::run(&args, games, out),
        Command::Play(args) => play::run(&args, program, out),
        Command::Puzzle(args) => puzzle::run(&args, games, out),
        Command::Arena(args) => arena::run(&args, program, others.map(|it| it as &dyn RemoteWorkers), out),
        Command::Bench(args) => bench::run(&args, program, out),
        Command::Suite(args) => suite::run(&args, games, out),
        Command::Train(args) => train::run(&args, program, out),
        Command::Replay(args) => replay::run(&args, games, out),
        Command::Convert(args) => convert::run(&args, games, out),
        Command::Check(args) => check::run(&args, games, out),
        Command::Verify(args) => verify::run(&args, out),
        Command::Analyze(args) => analyze::run(&args, program, out),
        Command::Ugi(args) => ugi::run(&args, program, out),
        Command::Gomocup(args) => gomocup::run(&args, program, out),
        Command::Ggp(args) => ggp::run(&args, program, out),
        Command::Serve(args) => serve::run(&args, program, out),
        Command::Schema => {
            out.write_all(quintet_protocol::SCHEMA.as_bytes())?;
            Ok(Status::Done)
        }
        Command::Completions(args) => manual::completions(&args, program, out),
        Command::Man(args) => manual::man(&args, program, out),
    }
}

/// The code of the README, compiled and run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The code of the page about training, likewise.
#[cfg(doctest)]
#[doc = include_str!("../docs/training.md")]
struct Training;

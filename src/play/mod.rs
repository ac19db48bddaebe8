//! `quintet play`

mod board;
mod command;
mod ending;
mod game;
mod input;
mod opponent;
mod record;
mod resume;
mod screen;
mod seats;
mod table;
mod talk;
mod words;

use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};

use anyhow::anyhow;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use quintet_arena::engine::{EngineKind, EngineSpec};
use quintet_core::game::Rng;
use quintet_core::search::Weakness;

use self::game::Game;
use self::input::Typed;
use self::opponent::Opponent;
use self::record::RecordFile;
use self::screen::Screen;
use self::seats::Seats;
use self::table::Table;
use super::flags::{PositionFlags, SEAT, SearchFlags, engine};
use super::interrupt::{Request, Requests};
use super::levels::{self, Level};
use super::output::ruleset;
use super::rulesheets::Rulesheets;
use super::{Program, Status, WorkError};

/// Play a game against the engine
///
/// Draws the board, and asks for your moves: tokens as `games` describes them, or shorter. `help`
/// at the prompt lists the short forms and the commands, Tab completes them. Whoever plays, hints and
/// what `why` says come from quintet, within the search flags. In a pipe, each line of standard input has
/// moves or a command, and the game ends with the input.
///
/// Ctrl-C while the engine thinks lets it move at once. Ctrl-C or Ctrl-D at the prompt ends the
/// game, and the command that goes on with it is printed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  {name} play {game}\n  \
                        {name} play {game} --seat random --level casual --record games.jsonl")]
pub(crate) struct Args {
    #[command(flatten)]
    start: PositionFlags,
    #[command(flatten)]
    rulesheets: Rulesheets,
    /// Who you are: a role, a team, both, none or random [default: the first role or its team]
    #[arg(long = "seat", id = SEAT, hide_possible_values = true)]
    seat: Option<String>,
    /// How strong the engine is, from novice to max; docs/levels.md tells what each is worth
    #[arg(long, value_name = "NAME", conflicts_with_all = ["engine", "time", "iterations"])]
    #[arg(value_parser = level())]
    level: Option<&'static Level>,
    /// The engine: random, uct or quintet, with settings after a colon [default: quintet]
    #[arg(long, value_parser = engine(false), hide_possible_values = true)]
    engine: Option<EngineSpec>,
    /// Add a record of the game to this file, one JSON line that `replay` reads
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) search: SearchFlags,
}

/// What a game waits for.
enum Event {
    Typed(Typed),
    Request(Request),
}

impl Args {
    /// The engine that plays; that of a level has its name.
    fn engine(&self) -> EngineSpec {
        self.level.map_or_else(|| self.engine.clone().unwrap_or_default(), Level::spec)
    }
}

/// A parser of names of levels.
fn level() -> impl TypedValueParser<Value = &'static Level> {
    let names = PossibleValuesParser::new(levels::all().iter().map(|it| it.name));
    names.try_map(|name| levels::all().iter().find(|it| it.name == name).ok_or("is no level"))
}

pub(crate) fn run(args: &Args, program: &Program, out: &mut dyn Write) -> anyhow::Result<Status> {
    let defaults = args.search.settings();
    let engine = args.engine();
    args.search.check_budget(&engine)?;
    let start = &args.start;
    let variant = start.game.find(&program.games)?;
    let mut rng = Rng::stream(args.search.seed_or_random(), 0);
    let seats = Seats::find(&variant, args.seat.as_deref(), &mut rng);
    let seats = seats.map_err(|error| anyhow!("--seat: {error}"))?;
    engine.check(&defaults)?;
    start.set_up(&program.games)?.check_engine(&engine.config(&defaults)?.0)?;
    let moves: Vec<String> = quintet_core::game::text::moves(&start.moves).map(str::to_owned).collect();
    let open = |path: &PathBuf| RecordFile::open(path).map_err(WorkError::unwritten(path));
    let record = args.record.as_ref().map(open).transpose()?;

    let (sender, events) = mpsc::channel();
    let (of_input, stop) = (sender.clone(), Arc::new(AtomicBool::new(false)));
    // If it drew the same moves in every game, people would know them.
    let is_drawn = variant.kind.has_simultaneous_moves() || engine.settings.temperature.is_some();
    let seed = if is_drawn { args.search.seed_or_random() } else { args.search.seed() };
    let opponent = Opponent::new(&engine, &defaults, seed, Arc::clone(&stop))?;
    // A weak opponent would give weak hints.
    let errs = opponent.config.search().is_some_and(|it| it.weakness != Weakness::NONE);
    let is_weak = args.level.is_some() || engine.kind != EngineKind::Quintet || errs;
    let adviser = || Opponent::new(&EngineSpec::default(), &defaults, seed, Arc::clone(&stop));
    let adviser = is_weak.then(adviser).transpose()?;
    let rules = ruleset(&variant, &program.games);
    let requests = Requests::catch(move |request| {
        // The main thread may have ended.
        drop(sender.send(Event::Request(request)));
        stop.store(true, Ordering::SeqCst);
    })?;
    let (screen, source) = Screen::new(out);
    let prompts = input::start(source, move |typed| drop(of_input.send(Event::Typed(typed))))?;
    let mut table = Table {
        game: Game::new(&variant, start.position.as_deref(), &moves)?,
        opening: moves,
        seats,
        rng,
        opponent,
        adviser,
        screen,
        prompts,
        events,
        requests,
        record,
        is_record_lost: false,
        untold: Vec::new(),
        args,
        name: program.name,
        program: program.title(),
    };
    table.run(args.level, rules)
}

/// Returns the moves that a line stands for where a person plays all roles; `None` for a command.
#[cfg(feature = "fuzzing")]
pub(crate) fn moves_of(
    session: &mut dyn quintet_core::session::Session,
    line: &str,
) -> Result<Option<Vec<String>>, String> {
    Ok(match words::meaning(session, line, |_| true)? {
        words::Meaning::Command(..) => None,
        words::Meaning::Moves(understood) => Some(understood.moves),
    })
}

//! `quintet arena`

mod follow;
mod merge;
pub(crate) mod play;
mod progress;
mod records;
mod report;
pub(crate) mod tables;

use std::fs::File;
use std::io::{BufReader, Write};
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

use anyhow::{Context as _, anyhow, bail};
use quintet_arena::engine::{EngineSpec, Settings, TimeControl, from_toml};
use quintet_arena::stats::Sprt;
use quintet_arena::tournament::{
    Adjudication, Agreement, Book, Format, Openings, RemoteWorkers, Shard, Tournament,
};
use quintet_core::Quoted;
use quintet_core::registry::{Registry, Variant};

use super::flags::{ALL, GAMES, RULESETS, SearchFlags, check_names, concurrency, engine, positive, variants};
use super::input::{read_text, toml_error};
use super::{Program, Status};
pub(crate) use follow::follow;

/// Play matches between engines
///
/// Every two engines play a match in every game and ruleset. Each opening is played twice, with
/// seats swapped; in a game of several sides, once with each way to share them, and in a game for one player
/// by each engine alone. Elo differences and their 95 % intervals are computed from these pairs or groups of games.
/// With more than two engines there is a rating list for each game, and over several games one more.
/// The ratings of a list have the mean 0.
///
/// An engine is a kind (random, uct, quintet), followed by a colon and its settings: iterations (such as 10k), time, tc
/// (a clock), threads, trees, memory, c (the exploration constant), and for quintet batch (its maximum visits; 1 for
/// one after the other), without (techniques to switch off, such as proofs+priors: see docs/fair-tests.md) and
/// `early_stop=off` (it searches on when no other move can overtake the best, as it does with a time alone), model (a
/// file that `train` made), and `temperature`, `max_loss` and `sight` (it plays as people do: see docs/levels.md). A name
/// may precede it: strong=uct:iterations=10000,c=0.7. No two engines have the same name; without one, it is what was
/// written. The search flags set the defaults.
///
/// An external engine is ugi (Universal Game Interface, where p1 is the side that moves first),
/// json (the lines of `analyze`) or gomocup (for gomoku under ggp), with its command as the last setting:
/// other=ugi:time=50ms,command=./other --quiet. Its settings are iterations, time, tc, for json
/// threads and trees, and for gomocup memory; ugi and gomocup count as one thread. Its time limits are start (10s)
/// until it is ready, timeout (60s) for a move without a time, and margin (1s) beyond the time of a move
/// or, once in a game, beyond the clock. It loses the game by exceeding a limit, by an illegal move or by a
/// crash, and is restarted for the next game. A restart that fails loses that game too, as does an engine
/// that does not get ready; the fifth failure in a row stops the arena. A ugi engine gets the options Game,
/// Rules and Seed if it has them. A gomocup engine makes the set-up by SWAP2BOARD after openings of 0 or 3
/// plies, and none after 6. Engines end with the arena, on Unix also if it is killed.
///
/// Ctrl-C stops it, and the table of the finished games is printed. With --out these are on disk:
/// after any stop, --resume plays the missing games.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "Examples:\n  {name} arena all --rules both --engine uct:iterations=2000,threads=1 \\\n    \
                        --engine uct:iterations=500,threads=1 --games 20 --out games.jsonl\n  \
                  {name} arena {game} --engine new=uct:c=0.5 --engine old=uct:c=0.7 --iterations 1000 --threads 1 \\\n    \
                        --games 10000 --sprt elo0=0,elo1=20 --out games.jsonl --resume\n\n\
                  One tournament on many machines, as a Slurm array or with GNU parallel:\n  \
                  {name} arena all … --shard $SLURM_ARRAY_TASK_ID/8 --out part-$SLURM_ARRAY_TASK_ID.jsonl --resume\n  \
                  parallel {name} arena all … --shard {}/8 --out part-{}.jsonl --resume ::: 1 2 3 4 5 6 7 8\n  \
                  {name} arena merge part-*.jsonl --out games.jsonl"
)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// The games, separated by commas and each once, or all
    #[arg(id = GAMES, required = true, hide_possible_values = true)]
    games: Option<String>,
    /// The ruleset, standard for the one that people know (see `games GAME`), or both for all of
    /// them [default: the game's first]
    #[arg(long = "rules", id = RULESETS, value_name = "RULES")]
    rulesets: Option<String>,
    /// An engine that takes part; give at least two
    #[arg(long = "engine", value_name = "ENGINE", value_parser = engine(true), hide_possible_values = true)]
    engines: Vec<EngineSpec>,
    /// A TOML file of more engines: [[engine]] tables with name, kind and settings
    #[arg(long = "engines", value_name = "FILE")]
    engines_file: Option<PathBuf>,
    /// Play only the matches of the first engine against each of the others
    #[arg(long)]
    gauntlet: bool,
    /// Games in each match, an even number up to 1000000; more where a game of several sides needs them
    /// to play each opening with all seats
    #[arg(long = "games", value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    games_per_match: u32,
    /// End each match as soon as a sequential probability ratio test accepts one of two Elo
    /// differences, as in elo0=0,elo1=10 (also: alpha=0.05, beta=0.05, model=normalized or
    /// logistic)
    #[arg(long, value_name = "TEST", conflicts_with = "shard")]
    sprt: Option<Sprt>,
    /// Games played at the same time, at most 1024 [default: the number of cores divided by the
    /// most trees of any engine]
    #[arg(long, value_name = "N", value_parser = concurrency)]
    concurrency: Option<NonZeroUsize>,
    /// Print the results as one JSON object
    #[arg(long)]
    json: bool,
    /// Without a terminal, print a line of progress every N games
    #[arg(long, value_name = "N", default_value = "100", value_parser = positive::<NonZeroU64>)]
    progress: NonZeroU64,
    #[command(flatten)]
    openings: OpeningFlags,
    #[command(flatten)]
    file: FileFlags,
    #[command(flatten)]
    adjudication: AdjudicationFlags,
    #[command(flatten)]
    search: SearchFlags,
    /// A clock for each engine and game instead of a time per move: seconds + seconds per move, as
    /// in 10+0.1
    #[arg(long, value_name = "TC", help_heading = "Search", conflicts_with_all = ["time", "iterations"])]
    tc: Option<TimeControl>,
}

impl Args {
    /// Whether games are played, rather than read.
    pub(crate) fn plays(&self) -> bool {
        self.command.is_none()
    }
}

/// Games that end early.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Adjudication")]
struct AdjudicationFlags {
    /// Where two sides share the score, a side loses as soon as both engines give it at most this value (0 to below 50)
    /// in this many of their last moves, as in value=3,moves=4
    #[arg(long, value_name = "WHEN")]
    resign: Option<Agreement>,
    /// Where two sides share the score, a game is drawn as soon as both engines give values at most this far from 50 in
    /// this many of their last moves, as in value=1,moves=10
    #[arg(long, value_name = "WHEN")]
    draw: Option<Agreement>,
}

/// The start positions of games.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Openings")]
struct OpeningFlags {
    /// Plies of each opening [default: 2 random plies; with --openings, all moves of a line, which are the maximum]
    #[arg(long, value_name = "N")]
    opening_plies: Option<usize>,
    /// Take openings from this file instead of random ones: one JSON object per line with game,
    /// rules, position and moves, or game records, whose openings are taken
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Leave out openings whose outcome a search of 10,000 iterations proves; for two sides that share the score
    #[arg(long)]
    undecided: bool,
}

/// The file of games.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Games on disk")]
struct FileFlags {
    /// Write each game to this file when it ends, as one JSON line; it is safe from a loss of power
    /// when its pair or group is complete. A file that already has content is refused. While games are played,
    /// FILE.playing has their moves so far
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Continue the file of an arena that was stopped: play the missing games (also after raising
    /// --games); if there is no file, create it
    #[arg(long, requires = "out")]
    resume: bool,
    /// Play only part i of n of the tournament; arena merge puts the parts together
    #[arg(long, value_name = "i/n")]
    shard: Option<Shard>,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Merge(merge::Args),
    Report(report::Args),
}

/// Returns the games of a list such as `quarto,krk` or `all`, each under the named rulesets. A game that is there twice
/// would count twice.
fn listed(games: &Registry, list: &str, rulesets: Option<&str>) -> anyhow::Result<Vec<Variant>> {
    let names: Vec<&str> = if list == ALL { games.games() } else { list.split(',').collect() };
    let mut listed: Vec<Variant> = Vec::new();
    for name in names {
        let of_game = variants(games, name, rulesets).map_err(|error| anyhow!("{error}, or all"))?;
        for new in of_game {
            if listed.contains(&new) {
                bail!("the game {} is there twice", Quoted(name));
            }
            // Only rules of files may be those of another game, too.
            let is_same = |it: &&Variant| {
                let has = |one: &Variant, other: &Variant| {
                    one.rulesheet.as_deref().is_some_and(|sheet| {
                        other.rulesheet.as_deref() == Some(sheet) || other.rulesheets.contains(&sheet)
                    })
                };
                has(it, &new) || has(&new, it)
            };
            if let Some(same) = listed.iter().find(is_same) {
                bail!("{same} and {new} are there with the same rules: one game would count twice");
            }
            listed.push(new);
        }
    }
    Ok(listed)
}

/// Runs the command. If games are to be played and there are `remote` workers, these play them.
pub(crate) fn run(
    args: &Args,
    program: &Program,
    remote: Option<&dyn RemoteWorkers>,
    out: &mut dyn Write,
) -> anyhow::Result<Status> {
    let games = &program.games;
    match &args.command {
        Some(Command::Merge(args)) => merge::run(args, games, out),
        Some(Command::Report(args)) => report::run(args, games, out),
        None => play::run(args, &tournament(args, program)?, games, remote, out),
    }
}

/// Checks the arguments and returns the tournament.
fn tournament(args: &Args, program: &Program) -> anyhow::Result<Tournament> {
    let engines = engines(args)?;
    if args.games_per_match % 2 == 1 {
        let games = args.games_per_match;
        bail!("--games {games} is odd: every opening is played as often by one engine as by the other");
    }
    let AdjudicationFlags { resign, draw } = args.adjudication;
    let variants =
        listed(&program.games, args.games.as_deref().unwrap_or_default(), args.rulesets.as_deref())?;
    let tournament = Tournament {
        program: program.title(),
        openings: openings(&args.openings, &variants, &program.games)?,
        variants,
        engines,
        format: if args.gauntlet { Format::Gauntlet } else { Format::RoundRobin },
        defaults: defaults(args),
        games: args.games_per_match as usize,
        undecided: args.openings.undecided,
        adjudication: Adjudication { resign, draw },
        seed: args.search.seed(),
    };
    tournament.check()?;
    Ok(tournament)
}

/// Returns the settings that engines have by default.
fn defaults(args: &Args) -> Settings {
    Settings { tc: args.tc, ..args.search.settings() }
}

/// Returns the engines of the command line and of the file, whose names must be unique.
fn engines(args: &Args) -> anyhow::Result<Vec<EngineSpec>> {
    let mut engines = args.engines.clone();
    if let Some(path) = &args.engines_file {
        let text = read_text(path)?;
        let read = from_toml(&text).map_err(|error| toml_error(&text, &error));
        engines.extend(read.with_context(|| path.display().to_string())?);
    }
    if engines.len() < 2 {
        bail!("an arena needs at least two engines, such as --engine quintet --engine random");
    }
    check_names(&engines, " or name = \"other\" in a file of engines")?;
    let defaults = defaults(args);
    for engine in &engines {
        engine.check(&defaults).with_context(|| format!("engine {}", engine.name))?;
    }
    Ok(engines)
}

/// Returns the openings, which have to suit all of `games`.
fn openings(flags: &OpeningFlags, games: &[Variant], registry: &Registry) -> anyhow::Result<Openings> {
    let Some(path) = &flags.openings else {
        let plies = flags.opening_plies.unwrap_or(2);
        for game in games {
            let (name, max) = (game.game.clone(), longest_opening(game));
            if plies > max {
                bail!("--opening-plies {plies} is too long for {name}: at most {max}");
            }
        }
        return Ok(Openings::Random { plies });
    };
    let name = path.display();
    let file = File::open(path).with_context(|| format!("can't read {name}"))?;
    let mut book = Book::read(&mut BufReader::new(file), flags.opening_plies, registry)
        .map_err(|error| anyhow!("{name}, {error}"))?;
    let left_out = if flags.undecided { book.leave_out_decided(registry) } else { 0 };
    if let Some(game) = games.iter().find(|game| !book.has(game)) {
        let why = if left_out > 0 { " (decided ones are left out)" } else { "" };
        bail!("{name} has no opening for {} under {}{why}", game.game, game.rules);
    }
    Ok(Openings::Book(book))
}

/// Returns the names of the files, separated by commas.
fn names(files: &[PathBuf]) -> String {
    files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ")
}

/// Returns the maximum length of an opening in plies: one less than that of a game.
pub(crate) fn longest_opening(game: &Variant) -> usize {
    game.max_plies - 1
}

//! `quintet arena`

use std::collections::HashSet;
use std::fs::OpenOptions;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context as _, bail};
use indicatif::{ProgressBar, ProgressStyle};
use quintet::arena::{self, Assignment, GameRecord, MatchScore, Tournament};
use quintet::catalog::{GameId, Visitor};
use quintet::engine::{self, EngineSpec};
use quintet::games::Rules;
use quintet::knowledge::Known;
use serde_json::{Value, json};

use super::flags::{Rulesets, SearchFlags, rulesets};
use super::output::{Table, note, rounded};
use super::{Status, WorkError};

/// Let engines play matches against each other
///
/// Every two engines play a match in every game and ruleset. Openings are drawn at random, and each is played
/// twice, with seats swapped (in Qubic, the teams). Elo differences come with their 95 % intervals, computed
/// from these pairs of games.
///
/// An engine is a kind (random, uct, quintet) and its settings after a colon: iterations, time, threads,
/// memory, c (the exploration constant), and for quintet without (techniques to switch off, such as
/// solver+priors); a name may come before it: strong=uct:iterations=10000,c=0.7. What an engine does not say
/// is taken from the search flags.
///
/// Another program takes part as ugi (Universal Game Interface, where p1 is the side that moves first) or json
/// (the lines of `quintet analyze`), with its command as the last setting:
/// other=ugi:time=50ms,command=./other --quiet. Its settings are iterations, time, and for json threads; ugi
/// counts as one thread. It may take so long: start (10s) until it is ready, margin (1s) beyond the time of a
/// move, timeout (60s) for a move without a time. It loses the game if it takes longer, makes an illegal move,
/// or ends; for the next game it is started again. Ugi engines with the options Game, Rules or Seed are told
/// these.
///
/// Ctrl-C ends it: the games that are done are on disk, and the table is printed.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  quintet arena all --rules both --engine uct:iterations=2000,threads=1 \\\n    \
                        --engine uct:iterations=500,threads=1 --games 20 --out games.jsonl"
)]
pub(super) struct Args {
    /// The games, separated by commas, or all
    #[arg(value_parser = games)]
    games: Games,
    /// The rulesets: spec, ggp or both
    #[arg(long, default_value = "spec", value_parser = rulesets())]
    rules: Rulesets,
    /// An engine that takes part; give at least two
    #[arg(long = "engine", value_name = "ENGINE")]
    engines: Vec<EngineSpec>,
    /// A TOML file with more engines that take part: [[engine]] tables with name, kind and settings
    #[arg(long = "engines", value_name = "FILE")]
    engines_file: Option<PathBuf>,
    /// Games in each match, an even number up to 1000000
    #[arg(long = "games", value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    games_per_match: u32,
    /// Plies of each random opening
    #[arg(long, value_name = "N", default_value_t = 2)]
    opening_plies: usize,
    /// Write each game to this file as it ends, as one JSON line; a file that already has content is left
    /// alone
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Games at the same time [default: as many as the cores have room for]
    #[arg(long, value_name = "N")]
    concurrency: Option<NonZeroUsize>,
    /// Print the results as one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    search: SearchFlags,
}

#[derive(Debug, Clone)]
struct Games(Vec<GameId>);

fn games(text: &str) -> Result<Games, String> {
    if text == "all" {
        return Ok(Games(GameId::ALL.to_vec()));
    }
    let mut games = Vec::new();
    for name in text.split(',') {
        let game: GameId = name.parse().map_err(|error| format!("{error}, or all"))?;
        if !games.contains(&game) {
            games.push(game);
        }
    }
    Ok(Games(games))
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Status> {
    let tournament = tournament(args)?;
    let schedule = tournament.schedule();
    let mut file = args.out.as_deref().map(open).transpose()?;
    let concurrency = args.concurrency.unwrap_or_else(|| concurrency(&tournament));

    let stop = Arc::new(AtomicBool::new(false));
    let handler = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if handler.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        note("stopping after the moves under way; once more to stop at once");
    })
    .context("can't catch Ctrl-C")?;

    let mut results = Results::new(&tournament, &schedule);
    let mut write_error = None;
    let played = arena::run(&tournament, &schedule, concurrency, &stop, |assignment, record| {
        if let Some((file, name)) = &mut file {
            let line = serde_json::to_string(&record).expect("a record has only string keys") + "\n";
            if let Err(error) = file.write_all(line.as_bytes()) {
                write_error = Some(format!("can't write {name}: {error}; the games before are in it"));
                return false;
            }
        }
        results.add(assignment, &record);
        true
    });
    results.bar.finish_and_clear();

    // Whether or not anybody reads the table, what went wrong comes first.
    let failed = write_error.or(played.err().map(|error| error.to_string()));
    let printed = if args.json { writeln!(out, "{}", results.json()) } else { results.print(out) };
    let printed = printed.and_then(|()| out.flush());
    if let Some(error) = failed {
        return Err(WorkError(error).into());
    }
    printed?;
    if stop.load(Ordering::Relaxed) {
        let done = results.done();
        note(format!("interrupted after {done} of {} games", schedule.len()));
        return Ok(Status::Interrupted);
    }
    Ok(Status::Done)
}

/// Checks the arguments and puts the tournament together.
fn tournament(args: &Args) -> anyhow::Result<Tournament> {
    let mut engines = args.engines.clone();
    if let Some(path) = &args.engines_file {
        let name = path.display();
        let text = std::fs::read_to_string(path).with_context(|| format!("can't read {name}"))?;
        engines.extend(engine::from_toml(&text).with_context(|| format!("{name}"))?);
    }
    if engines.len() < 2 {
        bail!("an arena needs at least two engines, such as --engine quintet --engine random");
    }
    let mut names = HashSet::new();
    for engine in &mut engines {
        // The same engine twice is a fair question: do the seats matter?
        let mut name = engine.name.clone();
        for number in 2.. {
            if names.insert(name.clone()) {
                break;
            }
            name = format!("{}#{number}", engine.name);
        }
        engine.name = name;
    }
    let defaults = args.search.settings();
    for engine in &engines {
        engine.check(&defaults).with_context(|| format!("engine {}", engine.name))?;
    }
    if args.games_per_match % 2 == 1 {
        let games = args.games_per_match;
        bail!("--games {games} is odd: every opening is played twice, once from each seat");
    }
    for &game in &args.games.0 {
        let most = game.visit(Rules::Spec, LongestOpening);
        if args.opening_plies > most {
            let plies = args.opening_plies;
            bail!("--opening-plies {plies} is more than a game of {game} can have and go on: at most {most}");
        }
    }
    Ok(Tournament {
        games: args
            .games
            .0
            .iter()
            .flat_map(|&game| args.rules.0.iter().map(move |&rules| (game, rules)))
            .collect(),
        engines,
        defaults,
        pairs: args.games_per_match as usize / 2,
        opening_plies: args.opening_plies,
        seed: args.search.seed,
    })
}

/// The most plies after which a game may still go on.
struct LongestOpening;

impl Visitor for LongestOpening {
    type Output = usize;

    fn visit<G: Known>(self) -> usize {
        G::MAX_PLIES - 1
    }
}

/// As many games at a time as there are cores for the largest engine's trees.
fn concurrency(tournament: &Tournament) -> NonZeroUsize {
    NonZeroUsize::new(rayon::current_num_threads() / tournament.trees()).unwrap_or(NonZeroUsize::MIN)
}

/// Opens the results file, which must be new or empty.
fn open(path: &Path) -> anyhow::Result<(std::fs::File, String)> {
    let name = path.display().to_string();
    let file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .with_context(|| format!("can't write {name}"))?;
    if file.metadata().with_context(|| format!("can't read {name}"))?.len() > 0 {
        bail!("{name} already has content: name another file");
    }
    Ok((file, name))
}

/// The running results and their display.
struct Results<'a> {
    tournament: &'a Tournament,
    matches: Vec<Match>,
    bar: ProgressBar,
}

struct Match {
    game: (GameId, Rules),
    engines: [usize; 2],
    score: MatchScore,
    /// The half points of the pairs of which one game is in.
    half_pairs: Vec<Option<u8>>,
    left: usize,
}

impl<'a> Results<'a> {
    fn new(tournament: &'a Tournament, schedule: &[Assignment]) -> Self {
        let matches = tournament.matches().into_iter().map(|(game, engines)| Match {
            game,
            engines,
            score: MatchScore::default(),
            half_pairs: vec![None; tournament.pairs],
            left: 2 * tournament.pairs,
        });
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} games, {eta} left  {wide_msg}")
            .expect("the template is valid");
        let bar = ProgressBar::new(schedule.len() as u64).with_style(style);
        bar.enable_steady_tick(std::time::Duration::from_millis(200));
        Self { tournament, matches: matches.collect(), bar }
    }

    fn name(&self, engine: usize) -> &str {
        &self.tournament.engines[engine].name
    }

    fn add(&mut self, assignment: &Assignment, record: &GameRecord) {
        let name = self.name(assignment.engines[0]);
        let points = record.half_points(name).expect("the engine has a seat in its own match");
        let current = &mut self.matches[assignment.match_index];
        current.score.add_game(points);
        current.left -= 1;
        match current.half_pairs[assignment.pair].take() {
            None => current.half_pairs[assignment.pair] = Some(points),
            Some(other) => current.score.add_pair(points + other),
        }
        if let Some(fault) = &record.fault {
            let loser = record.seats.iter().find(|(role, _)| record.scores[*role] == 0);
            let (_, loser) = loser.expect("an engine with a fault has lost");
            let (game, rules) = assignment.game;
            self.bar.suspend(|| note(format!("{game} {rules}: {loser} loses a game: {fault}")));
        }
        let current = &self.matches[assignment.match_index];
        let line = self.line(current);
        if current.left == 0 && self.bar.is_hidden() {
            note(&line);
        }
        self.bar.set_message(line);
        self.bar.inc(1);
    }

    /// The state of a match in one line.
    fn line(&self, it: &Match) -> String {
        let (game, rules) = it.game;
        let [a, b] = it.engines.map(|engine| self.name(engine));
        let MatchScore { wins, draws, losses, .. } = it.score;
        let elo = it.score.elo().map_or(String::new(), |elo| format!(", Elo {:+.0}", elo.mid));
        format!("{game} {rules}: {a} – {b} +{wins} ={draws} -{losses}{elo}")
    }

    fn done(&self) -> u64 {
        self.matches.iter().map(|it| it.score.games()).sum()
    }

    fn print(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let headings = [
            "game", "rules", "engine", "against", "games", "wins", "draws", "losses", "score", "Elo", "95 %",
        ];
        let mut table = Table::new(4, headings);
        for it in &self.matches {
            let MatchScore { wins, draws, losses, .. } = it.score;
            let elo = it.score.elo();
            table.row([
                it.game.0.to_string(),
                it.game.1.to_string(),
                self.name(it.engines[0]).to_owned(),
                self.name(it.engines[1]).to_owned(),
                it.score.games().to_string(),
                wins.to_string(),
                draws.to_string(),
                losses.to_string(),
                it.score.score().map_or("-".to_owned(), |score| format!("{:.1} %", 100.0 * score)),
                elo.map_or("-".to_owned(), |elo| format!("{:+.0}", elo.mid)),
                elo.map_or("-".to_owned(), |elo| format!("{:+.0} … {:+.0}", elo.low, elo.high)),
            ]);
        }
        table.print(out)
    }

    fn json(&self) -> Value {
        let results: Vec<Value> = self
            .matches
            .iter()
            .map(|it| {
                let MatchScore { wins, draws, losses, .. } = it.score;
                json!({
                    "game": it.game.0.name(),
                    "rules": it.game.1.name(),
                    "a": self.name(it.engines[0]),
                    "b": self.name(it.engines[1]),
                    "games": it.score.games(),
                    "wins": wins,
                    "draws": draws,
                    "losses": losses,
                    "score": it.score.score().map(|score| rounded(score, 6)),
                    "elo": it.score.elo().map(|elo| [elo.low, elo.mid, elo.high].map(|elo| rounded(elo, 2))),
                })
            })
            .collect();
        json!({ "results": results })
    }
}

//! `quintet suite`

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, bail};
use quintet_analysis::check_problem;
use quintet_arena::engine::EngineSpec;
use quintet_core::Quoted;
use quintet_core::game::{Outcome, Side};
use quintet_core::registry::Registry;
use quintet_core::search::{Budget, Report};
use quintet_core::session::EngineConfig;
use quintet_protocol::{Problem, SuiteScore};

use super::flags::{SearchFlags, check_names, engine};
use super::interrupt::Interrupt;
use super::output::TextTable;
use super::{Status, input, output};

/// Run engines on positions with known best moves, and count how many they find
///
/// A file has one position per line, as JSON: {"game", "moves", "best"}. "moves" lead from the
/// start to the position, and "best" lists all best moves. Optional are "rules" (by default the
/// game's first), "position" (where the moves start, if not at the start of the game), "unknown" (an
/// answer among these moves is not scored), and "value" (for the role to move, a score that
/// games end with, such as 0, 50 or 100; values that the engine proves are checked against it).
///
/// The table says how many positions are right of those that are scored, and of how many positions
/// with a known value the engine proved the value.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  {name} suite positions.jsonl --engine quintet --engine uct \
                        --iterations 10000 --threads 1")]
pub(crate) struct Args {
    /// The files of positions, or - for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// An engine: random, uct or quintet, with settings after a colon; may be given several times
    #[arg(long = "engine", value_name = "ENGINE", default_value = "quintet", value_parser = engine(false), hide_possible_values = true)]
    engines: Vec<EngineSpec>,
    /// List the positions that an engine got wrong
    #[arg(long)]
    wrong: bool,
    /// Print one JSON object per line, for each file and engine
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    pub(crate) search: SearchFlags,
}

/// An engine's results on a file.
#[derive(Debug, Default)]
struct Score {
    searched: u64,
    right: u64,
    scored: u64,
    proven: u64,
    /// The positions with a known value.
    valued: u64,
    wrong: Vec<String>,
    /// Proven values that are wrong.
    unsound: Vec<String>,
    time: Duration,
}

pub(crate) fn run(args: &Args, games: &Registry, out: &mut dyn Write) -> anyhow::Result<Status> {
    check_names(&args.engines, "")?;
    input::check_stdin(&args.files)?;
    let engines = args.engines.iter().map(|engine| {
        args.search.check_budget(engine)?;
        let config = engine.config(&args.search.settings());
        Ok((engine, config.with_context(|| format!("engine {}", Quoted(&engine.name)))?))
    });
    let engines = engines.collect::<anyhow::Result<Vec<_>>>()?;
    let suites: Vec<_> = args.files.iter().map(|file| read(file, games)).collect::<anyhow::Result<_>>()?;
    // Before, there is nothing to show.
    let interrupt = Interrupt::catch(None)?;
    let mut status = Status::Done;
    let mut table = TextTable::new(2, ["suite", "engine", "right", "of", "share", "proven", "time each"]);
    let mut notes = Vec::new();
    'all: for (file, problems) in args.files.iter().zip(&suites) {
        let suite = file.file_stem().unwrap_or(file.as_os_str()).to_string_lossy();
        for (engine, config) in &engines {
            let score = solve(problems, config, args, games, interrupt.stop())
                .with_context(|| file.display().to_string())?;
            for claim in &score.unsound {
                output::error(&anyhow!("{suite}, {}: {claim}", engine.name));
                status = Status::FoundWrong;
            }
            let (searched, all) = (score.searched, problems.len() as u64);
            if searched > 0 {
                let unscored = score.searched - score.scored;
                if unscored > 0 {
                    let positions = if unscored == 1 { "position is" } else { "positions are" };
                    notes.push(format!(
                        "{suite}, {}: {unscored} {positions} not scored: nobody knows if the move played is best",
                        engine.name
                    ));
                }
                print(&suite, &engine.name, score, args, &mut table, out)?;
            }
            if searched < all {
                let name = &engine.name;
                output::note(format!("{suite}, {name}: interrupted after {searched} of {all} positions"));
                break 'all;
            }
        }
    }
    if !args.json {
        table.print(out)?;
        for note in notes {
            writeln!(out, "{}", output::wrapped(&note))?;
        }
    }
    Ok(interrupt.status(status))
}

/// Prints a score as JSON, or adds it to the table.
fn print(
    suite: &str,
    engine: &str,
    score: Score,
    args: &Args,
    table: &mut TextTable,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let each = score.time.as_secs_f64() / score.searched as f64;
    let share = 100.0 * score.right as f64 / score.scored.max(1) as f64;
    if args.json {
        let line = SuiteScore {
            suite: suite.to_owned(),
            engine: engine.to_owned(),
            right: score.right,
            scored: score.scored,
            proven: score.proven,
            seconds_each: each,
            wrong: score.wrong,
        };
        writeln!(out, "{}", serde_json::to_string(&line)?)?;
        out.flush()?;
        return Ok(());
    }
    table.row([
        suite.to_owned(),
        engine.to_owned(),
        score.right.to_string(),
        score.scored.to_string(),
        format!("{share:.1} %"),
        format!("{}/{}", score.proven, score.valued),
        format!("{:.1} ms", 1e3 * each),
    ]);
    if args.wrong {
        for wrong in score.wrong {
            writeln!(out, "{suite}, {engine}: {wrong}")?;
        }
    }
    Ok(())
}

/// Reads the problems of a file, each with its line number.
fn read(file: &Path, games: &Registry) -> anyhow::Result<Vec<(usize, Problem)>> {
    let mut input = input::open(file)?;
    let mut problems = Vec::new();
    for number in 1.. {
        let place = || format!("{}: line {number}", file.display());
        let Some(line) = quintet_protocol::next_line(&mut input).with_context(place)? else { break };
        let mut problem = line
            .and_then(|line| quintet_protocol::object(&line))
            .and_then(quintet_protocol::read)
            .map_err(|reason| anyhow!("{}: {reason}", place()))?;
        check_problem(&mut problem, games).map_err(|error| anyhow!(error)).with_context(place)?;
        problems.push((number, problem));
    }
    if problems.is_empty() {
        bail!("{} has no positions", file.display());
    }
    Ok(problems)
}

fn solve(
    problems: &[(usize, Problem)],
    engine: &(EngineConfig, Budget),
    args: &Args,
    games: &Registry,
    stop: &AtomicBool,
) -> anyhow::Result<Score> {
    let mut score = Score::default();
    for (number, problem) in problems {
        let found = search(problem, engine, args, games, stop).with_context(|| format!("line {number}"))?;
        if stop.load(Ordering::Relaxed) {
            // The search may have ended too early.
            break;
        }
        score.add(*number, problem, &found);
    }
    Ok(score)
}

/// What an engine found in a position.
struct ProblemResult {
    report: Report<String>,
    /// The side to move.
    side: Side,
    time: Duration,
}

fn search(
    problem: &Problem,
    (config, budget): &(EngineConfig, Budget),
    args: &Args,
    games: &Registry,
    stop: &AtomicBool,
) -> anyhow::Result<ProblemResult> {
    let game = games.find(&problem.game, problem.rules.as_deref())?;
    let mut session = game.set_up(problem.position.as_deref(), problem.moves.iter().map(String::as_str))?;
    let engine = session.add_engine(config)?;
    let start = Instant::now();
    let report = session.think(engine, *budget, args.search.seed(), stop)?;
    Ok(ProblemResult { side: game.roles[report.role].side, report, time: start.elapsed() })
}

impl Score {
    fn add(&mut self, number: usize, problem: &Problem, found: &ProblemResult) {
        self.searched += 1;
        self.time += found.time;
        let best = found.report.best();
        let answer = &best.mv;
        self.valued += u64::from(problem.value.is_some());
        if let Some(value) = problem.value {
            let score = |outcome: Outcome| outcome.score(found.side);
            self.proven += u64::from(found.report.proven.map(score) == Some(value));
            // A best move has the value of the position, and no other move has a higher one.
            let is_best = problem.best.contains(answer);
            let is_wrong = |claimed| is_best && claimed != value || claimed > value;
            if let Some(claimed) = best.proven.map(score).filter(|&claimed| is_wrong(claimed)) {
                self.unsound.push(format!("line {number}: {answer} proven to score {claimed}, not {value}"));
            } else if let Some(claimed) = found.report.proven.map(score).filter(|&claimed| claimed != value) {
                self.unsound.push(format!("line {number}: proven to be worth {claimed}, not {value}"));
            }
        }
        if problem.unknown.contains(answer) {
            return;
        }
        self.scored += 1;
        if problem.best.contains(answer) {
            self.right += 1;
        } else {
            let best = problem.best.join(" ");
            self.wrong.push(format!("line {number}: played {answer}, best {best}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_of_a_problem_are_read_in_any_case() {
        let line = br#"{"game":"gomoku","moves":["F6","e5","G7"],"best":["WHITE"],"unknown":["A1"]}"#;
        let object = quintet_protocol::object(line).expect("an object");
        let mut problem = quintet_protocol::read(object).expect("a problem");
        check_problem(&mut problem, &quintet_games::registry()).expect("legal moves");
        assert_eq!((problem.best, problem.unknown), (vec!["white".to_owned()], vec!["a1".to_owned()]));
    }
}

//! Where puzzles come from: those that come with the program, and the mistakes in games.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context as _;
use quintet_analysis::check_problem;
use quintet_arena::engine::{EngineSpec, Settings};
use quintet_arena::tournament::is_torn;
use quintet_arena::tournament::record::{check_rulesheet, game_of};
use quintet_core::game::{MAX_SCORE, Outcome, Side};
use quintet_core::hash;
use quintet_core::registry::Registry;
use quintet_core::search::Budget;
use quintet_core::session::Session;
use quintet_protocol::{Difficulty, GRADES, Problem, Puzzle, ReplayRecord};

use super::{ENGINE, won_by};
use crate::input;

const WIN: &str = "Find the win.";
const THREAT: &str = "There is a threat: find the answer.";

macro_rules! suites {
    ($($difficulty:ident $task:ident $name:literal,)*) => {
        [$((Difficulty::$difficulty, $task, include_str!(concat!("../../tests/suites/", $name, ".jsonl"))),)*]
    };
}

/// Positions with known best moves, how hard they are, and the task where that does not follow from their value.
const SUITES: &[(Difficulty, &str, &str)] = &suites! {
    Easy WIN "forced-1",
    Easy THREAT "forced-2",
    Medium WIN "forced-3",
    Medium THREAT "forced-4",
    Hard WIN "quarto-spec",
    Hard WIN "quarto-ggp",
    Hard WIN "qubic-spec",
    Hard WIN "qubic-ggp",
    Hard WIN "gomoku-spec",
    Hard WIN "gomoku-ggp",
    Hard WIN "gomoku-ggp-vct",
    Hard WIN "pentago-spec",
    Hard WIN "pentago-ggp",
    Hard WIN "pentago-ggp-vct",
    Hard WIN "krk-spec",
    Hard WIN "krk-ggp",
};

/// The puzzles that come with the program, for its games.
pub(crate) fn built_in(games: &Registry) -> Vec<Puzzle> {
    let of_suite = |&(difficulty, task, text): &(Difficulty, &'static str, &'static str)| {
        text.lines().filter_map(move |line| {
            let mut problem: Problem = serde_json::from_str(line).ok()?;
            // A program of one's own may have other games.
            check_problem(&mut problem, games).ok()?;
            // What is lost anyway is no puzzle.
            let task = match problem.value {
                Some(100) => WIN,
                Some(0) => return None,
                Some(_) => "Hold the draw.",
                None => task,
            };
            Some(of_problem(problem, games, difficulty, task))
        })
    };
    SUITES.iter().flat_map(of_suite).collect()
}

/// The name of a ruleset that may be given by another name.
pub(super) fn ruleset(games: &Registry, game: &str, rules: &str) -> String {
    games.find(game, Some(rules)).map_or_else(|_| rules.to_owned(), |it| it.rules.to_string())
}

/// The puzzle of a problem, whose moves are checked.
fn of_problem(problem: Problem, games: &Registry, difficulty: Difficulty, task: &str) -> Puzzle {
    let Problem { game, rules, position, moves, best, unknown, .. } = problem;
    let rules = games.find(&game, rules.as_deref()).map_or_else(|_| String::new(), |it| it.rules.to_string());
    let key = key(&game, &rules, position.as_deref(), &moves);
    Puzzle { key, game, rules, position, moves, best, unknown, difficulty, task: task.to_owned() }
}

/// What a puzzle is remembered by.
fn key(game: &str, rules: &str, position: Option<&str>, moves: &[String]) -> String {
    format!("{:016x}", hash::of(&(game, rules, position, moves)))
}

/// The mistakes in the games of a file: moves after which the expected score is much less than it was.
pub(super) fn of_games(path: &Path, games: &Registry, stop: &AtomicBool) -> anyhow::Result<Vec<Puzzle>> {
    let name = path.display();
    let mut lines = input::open(path)?;
    let mut puzzles = Vec::new();
    for number in 1.. {
        let cant_read = || format!("can't read {name}");
        let Some(line) = quintet_protocol::next_whole_line(&mut *lines).with_context(cant_read)? else {
            break;
        };
        let is_last = lines.fill_buf().with_context(cant_read)?.is_empty();
        let is_torn = is_last && line.as_ref().is_ok_and(|line| is_torn(line));
        let record = line
            .and_then(|line| quintet_protocol::object(line.trim_ascii_end()))
            .and_then(quintet_protocol::read::<ReplayRecord>);
        // That of an arena that is still played.
        if record.is_err() && is_torn && number > 1 {
            break;
        }
        let record = record.map_err(|error| anyhow::anyhow!("{name}: line {number}: {error}"))?;
        of_game(&record, games, stop, &mut puzzles).with_context(|| format!("{name}: line {number}"))?;
        if stop.load(Ordering::Relaxed) {
            break;
        }
    }
    Ok(puzzles)
}

/// What a move is worth to the side that makes it, by a search of the position after it; `None` if that does not tell.
fn value_after(
    session: &mut dyn Session,
    engine: usize,
    budget: Budget,
    mv: &str,
    stop: &AtomicBool,
) -> anyhow::Result<Option<f64>> {
    let side = session.to_move().map(|role| role.side);
    session.play(mv)?;
    let value = match (side, session.to_move().map(|role| role.side)) {
        (Some(side), None) => Some(f64::from(session.score(side))),
        (side, next) => {
            let report = session.think(engine, budget, 0, stop).ok();
            let value = report.and_then(|report| report.best().value);
            if side == next {
                value
            } else if session.variant().is_for_two_sides() {
                value.map(|value| f64::from(MAX_SCORE) - value)
            } else {
                None
            }
        }
    };
    session.take_back();
    Ok(value)
}

/// The turns of the line in which a side wins, with this move if it is to move; `None` if no win is known.
fn turns_to_win(session: &mut dyn Session, side: Side, mv: Option<&str>) -> Option<usize> {
    if session.outcome() == Some(Outcome::Win(side)) {
        return Some(0);
    }
    let line = won_by(session, side, mv)?.line;
    let (mut turns, mut last, mut played) = (0, None, 0);
    for mv in line {
        let to_move = session.to_move().map(|role| role.side);
        turns += usize::from(to_move != last);
        last = to_move;
        if session.play(&mv).is_err() {
            break;
        }
        played += 1;
    }
    for _ in 0..played {
        session.take_back();
    }
    Some(turns)
}

/// How hard it is to see a win in so many turns.
fn of_turns(turns: Option<usize>) -> Difficulty {
    match turns {
        Some(0..=1) => Difficulty::Easy,
        Some(2..=3) => Difficulty::Medium,
        _ => Difficulty::Hard,
    }
}

/// The least loss of what is called a mistake, in points.
const MISTAKE: f64 = GRADES[1].loss as f64;

/// Adds the mistakes in one game.
fn of_game(
    record: &ReplayRecord,
    games: &Registry,
    stop: &AtomicBool,
    puzzles: &mut Vec<Puzzle>,
) -> anyhow::Result<()> {
    /// What is as good as the best, in points.
    const AS_GOOD: f64 = 5.0;
    let found = game_of(games, &record.game, record.rules.as_deref(), record.rulesheet.as_deref());
    let variant = found.map_err(anyhow::Error::msg)?;
    if let Some(theirs) = &record.rulesheet {
        check_rulesheet(&variant, Some(theirs)).map_err(anyhow::Error::msg)?;
    }
    let engine: EngineSpec = ENGINE.parse().expect("it is an engine");
    let (config, budget) = engine.config(&Settings::default())?;
    let mut session = variant.set_up(record.position.as_deref(), [])?;
    let engine = session.add_engine(&config)?;
    for (ply, played) in record.moves.iter().enumerate() {
        let played = session.canonical_token(played).with_context(|| format!("ply {}", ply + 1))?;
        // Chance makes no mistakes, and what others choose at the same time is not known.
        let is_judged = session.legal_moves().len() > 1 && session.unseen_moves() == 0;
        if let (true, Ok(report)) = (is_judged, session.think(engine, budget, 0, stop)) {
            let value = |mv: &str| report.candidates.iter().find(|it| it.mv == mv).and_then(|it| it.value);
            let best = report.best().value.unwrap_or(0.0);
            // A move that the knowledge of the game rules out has no value.
            let played_value = match value(&played) {
                None if best >= MISTAKE => value_after(&mut *session, engine, budget, &played, stop)?,
                value => value,
            };
            let loss = played_value.map(|value| best - value);
            if report.policies.is_empty() && loss.is_some_and(|loss| loss >= MISTAKE) {
                let is_good = |value: Option<f64>| value.is_some_and(|value| value >= best - AS_GOOD);
                let good = report.candidates.iter().filter(|it| is_good(it.value)).map(|it| it.mv.clone());
                let unknown = report.candidates.iter().filter(|it| it.value.is_none() && it.mv != played);
                let unknown = unknown.map(|it| it.mv.clone());
                let side = variant.roles[report.role].side;
                let loss = loss.unwrap_or(0.0);
                let grade = GRADES.iter().rfind(|it| loss >= f64::from(it.loss)).unwrap_or(&GRADES[0]);
                let is_won = report.proven == Some(Outcome::Win(side));
                let task = if is_won { "a win was missed" } else { "find better" };
                let difficulty = if is_won {
                    of_turns(turns_to_win(&mut *session, side, Some(&*report.best().mv)))
                } else {
                    session.play(&played)?;
                    let turns = turns_to_win(&mut *session, side.opponent(), None);
                    session.take_back();
                    of_turns(turns)
                };
                let task = format!("Move {}: {played}{} was played, {task}.", ply + 1, grade.sign);
                let moves = record.moves[..ply].to_vec();
                puzzles.push(Puzzle {
                    key: key(&variant.game, &variant.rules, record.position.as_deref(), &moves),
                    game: variant.game.to_string(),
                    rules: variant.rules.to_string(),
                    position: record.position.clone(),
                    moves,
                    best: good.collect(),
                    unknown: unknown.collect(),
                    difficulty,
                    task,
                });
            }
        }
        if stop.load(Ordering::Relaxed) {
            return Ok(());
        }
        session.play(&played)?;
    }
    Ok(())
}

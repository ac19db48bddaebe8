//! What the commands answer, as values: for programs that contain this library instead of running
//! `quintet`, such as the Python package.
//!
//! Everything here runs in the calling thread, and on the rayon pool that it belongs to.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use quintet_arena::ProgramConfig;
use quintet_arena::engine::{Models, Settings};
use quintet_core::clock::Clock;
use quintet_core::registry::Registry;
use quintet_core::search::SearchError;
use quintet_core::session::Session;
use quintet_core::solver::Progress;
use quintet_protocol::{Answer, AnswerMoves, GameLine, Query, SolvedPosition};

use crate::answer::AnswerTo;
use crate::query::{Context, Prepared, prepare};
use crate::solve::{self, ProofLimits};

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The input is wrong; the text says what.
    #[error("{0}")]
    Input(String),
    /// The search can't run, for example without enough memory.
    #[error(transparent)]
    Search(#[from] SearchError),
}

/// Returns the lines of `games --json`, in the order of the games.
#[must_use]
pub fn games(games: &Registry) -> Vec<GameLine> {
    games.variants().iter().map(|variant| crate::games::line(variant, games)).collect()
}

/// Answers a query as `analyze` does, until `stop` becomes true. If it asks for partial answers, `watch`
/// gets them.
///
/// The answer is about the position after all moves: `analyze_plies`, `keep` and `priority` have no
/// effect.
///
/// # Errors
/// [`Failure::Input`] with the text that `analyze` answers; [`SearchError::GameOver`] if there is nothing
/// to search; other [`SearchError`]s if the search can't run.
pub fn answer(
    games: &Registry,
    query: &Query,
    stop: &AtomicBool,
    watch: &dyn Fn(AnswerMoves),
) -> Result<AnswerMoves, Failure> {
    let config = ProgramConfig { games: games.clone(), ..ProgramConfig::default() };
    let context = Context { config: &config, models: &Models::default(), limits: None };
    let query = &Query { analyze_plies: None, ..query.clone() };
    let mut prepared = prepare(query, &context).map_err(|wrong| Failure::Input(wrong.error))?;
    match prepared.pop() {
        None | Some((_, Prepared::Over(_))) => Err(SearchError::GameOver.into()),
        Some((_, Prepared::Search(task))) => {
            let mut session = task.session().map_err(Failure::Input)?;
            let watch = |answer| {
                if let Answer::Moves(answer) = answer {
                    watch(*answer);
                }
            };
            Ok(task.search(&mut *session, AnswerTo::default, stop, &watch)?)
        }
    }
}

/// Settles the position of `session` and returns the line of `solve --json`: the value, or its bounds once
/// the time of `settings` is up or `stop` becomes true. Of the settings, `time`, `threads` and `memory`
/// count; without a time, there is no limit.
///
/// # Errors
/// [`SearchError`] if the memory is too little for the threads.
pub fn solve(
    session: &dyn Session,
    settings: &Settings,
    stop: &AtomicBool,
) -> Result<SolvedPosition, SearchError> {
    let limits = ProofLimits::of(settings)?;
    let (clock, progress, start) = (Clock::default(), Progress::new(), Instant::now());
    let settlement = session.settle(&limits.options(start, &clock, &progress, stop));
    Ok(solve::line(session, &settlement, progress.positions(), start.elapsed()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_answered_in_the_calling_thread_and_stops_when_told() {
        let games = quintet_games::registry();
        let query = Query {
            game: "krk".to_owned(),
            moves: vec!["Kc1-c2".to_owned()],
            iterations: std::num::NonZeroU64::new(1_000),
            threads: std::num::NonZeroUsize::new(1),
            ..Query::default()
        };
        let stop = AtomicBool::new(false);
        let found = answer(&games, &query, &stop, &|_| ()).expect("a right query");
        assert_eq!((&*found.game, &*found.to_move, found.id), ("krk", "black", None));
        let wrong = Query { moves: vec!["Kc1-c9".to_owned()], ..query.clone() };
        let error = answer(&games, &wrong, &stop, &|_| ()).expect_err("a wrong move");
        assert!(matches!(&error, Failure::Input(text) if text.contains("Kc1-c9")), "{error}");
        let position = games.find("quarto", Some("ggp")).expect("a game").start();
        let solved = solve(&*position, &Settings::default(), &AtomicBool::new(true)).expect("enough memory");
        assert_eq!((&*solved.game, solved.certificate), ("quarto", None));
    }
}

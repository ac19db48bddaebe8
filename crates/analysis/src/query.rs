//! A query as a search: its checks, the search itself, and its answers.

use std::cmp::Reverse;
use std::mem;
use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use quintet_arena::ProgramConfig;
use quintet_arena::engine::{EngineSpec, Models, Settings, read_memory};
use quintet_core::Quoted;
use quintet_core::game::text::resolve_token;
use quintet_core::game::{Outcome, SetUpError};
use quintet_core::registry::{Registry, Variant};
use quintet_core::search::{Budget, Controls, Report, SearchError};
use quintet_core::session::{EngineConfig, Session};
use quintet_protocol::{Answer, AnswerError, AnswerMoves, Query};

use crate::answer::{self, AnswerTo};
use crate::limits::QueryLimits;
use crate::replay;

/// The number of the only engine of a session.
const ENGINE: usize = 0;

/// What holds for all queries.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Context<'a> {
    /// The games, and what queries leave out.
    pub(crate) config: &'a ProgramConfig,
    /// The models that engines may name.
    pub(crate) models: &'a Models,
    /// The largest settings of a query.
    pub(crate) limits: Option<&'a QueryLimits>,
}

/// A search that is ready to run. It may wait for long, so it takes little memory: its session and its trees
/// are made when it begins.
#[derive(Debug)]
pub(crate) struct Task {
    pub(crate) variant: Variant,
    /// The position string.
    position: String,
    pub(crate) config: EngineConfig,
    budget: Budget,
    seed: u64,
    only: Vec<String>,
    confidence: Option<f64>,
    variations: usize,
    report_every: Option<Duration>,
    /// Whether the answer has the step after its move.
    step: bool,
}

/// What has to be done for a query or for one of its plies.
#[derive(Debug)]
pub(crate) enum Prepared {
    /// A search is to be done.
    Search(Box<Task>),
    /// The game is over.
    Over(Answer),
}

/// Checks a query and returns what has to be done for each of its plies. The game is replayed once.
///
/// # Errors
/// What is wrong with the query, as its answer.
pub(crate) fn prepare(
    query: &Query,
    context: &Context<'_>,
) -> Result<Vec<(Option<usize>, Prepared)>, AnswerError> {
    // A query is refused as a whole, so the error is none of a ply.
    let wrong = |error: String| AnswerError { id: query.id.clone(), ply: None, error };
    let mut game = QueriedGame::of(query, context).map_err(wrong)?;
    game.go_to(query, query.moves.len()).map_err(wrong)?;
    let Some(plies) = &query.analyze_plies else {
        let last = game.at(query, query.moves.len()).map_err(wrong)?;
        return Ok(vec![(None, last)]);
    };
    if plies.is_empty() {
        return Err(wrong("analyze_plies: there is no ply".to_owned()));
    }
    // The last ones first, as the game is at its end: so no move is played twice.
    let mut order: Vec<usize> = (0..plies.len()).collect();
    order.sort_unstable_by_key(|&index| Reverse(plies[index]));
    let mut prepared: Vec<(usize, Prepared)> = Vec::new();
    for index in order {
        let ply = plies[index];
        if ply > query.moves.len() {
            let count = query.moves.len();
            return Err(wrong(format!("analyze_plies: {ply} is beyond the {count} moves")));
        }
        if prepared.last().is_some_and(|&(before, _)| plies[before] == ply) {
            return Err(wrong(format!("analyze_plies: {ply} is there twice")));
        }
        let of_ply = |error| wrong(format!("at ply {ply}: {error}"));
        prepared.push((index, game.at(query, ply).map_err(of_ply)?));
    }
    prepared.sort_unstable_by_key(|&(index, _)| index);
    Ok(prepared.into_iter().map(|(index, prepared)| (Some(plies[index]), prepared)).collect())
}

/// The game of a query, at one of its plies, and what the plies have in common.
struct QueriedGame {
    session: Box<dyn Session>,
    /// The number of moves of the query that were played.
    played: usize,
    config: EngineConfig,
    budget: Budget,
    seed: u64,
}

impl QueriedGame {
    fn of(query: &Query, context: &Context<'_>) -> Result<Self, String> {
        let variant = find(&context.config.games, &query.game, query.rules.as_deref())?;
        let spec: EngineSpec = match &query.engine {
            None => EngineSpec::default(),
            Some(text) => EngineSpec::read(text, context.models).map_err(|error| error.to_string())?,
        };
        let asked = settings(query)?;
        if spec.settings.has_budget() && asked.has_budget() {
            return Err(format!(
                "the engine {} has a budget of its own: leave out iterations and time_ms",
                Quoted(&spec.name)
            ));
        }
        let mut given = asked.or(&context.config.settings);
        if let Some(most) = context.limits {
            let all = spec.settings.or(&given);
            check_limits(&all, most)?;
            given.time = Some(all.time.unwrap_or(most.time));
            given.iterations = all.iterations;
            given.memory = Some(all.memory.unwrap_or(most.memory));
        }
        let (config, budget) = spec.config(&given).map_err(|error| error.to_string())?;
        if let Some(until) = &query.until
            && !(0.5..=1.0).contains(&until.confidence)
        {
            return Err(format!("until: the confidence {} is not from 0.5 to 1", until.confidence));
        }
        if query.keep.as_ref().is_some_and(|name| name.chars().count() > 1000) {
            return Err("keep: the name has more than 1000 characters".to_owned());
        }
        let mut session = variant.start();
        session.reset(query.position.as_deref()).map_err(|error| error.to_string())?;
        session.check_engine(&config).map_err(|error| error.to_string())?;
        Ok(Self { session, played: 0, config, budget, seed: query.seed.unwrap_or(context.config.seed) })
    }

    /// Goes to a ply.
    fn go_to(&mut self, query: &Query, ply: usize) -> Result<(), String> {
        for _ in ply..self.played {
            self.session.take_back();
        }
        self.played = self.played.min(ply);
        for token in &query.moves[self.played..ply] {
            self.played += 1;
            let illegal = |error| SetUpError::Move { ply: self.played, error }.to_string();
            self.session.play(token).map_err(illegal)?;
        }
        Ok(())
    }

    /// Goes to a ply, and returns what has to be done there.
    fn at(&mut self, query: &Query, ply: usize) -> Result<Prepared, String> {
        self.go_to(query, ply)?;
        let session = &mut *self.session;
        if session.outcome().is_some() {
            let answered =
                AnswerTo { id: Some(query.id.clone()), ply: query.analyze_plies.as_ref().map(|_| ply) };
            return Ok(Prepared::Over(answer::terminal(answered, session)));
        }
        let only = choice(query, session)?;
        Ok(Prepared::Search(Box::new(Task {
            variant: session.variant().clone(),
            position: session.position(),
            config: self.config.clone(),
            budget: self.budget,
            seed: self.seed,
            only,
            confidence: query.until.as_ref().map(|until| until.confidence),
            variations: query.variations.map_or(0, NonZeroUsize::get),
            report_every: query.report_every_ms.map(|ms| Duration::from_millis(ms.get())),
            step: query.step,
        })))
    }
}

/// Finds a game by its name and that of a ruleset.
pub(crate) fn find(games: &Registry, game: &str, rules: Option<&str>) -> Result<Variant, String> {
    games.find(game, rules).map_err(|error| error.to_string())
}

/// Returns the settings of a query.
fn settings(query: &Query) -> Result<Settings, String> {
    let memory =
        |text: &String| read_memory(text).map_err(|reason| format!("memory: {} {reason}", Quoted(text)));
    Ok(Settings {
        iterations: query.iterations.map(NonZeroU64::get),
        time: query.time_ms.map(|ms| Duration::from_millis(ms.get())),
        threads: query.threads,
        trees: query.trees,
        memory: query.memory.as_ref().map(memory).transpose()?,
        ..Settings::default()
    })
}

fn check_limits(settings: &Settings, most: &QueryLimits) -> Result<(), String> {
    if settings.time.is_some_and(|time| time > most.time) {
        return Err(format!("time_ms: at most {} are allowed here", most.time.as_millis()));
    }
    for (field, given) in [("threads", settings.threads), ("trees", settings.trees)] {
        if given.is_some_and(|given| given.get() > most.threads) {
            return Err(format!("{field}: at most {} are allowed here", most.threads));
        }
    }
    if settings.memory.is_some_and(|memory| memory > most.memory) {
        return Err(format!("memory: at most {} MiB are allowed here", most.memory >> 20));
    }
    Ok(())
}

/// Returns the moves to choose from; none stands for all. Each token has to mean a move of its own, so there
/// are no more of them than legal moves.
fn choice(query: &Query, session: &dyn Session) -> Result<Vec<String>, String> {
    let (field, given) = match (&query.allow_moves, &query.avoid_moves) {
        (None, None) => return Ok(Vec::new()),
        (Some(_), Some(_)) => return Err("give allow_moves or avoid_moves, not both".to_owned()),
        (Some(allowed), None) => ("allow_moves", allowed),
        (None, Some(avoided)) => ("avoid_moves", avoided),
    };
    let mut legal = session.legal_moves();
    let mut is_given = vec![false; legal.len()];
    for token in given {
        // A game may know more ways to write its moves.
        let canonical = || session.canonical_token(token).ok();
        let index = resolve_token(token, &legal)
            .or_else(|| canonical().and_then(|token| legal.iter().position(|it| *it == token)))
            .ok_or_else(|| format!("{field}: {} is no legal move", Quoted(token)))?;
        if mem::replace(&mut is_given[index], true) {
            return Err(format!("{field}: {} is there twice", Quoted(token)));
        }
    }
    let mut is_given = is_given.into_iter();
    legal.retain(|_| is_given.next() == Some(query.allow_moves.is_some()));
    if legal.is_empty() {
        return Err(format!("{field}: no legal move is left"));
    }
    Ok(legal)
}

impl Task {
    /// The number of threads that it can use.
    pub(crate) fn threads(&self) -> usize {
        let all = rayon::current_num_threads();
        self.config.search().map_or(1, |config| config.threads.map_or(all, |most| all.min(most.get())))
    }

    /// The bytes that the nodes of its trees may take.
    pub(crate) fn memory(&self) -> usize {
        self.config.search().map_or(0, |config| config.memory)
    }

    /// Returns the game at the position, with an engine.
    pub(crate) fn session(&self) -> Result<Box<dyn Session>, String> {
        let mut session = self.variant.start();
        self.go_to(&mut *session)?;
        session.add_engine(&self.config).map_err(|error| error.to_string())?;
        Ok(session)
    }

    /// Sets the position of a session of the game.
    pub(crate) fn go_to(&self, session: &mut dyn Session) -> Result<(), String> {
        session.reset(Some(&self.position)).map_err(|error| error.to_string())
    }

    /// Searches in the trees of `session`, gives the partial answers to `on_partial`, and returns the last
    /// one. `answered` names the query. The session may be at another position in the end.
    pub(crate) fn search(
        &self,
        session: &mut dyn Session,
        answered: impl Fn() -> AnswerTo,
        stop: &AtomicBool,
        on_partial: &dyn Fn(Answer),
    ) -> Result<AnswerMoves, SearchError> {
        let (variant, variations, report_every) = (self.variant.clone(), self.variations, self.report_every);
        let begin = Instant::now();
        let mut reported = 0;
        let mut watch = |report: Report<String>| {
            // A report is due at each multiple of the time, and given at the first chance after it.
            if let Some(every) = report_every
                && let due = begin.elapsed().as_millis() / every.as_millis().max(1)
                && due > reported
            {
                reported = due;
                on_partial(answer::partial(answered(), &variant, &report, variations));
            }
        };
        let controls = Controls {
            only: self.only.clone(),
            confidence: self.confidence,
            variations: variations.max(1),
            watch: if report_every.is_some() { Some(&mut watch) } else { None },
            ..Controls::new(stop)
        };
        let report = session.think_with(ENGINE, self.budget, self.seed, controls)?;
        let mut answer = answer::moves(answered(), session, ENGINE, &report, variations);
        let side = variant.roles[report.role].side;
        if self.step {
            session.play(&answer.best)?;
            answer.step = Some(Box::new(replay::last_shown(session)));
        } else if self.only.is_empty() || report.best().proven == Some(Outcome::Win(side)) {
            // Where not all moves may be chosen, a loss is none of the position.
            answer.win = answer::win_of(session, ENGINE, &report).map(Box::new);
        }
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prepared(query: &Query) -> Result<Vec<(Option<usize>, Prepared)>, AnswerError> {
        let config = ProgramConfig { games: quintet_games::registry(), ..ProgramConfig::default() };
        prepare(query, &Context { config: &config, models: &Models::default(), limits: None })
    }

    #[test]
    fn a_search_that_waits_has_its_position_in_the_words_of_the_game() {
        let start = quintet_games::registry().find("krk", None).expect("a game").start();
        let blank = " ".repeat(1 << 20);
        let query = Query {
            game: "krk".to_owned(),
            position: Some(start.position().replacen(' ', &blank, 1)),
            moves: vec!["Kc1-c2".to_owned(), "ka4-a3".to_owned()],
            analyze_plies: Some(vec![1, 0, 2]),
            ..Query::default()
        };
        let found = prepared(&query).unwrap_or_else(|error| panic!("{}", error.error));
        for (ply, prepared) in found {
            let Prepared::Search(task) = prepared else { panic!("the game goes on") };
            let moves = query.moves[..ply.expect("it has one")].iter().map(String::as_str);
            let session = start.variant().set_up(None, moves).expect("legal moves");
            assert_eq!(task.position, session.position());
        }
    }

    #[test]
    fn a_query_is_refused_as_a_whole() {
        let query = Query {
            game: "krk".to_owned(),
            moves: ["Kc1-c2", "ka4-a3", "no move"].map(str::to_owned).to_vec(),
            ..Query::default()
        };
        // Also a move that none of its plies comes to.
        for plies in [Some(vec![0]), Some(vec![1, 3, 2]), None] {
            let error = prepared(&Query { analyze_plies: plies, ..query.clone() }).expect_err("a wrong move");
            assert!(
                error.ply.is_none() && error.error.starts_with("ply 3: illegal move "),
                "{}",
                error.error
            );
        }
        let moves = vec!["Kc1-c2".to_owned()];
        let allow_moves = Some(vec!["Kc1-b2".to_owned()]);
        let query = Query { moves, allow_moves, analyze_plies: Some(vec![0, 1]), ..query };
        let error = prepared(&query).expect_err("a move that is not legal there");
        assert_eq!((error.ply, &*error.error), (None, "at ply 1: allow_moves: \"Kc1-b2\" is no legal move"));
    }

    #[test]
    fn each_token_of_a_choice_means_a_move_of_its_own() {
        let query = |tokens: &[&str]| Query {
            game: "krk".to_owned(),
            allow_moves: Some(tokens.iter().map(|&token| token.to_owned()).collect()),
            ..Query::default()
        };
        let only = |tokens: &[&str]| match prepared(&query(tokens)) {
            Ok(prepared) => match prepared.into_iter().next() {
                Some((None, Prepared::Search(task))) => Ok(task.only),
                _ => panic!("one search is expected"),
            },
            Err(error) => Err(error.error),
        };
        assert_eq!(only(&["KC1-D2", "Kc1-b1"]).map(|it| it.len()), Ok(2));
        for token in ["Kc1-b1", "KC1-B1"] {
            let tokens = [&["Kc1-b1"], &*vec![token; 100_000]].concat();
            assert_eq!(only(&tokens), Err(format!("allow_moves: \"{token}\" is there twice")));
        }
    }

    #[test]
    fn plies_are_prepared_in_the_order_of_the_query() {
        let query = Query {
            game: "krk".to_owned(),
            moves: ["Kc1-c2", "ka4-a3"].map(str::to_owned).to_vec(),
            analyze_plies: Some(vec![1, 0, 2]),
            ..Query::default()
        };
        let found = prepared(&query).unwrap_or_else(|error| panic!("{}", error.error));
        assert_eq!(found.iter().map(|it| it.0).collect::<Vec<_>>(), [Some(1), Some(0), Some(2)]);
        let error =
            prepared(&Query { analyze_plies: Some(vec![1, 0, 1]), ..query }).expect_err("a ply twice");
        assert_eq!(error.error, "analyze_plies: 1 is there twice");
    }
}

//! A query as a search: its checks, the search itself, and its answers.

use std::collections::HashSet;
use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use quintet_arena::ProgramConfig;
use quintet_arena::engine::{EngineSpec, Models, Settings};
use quintet_core::Quoted;
use quintet_core::registry::{Registry, Variant};
use quintet_core::search::{Budget, Controls, Report, SearchError};
use quintet_core::session::{EngineConfig, Session};
use quintet_protocol::{Answer, AnswerError, AnswerMoves, Query};

use crate::answer::{self, AnswerTo};
use crate::limits::QueryLimits;

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
    game: Arc<GameSoFar>,
    /// The number of moves before the position.
    plies: usize,
    pub(crate) config: EngineConfig,
    budget: Budget,
    seed: u64,
    only: Vec<String>,
    confidence: Option<f64>,
    variations: usize,
    report_every: Option<Duration>,
}

/// The start of a game and its moves, in the words of the game: those of a client may be of any length.
#[derive(Debug)]
struct GameSoFar {
    /// The position string of the start; `None` for the start position.
    start: Option<String>,
    moves: Vec<String>,
}

impl GameSoFar {
    /// The game up to the first thing that is wrong with it.
    fn new(variant: Variant, position: Option<&str>, moves: &[String]) -> Self {
        let mut session = variant.start();
        let is_set = position.is_some() && session.reset(position).is_ok();
        let start = is_set.then(|| session.position());
        // After the first wrong move nothing is played.
        let _ = moves.iter().try_for_each(|token| session.play(token));
        Self { start, moves: session.moves() }
    }
}

/// What has to be done for a query or for one of its plies.
#[derive(Debug)]
pub(crate) enum Prepared {
    /// A search is to be done.
    Search(Box<Task>),
    /// The game is over.
    Over(Answer),
}

/// Checks a query and returns what has to be done for each of its plies.
///
/// # Errors
/// What is wrong with the query, as its answer.
pub(crate) fn prepare(
    query: &Query,
    context: &Context<'_>,
) -> Result<Vec<(Option<usize>, Prepared)>, AnswerError> {
    let wrong = |ply| move |error: String| AnswerError { id: query.id.clone(), ply, error };
    let of_query = Common::of(query, context).map_err(wrong(None))?;
    let Some(plies) = &query.analyze_plies else {
        let all = of_query.at(query, None, &query.moves).map_err(wrong(None))?;
        return Ok(vec![(None, all)]);
    };
    if plies.is_empty() {
        return Err(wrong(None)("analyze_plies: there is no ply".to_owned()));
    }
    let mut prepared = Vec::new();
    for (index, &ply) in plies.iter().enumerate() {
        let moves = query.moves.get(..ply).ok_or_else(|| {
            wrong(None)(format!("analyze_plies: {ply} is beyond the {} moves", query.moves.len()))
        })?;
        if plies[..index].contains(&ply) {
            return Err(wrong(None)(format!("analyze_plies: {ply} is there twice")));
        }
        prepared.push((Some(ply), of_query.at(query, Some(ply), moves).map_err(wrong(Some(ply)))?));
    }
    Ok(prepared)
}

/// Checks a query and returns what has to be done for the position after all of its moves.
pub(crate) fn prepare_last(query: &Query, context: &Context<'_>) -> Result<Prepared, String> {
    Common::of(query, context)?.at(query, None, &query.moves)
}

/// What the plies of a query have in common.
struct Common {
    variant: Variant,
    game: Arc<GameSoFar>,
    config: EngineConfig,
    budget: Budget,
    seed: u64,
}

impl Common {
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
        let plies = query.analyze_plies.as_ref().and_then(|plies| plies.iter().max().copied());
        let moves = plies.and_then(|plies| query.moves.get(..plies)).unwrap_or(&query.moves);
        let game = Arc::new(GameSoFar::new(variant, query.position.as_deref(), moves));
        Ok(Self { variant, game, config, budget, seed: query.seed.unwrap_or(context.config.seed) })
    }

    fn at(&self, query: &Query, ply: Option<usize>, moves: &[String]) -> Result<Prepared, String> {
        let tokens = moves.iter().map(String::as_str);
        let session =
            self.variant.set_up(query.position.as_deref(), tokens).map_err(|error| error.to_string())?;
        session.check_engine(&self.config).map_err(|error| error.to_string())?;
        let answered = AnswerTo { id: Some(query.id.clone()), ply };
        if session.outcome().is_some() {
            return Ok(Prepared::Over(answer::terminal(answered, &*session)));
        }
        let only = choice(query, &*session)?;
        Ok(Prepared::Search(Box::new(Task {
            variant: self.variant,
            game: Arc::clone(&self.game),
            plies: moves.len(),
            config: self.config.clone(),
            budget: self.budget,
            seed: self.seed,
            only,
            confidence: query.until.as_ref().map(|until| until.confidence),
            variations: query.variations.map_or(0, NonZeroUsize::get),
            report_every: query.report_every_ms.map(|ms| Duration::from_millis(ms.get())),
        })))
    }
}

/// Finds a game by its name and that of a ruleset.
pub(crate) fn find(games: &Registry, game: &str, rules: Option<&str>) -> Result<Variant, String> {
    games.find(game, rules).map_err(|error| error.to_string())
}

/// Returns the settings of a query.
fn settings(query: &Query) -> Result<Settings, String> {
    let mut settings = Settings {
        iterations: query.iterations.map(NonZeroU64::get),
        time: query.time_ms.map(|ms| Duration::from_millis(ms.get())),
        threads: query.threads,
        ..Settings::default()
    };
    if let Some(text) = &query.memory {
        settings.set("memory", text).map_err(|reason| format!("memory: {} {reason}", Quoted(text)))?;
    }
    Ok(settings)
}

fn check_limits(settings: &Settings, most: &QueryLimits) -> Result<(), String> {
    if settings.time.is_some_and(|time| time > most.time) {
        return Err(format!("time_ms: at most {} are allowed here", most.time.as_millis()));
    }
    if settings.trees().get() > most.threads {
        return Err(format!("threads: at most {} are allowed here", most.threads));
    }
    if settings.memory.is_some_and(|memory| memory > most.memory) {
        return Err(format!("memory: at most {} MiB are allowed here", most.memory >> 20));
    }
    Ok(())
}

/// Returns the moves to choose from; none stands for all.
fn choice(query: &Query, session: &dyn Session) -> Result<Vec<String>, String> {
    let (field, given) = match (&query.allow_moves, &query.avoid_moves) {
        (None, None) => return Ok(Vec::new()),
        (Some(_), Some(_)) => return Err("give allow_moves or avoid_moves, not both".to_owned()),
        (Some(allowed), None) => ("allow_moves", allowed),
        (None, Some(avoided)) => ("avoid_moves", avoided),
    };
    let token = |given: &String| {
        session.token(given).map_err(|_| format!("{field}: {} is no legal move", Quoted(given)))
    };
    let given: HashSet<String> = given.iter().map(token).collect::<Result<_, _>>()?;
    let mut legal = session.legal_moves();
    legal.retain(|token| given.contains(token) == query.allow_moves.is_some());
    if legal.is_empty() {
        return Err(format!("{field}: no legal move is left"));
    }
    Ok(legal)
}

impl Task {
    /// The number of trees, which is the number of threads that it can use.
    pub(crate) fn trees(&self) -> usize {
        self.config.search().map_or(1, |config| config.trees.get())
    }

    /// The bytes that the nodes of its trees may take.
    pub(crate) fn memory(&self) -> usize {
        self.config.search().map_or(0, |config| config.memory)
    }

    /// The position string of the start; `None` for the start position.
    pub(crate) fn start(&self) -> Option<&str> {
        self.game.start.as_deref()
    }

    /// The moves from the start to the position.
    pub(crate) fn moves(&self) -> &[String] {
        &self.game.moves[..self.plies.min(self.game.moves.len())]
    }

    /// Returns the game at the position, with an engine.
    pub(crate) fn session(&self) -> Result<Box<dyn Session>, String> {
        let moves = self.moves().iter().map(String::as_str);
        let session = self.variant.set_up(self.game.start.as_deref(), moves);
        let mut session = session.map_err(|error| error.to_string())?;
        session.add_engine(&self.config).map_err(|error| error.to_string())?;
        Ok(session)
    }

    /// Searches in the trees of `session`, gives the partial answers to `on_partial`, and returns the last
    /// one. `answered` names the query.
    pub(crate) fn search(
        &self,
        session: &mut dyn Session,
        answered: impl Fn() -> AnswerTo,
        stop: &AtomicBool,
        on_partial: &dyn Fn(Answer),
    ) -> Result<AnswerMoves, SearchError> {
        let (variant, variations, report_every) = (self.variant, self.variations, self.report_every);
        let begin = Instant::now();
        let mut reported = 0;
        let mut watch = |report: Report<String>| {
            // A report is due at each multiple of the time, and given at the first chance after it.
            if let Some(every) = report_every
                && let due = begin.elapsed().as_millis() / every.as_millis().max(1)
                && due > reported
            {
                reported = due;
                on_partial(answer::partial(answered(), variant, &report, variations));
            }
        };
        let controls = Controls {
            stop,
            only: self.only.clone(),
            confidence: self.confidence,
            variations: variations.max(1),
            watch: if report_every.is_some() { Some(&mut watch) } else { None },
        };
        let report = session.think_with(ENGINE, self.budget, self.seed, controls)?;
        Ok(answer::moves(answered(), session, ENGINE, &report, variations))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_that_waits_has_its_game_once_in_the_words_of_the_game() {
        let games = quintet_games::registry();
        let config = ProgramConfig { games: games.clone(), ..ProgramConfig::default() };
        let context = Context { config: &config, models: &Models::default(), limits: None };
        let start = games.find("krk", None).expect("a game").start();
        let blank = " ".repeat(1 << 20);
        let query = Query {
            game: "krk".to_owned(),
            position: Some(start.position().replacen(' ', &blank, 1)),
            moves: vec!["Kc1-c2".to_owned(), "ka4-a3".to_owned()],
            analyze_plies: Some(vec![0, 1, 2]),
            ..Query::default()
        };
        let prepared = prepare(&query, &context).unwrap_or_else(|error| panic!("{}", error.error));
        let tasks: Vec<_> = prepared
            .into_iter()
            .map(|(ply, it)| match it {
                Prepared::Search(task) => (ply, task),
                Prepared::Over(_) => panic!("the game goes on"),
            })
            .collect();
        assert_eq!(tasks.len(), 3);
        for (ply, task) in &tasks {
            assert_eq!(task.game.start, Some(start.position()));
            assert_eq!(Some(task.moves().len()), *ply);
            assert!(Arc::ptr_eq(&task.game, &tasks[0].1.game));
        }
    }
}

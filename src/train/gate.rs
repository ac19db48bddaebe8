//! The match that decides whether a new model is kept.

use std::num::{NonZeroU64, NonZeroUsize};

use anyhow::anyhow;
use quintet_arena::engine::{EngineKind, EngineSpec, ModelFile, Settings};
use quintet_arena::stats::Hypothesis;
use quintet_arena::tournament::{Adjudication, Campaign, Format, Openings, Tournament, resume};
use quintet_core::learned::Model;
use quintet_core::registry::Variant;

use super::Training;
use super::folder::Folder;
use crate::arena::longest_opening;
use crate::arena::play::play;

/// Whether the match has only openings whose result is not known.
const UNDECIDED: bool = true;

fn openings(plies: usize, game: &Variant) -> Openings {
    Openings::Random { plies: plies.min(longest_opening(game)) }
}

/// Checks that there are openings of so many plies for the match, which comes after hours of games.
pub(super) fn check_openings(plies: usize, game: &Variant, seed: u64) -> anyhow::Result<()> {
    let found = openings(plies, game).try_draw(game, seed, UNDECIDED);
    found.map_err(|reason| anyhow!("--random-plies {plies}: {reason}"))
}

/// Plays the match of a generation's model against that of the generation `before`, or against the
/// engine without a model. Returns its result and whether the test accepts that the new one is stronger;
/// `None` if it was stopped.
pub(super) fn decide(
    training: &Training<'_>,
    number: u32,
    model: &Model,
    before: Option<&(u32, Model)>,
) -> anyhow::Result<Option<([u32; 5], bool)>> {
    let Training { args, program, game, folder, stop } = training;
    let steps = &args.steps;
    // The folder may have another name later.
    let engine = |name: &str, model: Option<(u32, &Model)>| {
        let model = model.map(|(number, model)| ModelFile::new(&Folder::model_name(number), model.clone()));
        let settings = Settings { model, ..Settings::default() };
        EngineSpec { name: name.to_owned(), kind: EngineKind::Quintet, settings }
    };
    let before = before.map(|(number, model)| (*number, model));
    let tournament = Tournament {
        program: program.title(),
        variants: vec![game.clone()],
        engines: vec![engine("new", Some((number, model))), engine("before", before)],
        format: Format::RoundRobin,
        defaults: Settings {
            iterations: Some(steps.iterations.get()),
            threads: Some(NonZeroUsize::MIN),
            ..Settings::default()
        },
        games: steps.match_games as usize,
        openings: openings(steps.random_plies, game),
        undecided: UNDECIDED,
        adjudication: Adjudication { resign: None, draw: None },
        seed: training.seed(number, 2),
    };
    let schedule = tournament.schedule();
    let (log, known) = resume(&folder.match_path(number), &tournament, &schedule, &program.games)?;
    let campaign = Campaign {
        tournament: &tournament,
        schedule,
        test: Some(steps.sprt),
        concurrency: training.concurrency(),
        remote: None,
        stop,
    };
    let (standings, played) = play(&campaign, Some(log), &known, NonZeroU64::MAX);
    played?;
    let results = &standings.matches[0].results;
    let verdict = results.verdict();
    let is_whole = (0..tournament.games / 2).all(|pair| results.is_complete(pair));
    if verdict.is_none() && !is_whole {
        return Ok(None);
    }
    let pairs = &results.in_order().groups;
    let count = |half_points: usize| pairs.counts().get(half_points).map_or(0, |&pairs| pairs as u32);
    Ok(Some((std::array::from_fn(count), verdict == Some(Hypothesis::H1))))
}

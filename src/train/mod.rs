//! `quintet train`

mod folder;
mod gate;

use std::io::Write;
use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::bail;
use quintet_arena::stats::Sprt;
use quintet_arena::training::{Fitted, SelfGame, SelfPlay, fit};
use quintet_core::game::derive_seed;
use quintet_core::learned::{FeatureCounts, Model, Network};
use quintet_core::registry::Variant;
use quintet_core::search::Budget;
use rayon::prelude::*;

use super::flags::{GameFlags, concurrency, cores, positive, time};
use super::interrupt::Interrupt;
use super::output::{bar, counted, note};
use super::{Program, Status, WorkError, start_thread};
use folder::{BEST, Folder, Generation, Setup, fingerprint};

/// Train a model of a game by games of the engine against itself
///
/// A model says which moves are promising and how good a position is, by whole-number weights of
/// the features that the game shows. A generation has three steps: the engine plays games against
/// itself with the best model so far; a new model is fitted to the searches and results of the last
/// four generations; and it becomes the best one if it wins a match against the one before, by a sequential
/// probability ratio test. The first is tested against the engine as it comes. A game needs
/// features for this: of quintet's, gomoku and pentago have them.
///
/// The folder gets `best.model`, which engines take as in `quintet:model=FOLDER/best.model`, once a model
/// wins its match, and everything that led to it. The same settings and seed give the same model on every machine.
///
/// Ctrl-C stops it; --resume goes on where it was stopped.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  {name} train {trained} --out {trained}-model --time 10m\n  \
                        {name} arena {trained} --engine new=quintet:model={trained}-model/best.model \\\n    \
                        --engine quintet --time 50ms --threads 1")]
pub(crate) struct Args {
    #[command(flatten)]
    game: GameFlags,
    /// The folder for the models and games; one that has a training is refused
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Go on with the training in the folder, whose settings must be the same; if there is none,
    /// begin
    #[arg(long)]
    resume: bool,
    /// End after this many generations, those before --resume included
    #[arg(long, value_name = "N", default_value = "10", value_parser = positive::<NonZeroU32>)]
    generations: NonZeroU32,
    /// Stop after this time, such as 10m or 3h [default: no limit]
    #[arg(long, value_parser = time)]
    time: Option<Duration>,
    /// Games processed at the same time [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = concurrency)]
    concurrency: Option<NonZeroUsize>,
    #[command(flatten)]
    steps: StepFlags,
}

/// What a generation is.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Generations")]
struct StepFlags {
    /// Games that the engine plays against itself
    #[arg(long, value_name = "N", default_value = "1000", value_parser = positive::<NonZeroUsize>)]
    games: NonZeroUsize,
    /// Single positions beside these games, of games whose moves are drawn by their weights, each searched
    /// once, with four times the iterations
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    positions: usize,
    /// Iterations of each search in these games and in the match
    #[arg(long, value_name = "N", default_value = "400", value_parser = iterations)]
    iterations: NonZeroU64,
    /// The maximum random plies at the start of each game; in the match all games have as many
    #[arg(long, value_name = "N", default_value_t = 6)]
    random_plies: usize,
    /// The share of new positions that the model evaluates, 0 to 1 in steps of 1/256; the game's
    /// knowledge evaluates the others
    #[arg(long, value_name = "SHARE", default_value_t = 0.5, value_parser = share)]
    evaluations: f32,
    /// The exploration constant of searches with the model
    #[arg(long, value_name = "C", default_value_t = 1.5, value_parser = exploration)]
    exploration: f32,
    /// The maximum games of the match, an even number
    #[arg(long, value_name = "N", default_value = "400", value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    match_games: u32,
    /// The test of the match, as of `arena`
    #[arg(long, value_name = "TEST", default_value = "elo0=0,elo1=30")]
    sprt: Sprt,
    /// Seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

impl StepFlags {
    /// The games and single positions of a generation.
    fn lines(&self) -> usize {
        self.games.get().saturating_add(self.positions)
    }
}

/// Parses iterations of which a single position can have more than a game.
fn iterations(text: &str) -> Result<NonZeroU64, String> {
    let most = Budget::MAX_ITERATIONS_PER_TREE / SelfPlay::MORE_ITERATIONS;
    let iterations = text.parse().ok().filter(|it: &NonZeroU64| it.get() <= most);
    iterations.ok_or_else(|| format!("must be a whole number from 1 to {most}"))
}

fn share(text: &str) -> Result<f32, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "must be a number from 0 to 1".to_owned())
}

fn exploration(text: &str) -> Result<f32, String> {
    let c = text.parse().ok().filter(|c: &f32| c.is_finite() && *c >= 0.0);
    c.ok_or_else(|| "must be a number of at least 0".to_owned())
}

pub(crate) fn run(args: &Args, program: &Program, out: &mut dyn Write) -> anyhow::Result<Status> {
    let game = args.game.find(&program.games)?;
    if game.rulesheet.is_some() && game.features.is_none() {
        bail!(
            "{game} is the game of a rulesheet, and has no features that a model could weigh: they would have to be \
             made of its facts, and each game would need a model of its own (docs/gdl.md)"
        );
    }
    if !game.is_for_two_sides() || game.kind.has_chance() {
        bail!("{game}: a model is trained for a game of two sides that share the score, without chance");
    }
    let Some(features) = game.features else {
        let with = program.games.variants().iter().filter(|it| it.features.is_some());
        let names: Vec<String> = with.map(ToString::to_string).collect();
        let known = match &names[..] {
            [] => "no game has".to_owned(),
            [one] => format!("{one} has"),
            _ => format!("{} have", names.join(", ")),
        };
        bail!("{game} has no features that a model could weigh; {known}");
    };
    if args.steps.match_games % 2 == 1 {
        let games = args.steps.match_games;
        bail!("--match-games {games} is odd: every opening is played twice, once from each seat");
    }
    gate::check_openings(args.steps.random_plies, &game, args.steps.seed)?;
    let (folder, done) = Folder::open(&args.out, args.resume, &args.setup(program, &game))?;
    let is_complete = done.len() >= args.generations.get() as usize;
    let (interrupt, over) = stops(args.time)?;
    let training = Training { args, program, game: game.clone(), folder, stop: &over };
    let start = Model::new(
        [&game.game, &game.rules],
        &args.made_by(program, &game, 0),
        (args.steps.exploration, (args.steps.evaluations * 256.0).round() as u32),
        Network::start(features.positions, args.steps.seed),
        vec![0; features.moves],
    );
    let done = training.run(&start, done, out)?;
    let last = done.last().map(|it| it.number);
    if let Some(last) = last.filter(|_| !done.iter().any(|it| it.is_kept)) {
        let model = args.out.join(Folder::model_name(last));
        note(format!(
            "no model has won its match so far, so there is no {}; {} plays, too, and more --games or \
             --match-games make better ones",
            args.out.join(BEST).display(),
            model.display()
        ));
    }
    let generations = done.len() as u32;
    let done = counted(u64::from(generations), "generation");
    if generations >= args.generations.get() {
        if is_complete {
            note(format!("{done} were done before; more come with --generations"));
        }
    } else if interrupt.is_requested() {
        note(format!("stopped after {done}; to go on, add --resume"));
        return Ok(Status::Interrupted);
    } else {
        note(format!("the time is over after {done}; to go on, add --resume"));
    }
    Ok(Status::Done)
}

/// Catches Ctrl-C. Returns what becomes true then, or when the time is over.
fn stops(time: Option<Duration>) -> anyhow::Result<(Interrupt, Arc<AtomicBool>)> {
    let over = Arc::new(AtomicBool::new(false));
    let (by_request, by_time) = (Arc::clone(&over), Arc::clone(&over));
    let interrupt = Interrupt::catch_and(move || {
        by_request.store(true, Ordering::Relaxed);
        note(super::arena::play::STOPPING);
    })?;
    if let Some(time) = time {
        start_thread(move || {
            thread::sleep(time);
            by_time.store(true, Ordering::Relaxed);
        })?;
    }
    Ok((interrupt, over))
}

impl Args {
    fn setup(&self, program: &Program, game: &Variant) -> Setup {
        let steps = &self.steps;
        Setup {
            program: program.title(),
            game: [&game.game, &game.rules].map(ToString::to_string),
            games: steps.games.get(),
            positions: steps.positions,
            iterations: steps.iterations.get(),
            random_plies: steps.random_plies,
            evaluations: steps.evaluations.to_string(),
            exploration: steps.exploration.to_string(),
            match_games: steps.match_games,
            sprt: steps.sprt.to_string(),
            seed: steps.seed,
            features: game.features.map_or([0; 2], |it| [it.positions, it.moves]),
        }
    }

    /// The command that makes the model of a generation.
    fn made_by(&self, program: &Program, game: &Variant, generation: u32) -> String {
        let Variant { game, rules, .. } = game;
        let StepFlags {
            games,
            positions,
            iterations,
            random_plies,
            evaluations,
            exploration,
            match_games,
            sprt,
            seed,
        } = &self.steps;
        format!(
            "{} train {game} --rules {rules} --games {games} --positions {positions} --iterations {iterations} --random-plies {random_plies} \
             --evaluations {evaluations} --exploration {exploration} --match-games {match_games} \
             --sprt {sprt} --seed {seed}, generation {generation}, {}",
            program.name,
            program.title()
        )
    }
}

/// A training under way.
struct Training<'a> {
    args: &'a Args,
    program: &'a Program,
    game: Variant,
    folder: Folder,
    stop: &'a AtomicBool,
}

/// The generations whose games a model is fitted to.
const WINDOW: usize = 4;

impl Training<'_> {
    /// Runs generations until all are done or it is stopped; `done` are those of earlier runs. Returns
    /// all that are done.
    fn run(
        &self,
        start: &Model,
        mut done: Vec<Generation>,
        out: &mut dyn Write,
    ) -> anyhow::Result<Vec<Generation>> {
        let features =
            FeatureCounts { positions: start.of_positions().linear.len(), moves: start.of_moves().len() };
        let mut best = match done.iter().rev().find(|it| it.is_kept) {
            Some(kept) => Some((kept.number, self.folder.model(kept, features)?)),
            None => None,
        };
        if let Some((_, model)) = &best {
            // Somebody may have taken it away.
            self.folder.write_model(BEST, model)?;
        }
        let newest = self.args.steps.lines();
        let mut window = Vec::new();
        for generation in done.iter().rev().take(WINDOW - 1).rev() {
            window.push(self.folder.games(&self.game, generation.number, newest)?);
        }
        for generation in &done {
            writeln!(out, "{generation}")?;
        }
        for number in done.len() as u32 + 1..=self.args.generations.get() {
            let Some(games) = self.play(number, best.as_ref().map(|(_, model)| model))? else { break };
            window.push(games);
            if window.len() > WINDOW {
                window.remove(0);
            }
            let bar = bar("fitting {elapsed}", None);
            let from = best.as_ref().map_or(start, |(_, model)| model);
            let seed = self.seed(number, 1);
            let all: Vec<&SelfGame> = window.iter().flatten().collect();
            let fitted = fit(&self.game, from, &all, newest, seed, self.stop)?;
            bar.finish_and_clear();
            let Some(Fitted { positions, moves, fits }) = fitted else { break };
            let made_by = self.args.made_by(self.program, &self.game, number);
            let settings = (from.exploration(), from.evaluated_per_256());
            let model = Model::new([&self.game.game, &self.game.rules], &made_by, settings, positions, moves);
            self.folder.write_model(&Folder::model_name(number), &model)?;
            let decided = gate::decide(self, number, &model, best.as_ref())?;
            let Some((pairs, is_kept)) = decided else { break };
            let generation = Generation { number, fits, pairs, is_kept, model: fingerprint(&model) };
            if is_kept {
                self.folder.write_model(BEST, &model)?;
                best = Some((number, model));
            }
            self.folder.add(&generation)?;
            writeln!(out, "{generation}")?;
            out.flush()?;
            done.push(generation);
        }
        Ok(done)
    }

    /// A seed of a step of a generation.
    fn seed(&self, generation: u32, step: u64) -> u64 {
        derive_seed(derive_seed(self.args.steps.seed, u64::from(generation)), step)
    }

    /// Plays the games of a generation that its file lacks, and searches the positions; `None` if that was
    /// stopped.
    fn play(&self, number: u32, best: Option<&Model>) -> anyhow::Result<Option<Vec<SelfGame>>> {
        /// The games between two writes for each one that is played at the same time.
        const BLOCK: usize = 4;
        let steps = &self.args.steps;
        let play = SelfPlay {
            game: self.game.clone(),
            model: best.cloned(),
            iterations: steps.iterations,
            random_plies: steps.random_plies,
            games: steps.games.get(),
            seed: self.seed(number, 0),
            stop: self.stop,
        };
        let (mut file, mut games) = self.folder.continue_games(&self.game, number)?;
        let total = steps.lines();
        games.truncate(total);
        let form = format!("generation {number}: games {{bar:30}} {{pos}}/{{len}}, {{eta}} left");
        let bar = bar(&form, Some(total as u64));
        let threads = self.concurrency().get();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| WorkError(format!("can't start the threads: {error}")))?;
        while games.len() < total {
            bar.set_position(games.len() as u64);
            let block = games.len()..total.min(games.len() + BLOCK * threads);
            let played: Result<Vec<Option<SelfGame>>, _> =
                pool.install(|| block.into_par_iter().map(|index| play.play(index)).collect());
            let whole: Vec<SelfGame> = played?.into_iter().map_while(|it| it).collect();
            self.folder.write_games(number, &mut file, &whole)?;
            games.extend(whole);
            if self.stop.load(Ordering::Relaxed) {
                bar.finish_and_clear();
                return Ok(None);
            }
        }
        bar.finish_and_clear();
        Ok(Some(games))
    }

    fn concurrency(&self) -> NonZeroUsize {
        self.args.concurrency.unwrap_or_else(cores)
    }
}

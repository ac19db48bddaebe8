//! The messages between ranks, as JSON.

use std::num::{NonZeroU32, NonZeroUsize};
use std::time::Duration;

use quintet_core::follower::Job;
use quintet_core::knowledge::Selection;
use quintet_core::learned::Model;
use quintet_core::search::{Budget, SearchConfig, Technique, Techniques, Weakness};
use quintet_core::session::EngineConfig;
use serde::{Deserialize, Serialize};

/// A message from one rank to another.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Message {
    /// To the leader: this rank waits for searches, or has made a new engine.
    Ready,
    /// To all followers: make the engine of this search, which will follow.
    Prepare { job: Box<WireJob> },
    /// To all followers: a search begins.
    Search { number: u64, forget: Vec<u64>, job: Box<WireJob> },
    /// To all followers: the search with this number is stopped.
    Stop { number: u64 },
    /// To the leader: this rank is ready to play this many games at a time.
    Workers { count: NonZeroUsize },
    /// To one follower: its worker of this number plays the game of this index in the schedule.
    Game { worker: usize, index: usize },
    /// To the leader: how the last game of a worker ended. None if it was stopped.
    Played { worker: usize, game: Result<Option<String>, String> },
    /// To one follower: all games are stopped.
    StopGames,
    /// To all followers: nothing more will come.
    End,
}

impl Message {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("it has only numbers and texts")
    }
}

/// A [`Job`] whose parts can be written.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct WireJob {
    game: [String; 2],
    position: String,
    engine: u64,
    is_uct: bool,
    /// Whether it is PUCT. Numbers with a fraction are sent as their bits.
    selection: Option<(bool, u32)>,
    exploration: Option<u32>,
    /// Its text form.
    model: Option<String>,
    techniques: Vec<String>,
    trees: Option<NonZeroUsize>,
    threads: Option<NonZeroUsize>,
    batch: Option<NonZeroU32>,
    tree_seed: u64,
    memory: usize,
    early_stop: bool,
    /// Temperature, maximum loss and sight.
    weakness: (u32, u32, u8),
    iterations: Option<u64>,
    time: Option<Duration>,
    seed: u64,
    only: Vec<String>,
    confidence: Option<u64>,
    variations: usize,
}

impl WireJob {
    /// Returns `None` for an engine without a search.
    pub(crate) fn new(job: &Job) -> Option<Self> {
        let (is_uct, config) = match &job.config {
            EngineConfig::Random => return None,
            EngineConfig::Uct(config) => (true, config),
            EngineConfig::Quintet(config) => (false, config),
        };
        let SearchConfig {
            selection,
            exploration,
            model,
            techniques,
            trees,
            threads,
            batch,
            seed,
            memory,
            early_stop,
            weakness,
            ..
        } = config;
        let techniques = Technique::ALL.into_iter().filter(|&it| techniques.contains(it));
        let (iterations, time) = job.budget.limits();
        Some(Self {
            game: job.game.clone(),
            position: job.position.clone(),
            engine: job.engine,
            is_uct,
            selection: selection.map(|it| match it {
                Selection::Ucb1 { c } => (false, c.to_bits()),
                Selection::Puct { c } => (true, c.to_bits()),
            }),
            exploration: exploration.map(f32::to_bits),
            model: model.as_ref().map(ToString::to_string),
            techniques: techniques.map(|it| it.name().to_owned()).collect(),
            trees: *trees,
            threads: *threads,
            batch: *batch,
            tree_seed: *seed,
            memory: *memory,
            early_stop: *early_stop,
            weakness: (weakness.temperature.to_bits(), weakness.max_loss.to_bits(), weakness.sight),
            iterations,
            time,
            seed: job.seed,
            only: job.only.clone(),
            confidence: job.confidence.map(f64::to_bits),
            variations: job.variations,
        })
    }

    pub(crate) fn job(self) -> Result<Job, String> {
        let mut techniques = Techniques::NONE;
        for name in &self.techniques {
            techniques = techniques.with(name.parse()?);
        }
        let selection = |(is_puct, bits)| {
            let c = f32::from_bits(bits);
            if is_puct { Selection::Puct { c } } else { Selection::Ucb1 { c } }
        };
        let (temperature, max_loss, sight) = self.weakness;
        let [temperature, max_loss] = [temperature, max_loss].map(f32::from_bits);
        let config = SearchConfig {
            selection: self.selection.map(selection),
            exploration: self.exploration.map(f32::from_bits),
            model: self.model.as_deref().map(Model::read).transpose().map_err(|error| error.to_string())?,
            techniques,
            trees: self.trees,
            threads: self.threads,
            batch: self.batch,
            seed: self.tree_seed,
            memory: self.memory,
            early_stop: self.early_stop,
            weakness: Weakness { temperature, max_loss, sight },
            ..SearchConfig::default()
        };
        Ok(Job {
            game: self.game,
            position: self.position,
            engine: self.engine,
            config: if self.is_uct { EngineConfig::Uct(config) } else { EngineConfig::Quintet(config) },
            budget: Budget::new(self.iterations, self.time).map_err(|error| error.to_string())?,
            seed: self.seed,
            only: self.only,
            confidence: self.confidence.map(f64::from_bits),
            variations: self.variations,
        })
    }
}

#[cfg(test)]
mod tests {
    use quintet_core::learned::Network;

    use super::*;

    fn there_and_back(job: &Job) -> Job {
        let bytes = serde_json::to_vec(&WireJob::new(job).expect("an engine that searches")).expect("text");
        serde_json::from_slice::<WireJob>(&bytes).expect("the same text").job().expect("a job")
    }

    #[test]
    fn a_job_arrives_as_it_was_sent() {
        let job = Job {
            game: ["quarto", "ggp"].map(str::to_owned),
            position: "..../..../.5../.... - w".to_owned(),
            engine: 7,
            config: EngineConfig::Quintet(SearchConfig {
                selection: Some(Selection::Puct { c: 0.1 }),
                exploration: Some(1.0 / 3.0),
                model: Some(Model::new(["quarto", "ggp"], "hand", (1.5, 128), Network::start(2, 1), vec![7])),
                techniques: Techniques::ALL.and_not(Techniques::NONE.with(Technique::Reuse)),
                trees: NonZeroUsize::new(3),
                threads: NonZeroUsize::new(2),
                batch: NonZeroU32::new(64),
                seed: u64::MAX,
                memory: 123_456_789,
                early_stop: false,
                weakness: Weakness { temperature: 0.1, max_loss: 12.5, sight: 4 },
                ..SearchConfig::default()
            }),
            budget: Budget::new(Some(12_345), Some(Duration::from_nanos(1_234_567_891))).expect("not zero"),
            seed: u64::MAX - 1,
            only: vec!["a1".to_owned()],
            confidence: Some(0.95),
            variations: 3,
        };
        assert_eq!(there_and_back(&job), job);
        let endless = Job {
            config: EngineConfig::Uct(SearchConfig::default()),
            budget: Budget::endless(),
            confidence: None,
            only: Vec::new(),
            ..job
        };
        assert_eq!(there_and_back(&endless), endless);
    }
}

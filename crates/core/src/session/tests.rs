//! Sessions of a small game.

use std::sync::Mutex;
use std::sync::mpsc::Receiver;

use super::*;
use crate::effort::Effort;
use crate::follower::{Follower, Followers};
use crate::game::{Bounds, Game as _, Rollout};
use crate::learned::{Model, Network};
use crate::nim::{COUNTS, Expert, Three};
use crate::registry::Registry;
use crate::search::{Exchange, Techniques};
use crate::solver::{Claim, Progress};

fn variant() -> Variant {
    Variant::of::<Three, Expert>("nim", "standard")
}

fn at(position: &str) -> Box<dyn Session> {
    variant().set_up(Some(position), []).expect("a position")
}

#[test]
fn a_session_says_what_the_game_says() {
    let mut session = variant().start();
    assert_eq!(format!("{session:?}"), "nim standard: 21 anna");
    assert_eq!((session.variant(), session.position().as_str()), (&variant(), "21 anna"));
    assert_eq!(session.to_move().map(|role| role.name), Some("anna".into()));
    assert_eq!(session.legal_moves(), ["1", "2", "3"]);
    assert_eq!(session.legal_terms(), ["(take 1)", "(take 2)", "(take 3)"]);
    assert_eq!(session.mover_color(), Some("with red hair"));
    assert_eq!(session.task().as_deref(), Some("take 1 to 3"));
    assert_eq!((session.outcome(), session.score(Side::First), session.ending()), (None, 0, None));
    let position_features = session.position_features().expect("the game goes on");
    assert_eq!(
        position_features,
        PositionFeatures {
            position: vec![21],
            moves: vec![("2".to_owned(), 0.5, vec![2, 3])],
            shares_in_fit: [1.0, 0.5],
        }
    );
    session.reset(Some("5 otto")).expect("a position");
    assert_eq!((session.draw(None).as_str(), session.draw(Some("2")).as_str()), ("|||||", "[||]|||"));
    // No legal move.
    assert_eq!(session.draw(Some("4")), "|||||");
    session.go_to_benchmark();
    assert_eq!(session.position(), "9 anna");
}

#[test]
fn moves_are_played_and_taken_back() {
    let text = |session: &dyn Session| match session.picture() {
        Picture::Text(text) => text,
        Picture::Scene(_) => panic!("a picture of nim is text"),
    };
    let mut session = variant().start();
    assert_eq!(text(&*session), "21 anna after None");
    session.play("2").expect("legal");
    session.play("3").expect("legal");
    assert_eq!(
        (session.moves(), text(&*session)),
        (vec!["2".into(), "3".into()], "16 anna after Some(3)".into())
    );
    let error = session.play("4").expect_err("too many");
    assert_eq!(error, IllegalMove { token: "4".into(), legal: ["1", "2", "3"].map(String::from).to_vec() });
    assert_eq!(session.position(), "16 anna");
    assert!(session.take_back());
    assert_eq!((session.moves(), session.position().as_str()), (vec!["2".to_owned()], "19 otto"));
    assert!(session.reset(Some("5 nobody")).is_err());
    assert_eq!(session.moves().len(), 1, "it is unchanged");
    assert!(session.take_back() && !session.take_back());
    for reset in [
        |it: &mut dyn Session| it.reset(None).expect("the start"),
        |it: &mut dyn Session| it.go_to_benchmark(),
    ] {
        session.play("1").expect("legal");
        reset(&mut *session);
        assert!(session.moves().is_empty() && !session.take_back());
    }
}

#[test]
fn a_game_that_goes_on_for_too_long_is_a_draw() {
    // With more sticks than at the start, a game can last longer than `MAX_PLIES`.
    let mut session = at("99 anna");
    for _ in 0..Three::MAX_PLIES {
        assert_eq!(session.outcome(), None);
        session.play("1").expect("legal");
    }
    assert_eq!(
        (session.outcome(), session.to_move(), session.score(Side::First)),
        (Some(Outcome::Draw), None, 50)
    );
    assert_eq!(session.legal_moves(), [""; 0]);
    session.play("1").expect_err("the game is over");
    assert!(session.take_back() && session.outcome().is_none());
}

#[test]
fn once_the_game_is_over_there_is_nothing_to_do() {
    let mut session = at("1 otto");
    session.play("1").expect("legal");
    assert_eq!(session.outcome(), Some(Outcome::Win(Side::Second)));
    assert_eq!([Side::First, Side::Second].map(|side| session.score(side)), [0, 100]);
    assert!(
        session.to_move().is_none() && session.legal_moves().is_empty() && session.legal_terms().is_empty()
    );
    assert_eq!((session.mover_color(), session.task(), session.position_features()), (None, None, None));
    assert_eq!(session.ending().as_deref(), Some("the last stick is taken"));
    assert_eq!(session.random_move(&mut Rng::stream(1, 0)), None);
    session.add_engine(&EngineConfig::Random).expect("valid");
    let stop = AtomicBool::new(false);
    assert_eq!(session.think(0, Budget::endless(), 0, &stop), Err(SearchError::GameOver));
}

#[test]
fn random_moves_and_rollouts_are_counted() {
    let (session, mut rng) = (at("21 anna"), Rng::stream(1, 0));
    let mut drawn: Vec<_> = (0..50).filter_map(|_| session.random_move(&mut rng)).collect();
    drawn.sort_unstable();
    drawn.dedup();
    assert_eq!(drawn, ["1", "2", "3"]);
    let counts = session.rollouts(40, &mut rng);
    assert!(counts.rollouts() == 40 && counts.first_wins > 5 && counts.second_wins > 5, "{counts:?}");
    assert!((7 * 40..=21 * 40).contains(&counts.plies), "{counts:?}");
    for (position, first_wins, second_wins) in [("1 anna", 9, 0), ("1 otto", 0, 9)] {
        let expected = RolloutCounts { first_wins, second_wins, draws: 0, plies: 9 };
        assert_eq!(at(position).rollouts(9, &mut rng), expected);
    }
    let mut counts = RolloutCounts { first_wins: 1, draws: 2, second_wins: 3, plies: 4 };
    counts.count(Rollout { outcome: Outcome::Draw, plies: 9 });
    let sum = counts + RolloutCounts { first_wins: 10, draws: 20, second_wins: 30, plies: 40 };
    assert_eq!(sum, RolloutCounts { first_wins: 11, draws: 23, second_wins: 33, plies: 53 });
    assert_eq!(sum.rollouts(), 67);
}

fn candidates(report: &Report<String>) -> Vec<&str> {
    report.candidates.iter().map(|it| it.mv.as_str()).collect()
}

#[test]
fn engines_think_by_their_numbers() {
    let (mut session, stop) = (at("9 anna"), AtomicBool::new(false));
    let budget = Budget::iterations(300).expect("not zero");
    let config = SearchConfig::default();
    let plain = SearchConfig { techniques: Techniques::NONE, ..config.clone() };
    let constant = SearchConfig { exploration: Some(1.25), ..config.clone() };
    for (number, engine) in [
        EngineConfig::Random,
        EngineConfig::Uct(config.clone()),
        EngineConfig::Uct(constant),
        EngineConfig::Quintet(plain),
        EngineConfig::Quintet(config),
    ]
    .iter()
    .enumerate()
    {
        assert_eq!(session.add_engine(engine), Ok(number));
    }
    let mut think = |engine, seed| session.think(engine, budget, seed, &stop).expect("a report");
    let random = think(0, 7);
    assert_eq!((random.iterations, candidates(&random).len()), (0, 3));
    assert!((0..9).any(|seed| think(0, seed).best().mv != random.best().mv));
    let reports = [1, 2, 3, 4].map(|engine| think(engine, 7));
    assert_eq!(reports.each_ref().map(|it| it.best().mv.as_str()), ["1"; 4]);
    // Without any technique it is plain UCT with the constant of the knowledge.
    assert_ne!(reports[0].visits_hash, reports[1].visits_hash);
    assert_eq!(reports[1].visits_hash, reports[2].visits_hash);
    assert_eq!(think(1, 7).visits_hash, reports[0].visits_hash);
    assert_ne!(think(1, 8).visits_hash, reports[0].visits_hash);
    assert_eq!(session.think(5, budget, 0, &stop), Err(SearchError::NoEngine(5)));
    session.remove_engines();
    assert_eq!(session.think(0, budget, 0, &stop), Err(SearchError::NoEngine(0)));
}

#[test]
fn engines_choose_from_the_moves_that_they_may_play() {
    let (mut session, stop) = (at("9 anna"), AtomicBool::new(false));
    let budget = Budget::iterations(100).expect("not zero");
    session.add_engine(&EngineConfig::Random).expect("valid");
    session.add_engine(&EngineConfig::Uct(SearchConfig::default())).expect("valid");
    session.add_engine(&EngineConfig::Quintet(SearchConfig::default())).expect("valid");
    let mut think = |engine, seed, only: &[&str]| {
        let only = only.iter().map(|it| (*it).to_owned()).collect();
        session.think_with(engine, budget, seed, Controls { only, ..Controls::new(&stop) })
    };
    for engine in 0..3 {
        for seed in 0..5 {
            let report = think(engine, seed, &["3", "2", "3"]).expect("a report");
            let mut moves = candidates(&report);
            moves.sort_unstable();
            assert_eq!(moves, ["2", "3"], "engine {engine}");
        }
        let error = think(engine, 0, &["3", "4"]).expect_err("4 is not legal");
        assert!(matches!(&error, SearchError::IllegalMove(it) if it.token == "4"), "{error}");
    }
}

#[test]
fn the_last_report_on_the_position_is_explained() {
    let (mut session, stop) = (at("9 anna"), AtomicBool::new(false));
    let budget = Budget::iterations(300).expect("not zero");
    let uct = EngineConfig::Uct(SearchConfig::default());
    for engine in [EngineConfig::Random, uct, EngineConfig::Quintet(SearchConfig::default())] {
        let number = session.add_engine(&engine).expect("valid");
        assert!(session.explain(number).is_empty(), "no report yet");
        session.think(number, budget, 0, &stop).expect("a report");
    }
    assert_eq!([0, 1].map(|engine| session.explain(engine)), [vec![""; 3], vec![""; 3]]);
    let words = session.explain(2);
    assert!(words[0].ends_with("leaves 8") && words.len() == 3, "{words:?}");
    assert!(session.explain(3).is_empty(), "there is no such engine");
    session.play("1").expect("legal");
    assert!(session.explain(2).is_empty(), "another position");
}

#[test]
fn what_is_settled_is_told_in_text() {
    let progress = Progress::new();
    let settled = at("6 otto").settle(&SettleOptions {
        effort: Effort::UNLIMITED,
        memory: 0,
        threads: std::num::NonZeroUsize::MIN,
        wants_strategies: true,
        progress: &progress,
    });
    assert_eq!((settled.bounds, settled.best.as_deref()), (Bounds { lower: 50, upper: 100 }, Some("3")));
    assert_eq!((settled.method, settled.strategies.len()), ("a look", 1));
    let strategy = &settled.strategies[0];
    assert_eq!((strategy.claim, strategy.search_from), (Claim::win(Side::First), 7));
    assert_eq!(strategy.choices, [("6 otto".to_owned(), vec!["1".to_owned(), "2".to_owned()])]);
}

#[test]
fn a_model_must_be_for_the_game() {
    let network = Network::start(COUNTS.positions, 1);
    let model = |rules| Model::new(["nim", rules], "hand", (1.0, 0), network.clone(), vec![0; COUNTS.moves]);
    let config =
        |rules| EngineConfig::Quintet(SearchConfig { model: Some(model(rules)), ..SearchConfig::default() });
    let mut session = variant().start();
    let error = session.add_engine(&config("other")).expect_err("another ruleset").to_string();
    assert_eq!(error, "the model is for nim other, not for nim standard");
    // The names are right, but this knowledge takes no model.
    let error = session.add_engine(&config("standard")).expect_err("no features").to_string();
    assert_eq!(error, "the game has no features for a model to weigh");
}

/// Notes what is announced. There is no one to follow.
#[derive(Debug, Default)]
struct Notes(Mutex<Vec<Note>>);

#[derive(Debug, PartialEq)]
enum Note {
    Job(Box<Job>),
    Finish,
    Forget(u64),
}

impl Notes {
    fn leak() -> &'static Self {
        Box::leak(Box::default())
    }

    fn push(&self, note: Note) {
        self.0.lock().expect("nobody panicked").push(note);
    }

    fn take(&self) -> Vec<Note> {
        std::mem::take(&mut *self.0.lock().expect("nobody panicked"))
    }
}

impl Exchange for Notes {
    fn rank(&self) -> usize {
        0
    }
    fn ranks(&self) -> usize {
        1
    }
    fn sum(&self, _: &mut [u64]) {}
    fn begin_sum(&self, numbers: Vec<u64>) -> Receiver<Vec<u64>> {
        unreachable!("nobody adds up {numbers:?}")
    }
    fn stop(&self) {}
}

impl Followers for Notes {
    fn announce(&self, job: &Job) {
        self.push(Note::Job(Box::new(job.clone())));
    }
    fn finish(&self) {
        self.push(Note::Finish);
    }
    fn forget(&self, engine: u64) {
        self.push(Note::Forget(engine));
    }
}

/// The registry whose searches are noted, and a search that was noted there.
fn noted(games: &Registry, notes: &'static Notes) -> Job {
    let leading = games.clone().with_followers(notes);
    let variant = leading.find("nim", None).expect("it is there");
    let mut session = variant.set_up(Some("9 otto"), ["1"]).expect("legal");
    let config = EngineConfig::Quintet(SearchConfig { seed: 3, ..SearchConfig::default() });
    let engines = [&config, &EngineConfig::Random].map(|it| session.add_engine(it).expect("valid"));
    assert_eq!(notes.take(), [], "nobody thinks");
    let (budget, stop) = (Budget::iterations(50).expect("not zero"), AtomicBool::new(false));
    let only = vec!["3".to_owned(), "1".to_owned()];
    let controls =
        Controls { only: only.clone(), confidence: Some(0.9), variations: 2, ..Controls::new(&stop) };
    session.think_with(engines[0], budget, 11, controls).expect("a report");
    let mut jobs = notes.take();
    assert_eq!(jobs.pop(), Some(Note::Finish));
    let Some(Note::Job(job)) = jobs.pop() else { panic!("a search is announced") };
    let engine = job.engine;
    let game = ["nim", "standard"].map(str::to_owned);
    let position = "8 anna".to_owned();
    let (confidence, variations) = (Some(0.9), 2);
    let expected = Job { game, position, engine, config, budget, seed: 11, only, confidence, variations };
    assert_eq!((*job, jobs), (expected.clone(), vec![]));
    session.think(engines[1], budget, 0, &stop).expect("a report");
    assert_eq!(notes.take(), [], "a random move needs no search");
    let second = session.add_engine(&EngineConfig::Uct(SearchConfig::default())).expect("valid");
    session.think(second, budget, 0, &stop).expect("a report");
    let Note::Job(other) = notes.take().swap_remove(0) else { panic!("a search is announced") };
    assert_ne!(other.engine, engine);
    session.remove_engines();
    assert_eq!(notes.take(), [Note::Forget(engine), Note::Forget(other.engine)]);
    expected
}

#[test]
fn searches_are_announced_to_followers_who_run_them_too() {
    let mut games = Registry::new();
    games.add::<Three, Expert>("nim", "standard");
    let job = noted(&games, Notes::leak());
    // The follower's own sessions announce what they search, so it can be seen here.
    let notes = Notes::leak();
    let mut follower = Follower::new(games.with_followers(notes), Ranks::ALONE);
    let stop = AtomicBool::new(false);
    assert!(follower.run(&job, &stop).is_err(), "it is not prepared");
    follower.prepare(&job).expect("the game is known");
    let prepared = {
        let seen = notes.take();
        let [Note::Job(first), Note::Finish, Note::Forget(number)] = &seen[..] else { panic!("{seen:?}") };
        // The start may be a position in which nobody has a choice.
        assert_eq!((first.budget, &first.position), (Budget::iterations(1).expect("1"), &job.position));
        *number
    };
    assert_eq!(follower.run(&job, &stop), Ok(()));
    let seen = notes.take();
    let [Note::Job(run), Note::Finish] = &seen[..] else { panic!("{seen:?}") };
    assert_ne!(run.engine, prepared);
    assert_eq!(**run, Job { engine: run.engine, ..job.clone() });
    let too_many = Budget::iterations(u64::MAX).expect("not zero");
    assert_eq!(follower.run(&Job { budget: too_many, ..job.clone() }, &stop), Ok(()), "the leader says it");
    assert!(follower.run(&Job { position: "9".into(), ..job.clone() }, &stop).is_err());
    assert!(follower.run(&Job { only: vec!["9".into()], ..job.clone() }, &stop).is_err());
    notes.take();
    follower.forget(job.engine);
    assert_eq!(notes.take(), [Note::Forget(run.engine)]);
    assert!(follower.run(&job, &stop).is_err(), "it is forgotten");
    for game in [["nim", "other"], ["chess", "standard"]] {
        let game = game.map(str::to_owned);
        assert!(follower.prepare(&Job { game, ..job.clone() }).is_err());
    }
}

#[test]
fn an_engine_gets_the_ranks_of_its_variant() {
    #[derive(Debug)]
    struct Two(usize);
    impl Exchange for Two {
        fn rank(&self) -> usize {
            0
        }
        fn ranks(&self) -> usize {
            self.0
        }
        fn sum(&self, _: &mut [u64]) {}
        fn begin_sum(&self, numbers: Vec<u64>) -> Receiver<Vec<u64>> {
            unreachable!("nobody adds up {numbers:?}")
        }
        fn stop(&self) {}
    }
    let ranks = Ranks::of(&Two(2)).expect("two");
    let config = |ranks| SearchConfig { seed: 5, ranks, ..SearchConfig::default() };
    assert_ne!(config(ranks), config(Ranks::ALONE));
    for engine in [EngineConfig::Uct, EngineConfig::Quintet] {
        assert_eq!(engine(config(ranks)).search(), Some(&config(ranks)));
        assert_eq!(engine(config(Ranks::ALONE)).with_ranks(ranks), engine(config(ranks)));
    }
    assert_eq!(EngineConfig::Random.with_ranks(ranks), EngineConfig::Random);
    assert_eq!(EngineConfig::Random.search(), None);
}

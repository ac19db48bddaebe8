//! Tournaments whose games are played by workers of other processes, which are faked here.

use std::fmt::{self, Debug, Formatter};
use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use quintet_arena::tournament::{
    self, ArenaError, Plan, RemoteWorkers, ScheduledGame, Tournament, Worker, Workers,
};
use quintet_protocol::GameRecord;
use serde_json::{Value, json};

use crate::harness::{played, tournament};

/// What a game becomes, or an error.
type Played = Result<Option<Vec<u8>>, String>;

/// A game of a fake worker.
struct Game<'a> {
    index: usize,
    stopped: &'a dyn Fn() -> bool,
    play: &'a dyn Fn() -> Played,
}

/// Plays a game to its end.
fn play(game: &Game<'_>) -> Played {
    (game.play)()
}

/// Waits until a game is to end.
fn wait_for_stop(game: &Game<'_>) {
    while !(game.stopped)() {
        thread::yield_now();
    }
}

/// Fake workers, each of which does with its games what `play` does.
struct Fake<'a, P> {
    workers: Vec<Mutex<Worker<'a>>>,
    /// The indices of the games that they got.
    dealt: Mutex<Vec<usize>>,
    play: P,
}

impl<'a, P: Fn(&Game<'_>) -> Played + Sync> Fake<'a, P> {
    fn new(tournament: &'a Tournament, schedule: &'a [ScheduledGame], count: usize, play: P) -> Self {
        let workers = Worker::several(count, tournament, schedule, []).expect("the threads can be started");
        let workers = workers.into_iter().map(Mutex::new).collect();
        Self { workers, dealt: Mutex::default(), play }
    }

    fn dealt(&self) -> Vec<usize> {
        let mut dealt = self.dealt.lock().expect("it is whole").clone();
        dealt.sort_unstable();
        dealt
    }
}

impl<P> Debug for Fake<'_, P> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fake").finish_non_exhaustive()
    }
}

impl<P: Fn(&Game<'_>) -> Played + Sync> RemoteWorkers for Fake<'_, P> {
    fn count(&self) -> NonZeroUsize {
        NonZeroUsize::new(self.workers.len()).expect("there are some")
    }

    fn play(&self, worker: usize, index: usize, stopped: &(dyn Fn() -> bool + Sync)) -> Played {
        self.dealt.lock().expect("it is whole").push(index);
        let worker = &self.workers[worker];
        let play = || {
            let mut worker = worker.try_lock().expect("its last game has ended");
            worker.play(index, &AtomicBool::new(false)).map_err(|error| error.to_string())
        };
        (self.play)(&Game { index, stopped, play: &play })
    }
}

/// Sixteen games, in two matches.
fn small() -> Tournament {
    tournament(&["krk", "quarto"], ["a=quintet:iterations=30", "b=uct:iterations=30"], 4, 1)
}

/// Returns a record without the times of its moves.
fn timeless(mut record: GameRecord) -> GameRecord {
    for thought in record.thoughts.iter_mut().flatten() {
        (thought.ms, thought.cpu_ms) = (0, None);
    }
    record
}

/// Lets `workers` play all games until `on_game` returns false, and returns the records.
fn run(
    tournament: &Tournament,
    workers: &dyn RemoteWorkers,
    stop: &AtomicBool,
    wanted: impl Fn(&ScheduledGame) -> bool + Sync,
    mut on_game: impl FnMut() -> bool,
) -> (Vec<GameRecord>, Result<(), ArenaError>) {
    let schedule = tournament.schedule();
    let games: Vec<usize> = (0..schedule.len()).collect();
    let workers = Workers::Remote(workers);
    let plan = Plan { tournament, schedule: &schedule, indices: &games, workers, stop };
    let mut records = Vec::new();
    let ended = tournament::run(&plan, wanted, |_, record| {
        records.push(record);
        on_game()
    });
    (records, ended)
}

#[test]
fn games_go_elsewhere_as_they_go_here() {
    let tournament = small();
    let schedule = tournament.schedule();
    let here: Vec<_> = played(&tournament).into_iter().map(timeless).collect();
    let fake = Fake::new(&tournament, &schedule, 3, play);
    // As after a resume: games are known by their index in the whole schedule.
    let games = [15, 1, 2, 7, 6, 4, 9, 13];
    let stop = AtomicBool::new(false);
    let workers = Workers::Remote(&fake);
    let plan = Plan { tournament: &tournament, schedule: &schedule, indices: &games, workers, stop: &stop };
    let mut count = 0;
    let on_game = |scheduled: &ScheduledGame, record| {
        let index = schedule.iter().position(|it| it == scheduled).expect("it is in the schedule");
        assert!(games.contains(&index));
        assert_eq!(timeless(record), here[index]);
        count += 1;
        true
    };
    tournament::run(&plan, |_| true, on_game).expect("they can be played");
    assert_eq!(count, games.len());
    assert_eq!(fake.dealt(), [1, 2, 4, 6, 7, 9, 13, 15]);
}

#[test]
fn games_no_longer_wanted_are_not_dealt_out() {
    let tournament = small();
    let schedule = tournament.schedule();
    let is_decided = AtomicBool::new(false);
    let decided = || is_decided.load(Ordering::SeqCst);
    // All games but the first are under way until the test of the match has decided.
    let fake = Fake::new(&tournament, &schedule, 2, |game: &Game<'_>| {
        while game.index > 0 && !decided() {
            thread::yield_now();
        }
        play(game)
    });
    let stop = AtomicBool::new(false);
    let decide = || {
        is_decided.store(true, Ordering::SeqCst);
        true
    };
    let (records, ended) = run(&tournament, &fake, &stop, |_| !decided(), decide);
    ended.expect("they can be played");
    let dealt = fake.dealt();
    assert!(dealt.len() <= 3 && dealt.contains(&0), "{dealt:?}");
    assert_eq!(records.len(), dealt.len(), "what was under way arrives");
}

#[test]
fn an_error_elsewhere_ends_the_run() {
    let tournament = small();
    let schedule = tournament.schedule();
    let stop = AtomicBool::new(false);
    let fails = |game: &Game<'_>| {
        if game.index == 3 { Err("node 7: no\u{1b} memory".to_owned()) } else { play(game) }
    };
    let fake = Fake::new(&tournament, &schedule, 1, fails);
    let (records, ended) = run(&tournament, &fake, &stop, |_| true, || true);
    let error = ended.expect_err("it failed");
    assert_eq!(error.to_string(), "in another process: node 7: no\\u{1b} memory");
    assert_eq!(records.len(), 3);
    assert_eq!(fake.dealt(), [0, 1, 2, 3]);

    // The other worker's game is stopped.
    let waits = AtomicBool::new(false);
    let fails = |game: &Game<'_>| {
        if game.index == 0 {
            waits.store(true, Ordering::SeqCst);
            wait_for_stop(game);
            return Ok(None);
        }
        while !waits.load(Ordering::SeqCst) {
            thread::yield_now();
        }
        Err("no luck".to_owned())
    };
    let fake = Fake::new(&tournament, &schedule, 2, fails);
    let (records, ended) = run(&tournament, &fake, &stop, |_| true, || true);
    assert_eq!(ended.expect_err("it failed").to_string(), "in another process: no luck");
    assert_eq!(records.len(), 0);
}

#[test]
fn another_game_than_the_one_dealt_out_is_refused() {
    let tournament = small();
    let schedule = tournament.schedule();
    let stop = AtomicBool::new(false);
    let first = serde_json::to_value(&played(&tournament)[0]).expect("JSON");
    let refused = |bytes: Vec<u8>| {
        let fake = Fake::new(&tournament, &schedule, 1, |_: &Game<'_>| Ok(Some(bytes.clone())));
        let (records, ended) = run(&tournament, &fake, &stop, |_| true, || true);
        // Only the right record gets past the first game.
        let error = ended.expect_err("it is not the second game").to_string();
        match records.len() {
            0 => {
                let prefix = "krk spec, opening 1: this is not what another process has played: ";
                error.strip_prefix(prefix).unwrap_or_else(|| panic!("{error}")).to_owned()
            }
            _ => "right".to_owned(),
        }
    };
    let changed = |field: &str, value: Value| {
        let mut record = first.clone();
        *record.pointer_mut(field).unwrap_or_else(|| panic!("{field}")) = value;
        refused(record.to_string().into_bytes())
    };
    assert_eq!(changed("/game", json!("krk")), "right");
    assert_eq!(changed("/game", json!("quarto")), "game: quarto spec there; krk spec here");
    assert_eq!(changed("/rules", json!("ggp")), "game: krk ggp there; krk spec here");
    assert_eq!(changed("/pair", json!(1)), "pair: 1 there; 0 here");
    assert_eq!(changed("/seed", json!(7)), format!("seed of the game: 7 there; {} here", first["seed"]));
    assert_eq!(changed("/arena/seed", json!(2)), "seed: 2 there; 1 here");
    assert_eq!(changed("/arena/program", json!("quintet 2")), "program: quintet 2 there; quintet 1 here");
    assert_eq!(changed("/arena/openings", json!("a book")), "openings: a book there; 2 random plies here");
    assert_eq!(
        changed("/seats", json!({"white": "b", "black": "a"})),
        "seats: white: b, black: a there; white: a, black: b here"
    );
    let engine = "engine a: random there; quintet:iterations=30,threads=1 here";
    assert_eq!(changed("/arena/engines/a", json!("random")), engine);
    let mut engines = first["arena"]["engines"].clone();
    engines["c"] = json!("random");
    assert_eq!(changed("/arena/engines", engines), "engines: 3 there; 2 here");
    let illegal = changed("/moves/2", json!("Ka1-a1"));
    assert!(illegal.starts_with("ply 3: illegal move \"Ka1-a1\""), "{illegal}");
    assert!(refused(b"done".to_vec()).starts_with("not JSON: "));
    assert!(refused(Vec::new()).starts_with("the line is empty"));
}

#[test]
fn a_run_with_games_elsewhere_can_be_stopped() {
    let tournament = small();
    let schedule = tournament.schedule();
    let stop = AtomicBool::new(false);
    let fake = Fake::new(&tournament, &schedule, 2, |game: &Game<'_>| {
        if game.index == 0 {
            return play(game);
        }
        wait_for_stop(game);
        Ok(None)
    });
    let stop_now = || {
        stop.store(true, Ordering::SeqCst);
        true
    };
    let (records, ended) = run(&tournament, &fake, &stop, |_| true, stop_now);
    ended.expect("to be stopped is no error");
    assert_eq!(records.len(), 1);
    let dealt = fake.dealt();
    assert!(dealt.len() <= 3, "{dealt:?}");

    // No game begins once it is stopped.
    let fake = Fake::new(&tournament, &schedule, 2, play);
    let (records, ended) = run(&tournament, &fake, &stop, |_| true, || true);
    ended.expect("to be stopped is no error");
    assert_eq!((records.len(), fake.dealt()), (0, Vec::new()));
    let mut workers = Worker::several(1, &tournament, &schedule, []).expect("it can be started");
    assert_eq!(workers[0].play(0, &stop).expect("to be stopped is no error"), None);
}

#[test]
fn a_game_that_was_stopped_elsewhere_only_is_an_error() {
    let tournament = small();
    let schedule = tournament.schedule();
    let fake = Fake::new(&tournament, &schedule, 1, |_: &Game<'_>| Ok(None));
    let (_, ended) = run(&tournament, &fake, &AtomicBool::new(false), |_| true, || true);
    assert_eq!(ended.expect_err("games are missing").to_string(), "in another process: a game was stopped");
}

#[test]
fn a_game_that_is_not_in_the_schedule_is_an_error() {
    let tournament = small();
    let schedule = tournament.schedule();
    let stop = AtomicBool::new(false);
    let message = "there is no game 16 in a schedule of 16 games, counted from 0";
    let mut workers = Worker::several(1, &tournament, &schedule, []).expect("it can be started");
    assert_eq!(workers[0].play(16, &stop).expect_err("there is no such game").to_string(), message);
    let error = Worker::several(1, &tournament, &schedule, [16]).expect_err("there is no such game");
    assert_eq!(error.to_string(), message);
    let fake = Fake::new(&tournament, &schedule, 1, play);
    let workers = Workers::Remote(&fake);
    let plan = Plan { tournament: &tournament, schedule: &schedule, indices: &[0, 16], workers, stop: &stop };
    let error = tournament::run(&plan, |_| true, |_, _| true).expect_err("there is no such game");
    assert_eq!(error.to_string(), message);
    assert!(fake.dealt().is_empty());
}

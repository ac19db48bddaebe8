//! Playing games for the arena of another process.
//!
//! All processes of one tournament have the same command line. One of them, the leader, runs the
//! [arena](super::run) with [`RemoteWorkers`](quintet_arena::tournament::RemoteWorkers): it deals out
//! the games and keeps the results. The others [`follow`].

use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;

use quintet_arena::tournament::{GameSource, follow as follow_games};

use super::{Args, play, tournament};
use crate::{Program, WorkError};

/// Plays the games that are dealt out, as many at a time as the command line or the number of
/// cores says, until all workers are told to end. `stop` stops games before their end.
///
/// It reads what the command line names, such as a book, and writes nothing. It catches no signals:
/// whoever calls it decides what Ctrl-C does.
///
/// # Errors
/// If this process can't be set up, for example because a book can't be read or an external engine
/// can't be started. The leader has not heard of it then. What goes wrong later, the leader gets.
pub(crate) fn follow(
    args: &Args,
    program: &Program,
    stop: &AtomicBool,
    source: &dyn GameSource,
) -> anyhow::Result<()> {
    let tournament = tournament(args, program)?;
    let schedule = play::schedule(args, &tournament);
    let most = NonZeroUsize::new(schedule.len()).unwrap_or(NonZeroUsize::MIN);
    let count = play::concurrency(args, &tournament).min(most);
    follow_games(&tournament, &schedule, count, stop, source)
        .map_err(|error| WorkError(error.to_string()))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Mutex;
    use std::sync::atomic::Ordering;
    use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
    use std::thread;
    use std::time::Duration;

    use clap::FromArgMatches as _;
    use quintet_arena::stats::MatchScore;
    use quintet_arena::tournament::{Campaign, GameLog, RemoteWorkers, Standings, read_games};
    use quintet_protocol::GameRecord;

    use super::super::run;
    use super::*;
    use crate::{Command, Status};

    /// What a game becomes, or an error.
    type Played = Result<Option<Vec<u8>>, String>;

    fn program() -> Program {
        Program { name: "quintet", version: "1", games: quintet_games::registry() }
    }

    /// Returns the arguments of a tournament in two games.
    fn args(more: &[&str]) -> Args {
        let command = ["quintet", "arena", "krk,quarto", "--engine", "a=uct:iterations=40,threads=1"];
        let line = [&command[..], &["--engine", "b=random"], more].concat();
        let matches = program().command_line().try_get_matches_from(line).expect("it can be parsed");
        match Command::from_arg_matches(&matches).expect("it can be parsed") {
            Command::Arena(args) => args,
            other => panic!("{other:?}"),
        }
    }

    /// One end of the line between the leader and a worker elsewhere.
    type End<S, R> = Mutex<(Sender<S>, Receiver<R>)>;

    /// The workers as the leader sees them.
    #[derive(Debug)]
    struct There<'a> {
        workers: Vec<End<usize, Played>>,
        /// Stops all processes that follow.
        stop: &'a AtomicBool,
    }

    impl RemoteWorkers for There<'_> {
        fn count(&self) -> NonZeroUsize {
            NonZeroUsize::new(self.workers.len()).expect("there are some")
        }

        fn play(&self, worker: usize, index: usize, stopped: &(dyn Fn() -> bool + Sync)) -> Played {
            let line = self.workers[worker].try_lock().expect("its last game has ended");
            line.0.send(index).expect("the process still follows");
            loop {
                match line.1.recv_timeout(Duration::from_millis(1)) {
                    Ok(played) => return played,
                    Err(RecvTimeoutError::Disconnected) => return Err("it has gone".to_owned()),
                    Err(RecvTimeoutError::Timeout) if stopped() => {
                        self.stop.store(true, Ordering::Relaxed);
                        return Ok(None);
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                }
            }
        }
    }

    /// The leader as a process that follows sees it.
    struct Here {
        counts: Sender<NonZeroUsize>,
        workers: Vec<End<Played, usize>>,
    }

    impl GameSource for Here {
        fn announce_workers(&self, count: NonZeroUsize) {
            self.counts.send(count).expect("the leader waits for it");
        }

        fn next_game(&self, worker: usize) -> Option<usize> {
            self.workers[worker].try_lock().expect("one thread per worker").1.recv().ok()
        }

        fn ended(&self, worker: usize, game: Played) {
            // A leader that was stopped does not wait for it.
            let _ = self.workers[worker].try_lock().expect("one thread per worker").0.send(game);
        }
    }

    /// Calls `lead` while `processes` processes, each with this number of workers, follow.
    fn with_followers<T>(
        args: &Args,
        processes: usize,
        workers: usize,
        lead: impl FnOnce(&dyn RemoteWorkers) -> T,
    ) -> T {
        let stop = &AtomicBool::new(false);
        thread::scope(|scope| {
            let mut there = There { workers: Vec::new(), stop };
            let (counts, count) = mpsc::channel();
            for _ in 0..processes {
                let mut here = Here { counts: counts.clone(), workers: Vec::new() };
                for _ in 0..workers {
                    let (games, game) = mpsc::channel();
                    let (ends, end) = mpsc::channel();
                    there.workers.push(Mutex::new((games, end)));
                    here.workers.push(Mutex::new((ends, game)));
                }
                scope.spawn(move || follow(args, &program(), stop, &here).expect("it is set up"));
            }
            drop(counts);
            let counts: Vec<usize> = count.iter().take(processes).map(NonZeroUsize::get).collect();
            assert_eq!(counts, vec![workers; processes]);
            lead(&there)
        })
    }

    /// Plays all games in this process, one at a time.
    fn played_here(args: &Args, log: Option<GameLog>) -> Standings {
        campaign(args, None, log)
    }

    fn campaign(args: &Args, remote: Option<&dyn RemoteWorkers>, log: Option<GameLog>) -> Standings {
        let tournament = tournament(args, &program()).expect("the arguments are right");
        let campaign = Campaign {
            tournament: &tournament,
            schedule: play::schedule(args, &tournament),
            test: args.sprt,
            concurrency: NonZeroUsize::MIN,
            remote,
            stop: &AtomicBool::new(false),
        };
        let (standings, ended) = play::play(&campaign, log, &Vec::new(), args.progress);
        ended.expect("the games can be played");
        standings
    }

    /// Returns the games of a file, without the times of moves, in an order that does not depend on
    /// when they ended.
    fn games(path: &Path) -> Vec<GameRecord> {
        let mut games = read_games(path, &program().games).expect("it has games");
        for thought in games.iter_mut().flat_map(|game| &mut game.thoughts).flatten() {
            (thought.ms, thought.cpu_ms) = (0, None);
        }
        games.sort_by_key(|game| (game.game.clone(), game.pair, game.seating()));
        games
    }

    #[test]
    fn games_of_processes_that_follow_are_those_that_one_would_play() {
        let folder = tempfile::tempdir().expect("a temporary directory can be made");
        let [file, whole] = ["part.jsonl", "whole.jsonl"].map(|name| folder.path().join(name));
        let name = file.to_str().expect("the path is text");
        let flags =
            ["--games", "6", "--shard", "2/2", "--out", name, "--resume", "--json", "--concurrency", "2"];
        let args = args(&flags);
        let here = played_here(&args, Some(GameLog::create(&whole).expect("it is new")));
        let expected = games(&whole);
        assert_eq!(expected.len(), 6);
        // Some games are there already, so that the index of a missing one is not its index among these.
        let mut log = GameLog::create(&file).expect("it is new");
        for record in &expected[..3] {
            log.add(record, false).expect("it can be written");
        }
        drop(log);
        let mut out = Vec::new();
        let status = with_followers(&args, 2, 2, |remote| run(&args, &program(), Some(remote), &mut out));
        assert_eq!(status.expect("the games can be played"), Status::Done);
        assert_eq!(games(&file), expected);
        let summary = serde_json::to_string(&here.summary(None)).expect("JSON");
        assert_eq!(String::from_utf8(out).expect("text"), summary + "\n");
    }

    #[test]
    fn a_test_ends_a_match_whoever_plays_it() {
        let args = args(&["--games", "60", "--sprt", "elo0=0,elo1=300", "--concurrency", "1"]);
        let here = played_here(&args, None);
        assert!((2..120).contains(&here.games()), "{} games", here.games());
        let there = with_followers(&args, 1, 1, |remote| campaign(&args, Some(remote), None));
        let summary = |it: &Standings| serde_json::to_string(&it.summary(args.sprt.as_ref())).expect("JSON");
        assert_eq!(summary(&there), summary(&here));
        // Its figure is that of the pairs that it has looked at.
        let test = args.sprt.expect("there is one");
        let sprt = here.summary(Some(&test)).results.remove(0).sprt.expect("it has a state");
        let groups = <[u64; 5]>::try_from(sprt.pairs).expect("pairs have five scores").into();
        assert_eq!(sprt.repeated, 0, "else they weigh less");
        let looked_at = MatchScore { groups, ..MatchScore::default() };
        assert!((sprt.llr - test.llr(&looked_at)).abs() < 1e-4);
        assert!(sprt.accepted.is_some() && test.verdict(&looked_at).is_some());
    }

    /// A leader that deals out these games to the only worker.
    #[derive(Default)]
    struct Script {
        games: Mutex<Vec<usize>>,
        counts: Mutex<Vec<NonZeroUsize>>,
        ended: Mutex<Vec<Played>>,
    }

    impl GameSource for Script {
        fn announce_workers(&self, count: NonZeroUsize) {
            self.counts.lock().expect("it is whole").push(count);
        }

        fn next_game(&self, _worker: usize) -> Option<usize> {
            self.games.lock().expect("it is whole").pop()
        }

        fn ended(&self, _worker: usize, game: Played) {
            self.ended.lock().expect("it is whole").push(game);
        }
    }

    #[test]
    fn the_leader_hears_of_each_game_and_no_file_is_written() {
        let folder = tempfile::tempdir().expect("a temporary directory can be made");
        let file = folder.path().join("games.jsonl");
        let name = file.to_str().expect("the path is text");
        let args = args(&["--games", "2", "--out", name, "--concurrency", "1"]);
        let followed = |stop: bool| {
            let leader = Script { games: Mutex::new(vec![4, 0]), ..Script::default() };
            follow(&args, &program(), &AtomicBool::new(stop), &leader).expect("it is set up");
            assert_eq!(leader.counts.into_inner().expect("it is whole"), [NonZeroUsize::MIN]);
            leader.ended.into_inner().expect("it is whole")
        };
        let no_game = || Err("there is no game 4 in a schedule of 4 games, counted from 0".to_owned());
        let ended = followed(false);
        assert!(
            matches!(&ended[0], Ok(Some(record)) if record.starts_with(br#"{"game":"krk""#)),
            "{ended:?}"
        );
        assert_eq!(ended[1..], [no_game()]);
        assert_eq!(followed(true), [Ok(None), no_game()]);
        assert_eq!(folder.path().read_dir().expect("it is there").count(), 0);
    }

    #[test]
    fn no_more_workers_are_there_than_games() {
        let leader = Script::default();
        let args = args(&["--games", "2", "--shard", "1/2", "--concurrency", "9"]);
        follow(&args, &program(), &AtomicBool::new(false), &leader).expect("it is set up");
        assert_eq!(leader.counts.into_inner().expect("it is whole")[0].get(), 2);
    }

    #[test]
    fn a_process_that_cannot_be_set_up_does_not_follow() {
        for (flags, message) in [
            (["--openings", "no-such-file"], "can't read no-such-file"),
            (
                ["--engine", "c=ugi:command=no-such-program"],
                "engine \"c\": can't start \"no-such-program\": ",
            ),
        ] {
            let leader = Script::default();
            let error = follow(&args(&flags), &program(), &AtomicBool::new(false), &leader);
            let error = error.expect_err("something is not there").to_string();
            assert!(error.starts_with(message), "{error}");
            assert!(leader.counts.into_inner().expect("it is whole").is_empty());
        }
    }
}

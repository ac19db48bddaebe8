//! The file of a tournament, read while it is written.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use quintet_arena::files;
use quintet_arena::tournament::{
    self, GameLog, LogError, News, Plan, Playing, Standings, Watch, Workers, summary,
};
use quintet_protocol::GameRecord;
use tempfile::TempDir;

use crate::harness::{games, played, tournament};

fn random_games(pairs: usize, seed: u64) -> Vec<GameRecord> {
    played(&tournament(&["krk", "quarto"], ["a=random", "b=random"], pairs, seed))
}

fn line(record: &GameRecord) -> Vec<u8> {
    let mut line = serde_json::to_vec(record).expect("JSON");
    line.push(b'\n');
    line
}

fn lines(records: &[GameRecord]) -> Vec<u8> {
    records.iter().flat_map(line).collect()
}

/// A folder with the file that is watched.
struct Watched {
    _folder: TempDir,
    path: PathBuf,
    watch: Watch,
}

impl Watched {
    fn new(content: &[u8]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary directory can be made");
        let path = folder.path().join("games.jsonl");
        fs::write(&path, content).expect("it can be written");
        let watch = Watch::new(&path, games());
        Self { _folder: folder, path, watch }
    }

    fn append(&self, bytes: &[u8]) {
        let mut file = OpenOptions::new().append(true).open(&self.path).expect("it is there");
        file.write_all(bytes).expect("it can be written");
    }

    fn write(&self, content: &[u8]) {
        fs::write(&self.path, content).expect("it can be written");
    }

    #[track_caller]
    fn news(&mut self) -> News {
        self.watch.news().expect("the file is right")
    }

    /// Returns the number of games that the summary counts.
    fn counted(&self) -> u64 {
        self.watch.summary().results.iter().map(|it| it.games).sum()
    }
}

#[test]
fn records_come_once_and_a_torn_line_waits_wherever_it_is_torn() {
    let records = random_games(1, 1);
    let first = line(&records[0]);
    let second = line(&records[1]);
    for cut in 0..second.len() {
        let mut it = Watched::new(&first);
        let news = it.news();
        assert!(news.from_start && !news.is_running && !news.has_more && news.playing.is_empty());
        assert_eq!(news.records, records[..1]);
        it.append(&second[..cut]);
        let news = it.news();
        assert!(!news.from_start && news.records.is_empty(), "cut at {cut}");
        it.append(&second[cut..]);
        assert_eq!(it.news().records, records[1..2], "cut at {cut}");
        assert_eq!((it.news().records.len(), it.counted()), (0, 2));
    }
}

#[test]
fn a_file_that_was_cut_or_replaced_is_read_from_its_start() {
    let records = random_games(3, 1);
    let [other, third] = [2, 3].map(|seed| random_games(6, seed));
    let mut it = Watched::new(&lines(&records));
    assert_eq!(it.news().records, records);
    // Shorter, as long, longer, empty, and as it was.
    for (content, expected) in [
        (lines(&records[..5]), &records[..5]),
        (lines(&other[..5]), &other[..5]),
        (lines(&third), &third[..]),
        (Vec::new(), &[][..]),
        (lines(&records), &records[..]),
    ] {
        it.write(&content);
        let news = it.news();
        assert!(news.from_start);
        assert_eq!(news.records, expected);
        assert_eq!(it.counted(), expected.len() as u64);
    }
    // A torn end that `--resume` removes.
    it.append(b"{\"game\":\"kr");
    assert!(it.news().records.is_empty());
    it.write(&lines(&records));
    assert!(!it.news().from_start);
    fs::remove_file(&it.path).expect("it is there");
    assert!(matches!(it.watch.news(), Err(LogError::System { what: "read", .. })));
    it.write(&lines(&other));
    assert_eq!(it.news().records, other);
}

#[test]
fn a_wrong_line_is_an_error_after_the_records_before_it_until_it_is_mended() {
    let records = random_games(2, 1);
    let mut changed = records[2].clone();
    changed.seed += 1;
    let cut = {
        let line = line(&records[2]);
        [&line[..line.len() / 2], b"\n"].concat()
    };
    for (wrong, part) in [
        (line(&changed), ", line 3: seed: "),
        (
            line(&random_games(2, 2)[2]),
            ", line 3: a game of another tournament: seed: \"1\" in line 1, \"2\" in line 3",
        ),
        (line(&records[1]), ", line 3: this game is there already"),
        (cut, ", line 3: not JSON"),
        (b"\n".to_vec(), ", line 3: the line is empty"),
    ] {
        let mut it = Watched::new(&[&lines(&records[..2]), &wrong[..], &lines(&records[3..])].concat());
        let news = it.news();
        assert_eq!((news.records.as_slice(), news.has_more), (&records[..2], true));
        for _ in 0..2 {
            let error = it.watch.news().expect_err(part).to_string();
            assert!(error.contains(part), "{error}");
        }
        it.write(&lines(&records));
        let news = it.news();
        assert_eq!((news.records.as_slice(), news.from_start), (&records[2..], false));
    }
}

#[test]
fn a_long_file_is_read_in_parts() {
    let records = random_games(600, 1);
    let mut it = Watched::new(&lines(&records));
    let mut read = Vec::new();
    loop {
        let news = it.news();
        assert!(news.records.len() <= Watch::MOST_AT_ONCE);
        assert_eq!(news.from_start, read.is_empty());
        read.extend(news.records);
        if !news.has_more {
            break;
        }
    }
    assert_eq!(read.len(), 2400);
    assert_eq!(read, records);
}

#[test]
fn a_line_that_is_being_written_is_never_taken_for_a_wrong_one() {
    let records = random_games(200, 1);
    let content = lines(&records);
    let mut it = Watched::new(b"");
    let mut read = Vec::new();
    thread::scope(|scope| {
        let (path, content) = (&it.path, &content);
        let (look, has_looked) = mpsc::channel();
        let writer = scope.spawn(move || {
            let mut file = OpenOptions::new().append(true).open(path).expect("it is there");
            // Pieces of all lengths, whose ends are anywhere in the lines.
            let mut rest = &content[..];
            for length in (1..400).cycle() {
                let (piece, left) = rest.split_at(rest.len().min(length));
                file.write_all(piece).expect("it can be written");
                rest = left;
                if length == 1 && rest.len() + 1 == content.len() {
                    // However fast it is, the first look comes before the rest.
                    has_looked.recv().expect("the reader looks");
                }
                if rest.is_empty() {
                    break;
                }
            }
        });
        let mut calls = 0;
        loop {
            let is_over = writer.is_finished();
            let news = it.watch.news().expect("no line is wrong");
            read.extend(news.records);
            calls += 1;
            // It is waited for once.
            let _ = look.send(());
            let known = tournament::read_games(path, &games()).expect("no line is wrong");
            assert!(records.starts_with(&known));
            if is_over && !news.has_more {
                break;
            }
        }
        assert!(calls > 1);
    });
    assert!(read == records);
}

#[test]
fn the_summary_is_that_of_the_standings() {
    let records = random_games(4, 1);
    let json = |it: &_| serde_json::to_string(it).expect("JSON");
    let expected = json(&Standings::of(&records, &games()).summary(None));
    let going = AtomicBool::new(false);
    let mut it = Watched::new(&lines(&records));
    it.news();
    assert_eq!(json(&it.watch.summary()), expected);
    assert_eq!(json(&summary(records.clone(), &games(), &going).expect("they are right")), expected);
    assert_eq!(json(&summary([], &games(), &going).expect("nothing is wrong")), r#"{"results":[]}"#);

    let wrong = |records: &[&GameRecord]| -> String {
        summary(records.iter().copied().cloned(), &games(), &AtomicBool::new(false)).expect_err("it is wrong")
    };
    let changed = GameRecord { seed: 1, ..records[1].clone() };
    assert!(wrong(&[&records[0], &changed]).starts_with("record 2: seed: 1, but "));
    let other = &random_games(1, 2)[0];
    let said = "record 3: a game of another tournament: seed: \"1\" in record 1, \"2\" in record 3";
    assert_eq!(wrong(&[&records[0], &records[1], other]), said);
    assert_eq!(wrong(&[&records[0], &records[0]]), "record 2: this game is there already");
}

/// Where the games being played are.
fn beside(log: &Path) -> PathBuf {
    let mut path = log.as_os_str().to_owned();
    path.push(".playing");
    path.into()
}

#[test]
fn a_tournament_can_be_watched_from_its_start_to_its_end() {
    // Two seconds of games, many of which end between two versions of the file.
    let engines = ["a=uct:time=10ms", "b=uct:time=2ms"];
    let tournament = tournament(&["quarto", "pentago"], engines, 6, 1);
    let schedule = tournament.schedule();
    let all: Vec<usize> = (0..schedule.len()).collect();
    let mut it = Watched::new(b"");
    let mut log = GameLog::create(&it.path).expect("it is empty");
    let path = log.playing_path().expect("it is a file");
    let stop = AtomicBool::new(false);
    let has_ended = AtomicBool::new(false);
    let two = NonZeroUsize::new(2).expect("it is 2");
    let playing = Playing::new(two.get());
    let (mut records, mut seen) = (Vec::new(), Vec::new());
    thread::scope(|scope| {
        let arena = scope.spawn(|| {
            thread::scope(|scope| {
                let (_ends, end) = mpsc::channel();
                let (playing, path) = (&playing, &path);
                scope.spawn(move || playing.keep(path, &end, |error| panic!("{error}")));
                let workers = Workers::Local { count: two, playing: Some(playing) };
                let (tournament, schedule, games) = (&tournament, &schedule[..], &all[..]);
                let plan = Plan { tournament, schedule, indices: games, workers, stop: &stop };
                tournament::run(&plan, |_| true, |_, record| log.add(&record, false).is_ok())
            })
            .expect("it can be played");
            has_ended.store(true, Ordering::SeqCst);
        });
        loop {
            let is_over = has_ended.load(Ordering::SeqCst);
            let news = it.news();
            assert_eq!(news.from_start, records.is_empty());
            records.extend(news.records);
            for game in &news.playing {
                assert!(news.is_running);
                let is_it = |record: &&GameRecord| {
                    (&record.game, record.pair, &record.seats) == (&game.game, game.pair, &game.seats)
                };
                assert!(!records.iter().any(|record| is_it(&record)), "it is over: {game:?}");
                assert!(game.moved_ms >= game.started_ms && game.started_ms > 1_500_000_000_000);
                assert_eq!(game.thoughts.iter().flatten().count(), game.moves.len() - game.opening.len());
            }
            seen.extend(news.playing);
            if is_over {
                assert!(!news.is_running);
                break;
            }
        }
        arena.join().expect("it has not panicked");
    });
    assert_eq!(records.len(), schedule.len());
    assert_eq!(it.counted(), 24);
    assert!(!beside(&it.path).exists());
    // Each game that was seen went on as its record says.
    assert!(seen.iter().any(|game| game.moves.len() > game.opening.len()), "no game was seen");
    for game in seen {
        let is_it = |record: &&GameRecord| {
            (&record.game, record.pair, &record.seats) == (&game.game, game.pair, &game.seats)
        };
        let record = records.iter().find(is_it).expect("it was played to its end");
        assert!(record.moves.starts_with(&game.moves) && record.thoughts.starts_with(&game.thoughts));
        assert_eq!((&record.opening, &record.arena), (&game.opening, &game.arena));
    }
}

/// A line of a game being played.
const PLAYING: &str = r#"{"game":"krk","rules":"spec","pair":0,"opening":["Kc1-b2"],"moves":["Kc1-b2","ka4-b4"],"seats":{"white":"a","black":"b"},"thoughts":[null,{"value":1.0,"proven":null,"iterations":5,"ms":3}],"started_ms":1,"moved_ms":2,"arena":{"program":"quintet 1","seed":1,"openings":"1 random plies","engines":{"a":"random","b":"random"}}}"#;

#[test]
fn games_are_being_played_only_while_their_file_is_locked_and_if_they_can_be() {
    let mut it = Watched::new(b"");
    let path = beside(&it.path);
    let wrong = [
        PLAYING.replace("ka4-b4", "ka4-a8"),
        PLAYING.replace("krk", "chess"),
        PLAYING.replace("[\"Kc1-b2\"]", "[\"Kc1-c2\"]"),
        PLAYING.replace("[null,", "["),
        "{".to_owned(),
        String::new(),
    ];
    fs::write(&path, format!("{}\n{PLAYING}\n{}", wrong.join("\n"), &PLAYING[..50])).expect("written");
    // As a killed arena leaves it.
    let news = it.news();
    assert!(news.playing.is_empty() && !news.is_running);
    let lock = files::open_alone(&path, OpenOptions::new().write(true)).expect("it is there");
    assert!(lock.is_some(), "it is free");
    let news = it.news();
    assert!(news.is_running);
    let line = serde_json::to_string(&news.playing).expect("JSON");
    assert_eq!(line, format!("[{PLAYING}]"));
    drop(lock);
    assert!(!it.news().is_running);
}

/// Keeps the games being played in `path` while `during` runs, and returns what could not be written.
fn kept(path: &Path, during: impl FnOnce()) -> Vec<String> {
    let playing = Playing::new(1);
    let (sender, errors) = mpsc::channel();
    thread::scope(|scope| {
        let (_ends, end) = mpsc::channel();
        let failed = move |error: LogError| sender.send(error.to_string()).expect("somebody listens");
        let playing = &playing;
        scope.spawn(move || playing.keep(path, &end, failed));
        during();
    });
    errors.into_iter().collect()
}

fn wait_until(is_done: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_done() {
        assert!(start.elapsed() < Duration::from_secs(60), "nothing has happened");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn what_a_killed_arena_left_is_replaced_and_other_files_are_not() {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let path = folder.path().join("x.playing");
    let new = folder.path().join("x.playing.new");
    let line = format!("{PLAYING}\n");
    for (old, old_new) in [("", ""), (&line, &line[..9]), (&line[..50], &line)] {
        fs::write(&path, old).expect("written");
        fs::write(&new, old_new).expect("written");
        let errors = kept(&path, || wait_until(|| fs::read(&path).is_ok_and(|it| it.is_empty())));
        assert_eq!(errors, [""; 0]);
        assert_eq!(fs::read_dir(folder.path()).expect("it is there").count(), 0, "{old}");
    }
    let record = serde_json::to_string(&random_games(1, 1)[0]).expect("JSON") + "\n";
    for content in ["notes\n", &record, "{\"game\":\"krk\"}\n"] {
        for path_of_it in [&path, &new] {
            fs::write(path_of_it, content).expect("written");
            let errors = kept(&path, || ());
            assert_eq!(errors, [format!("{} already has content", path_of_it.display())]);
            assert_eq!(fs::read_to_string(path_of_it).expect("it is there"), content);
            fs::remove_file(path_of_it).expect("it is there");
        }
    }
    fs::create_dir(&path).expect("made");
    assert_eq!(kept(&path, || ()).len(), 1);
}

#[test]
fn a_file_that_cannot_be_written_is_told_once_and_tried_again() {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let missing = folder.path().join("missing");
    let path = missing.join("x.playing");
    let errors = kept(&path, || {
        thread::sleep(Duration::from_millis(1200));
        fs::create_dir(&missing).expect("made");
        wait_until(|| path.exists());
    });
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(errors[0].starts_with(&format!("can't write {}: ", path.display())), "{errors:?}");
    assert!(!path.exists());
}

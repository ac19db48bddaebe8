//! `quintet-mpi` in several processes, which do what `quintet` does in one.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

#[cfg(target_os = "linux")]
use quintet_core::game::Rng;
use serde_json::Value;

/// `mpirun` with this many ranks on this machine, whatever number of cores it has.
fn mpirun(ranks: usize) -> Command {
    let mut command = Command::new("mpirun");
    command.args(["--oversubscribe", "--bind-to", "none", "-n", &ranks.to_string()]);
    command.arg(env!("CARGO_BIN_EXE_quintet-mpi"));
    // Containers run as root.
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command.env("RAYON_NUM_THREADS", "2");
    command
}

/// The `quintet` of this revision: the one that the environment variable `QUINTET` names, or one that is built.
fn quintet() -> Command {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    let path = PATH.get_or_init(|| {
        if let Some(path) = std::env::var_os("QUINTET") {
            return path.into();
        }
        let built = Command::new(env!("CARGO"))
            .args(["build", "--quiet", "--package", "quintet", "--bin", "quintet"])
            .status()
            .expect("cargo is there");
        assert!(built.success());
        let own = PathBuf::from(env!("CARGO_BIN_EXE_quintet-mpi"));
        own.with_file_name(format!("quintet{}", std::env::consts::EXE_SUFFIX))
    });
    Command::new(path)
}

fn run(mut command: Command, args: &[&str], input: &str) -> Output {
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("it reads its input");
    child.wait_with_output().expect("it ends")
}

/// The lines of a command that succeeds, without their times.
fn answers(command: Command, args: &[&str], input: &str) -> Vec<Value> {
    let output = run(command, args, input);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {errors}");
    let text = String::from_utf8(output.stdout).expect("text");
    let without_time = |line: &str| {
        let mut answer: Value = serde_json::from_str(line).expect("JSON");
        for time in ["seconds", "cpu_seconds"] {
            answer.as_object_mut().expect("an object").remove(time).expect("the time");
        }
        answer
    };
    text.lines().map(without_time).collect()
}

/// Ranks and trees of each.
const SPLITS: [(usize, usize); 4] = [(1, 4), (2, 2), (4, 1), (3, 1)];

fn assert_alike(queries: &[Value]) {
    let lines: Vec<String> = queries.iter().map(Value::to_string).collect();
    let input = lines.join("\n") + "\n";
    for (ranks, trees) in SPLITS {
        let flag = |trees: usize| format!("--trees={trees}");
        let together = answers(mpirun(ranks), &["analyze", &flag(trees)], &input);
        let alone = answers(quintet(), &["analyze", &flag(ranks * trees)], &input);
        assert_eq!(alone.len(), queries.len());
        for (together, alone) in together.iter().zip(&alone) {
            assert_eq!(together, alone, "{ranks} ranks of {trees} trees");
        }
        assert_eq!(together.len(), alone.len());
    }
}

#[test]
fn ranks_give_the_answer_of_as_many_trees_in_one_process() {
    let mut queries = Vec::new();
    for variant in quintet_games::registry().variants() {
        let (game, rules) = (&variant.game, &variant.rules);
        for (engine, iterations) in [("quintet", 5_000), ("uct", 2_001), ("quintet:without=solve", 3_002)] {
            let id = format!("{game} {rules} {engine}");
            queries.push(serde_json::json!({
                "id": id, "game": game, "rules": rules, "engine": engine, "iterations": iterations, "seed": 7,
                "variations": 2,
            }));
        }
    }
    assert_alike(&queries);
}

#[test]
fn ranks_restrict_stop_and_reuse_their_searches_alike() {
    let query = |id: &str, more: Value| {
        let mut query = serde_json::json!({"id": id, "game": "pentago", "rules": "ggp", "iterations": 8_000});
        query.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        query
    };
    let first = query("first", serde_json::json!({"keep": "a game"}));
    let moves = answers(quintet(), &["analyze", "--trees=4"], &format!("{first}\n"))[0]["pv"].clone();
    let pv: Vec<Value> = moves.as_array().expect("moves").iter().take(2).cloned().collect();
    assert_eq!(pv.len(), 2);
    assert_alike(&[
        first,
        query("reuse", serde_json::json!({"keep": "a game", "moves": pv})),
        query("only", serde_json::json!({"avoid_moves": ["a1"]})),
        query("sure", serde_json::json!({"until": {"confidence": 0.6}})),
        query("plies", serde_json::json!({"moves": pv, "analyze_plies": [1]})),
        // The last moves of a game, which is soon proven.
        serde_json::json!({"id": "late", "game": "krk", "iterations": 2_000, "engine": "quintet:without=solve"}),
        serde_json::json!({"id": "few", "game": "gomoku", "iterations": 3}),
        // Each tree grows in batches.
        serde_json::json!({"id": "large", "game": "quarto", "rules": "ggp", "iterations": 100_000}),
    ]);
}

#[test]
fn a_time_budget_is_kept() {
    let started = Instant::now();
    let output =
        run(mpirun(4), &["suggest", "gomoku", "--time=300ms", "--threads=1", "--json", "--verbose"], "");
    assert!(output.status.success());
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(answer["iterations"].as_u64() > Some(0));
    // The machine may be busy.
    assert!(answer["seconds"].as_f64().is_some_and(|it| (0.29..1.0).contains(&it)), "{answer}");
    assert!(started.elapsed() < Duration::from_secs(60));
    let talk = String::from_utf8_lossy(&output.stderr);
    assert!(talk.contains("4 ranks: ") && talk.contains(" exchanges"), "{talk}");
}

#[test]
fn an_error_is_printed_once_and_ends_all_ranks() {
    for (args, message) in [
        (&["suggest", "chess"][..], "invalid value 'chess'"),
        (&["suggest", "quarto", "--moves=zz"], "zz"),
        (&["suggest", "quarto", "--iterations=9999999999999"], "too many"),
    ] {
        let output = run(mpirun(3), args, "");
        assert!(!output.status.success(), "{args:?}");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(errors.matches("error: ").count(), 1, "{errors}");
        assert!(errors.contains(message), "{errors}");
    }
}

/// The games of a file, without the times of moves, in an order that does not depend on when they
/// ended.
fn games(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).expect("it has games");
    let game = |line: &str| {
        let mut game: Value = serde_json::from_str(line).expect("JSON");
        // There is none for the moves of the opening.
        for thought in game["thoughts"].as_array_mut().into_iter().flatten() {
            thought.as_object_mut().map(|thought| thought.remove("ms"));
        }
        game
    };
    let mut games: Vec<Value> = text.lines().map(game).collect();
    games.sort_by_key(Value::to_string);
    games
}

const ARENA: [&str; 8] = [
    "arena",
    "krk,quarto",
    "--games=8",
    "--engine=a=uct:iterations=300,threads=1",
    "--engine=b=quintet:iterations=200,threads=1",
    "--concurrency=2",
    "--seed=3",
    "--json",
];

#[test]
fn the_games_of_an_arena_are_those_of_one_process() {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let [here, there] = ["here", "there"].map(|name| folder.path().join(name));
    let summaries = [(quintet(), &here), (mpirun(1), &folder.path().join("one")), (mpirun(4), &there)].map(
        |(command, path)| {
            let out = format!("--out={}", path.display());
            let output = run(command, &[&ARENA[..], &[&out]].concat(), "");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            output.stdout
        },
    );
    assert_eq!(games(&there), games(&here));
    assert_eq!(games(&there).len(), 16);
    assert!(summaries.iter().all(|it| *it == summaries[0]));
    // A test that is soon decided ends all ranks.
    let output =
        run(mpirun(3), &[&ARENA[..2], &ARENA[3..], &["--games=400", "--sprt=elo0=0,elo1=300"]].concat(), "");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let summary: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(summary.to_string().contains("\"H"), "{summary}");
}

/// The processes of this program whose parent's parent, or parent, is `mpirun`.
#[cfg(target_os = "linux")]
fn ranks_of(mpirun: u32) -> Vec<u32> {
    let text = fs::read_to_string(format!("/proc/{mpirun}/task/{mpirun}/children")).unwrap_or_default();
    text.split_whitespace().filter_map(|pid| pid.parse().ok()).collect()
}

/// Whether a process has ended, though its parent may not know it yet.
#[cfg(target_os = "linux")]
fn has_ended(pid: u32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat")).map_or(true, |stat| stat.contains(") Z "))
}

/// The number of ranks that die in the test below, three unless this says more.
#[cfg(target_os = "linux")]
const KILLS: &str = "QUINTET_KILLS";

#[cfg(target_os = "linux")]
#[test]
fn what_is_played_survives_the_death_of_a_rank() {
    let kills = std::env::var(KILLS).map_or(3, |kills| kills.parse::<usize>().expect("a number"));
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let [whole, killed] = ["whole", "killed"].map(|name| folder.path().join(name));
    let out = |path: &Path| format!("--out={}", path.display());
    let each = kills.max(4) * 2;
    let number = format!("--games={each}");
    let flags = [&ARENA[..2], &ARENA[3..], &[&number]].concat();
    let output = run(quintet(), &[&flags[..], &[&out(&whole)]].concat(), "");
    assert!(output.status.success());
    let mut rng = Rng::stream(kills as u64, 0);
    // The games of both after which a rank dies, and at last none.
    let mut moments: Vec<usize> = (0..kills).map(|_| rng.below(2 * each)).collect();
    moments.sort_unstable();
    moments.push(usize::MAX);
    for after in moments {
        let mut command = mpirun(4);
        command.args(&flags).args([&out(&killed), "--resume"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
        let mut killed_at: Option<Instant> = None;
        let mut ended_at: Option<Instant> = None;
        while child.try_wait().expect("it can be asked").is_none() {
            let done = fs::read_to_string(&killed).map_or(0, |text| text.lines().count());
            let ranks = ranks_of(child.id());
            if killed_at.is_none() && done >= after && !ranks.is_empty() {
                // Somewhere between two games, or before the first.
                std::thread::sleep(Duration::from_millis(rng.below(50) as u64));
                let victim = ranks[rng.below(ranks.len())];
                let status = Command::new("kill").args(["-9", &victim.to_string()]).status();
                killed_at = status.is_ok_and(|status| status.success()).then(Instant::now);
            }
            if let Some(killed_at) = killed_at {
                if ranks.into_iter().all(has_ended) {
                    ended_at.get_or_insert_with(Instant::now);
                }
                let is_late = killed_at.elapsed() > Duration::from_secs(60);
                assert!(ended_at.is_some() || !is_late, "the ranks end when one has died");
            }
            // Open MPI 4.1 may lock itself up at its end, when all ranks are gone.
            if ended_at.is_some_and(|at| at.elapsed() > Duration::from_secs(1)) {
                child.kill().expect("it is there");
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        let status = child.wait().expect("it ends");
        assert_ne!(status.success(), killed_at.is_some(), "after {after} games");
    }
    assert_eq!(games(&killed).len(), 2 * each);
    assert_eq!(games(&killed), games(&whole));
}

#[test]
fn a_search_that_is_stopped_ends_in_all_ranks() {
    let mut command = mpirun(3);
    command.args(["ugi", "--threads=1"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut input = child.stdin.take().expect("a pipe");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut line_with = |start: &str| {
        let wanted = |line: &String| line.starts_with(start);
        lines.by_ref().map(|line| line.expect("text")).find(wanted).expect("it does not end before that")
    };
    for go in ["infinite", "nodes 1000000000 movetime 600000", "nodes 1000000000"] {
        writeln!(input, "setoption name Game value gomoku\nposition startpos\ngo {go}").expect("it reads");
        // The search goes on.
        line_with("info nodes ");
        let stopped = Instant::now();
        writeln!(input, "stop").expect("it reads");
        line_with("bestmove ");
        assert!(stopped.elapsed() < Duration::from_secs(20), "{go}");
    }
    writeln!(input, "quit").expect("it reads");
    assert!(child.wait().expect("it ends").success());
}

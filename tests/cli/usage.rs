//! Wrong usage and wrong input: exit status 2, a helpful message, and nothing on standard output.

use crate::harness::{VARIANTS, command, half_a_game, quintet, quintet_reading, run, state_after, strings};

/// Checks that each of `cases` is refused with a message that has all its parts.
#[track_caller]
fn are_refused(cases: &[(&[&str], &[&str])]) {
    for (args, parts) in cases {
        let message = quintet(*args).refused();
        for part in *parts {
            assert!(message.contains(part), "{args:?}: no {part:?} in {message}");
        }
    }
}

const GAMES: [&str; 5] = ["quarto", "qubic", "gomoku", "pentago", "krk"];

#[test]
fn too_many_threads_are_refused() {
    let search = ["suggest", "krk", "--iterations", "1"];
    let mut many = command();
    many.args(search).env("RAYON_NUM_THREADS", "100000");
    let message = run(many, "").refused();
    assert!(
        message.contains("RAYON_NUM_THREADS is \"100000\": give a number of threads up to 1024"),
        "{message}"
    );
    let arena = ["arena", "krk", "--engine", "uct", "--engine", "random", "--concurrency", "20000"];
    let message = quintet(arena).refused();
    assert!(message.contains("must be at most 1024"), "{message}");
}

#[cfg(target_os = "linux")]
#[test]
fn threads_that_can_not_be_had_are_an_error() {
    let run = |args: &[&str]| {
        let mut shell = std::process::Command::new("sh");
        // The stack of the first thread is larger than all memory. Threads that use the memory up
        // one by one would leave too little for glibc, which ends the process then.
        shell.args(["-c", "ulimit -v 500000; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_quintet")]);
        shell.args(args).env("RAYON_NUM_THREADS", "2").env("RUST_MIN_STACK", "1000000000");
        run(shell, "")
    };
    let run_of_search = run(&["suggest", "krk", "--iterations", "1"]).exits(1);
    assert!(run_of_search.stderr.contains("can't start the threads"), "{run_of_search}");
    // What does not search needs no threads.
    run(&["games"]).succeeds_quietly();
}

#[test]
fn an_unknown_name_is_refused_with_the_known_ones() {
    are_refused(&[
        (&["suggest", "chess"], &[&["'chess'"][..], &GAMES].concat()),
        (&["suggest", "KRK"], &[&["'KRK'"][..], &GAMES].concat()),
        (&["suggest", "krk", "--rules", "house"], &["'house'", "spec", "ggp"]),
        (
            &["arena", "krk,chess", "--engine", "uct", "--engine", "random"],
            &[&["chess", "all"][..], &GAMES].concat(),
        ),
        (&["arena", "krk,", "--engine", "uct", "--engine", "random"], &GAMES),
        (
            &["arena", "krk", "--rules", "none", "--engine", "uct", "--engine", "random"],
            &["spec", "ggp", "both"],
        ),
        (&["arena", "quarto", "krk"], &["tip: separate games by commas, as in quarto,krk"]),
        (&["solve", "krk", "--rules", "house"], &["spec", "ggp", "standard"]),
        (&["suggest", "krk", "--threads", "0"], &["at least 1"]),
        (&["bench", "--game", "chess"], &GAMES),
        (&["bench", "--rules", "house"], &["spec", "ggp"]),
    ]);
}

#[test]
fn a_mistyped_name_is_answered_with_the_one_that_was_meant() {
    are_refused(&[
        (&["suggest", "quatro"], &["'quatro'", "'quarto'"]),
        (&["games", "pentagoo"], &["'pentago'"]),
        (&["suggest", "krk", "--rules", "standart"], &["'standard'"]),
        (
            &["arena", "krk,quatro", "--engine", "uct", "--engine", "random"],
            &["unknown game \"quatro\"; did you mean \"quarto\"?"],
        ),
        (
            &["suggest", "krk", "--engine", "quintte"],
            &["\"quintte\" is not an engine; did you mean \"quintet\"?"],
        ),
        (
            &["suggest", "krk", "--engine", "uct:iteration=100"],
            &["\"iteration=100\" is not a setting; did you mean \"iterations\"?"],
        ),
        (&["suggest", "krk", "--engine", "quintet:without=solve+prior"], &["did you mean \"priors\"?"]),
    ]);
    let queries = "{\"game\":\"quatro\"}\n{\"game\":\"krk\",\"rules\":\"gpp\"}\n";
    let answers = quintet_reading(queries, ["analyze"]).exits(1).json_lines();
    for (answer, meant) in answers.iter().zip(["quarto", "ggp"]) {
        let error = answer["error"].as_str().expect("an error");
        assert!(error.contains(&format!("did you mean \"{meant}\"?")), "{error}");
    }
}

#[test]
fn a_wrong_engine_is_refused_with_the_part_that_is_wrong() {
    for command in [&["suggest", "krk"][..], &["arena", "krk", "--games", "2", "--engine", "random"]] {
        let cases: [(&str, &[&str]); 11] = [
            ("deep", &["\"deep\"", "random", "uct", "quintet"]),
            ("", &["random", "uct", "quintet"]),
            ("uct:depth=3", &["depth", "iterations", "time", "threads", "memory", "c"]),
            ("uct:iterations", &["iterations", "="]),
            ("uct:iterations=many", &["iterations=many"]),
            ("uct:threads=0", &["threads=0", "at least 1"]),
            ("uct:time=5", &["time=5", "500ms"]),
            ("uct:memory=big", &["memory=big", "512MiB"]),
            ("uct:iterations=0", &["iteration"]),
            ("uct:c=nan", &["exploration", "NaN"]),
            ("uct:c=abc", &["c=abc", "at least 0"]),
        ];
        for (engine, parts) in cases {
            are_refused(&[(&[command, &["--engine", engine]].concat(), parts)]);
        }
    }
}

#[test]
fn an_illegal_move_is_refused_with_its_ply_and_the_legal_moves() {
    for (game, rules) in VARIANTS {
        let moves = half_a_game(game, rules);
        let wrong = format!("{} z9", moves.join(" "));
        let message = quintet(["suggest", game, "--rules", rules, "--moves", &wrong]).refused();
        assert!(
            message.contains("z9") && message.contains(&format!("ply {}:", moves.len() + 1)),
            "{message}"
        );
        let named: Vec<&str> = message.split_whitespace().collect();
        // A dozen of them, and how many more there are.
        let state = state_after(game, rules, &moves);
        let legal = strings(&state["legal"]);
        let count = legal.iter().filter(|token| named.contains(token)).count();
        assert_eq!(count, legal.len().min(12), "{game} {rules}: {message}");
        let more = format!(" and {} more", legal.len().saturating_sub(12));
        assert_eq!(message.contains(&more), legal.len() > 12, "{game} {rules}: {message}");
    }
}

#[test]
fn a_move_after_the_end_is_refused() {
    are_refused(&[(
        &["suggest", "krk", "--moves", "Kc1-b2 ka4-b4 Rd1-d4 kb4-a4"],
        &["ply 4", "kb4-a4", "the game is over"],
    )]);
}

#[test]
fn a_wrong_position_is_refused_with_the_part_that_is_wrong() {
    let cases = [
        ("quarto", "..../..../..../... - w", "rank 1"),
        ("quarto", "..../..../.g../.... - w", "rank 2"),
        ("quarto", "..../..../..../.... z w", "hand"),
        ("quarto", "..../..../..../.... - x", "to move"),
        ("qubic", "4/4/4/4|4/4/4/4|4/4/4/4 x -", "levels"),
        ("qubic", "4/4/4/4|4/4/5/4|4/4/4/4|4/4/4/4 x -", "level 2 row 3"),
        ("qubic", "4/4/4/4|4/4/4/4|4/4/4/4|4/4/4/4 x r9", "choices"),
        ("gomoku", "11/11/11/11/11/11/11/11/11/11/12 - 1 1", "rank 1"),
        ("gomoku", "11/11/11/11/11/11/11/11/11/11/11 x 1 1", "color"),
        ("gomoku", "11/11/11/11/11/11/11/11/11/11/11 - 1 7", "step"),
        ("pentago", "6/6/6/6/6/7 r place", "rank 1"),
        ("pentago", "6/6/6/6/6/6 z place", "to move"),
        ("pentago", "6/6/6/6/6/6 r turn", "place or rotate"),
        ("krk", "k3/4/4/2KQ w 1", "rank 1"),
        ("krk", "k3/4/4/2KR x 1", "side to move"),
        ("krk", "k3/4/4/2KR w 0", "step"),
        ("krk", "k3/4/4 w 1", "board"),
        ("krk", "k3/4/4/2KR", "fields"),
        ("krk", "", "fields"),
    ];
    for (game, position, part) in cases {
        are_refused(&[(&["suggest", game, "--position", position], &["position", part])]);
    }
}

#[test]
fn limits_out_of_range_are_refused_by_every_command_that_searches() {
    let commands: [&[&str]; 3] = [
        &["suggest", "krk"],
        &["analyze"],
        &["arena", "krk", "--engine", "uct", "--engine", "random", "--games", "2"],
    ];
    for command in commands {
        let cases: [(&[&str], &str); 12] = [
            (&["--time", "0s"], "--time"),
            (&["--time", "5"], "such as 500ms or 2s; did you mean 5s?"),
            (&["--time", "soon"], "such as 500ms or 2s"),
            (&["--time", "-5s"], "-5"),
            (&["--iterations", "0"], "--iterations"),
            (&["--iterations", "-1"], "-1"),
            (&["--iterations", "1.5k"], "such as 5000, 10k or 2M"),
            (&["--threads", "0"], "--threads"),
            (&["--threads", "two"], "--threads"),
            (&["--seed", "-1"], "-1"),
            (&["--memory", "plenty"], "such as 512MiB or 2GiB"),
            (&["--seed", "18446744073709551616"], "--seed"),
        ];
        for (flags, part) in cases {
            are_refused(&[(&[command, flags].concat(), &[part])]);
        }
    }
}

#[test]
fn limits_of_a_proof_out_of_range_are_refused() {
    for (flag, value, part) in [
        ("--time", "0s", "must be more than 0"),
        ("--time", "5", "did you mean 5s?"),
        ("--threads", "0", "at least 1"),
        ("--threads", "20000", "must be at most 1024"),
        ("--memory", "plenty", "such as 512MiB or 2GiB"),
        ("--iterations", "5", "--iterations"),
    ] {
        are_refused(&[(&["solve", "krk", flag, value], &[flag, part])]);
    }
}

#[test]
fn too_little_memory_is_refused_with_what_would_do() {
    are_refused(&[
        (&["suggest", "krk", "--memory", "1KiB"], &["memory", "1024"]),
        (&["suggest", "krk", "--trees", "1000", "--memory", "1MiB"], &["memory", "1000 trees"]),
        (&["suggest", "krk", "--trees", "1000000"], &["1000000 trees", "at most 1024"]),
        (&["suggest", "krk", "--threads", "1000000"], &["1000000 threads", "at most 1024"]),
        (&["solve", "krk", "--memory", "1KiB"], &["memory", "1024"]),
        (&["solve", "krk", "--threads", "100", "--memory", "1MiB"], &["memory", "100 trees"]),
        (&["arena", "krk", "--engine", "uct", "--engine", "random", "--memory", "1KiB"], &["memory", "1024"]),
    ]);
}

#[test]
fn what_is_missing_or_too_much_is_refused() {
    are_refused(&[
        (&["suggest"], &["<GAME>"]),
        (&["suggest", "krk", "quarto"], &["quarto"]),
        (&["suggest", "krk", "--moves"], &["--moves"]),
        (&["suggest", "krk", "--deep"], &["--deep"]),
        (&["arena"], &["<GAMES>"]),
        (&["arena", "krk", "--games", "-4"], &["--games", "-4 is not in 1..="]),
        (&["arena", "krk", "--opening-plies", "-1"], &["--opening-plies"]),
        (&["arena", "krk", "--concurrency", "0"], &["--concurrency", "a whole number of at least 1"]),
        (&["arena", "krk", "--progress", "0"], &["--progress", "a whole number of at least 1"]),
        (&["replay"], &["<FILE>"]),
        (&["check", "chess"], &["chess", "krk"]),
        (&["check", "krk", "--rules", "x"], &["x", "spec", "both"]),
        (&["check", "krk", "--games", "0"], &["--games", "0"]),
        (&["check", "krk", "--games", "-1"], &["--games", "-1 is not in 1..="]),
        (&["solve", "krk", "--time", "-1"], &["--time", "is not a time"]),
        (&["solve", "krk", "--time", "-1s"], &["'-1'", "no value is negative"]),
        (&["verify"], &["<FILE>"]),
        (&["completions"], &["<SHELL>"]),
        (&["completions", "tcsh"], &["tcsh", "bash"]),
        (&["man", "dance"], &["dance"]),
        (&["dance"], &["dance"]),
        (&["analyze", "file"], &["file"]),
        (&["games", "krk", "quarto"], &["quarto"]),
        (&["games", "chess"], &["chess", "krk"]),
    ]);
}

#[test]
fn a_bare_call_shows_the_commands_and_is_no_success() {
    let run = quintet::<&str>([]).exits(2);
    assert_eq!(run.stdout, "");
    for command in [
        "games", "suggest", "solve", "play", "arena", "bench", "replay", "convert", "check", "verify",
        "analyze", "ugi", "gomocup", "ggp", "serve",
    ] {
        assert!(run.stderr.contains(command), "{run}");
    }
}

#[cfg(unix)]
#[test]
fn an_argument_that_is_not_text_is_refused() {
    use std::os::unix::ffi::OsStrExt as _;
    let wrong = std::ffi::OsStr::from_bytes(b"kr\xFF");
    quintet([std::ffi::OsStr::new("suggest"), wrong]).refused();
}

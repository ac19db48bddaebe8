//! External engines that lose by a fault.

use quintet_arena::tournament::Standings;
use quintet_protocol::{End, GameRecord};

use crate::harness::{games, played, tournament};

/// The games of a pair against random moves.
fn against_random(engine: &str) -> Vec<GameRecord> {
    played(&tournament(&["pentago"], [engine, "b=random"], 1, 7))
}

/// Checks that the first engine has lost both games.
fn lost(records: &[GameRecord], end: End, fault: &str) {
    assert_eq!(records.len(), 2);
    for (record, own) in records.iter().zip([0, 1]) {
        assert_eq!((record.end, record.fault.as_deref()), (end, Some(fault)));
        let (role, name) = record.seats.get_index(own).expect("two roles");
        assert_eq!((name.as_str(), record.scores[role]), ("a", 0));
        let (role, name) = record.seats.get_index(1 - own).expect("two roles");
        assert_eq!((name.as_str(), record.scores[role]), ("b", 100));
    }
    let standings = Standings::of(records, &games());
    assert_eq!(standings.matches[0].results.faults(), [2, 0]);
    assert_eq!(standings.matches[0].results.first_faults(), [Some(fault.to_owned()), None]);
}

#[test]
fn whoever_ends_too_early_loses() {
    let records = against_random("a=json:command=true");
    lost(&records, End::Crash, "it ended (exit status: 0)");
    // Nobody has moved after the opening but the other.
    assert_eq!([&records[0], &records[1]].map(|it| it.moves.len() - it.opening.len()), [0, 1]);
    assert!(records.iter().all(|it| it.thoughts.len() == it.moves.len()));
}

#[test]
fn whoever_plays_an_illegal_move_loses() {
    let answers = r#"n=0; while read -r query; do n=$((n+1)); echo "{\"id\":$n,\"move\":\"x9\"}"; done"#;
    let records = against_random(&format!("a=json:command=sh -c '{answers}'"));
    lost(&records, End::Illegal, "illegal move \"x9\"");
    let answers = r#"while read -r line; do case "$line" in
        ugi) echo ugiok;; isready) echo readyok;; go*) echo bestmove x9;; esac; done"#;
    let records = against_random(&format!("a=ugi:command=sh -c '{answers}'"));
    lost(&records, End::Illegal, "illegal move \"x9\"");
}

#[test]
fn whoever_does_not_answer_in_time_loses() {
    // For the first answer, the time to start is added.
    let engine = "a=json:time=1ms,margin=0s,start=1ms,command=sh -c 'while read -r query; do :; done'";
    let records = against_random(engine);
    lost(&records, End::Time, "no answer within 2ms");
}

#[test]
fn what_an_engine_says_and_takes_is_recorded() {
    // After both have placed a stone, it turns a quadrant; then it has nothing to say.
    let answer = r#"{\"id\":1,\"move\":\"1CW\",\"value\":61.234,\"iterations\":5}"#;
    let engine = format!("a=json:command=sh -c 'read -r query; echo \"{answer}\"; read -r query'");
    let records = against_random(&engine);
    let first = &records[0];
    assert_eq!((first.moves[2].as_str(), first.moves.len()), ("1cw", 4));
    let thought = first.thoughts[2].as_ref().expect("it says something");
    assert_eq!((thought.value, thought.proven, thought.iterations), (Some(61.23), None, Some(5)));
    assert_eq!(first.end, End::Crash);
    let knows_cpu = cfg!(any(target_os = "linux", target_os = "macos"));
    assert_eq!(thought.cpu_ms.is_some(), knows_cpu);
    if knows_cpu {
        let times = [&first.times["a"], &first.times["b"]];
        assert_eq!(times.map(|it| it.cpu_ms.is_some()), [true, false]);
    }
}

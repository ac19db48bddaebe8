//! Compiling ends when it is told to, whatever it is at. What is counted is how often it looks.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use quintet_gdl::{Compiled, End, Error, Limits};

const RULES: &str = include_str!("../../../rulesheets/connect-four.kif");

/// Compiles, and is told to end at this look. Returns what it was at, and how often it has looked.
fn stopped_at(nth: usize) -> (String, usize) {
    let looks = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&looks);
    let is_over = move || counted.fetch_add(1, Ordering::Relaxed) + 1 >= nth;
    let end = End::after_or(Duration::from_secs(3_600), is_over);
    let at = match Compiled::until(RULES, Limits { sampling: 1_000_000, ..Limits::default() }, &end) {
        Ok(_) => "done".to_owned(),
        Err(Error::Late(what)) => what.to_owned(),
        Err(Error::TooLarge(_)) => "rules".to_owned(),
        Err(other) => panic!("{other}"),
    };
    (at, looks.load(Ordering::Relaxed))
}

/// Adds the looks from which on it is at something else, between these two.
fn add_changes(from: (usize, &str), to: (usize, &str), changes: &mut Vec<(usize, String)>) {
    if from.1 == to.1 {
        return;
    }
    if to.0 - from.0 == 1 {
        return changes.push((to.0, to.1.to_owned()));
    }
    let middle = usize::midpoint(from.0, to.0);
    let (at, looks) = stopped_at(middle);
    assert!(looks <= middle + 4, "it was told to end at look {middle}, and looked {looks} times");
    add_changes(from, (middle, &at), changes);
    add_changes((middle, &at), to, changes);
}

#[test]
fn it_looks_often_whatever_it_is_at() {
    let (done, all) = stopped_at(usize::MAX);
    assert_eq!(done, "done");
    let mut changes = vec![(1, stopped_at(1).0)];
    add_changes((1, &changes[0].1.clone()), (all + 1, "done"), &mut changes);
    let looks = changes.windows(2).map(|it| (&*it[0].1, it[1].0 - it[0].0));
    let looks: Vec<(&str, usize)> = looks.collect();
    let expected = [
        ("rules", 200),
        ("the network was laid out", 8),
        ("random games were played", 600),
        ("facts that are redundant were looked for", 4),
        ("the game was looked into", 600),
        ("the moves that may be legal at once were counted", 14),
        ("the network was laid out", 12),
    ];
    assert_eq!(looks.iter().map(|it| it.0).collect::<Vec<_>>(), expected.map(|it| it.0), "{looks:?}");
    for ((what, count), (_, least)) in looks.iter().zip(expected) {
        assert!(*count >= least, "{what}: {count} looks in {looks:?}");
    }
}

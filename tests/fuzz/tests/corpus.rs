//! Every target over its corpus, and over inputs made from it by a fixed number of random changes.
//! The changes are the same in every run.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;

use quintet_core::game::Rng;
use quintet_fuzz::TARGETS;

/// Runs a target over its corpus and `count` inputs made from it.
fn run(name: &str, count: u64) {
    let (_, target) = TARGETS.into_iter().find(|(it, _)| *it == name).expect("a target");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
    let files = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    paths.sort();
    let corpus: Vec<Vec<u8>> = paths.iter().map(|path| fs::read(path).expect("it can be read")).collect();
    assert!(!corpus.is_empty(), "{} is empty", folder.display());
    for (path, input) in paths.iter().zip(&corpus) {
        check(target, input, &path.display().to_string());
    }
    for number in 0..count {
        let input = changed(&corpus, &mut Rng::stream(0, number));
        check(target, &input, &format!("{name}, input {number}"));
    }
}

/// Runs a target, and names the input if it panics.
fn check(target: fn(&[u8]), input: &[u8], name: &str) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| target(input))) {
        let path = std::env::temp_dir().join("quintet-fuzz-input");
        let saved =
            fs::write(&path, input).map_or(String::new(), |()| format!(", saved as {}", path.display()));
        let text = String::from_utf8_lossy(input);
        std::io::Write::write_all(&mut std::io::stderr(), format!("{name}{saved}:\n{text}\n").as_bytes())
            .expect("standard error can be written");
        resume_unwind(panic);
    }
}

/// Returns an input of the corpus after some random changes.
fn changed(corpus: &[Vec<u8>], rng: &mut Rng) -> Vec<u8> {
    let mut input = corpus[rng.below(corpus.len())].clone();
    for _ in 0..=rng.below(4) {
        let start = rng.below(input.len() + 1);
        let end = input.len().min(start + rng.below(9));
        let mut put = |bytes: &[u8]| drop(input.splice(start..end, bytes.iter().copied()));
        match rng.below(5) {
            // Leave some bytes out, repeat the last ones, or put others in their place.
            0 => put(&[]),
            1 => input.extend_from_within(start..end),
            2 => put(&[rng.bits().to_le_bytes()[0]]),
            3 => put(&rng.bits().to_le_bytes().map(|byte| b' ' + byte % 95)[..end - start]),
            _ => {
                // Take some from anywhere in the corpus.
                let other = &corpus[rng.below(corpus.len())];
                let from = rng.below(other.len() + 1);
                put(&other[from..other.len().min(from + rng.below(33))]);
            }
        }
    }
    input
}

macro_rules! targets {
    ($($name:ident: $count:expr,)*) => {
        $(
            #[test]
            fn $name() {
                run(stringify!($name), $count);
            }
        )*
        /// The targets that are run here.
        const RUN: &[&str] = &[$(stringify!($name)),*];
    };
}

targets! {
    analyze: 2_000,
    arguments: 2_000,
    book: 5_000,
    convert: 5_000,
    engine: 20_000,
    game: 5_000,
    game_log: 2_000,
    ggp: 10_000,
    gomocup: 2_000,
    kif: 20_000,
    line_up: 10_000,
    play: 5_000,
    replay: 2_000,
    rulesheet: 2_000,
    shard: 20_000,
    sprt: 20_000,
    // At the end of its input, half a second is left to a search that nobody has stopped.
    ugi: 500,
}

#[test]
fn every_target_is_run() {
    assert_eq!(TARGETS.map(|(name, _)| name), RUN);
}

//! Mutants of certificates: files with one mistake, each refused unless it proves something too.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::Hash;
use std::{env, fs};

use serde_json::Value;

use super::walk::{Game, Next, Settled, check};
use super::{Stated, VerifyError, read};
use crate::quarto::Quarto;
use crate::qubic::Qubic;

/// A deterministic random number below `most`.
fn random(state: &mut u64, most: usize) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    ((*state >> 33) % most as u64) as usize
}

/// Whether the claim holds in the positions that were searched: by side, claim, `search_from` and key.
type Known<K> = RefCell<HashMap<(usize, u8, Option<u8>, K), bool>>;

/// A game that remembers, from one file to the next, what its searches found. A mutant differs from its
/// file in one line, so few positions are searched twice.
struct Remembering<'a, G: Game> {
    game: G,
    claim: (usize, u8, Option<u8>),
    known: &'a Known<G::Key>,
}

impl<'a, G: Game> Remembering<'a, G> {
    fn new(game: G, known: &'a Known<G::Key>) -> Self {
        Self { game, claim: (0, 0, None), known }
    }
}

impl<G: Game<Key: Hash>> Game for Remembering<'_, G> {
    type Position = G::Position;
    type Turn = G::Turn;
    type Key = G::Key;
    type Symmetry = G::Symmetry;

    const ROLES: [&'static [&'static str]; 2] = G::ROLES;
    const CLAIMS: &'static [u8] = G::CLAIMS;

    fn set_up(&mut self, side: usize, at_least: u8, search_from: Option<u8>) -> Result<(), String> {
        self.claim = (side, at_least, search_from);
        self.game.set_up(side, at_least, search_from)
    }

    fn read(&self, text: &str) -> Result<G::Position, String> {
        self.game.read(text)
    }

    fn write(&self, position: &G::Position) -> String {
        self.game.write(position)
    }

    fn side(&self, position: &G::Position) -> usize {
        self.game.side(position)
    }

    fn turns(&self, position: &G::Position) -> Vec<G::Turn> {
        self.game.turns(position)
    }

    fn tokens(&self, position: &G::Position, turn: G::Turn) -> Vec<String> {
        self.game.tokens(position, turn)
    }

    fn play(&self, position: &G::Position, turn: G::Turn) -> Next<G::Position> {
        self.game.play(position, turn)
    }

    fn canonical(&self, position: &G::Position) -> (G::Key, G::Symmetry) {
        self.game.canonical(position)
    }

    fn image(&self, symmetry: &G::Symmetry, turn: G::Turn) -> G::Turn {
        self.game.image(symmetry, turn)
    }

    fn wins_at_once(&self, position: &G::Position) -> bool {
        self.game.wins_at_once(position)
    }

    fn settle(&mut self, position: &G::Position) -> Settled<G::Turn> {
        let (side, at_least, search_from) = self.claim;
        let key = (side, at_least, search_from, self.canonical(position).0);
        match self.known.borrow().get(&key) {
            Some(true) => return Settled::Holds,
            Some(false) => return Settled::Not("as before".to_owned()),
            None => {}
        }
        let settled = self.game.settle(position);
        match settled {
            Settled::Holds => _ = self.known.borrow_mut().insert(key, true),
            Settled::Not(_) => _ = self.known.borrow_mut().insert(key, false),
            Settled::By(_) | Settled::ByEveryReply => {}
        }
        settled
    }

    fn searched(&self) -> u64 {
        self.game.searched()
    }
}

/// The searches of all files so far.
#[derive(Default)]
struct Searches {
    qubic: Known<<Qubic as Game>::Key>,
    quarto: Known<<Quarto as Game>::Key>,
}

impl Searches {
    /// Checks a file as [`verify`](super::verify) does.
    fn verify(&self, text: &str) -> Result<(), VerifyError> {
        read(&mut text.as_bytes())?.iter().try_for_each(|stated: &Stated| {
            let watch = &mut |_| ();
            match &*stated.first.game {
                "qubic" => {
                    let is_cyclic = stated.first.rules == "ggp";
                    check(Remembering::new(Qubic::new(is_cyclic), &self.qubic), stated, watch)
                }
                _ => check(Remembering::new(Quarto::new(), &self.quarto), stated, watch),
            }
            .map(|_| ())
        })
    }
}

/// What became of mutants: how many were refused, and how many prove something too.
#[derive(Debug, PartialEq, Eq)]
struct Fate {
    refused: usize,
    still_proofs: usize,
}

const fn fate(refused: usize, still_proofs: usize) -> Fate {
    Fate { refused, still_proofs }
}

/// Mutates a file `count` times: takes out a line, changes a turn, raises the claim,
/// or changes a position.
fn mutate(text: &str, count: usize) -> [Fate; 4] {
    let searches = Searches::default();
    searches.verify(text).expect("it is right");
    let all: Vec<&str> = text.lines().collect();
    let mut fates = [(); 4].map(|()| fate(0, 0));
    let mut state = 1;
    for number in 0..count {
        let kind = number % 4;
        let (at, changed) = loop {
            let at = random(&mut state, all.len());
            // A raised claim needs a first line, of which a file has few.
            let first = (0..all.len()).filter(|at| all[*at].starts_with(r#"{"certificate""#));
            let at = if kind == 2 { first.cycle().nth(at).expect("a line") } else { at };
            if let Some(changed) = mutant_of(all[at], kind, &mut state) {
                break (at, changed);
            }
        };
        let mut lines = all.clone();
        lines[at] = &changed;
        lines.retain(|line| !line.is_empty());
        match searches.verify(&lines.join("\n")) {
            Ok(()) => fates[kind].still_proofs += 1,
            Err(_) => fates[kind].refused += 1,
        }
    }
    fates
}

/// What comes in place of a line; nothing if it is taken out. `None` if the line has no such mutant, or
/// the random choice changed nothing.
fn mutant_of(line: &str, kind: usize, state: &mut u64) -> Option<String> {
    let before: Value = serde_json::from_str(line).expect("JSON");
    let mut after = before.clone();
    let is_first = before["certificate"].is_u64();
    match kind {
        0 => return (!is_first).then(String::new),
        1 if !is_first => {
            let moves = after["moves"].as_array_mut().expect("moves");
            let token = random(state, moves.len());
            let mut text = moves[token].as_str().expect("a token").to_owned().into_bytes();
            let at = random(state, text.len());
            let choices: &[u8] = match text[at] {
                b'0' | b'1' if text.len() == 4 => b"01",
                b'1'..=b'4' => b"1234",
                b'a'..=b'd' if moves.len() < 3 => b"abcd",
                _ => return None,
            };
            text[at] = choices[random(state, choices.len())];
            moves[token] = String::from_utf8(text).expect("text").into();
        }
        2 if is_first => {
            for (_, claim) in after["claim"].as_object_mut().expect("a claim") {
                let least = claim["at_least"].as_u64().expect("a score");
                claim["at_least"] = (least + 1 + random(state, 100) as u64).into();
            }
        }
        3 => {
            let mut text = after["position"].as_str().expect("a position").to_owned().into_bytes();
            let (one, other) = (random(state, text.len()), random(state, text.len()));
            text.swap(one, other);
            after["position"] = String::from_utf8(text).expect("text").into();
        }
        _ => return None,
    }
    (after != before).then(|| after.to_string())
}

/// Reads a certificate of `tests/data/certificates`.
fn certificate(name: &str) -> String {
    let path = format!("{}/../../tests/data/certificates/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(path).expect("the certificates are there")
}

// Every line is needed, no claim may be higher, and no position may be another. A turn may be
// replaced by another that also proves the claim.

#[test]
fn mutants_of_qubic_are_refused_unless_they_are_proofs() {
    let fates = mutate(&certificate("qubic"), 500);
    assert_eq!(fates, [fate(125, 0), fate(109, 16), fate(125, 0), fate(125, 0)]);
}

#[test]
fn mutants_of_quarto_are_refused_unless_they_are_proofs() {
    let fates = mutate(&certificate("quarto"), 500);
    assert_eq!(fates, [fate(125, 0), fate(99, 26), fate(125, 0), fate(125, 0)]);
}

/// The same for the certificate of a whole game.
#[test]
#[expect(clippy::print_stdout, reason = "tells the result")]
#[ignore = "takes minutes, and a file that `quintet solve --certificate` writes"]
fn mutants_of_a_whole_game_are_refused_unless_they_are_proofs() {
    let file = env::var("CERTIFICATE").expect("the name of a file in CERTIFICATE");
    let fates = mutate(&fs::read_to_string(file).expect("the file"), 500);
    println!("a line less, another turn, a higher claim, another position: {fates:?}");
    assert!([0, 2].iter().all(|&kind| fates[kind].still_proofs == 0), "{fates:?}");
}

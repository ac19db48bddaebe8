//! Mutants of certificates: files with one mistake, each refused unless it proves something too.

use std::cell::Cell;
use std::collections::HashMap;
use std::io::{self, Write as _};
use std::num::NonZeroUsize;
use std::time::Instant;
use std::{env, fs, mem};

use quintet_core::game::Side;
use quintet_core::knowledge::Effort;
use quintet_core::solver::{Progress, SettleOptions};
use serde_json::{Value, json};

use super::walk::{Game, Next, Settled, check};
use super::{Stated, VerifyError, read};
use crate::quarto::Quarto;
use crate::qubic::Qubic;

/// A deterministic random number below `most`.
fn random(state: &mut u64, most: usize) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    ((*state >> 33) % most as u64) as usize
}

/// What is asked in a search: side, claim and `search_from`.
type Claim = (usize, u8, Option<u8>);

/// A game whose searches were for one claim, and whether that holds in the positions that were searched.
struct Searched<G: Game> {
    claim: Claim,
    game: G,
    known: HashMap<G::Key, bool>,
}

/// A game that remembers, from one file to the next, what its searches found. A mutant differs from its
/// file in one line, so few positions are searched twice.
struct Remembering<'a, G: Game> {
    new: fn() -> G,
    searched: &'a mut Vec<Searched<G>>,
    /// The one of them for the claim of this file, once that is set up.
    at: usize,
    /// The key of the position that came last. What is searched is that one.
    last: Cell<Option<(G::Position, G::Key)>>,
}

impl<'a, G: Game> Remembering<'a, G> {
    fn new(new: fn() -> G, searched: &'a mut Vec<Searched<G>>) -> Self {
        Self { new, searched, at: 0, last: Cell::new(None) }
    }

    fn game(&self) -> &G {
        &self.searched[self.at].game
    }
}

impl<G: Game<Position: PartialEq>> Game for Remembering<'_, G> {
    type Position = G::Position;
    type Turn = G::Turn;
    type Key = G::Key;
    type Symmetry = G::Symmetry;

    const ROLES: [&'static [&'static str]; 2] = G::ROLES;
    const CLAIMS: &'static [u8] = G::CLAIMS;

    fn set_up(&mut self, side: usize, at_least: u8, search_from: Option<u8>) -> Result<(), String> {
        let claim = (side, at_least, search_from);
        if let Some(at) = self.searched.iter().position(|it| it.claim == claim) {
            self.at = at;
            return Ok(());
        }
        let mut game = (self.new)();
        game.set_up(side, at_least, search_from)?;
        self.at = self.searched.len();
        self.searched.push(Searched { claim, game, known: HashMap::new() });
        Ok(())
    }

    fn read(&self, text: &str) -> Result<G::Position, String> {
        self.game().read(text)
    }

    fn write(&self, position: &G::Position) -> String {
        self.game().write(position)
    }

    fn side(&self, position: &G::Position) -> usize {
        self.game().side(position)
    }

    fn turns(&self, position: &G::Position) -> Vec<G::Turn> {
        self.game().turns(position)
    }

    fn tokens(&self, position: &G::Position, turn: G::Turn) -> impl Iterator<Item = String> {
        self.game().tokens(position, turn)
    }

    fn play(&self, position: &G::Position, turn: G::Turn) -> Next<G::Position> {
        self.game().play(position, turn)
    }

    fn canonical(&self, position: &G::Position) -> (G::Key, G::Symmetry) {
        let (key, symmetry) = self.game().canonical(position);
        self.last.set(Some((*position, key)));
        (key, symmetry)
    }

    fn image(&self, symmetry: &G::Symmetry, turn: G::Turn) -> G::Turn {
        self.game().image(symmetry, turn)
    }

    fn wins_at_once(&self, position: &G::Position) -> bool {
        self.game().wins_at_once(position)
    }

    fn settle(&mut self, position: &G::Position) -> Settled<G::Turn> {
        let last = self.last.get().filter(|(last, _)| last == position);
        let key = last.map_or_else(|| self.canonical(position).0, |(_, key)| key);
        let Searched { game, known, .. } = &mut self.searched[self.at];
        match known.get(&key) {
            Some(true) => return Settled::Holds,
            Some(false) => return Settled::Not("as before".to_owned()),
            None => {}
        }
        let settled = game.settle(position);
        match settled {
            Settled::Holds => _ = known.insert(key, true),
            Settled::Not(_) => _ = known.insert(key, false),
            Settled::By(_) | Settled::ByEveryReply => {}
        }
        settled
    }

    fn searched(&self) -> u64 {
        self.game().searched()
    }
}

/// The searches of all files so far.
#[derive(Default)]
struct Searches {
    qubic: Vec<Searched<Qubic>>,
    cyclic_qubic: Vec<Searched<Qubic>>,
    quarto: Vec<Searched<Quarto>>,
}

impl Searches {
    /// Checks a certificate as [`verify`](super::verify) does.
    fn verify(&mut self, stated: &Stated) -> Result<(), VerifyError> {
        let watch = &mut |_| ();
        match (&*stated.first.game, &*stated.first.rules) {
            ("qubic", "ggp") => {
                check(Remembering::new(|| Qubic::new(true), &mut self.cyclic_qubic), stated, watch)
            }
            ("qubic", _) => check(Remembering::new(|| Qubic::new(false), &mut self.qubic), stated, watch),
            _ => check(Remembering::new(Quarto::new, &mut self.quarto), stated, watch),
        }
        .map(|_| ())
    }

    /// Checks a certificate with `changed` in place of one of its lines, 0 for its first, which is
    /// `first` in the file. Leaves it as it was.
    fn verify_mutant(
        &mut self,
        stated: &mut Stated,
        first: &str,
        line: usize,
        changed: &str,
    ) -> Result<(), VerifyError> {
        if line == 0 {
            let first = only(read(&mut changed.as_bytes())?).first;
            let before = mem::replace(&mut stated.first, first);
            let result = self.verify(stated);
            stated.first = before;
            result
        } else if changed.is_empty() {
            let before = stated.lines.remove(line - 1);
            let result = self.verify(stated);
            stated.lines.insert(line - 1, before);
            result
        } else {
            let (_, changed) = only(only(read(&mut format!("{first}\n{changed}").as_bytes())?).lines);
            let before = mem::replace(&mut stated.lines[line - 1].1, changed);
            let result = self.verify(stated);
            stated.lines[line - 1].1 = before;
            result
        }
    }
}

/// The only one of a list.
fn only<T>(mut list: Vec<T>) -> T {
    assert_eq!(list.len(), 1);
    list.remove(0)
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
/// or changes a position. Calls `tell` with the number of mutants so far and their fates.
///
/// The file is read once. Of a mutant only the changed line is read, and only its certificate is checked:
/// a line is read by itself but for the certificate that it belongs to, which no mutant changes, and a
/// check takes in one certificate. So the rest of the file would pass again.
fn mutate(text: &str, count: usize, tell: impl Fn(usize, &[Fate; 4])) -> [Fate; 4] {
    let mut searches = Searches::default();
    let mut file = read(&mut text.as_bytes()).expect("it is right");
    file.iter().try_for_each(|stated| searches.verify(stated)).expect("it is right");
    let all: Vec<&str> = text.lines().collect();
    // A raised claim needs a first line, of which a file has few.
    let firsts: Vec<usize> = file.iter().map(|stated| stated.line - 1).collect();
    let mut fates = [(); 4].map(|()| fate(0, 0));
    let mut state = 1;
    for number in 0..count {
        let kind = number % 4;
        let (at, changed) = loop {
            let at = random(&mut state, all.len());
            let at = if kind == 2 { firsts[at % firsts.len()] } else { at };
            if let Some(changed) = mutant_of(all[at], kind, &mut state) {
                break (at, changed);
            }
        };
        let certificate = firsts.partition_point(|first| *first <= at) - 1;
        let first = firsts[certificate];
        match searches.verify_mutant(&mut file[certificate], all[first], at - first, &changed) {
            Ok(()) => fates[kind].still_proofs += 1,
            Err(_) => fates[kind].refused += 1,
        }
        tell(number + 1, &fates);
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

// Every line of these files is needed, no claim may be higher, and no position may be another. A turn may be
// replaced by another that also proves the claim.

#[test]
fn mutants_of_qubic_are_refused_unless_they_are_proofs() {
    let fates = mutate(&certificate("qubic"), 500, |_, _| ());
    assert_eq!(fates, [fate(125, 0), fate(109, 16), fate(125, 0), fate(125, 0)]);
}

#[test]
fn mutants_of_quarto_are_refused_unless_they_are_proofs() {
    let fates = mutate(&certificate("quarto"), 500, |_, _| ());
    assert_eq!(fates, [fate(125, 0), fate(99, 26), fate(125, 0), fate(125, 0)]);
}

/// The certificate of Quarto from the start for Black, one of the two that `quintet solve quarto --rules ggp
/// --certificate` writes. That for White takes five times as long and is checked by the same code.
fn quarto_from_the_start() -> String {
    let game = quintet_games::registry().find("quarto", Some("ggp")).expect("it is known");
    let session = game.start();
    let options = SettleOptions {
        effort: Effort::UNLIMITED,
        memory: 64 << 20,
        threads: NonZeroUsize::MIN,
        wants_strategies: true,
        progress: &Progress::new(),
    };
    let mut lines = Vec::new();
    let strategies = session.settle(&options).strategies.into_iter();
    for strategy in strategies.filter(|it| it.claim.side == Side::Second) {
        let claim = json!({ "black": { "at_least": strategy.claim.score } });
        lines.push(json!({
            "certificate": 1, "game": "quarto", "rules": "ggp", "position": session.position(), "claim": claim,
            "search_from": strategy.search_from,
        }));
        let turns = strategy.choices.iter();
        lines.extend(turns.map(|(position, moves)| json!({ "position": position, "moves": moves })));
    }
    lines.iter().map(Value::to_string).collect::<Vec<_>>().join("\n")
}

/// The same for the certificate of a whole game: the file that the variable `CERTIFICATE` names, or that of
/// Quarto, which takes some seconds. So it is left out unless all tests are wanted. A file that is
/// named may take longer, so the test tells how far it is.
#[test]
fn mutants_of_a_whole_game_are_refused_unless_they_are_proofs() {
    let tell = |text: &str| io::stderr().write_all(text.as_bytes()).expect("standard error is open");
    let named = env::var_os("CERTIFICATE");
    let text = match &named {
        Some(file) => fs::read_to_string(file).expect("the file of CERTIFICATE"),
        None if env::var_os("QUINTET_TESTS").is_some_and(|tests| tests == "all") => quarto_from_the_start(),
        // Whoever reads the log has to know; what `eprintln` prints is only shown of tests that fail.
        None => return tell("left out: the mutants of a whole game; QUINTET_TESTS is not \"all\"\n"),
    };
    let started = Instant::now();
    // Of a file that is named about twice as many as its lines, of each kind; a mutant may take a second.
    let count = if named.is_some() { 200 } else { 60 };
    let fates = mutate(&text, count, |number, fates| {
        if named.is_some() && number.is_multiple_of(25) {
            tell(&format!("{number} mutants, {:.0} s: {fates:?}\n", started.elapsed().as_secs_f64()));
        }
    });
    tell(&format!("a line less, another turn, a higher claim, another position: {fates:?}\n"));
    assert_eq!(fates[2].still_proofs, 0, "{fates:?}");
    // A file may have lines that the check could do without: Qubic's has each win to its last attack, which
    // a search finds at once.
    assert!(named.is_some() || fates[0].still_proofs == 0, "{fates:?}");
    assert!(fates.iter().all(|it| it.refused > 0), "{fates:?}");
}

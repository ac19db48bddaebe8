//! Mutants of certificates, for the tests and for the example of the same name.

use quintet_verify::verify;
use serde_json::Value;

/// A deterministic random number below `most`.
pub(crate) fn random(state: &mut u64, most: usize) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    ((*state >> 33) % most as u64) as usize
}

/// What became of mutants: how many were refused, and how many prove something too.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fate {
    pub(crate) refused: usize,
    pub(crate) still_proofs: usize,
}

/// Mutates a file `count` times: takes out a line, changes a turn, raises the claim,
/// or changes a position.
pub(crate) fn mutate(text: &str, count: usize) -> [Fate; 4] {
    let all: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let is_first = |line: &Value| line["certificate"].is_u64();
    let mut fates = [(); 4].map(|()| Fate { refused: 0, still_proofs: 0 });
    let mut state = 1;
    for number in 0..count {
        let kind = number % 4;
        let mut mutant = all.clone();
        loop {
            let at = random(&mut state, mutant.len());
            let line = &mut mutant[at];
            match kind {
                0 if !is_first(line) => _ = mutant.remove(at),
                1 if !is_first(line) => {
                    let moves = line["moves"].as_array_mut().expect("moves");
                    let token = random(&mut state, moves.len());
                    let mut text = moves[token].as_str().expect("a token").to_owned().into_bytes();
                    let at = random(&mut state, text.len());
                    let choices: &[u8] = match text[at] {
                        b'0' | b'1' if text.len() == 4 => b"01",
                        b'1'..=b'4' => b"1234",
                        b'a'..=b'd' if moves.len() < 3 => b"abcd",
                        _ => continue,
                    };
                    text[at] = choices[random(&mut state, choices.len())];
                    moves[token] = String::from_utf8(text).expect("text").into();
                }
                2 if is_first(line) => {
                    for (_, claim) in line["claim"].as_object_mut().expect("a claim") {
                        let least = claim["at_least"].as_u64().expect("a score");
                        claim["at_least"] = (least + 1 + random(&mut state, 100) as u64).into();
                    }
                }
                3 => {
                    let mut text = line["position"].as_str().expect("a position").to_owned().into_bytes();
                    let (one, other) = (random(&mut state, text.len()), random(&mut state, text.len()));
                    text.swap(one, other);
                    line["position"] = String::from_utf8(text).expect("text").into();
                }
                _ => continue,
            }
            if mutant != all {
                break;
            }
        }
        let text: Vec<String> = mutant.iter().map(Value::to_string).collect();
        match verify(&mut text.join("\n").as_bytes(), &mut |_| ()) {
            Ok(_) => fates[kind].still_proofs += 1,
            Err(_) => fates[kind].refused += 1,
        }
    }
    fates
}

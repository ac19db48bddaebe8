//! Rulesheets with random slips: a game that still compiles follows its rules to the letter, however odd they are.

use std::fs;
use std::time::Duration;

use quintet_core::game::Rng;
use quintet_gdl::kif::Kif;
use quintet_gdl::{Compiled, Limits, compare};

/// The rules of a small rulesheet of the repository.
fn rules_of(name: &str) -> Vec<Kif> {
    let path = format!("{}/../../rulesheets/{name}.kif", env!("CARGO_MANIFEST_DIR"));
    Kif::parse_all(&fs::read_to_string(path).expect("the rulesheet is there")).expect("it is well formed")
}

/// The numbers of the rules with conditions.
fn conditional(rules: &[Kif]) -> Vec<usize> {
    let has_conditions =
        |rule: &Kif| matches!(rule, Kif::List(parts) if parts[0].is("<=") && parts.len() > 2);
    (0..rules.len()).filter(|&at| has_conditions(&rules[at])).collect()
}

/// The parts of a rule: `<=`, its head and its conditions.
fn parts_of(rule: &mut Kif) -> &mut Vec<Kif> {
    let Kif::List(parts) = rule else { panic!("a rule with conditions is a list") };
    parts
}

/// The symbols of a rule.
fn symbols(rule: &mut Kif) -> Vec<&mut String> {
    match rule {
        Kif::Symbol(symbol) => vec![symbol],
        Kif::List(parts) => parts.iter_mut().flat_map(symbols).collect(),
    }
}

fn pick<'a, T>(from: &'a [T], rng: &mut Rng) -> &'a T {
    &from[rng.below(from.len())]
}

/// Changes one thing.
fn slip(rules: &mut Vec<Kif>, rng: &mut Rng) {
    let conditional = conditional(rules);
    let [at, other] = [*pick(&conditional, rng), *pick(&conditional, rng)];
    match rng.below(6) {
        0 => drop(rules.remove(at)),
        1 => drop(parts_of(&mut rules[at]).pop()),
        2 => {
            let parts = parts_of(&mut rules[at]);
            let place = 2 + rng.below(parts.len() - 2);
            let condition = parts[place].clone();
            parts[place] = match condition {
                Kif::List(ref parts) if parts[0].is("not") => parts[1].clone(),
                _ => Kif::List(vec![Kif::Symbol("not".to_owned()), condition]),
            };
        }
        3 => {
            let more = pick(&parts_of(&mut rules[other])[2..], rng).clone();
            parts_of(&mut rules[at]).push(more);
        }
        4 => {
            let parts = parts_of(&mut rules[at]);
            let either = [vec![Kif::Symbol("or".to_owned())], parts.split_off(2)].concat();
            parts.push(Kif::List(either));
        }
        _ => {
            let symbol = (*pick(&symbols(&mut rules[other]), rng)).clone();
            let mut symbols = symbols(&mut rules[at]);
            let place = rng.below(symbols.len());
            *symbols[place] = symbol;
        }
    }
}

#[test]
fn rules_with_slips_are_followed_to_the_letter() {
    let small = ["tic-tac-toe", "domineering", "three-heaps", "three-rounds", "dice-race", "peg", "pursuit"];
    let sheets = small.map(rules_of);
    let limits = Limits { facts: 20_000, rules: 50_000, gates: 50_000, ..Limits::default() };
    let mut rng = Rng::stream(51, 0);
    let (mut compiled, mut steps) = (0, 0);
    for _ in 0..400 {
        let mut rules = pick(&sheets, &mut rng).clone();
        for _ in 0..=rng.below(3) {
            slip(&mut rules, &mut rng);
        }
        let text = rules.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        let Ok(game) = Compiled::new(&text, limits) else { continue };
        let compared = compare::compare(&text, &game, 60, Duration::from_secs(60), 1);
        steps += compared.unwrap_or_else(|difference| panic!("{difference}\n{text}"));
        compiled += 1;
    }
    assert!(compiled >= 120 && steps > 40 * compiled, "{compiled} games, {steps} steps");
}

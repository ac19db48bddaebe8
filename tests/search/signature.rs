//! The search's behaviour as a number for each game and ruleset.
//!
//! These change when, and only when, the search or a game behaves differently; a change that is meant to make
//! things faster must leave them alone. When behaviour changes on purpose, put in the new numbers, which
//! `quintet bench` prints, and note it in the changelog.

use quintet::catalog::{GameId, Visitor};
use quintet::games::Rules;
use quintet::knowledge::{Known, RulesOnly};
use quintet::search::{Budget, Search, SearchConfig};

const SIGNATURES: [(&str, &str, u64); 10] = [
    ("quarto", "spec", 0x731c_5b04_91d7_5119),
    ("quarto", "ggp", 0x24d4_e9a6_5d4c_0c96),
    ("qubic", "spec", 0xfbfc_b95e_d9cd_957c),
    ("qubic", "ggp", 0x5761_c8f3_695f_6472),
    ("gomoku", "spec", 0x1129_ff63_83ec_8c1d),
    ("gomoku", "ggp", 0x3d18_8ba1_1b3e_207b),
    ("pentago", "spec", 0xb300_e2ea_5d18_13b6),
    ("pentago", "ggp", 0xfc2d_33f5_0d03_c2ec),
    ("krk", "spec", 0x49b4_3979_0e61_3050),
    ("krk", "ggp", 0x49b4_3979_0e61_3050),
];

struct Signature;

impl Visitor for Signature {
    type Output = u64;

    fn visit<G: Known>(self) -> u64 {
        let mut search = Search::<G, _>::new(SearchConfig::uct(), RulesOnly).expect("valid");
        let budget = Budget::iterations(100_000).expect("not 0");
        search.run(&G::benchmark(), budget).expect("there are moves").visits_hash
    }
}

#[test]
fn the_behaviour_of_the_search_has_not_changed() {
    let mut found = Vec::new();
    for &game in GameId::ALL {
        for rules in Rules::ALL {
            found.push((game.name(), rules.name(), game.visit(rules, Signature)));
        }
    }
    assert_eq!(found, SIGNATURES, "{found:#x?}");
}

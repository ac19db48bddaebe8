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
    ("quarto", "spec", 0xec6b_d293_0651_d827),
    ("quarto", "ggp", 0x34c7_394c_a310_5fb8),
    ("qubic", "spec", 0xdb4f_3ebd_0d07_83bd),
    ("qubic", "ggp", 0x2b6a_ffd6_eae6_5eae),
    ("gomoku", "spec", 0x90d6_697a_59d2_500c),
    ("gomoku", "ggp", 0xdefe_6f7e_6e03_541e),
    ("pentago", "spec", 0x1918_e9b3_72bc_592f),
    ("pentago", "ggp", 0x3544_4cb8_46cd_499a),
    ("krk", "spec", 0xab0c_cd72_fdfc_d720),
    ("krk", "ggp", 0x1254_4bb2_d123_e10c),
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

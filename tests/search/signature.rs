//! The search's behaviour as a number for each game and ruleset.
//!
//! These change when, and only when, the search or a game behaves differently; a change that is meant to make
//! things faster must leave them alone. When behaviour changes on purpose, put in the new numbers, which
//! `quintet bench` prints, and note it in the changelog.

use quintet::game::Notation;
use quintet::games::{GameId, Rules, Visitor};
use quintet::knowledge::RulesOnly;
use quintet::search::{Budget, Search, SearchConfig};

const SIGNATURES: [(&str, &str, u64); 10] = [
    ("quarto", "spec", 0xd6ce_b2b2_5d44_45e1),
    ("quarto", "ggp", 0xbbd3_db0d_05da_20dd),
    ("qubic", "spec", 0xa797_cba9_803b_3a99),
    ("qubic", "ggp", 0x125a_76eb_f514_9c2e),
    ("gomoku", "spec", 0xd222_8136_15a7_f201),
    ("gomoku", "ggp", 0xc165_7665_32f5_9594),
    ("pentago", "spec", 0x5889_405e_15a4_0469),
    ("pentago", "ggp", 0xe975_7d57_e5df_e3b7),
    ("krk", "spec", 0xab0c_cd72_fdfc_d720),
    ("krk", "ggp", 0x1254_4bb2_d123_e10c),
];

struct Signature;

impl Visitor for Signature {
    type Output = u64;

    fn visit<G: Notation>(self) -> u64 {
        let mut search = Search::<G, _>::new(SearchConfig::default(), RulesOnly).expect("valid");
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

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
    ("quarto", "spec", 0xef2c_a7a3_b0c4_dbd6),
    ("quarto", "ggp", 0xd632_9c89_6935_29e7),
    ("qubic", "spec", 0x45c8_085f_8df1_c188),
    ("qubic", "ggp", 0x991f_4aee_5d7a_f616),
    ("gomoku", "spec", 0xb6d7_e5d5_64fd_d5e2),
    ("gomoku", "ggp", 0x7d4a_430d_130c_ccd1),
    ("pentago", "spec", 0xede5_711f_2764_93e3),
    ("pentago", "ggp", 0xcaef_6c95_c19b_047b),
    ("krk", "spec", 0x2275_d8a3_2332_b2ca),
    ("krk", "ggp", 0x6803_6086_9147_ea6c),
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

//! The search's behaviour as a number for each game and ruleset.
//!
//! These change when, and only when, the search or a game behaves differently; a change that is meant to make
//! things faster must leave them alone. When behaviour changes on purpose, put in the new numbers, which
//! `quintet bench` prints, and note it in the changelog.

use std::num::NonZeroUsize;

use quintet::catalog::{GameId, Visitor};
use quintet::engine::{EngineSpec, signature};
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

/// Those of `quintet` and of `quintet:without=sharing`, each with one tree and with two.
const OF_QUINTET: [(&str, &str, [u64; 4]); 10] = [
    (
        "quarto",
        "spec",
        [0x777d_4fe0_5ed5_6aa9, 0xb06e_f386_b3ba_6da9, 0x777d_4fe0_5ed5_6aa9, 0xb06e_f386_b3ba_6da9],
    ),
    (
        "quarto",
        "ggp",
        [0xec0c_eb82_2d9c_44e8, 0x6d84_6335_000b_5531, 0xec0c_eb82_2d9c_44e8, 0x6d84_6335_000b_5531],
    ),
    (
        "qubic",
        "spec",
        [0x3b23_2ac3_8268_db28, 0x5681_3f36_27a2_0c90, 0x7a05_83b2_3f48_343f, 0xefa4_f0ad_a32f_56b6],
    ),
    (
        "qubic",
        "ggp",
        [0xef6d_1de4_6569_4cd9, 0x75f1_88fe_5cf0_89d4, 0x71b3_1e62_025f_7d91, 0xe404_9e35_9564_9934],
    ),
    (
        "gomoku",
        "spec",
        [0x8293_05c6_fddf_51f6, 0xc79b_a16d_0134_6284, 0xae81_7725_243e_e7f2, 0x8b73_d917_b147_16ce],
    ),
    (
        "gomoku",
        "ggp",
        [0xc6a2_8144_7c7b_8a9f, 0x6ff9_bcde_3361_b67b, 0xf695_1819_05ce_9fe4, 0xe7a2_7a10_5546_5f92],
    ),
    (
        "pentago",
        "spec",
        [0xc3d6_8eb8_7865_7d4c, 0x9ae1_f8ff_cc31_c204, 0x7a23_22a7_076b_d33a, 0x0a1a_2f65_f849_0fdb],
    ),
    (
        "pentago",
        "ggp",
        [0x5f3d_6715_2a2e_234e, 0x4fc8_9d4a_22f3_fbc1, 0xa1c7_329b_156a_3c29, 0x9b3d_a59b_19d1_7c8e],
    ),
    (
        "krk",
        "spec",
        [0xd55b_32b7_52f8_4082, 0xd55b_32b7_52f8_4082, 0xd55b_32b7_52f8_4082, 0xd55b_32b7_52f8_4082],
    ),
    (
        "krk",
        "ggp",
        [0x7af5_a717_9046_ae51, 0x7af5_a717_9046_ae51, 0x7af5_a717_9046_ae51, 0x7af5_a717_9046_ae51],
    ),
];

struct OfQuintet;

impl Visitor for OfQuintet {
    type Output = [u64; 4];

    fn visit<G: Known>(self) -> [u64; 4] {
        let engine = |text: &str| text.parse::<EngineSpec>().expect("an engine");
        let of = |text, trees| {
            signature::<G>(&engine(text), NonZeroUsize::new(trees).expect("not 0")).expect("a signature")
        };
        [
            of("quintet", 1),
            of("quintet", 2),
            of("quintet:without=sharing", 1),
            of("quintet:without=sharing", 2),
        ]
    }
}

#[test]
fn the_behaviour_of_the_engine_quintet_has_not_changed() {
    let mut found = Vec::new();
    for &game in GameId::ALL {
        for rules in Rules::ALL {
            found.push((game.name(), rules.name(), game.visit(rules, OfQuintet)));
        }
    }
    assert_eq!(found, OF_QUINTET, "{found:#x?}");
}

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

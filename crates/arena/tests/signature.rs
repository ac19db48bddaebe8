//! The signatures of the search: a number for its behaviour in each game and ruleset.
//!
//! They change when, and only when, the search or a game behaves differently: a change that is
//! meant to make things faster leaves them alone. When behaviour changes on purpose, put in the new
//! numbers, which `quintet bench` prints, and note it in the changelog. A new game needs a row in
//! both tables.

use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;

use quintet_arena::engine::EngineSpec;
use quintet_arena::signature;
use quintet_core::registry::Variant;
use quintet_core::search::{Budget, SearchConfig};
use quintet_core::session::EngineConfig;

/// Those of the engine `uct`.
const SIGNATURES: &[(&str, &str, u64)] = &[
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

/// Those of the engine `quintet`, with one tree and with two.
const OF_QUINTET: &[(&str, &str, [u64; 2])] = &[
    ("quarto", "spec", [0x777d_4fe0_5ed5_6aa9, 0xb06e_f386_b3ba_6da9]),
    ("quarto", "ggp", [0x6f14_812f_bcbe_cbcc, 0x5536_4a77_dfb9_f111]),
    ("qubic", "spec", [0xf72d_bb14_5928_48c5, 0x3112_63c5_f047_8768]),
    ("qubic", "ggp", [0xd25d_f8c6_e1a3_e7da, 0x32fb_f129_a91d_2210]),
    ("gomoku", "spec", [0x6622_d28e_9e4b_9d1a, 0x7ca3_a228_89ad_8c61]),
    ("gomoku", "ggp", [0x8791_566c_3a30_fa36, 0x13a6_c01e_d80a_9160]),
    ("pentago", "spec", [0xae5b_ac41_1261_b428, 0xd8b7_ae77_d08d_9fa6]),
    ("pentago", "ggp", [0x740b_2e9c_5ec9_8011, 0x140e_7dcb_9f19_e82c]),
    ("krk", "spec", [0xd55b_32b7_52f8_4082, 0xd55b_32b7_52f8_4082]),
    ("krk", "ggp", [0x7af5_a717_9046_ae51, 0x7af5_a717_9046_ae51]),
];

fn variant(game: &str, rules: &str) -> Variant {
    quintet_games::registry().find(game, Some(rules)).expect("it is in the list")
}

#[test]
fn the_behaviour_of_the_engine_quintet_has_not_changed() {
    let found: Vec<_> = OF_QUINTET
        .iter()
        .map(|&(game, rules, _)| {
            let variant = variant(game, rules);
            let signatures = [1, 2].map(|trees| {
                let trees = NonZeroUsize::new(trees).expect("not 0");
                signature(&variant, &EngineSpec::default(), trees, &AtomicBool::new(false))
                    .expect("a signature")
                    .expect("nobody stops it")
            });
            (game, rules, signatures)
        })
        .collect();
    assert_eq!(found, OF_QUINTET, "{found:#x?}");
}

#[test]
fn the_behaviour_of_plain_uct_has_not_changed() {
    let found: Vec<_> = SIGNATURES
        .iter()
        .map(|&(game, rules, _)| {
            let mut session = variant(game, rules).start();
            session.go_to_benchmark();
            let engine = session.add_engine(&EngineConfig::Uct(SearchConfig::default())).expect("valid");
            let budget = Budget::iterations(100_000).expect("not 0");
            let report = session.think(engine, budget, 0, &AtomicBool::new(false)).expect("there are moves");
            (game, rules, report.visits_hash)
        })
        .collect();
    assert_eq!(found, SIGNATURES, "{found:#x?}");
}

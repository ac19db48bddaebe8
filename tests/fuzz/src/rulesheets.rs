//! Rulesheets in the Game Description Language.

use std::time::Duration;

use quintet_core::game::Rng;
use quintet_gdl::kif::Kif;
use quintet_gdl::{Compiled, Limits, compare, variant};

use super::check_message;

/// Reads symbols and lists. What was read is written in a form that is read as the same.
pub fn kif(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    match Kif::parse_all(&text) {
        Ok(all) => {
            for kif in all {
                let written = kif.to_string();
                assert_eq!(Kif::parse(&written).as_ref(), Ok(&kif), "{written}");
            }
        }
        Err(error) => check_message(&error, &text),
    }
}

/// Compiles rules within small limits, compares the game with the reference, and plays it.
pub fn rulesheet(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let time = Duration::from_secs(2);
    let limits =
        Limits { time, facts: 3_000, rules: 6_000, gates: 20_000, sampling: 100_000, proving: 100_000 };
    let compiled = match Compiled::new(&text, limits) {
        Ok(compiled) => compiled,
        Err(error) => return check_message(&error.to_string(), &text),
    };
    match compare::compare(&text, &compiled, 12, Duration::from_millis(200), 0) {
        Ok(_) => {}
        // The reference has limits of its own.
        Err(error) => assert!(error.contains("too large"), "{error}"),
    }
    let mut session = variant("fuzz".to_owned(), compiled).start();
    let mut rng = Rng::stream(0, 0);
    for _ in 0..12 {
        let position = session.position();
        session.reset(Some(&position)).expect("a position string is read back");
        assert_eq!(session.position(), position);
        session.draw(session.legal_moves().first().map(String::as_str));
        let Some(token) = session.random_move(&mut rng) else { break };
        session.play(&token).expect("a listed move is legal");
    }
}

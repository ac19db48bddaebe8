//! The contract of `Game`, checked for every game whatever its rules.

use std::collections::HashSet;
use std::mem::size_of;
use std::sync::atomic::AtomicBool;

use quintet_core::check::{CheckOptions, check};
use quintet_core::game::{IllegalMove, Notation, Rng, Side};

use crate::catalog::GameId;
use crate::harness::{in_every_game, legal_moves, random_game, twin_of};
use crate::named::Named;

const SEED: u64 = 0x5eed_ba77;
const GAMES: u64 = 40;

/// Calls `check` with all states of some random games and with a generator for the choices of the
/// check.
fn in_many_states<G: Notation>(mut check: impl FnMut(&G, &mut Rng)) {
    for game in 0..GAMES {
        let mut rng = Rng::stream(SEED, game);
        for state in random_game::<G>(&mut rng) {
            check(&state, &mut rng);
        }
    }
}

fn sorted_tokens<G: Notation>(state: &G) -> Vec<String> {
    let mut tokens: Vec<String> = legal_moves(state).iter().map(ToString::to_string).collect();
    tokens.sort_unstable();
    tokens
}

fn the_promises_of_the_traits_are_kept<G: Named>() {
    let options = CheckOptions { games: GAMES as u32, seed: SEED };
    let report = check::<G>(options, &AtomicBool::new(false));
    assert_eq!(report.faults, []);
    assert!(report.positions > 200 && report.perft.len() > 1, "{report:?}");
}

fn moves_are_small<G: Named>() {
    // With moves of at most two bytes a search node has 16.
    assert!(size_of::<G::Move>() <= 2);
}

fn roles_come_side_by_side<G: Named>() {
    let names: Vec<&str> = G::ROLES.iter().map(|role| &*role.name).collect();
    assert!(twin_of::<G>().is_none_or(|twin| twin.roles() == names));
    let (first, second) = G::ROLES.split_at(G::ROLES.len() / 2);
    assert!(first.iter().all(|role| role.side == Side::First));
    assert!(second.iter().all(|role| role.side == Side::Second));
}

fn scores_follow_the_outcome<G: Named>() {
    in_many_states::<G>(|state, _| {
        if let Some(outcome) = state.outcome() {
            for side in [Side::First, Side::Second] {
                assert_eq!(state.score(side), outcome.score(side), "{state}");
            }
            assert_eq!(outcome.score(Side::First) + outcome.score(Side::Second), 100, "{state}");
        }
    });
}

/// Asserts that the error names the refused move and all legal moves, which are sorted, in its
/// fields, and a dozen of them in its message.
fn assert_names_move_and_choice<G: Notation>(state: &G, legal: &[String], token: &str, error: &IllegalMove) {
    assert_eq!(error.token, token, "{state}");
    assert_eq!(error.legal, legal, "{state}");
    let message = error.to_string();
    assert!(message.contains(&format!("{token:?}")), "{message:?} does not name {token:?}");
    match &error.legal[..] {
        [] => assert!(message.contains("over"), "{message:?} does not tell that the game is over"),
        // A dozen of them, and how many more there are.
        legal if legal.len() > 12 => {
            let named: HashSet<&str> = message.split_whitespace().collect();
            let count = legal.iter().filter(|it| named.contains(it.as_str()) && *it != token).count();
            let more = format!(" and {} more", legal.len() - 12);
            assert!(count == 12 && message.ends_with(&more), "{message:?} of {legal:?}");
        }
        legal => assert!(message.contains(&legal.join(" ")), "{message:?} does not list {legal:?}"),
    }
}

fn playing_is_checked<G: Named>() {
    // Illegal moves are usually moves of other positions.
    let mut seen = HashSet::new();
    in_many_states::<G>(|state, _| seen.extend(legal_moves(state)));
    let mut elsewhere: Vec<G::Move> = seen.into_iter().collect();
    elsewhere.sort_unstable_by_key(ToString::to_string);

    let mut refused = 0;
    in_many_states::<G>(|state, rng| {
        let (legal, tokens) = (legal_moves(state), sorted_tokens(state));
        for &mv in &legal {
            let mut applied = *state;
            applied.apply(mv);
            assert_eq!(state.play(mv), Ok(applied), "{state}, {mv}");
        }
        for _ in 0..4 {
            let mv = elsewhere[rng.below(elsewhere.len())];
            if !legal.contains(&mv) {
                let error = state.play(mv).expect_err("a move that is not in the list is illegal");
                assert_names_move_and_choice(state, &tokens, &mv.to_string(), &error);
                refused += 1;
            }
        }
    });
    assert!(refused > 100, "only {refused} illegal moves were tried");
}

fn nothing_is_legal_after_the_end<G: Named>() {
    for game in 0..GAMES {
        let states = random_game::<G>(&mut Rng::stream(SEED, game));
        let [.., before, end] = &states[..] else { panic!("no game is over before it starts") };
        assert_eq!((end.move_count(), legal_moves(end).len()), (0, 0), "{end}");
        // The moves of the last position are the most likely to be accepted by mistake.
        for mv in legal_moves(before).into_iter().chain(legal_moves(&G::initial())) {
            let error = end.play(mv).expect_err("the game is over");
            assert_names_move_and_choice(end, &[], &mv.to_string(), &error);
            let error = end.parse_move(&mv.to_string()).expect_err("the game is over");
            assert_names_move_and_choice(end, &[], &mv.to_string(), &error);
        }
    }
}

/// Some of the legal moves, in any order: all would take long where there are many.
fn some_moves<G: Notation>(state: &G, rng: &mut Rng) -> Vec<G::Move> {
    const MOST: usize = 12;
    let mut moves = legal_moves(state).to_vec();
    for place in 0..moves.len().min(MOST) {
        let other = place + rng.below(moves.len() - place);
        moves.swap(place, other);
    }
    moves.truncate(MOST);
    moves
}

fn tokens_are_read_back<G: Named>() {
    in_many_states::<G>(|state, rng| {
        for mv in some_moves(state, rng) {
            let token = mv.to_string();
            for written in [token.to_uppercase(), token.to_lowercase(), token] {
                assert_eq!(state.parse_move(&written), Ok(mv), "{state}: {written}");
            }
        }
    });
}

/// Tokens that no game may accept as a move.
const GARBAGE: [&str; 22] = [
    "",
    " ",
    "-",
    "zz",
    "a0",
    "a-1",
    "0a",
    "z1",
    "a12",
    "l11",
    "00000",
    "010",
    "r0",
    "r5",
    "0cw",
    "5cw",
    "Kc1",
    "Kc1-c1-c1",
    "noop",
    "\0",
    "\u{e9}\u{301}",
    "♔c1-c2",
];

fn garbage_is_refused<G: Named>() {
    let long = "a1".repeat(50_000);
    in_many_states::<G>(|state, rng| {
        let legal = sorted_tokens(state);
        let mut garbage: Vec<String> = GARBAGE.iter().map(ToString::to_string).collect();
        if let Some(token) = legal.get(rng.below(legal.len().max(1))) {
            let shorter = token[..token.len() - 1].to_owned();
            garbage.extend([format!("{token} "), format!(" {token}"), format!("{token}\n"), shorter]);
            garbage.push(token.repeat(2));
        }
        // All of it is met in some states of each kind.
        let first = rng.below(4);
        let some = garbage.iter().skip(first).step_by(4);
        for token in some.filter(|token| !legal.contains(token)) {
            let error = state.parse_move(token).expect_err("a token that is not in the list is illegal");
            assert_names_move_and_choice(state, &legal, token, &error);
        }
    });
    let error = G::initial().parse_move(&long).expect_err("no token is that long");
    assert_eq!(error.token, long);
    let message = error.to_string();
    assert!(message.len() < 2_000, "a message of {} bytes repeats the whole token", message.len());
    let error = G::initial().parse_move(&"é".repeat(50_000)).expect_err("no token is that long");
    assert!(error.to_string().len() < 2_000, "the message repeats the whole token");
}

fn drawings_are_clean_and_mark_the_move<G: Named>() {
    let is_clean = |text: &str| text.ends_with('\n') && text.lines().all(|line| line == line.trim_end());
    in_many_states::<G>(|state, rng| {
        let plain = state.draw(None);
        assert!(is_clean(&plain), "{state}:\n{plain}");
        assert!(!plain.contains(['[', ']']), "{state}: brackets without a move\n{plain}");
        let mut drawings = HashSet::new();
        let moves = some_moves(state, rng);
        for &mv in &moves {
            let marked = state.draw(Some(mv));
            assert!(is_clean(&marked), "{state}, {mv}:\n{marked}");
            assert!(marked.contains('[') && marked.contains(']'), "{state}, {mv}:\n{marked}");
            // Apart from the brackets the drawing is the same.
            let unmarked = marked.replace(['[', ']'], " ");
            assert!(unmarked.lines().map(str::trim_end).eq(plain.lines()), "{state}, {mv}:\n{marked}");
            drawings.insert(marked);
        }
        // Moves to different places look different. Pentago's two rotations of a quadrant may look
        // alike, and so may two pieces that move to the same cell.
        let tokens: Vec<String> = moves.iter().map(ToString::to_string).collect();
        let places: HashSet<&str> =
            tokens.iter().map(|it| it.trim_end_matches("cw").trim_end_matches('c')).collect();
        let places: HashSet<&str> =
            places.into_iter().map(|it| it.rsplit('-').next().unwrap_or(it)).collect();
        assert!(drawings.len() >= places.len(), "{state}: {} drawings of {places:?}", drawings.len());
    });
}

fn benchmarks_start_at_an_early_live_position<G: Named>() {
    let start = G::benchmark();
    assert_eq!(start.outcome(), None);
    if G::GAME == GameId::Gomoku {
        // Colors picked, the board empty, player1 with black to move.
        assert_eq!(start.to_string(), "11/11/11/11/11/11/11/11/11/11/11 b 1 -");
        assert_eq!(G::ROLES[start.role_to_move()].name, "player1");
    } else {
        assert_eq!(start, G::initial());
    }
}

in_every_game!(
    the_promises_of_the_traits_are_kept,
    moves_are_small,
    roles_come_side_by_side,
    scores_follow_the_outcome,
    playing_is_checked,
    nothing_is_legal_after_the_end,
    tokens_are_read_back,
    garbage_is_refused,
    drawings_are_clean_and_mark_the_move,
    benchmarks_start_at_an_early_live_position,
);

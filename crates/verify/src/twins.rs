//! Tests that the rules and symmetries of a game are those of quintet-games.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::str::FromStr;

use quintet_core::game::{Game as Twin, MoveList, Notation, Rng, Side};

use super::walk::{Game, Next};

/// All turns of a position of quintet-games as tokens, with the positions that they lead to.
fn turns<T: Twin>(position: &T, side: Side) -> Vec<(Vec<String>, T)>
where
    T::Move: Display,
{
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    let mut found = Vec::new();
    for &mv in &moves {
        let mut next = *position;
        next.apply(mv);
        let token = mv.to_string();
        if next.outcome().is_some() || next.side_to_move() != side {
            found.push((vec![token], next));
        } else {
            let rest = turns(&next, side).into_iter();
            found.extend(rest.map(|(tokens, next)| ([vec![token.clone()], tokens].concat(), next)));
        }
    }
    found
}

/// Plays random games and compares positions, turns and results.
pub(crate) fn the_rules_are_those_of<T: Twin + Notation + Display + FromStr>(game: &impl Game, games: u64)
where
    T::Move: Display,
{
    for seed in 0..games {
        let mut rng = Rng::stream(seed, 0);
        let mut twin = T::initial();
        let mut position = game.read(&twin.to_string()).expect("the start");
        loop {
            let text = twin.to_string();
            assert_eq!(game.write(&position), text);
            assert_eq!(game.read(&text).map(|it| game.write(&it)).as_ref(), Ok(&text));
            assert_eq!(game.side(&position), twin.side_to_move() as usize, "{text}");
            let expected = turns(&twin, twin.side_to_move());
            let found = game.turns(&position);
            let tokens: BTreeSet<_> =
                found.iter().map(|turn| game.tokens(&position, *turn).collect()).collect();
            assert_eq!(tokens, expected.iter().map(|it| it.0.clone()).collect(), "{text}");
            assert_eq!(tokens.len(), found.len(), "{text}: each turn once");

            let (tokens, next) = &expected[rng.below(expected.len())];
            let same = |turn: &&_| game.tokens(&position, **turn).eq(tokens.iter().map(String::as_str));
            twin = *next;
            match game.play(&position, *found.iter().find(same).expect("it is there")) {
                Next::Position(next) => position = next,
                Next::End(scores) => {
                    assert_eq!(scores, [Side::First, Side::Second].map(|side| twin.score(side)), "{twin}");
                    assert!(twin.outcome().is_some(), "{twin}");
                    assert!(game.read(&twin.to_string()).is_err(), "{twin} is the end");
                    break;
                }
            }
            assert!(twin.outcome().is_none(), "{twin}");
        }
    }
}

/// Plays a random game and its image, and compares the keys.
pub(crate) fn images_have_equal_keys<G: Game>(game: &G, symmetry: &G::Symmetry, start: &str, rng: &mut Rng) {
    let mut position = game.read(start).expect("the start");
    let mut image = position;
    loop {
        assert!(game.canonical(&position).0 == game.canonical(&image).0, "{}", game.write(&position));
        let turns = game.turns(&position);
        let turn = turns[rng.below(turns.len())];
        let of_image = game.image(symmetry, turn);
        assert!(game.turns(&image).contains(&of_image), "{}", game.write(&image));
        match (game.play(&position, turn), game.play(&image, of_image)) {
            (Next::Position(next), Next::Position(next_image)) => (position, image) = (next, next_image),
            (Next::End(scores), Next::End(of_image)) => return assert_eq!(scores, of_image),
            _ => panic!("one of {} and {} is over", game.write(&position), game.write(&image)),
        }
    }
}

//! Position strings and move tokens.

use quintet_core::game::Side;
use quintet_core::session::Session;

use super::PROGRAM;

/// Reads a position string and plays moves from there, in every game and ruleset.
///
/// The first byte chooses the game, the rest of the first line is the position (none for the start
/// position), and the words after it are moves. Wrong moves are skipped.
pub fn game(data: &[u8]) {
    let Some((&first, text)) = data.split_first() else { return };
    let variants = PROGRAM.games.variants();
    let mut session = variants[usize::from(first) % variants.len()].start();
    let text = String::from_utf8_lossy(text);
    let (position, moves) = text.split_once('\n').unwrap_or((&text, ""));
    if !position.is_empty() {
        let before = session.position();
        if session.reset(Some(position)).is_err() {
            assert_eq!(session.position(), before, "a wrong position changed the session");
            return;
        }
    }
    check(&*session);
    for token in moves.split_whitespace() {
        let (before, count) = (session.position(), session.moves().len());
        if session.play(token).is_err() {
            assert_eq!(
                (session.position(), session.moves().len()),
                (before, count),
                "a wrong move changed it"
            );
            continue;
        }
        check(&*session);
        let (after, printed) = (session.position(), session.moves().pop().expect("one was played"));
        assert!(session.take_back() && session.position() == before, "{printed} is not taken back");
        session.play(&printed).expect("a printed move is legal");
        assert_eq!(session.position(), after, "{token} is printed as {printed}");
    }
    for token in session.legal_moves() {
        session.play(&token).expect("a listed move is legal");
        assert_eq!(session.moves().pop(), Some(token), "as listed");
        session.take_back();
    }
}

/// Checks that the position is printed as what it is, and that what it says of itself fits
/// together.
fn check(session: &dyn Session) {
    let mut again = session.variant().start();
    let printed = session.position();
    again.reset(Some(&printed)).unwrap_or_else(|error| panic!("{printed}: {error}"));
    let facts = |session: &dyn Session| {
        let scores = [Side::First, Side::Second].map(|side| session.score(side));
        (
            session.position(),
            session.legal_moves(),
            session.outcome(),
            session.to_move(),
            scores,
            session.draw(None),
        )
    };
    assert_eq!(facts(session), facts(&*again), "{printed}");

    let legal = session.legal_moves();
    let is_over = session.outcome().is_some();
    assert!(is_over == legal.is_empty() && is_over == session.to_move().is_none(), "{printed}");
    for side in [Side::First, Side::Second] {
        let score = session.score(side);
        assert!([0, 50, 100].contains(&score), "{score} in {printed}");
    }
    session.draw(legal.first().map(String::as_str));
    session.picture();
}

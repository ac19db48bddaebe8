//! King and rook against king on a full chess board.

use quintet_games::krk::knowledge::chess::{Move, Position, best_moves, histogram, mate_in, rated_moves};

fn read(text: &str) -> Position {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The figures of the "Chess (King-Rook vs. King)" data set of the UCI repository (Bain and Hoff,
/// 1994), which gives the depth in moves, not plies.
#[test]
fn counts_match_the_published_ones() {
    let published =
        [27, 78, 246, 81, 198, 471, 592, 683, 1_433, 1_712, 1_985, 2_854, 3_597, 4_194, 4_553, 2_166, 390];
    let histogram = histogram(false, true);
    let expected = published.iter().zip(0..).map(|(&count, moves)| (2 * moves, count)).collect();
    assert_eq!(histogram.mate_in, expected);
    assert_eq!(histogram.stuck + histogram.escapes, 2_796);
    assert_eq!(histogram.placements(), 28_056);
}

#[test]
fn all_positions_are_there_and_white_to_move_always_wins() {
    let [white, black] = [true, false].map(|white_to_move| histogram(white_to_move, false));
    assert_eq!([white.placements(), black.placements()], [175_168, 223_944]);
    assert_eq!(white.won(), 175_168);
    assert!(white.mate_in.keys().all(|plies| plies % 2 == 1));
    assert_eq!(white.mate_in.keys().last(), Some(&31));
}

#[test]
fn every_value_follows_from_those_after_the_moves() {
    for position in Position::all() {
        let rated = rated_moves(&position);
        let expected = match rated.first() {
            None if position.is_check() => Some(0),
            None => None,
            Some(best) => best.mate_in,
        };
        assert_eq!(mate_in(&position), expected, "{position}");
    }
}

#[test]
fn moves_are_those_of_chess() {
    let tokens = |text: &str| -> Vec<String> { read(text).moves().iter().map(Move::to_string).collect() };
    // The king can't hide behind itself; it captures the rook unless the rook is guarded.
    assert_eq!(tokens("8/8/8/8/8/8/8/K1R1k3 b"), ["ke1-d2", "ke1-e2", "ke1-f2"]);
    assert_eq!(tokens("8/8/8/8/8/1K6/8/kR6 b"), ["ka1xb1"]);
    assert_eq!(tokens("8/8/8/8/8/K7/1R6/k7 b"), Vec::<String>::new());
    assert_eq!(tokens("8/8/8/8/K7/8/1R6/k7 b"), ["ka1xb2"]);
    let white = tokens("8/8/8/8/8/8/2k5/KR6 w");
    // The rook is blocked by its own king, and kings keep apart.
    assert!(white.contains(&"Ka1-a2".to_owned()) && !white.contains(&"Ka1-b2".to_owned()), "{white:?}");
    assert_eq!(white.iter().filter(|mv| mv.starts_with('R')).count(), 6 + 7);
}

#[test]
fn draws_are_captures_and_stalemates() {
    let capture = read("8/8/8/8/K7/8/1R6/k7 b");
    assert_eq!((mate_in(&capture), best_moves(&capture).len()), (None, 1));
    assert!(rated_moves(&capture)[0].mv.captures());
    let stalemate = read("8/8/8/8/8/K7/1R6/k7 b");
    assert_eq!((mate_in(&stalemate), stalemate.moves().len()), (None, 0));
    let mate = read("8/8/8/8/8/1K6/8/k6R b");
    assert_eq!((mate_in(&mate), mate.is_check()), (Some(0), true));
}

#[test]
fn a_position_string_is_read_back_and_a_wrong_one_is_refused() {
    for position in Position::all().step_by(97) {
        assert_eq!(read(&position.to_string()), position);
    }
    assert_eq!(read("8/8/8/8/8/2k5/8/K6R w - - 0 1").to_string(), "8/8/8/8/8/2k5/8/K6R w");
    for (text, part) in [
        ("", "fields"),
        ("8/8/8/8/8/2k5/8/K6R", "fields"),
        ("8/8/8/8/8/2k5/8/K6R w 1", "fields"),
        ("8/8/8/8/8/2k5/8/K6R w KQ - 0 1", "castling and en passant"),
        ("8/8/8/8/2k5/8/K6R w", "board"),
        ("8/8/8/8/8/2k5/8/K5R w", "rank 1"),
        ("8/8/8/8/8/2k5/8/K6Q w", "rank 1"),
        ("8/8/8/8/8/2k4K/8/K6R w", "rank 1"),
        ("8/8/8/8/8/8/8/K6R w", "board"),
        ("8/8/8/8/8/8/1k6/K6R w", "board"),
        ("8/8/8/8/8/2k5/8/K6R x", "side to move"),
        ("8/8/8/8/8/7k/8/K6R w", "side to move"),
    ] {
        let error = text.parse::<Position>().expect_err(text);
        assert_eq!(error.part, part, "{text}: {error}");
    }
}

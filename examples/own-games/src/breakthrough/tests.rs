//! The rules against a second implementation, square by square; the notation; the knowledge.

use super::*;
use quintet_core::game::Rng;
use quintet_core::knowledge::{Candidates, Knowledge};

/// A second implementation of the rules, plain and slow.
#[derive(Debug, Clone, PartialEq)]
struct Referee {
    /// `board[y][x]`
    board: [[Option<Side>; 8]; 8],
    mover: Side,
}

impl Referee {
    fn initial() -> Self {
        let row = |y| match y {
            0 | 1 => [Some(Side::First); 8],
            6 | 7 => [Some(Side::Second); 8],
            _ => [None; 8],
        };
        Self { board: std::array::from_fn(row), mover: Side::First }
    }

    fn winner(&self) -> Option<Side> {
        [Side::First, Side::Second].into_iter().find(|&side| {
            let last_row = if side == Side::First { 7 } else { 0 };
            let has_pawns = self.board.as_flattened().contains(&Some(side.opponent()));
            self.board[last_row].contains(&Some(side)) || !has_pawns
        })
    }

    /// The legal moves, each with the board after it.
    fn moves(&self) -> Vec<(String, Self)> {
        let mut moves = Vec::new();
        if self.winner().is_some() {
            return moves;
        }
        for y in 0..8 {
            for x in 0..8 {
                if self.board[y][x] != Some(self.mover) {
                    continue;
                }
                let ahead = if self.mover == Side::First { y + 1 } else { y - 1 };
                for to_x in x.saturating_sub(1)..=(x + 1).min(7) {
                    let target = self.board[ahead][to_x];
                    if target.is_none() || to_x != x && target != Some(self.mover) {
                        let mut next = self.clone();
                        next.board[y][x] = None;
                        next.board[ahead][to_x] = Some(self.mover);
                        next.mover = self.mover.opponent();
                        let name = |x, y| format!("{}{}", ["a", "b", "c", "d", "e", "f", "g", "h"][x], y + 1);
                        moves.push((format!("{}-{}", name(x, y), name(to_x, ahead)), next));
                    }
                }
            }
        }
        moves
    }

    /// The number of sequences of `depth` moves.
    fn perft(&self, depth: usize) -> usize {
        if depth == 0 { 1 } else { self.moves().iter().map(|(_, next)| next.perft(depth - 1)).sum() }
    }
}

fn legal_moves(position: &Breakthrough) -> Vec<Move> {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    moves.to_vec()
}

fn after(position: &Breakthrough, mv: Move) -> Breakthrough {
    let mut next = *position;
    next.apply(mv);
    next
}

fn perft(position: &Breakthrough, depth: usize) -> usize {
    match depth {
        0 => 1,
        1 => position.move_count(),
        _ => legal_moves(position).into_iter().map(|mv| perft(&after(position, mv), depth - 1)).sum(),
    }
}

/// Calls `look` on every position of some random games.
fn in_random_games(games: u64, mut look: impl FnMut(&Breakthrough)) {
    for game in 0..games {
        let mut rng = Rng::stream(2, game);
        let mut position = Breakthrough::initial();
        look(&position);
        while position.outcome().is_none() {
            position.apply(position.random_move(&mut rng));
            look(&position);
        }
    }
}

#[test]
fn there_are_as_many_sequences_of_moves_as_the_referee_finds() {
    let counts = [1, 2, 3, 4].map(|depth| perft(&Breakthrough::initial(), depth));
    assert_eq!(counts, [22, 484, 11_132, 256_036]);
    assert_eq!(counts, [1, 2, 3, 4].map(|depth| Referee::initial().perft(depth)));
}

#[test]
fn random_games_go_as_the_referee_says() {
    let mut rng = Rng::stream(3, 0);
    let mut wins = [0; 2];
    for _ in 0..100 {
        let (mut position, mut referee) = (Breakthrough::initial(), Referee::initial());
        for ply in 0.. {
            assert_eq!(position.outcome(), referee.winner().map(Outcome::Win), "{position}");
            let moves = legal_moves(&position);
            let mut known = referee.moves();
            known.sort_by(|a, b| a.0.cmp(&b.0));
            let mut tokens: Vec<String> = moves.iter().map(ToString::to_string).collect();
            tokens.sort_unstable();
            assert!(tokens.iter().eq(known.iter().map(|(token, _)| token)), "{position}: {tokens:?}");
            assert_eq!(position.move_count(), moves.len());
            assert!(moves.len() <= Breakthrough::MAX_BRANCHING && ply <= Breakthrough::MAX_PLIES);
            assert!((0..moves.len()).all(|n| position.nth_move(n) == moves[n]), "{position}");
            if let Some(Outcome::Win(side)) = position.outcome() {
                wins[side as usize] += 1;
                break;
            }
            let (token, next) = known.swap_remove(rng.below(known.len()));
            position.apply(position.parse_move(&token).expect("it is legal"));
            referee = next;
        }
    }
    assert!(wins[0] > 20 && wins[1] > 20, "{wins:?}");
}

#[test]
fn every_position_of_random_games_is_written_and_read_back() {
    assert_eq!(Breakthrough::initial().to_string(), "bbbbbbbb/bbbbbbbb/8/8/8/8/wwwwwwww/wwwwwwww w");
    in_random_games(200, |position| assert_eq!(position.to_string().parse(), Ok(*position), "{position}"));
}

#[test]
fn whoever_captures_the_last_pawn_wins() {
    let position: Breakthrough = "8/8/8/3b4/4w3/8/8/8 w".parse().expect("a position");
    let next = after(&position, position.parse_move("e4-d5").expect("it is legal"));
    assert_eq!(next.outcome(), Some(Outcome::Win(Side::First)));
    assert_eq!(next.to_string().parse(), Ok(next));
    assert!(legal_moves(&next).is_empty());
}

#[test]
fn wrong_positions_are_refused_by_the_part_that_is_wrong() {
    for (text, part, reason) in [
        ("8/8/8/8/8/8/8/8", "fields", "found 1"),
        ("8/8/8/8/8/8/8 w", "board", "found 7"),
        ("8/8/8/8/8/8/8/7 w", "rank 1", "found 7"),
        ("8/8/3p4/8/8/8/8/8 w", "rank 6", "'p' is no pawn"),
        ("8/8/3b4/8/8/3w4/8/8 x", "color to move", "neither 'w' nor 'b'"),
        ("8/8/8/8/8/8/8/8 w", "board", "both colors have won"),
        ("bbbbbbbb/bbbbbbbb/b7/8/8/8/8/wwwwwwww w", "board", "17 black pawns"),
        ("3w4/8/8/8/8/8/8/3b4 w", "board", "both colors have won"),
        ("3w4/3b4/8/8/8/8/8/8 w", "color to move", "white has won"),
        ("8/8/8/8/8/8/3b4/8 b", "color to move", "black has won"),
        ("3ww3/3b4/8/8/8/8/8/8 b", "board", "when the first pawn"),
        ("bbbbbbbb/bbbbbbbb/8/8/8/8/wwwwwwww/wwwwwwww b", "color to move", "it can't be black to move"),
        ("bbbbbbbb/bbbbbbbb/8/8/8/w7/1wwwwwww/wwwwwwww w", "color to move", "it can't be white to move"),
        ("bbbbbbbb/bbbbbbbb/8/8/w7/8/1wwwwwww/wwwwwwww w", "board", "no numbers of moves"),
        // White lacks a pawn, and black had no time to capture it.
        ("bbbbbbbb/bbbbbbbb/8/8/8/8/wwwwwww1/wwwwwwww w", "board", "no numbers of moves"),
    ] {
        let error = text.parse::<Breakthrough>().expect_err(text);
        assert_eq!(error.part, part, "{text}: {error}");
        assert!(error.reason.contains(reason), "{text}: {error}");
    }
}

#[test]
fn a_drawing_marks_both_cells_of_a_move() {
    let position = Breakthrough::initial();
    let drawing = position.draw(position.parse_move("a2-b3").ok());
    let lines: Vec<&str> = drawing.lines().collect();
    assert_eq!(lines[5..7], [" 3  . [.] .  .  .  .  .  .", " 2 [w] w  w  w  w  w  w  w"]);
    assert_eq!(lines[8], "    a  b  c  d  e  f  g  h");
}

#[test]
fn what_is_proven_is_so_and_every_move_has_a_weight() {
    let is_won = |position: &Breakthrough| {
        legal_moves(position).into_iter().any(|mv| after(position, mv).outcome().is_some())
    };
    let (mut wins, mut losses) = (0, 0);
    in_random_games(300, |position| {
        if position.outcome().is_some() {
            return;
        }
        let side_to_move = position.side_to_move();
        let moves = legal_moves(position);
        match BreakthroughKnowledge.prove(position) {
            Some(Outcome::Win(side)) if side == side_to_move => {
                assert!(is_won(position), "{position}");
                wins += 1;
            }
            Some(_) => {
                assert!(!is_won(position), "{position}");
                assert!(moves.iter().all(|&mv| is_won(&after(position, mv))), "{position}");
                losses += 1;
            }
            None => assert!(!is_won(position), "{position}"),
        }
        let mut candidates = Candidates::new();
        BreakthroughKnowledge.candidates(position, &mut candidates);
        assert!(candidates.iter().map(|(mv, _)| *mv).eq(moves), "{position}");
        assert!(candidates.iter().all(|(_, weight)| weight.is_finite() && *weight > 0.0), "{position}");
    });
    assert!(wins > 100 && losses > 10, "{wins} {losses}");
}

#[test]
fn what_is_known_of_a_move_is_said() {
    for (text, token, words) in [
        ("8/3w4/8/8/8/b7/8/8 w", "d7-d8", Some("reaches the last row")),
        ("8/8/8/3b4/4w3/8/8/8 w", "e4-d5", Some("captures the last pawn")),
        ("8/8/3w4/8/b7/8/8/8 w", "d6-d7", Some("can't be stopped")),
        ("8/8/3w4/8/8/8/b7/8 w", "d6-d7", Some("lets the opponent win at once")),
        ("8/8/1b6/3b4/4w3/8/8/8 w", "e4-d5", Some("captures a pawn")),
        ("8/8/1b6/3b4/4w3/8/8/8 w", "e4-e5", None),
    ] {
        let position: Breakthrough = text.parse().expect(text);
        let mv = position.parse_move(token).expect(token);
        assert_eq!(BreakthroughKnowledge.explain(&position, mv).as_deref(), words, "{text}: {token}");
    }
}

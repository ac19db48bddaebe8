use std::collections::{HashMap, HashSet};

use quintet_core::game::Rng;
use quintet_games::Ggp;
use quintet_games::quarto::Quarto as Twin;

use super::*;
use crate::twins;

const START: &str = "..../..../..../.... - w";

#[test]
fn the_rules_are_those_of_quintet_games() {
    twins::the_rules_are_those_of::<Twin<Ggp>>(&Quarto::new(), 60);
}

/// The orders of the four bits.
fn bit_orders() -> Vec<[u8; 4]> {
    let orders = (0..=255).map(|code: u8| [code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6]);
    orders.filter(|order| (0..4).all(|bit| order.contains(&bit))).collect()
}

#[test]
fn there_are_32_by_384_symmetries_and_each_keeps_the_lines() {
    let game = Quarto::new();
    assert_eq!(game.cells.iter().collect::<HashSet<_>>().len(), 32);
    assert_eq!(bit_orders().len(), 24);
    let lines = HashSet::from(LINES);
    for symmetry in 0..32 {
        assert_eq!(
            LINES.map(|line| game.search.image(symmetry, line)).into_iter().collect::<HashSet<_>>(),
            lines
        );
    }
}

#[test]
fn symmetric_positions_have_equal_keys() {
    let game = Quarto::new();
    let mut rng = Rng::stream(1, 0);
    for _ in 0..100 {
        let (cells, inverted) = (rng.below(32), rng.below(16) as u8);
        let bits = bit_orders()[rng.below(24)];
        twins::images_have_equal_keys(&game, &Symmetry { cells, inverted, bits }, START, &mut rng);
    }
}

/// The key of the search.
fn search_key(game: &Quarto, board: &Board) -> u64 {
    let &Board { ones, occupied, pool, hand } = board;
    game.search.key(&Node { ones, occupied, pool, hand: hand.expect("a piece in hand") })
}

#[test]
fn there_are_as_many_classes_as_others_counted() {
    // Inequivalent positions with a piece in hand and no line.
    let counts = [1, 8, 148, 3_382, 91_558];
    let game = Quarto::new();
    let start = game.read(START).expect("the start");
    let mut boards = vec![start];
    for (placed, count) in counts.into_iter().enumerate() {
        let mut classes = HashMap::new();
        for board in &boards {
            for turn in game.turns(board) {
                if let Next::Position(next) = game.play(board, turn) {
                    classes.entry(search_key(&game, &next)).or_insert(next);
                }
            }
        }
        assert_eq!(classes.len(), count, "{placed} pieces");
        boards = classes.into_values().collect();
    }
}

/// A random position with `placed` pieces on the board.
fn random(game: &Quarto, placed: u32, rng: &mut Rng) -> Board {
    loop {
        let mut board = game.read(START).expect("the start");
        while board.hand.is_none() || board.placed() < placed {
            let turns = game.turns(&board);
            match game.play(&board, turns[rng.below(turns.len())]) {
                Next::Position(next) => board = next,
                Next::End(_) => break,
            }
        }
        if board.placed() == placed && board.hand.is_some() {
            return board;
        }
    }
}

/// The least image of a position with a piece in hand: the piece on each cell plus one, under all symmetries
/// that make the hand 0000.
fn least_image(game: &Quarto, board: &Board) -> [u8; 16] {
    let images = (0..32).flat_map(|cells| bit_orders().into_iter().map(move |bits| (cells, bits)));
    let image = |(cells, bits)| image_of(game, board, &Symmetry { cells, inverted: hand(board), bits });
    images.map(image).min().expect("there are symmetries")
}

fn hand(board: &Board) -> u8 {
    board.hand.expect("a piece in hand")
}

/// The piece on each cell plus one, after a symmetry.
fn image_of(game: &Quarto, board: &Board, symmetry: &Symmetry) -> [u8; 16] {
    let mut cells = [0; 16];
    for (from, to) in game.cells[symmetry.cells].into_iter().enumerate() {
        cells[usize::from(to)] = board.piece_on(from).map_or(0, |piece| symmetry.of_piece(piece) + 1);
    }
    cells
}

#[test]
fn keys_tell_the_same_positions_apart_as_least_images() {
    let game = Quarto::new();
    let mut rng = Rng::stream(2, 0);
    let (mut keys, mut pairs) = (HashMap::new(), 0);
    for _ in 0..1_000 {
        let board = random(&game, 2, &mut rng);
        let (key, symmetry) = game.canonical(&board);
        let (least, canonical) = (least_image(&game, &board), image_of(&game, &board, &symmetry));
        assert_eq!((symmetry.of_piece(hand(&board)), key), (0, (true, search_key(&game, &board))));
        if let Some(earlier) = keys.insert(key, (least, canonical)) {
            pairs += 1;
            assert_eq!(earlier, (least, canonical));
        }
    }
    assert_eq!(keys.values().collect::<HashSet<_>>().len(), keys.len());
    assert!(pairs > 500);
}

/// The best score of the side to move, at least 0 or 50, where `enough` ends the search.
fn best(game: &Quarto, board: &Board, enough: u8) -> u8 {
    let side = game.side(board);
    let mut best = 0;
    for turn in game.turns(board) {
        let score = match game.play(board, turn) {
            Next::End(scores) => scores[side],
            // The other side breaks it with anything above the rest.
            Next::Position(next) => 100 - self::best(game, &next, 150 - enough),
        };
        best = best.max(score);
        if best >= enough {
            break;
        }
    }
    best
}

#[test]
fn the_search_finds_what_minimax_finds() {
    let mut rng = Rng::stream(3, 0);
    let mut results = [0; 2];
    for win in [false, true] {
        // A table belongs to one claim, in which the number of pieces says what is asked.
        for parity in [0, 1] {
            let mut game = Quarto::new();
            for placed in (7..16).filter(|placed| placed % 2 == parity) {
                for _ in 0..if placed < 9 { 4 } else { 60 } {
                    let board = random(&game, placed, &mut rng);
                    let enough = if win { 100 } else { 50 };
                    let expected = best(&game, &board, enough) >= enough;
                    let found = game.reaches(&board, board.hand.expect("a piece"), win);
                    assert_eq!(found, Some(expected), "{} {win}", game.write(&board));
                    results[usize::from(expected)] += 1;
                }
            }
        }
    }
    assert!(results.iter().all(|count| *count > 50), "{results:?}");
}

#[test]
fn a_search_gives_up() {
    let mut game = Quarto::new();
    let board = game.read("..../..../.5../.... 0 w").expect("a position");
    game.search.left = 1_000;
    let Board { ones, occupied, pool, .. } = board;
    assert_eq!(game.search.reaches(Node { ones, occupied, pool, hand: 0 }, true), None);
    assert!(game.search.visited <= 1_000);
}

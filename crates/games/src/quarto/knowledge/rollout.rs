//! Rollouts that take a win, and give none away if possible.

use super::board::{QuartoThreats, nth};
use super::turn::QuartoTurn;
use crate::Ruleset;
use crate::quarto::{Quarto, QuartoBoard};
use quintet_core::bits::bits;
use quintet_core::game::{Game, Outcome, Rng};

/// Plays to the end from `position`, which is not over.
#[inline(always)]
pub(super) fn rollout<R: Ruleset>(position: &Quarto<R>, rng: &mut Rng) -> Outcome {
    if R::IS_GGP { rollout_ggp(position, rng) } else { rollout_spec(position, rng) }
}

#[inline(always)]
fn rollout_ggp<R: Ruleset>(position: &Quarto<R>, rng: &mut Rng) -> Outcome {
    let mut board = position.board;
    let mut mover = position.side_to_move();
    let mut threats = QuartoThreats::of(&board);
    let mut hand;
    if let Some(given) = position.hand {
        if threats.pieces() >> given & 1 == 1 {
            return Outcome::Win(mover);
        }
        hand = given;
    } else {
        let safe = board.pool & !threats.pieces();
        mover = mover.opponent();
        if safe == 0 {
            return Outcome::Win(mover);
        }
        hand = random(safe, rng);
        board = board.without(hand);
    }
    loop {
        if board.pool == 0 {
            return Outcome::Draw;
        }
        let mut cells = board.empty();
        let next = loop {
            if cells == 0 {
                return Outcome::Win(mover.opponent());
            }
            let cell = random(cells, rng);
            let safe = QuartoTurn::safe_continuations::<R>(threats.at(cell), hand, board.pool);
            if safe != 0 {
                board = board.with(hand, cell);
                break random(safe, rng);
            }
            cells &= !(1 << cell);
        };
        hand = next;
        board = board.without(hand);
        mover = mover.opponent();
        threats = QuartoThreats::of(&board);
    }
}

#[inline(always)]
fn rollout_spec<R: Ruleset>(position: &Quarto<R>, rng: &mut Rng) -> Outcome {
    let mut board = position.board;
    let mut mover = position.side_to_move();
    let mut threats = QuartoThreats::of(&board);
    let mut choice = match position.hand {
        Some(hand) => 1 << hand,
        None => board.pool,
    };
    if threats.pieces() & choice != 0 {
        return Outcome::Win(mover);
    }
    loop {
        board.pool |= choice;
        if board.pool.is_power_of_two() {
            return Outcome::Draw;
        }
        match safe_turn(&board, &threats, choice, rng) {
            Some((piece, cell)) => board = board.with(piece, cell),
            None => return Outcome::Win(mover.opponent()),
        }
        mover = mover.opponent();
        threats = QuartoThreats::of(&board);
        choice = board.pool;
    }
}

/// A piece of `choice` and a cell for it after which the other side can't complete a line, each
/// pair equally likely.
#[inline(always)]
fn safe_turn(board: &QuartoBoard, threats: &QuartoThreats, choice: u16, rng: &mut Rng) -> Option<(u8, u8)> {
    const TRIES: u32 = 8;
    let is_safe = |piece: u8, cell| board.pool & !(1 << piece) & threats.at(cell).pieces_after(piece) == 0;
    for _ in 0..TRIES {
        let (piece, cell) = (random(choice, rng), random(board.empty(), rng));
        if is_safe(piece, cell) {
            return Some((piece, cell));
        }
    }
    let pairs = || bits(board.empty()).flat_map(|cell| bits(choice).map(move |piece| (piece, cell)));
    let count = pairs().filter(|&(piece, cell)| is_safe(piece, cell)).count();
    if count == 0 {
        return None;
    }
    pairs().filter(|&(piece, cell)| is_safe(piece, cell)).nth(rng.below(count))
}

/// A random set bit of `mask`.
#[inline(always)]
fn random(mask: u16, rng: &mut Rng) -> u8 {
    nth(mask, rng.below(mask.count_ones() as usize))
}

//! Fast rollouts of KRK.
//!
//! There are few placements of three pieces, so all of them are laid out as a graph, and a rollout is a
//! random walk on it.

use std::sync::LazyLock;

use super::{CELLS, Krk};
use crate::game::{Game, MoveList, Outcome, Rng, Rollout, Side};
use crate::games::{Ggp, Ruleset, Spec};

/// A placement of the three pieces and the side to move, as a number.
const PLACEMENTS: usize = 2 * CELLS * CELLS * CELLS;

/// The placements and where their moves lead.
struct Graph {
    /// For each placement, where its moves start in `next` (from bit 8 on), and in the low bits the number of
    /// moves or, if that is 0, [`MATE`] or not.
    moves: Vec<u32>,
    next: Vec<u16>,
}

/// Black is mated. Set only where there are no moves.
const MATE: u32 = 0x10;
const COUNT: u32 = 0x0F;

fn number<R: Ruleset>(position: &Krk<R>) -> u16 {
    let cells = [position.white_king, position.rook, position.black_king].map(u16::from);
    u16::from(position.white_to_move) << 12 | cells[0] << 8 | cells[1] << 4 | cells[2]
}

impl Graph {
    fn new<R: Ruleset>() -> Self {
        let mut graph = Self { moves: vec![0; PLACEMENTS], next: Vec::new() };
        for placement in 0..PLACEMENTS as u16 {
            let mut position = Krk::<R> {
                white_king: (placement >> 8) as u8 % 16,
                rook: (placement >> 4) as u8 % 16,
                black_king: placement as u8 % 16,
                white_to_move: placement >> 12 == 1,
                ..Krk::initial()
            };
            position.outcome = position.judge();
            let mut moves = MoveList::new();
            position.legal_moves(&mut moves);
            let is_mate = position.outcome == Some(Outcome::Win(Side::First));
            let low = if is_mate { MATE } else { moves.len() as u32 };
            graph.moves[usize::from(placement)] = (graph.next.len() as u32) << 8 | low;
            for mv in moves {
                let mut after = position;
                after.apply(mv);
                graph.next.push(number(&after));
            }
        }
        graph
    }
}

static SPEC: LazyLock<Graph> = LazyLock::new(Graph::new::<Spec>);
static GGP: LazyLock<Graph> = LazyLock::new(Graph::new::<Ggp>);

/// Plays uniformly random moves from `position`, which is not over.
#[inline]
pub(super) fn rollout<R: Ruleset>(position: &Krk<R>, rng: &mut Rng) -> Rollout {
    let graph: &Graph = if R::IS_GGP { &GGP } else { &SPEC };
    let longest = u32::from(Krk::<R>::LAST_STEP - position.step);
    let mut at = number(position);
    let mut word = 0;
    let mut plies = 0;
    loop {
        let moves = graph.moves[usize::from(at) % PLACEMENTS];
        let count = moves & COUNT;
        if count == 0 {
            let winner = if moves & MATE == 0 { Side::Second } else { Side::First };
            return Rollout { outcome: Outcome::Win(winner), plies };
        }
        if plies == longest {
            return Rollout { outcome: Outcome::Win(Side::Second), plies };
        }
        // A word serves two plies.
        word = if plies % 2 == 0 { rng.bits() } else { word >> 32 };
        let draw = rng.below_small(count, word as u32);
        at = graph.next[(moves >> 8) as usize + draw as usize];
        plies += 1;
    }
}

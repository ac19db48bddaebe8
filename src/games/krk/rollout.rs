//! Fast rollouts of KRK.
//!
//! There are few placements of three pieces, so all of them are laid out as a graph, and a rollout is a
//! random walk on it.

use std::sync::LazyLock;

use super::{Krk, PLACEMENTS};
use crate::game::{Game, MoveList, Outcome, Rng, Rollout, Side};
use crate::games::{Ggp, Ruleset, Spec};

/// All placements and where their moves lead.
///
/// A placement is written as an entry: how many moves it has in the low bits, or else [`MATE`] or not; above,
/// where the entries begin that its moves lead to. So a ply is one look at memory.
struct Graph {
    /// The entry of each placement by [`Krk::number`].
    entries: Vec<u32>,
    /// The entries that moves lead to, placement by placement.
    next: Vec<u32>,
}

const COUNT: u32 = 0x0F;
/// Black is mated. Set only where there are no moves.
const MATE: u32 = 0x10;
const NEXT_SHIFT: u32 = 5;

impl Graph {
    fn new<R: Ruleset>() -> Self {
        let placements: Vec<Krk<R>> = (0..PLACEMENTS).filter_map(Krk::from_number).collect();
        let mut entries = vec![0; PLACEMENTS];
        let mut length = 0;
        for position in &placements {
            let is_mate = position.outcome == Some(Outcome::Win(Side::First));
            let count = position.move_count() as u32;
            entries[position.number()] = length << NEXT_SHIFT | if is_mate { MATE } else { count };
            length += count;
        }
        let mut next = Vec::new();
        let mut moves = MoveList::new();
        for position in &placements {
            position.legal_moves(&mut moves);
            for &mv in &moves {
                let mut after = *position;
                after.apply(mv);
                next.push(entries[after.number()]);
            }
        }
        Self { entries, next }
    }
}

static SPEC: LazyLock<Graph> = LazyLock::new(Graph::new::<Spec>);
static GGP: LazyLock<Graph> = LazyLock::new(Graph::new::<Ggp>);

/// Plays uniformly random moves from `position`, which is not over.
#[inline]
pub(super) fn rollout<R: Ruleset>(position: &Krk<R>, rng: &mut Rng) -> Rollout {
    let graph: &Graph = if R::IS_GGP { &GGP } else { &SPEC };
    let longest = position.steps_left();
    let mut entry = graph.entries[position.number()];
    let mut word = 0;
    let mut plies = 0;
    loop {
        let count = entry & COUNT;
        if count == 0 {
            let winner = if entry & MATE == 0 { Side::Second } else { Side::First };
            return Rollout { outcome: Outcome::Win(winner), plies };
        }
        if plies == longest {
            return Rollout { outcome: Outcome::Win(Side::Second), plies };
        }
        // A word serves two plies.
        word = if plies % 2 == 0 { rng.bits() } else { word >> 32 };
        let draw = rng.below_small(count, word as u32);
        entry = graph.next[((entry >> NEXT_SHIFT) + draw) as usize];
        plies += 1;
    }
}

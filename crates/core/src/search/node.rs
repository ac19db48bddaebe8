//! A node of a search tree: 16 bytes (for moves of up to two bytes), and 8 more for a search with knowledge.

use crate::game::{Bounds, DRAW_SCORE, MAX_SCORE, Outcome, Side};
use crate::knowledge::Value;

/// A move in the tree, and the position it leads to.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(super) struct Node<M> {
    /// The number of iterations through this node.
    pub(super) visits: u32,
    /// The sum of the rewards for the side that moved here, in half points.
    pub(super) reward: u32,
    /// The index of the first child; in the first node of a free block, the next free block; in a leaf of a
    /// trunk, 1 more than the number of its branch, or 0.
    pub(super) children: u32,
    /// The bits of [`EXPANDED`] and the constants below it.
    flags: u16,
    /// The move that leads here; meaningless in the root.
    mv: M,
}

/// The bits of the number of children in the tree.
const EXPANDED: u16 = 0x03FF;
/// All moves are expanded: the legal ones, or the candidates.
const FULLY_EXPANDED: u16 = 0x0400;
/// The shift of the three bits of the side that moved here.
const MOVER_SHIFT: u32 = 11;
const MOVER: u16 = 7 << MOVER_SHIFT;
/// The shift of the two bits that say whether the outcome is known. Where nodes have [`Extras`], 0 is no. Where
/// they have none, 1 more than the half points of the first side.
const KNOWN_SHIFT: u32 = 14;

impl<M: Copy> Node<M> {
    pub(super) fn new(mv: M, mover: Side) -> Self {
        let flags = (mover as u16) << MOVER_SHIFT;
        Self { visits: 0, reward: 0, children: 0, flags, mv }
    }

    /// The move that leads to this node.
    #[inline]
    pub(super) fn mv(&self) -> M {
        self.mv
    }

    /// The side that made the move that leads to this node.
    #[inline]
    pub(super) fn moved_by(&self) -> Side {
        Side::of_bits(self.flags >> MOVER_SHIFT)
    }

    /// Whether the game is over here, or the outcome is proven.
    #[inline]
    pub(super) fn is_known(&self) -> bool {
        self.flags >> KNOWN_SHIFT != 0
    }

    /// The outcome, if the game is over here. The node must have no [`Extras`].
    #[inline]
    pub(super) fn known_outcome(&self) -> Option<Outcome> {
        match self.flags >> KNOWN_SHIFT {
            0 => None,
            1 => Some(Outcome::Win(Side::Second)),
            2 => Some(Outcome::Draw),
            _ => Some(Outcome::Win(Side::First)),
        }
    }

    /// Sets how the game ended here: by a win, a draw or a loss. The node must have no [`Extras`].
    #[inline]
    pub(super) fn set_known(&mut self, outcome: Outcome) {
        self.flags |= (half_points(outcome)[0] as u16 + 1) << KNOWN_SHIFT;
    }

    /// Notes whether the outcome is known, where [`Extras`] have it.
    #[inline]
    pub(super) fn set_is_known(&mut self, is_known: bool) {
        self.flags = self.flags & !(3 << KNOWN_SHIFT) | u16::from(is_known) << KNOWN_SHIFT;
    }

    /// Counts one more child of a node that has `moves` candidates.
    #[inline]
    pub(super) fn add_child(&mut self, moves: usize) {
        self.flags += 1;
        if self.child_count() == moves {
            self.flags |= FULLY_EXPANDED;
        }
    }

    /// Has as many children as another node.
    pub(super) fn count_children_of(&mut self, other: &Self) {
        self.flags |= other.flags & (EXPANDED | FULLY_EXPANDED);
    }

    /// The number of children in the tree.
    #[inline]
    pub(super) fn child_count(&self) -> usize {
        usize::from(self.flags & EXPANDED)
    }

    /// Whether all legal moves, or all candidates, are in the tree.
    #[inline]
    pub(super) fn is_fully_expanded(&self) -> bool {
        self.flags & FULLY_EXPANDED != 0
    }

    /// The number of the [branch](super::trunk) that grows from this node of a trunk.
    pub(super) fn branch(&self) -> Option<usize> {
        if self.child_count() > 0 { None } else { (self.children as usize).checked_sub(1) }
    }

    /// Lets a branch grow from this leaf of a trunk.
    pub(super) fn set_branch(&mut self, number: usize) {
        self.children = number as u32 + 1;
    }

    /// The same node without its children.
    pub(super) fn without_children(self) -> Self {
        Self { children: 0, flags: self.flags & !(EXPANDED | FULLY_EXPANDED), ..self }
    }

    /// Adds an iteration that ended with these half points of the two sides.
    #[inline]
    pub(super) fn update(&mut self, [first, second]: [u32; 2]) {
        self.visits += 1;
        self.reward += if self.flags & MOVER == 1 << MOVER_SHIFT { second } else { first };
    }
}

/// The half points of the two sides, by a win, a draw or a loss.
#[inline]
pub(super) fn half_points(outcome: Outcome) -> [u32; 2] {
    [Side::First, Side::Second].map(|side| u32::from(outcome.score(side) / DRAW_SCORE))
}

/// What a search with knowledge needs of a node besides what plain UCT does.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extras {
    /// The prior, from 0 to 1.
    pub(super) prior: f32,
    /// From the lowest bit: in 16 bits the part of the sum of the rewards that is less than a half point, in
    /// steps of [`Value`], or before the first visit the urgency; in 8 bits each the lower bound, and [`MAX_SCORE`]
    /// minus the upper bound.
    bits: u32,
}

/// The bits of the part of a half point.
const PART: u32 = Value::HALF_POINT - 1;
/// The shift of the lower bound.
const LOWER_SHIFT: u32 = 16;
/// The shift of [`MAX_SCORE`] minus the upper bound.
const UPPER_SHIFT: u32 = 24;

impl Extras {
    pub(super) const fn new(prior: f32) -> Self {
        Self { prior, bits: 0 }
    }

    /// The same with another prior.
    pub(super) fn with_prior(self, prior: f32) -> Self {
        Self { prior, ..self }
    }

    /// The part of the sum of the rewards that is less than a half point, in steps of [`Value`]. Before the first visit
    /// it is the [urgency](Self::set_urgency).
    #[inline]
    pub(super) fn part(self) -> u32 {
        self.bits & PART
    }

    #[inline]
    pub(super) fn set_part(&mut self, part: u32) {
        self.bits = self.bits & !PART | part;
    }

    /// Sets the first-play urgency of a node without visits, from 0 to 1; it is kept as above 0 and below 1.
    pub(super) fn set_urgency(&mut self, urgency: f32) {
        self.set_part(((urgency * Value::HALF_POINT as f32) as u32).clamp(1, PART));
    }

    /// The proven bounds of the position.
    #[inline]
    pub(super) fn bounds(&self) -> Bounds {
        Bounds {
            lower: (self.bits >> LOWER_SHIFT) as u8,
            upper: MAX_SCORE - (self.bits >> UPPER_SHIFT) as u8,
        }
    }

    pub(super) fn set_bounds(&mut self, Bounds { lower, upper }: Bounds) {
        self.bits =
            self.part() | u32::from(lower) << LOWER_SHIFT | u32::from(MAX_SCORE - upper) << UPPER_SHIFT;
    }

    /// Whether its node is not worth more to a side than what is proven for its parent.
    #[inline]
    pub(super) fn is_cut(&self, cutoff: Cutoff) -> bool {
        self.bits >> cutoff.shift & 0xFF >= cutoff.least
    }

    /// The sum of the rewards for the side that moved to `node`, to which this belongs, in half points. Before the first
    /// visit it is the [urgency](Self::set_urgency), or 0 if there is none.
    #[inline]
    pub(super) fn reward<M>(&self, node: &Node<M>) -> f32 {
        const STEP: f32 = 1.0 / Value::HALF_POINT as f32;
        node.reward as f32 + self.part() as i32 as f32 * STEP
    }
}

/// Which children of a node can't be worth more to the side to move than what is proven for the node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cutoff {
    /// Where the children's extras have [`MAX_SCORE`] minus the upper bound for this side.
    shift: u32,
    /// From this on it is too much.
    least: u32,
}

impl Cutoff {
    /// For a node with these bounds where `side` is to move.
    #[inline]
    pub(super) fn of(bounds: Bounds, side: Side) -> Self {
        let shift = if side == Side::First { UPPER_SHIFT } else { LOWER_SHIFT };
        Self { shift, least: u32::from(MAX_SCORE - bounds.of(side).lower) }
    }
}

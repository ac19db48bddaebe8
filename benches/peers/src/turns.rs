//! The games for crates in which the sides must alternate strictly.

use std::fmt::{self, Debug, Display};
use std::ops::ControlFlow;

use quintet_core::game::{Game, MoveList, Notation, Outcome, Side};
use quintet_games::{Ggp, Gomoku, Pentago, gomoku, pentago};

/// A game whose plies can be merged into turns that alternate between the sides.
pub(crate) trait Turns: Notation {
    /// All that a side does before it is the other's turn.
    type Turn: Copy + Eq + Debug + Display + Send + Sync + 'static;

    /// What a turn is, for the table.
    const TURN: &'static str;

    /// Calls `f` with every legal turn, until it breaks.
    fn try_turns<B>(&self, f: impl FnMut(Self::Turn) -> ControlFlow<B>) -> ControlFlow<B>;

    /// Plays a legal turn.
    fn play_turn(&mut self, turn: Self::Turn);

    /// Returns a legal turn of random plies; `below(n)` draws a number in `0..n`.
    fn random_turn(&self, below: impl FnMut(usize) -> usize) -> Self::Turn;

    /// Whether `turn` is legal.
    fn is_legal(&self, turn: Self::Turn) -> bool {
        let looked =
            self.try_turns(|it| if it == turn { ControlFlow::Break(()) } else { ControlFlow::Continue(()) });
        looked.is_break()
    }
}

impl Turns for Gomoku<Ggp> {
    type Turn = gomoku::Move;

    const TURN: &'static str = "one ply";

    #[inline]
    fn try_turns<B>(&self, f: impl FnMut(Self::Turn) -> ControlFlow<B>) -> ControlFlow<B> {
        let mut moves = MoveList::new();
        self.legal_moves(&mut moves);
        moves.into_iter().try_for_each(f)
    }

    #[inline]
    fn play_turn(&mut self, turn: Self::Turn) {
        self.apply(turn);
    }

    #[inline]
    fn random_turn(&self, mut below: impl FnMut(usize) -> usize) -> Self::Turn {
        self.nth_move(below(self.move_count()))
    }
}

/// A placement and the rotation that follows it; if the placement ends the game, the placement
/// twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PlaceAndRotate(pentago::Move, pentago::Move);

impl Display for PlaceAndRotate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.0, self.1)
    }
}

impl Turns for Pentago<Ggp> {
    type Turn = PlaceAndRotate;

    const TURN: &'static str = "place and rotate merged into one action";

    #[inline]
    fn try_turns<B>(&self, mut f: impl FnMut(Self::Turn) -> ControlFlow<B>) -> ControlFlow<B> {
        let (mut placements, mut rotations) = (MoveList::new(), MoveList::new());
        self.legal_moves(&mut placements);
        for place in placements {
            let mut placed = *self;
            placed.apply(place);
            if placed.outcome().is_some() {
                f(PlaceAndRotate(place, place))?;
                continue;
            }
            placed.legal_moves(&mut rotations);
            for &rotate in &rotations {
                f(PlaceAndRotate(place, rotate))?;
            }
        }
        ControlFlow::Continue(())
    }

    #[inline]
    fn play_turn(&mut self, turn: Self::Turn) {
        self.apply(turn.0);
        if self.outcome().is_none() {
            self.apply(turn.1);
        }
    }

    #[inline]
    fn random_turn(&self, mut below: impl FnMut(usize) -> usize) -> Self::Turn {
        let mut placed = *self;
        let place = placed.nth_move(below(placed.move_count()));
        placed.apply(place);
        let ended = placed.outcome().is_some();
        PlaceAndRotate(place, if ended { place } else { placed.nth_move(below(placed.move_count())) })
    }
}

/// A position between two turns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Alternating<G> {
    pub(crate) position: G,
    /// Whose turn it is, or would be if the game were not over.
    pub(crate) next: Side,
}

impl<G: Turns> Alternating<G> {
    /// A position that is not over.
    pub(crate) fn new(position: &G) -> Self {
        Self { position: *position, next: position.side_to_move() }
    }

    #[inline]
    pub(crate) fn play(&mut self, turn: G::Turn) {
        self.position.play_turn(turn);
        self.next = self.next.opponent();
        debug_assert!(self.position.outcome().is_some() || self.position.side_to_move() == self.next);
    }

    #[inline]
    pub(crate) fn outcome(&self) -> Option<Outcome> {
        self.position.outcome()
    }
}

impl<G: Turns> Display for Alternating<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.position, f)
    }
}

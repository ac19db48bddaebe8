//! What a model sees of a position.

/// The features of a position and of the candidate moves there.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PositionFeatures<M> {
    /// The features of the position.
    pub position: Vec<usize>,
    /// The candidates, each with its weight without a model and its features.
    pub moves: Vec<(M, f32, Vec<usize>)>,
    /// How much the position counts in a fit, 0 to 1: as one of a game, and as a single one.
    pub shares_in_fit: [f32; 2],
}

impl<M> PositionFeatures<M> {
    /// The same, with other moves.
    pub fn map<N>(self, mut mv: impl FnMut(M) -> N) -> PositionFeatures<N> {
        let moves = self.moves.into_iter().map(|(it, weight, features)| (mv(it), weight, features)).collect();
        PositionFeatures { position: self.position, moves, shares_in_fit: self.shares_in_fit }
    }
}

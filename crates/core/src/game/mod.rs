//! The [`Game`] trait and the small types that it uses.
//!
//! This is the bottom layer: all other modules and the games build on it.

mod bounds;
mod error;
mod notation;
mod outcome;
mod parameter;
mod picture;
mod rng;
mod role;
mod rules;
mod setup;
pub mod text;

use std::borrow::Cow;
use std::fmt::{Debug, Display};
use std::hash::Hash;

use arrayvec::ArrayVec;

pub use bounds::Bounds;
pub use error::{IllegalMove, PositionError};
pub use notation::{About, Notation, RulesText};
pub(crate) use outcome::SIDES;
pub use outcome::{DRAW_SCORE, MAX_SCORE, MAX_SIDES, Outcome, ScoreSet, Scores, Side};
pub(crate) use parameter::Values;
pub use parameter::{MAX_PARAMETERS, Parameter, ParameterError};
pub use picture::{EMPTY, Glyph, Layout, Picture, Scene, Surface, Tray, Turned};
pub use rng::{Rng, derive_seed};
pub use role::{Kind, Role};
pub use rules::{Rules, RulesHandle};
pub use setup::SetUpError;

/// The maximum number of legal moves in any position of any game.
///
/// Of the built-in games Gomoku has the most, 121; the rest is room for games of library users. The
/// list lives on the stack and is not initialised, so the unused part costs nothing.
pub const MAX_MOVES: usize = 512;

/// The legal moves of a position, on the stack.
pub type MoveList<M> = ArrayVec<M, MAX_MOVES>;

/// Whether each side has a score of its own: the game says so, or has more than two sides.
#[must_use]
#[inline(always)]
pub fn is_independent<G: Game>(position: &G) -> bool {
    position.scores().is_independent()
        || const { G::KIND.has_several_sides() } && position.kind().has_several_sides()
}

/// Whether chance is to move.
#[must_use]
#[inline(always)]
pub fn is_chance<G: Game>(position: &G) -> bool {
    has_chance(position) && position.side_to_move() == Side::Chance
}

/// Whether chance has a role. This and the next two are constants for the games that have none by their
/// [`KIND`](Game::KIND), so that what is done for the others is not compiled for them. Where the compiler does not see
/// that, as in the condition of a loop, the code asks for the constant itself.
#[inline(always)]
pub(crate) fn has_chance<G: Game>(position: &G) -> bool {
    (const { G::KIND.has_chance() }) && position.kind().has_chance()
}

/// Whether the game is for one player, and chance does not move.
#[inline(always)]
pub(crate) fn has_one_player<G: Game>(position: &G) -> bool {
    (const { G::KIND.has_one_player() }) && position.kind().has_one_player()
}

/// Whether some moves are made at the same time.
#[inline(always)]
pub(crate) fn has_simultaneous_moves<G: Game>(position: &G) -> bool {
    (const { G::KIND.has_simultaneous_moves() }) && position.kind().has_simultaneous_moves()
}

/// What is wrong with the kind of a game; `None` if nothing is.
pub(crate) fn wrong_kind<G: Game>(position: &G) -> Option<&'static str> {
    let kind = position.kind();
    if !kind.is_of(&position.roles()) {
        Some("the kind() of this game does not follow from its roles() by Kind::of")
    } else if !kind.is_within(G::KIND) {
        Some("the kind() of this game has more than its KIND")
    } else {
        None
    }
}

/// A move of chance.
fn drawn_by_chance<G: Game>(position: &G, rng: &mut Rng) -> G::Move {
    /// The bits of a fraction that a float holds.
    const BITS: u32 = f32::MANTISSA_DIGITS;
    let mut left = (rng.bits() >> (u64::BITS - BITS)) as f32 / (1_u32 << BITS) as f32;
    let moves = position.move_list();
    let found = moves.iter().find(|&&mv| {
        left -= position.probability(mv);
        left < 0.0
    });
    // Rounding may leave a little.
    *found.unwrap_or(&moves[moves.len() - 1])
}

/// The result of a rollout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rollout {
    /// How the game ended.
    pub outcome: Outcome,
    /// The number of moves from the start of the rollout to the end of the game.
    pub plies: u32,
}

/// How a game that is longer than its [maximum](Game::max_plies) ends: with the score of a draw for each side.
#[cold]
pub(crate) fn too_long<G: Game>(position: &G) -> Outcome {
    if !is_independent(position) {
        return Outcome::Draw;
    }
    let roles = position.roles();
    let has = |side: Side| roles.iter().any(|role| role.side == side);
    Outcome::of_scores(&Side::ALL.map(|side| if has(side) { DRAW_SCORE } else { 0 }))
}

/// Plays random moves from `position` to the end of the game, one by one: the default of [`Game::rollout`]. After
/// [`max_plies`](Game::max_plies) moves all sides have the score of a draw.
#[inline]
pub fn rollout_move_by_move<G: Game>(position: &G, rng: &mut Rng) -> Rollout {
    let mut position = *position;
    let mut plies = 0;
    loop {
        if let Some(outcome) = position.outcome() {
            return Rollout { outcome, plies };
        }
        if plies as usize >= position.max_plies() {
            return Rollout { outcome: too_long(&position), plies };
        }
        let mv = position.random_move(rng);
        position.apply(mv);
        plies += 1;
    }
}

/// A position of a game, with its rules.
///
/// A game has two sides, if it does not say otherwise by its [`scores`](Game::scores). A side may be one player or
/// a team of several roles, and sides need not alternate: search reads
/// [`side_to_move`](Game::side_to_move) in every position and assumes nothing about the order.
///
/// `Copy` guarantees that a position owns no heap memory: search copies one at the start of every
/// iteration and plays on in the copy.
///
/// Six items are required: `Move`, `initial`, `role_to_move`, `outcome`, `legal_moves` and `apply`. The constants and
/// [`scores`](Game::scores) have defaults for two players who win, draw or lose. The other defaults are right for every
/// game; a game overrides them where it has a faster way to the same answer.
///
/// The list of [`legal_moves`](Game::legal_moves) has a fixed order and is empty exactly when
/// [`outcome`](Game::outcome) is `Some`.
///
/// Equal positions must have the same future: search takes what is known of one as true of the
/// other. So everything that decides how a game can go on, such as a move count that ends it, must
/// be part of the position.
pub trait Game: Copy + Eq + Hash + Debug + Send + Sync + 'static {
    /// A move. `Display` writes its token, the text that names it in records, in protocols and for
    /// people; different moves of one position have different tokens. If a move takes at most two
    /// bytes, a search node takes 16.
    type Move: Copy + Eq + Hash + Debug + Display + Send + Sync + 'static;

    /// The roles, in the order in which scores and records list them. If chance moves, it has the last one. The
    /// default is two players called `first` and `second`.
    const ROLES: &'static [Role] = &[Role::new("first", Side::First), Role::new("second", Side::Second)];

    /// What a search must know of the game besides its moves: by default what [follows](Kind::of) from its
    /// [`ROLES`](Game::ROLES). For rules that are made at run time it is all that may be, such as [`Kind::ANY`]. Search is
    /// not compiled for what it has not, and refuses a game whose [`kind`](Game::kind) has more.
    const KIND: Kind = Kind::of(Self::ROLES);

    /// The maximum number of legal moves in any position; at most [`MAX_MOVES`], the default.
    const MAX_BRANCHING: usize = MAX_MOVES;

    /// The maximum length of a game in plies (single moves of one role). A rollout or a match that is longer ends with
    /// the score of a draw for each side.
    const MAX_PLIES: usize = 10_000;

    /// The start position.
    fn initial() -> Self;

    /// The role to move, as an index into [`ROLES`](Game::ROLES); unspecified once the game is
    /// over.
    fn role_to_move(&self) -> usize;

    /// The outcome; `None` while the game goes on. Search asks after every move, so a position
    /// should store the answer.
    fn outcome(&self) -> Option<Outcome>;

    /// Clears `moves` and fills it with all legal moves.
    fn legal_moves(&self, moves: &mut MoveList<Self::Move>);

    /// Plays a legal move. The caller guarantees that it is legal; [`play`](Game::play) checks it.
    fn apply(&mut self, mv: Self::Move);

    /// The position after a legal move, as [`apply`](Game::apply) makes it.
    #[inline]
    #[must_use]
    fn after(mut self, mv: Self::Move) -> Self {
        self.apply(mv);
        self
    }

    /// All [legal moves](Game::legal_moves).
    #[inline]
    fn move_list(&self) -> MoveList<Self::Move> {
        let mut moves = MoveList::new();
        self.legal_moves(&mut moves);
        moves
    }

    /// Plays a legal move that is known not to end the game, for example because the search has
    /// visited the position after it. The test for the end may be left out.
    #[inline]
    fn apply_ongoing(&mut self, mv: Self::Move) {
        self.apply(mv);
    }

    /// The side to move. The same side may move several times in a row.
    #[inline]
    fn side_to_move(&self) -> Side {
        Self::ROLES[self.role_to_move()].side
    }

    /// The roles of this game: [`ROLES`](Game::ROLES) by default. A game whose rules are made at run time tells those
    /// of this one; its [`kind`](Game::kind) and [`side_to_move`](Game::side_to_move) must follow from them.
    fn roles(&self) -> Cow<'static, [Role]> {
        Cow::Borrowed(Self::ROLES)
    }

    /// What a search must know of this game besides its moves, the same in all its positions:
    /// [`KIND`](Game::KIND) by default. A game whose rules are made at run time tells that of this one.
    #[inline(always)]
    fn kind(&self) -> Kind {
        Self::KIND
    }

    /// Where roles move at the same time: they choose their parts of the joint move one after the other, in a fixed
    /// order, and none sees what the others have chosen. In a position in which some have chosen, this is the position
    /// before their choices, which is all that the role to move knows; else `None`, as always by default.
    ///
    /// What a role may choose must not depend on what others have chosen, and the last choice plays the joint move. At
    /// most 16 roles take part, each once, and chance, if it does, after all others. A game with such moves [says
    /// so](Kind::with_simultaneous_moves). Search then proves nothing, and mixes its moves.
    #[inline(always)]
    fn before_joint_move(&self) -> Option<Self> {
        None
    }

    /// The maximum number of legal moves in the positions of this game: [`MAX_BRANCHING`](Game::MAX_BRANCHING)
    /// by default. A game for boards of several sizes tells that of this one.
    #[inline]
    fn max_branching(&self) -> usize {
        Self::MAX_BRANCHING
    }

    /// The maximum length of this game from its start, in plies: [`MAX_PLIES`](Game::MAX_PLIES) by default.
    #[inline]
    fn max_plies(&self) -> usize {
        Self::MAX_PLIES
    }

    /// The scores of the first side with which the game may end, the same in all its positions: by default those of
    /// a win, a draw and a loss of two sides. If each side has a [score of its own](ScoreSet::INDEPENDENT), as it has
    /// in any game of more than two, search looks for the best of the side to move at every node (max^n), and proves
    /// nothing.
    #[inline]
    fn scores(&self) -> ScoreSet {
        ScoreSet::WIN_DRAW_LOSS
    }

    /// The number of legal moves.
    #[inline]
    fn move_count(&self) -> usize {
        self.move_list().len()
    }

    /// The `n`-th legal move, from 0, in the order of [`legal_moves`](Game::legal_moves).
    ///
    /// # Panics
    /// May panic if `n` is not less than [`move_count`](Game::move_count).
    #[inline]
    fn nth_move(&self, n: usize) -> Self::Move {
        self.move_list()[n]
    }

    /// The probability of the legal move `mv` where [chance](Side::Chance) is to move, above 0; those of all legal
    /// moves add up to 1. By default all are equally likely, as with a fair die.
    fn probability(&self, _mv: Self::Move) -> f32 {
        1.0 / self.move_count() as f32
    }

    /// A legal move drawn uniformly or, where chance is to move, by the [probabilities](Game::probability).
    ///
    /// # Panics
    /// May panic if the game is over.
    #[inline]
    fn random_move(&self, rng: &mut Rng) -> Self::Move {
        if is_chance(self) {
            return drawn_by_chance(self, rng);
        }
        self.nth_move(rng.below(self.move_count()))
    }

    /// Plays uniformly random moves to the end of the game.
    ///
    /// A game that can find the end without playing every move overrides this; the distribution of
    /// outcomes and lengths must stay the same.
    #[inline]
    fn rollout(&self, rng: &mut Rng) -> Rollout {
        rollout_move_by_move(self, rng)
    }

    /// A hash of the position for transposition tables: the same on x86-64 and ARM64.
    ///
    /// The default [uses `Hash`](crate::hash::of). A game whose positions are hashed in a hot loop
    /// overrides it.
    #[inline]
    fn key(&self) -> u64 {
        crate::hash::of(self)
    }

    /// Returns the position after `mv`, if it is legal.
    ///
    /// # Errors
    /// [`IllegalMove`], which names the move and the legal ones.
    fn play(self, mv: Self::Move) -> Result<Self, IllegalMove> {
        let moves = self.move_list();
        if !moves.contains(&mv) {
            return Err(IllegalMove::new(&mv.to_string(), &moves));
        }
        Ok(self.after(mv))
    }

    /// Returns the legal move whose token is `token`, or that it [means](text::resolve_token): case does not
    /// matter where only one move can be meant.
    ///
    /// # Errors
    /// [`IllegalMove`], which names the token and the legal ones.
    fn parse_move(&self, token: &str) -> Result<Self::Move, IllegalMove> {
        let moves = self.move_list();
        // Nearly all tokens are written as the game writes them, and then the first are enough.
        if let Some(same) = moves.iter().copied().find(|mv| mv.to_string() == token) {
            return Ok(same);
        }
        let tokens: Vec<String> = moves.iter().map(ToString::to_string).collect();
        text::resolve_token(token, &tokens)
            .map(|index| moves[index])
            .ok_or_else(|| IllegalMove::new(token, &tokens))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nim::Nim;

    #[test]
    fn what_a_game_need_not_say_follows_from_what_it_says() {
        let three = Nim::<3>::new(3, 1);
        assert_eq!((three.side_to_move(), three.move_count()), (Side::Second, 3));
        assert_eq!([0, 1, 2].map(|n| three.nth_move(n)), [1, 2, 3]);
        let mut rng = Rng::stream(1, 0);
        let mut counts = [0; 4];
        for _ in 0..3_000 {
            counts[usize::from(three.random_move(&mut rng))] += 1;
        }
        assert!(counts[0] == 0 && counts[1..].iter().all(|it| (900..1_100).contains(it)), "{counts:?}");
        let mut ongoing = three;
        ongoing.apply_ongoing(1);
        assert_eq!((three.play(1), ongoing), (Ok(ongoing), Nim::new(2, 0)));
        assert_eq!(three.play(4), Err(IllegalMove::new("4", &[1, 2, 3])));
        assert_eq!(
            (three.parse_move("2"), three.parse_move("4")),
            (Ok(2), Err(IllegalMove::new("4", &[1, 2, 3])))
        );
        assert_eq!((three.key(), three.key() == ongoing.key()), (crate::hash::of(&three), false));
    }

    #[test]
    fn a_rollout_goes_on_to_the_end() {
        let (mut rng, mut plies) = (Rng::stream(2, 0), Vec::new());
        for _ in 0..50 {
            // Who takes the last stick shows in the number of moves.
            let rollout = Nim::<2>::new(4, 0).rollout(&mut rng);
            let winner = if rollout.plies % 2 == 1 { Side::First } else { Side::Second };
            assert_eq!(rollout.outcome, Outcome::Win(winner));
            plies.push(rollout.plies);
        }
        plies.sort_unstable();
        plies.dedup();
        assert_eq!(plies, [2, 3, 4]);
        assert_eq!(Nim::<2>::new(0, 0).rollout(&mut rng).plies, 0);
    }

    /// A game of three sides without an end.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    struct Endless;

    impl Game for Endless {
        type Move = u8;
        const ROLES: &'static [Role] =
            &[Role::new("a", Side::First), Role::new("b", Side::Second), Role::new("c", Side::Third)];
        const MAX_BRANCHING: usize = 2;
        const MAX_PLIES: usize = 9;

        fn initial() -> Self {
            Self
        }

        fn role_to_move(&self) -> usize {
            2
        }

        fn outcome(&self) -> Option<Outcome> {
            None
        }

        fn legal_moves(&self, moves: &mut MoveList<u8>) {
            *moves = [0, 1].into_iter().collect();
        }

        fn apply(&mut self, _: u8) {}

        fn scores(&self) -> ScoreSet {
            ScoreSet::INDEPENDENT
        }
    }

    #[test]
    fn a_game_that_is_too_long_ends_alike_for_all_sides() {
        let end = Endless.rollout(&mut Rng::stream(1, 0));
        assert_eq!((end.outcome, end.plies), (Outcome::of_scores(&[50, 50, 50]), 9));
        assert_eq!(too_long(&Nim::<2>::new(3, 0)), Outcome::Draw);
    }
}

//! What every game promises.

macro_rules! rules {
    ($($name:ident: $item:literal, $promise:literal;)*) => {
        /// A promise of [`Game`](crate::game::Game) or [`Notation`](crate::game::Notation).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Rule {
            $(#[doc = concat!("`", $item, "`: ", $promise, ".")] $name,)*
        }

        impl Rule {
            /// The item that makes the promise.
            #[must_use]
            pub fn item(self) -> &'static str {
                match self {
                    $(Self::$name => $item,)*
                }
            }

            /// The promise, in a sentence.
            #[must_use]
            pub fn promise(self) -> &'static str {
                match self {
                    $(Self::$name => $promise,)*
                }
            }
        }
    };
}

rules! {
    NoPanic: "Game", "nothing panics in a legal game";
    SameList: "legal_moves", "the list is cleared first, and the same each time";
    MovesOnce: "legal_moves", "no move is listed twice";
    MovesUntilTheEnd: "legal_moves", "the list is empty exactly when the game is over";
    Branching: "MAX_BRANCHING", "no position has more moves";
    Plies: "MAX_PLIES", "no game is longer";
    Numbered: "move_count, nth_move", "moves are counted and numbered as listed";
    Roles: "role_to_move", "it is one of ROLES, chance the last of them, and its side is side_to_move";
    Kind: "kind", "it follows from the roles, and has nothing that KIND has not";
    Scores: "score", "a score is at most 100";
    Outcomes: "scores", "a game ends with one of these scores, and all scores together are 100";
    JointMoves: "before_joint_move", "none but in a joint move, and the same whatever others have chosen, as are the moves";
    Probabilities: "probability", "those of all legal moves are above 0 and add up to 1";
    TokensDiffer: "Move", "different moves of a position have different tokens";
    TokenText: "Move", "a token is printable ASCII without spaces";
    TokensRead: "parse_move", "a token is read as its move";
    Ongoing: "apply_ongoing", "it does what apply does";
    StringText: "Display", "a position string is one line of ASCII";
    StringsRead: "FromStr", "a position is read back from its string";
    StringsHoldAll: "Display", "a position string holds everything that belongs to the position";
    EqualFuture: "==", "equal positions have the same future";
    Hashes: "Hash, key", "equal positions have equal hashes and keys";
    NoRepetition: "==", "no position comes twice in a game, unless its kind says so";
    Drawing: "draw", "a move's effect is in brackets, and all else is as without";
    Picture: "picture", "pictures keep to their layout";
    RandomMove: "random_move", "legal moves are equally likely or, where chance moves, as their probabilities say";
    Rollouts: "rollout", "games end as in random play, as often and as soon";
    Parameters: "start", "with the usual values it is initial, and other values give other positions";
    Benchmark: "benchmark", "the game is not over there";
}

//! `mcts`: it asks every state whose turn it is, so plies need no merging. It has no rollout of its
//! own, so the evaluator does one.

use std::marker::PhantomData;

use ::mcts::tree_policy::UCTPolicy;
use ::mcts::{Evaluator, GameState, MCTS, MCTSManager, SearchHandle};
use quintet_core::game::{MoveList, Notation, Outcome, Rng, Side, rollout_move_by_move};
use quintet_core::search::SearchConfig;

use crate::contender::{Contender, Found, ITERATIONS, TreeBytes};

#[derive(Debug, Clone)]
struct State<G>(G);

impl<G: Notation> GameState for State<G> {
    type Move = G::Move;
    type Player = Side;
    type MoveList = MoveList<G::Move>;

    #[inline]
    fn current_player(&self) -> Side {
        self.0.side_to_move()
    }

    #[inline]
    fn available_moves(&self) -> MoveList<G::Move> {
        let mut moves = MoveList::new();
        self.0.legal_moves(&mut moves);
        moves
    }

    #[inline]
    fn make_move(&mut self, mv: &G::Move) {
        self.0.apply(*mv);
    }
}

/// The specification of the search, and its evaluator: quintet's rollout, fast or move by move.
#[derive(Debug)]
struct Uct<G, const FAST: bool>(PhantomData<G>);

/// The random stream of a thread.
struct Stream(Rng);

impl Default for Stream {
    fn default() -> Self {
        Self(Rng::stream(0, 0))
    }
}

impl<G: Notation, const FAST: bool> MCTS for Uct<G, FAST> {
    type State = State<G>;
    type Eval = Self;
    type TreePolicy = UCTPolicy;
    type NodeData = ();
    type TranspositionTable = ();
    type ExtraThreadData = Stream;
}

impl<G: Notation, const FAST: bool> Evaluator<Self> for Uct<G, FAST> {
    type StateEvaluation = Outcome;

    #[inline]
    fn evaluate_new_state(
        &self,
        state: &State<G>,
        moves: &MoveList<G::Move>,
        handle: Option<SearchHandle<Self>>,
    ) -> (Vec<()>, Outcome) {
        let evaluations = vec![(); moves.len()];
        if let Some(outcome) = state.0.outcome() {
            return (evaluations, outcome);
        }
        // The root is evaluated before a search thread exists.
        let Some(mut handle) = handle else { return (evaluations, Outcome::Draw) };
        let rng = &mut handle.thread_data().extra_data.0;
        let rollout = if FAST { state.0.rollout(rng) } else { rollout_move_by_move(&state.0, rng) };
        (evaluations, rollout.outcome)
    }

    #[inline]
    fn evaluate_existing_state(&self, _: &State<G>, outcome: &Outcome, _: SearchHandle<Self>) -> Outcome {
        *outcome
    }

    #[inline]
    fn interpret_evaluation_for_player(&self, outcome: &Outcome, side: &Side) -> i64 {
        i64::from(outcome.score(*side))
    }
}

fn search<G: Notation, const FAST: bool>(position: &G) -> Found<G> {
    // Its formula, mean + 2 c sqrt(ln N / n) with rewards from 0 to 2, is the same as quintet's.
    let policy = UCTPolicy::new(f64::from(SearchConfig::UCT_EXPLORATION));
    let mut search =
        MCTSManager::new(State(*position), Uct::<G, FAST>(PhantomData), Uct(PhantomData), policy, ());
    search.playout_n(u64::from(ITERATIONS));
    let iterations: u64 = search.tree().root_node().moves().map(::mcts::MoveInfo::visits).sum();
    let best = search.best_move().expect("it has searched");
    let after = position.play(best).expect("the best move is legal");
    Found { after, iterations, tree: TreeBytes::HeapGrowth }
}

pub(crate) fn contenders<G: Notation>() -> [Contender<G>; 2] {
    [
        Contender {
            name: "mcts",
            what: "ply by ply; `UCTPolicy`, no transposition table; quintet's rollout move by move in the evaluator \
                   (it has none of its own); c as quintet"
                .to_owned(),
            search: search::<G, false>,
        },
        Contender {
            name: "mcts",
            what: "the same with quintet's fast rollout in the evaluator".to_owned(),
            search: search::<G, true>,
        },
    ]
}

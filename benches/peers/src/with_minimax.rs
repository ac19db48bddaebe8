//! `minimax`: the sides must alternate strictly, so plies are merged into turns.

use std::cell::RefCell;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use ::minimax::{MCTSOptions, MonteCarloTreeSearch, RolloutPolicy, Strategy, Winner};
use quintet_core::game::{Outcome, Rng};
use rand09::Rng as _;
use rand09::rngs::SmallRng;

use crate::contender::{Contender, Found, ITERATIONS, TreeBytes};
use crate::turns::{Alternating, Turns};

/// The rules as minimax needs them.
#[derive(Debug)]
struct Rules<G>(PhantomData<G>);

impl<G: Turns> ::minimax::Game for Rules<G> {
    type S = Alternating<G>;
    type M = G::Turn;

    #[inline]
    fn generate_moves(state: &Self::S, turns: &mut Vec<G::Turn>) -> Option<Winner> {
        let winner = Self::get_winner(state);
        if winner.is_none() {
            let _ = state.position.try_turns(|turn| {
                turns.push(turn);
                std::ops::ControlFlow::<()>::Continue(())
            });
        }
        winner
    }

    #[inline]
    fn apply(state: &mut Self::S, turn: G::Turn) -> Option<Self::S> {
        let mut next = state.clone();
        next.play(turn);
        Some(next)
    }

    #[inline]
    fn get_winner(state: &Self::S) -> Option<Winner> {
        state.outcome().map(|outcome| match outcome {
            Outcome::Draw => Winner::Draw,
            Outcome::Win(winner) if winner == state.next => Winner::PlayerToMove,
            Outcome::Win(_) => Winner::PlayerJustMoved,
        })
    }
}

/// The number of rollouts, which minimax does not report.
type Count = Arc<AtomicU32>;

/// minimax's own rollout, with turns drawn instead of listed.
struct Drawn<G>(Count, PhantomData<G>);

impl<G: Turns> RolloutPolicy for Drawn<G> {
    type G = Rules<G>;

    #[inline]
    fn random_move(
        &self,
        state: &mut Alternating<G>,
        _: &mut Vec<G::Turn>,
        rng: &mut SmallRng,
    ) -> Result<G::Turn, Winner> {
        if let Some(winner) = <Rules<G> as ::minimax::Game>::get_winner(state) {
            self.0.fetch_add(1, Relaxed);
            return Err(winner);
        }
        Ok(state.position.random_turn(|n| rng.random_range(0..n)))
    }
}

thread_local! {
    /// minimax passes no random generator to a rollout.
    static RNG: RefCell<Rng> = RefCell::new(Rng::stream(0, 0));
}

/// quintet's fast rollout instead of minimax's.
struct Fast<G>(Count, PhantomData<G>);

impl<G: Turns> RolloutPolicy for Fast<G> {
    type G = Rules<G>;

    fn random_move(
        &self,
        _: &mut Alternating<G>,
        _: &mut Vec<G::Turn>,
        _: &mut SmallRng,
    ) -> Result<G::Turn, Winner> {
        unreachable!("`rollout` plays no single moves")
    }

    #[inline]
    fn rollout(&self, _: &MCTSOptions, state: &Alternating<G>) -> i32 {
        self.0.fetch_add(1, Relaxed);
        let mover = state.next.opponent();
        let points = |outcome: Outcome| i32::from(outcome.score(mover)) / 50 - 1;
        match state.outcome() {
            // minimax takes this value for a proof.
            Some(outcome) => points(outcome) * i32::MAX,
            None => points(RNG.with_borrow_mut(|rng| state.position.rollout(rng)).outcome),
        }
    }
}

fn run<G: Turns>(
    position: &G,
    policy: impl FnOnce(Count) -> Box<dyn RolloutPolicy<G = Rules<G>> + Send + Sync>,
) -> Found<G>
where
    Rules<G>: Sync,
{
    let mut state = Alternating::new(position);
    // Otherwise every iteration lists the moves of its new node and plays out from one of them.
    let options = MCTSOptions::default()
        .with_num_threads(1)
        .with_rollouts_before_expanding(1)
        .with_max_rollout_depth(u32::try_from(G::MAX_PLIES).expect("a game is short"));
    let count = Count::default();
    let mut search = MonteCarloTreeSearch::new_with_policy(options, policy(Arc::clone(&count)));
    search.set_max_rollouts(ITERATIONS);
    let best = search.choose_move(&state).expect("the game is not over");
    assert!(position.is_legal(best), "{best} is illegal");
    state.play(best);
    // An iteration that ends at a proven node has no rollout and is not counted.
    Found { after: state.position, iterations: u64::from(count.load(Relaxed)), tree: TreeBytes::HeapGrowth }
}

fn search<G: Turns, const FAST: bool>(position: &G) -> Found<G> {
    run(position, |count| {
        if FAST { Box::new(Fast::<G>(count, PhantomData)) } else { Box::new(Drawn::<G>(count, PhantomData)) }
    })
}

pub(crate) fn contenders<G: Turns>() -> [Contender<G>; 2] {
    [
        Contender {
            name: "minimax",
            what: format!(
                "{}; its own rollout, turn by turn, turns drawn and not listed; nodes expanded at the second \
                 visit; c fixed at 1.70",
                G::TURN
            ),
            search: search::<G, false>,
        },
        Contender {
            name: "minimax",
            what: "the same with quintet's fast rollout as the rollout policy".to_owned(),
            search: search::<G, true>,
        },
    ]
}

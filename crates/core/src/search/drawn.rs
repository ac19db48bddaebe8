//! A game and knowledge for tests. All that differs from test to test is data, because the search is compiled for each
//! type of a game and of knowledge.

use crate::game::{Game, MoveList, Outcome, Rng};
use crate::knowledge::{Candidates, Effort, Knowledge, Prover, RulesOnly, SolveScope, Solved, Value};

/// A game with the same number of moves at every ply that ends in a draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Drawn {
    moves: u8,
    plies: u8,
    /// The plies of a turn; 0 if the first side moves always.
    turn: u8,
    /// The plies so far.
    pub(super) ply: u8,
}

impl Drawn {
    /// The first side makes all moves.
    pub(super) const fn new(moves: u8, plies: u8) -> Self {
        Self { moves, plies, turn: 0, ply: 0 }
    }

    /// The same game, in which the sides take turns of so many plies.
    pub(super) const fn in_turns(self, turn: u8) -> Self {
        Self { turn, ..self }
    }

    /// The same game after so many plies.
    pub(super) const fn at(self, ply: u8) -> Self {
        Self { ply, ..self }
    }
}

impl Game for Drawn {
    type Move = u8;
    const MAX_BRANCHING: usize = 20;
    const MAX_PLIES: usize = 200;
    fn initial() -> Self {
        Self::new(20, 30)
    }
    fn role_to_move(&self) -> usize {
        self.ply.checked_div(self.turn).map_or(0, |turn| usize::from(turn % 2))
    }
    fn outcome(&self) -> Option<Outcome> {
        (self.ply == self.plies).then_some(Outcome::Draw)
    }
    fn legal_moves(&self, moves: &mut MoveList<u8>) {
        moves.clear();
        moves.extend(0..if self.ply < self.plies { self.moves } else { 0 });
    }
    fn apply(&mut self, _: u8) {
        self.ply += 1;
    }
    fn max_branching(&self) -> usize {
        self.moves.into()
    }
    fn max_plies(&self) -> usize {
        self.plies.into()
    }
}

type SayCandidates<'a> = dyn Fn(&Drawn, &mut Candidates<u8>) + Send + Sync + 'a;
type SayValue<'a> = dyn Fn(&Drawn, &mut Rng) -> Value + Send + Sync + 'a;
type SaySolution<'a> = dyn Fn(&Drawn, Effort) -> Option<Vec<Solved<u8>>> + Send + Sync + 'a;
type MakeProver<'a> = dyn Fn() -> Box<dyn Prover<Drawn>> + Send + Sync + 'a;

/// Knowledge that says what it is told to say, and of all else no more than the rules.
#[derive(Default)]
pub(super) struct Told<'a> {
    candidates: Option<Box<SayCandidates<'a>>>,
    value: Option<Box<SayValue<'a>>>,
    solution: Option<Box<SaySolution<'a>>>,
    prover: Option<Box<MakeProver<'a>>>,
    refined_at: Option<u32>,
    reweigh: Option<Box<SayCandidates<'a>>>,
}

impl<'a> Told<'a> {
    pub(super) fn with_candidates(
        self,
        candidates: impl Fn(&Drawn, &mut Candidates<u8>) + Send + Sync + 'a,
    ) -> Self {
        Self { candidates: Some(Box::new(candidates)), ..self }
    }

    pub(super) fn with_value(self, value: impl Fn(&Drawn, &mut Rng) -> Value + Send + Sync + 'a) -> Self {
        Self { value: Some(Box::new(value)), ..self }
    }

    pub(super) fn with_solution(
        self,
        solution: impl Fn(&Drawn, Effort) -> Option<Vec<Solved<u8>>> + Send + Sync + 'a,
    ) -> Self {
        Self { solution: Some(Box::new(solution)), ..self }
    }

    pub(super) fn with_priors_refined_at(self, visits: u32) -> Self {
        Self { refined_at: Some(visits), ..self }
    }

    pub(super) fn with_weights_of_refined(
        self,
        reweigh: impl Fn(&Drawn, &mut Candidates<u8>) + Send + Sync + 'a,
    ) -> Self {
        Self { reweigh: Some(Box::new(reweigh)), ..self }
    }

    pub(super) fn with_prover<P: Prover<Drawn> + 'static>(
        self,
        prover: impl Fn() -> P + Send + Sync + 'a,
    ) -> Self {
        Self { prover: Some(Box::new(move || Box::new(prover()))), ..self }
    }
}

impl Knowledge<Drawn> for Told<'_> {
    const SWINDLE_ITERATIONS: u64 = 1_000;

    fn candidates(&self, position: &Drawn, moves: &mut Candidates<u8>) {
        match &self.candidates {
            Some(candidates) => candidates(position, moves),
            None => RulesOnly.candidates(position, moves),
        }
    }
    fn evaluate(&self, position: &Drawn, rng: &mut Rng) -> Value {
        match &self.value {
            Some(value) => value(position, rng),
            None => RulesOnly.evaluate(position, rng),
        }
    }
    fn refined_at(&self, _: &Drawn) -> Option<u32> {
        self.refined_at
    }
    fn reweigh(&self, position: &Drawn, moves: &mut Candidates<u8>) -> bool {
        self.reweigh.as_ref().map(|reweigh| reweigh(position, moves)).is_some()
    }
    fn solve(&self, position: &Drawn, _: SolveScope, effort: Effort) -> Option<Vec<Solved<u8>>> {
        self.solution.as_ref().and_then(|solution| solution(position, effort))
    }
    fn prover(&self, _: usize) -> Option<Box<dyn Prover<Drawn>>> {
        self.prover.as_ref().map(|prover| prover())
    }
}

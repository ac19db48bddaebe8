//! Monte Carlo tree search for any [`Game`].
//!
//! An iteration of plain UCT walks down the tree from the root, adds the first untried move it meets as a
//! new node, plays a rollout from there, and adds the outcome to every node on the path. With
//! [knowledge](crate::knowledge) the most promising moves of a node are added together, and an evaluation
//! may take the place of the rollout. A node stores which side chose it and counts rewards for that side, so the sides need not
//! alternate.
//!
//! # Selection
//!
//! UCT (Kocsis and Szepesvári, "Bandit based Monte-Carlo planning", 2006) treats the choice at each
//! node as a bandit problem and solves it by UCB1 (Auer, Cesa-Bianchi and Fischer, "Finite-time
//! analysis of the multiarmed bandit problem", 2002). A child with *n* visits and rewards that sum
//! to *w*, of a parent with *N* visits, scores
//!
//! ```text
//! w / n + c · sqrt(ln N / n)
//! ```
//!
//! with rewards from 0 to 1, from the point of view of the side to move, and *N* rounded down to
//! ten significant bits. UCB1 proper has *c* = √2; a smaller constant is better in practice.
//!
//! *First-play rule*: untried moves come before all others; their order depends on the path and the
//! tree's random stream, or on the [knowledge](crate::knowledge) if it has priors.
//!
//! PUCT (after Rosin, "Multi-armed bandits with episode context", 2011, in the form of Silver et
//! al., "Mastering the game of Go without human knowledge", 2017) uses priors instead: the weights
//! of [`Knowledge::candidates`], divided by their sum. A child with *n* visits and rewards that sum
//! to *w* scores
//!
//! ```text
//! w / n + c(N) · P · sqrt(N) / (1 + n),   c(N) = c · (1 + 0.44 · ln(1 + N / 4096))
//! ```
//!
//! (*c(N)* as in Silver et al., "A general reinforcement learning algorithm that masters chess, shogi,
//! and Go through self-play", 2018, with other numbers and *N* rounded down to ten significant bits). At the root of a
//! search it is multiplied by a [constant of the knowledge](Knowledge::ROOT_EXPLORATION).
//! A turn in which the same side makes several moves is explored as one choice: *N* counts the
//! visits of the position in which the turn began, or of the root if it began before, and *P* is the
//! product of the priors of its moves; or, if that gives less, *N* counts the visits of the parent and
//! *P* is the prior of the move alone.
//! For an untried move *w / n* (the first-play urgency) is the mean of its parent, from the point of
//! view of the side to move. So a move with a small prior may never be tried.
//!
//! <a id="refined-priors"></a>*Refined priors*: after a [stated](Knowledge::refined_at) number of visits of a position,
//! all its moves are expanded, the knowledge may [weigh](Knowledge::reweigh) them anew, and the prior of each is
//! multiplied by about 2^(3 *v*), where *v*, from -1 to 1, is what the [first value](Knowledge::evaluate) of the
//! position after it says for the side that moves; then they are divided by their sum again. The first-play urgency of
//! an untried move is from then on that value, from 0 to 1, less 0.05. So a quiet move that the weights do not see is
//! searched if the evaluation does.
//!
//! In a game for one player without chance, the score of a rollout is a proven lower bound of every position on its
//! way, and the best line so far is played unless a better one comes up.
//!
//! Where roles [move at the same time](Game::before_joint_move), each selects by what its moves are worth against the
//! visits of the others, and half of the choices are drawn from the visits so far. The answer is drawn from the visits,
//! too ([`Report::policies`]).
//!
//! *Tie-break*: among equal scores, the child that was tried first or that has the larger prior.
//! *Final choice*: see [`Report::candidates`].
//!
//! # Batches
//!
//! The iterations of a small tree come one after the other. A tree whose root has *N* visits grows in batches of *N* /
//! [divisor](Knowledge::BATCH_DIVISOR) visits if these are enough to be [worth it](Knowledge::LEAST_BATCH), at
//! most 32,768 ([`SearchConfig::batch`] may say fewer). Its top, the *trunk*, deals them out; below each
//! leaf of the trunk a *branch*, a tree of its own, does its visits one after the other. So a batch visits
//! each node of the trunk once, branches grow on several threads, and each fits into the cache. A tree that is
//! kept from an earlier run keeps its trunk, however small it is then.
//!
//! Each node of the trunk deals out the visits that it gets as selections one after the other would, if visits in
//! flight counted as visits and all values stayed as they are (Liu et al., "Watch the unobserved: a simple approach to
//! parallelizing Monte Carlo tree search", 2020). A branch takes at most 1/64 of a batch, or 32 visits: what goes
//! beyond, it splits off to branches of its own or leaves undone. The random stream of a branch follows from the seed,
//! its path and its visits, and memory is dealt out with the visits.
//!
//! The [prover](Knowledge::prover) is asked while the next batch grows, with an effort of at most three positions a
//! visit. Where that is 1,024 positions or more, up to 16 [forks](crate::knowledge::Prover::fork) of the prover take
//! about equal parts of it, in the order of the paths. In the batch after they share what they have found and prove
//! nothing; then they get what is owed since. So nothing depends on which thread does what, or on how many there are.
//!
//! # Root parallelisation
//!
//! Several trees may grow independently (root parallelisation), each with its own random stream; they
//! are merged at the root by adding up visits and rewards. Except in plain UCT, each tree prefers
//! moves of its own: the moves of the root are dealt out to the trees, and each tree treats the
//! moves of the others as less promising (root splitting).
//!
//! Under an iteration budget the result of a new search depends only on the position, the settings and
//! the number of trees, not on the machine or the number of threads; a search that reuses its trees also
//! depends on its earlier runs. The trees may grow in several processes ([`Ranks`]) and give the same
//! result.
mod batch;
mod best_line;
mod config;
mod controls;
mod crew;
mod deal;
#[cfg(test)]
mod drawn;
mod error;
mod expand;
mod gained;
mod grow;
mod guide;
mod guided;
mod jobs;
mod joint;
mod joint_arms;
mod merged;
mod node;
mod policy;
mod pool;
mod puct;
mod ranking;
mod ranks;
mod report;
mod root_splitting;
mod rounds;
mod scales;
mod select;
mod shares;
mod spans;
mod swindle;
mod tally;
mod technique;
#[cfg(test)]
mod tests;
mod timing;
mod tree;
mod trunk;
mod ucb1;
mod uct;
mod weakness;
mod worker;

use std::num::NonZero;
use std::sync::atomic::{AtomicBool, Ordering};

pub use config::{Budget, SearchConfig};
pub use controls::Controls;
use controls::SearchRun;
pub use error::SearchError;
use guide::{BatchRule, Formula, Guide};
use merged::{MoveStats, Totals};
use ranking::FinalChoice;
pub use ranks::{Exchange, Ranks};
pub use report::{Candidate, Child, EndedEarly, Policy, Report, normal_cdf};
pub use spans::Spans;
use tally::Tally;
pub use technique::{Technique, Techniques};
use timing::Start;
use tree::{Place, Tree};
pub use uct::Uct;
pub use weakness::Weakness;

use crate::game::{Game, MAX_MOVES, MAX_SCORE, Side, has_one_player, has_simultaneous_moves, is_independent};
use crate::hash;
use crate::knowledge::{
    Candidates, Effort, FORKS_FILL_MEMORY, Knowledge, MAX_FORKS, RulesOnly, Selection, SolveScope,
};
use crate::solver::{WinLine, win_line};

/// A search that can be run on one position after another.
///
/// If a position follows from the last one, the search reuses its trees. Otherwise, or if
/// [`Technique::Reuse`] is off, it keeps only their memory.
#[derive(Debug)]
pub struct Search<G: Game, K: Knowledge<G> = RulesOnly> {
    config: SearchConfig,
    guide: Guide<K>,
    trees: Vec<Tree<G>>,
    /// Whether the trees hold the results of an earlier run.
    has_grown: bool,
}

/// The part of the memory that provers may have.
const PROVER_SHARE: usize = 8;

/// The maximum visits of a batch.
const MAX_BATCH: u32 = 1 << 15;

/// The maximum iterations for a position with a single legal move; they only give its value.
const ITERATIONS_FOR_ONE_MOVE: u64 = 100;

impl<G: Game, K: Knowledge<G>> Search<G, K> {
    /// A search with these settings.
    ///
    /// # Errors
    /// [`SearchError`] if a setting is out of range, or the model does not fit the knowledge.
    pub fn new(config: SearchConfig, knowledge: K) -> Result<Self, SearchError> {
        const {
            assert!(G::MAX_BRANCHING <= MAX_MOVES, "a position may have at most MAX_MOVES legal moves");
            assert!(K::BATCH_DIVISOR > 0 && K::LEAST_BATCH > 0, "a batch has a part of the visits");
        }
        config.check()?;
        let knowledge = match &config.model {
            Some(model) => knowledge.with_model(model.clone())?,
            None => knowledge,
        };
        let formula = Formula::new(Self::selection(&config), K::ROOT_EXPLORATION);
        let batch = BatchRule {
            divisor: K::BATCH_DIVISOR,
            most: config.batch.map_or(MAX_BATCH, NonZero::get),
            least: K::LEAST_BATCH,
        };
        let guide = Guide { knowledge, formula, batch };
        Ok(Self { config, guide, trees: Vec::new(), has_grown: false })
    }

    /// Sets up as many trees as there are in these settings, unless they are there.
    fn set_up_trees(&mut self, config: &SearchConfig, position: &G) {
        let count = config.trees.map_or(1, NonZero::get);
        let has_provers = config.techniques.contains(Technique::Proofs);
        // Rules that are made at run time may be those of another kind of game than before.
        let is_same = |tree: &Tree<G>| {
            let is_alike = |it: &G| (it.kind(), it.scores()) == (position.kind(), position.scores());
            is_alike(&tree.root) && (has_provers || tree.prover.is_none())
        };
        if self.trees.len() == count && self.trees.iter().all(is_same) {
            return;
        }
        let memory = config.memory / config.all_trees() / PROVER_SHARE;
        // The rest is for forks.
        let memory = memory / (FORKS_FILL_MEMORY + MAX_FORKS) * FORKS_FILL_MEMORY;
        let prover = || if has_provers { self.guide.knowledge.prover(memory) } else { None };
        let keeps_line = has_one_player(position);
        let tree = || Tree { prover: prover(), keeps_line, ..Tree::new(position, true) };
        self.trees = (0..count).map(|_| tree()).collect();
        self.has_grown = false;
    }

    /// The selection formula of a search with these settings.
    pub(crate) fn selection(config: &SearchConfig) -> Selection {
        let of_model = config.model.as_ref().map(|model| Selection::Puct { c: model.exploration() });
        let mut selection = config.selection.or(of_model).unwrap_or(K::SELECTION);
        if let Some(c) = config.exploration {
            selection = selection.with_constant(c);
        }
        if let Selection::Puct { c } = selection
            && !config.techniques.contains(Technique::Priors)
        {
            // The knowledge's constant is for PUCT only.
            let is_given = config.selection.is_some() || config.exploration.is_some();
            selection = Selection::Ucb1 { c: if is_given { c } else { SearchConfig::UCT_EXPLORATION } };
        }
        selection
    }

    /// The search's settings.
    #[must_use]
    pub fn config(&self) -> &SearchConfig {
        &self.config
    }

    /// Sets the seed from the next run on.
    pub fn set_seed(&mut self, seed: u64) {
        self.config.seed = seed;
    }

    /// Searches `position` until `budget` is used up or more search can't change the move.
    ///
    /// First it tries to [solve](Knowledge::solve) `position`, with the values of all moves, in at
    /// most half of the time and at most about as long as the iterations would take. The search
    /// ends early if the position is proven, or if no other move can overtake the best and the
    /// position after the best can't be [proven](Knowledge::prover) or solved in at most three quarters
    /// of the time left and at most about as long as the iterations left would take. In the second half of a
    /// limited time it asks the prover about any move that leads. If more effort may prove that it loses, a move with
    /// about as many visits is preferred after which the prover is [settled](crate::knowledge::Prover::is_settled).
    ///
    /// The trees grow on the threads of the current rayon pool, as many as the settings
    /// [allow](SearchConfig::threads): several trees side by side, and a single large one in
    /// [batches](self#batches). With one thread all is done on the calling one. Concurrent searches on several
    /// threads should have a pool each: a thread that waits for one search may take up work of another. A
    /// position with one legal move is answered at once, whatever the budget.
    ///
    /// # Errors
    /// [`SearchError::GameOver`] if `position` has no legal move, [`SearchError::Chance`] if chance is to move
    /// there, [`SearchError::OutOfMemory`] if
    /// the system does not provide the memory.
    pub fn run(&mut self, position: &G, budget: Budget) -> Result<Report<G::Move>, SearchError> {
        self.run_with(position, budget, &mut Controls::new(&AtomicBool::new(false)))
    }

    /// As [`run`](Self::run), stopped, watched and restricted as `controls` say. With a single move to
    /// choose from, the search does not end early. Trees of a restricted search are not reused, and it
    /// reuses none.
    ///
    /// # Errors
    /// As [`run`](Self::run), and [`SearchError::IllegalMove`] if a move in `controls` is not legal.
    pub fn run_with(
        &mut self,
        position: &G,
        budget: Budget,
        controls: &mut Controls<'_, G::Move>,
    ) -> Result<Report<G::Move>, SearchError> {
        let mut report = self.find_best(position, budget, controls)?;
        self.config.weakness.choose(position, &mut report, self.config.seed);
        Ok(report)
    }

    /// Searches for the best move.
    fn find_best(
        &mut self,
        position: &G,
        budget: Budget,
        controls: &mut Controls<'_, G::Move>,
    ) -> Result<Report<G::Move>, SearchError> {
        let mut config = self.config.with_trees_for(budget, Some(K::TREES_BELOW));
        let has_simultaneous_moves = has_simultaneous_moves(position);
        if is_independent(position) || has_simultaneous_moves {
            config.techniques = config.techniques.and_not(Techniques::OF_TWO_SIDES);
        }
        // Even a move that others can't overtake is not all of a mixed policy.
        config.early_stop &= !has_simultaneous_moves;
        self.set_up_trees(&config, position);
        self.trees[0].spans = controls.spans.is_some().then(Spans::default);
        let start = Start::now(&config.clock);
        controls.check(position)?;
        let (stop, given) = (controls.stop, budget);
        let budget = given.for_position(position, config.all_trees())?;
        let tally = controls::tally(&config, given, position);
        // With a tally the others begin to search at once, and the leader ends that if it can.
        let may_solve = tally.as_ref().is_none_or(Tally::is_leader);
        let was_stopped = stop.load(Ordering::Relaxed);
        if may_solve && config.techniques.contains(Technique::Solve) {
            let effort = budget.effort(K::POSITIONS_PER_ITERATION, start.at, &config.clock, stop);
            let solved = self.guide.knowledge.solve(position, SolveScope::All, effort);
            let solved = solved.and_then(|moves| controls.of_solved(moves));
            let ranks = if tally.is_some() { Ranks::ALONE } else { config.ranks };
            if ranks.is_leader() && stop.load(Ordering::Relaxed) {
                // The others still try to solve it, and would be waited for.
                ranks.stop();
            }
            if ranks.agree(solved.is_some())
                && let Some(moves) = solved
            {
                drop(tally);
                let config = SearchConfig { ranks, ..config };
                return self.report_solved(&config, position, moves, budget, start, controls);
            }
        }
        let is_stopped = !was_stopped && stop.load(Ordering::Relaxed);
        let (report, totals) = if is_stopped && (tally.is_some() || config.ranks.is_alone()) {
            // Stopped while it tried to solve the position: an answer from a single rollout would say
            // nothing.
            drop(tally);
            let config = SearchConfig { ranks: Ranks::ALONE, ..config };
            let unstopped = AtomicBool::new(false);
            let Controls { ref only, confidence, variations, .. } = *controls;
            let only = only.clone();
            let mut brief = Controls { only, confidence, variations, ..Controls::new(&unstopped) };
            let few = rounds::MIN_ITERATIONS * self.trees.len() as u64;
            self.search(&config, position, budget.at_most(few), (start, None), &mut brief)?
        } else {
            self.search(&config, position, budget, (start, tally), controls)?
        };
        if let (Some(spans), Some(measured)) = (&mut controls.spans, self.trees[0].spans.take()) {
            **spans = measured;
        }
        let ended_early = report.ended_early.or(ranking::of_only_move(given, budget, totals));
        Ok(Report { ended_early, ..report })
    }

    /// What the trees of the last [run](Self::run) know about the position after `moves` from its root: all
    /// its legal moves, in list order, with what the trees of this process found, added up. `None` if no
    /// tree has that position with children.
    #[must_use]
    pub fn children(&self, moves: &[G::Move]) -> Option<Vec<Child<G::Move>>> {
        let mut position = self.trees.first()?.root;
        let trees = self.trees.iter().enumerate().filter(|(_, tree)| tree.pool.len() > 0);
        let mut nodes: Vec<_> = trees.map(|(tree, _)| (tree, Place::ROOT)).collect();
        for &mv in moves {
            nodes = merged::follow(&self.trees, &nodes, mv);
            if nodes.is_empty() {
                return None;
            }
            position.apply(mv);
        }
        nodes.retain(|&(tree, at)| self.trees[tree].node_of(at).child_count() > 0);
        if nodes.is_empty() {
            return None;
        }
        let sums = merged::sum_children(&self.trees, &nodes, &position);
        Some(sums.moves.iter().map(MoveStats::child).collect())
    }

    /// The line with which `winner` wins from `position`, where that is proven; see [`WinLine`]. It begins with `first`,
    /// if that is a winning move of the side to move. `None` if the winning moves are not found with this effort, which
    /// counts the positions on the way: each may take a small proof. What the trees have proven helps if the position is
    /// that of the last [run](Self::run).
    #[must_use]
    pub fn win_line(
        &self,
        position: &G,
        winner: Side,
        first: Option<G::Move>,
        effort: Effort,
    ) -> Option<WinLine<G::Move>> {
        let is_root = self.has_grown && self.trees.first().is_some_and(|tree| tree.root == *position);
        let in_tree = |path: &[G::Move], side: Side| {
            let children = if is_root { self.children(path)? } else { return None };
            let won = children.iter().filter(|it| it.bounds.of(side).lower == MAX_SCORE);
            won.max_by_key(|it| it.visits).map(|it| it.mv)
        };
        win_line(&self.guide.knowledge, position, (winner, first), effort, &in_tree)
    }

    /// Describes in a few words what is known for certain about each candidate of the last
    /// [report](Self::run), which was on `position`, such as "wins at once". If nothing is, says why the
    /// move was not tried; empty if it was. It may take some milliseconds a move.
    #[must_use]
    pub fn explain(&self, position: &G, report: &Report<G::Move>) -> Vec<String> {
        let Guide { knowledge, formula, .. } = &self.guide;
        let mut listed = Candidates::new();
        self.guide.candidates(position, &mut listed, self.config.techniques);
        let untried = |mv| match formula {
            _ if listed.iter().all(|(other, _)| *other != mv) => "pruned: no better than the best",
            _ if report.proven.is_some() => "not tried: the best move is proven",
            Formula::Puct(_) => "not tried: its prior is too small",
            Formula::Ucb1(_) => "not tried: too few iterations",
        };
        let mut words = Vec::with_capacity(report.candidates.len());
        for it in &report.candidates {
            let known = knowledge.explain(position, it.mv);
            words.push(report::explain(&it.without_move(), position.side_to_move(), known, untried(it.mv)));
        }
        words
    }

    /// Grows the trees from `position` with these settings, which may not be those of all searches, and
    /// reports what they found. The search began at `start`.
    fn search(
        &mut self,
        config: &SearchConfig,
        position: &G,
        budget: Budget,
        (start, tally): (Start, Option<Tally>),
        controls: &mut Controls<'_, G::Move>,
    ) -> Result<(Report<G::Move>, Totals), SearchError> {
        let ranks = config.ranks;
        let count = config.all_trees();
        let first = self.trees.len() * ranks.index();
        let memory = config.memory / count;
        let has_provers = self.trees[0].prover.is_some();
        let memory = if has_provers { memory - memory / PROVER_SHARE } else { memory };
        let is_restricted = !controls.only.is_empty();
        let root = joint::known(position);
        let in_step = if tally.is_some() { Ranks::ALONE } else { ranks };
        let may_reuse = !is_restricted && config.techniques.contains(Technique::Reuse);
        let reused =
            if may_reuse && self.has_grown_alike(in_step) { self.moves_to(&root, in_step) } else { None };
        self.has_grown = false;
        let mut is_ready = Ok(());
        for (index, tree) in (first..).zip(&mut self.trees) {
            let stream = (config.seed, index as u64);
            let share = budget.share(index, count);
            let line = if const { G::KIND.has_one_player() }
                && position.kind().has_one_player()
                && config.techniques.contains(Technique::Reuse)
            {
                tree.line_from(position)
            } else {
                None
            };
            let is_advanced =
                reused.as_ref().is_some_and(|moves| tree.advance(&root, moves, stream, share, memory));
            if !is_advanced && is_ready.is_ok() {
                is_ready = tree.reset(&root, stream, share, memory);
            }
            tree.ask(position);
            tree.restrict(&controls.only);
            if const { G::KIND.has_one_player() } && is_ready.is_ok() {
                tree.set_line(line);
            }
        }
        // Trees with moves of their own would tell no mixed policy.
        let is_split = count > 1 && !has_simultaneous_moves(position);
        let choice = FinalChoice::of_split_trees(if is_split { count } else { 1 });
        let times = (start, budget.deadline(start.at));
        let mut run = SearchRun::begin(controls, config, choice, times, tally, is_ready, memory)?;
        self.has_grown = !is_restricted;
        if is_split {
            root_splitting::split_root(&mut self.trees, ranks, position, &self.guide, config.techniques);
        }
        let (mut merged, ended_early) = self.grow_in_rounds(budget, &mut run);
        if run.has_failed() {
            return Err(SearchError::OutOfMemory(memory));
        }
        self.prove_untried(&mut merged, &run);
        Ok((Report { ended_early, ..run.last_report(&self.trees, &merged) }, merged.totals))
    }

    /// Whether the trees of all these ranks have grown from the same position. A search by time that the leader solves
    /// grows the trees of the others alone.
    fn has_grown_alike(&self, ranks: Ranks) -> bool {
        let own = self.has_grown.then(|| vec![hash::of(&self.trees[0].root)]);
        let of_leader = ranks.first(own.clone().filter(|_| ranks.is_leader()), 1);
        of_leader.is_some() && ranks.agree(own == of_leader)
    }

    /// The moves from the root of the trees of these ranks to `position`, if one of them has it.
    fn moves_to(&self, position: &G, ranks: Ranks) -> Option<Vec<G::Move>> {
        // Ranks exchange moves as indices into the lists of legal moves.
        let root = self.trees[0].root;
        let mut here = None;
        for tree in &self.trees {
            if let Some(moves) = tree.moves_to(position) {
                let (mut at, mut places) = (root, Vec::new());
                for mv in moves {
                    let place = at.move_list().iter().position(|it| *it == mv);
                    places.push(place.unwrap_or(0) as u64);
                    at.apply(mv);
                }
                here = Some(places);
                break;
            }
        }
        let (mut at, mut moves) = (root, Vec::new());
        for place in ranks.first(here, position.max_plies())? {
            let mv = at.move_list()[place as usize];
            at.apply(mv);
            moves.push(mv);
        }
        Some(moves)
    }
}

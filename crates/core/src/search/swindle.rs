//! How a search chooses between moves that are proven equal and don't win.
//!
//! Against perfect play the choice makes no difference. Against anyone else the best move is the
//! one whose refutation is hard to find, and a search without proofs may tell which that is: it
//! prefers a move whose refutation it does not find itself. Chess players call a draw or a win got
//! this way a swindle.

use super::Search;
use super::config::{Budget, SearchConfig};
use super::controls::Controls;
use super::error::SearchError;
use super::ranking;
use super::report::Report;
use super::technique::{Technique, Techniques};
use super::timing::Start;
use crate::clock::Deadline;
use crate::effort::Effort;
use crate::game::{Game, MAX_SCORE};
use crate::knowledge::{Knowledge, Solved};
use crate::order::ascending;

impl<G: Game, K: Knowledge<G>> Search<G, K> {
    /// The report on `position`, some of whose moves are [solved](Knowledge::solve).
    pub(super) fn report_solved(
        &mut self,
        config: &SearchConfig,
        position: &G,
        mut moves: Vec<Solved<G::Move>>,
        budget: Budget,
        start: Start,
        controls: &Controls<'_, G::Move>,
    ) -> Result<Report<G::Move>, SearchError> {
        /// The maximum number of positions to visit for each move of the principal variation.
        const MAX_POSITIONS: u64 = 100_000;
        let first = moves[0];
        let is_equal = |it: &&Solved<G::Move>| it.outcome == first.outcome && it.plies.is_none();
        let equals = moves.iter().take_while(is_equal).count();
        let is_won = first.outcome.score(position.side_to_move()) == MAX_SCORE;
        let may_choose = equals > 1 && !is_won;
        // In the same time, some ranks may find more solutions than others.
        let found = if const { K::SWINDLE_ITERATIONS > 0 } && config.ranks.agree(may_choose) {
            let found = self.search_without_proofs(config, position, budget, start, controls)?;
            let place = |it: &Solved<G::Move>| found.candidates.iter().position(|other| other.mv == it.mv);
            let places: Vec<u64> =
                moves[..equals].iter().map(|it| place(it).map_or(0, |place| place as u64)).collect();
            let before = moves.clone();
            for (place, from) in ascending(&places).into_iter().enumerate() {
                moves[place] = before[from];
            }
            Some(found)
        } else {
            None
        };
        let clock = &config.clock;
        let Effort { positions, .. } =
            budget.effort(K::POSITIONS_PER_ITERATION, start.at, clock, controls.stop);
        let positions = positions.min(MAX_POSITIONS);
        let deadline = budget.deadline(start.at).map(|at| Deadline::new(at, clock));
        let effort = Effort { positions, deadline, stop: Some(controls.stop) };
        let report = ranking::solved(
            position,
            &moves,
            found,
            &self.guide,
            effort,
            (&controls.only, controls.variations),
        );
        let [elapsed, cpu_time] = start.elapsed(clock);
        Ok(Report { elapsed, cpu_time, ..report })
    }

    /// Searches with only the weights and rollouts of the knowledge. Nobody watches: what it finds
    /// says less than the solution.
    fn search_without_proofs(
        &mut self,
        config: &SearchConfig,
        position: &G,
        budget: Budget,
        start: Start,
        controls: &Controls<'_, G::Move>,
    ) -> Result<Report<G::Move>, SearchError> {
        const BLIND: Techniques = Techniques::NONE.with(Technique::Priors).with(Technique::Rollouts);
        let techniques = config.techniques.and_not(Techniques::ALL.and_not(BLIND));
        let config = SearchConfig { techniques, ..config.clone() };
        let budget = budget.at_most(K::SWINDLE_ITERATIONS);
        let mut unwatched = Controls { only: controls.only.clone(), ..Controls::new(controls.stop) };
        let found = self.search(&config, position, budget, (start, None), &mut unwatched);
        // A search with proofs must not reuse these trees.
        self.has_grown = false;
        found.map(|(report, _)| report)
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    use super::*;
    use crate::clock::Clock;
    use crate::game::{Outcome, Side};
    use crate::knowledge::{Prover, Selection};
    use crate::search::drawn::{Drawn, Told};

    const SHORT: Drawn = Drawn::new(4, 9);

    fn by_puct() -> SearchConfig {
        SearchConfig { selection: Some(Selection::Puct { c: 1.0 }), ..SearchConfig::default() }
    }

    /// Solves these moves, and prefers those with high numbers. It takes ten milliseconds for each position by the
    /// test's clock.
    fn knows(solved: Vec<Solved<u8>>, clock: Clock) -> Told<'static> {
        Told::default()
            .with_candidates(|_, moves| moves.extend((0..4).map(|mv| (mv, f32::from(mv) + 1.0))))
            .with_solution(move |position, _| {
                clock.advance(Duration::from_millis(10));
                (*position == SHORT).then(|| solved.clone())
            })
            .with_prover(|| Never)
    }

    #[derive(Debug)]
    struct Never;

    impl Prover<Drawn> for Never {
        fn prove(&mut self, _: &Drawn, _: Effort) -> Option<Outcome> {
            panic!("a search without proofs asks no prover");
        }
        fn forget(&mut self) {}
    }

    /// The moves of the report in order, and how often the search tried them.
    fn report(solved: &[(u8, Outcome, Option<u32>)]) -> (Report<u8>, Vec<(u8, u64)>) {
        let solved = solved.iter().map(|&(mv, outcome, plies)| Solved { mv, outcome, plies }).collect();
        let mut search = Search::new(by_puct(), knows(solved, Clock::manual())).expect("valid");
        let report = search.run(&SHORT, Budget::iterations(1_000).expect("above 0")).expect("a report");
        let moves = report.candidates.iter().map(|it| (it.mv, it.visits)).collect();
        (report, moves)
    }

    #[test]
    fn the_time_of_all_that_is_done_is_reported_and_only_the_moves_to_choose_from_are_tried() {
        let stop = AtomicBool::new(false);
        for (first, only, iterations) in [(Outcome::Draw, vec![0, 1], 1_000), (WIN, vec![0, 1], 0)] {
            let solved = |mv| Solved { mv, outcome: first, plies: None };
            let clock = Clock::manual();
            let config = SearchConfig { clock: clock.clone(), ..by_puct() };
            let knows = knows((0..3).map(solved).collect(), clock.clone());
            let mut search = Search::new(config, knows).expect("valid");
            let mut controls = Controls { only, ..Controls::new(&stop) };
            let start = clock.now();
            let budget = Budget::iterations(1_000).expect("above 0");
            let report = search.run_with(&SHORT, budget, &mut controls).expect("a report");
            assert_eq!(report.elapsed, clock.now() - start);
            // The root was solved, and then a position of the variation.
            assert!(report.elapsed >= Duration::from_millis(20), "{:?}", report.elapsed);
            assert_eq!(report.candidates.len(), 2);
            assert_eq!(report.candidates.iter().map(|it| it.visits).sum::<u64>(), iterations);
        }
    }

    const WIN: Outcome = Outcome::Win(Side::First);
    const LOSS: Outcome = Outcome::Win(Side::Second);

    #[test]
    fn of_moves_that_are_worth_the_same_the_one_that_a_blind_search_likes_comes_first() {
        for equal in [Outcome::Draw, LOSS] {
            let (report, moves) =
                report(&[(0, equal, None), (1, equal, None), (2, equal, None), (3, LOSS, Some(3))]);
            let order: Vec<u8> = moves.iter().map(|it| it.0).collect();
            assert_eq!(order, [2, 1, 0, 3]);
            assert!(moves[..3].is_sorted_by(|a, b| a.1 > b.1), "{moves:?}");
            assert_eq!(report.iterations, moves.iter().map(|it| it.1).sum::<u64>());
            assert_eq!(report.principal_variation[0], 2);
            assert_eq!(report.best().proven, Some(equal));
        }
    }

    #[test]
    fn moves_that_the_solution_leaves_open_stand_before_the_losses() {
        let (report, moves) = report(&[(0, Outcome::Draw, None), (1, Outcome::Draw, None), (3, LOSS, None)]);
        let order: Vec<u8> = moves.iter().map(|it| it.0).collect();
        assert_eq!(order, [1, 0, 2, 3]);
        assert_eq!(report.iterations, moves.iter().map(|it| it.1).sum::<u64>());
        assert!(moves[2].1 > 0 && report.candidates[2].proven.is_none(), "{moves:?}");
    }

    #[test]
    fn where_the_first_wins_or_the_plies_are_known_there_is_nothing_to_choose() {
        for solved in [
            [(0, WIN, None), (1, WIN, None), (2, LOSS, None), (3, LOSS, None)],
            [(0, LOSS, Some(8)), (1, LOSS, Some(6)), (2, LOSS, Some(4)), (3, LOSS, Some(2))],
            [(0, Outcome::Draw, None), (1, LOSS, None), (2, LOSS, None), (3, LOSS, None)],
        ] {
            let (report, moves) = report(&solved);
            assert_eq!(moves, [(0, 0), (1, 0), (2, 0), (3, 0)]);
            assert_eq!(report.iterations, 0);
        }
    }

    #[test]
    fn a_single_move_that_wins_stands_before_all_others() {
        let (report, moves) = report(&[(2, WIN, None)]);
        assert_eq!(moves, [(2, 0), (0, 0), (1, 0), (3, 0)]);
        assert_eq!(report.best().proven, Some(WIN));
        assert_eq!(report.candidates[1].proven, None);
    }

    /// Solves the start, and panics when it is asked for candidates first.
    fn panics() -> Told<'static> {
        let was_asked = AtomicBool::new(false);
        Told::default()
            .with_candidates(move |_, moves| {
                assert!(was_asked.swap(true, Ordering::Relaxed), "as it should");
                moves.extend((0..4).map(|mv| (mv, 1.0)));
            })
            .with_solution(|_, _| {
                Some((0..4).map(|mv| Solved { mv, outcome: Outcome::Draw, plies: None }).collect())
            })
    }

    #[test]
    fn after_a_panic_a_search_solves_as_before() {
        let mut search = Search::new(by_puct(), panics()).expect("valid");
        let mut run = || search.run(&SHORT, Budget::iterations(100).expect("above 0"));
        assert!(catch_unwind(AssertUnwindSafe(&mut run)).is_err());
        assert_eq!(run().expect("a report").proven, Some(Outcome::Draw));
    }
}

//! Knowledge of Gomoku: fours, VCF and VCT search, and a trained evaluation by shapes; moves are weighed by
//! shapes under `ggp`, for refined priors by a trained network, and by windows under `spec`.

mod cells;
mod evaluation;
mod features;
mod lines;
mod policy;
mod set_up;
mod threats;
mod vct;
mod windows;

use std::marker::PhantomData;

use self::evaluation::{points, points_after};
use self::lines::ShapeTable;
use self::threats::{FAILED_SLOTS, ThreatBoard};
use self::vct::VctSearch;
use crate::gomoku::{CELLS, CHOICE_STEP, Move, PICK_STEP, PLAY, ROOM};
use crate::{Gomoku, HasKnowledge, Ruleset};
use quintet_core::bits::{bits_wide, nth_bit_wide};
use quintet_core::game::{Game, Outcome, Rng};
use quintet_core::knowledge::{
    Candidates, Effort, Knowledge, Prover, Selection, SolveScope, Solved, Value, evaluate_one_by_one,
};
use quintet_core::learned::{Learned, expectation};

/// Knowledge of Gomoku.
#[derive(Debug, Clone, Copy)]
pub struct GomokuKnowledge<R: Ruleset> {
    table: &'static ShapeTable,
    rules: PhantomData<R>,
}

impl<R: Ruleset> Default for GomokuKnowledge<R> {
    fn default() -> Self {
        Self { table: ShapeTable::get(Gomoku::<R>::WINNING), rules: PhantomData }
    }
}

/// The number of fours that a VCF search may try in a new position.
const QUICK: u32 = 60;
/// The same limit for candidates and before a VCT search, and the number of positions of a VCT search for an
/// explanation.
const THOROUGH: u32 = 600;
/// The same limit for an explanation, and for the move of a VCT that has been found.
const EXPLANATORY: u32 = 10_000;
/// The maximum number of bytes for what a VCT search finds: about 260,000 positions of each color.
const VCT_MEMORY: usize = 64 << 20;

/// The distance of each cell from the edge, 0 to 5.
static INNER: [u16; CELLS] = {
    let mut table = [0; CELLS];
    const_for!(0..CELLS, |cell| {
        let [below, above] = ROOM[cell][2];
        table[cell] = if below < above { below } else { above } as u16;
    });
    table
};

/// The cells at least `least` away from the edge.
const fn inner(least: u16) -> u128 {
    let mut cells = 0;
    const_for!(0..CELLS, |cell| {
        if INNER[cell] >= least {
            cells |= 1 << cell;
        }
    });
    cells
}

impl<R: Ruleset> GomokuKnowledge<R> {
    fn board(&self, position: &Gomoku<R>) -> ThreatBoard {
        ThreatBoard::new(position, self.table)
    }

    /// The expected result of the side to move, from -1 to 1. The set-up is over, or a color may be
    /// picked.
    fn expectation(&self, position: &Gomoku<R>) -> f32 {
        if position.step == PLAY {
            return expectation(points::<R>(&self.board(position), position.color()));
        }
        // The side to move can take the better color.
        let side = position.side_to_move();
        let [black, white] = [Move::PICK_BLACK, Move::PICK_WHITE].map(|pick| {
            let next = position.after(pick);
            let value = self.expectation(&next);
            if next.side_to_move() == side { value } else { -value }
        });
        black.max(white)
    }
}

/// Appends these cells, each with the weight of a stone of the color to move there.
fn weigh<R: Ruleset>(position: &Gomoku<R>, board: &ThreatBoard, cells: u128, moves: &mut Candidates<Move>) {
    let color = position.color();
    let weights = if R::IS_GGP {
        evaluation::weights(board, color)
    } else {
        windows::weights(position.stones[color], position.stones[1 - color])
    };
    moves.extend(bits_wide(cells).map(|cell| (Move(cell), weights[usize::from(cell)])));
}

impl<R: Ruleset> HasKnowledge for Gomoku<R> {
    type Knowledge = Learned<GomokuKnowledge<R>>;
}

impl<R: Ruleset> Knowledge<Gomoku<R>> for GomokuKnowledge<R> {
    /// Chosen by matches. Under `spec`, where evaluations differ less, the weights of the moves say more.
    const SELECTION: Selection = Selection::Puct { c: if R::IS_GGP { 1.0 } else { 3.0 } };

    /// Chosen by what the moves of searches are worth to another program, and by the wins of a suite that are proven in
    /// the same time.
    const ROOT_EXPLORATION: f32 = if R::IS_GGP { 2.0 } else { 1.0 };

    /// Under `ggp`, where a visit takes longer, fewer are worth a batch.
    const LEAST_BATCH: u32 = if R::IS_GGP { 160 } else { 320 };

    /// Evaluates the shapes on the board.
    fn evaluate(&self, position: &Gomoku<R>, rng: &mut Rng) -> Value {
        let mut position = *position;
        // The early set-up continues at random near the center, until a color may be picked.
        while position.step != PLAY && position.step != CHOICE_STEP && position.step != PICK_STEP {
            let cells = position.empty() & const { inner(2) };
            let cell = nth_bit_wide(cells, rng.below(cells.count_ones() as usize));
            position.apply(Move(cell as u8));
        }
        Value::expected(position.side_to_move(), self.expectation(&position))
    }

    fn evaluate_after(
        &self,
        position: &Gomoku<R>,
        moves: &[Move],
        rng: &mut Rng,
        mut see: impl FnMut(Value),
    ) {
        let (color, board) = (position.color(), self.board(position));
        // A move that ends the game has no points.
        if position.step != PLAY || board.completing(color) != 0 || position.empty().is_power_of_two() {
            return evaluate_one_by_one(self, position, moves, rng, see);
        }
        let side = position.owner(1 - color);
        points_after::<R>(&board, color, moves, |points| see(Value::expected(side, expectation(points))));
    }

    fn reweigh(&self, position: &Gomoku<R>, moves: &mut Candidates<Move>) -> bool {
        let is_known = R::IS_GGP && position.step == PLAY;
        if is_known {
            policy::reweigh(&self.board(position), position.stones, position.color(), moves);
        }
        is_known
    }

    /// Keeps only the moves that complete a line, else those that stop one. If several are left and
    /// none completes a line, keeps only the first stone of a VCF, or else the refutations of the
    /// VCF that the other color would have if it were to move: any other move loses to it. All of
    /// this is sound. The weights are heuristic.
    fn candidates(&self, position: &Gomoku<R>, moves: &mut Candidates<Move>) {
        if position.step != PLAY {
            return set_up::candidates(position, moves);
        }
        let mut keep = position.empty();
        let color = position.color();
        let other = 1 - color;
        let mut board = self.board(position);
        let [own, others] = [board.completing(color), board.completing(other)];
        if own != 0 {
            keep = own;
        } else if others != 0 {
            keep = others;
        }
        if keep.count_ones() > 1 && own == 0 {
            if let Some(win) = board.small_vcf(color, THOROUGH) {
                keep = 1 << win.first;
            } else if let Some(win) = board.small_vcf(other, THOROUGH)
                && win.refutations & keep != 0
            {
                keep &= win.refutations;
            }
        }
        if keep.is_power_of_two() {
            moves.push((Move(keep.trailing_zeros() as u8), 1.0));
            return;
        }
        weigh::<R>(position, &board, keep, moves);
    }

    fn all_moves(&self, position: &Gomoku<R>, moves: &mut Candidates<Move>) {
        if position.step != PLAY {
            return set_up::candidates(position, moves);
        }
        weigh::<R>(position, &self.board(position), position.empty(), moves);
    }

    /// Proves a win if the color to move has a VCF. Proves a loss if the other color threatens to
    /// complete a line on two cells, or on one and has a VCF after it is stopped.
    fn prove(&self, position: &Gomoku<R>) -> Option<Outcome> {
        if position.step != PLAY {
            return None;
        }
        let color = position.color();
        let other = 1 - color;
        let mut board = self.board(position);
        if board.small_vcf(color, QUICK).is_some() {
            return Some(Outcome::Win(position.owner(color)));
        }
        let must_stop = board.completing(other);
        let is_lost = match must_stop.count_ones() {
            0 => false,
            1 => {
                board.place(color, must_stop.trailing_zeros() as usize);
                board.small_vcf(other, QUICK).is_some()
            }
            _ => true,
        };
        is_lost.then(|| Outcome::Win(position.owner(other)))
    }

    /// Chosen by the wins of a suite that are proven in the same time.
    fn refined_at(&self, position: &Gomoku<R>) -> Option<u32> {
        (R::IS_GGP && position.step == PLAY).then_some(32)
    }

    /// Looks for a VCT, which the search would take long to find, in up to half of the effort's time. The
    /// search finds a VCF by itself.
    fn solve(&self, position: &Gomoku<R>, _: SolveScope, effort: Effort) -> Option<Vec<Solved<Move>>> {
        if position.step != PLAY || self.board(position).small_vcf(position.color(), THOROUGH).is_some() {
            return None;
        }
        let side = position.side_to_move();
        let mut search = VctSearch::new(self.table, VCT_MEMORY);
        if !search.wins.proves_win(position, side, effort.in_half_the_time()) {
            return None;
        }
        let mv = search.first(position)?;
        Some(vec![Solved { mv, outcome: Outcome::Win(side), plies: None }])
    }

    /// Looks for VCTs.
    fn prover(&self, memory: usize) -> Option<Box<dyn Prover<Gomoku<R>>>> {
        (memory >= VctSearch::<R>::MIN_MEMORY)
            .then(|| Box::new(VctSearch::new(self.table, memory.min(VCT_MEMORY))) as Box<dyn Prover<_>>)
    }

    fn explain(&self, position: &Gomoku<R>, mv: Move) -> Option<String> {
        let cell = usize::from(mv.0);
        if position.step != PLAY || cell >= CELLS {
            return None;
        }
        let color = position.color();
        let other = 1 - color;
        let mut board = self.board(position);
        if board.completing(color) >> cell & 1 == 1 {
            return Some("completes a line".into());
        }
        let lines = board.completing(other);
        let blocks = lines >> cell & 1 == 1;
        if lines & !(1 << cell) != 0 {
            return Some("lets the opponent complete a line".into());
        }
        let mut facts = Vec::new();
        if blocks {
            facts.push("blocks a line".to_owned());
        }
        board.place(color, cell);
        let completing = board.completing(color);
        match completing.count_ones() {
            0 => {
                let next = position.after(mv);
                let effort = Effort::positions(THOROUGH.into());
                if VctSearch::new(self.table, VCT_MEMORY).wins.proves_win(
                    &next,
                    position.side_to_move(),
                    effort,
                ) {
                    facts.push("wins by forcing moves".to_owned());
                }
                if board.vcf(other, EXPLANATORY, &mut vec![0; FAILED_SLOTS]).is_some() {
                    facts.push("lets the opponent win by line threats".to_owned());
                }
            }
            1 => {
                let reply = completing.trailing_zeros() as u8;
                facts.push(format!("threatens a line at {}", Move(reply)));
                board.place(other, usize::from(reply));
                if let Some(win) = board.vcf(color, EXPLANATORY, &mut vec![0; FAILED_SLOTS]) {
                    let plies = 2 * win.stones + 1;
                    facts.push(format!("wins by line threats in at most {plies} plies"));
                }
            }
            _ => facts.push("makes two line threats at once".to_owned()),
        }
        if facts.is_empty() { None } else { Some(facts.join(", ")) }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use quintet_core::clock::{Clock, Deadline};

    use super::threats::ThreatSequence;
    use super::*;
    use crate::gomoku::BLACK;
    use crate::{Ggp, Spec};
    use quintet_core::game::Side;

    /// A position past its set-up and without a line, in which all but `empty` cells are taken at
    /// random, near the center first if `is_dense`.
    fn random_position<R: Ruleset>(empty: u32, is_dense: bool, rng: &mut Rng) -> Option<Gomoku<R>> {
        let mut position = Gomoku::<R>::without_setup();
        for _ in 0..2_000 {
            if position.empty().count_ones() == empty {
                return Some(position);
            }
            let near = position.empty() & const { inner(2) };
            let cells = if is_dense && near != 0 { near } else { position.empty() };
            let cell = nth_bit_wide(cells, rng.below(cells.count_ones() as usize));
            let next = position.after(Move(cell as u8));
            if next.outcome().is_none() {
                position = next;
            }
        }
        None
    }

    /// The half points of the side to move under perfect play, by brute force.
    fn solve<R: Ruleset>(position: &Gomoku<R>) -> u8 {
        let side = position.side_to_move();
        if let Some(outcome) = position.outcome() {
            return outcome.score(side) / 50;
        }
        let mut best = 0;
        for cell in bits_wide(position.empty()) {
            let next = position.after(Move(cell));
            best = best.max(if next.outcome().is_some() { value(&next, side) } else { 2 - solve(&next) });
            if best == 2 {
                break;
            }
        }
        best
    }

    fn value<R: Ruleset>(position: &Gomoku<R>, side: Side) -> u8 {
        position.outcome().map_or(1, |outcome| outcome.score(side) / 50)
    }

    fn proofs_and_pruning_agree_with_brute_force<R: Ruleset>() {
        let knowledge = GomokuKnowledge::<R>::default();
        let mut rng = Rng::stream(41, 0);
        let (mut proven, mut by_threats, mut pruned) = ([0; 3], [0; 2], 0);
        for round in 0..1_500 {
            let Some(position) = random_position::<R>(3 + round % 5, false, &mut rng) else { continue };
            let exact = solve(&position);
            if let Some(outcome) = knowledge.prove(&position) {
                let claimed = outcome.score(position.side_to_move()) / 50;
                assert_eq!(claimed, exact, "{position}");
                proven[usize::from(claimed)] += 1;
            }
            let side = position.side_to_move();
            let mut search = VctSearch::new(knowledge.table, 1 << 20);
            let wins = search.wins.proves_win(&position, side, Effort::positions(2_000));
            let loses = search.wins.proves_win(&position, side.opponent(), Effort::positions(2_000));
            assert!(!wins || exact == 2, "{position}");
            assert!(!loses || exact == 0, "{position}");
            by_threats[0] += usize::from(loses);
            by_threats[1] += usize::from(wins);
            // As a prover it splits its effort.
            let outcome = VctSearch::new(knowledge.table, 1 << 20).prove(&position, Effort::positions(4_000));
            let expected = match [wins, loses] {
                [false, false] => None,
                [true, _] => Some(Outcome::Win(side)),
                [_, true] => Some(Outcome::Win(side.opponent())),
            };
            assert_eq!(outcome, expected, "{position}");
            let mut moves = Candidates::new();
            knowledge.candidates(&position, &mut moves);
            assert!(moves.iter().all(|(mv, weight)| position.play(*mv).is_ok() && *weight > 0.0));
            let after = |mv: Move| {
                let next = position.after(mv);
                if next.outcome().is_some() {
                    value(&next, position.side_to_move())
                } else {
                    2 - solve(&next)
                }
            };
            let kept = moves.iter().map(|(mv, _)| after(*mv)).max().expect("a move is kept");
            assert_eq!(kept, exact, "{position} {moves:?}");
            pruned += usize::from(moves.len() < position.move_count());
        }
        assert!(proven[0] > 20 && proven[2] > 100 && pruned > 200, "{proven:?} {pruned}");
        assert!(by_threats[0] > 20 && by_threats[1] > 100, "{by_threats:?}");
    }

    fn values_after_moves_are_those_of_the_positions<R: Ruleset>() {
        let (knowledge, mut rng) = (GomokuKnowledge::<R>::default(), Rng::stream(46, 0));
        let almost_full =
            (0..100).find_map(|_| random_position::<R>(1, false, &mut rng)).expect("there is one");
        for mut position in [Gomoku::initial(), Gomoku::without_setup(), almost_full] {
            while position.outcome().is_none() {
                let (moves, mut expected, mut found) = (position.move_list(), Vec::new(), Vec::new());
                // The early set-up continues at random.
                let mut rngs = [0; 2].map(|seed| Rng::stream(seed, 0));
                evaluate_one_by_one(&knowledge, &position, &moves, &mut rngs[0], |it| expected.push(it));
                knowledge.evaluate_after(&position, &moves, &mut rngs[1], |it| found.push(it));
                assert_eq!(found, expected, "{position}");
                position.apply(position.random_move(&mut rng));
            }
        }
    }

    #[test]
    fn values_after_moves_are_those_of_the_positions_in_both_rulesets() {
        values_after_moves_are_those_of_the_positions::<Spec>();
        values_after_moves_are_those_of_the_positions::<Ggp>();
    }

    #[test]
    fn proofs_and_pruning_agree_with_brute_force_under_spec() {
        proofs_and_pruning_agree_with_brute_force::<Spec>();
    }

    #[test]
    fn proofs_and_pruning_agree_with_brute_force_under_ggp() {
        proofs_and_pruning_agree_with_brute_force::<Ggp>();
    }

    /// A VCF of any length.
    fn vcf(board: &mut ThreatBoard, color: usize) -> Option<ThreatSequence> {
        board.vcf(color, u32::MAX, &mut vec![0; FAILED_SLOTS])
    }

    /// Whether the color to move wins against all replies with the first stone of a VCF in each
    /// turn.
    fn vcf_wins_against_all<R: Ruleset>(position: &Gomoku<R>, table: &'static ShapeTable) -> bool {
        let color = position.color();
        let Some(win) = vcf(&mut ThreatBoard::new(position, table), color) else {
            return false;
        };
        let next = position.after(Move(win.first));
        if next.outcome().is_some() {
            return next.outcome() == Some(Outcome::Win(position.owner(color)));
        }
        bits_wide(next.empty()).all(|cell| {
            let reply = next.after(Move(cell));
            reply.outcome().is_none() && vcf_wins_against_all(&reply, table)
        })
    }

    fn vcfs_are_wins<R: Ruleset>(stones: u32) {
        let table = ShapeTable::get(Gomoku::<R>::WINNING);
        let mut rng = Rng::stream(42, 0);
        let (mut found, mut quick, mut long, mut kept) = (0, 0, 0, 0);
        for _ in 0..1_000 {
            let Some(position) = random_position::<R>(CELLS as u32 - stones, true, &mut rng) else {
                continue;
            };
            let color = position.color();
            let mut board = ThreatBoard::new(&position, table);
            let quickly = board.small_vcf(color, 2_000);
            let Some(win) = board.vcf(color, 2_000, &mut vec![0; FAILED_SLOTS]) else {
                // With as many fours the quick search gets deeper.
                assert!(quickly.is_none() || vcf(&mut board, color).is_some(), "{position}");
                continue;
            };
            (found, quick) = (found + 1, quick + u32::from(quickly.is_some()));
            long += u32::from(win.stones > 2);
            assert!(vcf_wins_against_all(&position, table), "{position}");
            // A search that is given up leaves nothing behind that hides the VCF.
            let mut failed = vec![0; FAILED_SLOTS];
            let mut slices = (1..20).map(|budget| board.vcf(color, budget, &mut failed));
            let first = slices.find(Option::is_some);
            let again = first.flatten().or_else(|| board.vcf(color, 2_000, &mut failed));
            assert!(again.is_some(), "{position}");
            // A stone of the other color that is not a refutation leaves a VCF.
            for cell in bits_wide(position.empty() & !win.refutations) {
                let before = board.place(1 - color, usize::from(cell));
                let still = vcf(&mut board, color);
                assert!(still.is_some(), "{position} {}", Move(cell));
                board.take_back(1 - color, usize::from(cell), before);
                kept += 1;
            }
        }
        assert!(long > 8 && kept > 500, "{long} {kept}");
        // Nearly all are found by useful fours.
        assert!(quick > found - found / 20, "{quick} of {found}");
    }

    #[test]
    fn a_vcf_wins_and_only_refutations_stop_it_under_spec() {
        vcfs_are_wins::<Spec>(40);
    }

    #[test]
    fn a_vcf_wins_and_only_refutations_stop_it_under_ggp() {
        vcfs_are_wins::<Ggp>(24);
    }

    /// Whether the color to move wins against all replies with the first stone of a VCT in each turn.
    fn vct_wins_against_all<R: Ruleset>(position: &Gomoku<R>, table: &'static ShapeTable) -> bool {
        let color = position.color();
        let mut board = ThreatBoard::new(position, table);
        if vcf(&mut board, color).is_some() {
            return true;
        }
        let mut search = VctSearch::new(table, 1 << 24);
        if !search.wins.proves_win(position, position.side_to_move(), Effort::positions(50_000)) {
            return false;
        }
        let next = position.after(search.first(position).expect("it is known"));
        next.outcome().is_none()
            && bits_wide(next.empty()).all(|cell| {
                let reply = next.after(Move(cell));
                reply.outcome().is_none() && vct_wins_against_all(&reply, table)
            })
    }

    fn vcts_are_wins<R: Ruleset>(stones: u32, rounds: u32) {
        let table = ShapeTable::get(Gomoku::<R>::WINNING);
        let mut rng = Rng::stream(45, 0);
        let mut found = 0;
        for _ in 0..rounds {
            let Some(position) = random_position::<R>(CELLS as u32 - stones, true, &mut rng) else {
                continue;
            };
            let color = position.color();
            let mut board = ThreatBoard::new(&position, table);
            let mut search = VctSearch::new(table, 1 << 20);
            if vcf(&mut board, color).is_some()
                || !search.wins.proves_win(&position, position.side_to_move(), Effort::positions(200))
            {
                continue;
            }
            assert!(vct_wins_against_all(&position, table), "{position}");
            found += 1;
        }
        assert!(found > 20, "{found}");
    }

    #[test]
    fn a_vct_wins_under_spec() {
        vcts_are_wins::<Spec>(36, 10_000);
    }

    #[test]
    fn a_vct_wins_under_ggp() {
        vcts_are_wins::<Ggp>(20, 600);
    }

    #[test]
    fn two_threes_at_once_win_unless_the_other_color_can_answer_with_a_four() {
        let table = ShapeTable::get(Gomoku::<Ggp>::WINNING);
        let win = |text: &str| {
            let position: Gomoku<Ggp> = text.parse().expect("valid");
            let mut board = ThreatBoard::new(&position, table);
            assert_eq!(vcf(&mut board, BLACK), None);
            let mut search = VctSearch::new(table, 1 << 20);
            let wins = search.wins.proves_win(&position, position.side_to_move(), Effort::positions(10_000));
            wins.then(|| search.first(&position).expect("it is known").to_string())
        };
        let fork = "w9w/11/11/11/11/5bb4/4b6/4b6/11/11/w9w b 1 -";
        assert_eq!(win(fork).as_deref(), Some("e6"));
        let position: Gomoku<Ggp> = fork.parse().expect("valid");
        let e6 = Move::place(4, 5);
        let mut board = ThreatBoard::new(&position, table);
        assert_eq!(board.open_fours(BLACK), 0);
        board.place(BLACK, usize::from(e6.0));
        assert_eq!(board.open_fours(BLACK), 2);
        let knowledge = GomokuKnowledge::default();
        let solved = knowledge.solve(&position, SolveScope::Best, Effort::positions(10_000));
        assert_eq!(solved.expect("a win")[0].mv, e6);
        assert_eq!(knowledge.explain(&position, e6).as_deref(), Some("wins by forcing moves"));
        assert_eq!(win("11/2www6/11/11/11/5bb4/4b6/4b6/11/11/w10 b 1 -"), None);
    }

    /// A win in 29 plies: the VCT takes nearly 3,000 positions.
    const LONG: &str = "11/11/11/5bbw3/3bwb5/2wwbw5/2wwbwbw3/1b2bwb1b2/w5w4/5b5/11 w 2 -";

    #[test]
    fn a_vct_search_keeps_to_its_effort() {
        let position: Gomoku<Ggp> = LONG.parse().expect("valid");
        let knowledge = GomokuKnowledge::<Ggp>::default();
        let clock = Clock::manual();
        let deadline = Some(Deadline::new(clock.now(), &clock));
        let stop = AtomicBool::new(true);
        for effort in [
            Effort::positions(1_000),
            Effort { deadline, ..Effort::UNLIMITED },
            Effort { stop: Some(&stop), ..Effort::UNLIMITED },
        ] {
            assert_eq!(knowledge.solve(&position, SolveScope::Best, effort), None);
        }
    }

    /// From games that were lost to a stronger program, which announced a win in so many plies.
    #[test]
    fn long_vcts_are_found_within_their_effort() {
        let knowledge = GomokuKnowledge::<Ggp>::default();
        for (text, plies, positions) in [
            ("11/11/11/5w1b3/3wb6/3w1w1b3/11/5b5/11/11/11 w 2 -", 17, 2_000),
            ("11/11/2wb1b5/4ww1b3/4bww4/4bwbb3/2bw1w5/4wb1b3/3w7/2w8/1b9 w 2 -", 13, 4_000),
            ("11/11/11/5b1b3/7wb2/11/5ww4/11/5w1b3/11/11 w 2 -", 25, 40_000),
            (LONG, 29, 6_000),
        ] {
            let position: Gomoku<Ggp> = text.parse().expect("valid");
            let solved = knowledge.solve(&position, SolveScope::Best, Effort::positions(positions));
            let win = Outcome::Win(position.side_to_move());
            assert_eq!(solved.map(|moves| moves[0].outcome), Some(win), "{plies} plies: {text}");
        }
    }

    #[test]
    fn a_vct_search_goes_on_where_its_effort_ended() {
        let position: Gomoku<Ggp> =
            "11/11/11/5w1b3/3wb6/3w1w1b3/11/5b5/11/11/11 w 2 -".parse().expect("valid");
        let (table, side) = (ShapeTable::get(Gomoku::<Ggp>::WINNING), position.side_to_move());
        let mut search = VctSearch::new(table, 1 << 24);
        let slices = (1..200).find(|_| search.wins.proves_win(&position, side, Effort::positions(64)));
        assert!(slices.is_some_and(|it| it > 5), "{slices:?}");
        search.forget();
        assert!(!search.wins.proves_win(&position, side, Effort::positions(64)));
    }

    #[test]
    fn what_a_fork_of_a_vct_search_has_found_is_known_to_all_once_it_is_shared() {
        let position: Gomoku<Ggp> =
            "11/11/11/5w1b3/3wb6/3w1w1b3/11/5b5/11/11/11 w 2 -".parse().expect("valid");
        let winner = Some(Outcome::Win(position.side_to_move()));
        let mut search = VctSearch::new(ShapeTable::get(Gomoku::<Ggp>::WINNING), VCT_MEMORY);
        let mut forks = [search.fork(), search.fork()].map(|fork| fork.expect("there is memory"));
        assert_eq!(forks[0].prove(&position, Effort::positions(40_000)), winner);
        let few = Effort::positions(4);
        assert_eq!([search.prove(&position, few), forks[1].prove(&position, few)], [None; 2]);
        for fork in &mut forks {
            fork.share();
        }
        assert_eq!([search.prove(&position, few), forks[1].prove(&position, few)], [winner; 2]);
        assert!(search.winning_move(&position).is_some() && forks[1].winning_move(&position).is_some());
        // With little memory there are none.
        let mut small =
            VctSearch::<Ggp>::new(ShapeTable::get(Gomoku::<Ggp>::WINNING), VctSearch::<Ggp>::MIN_MEMORY);
        assert!(small.fork().is_none());
    }

    #[test]
    fn seven_in_a_row_is_neither_a_line_nor_a_threat() {
        let knowledge = GomokuKnowledge::<Spec>::default();
        // Black has five in a row and a sixth stone beyond a gap: filling the gap makes seven.
        let position: Gomoku<Spec> =
            "11/11/11/11/11/wbbbbb1b3/11/11/11/wwwww6/11 b 1 -".parse().expect("valid");
        assert_eq!(knowledge.board(&position).completing(0), 0);
        assert_eq!(
            knowledge.explain(&position, Move::place(6, 5)).as_deref(),
            Some("lets the opponent complete a line")
        );
    }
}

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
            if next.outcome().is_some() { value(&next, position.side_to_move()) } else { 2 - solve(&next) }
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
    let almost_full = (0..100).find_map(|_| random_position::<R>(1, false, &mut rng)).expect("there is one");
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

fn vcts_that_go_on_with_another_stone_are_wins<R: Ruleset>(stones: u32, rounds: u32) {
    let table = ShapeTable::get(Gomoku::<R>::WINNING);
    let mut rng = Rng::stream(47, 0);
    let (mut found, mut stopped) = (0, 0);
    for _ in 0..rounds {
        let Some(position) = random_position::<R>(CELLS as u32 - stones, true, &mut rng) else {
            continue;
        };
        let mut search = VctSearch::new(table, 1 << 20);
        let side = position.side_to_move();
        if vcf(&mut ThreatBoard::new(&position, table), position.color()).is_some()
            || !search.wins.proves_win(&position, side, Effort::positions(200))
        {
            continue;
        }
        // The other side answers before it is threatened.
        for cell in bits_wide(position.empty()) {
            let reply = position.passed().after(Move(cell));
            if reply.outcome().is_some() || !search.wins_with_another_stone(&reply) {
                stopped += 1;
            } else if rng.below(16) == 0 {
                assert!(vct_wins_against_all(&reply, table), "{position} {}", Move(cell));
                assert!(search.first(&reply).is_some(), "{position} {}", Move(cell));
                found += 1;
            }
        }
    }
    assert!(found > 50 && stopped > 50, "{found} {stopped}");
}

#[test]
fn a_vct_that_goes_on_with_another_stone_is_a_win_under_spec() {
    vcts_that_go_on_with_another_stone_are_wins::<Spec>(36, 4_000);
}

#[test]
fn a_vct_that_goes_on_with_another_stone_is_a_win_under_ggp() {
    vcts_that_go_on_with_another_stone_are_wins::<Ggp>(20, 400);
}

#[test]
fn a_prover_refutes_most_replies_to_a_threatened_vct_at_once() {
    let winner =
        |search: &mut VctSearch<Ggp>, position: &Gomoku<Ggp>| search.prove(position, Effort::positions(2));
    let position: Gomoku<Ggp> = "w9w/11/11/11/11/5bb4/4b6/4b6/11/11/w9w b 1 -".parse().expect("valid");
    let (threatened, side) = (position.passed(), position.side_to_move());
    let mut search = VctSearch::new(ShapeTable::get(Gomoku::<Ggp>::WINNING), VCT_MEMORY);
    let refuted = |search: &mut VctSearch<Ggp>| {
        let replies = bits_wide(threatened.empty()).map(|cell| threatened.after(Move(cell)));
        replies.filter(|reply| winner(search, reply) == Some(Outcome::Win(side))).count()
    };
    assert_eq!(refuted(&mut search), 0);
    assert_eq!(search.prove(&threatened, Effort::positions(4_000)), None);
    assert!(refuted(&mut search) > 60, "{}", refuted(&mut search));
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
    let position: Gomoku<Ggp> = "11/11/11/5w1b3/3wb6/3w1w1b3/11/5b5/11/11/11 w 2 -".parse().expect("valid");
    let (table, side) = (ShapeTable::get(Gomoku::<Ggp>::WINNING), position.side_to_move());
    let mut search = VctSearch::new(table, 1 << 24);
    let slices = (1..200).find(|_| search.wins.proves_win(&position, side, Effort::positions(64)));
    assert!(slices.is_some_and(|it| it > 5), "{slices:?}");
    search.forget();
    assert!(!search.wins.proves_win(&position, side, Effort::positions(64)));
}

#[test]
fn what_a_fork_of_a_vct_search_has_found_is_known_to_all_once_it_is_shared() {
    let position: Gomoku<Ggp> = "11/11/11/5w1b3/3wb6/3w1w1b3/11/5b5/11/11/11 w 2 -".parse().expect("valid");
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
    let position: Gomoku<Spec> = "11/11/11/11/11/wbbbbb1b3/11/11/11/wwwww6/11 b 1 -".parse().expect("valid");
    assert_eq!(knowledge.board(&position).completing(0), 0);
    assert_eq!(
        knowledge.explain(&position, Move::place(6, 5)).as_deref(),
        Some("lets the opponent complete a line")
    );
}

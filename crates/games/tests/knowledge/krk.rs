//! Checks the tables against a full search by the rules, from every placement at every step.

use std::collections::{BTreeMap, HashMap};

use quintet_core::game::{Game, Outcome, Side};
use quintet_core::knowledge::{Effort, Knowledge, SolveScope};
use quintet_games::krk::Move;
use quintet_games::krk::knowledge::{
    RatedMove, TableValue, Tablebase, mate_in, placements, rated_moves, value,
};
use quintet_games::{Ggp, Krk, Ruleset, Spec};

use crate::after;
use crate::samples::moves_of;

/// The outcome of a game and the plies to it.
type End = (Outcome, u32);

/// The step at which the game ends.
const fn last_step<R: Ruleset>() -> u8 {
    if R::IS_GGP { 10 } else { 11 }
}

/// The placement and the step of a position.
fn parts<R: Ruleset>(position: &Krk<R>) -> (String, u8) {
    let text = position.to_string();
    let (placement, step) = text.rsplit_once(' ').expect("the step comes last");
    (placement.to_owned(), step.parse().expect("a number"))
}

/// The same placement at another step.
fn at_step<R: Ruleset>(position: &Krk<R>, step: u8) -> Krk<R> {
    let (placement, _) = parts(position);
    format!("{placement} {step}").parse().expect("a placement at another step")
}

/// All positions at every step, last step first.
fn positions<R: Ruleset>() -> Vec<Krk<R>> {
    assert!(placements::<R>().all(|position| parts(&position).1 == 1));
    let all_at = |step: u8| placements::<R>().map(move |position| at_step(&position, step));
    (1..=last_step::<R>()).rev().flat_map(all_at).collect()
}

/// The end of the game from every position, if `choose` picks one of the ends that the moves lead
/// to.
///
/// `moves` returns the moves that may be played.
fn play_out<R: Ruleset>(
    moves: impl Fn(&Krk<R>) -> Vec<Move>,
    choose: impl Fn(&Krk<R>, Vec<End>) -> End,
) -> HashMap<Krk<R>, End> {
    let mut ends = HashMap::new();
    for position in positions::<R>() {
        let end_after = |mv| {
            let (outcome, plies) = ends[&after(&position, mv)];
            (outcome, plies + 1)
        };
        let end = position.outcome().map_or_else(
            || choose(&position, moves(&position).into_iter().map(end_after).collect()),
            |outcome| (outcome, 0),
        );
        ends.insert(position, end);
    }
    ends
}

/// The best end for `side`: wins before losses, quick wins and long losses first.
fn best_for(side: Side, ends: Vec<End>) -> End {
    let preference = |&(outcome, plies): &End| {
        let plies = i64::from(plies);
        if outcome == Outcome::Win(side) { (1, -plies) } else { (0, plies) }
    };
    ends.into_iter().max_by_key(preference).expect("there are moves until the game is over")
}

fn tables_agree_with_full_search<R: Ruleset>() {
    let ends =
        play_out::<R>(|it| moves_of(it).to_vec(), |position, ends| best_for(position.side_to_move(), ends));
    assert_eq!(ends.len(), 2 * 2_184 * usize::from(last_step::<R>()));
    for (position, &(outcome, plies)) in &ends {
        assert_eq!(value(position), TableValue { outcome, plies }, "{position}");
        assert_eq!(Tablebase.prove(position), Some(outcome), "{position}");
        let rated = rated_moves(position);
        assert_eq!(rated.len(), position.move_count(), "{position}");
        for &RatedMove { mv, value, mate_in: mate } in &rated {
            let next = after(position, mv);
            let (outcome, plies) = ends[&next];
            assert_eq!(value, TableValue { outcome, plies: plies + 1 }, "{position} {mv}");
            assert_eq!(mate, mate_in(&next).map(|plies| plies + 1), "{position} {mv}");
        }
        let best: Vec<Move> =
            rated.iter().take_while(|it| it.value == rated[0].value).map(|it| it.mv).collect();
        let keeps = |&mv: &Move| ends[&after(position, mv)] == (outcome, plies.wrapping_sub(1));
        assert!(best.iter().all(keeps), "{position}");
        assert_eq!(best.len(), moves_of(position).iter().filter(|mv| keeps(mv)).count(), "{position}");
    }
}

#[test]
fn tables_agree_with_full_search_spec() {
    tables_agree_with_full_search::<Spec>();
}

#[test]
fn tables_agree_with_full_search_ggp() {
    tables_agree_with_full_search::<Ggp>();
}

/// One side plays the first move of `solve`, the other the reply that is worst for that side.
fn the_first_move_holds_the_value_against_every_reply<R: Ruleset>() {
    const EFFORT: Effort = Effort { positions: 0, deadline: None, stop: None };
    for side in [Side::First, Side::Second] {
        let moves = |position: &Krk<R>| {
            let solved = Tablebase.solve(position, SolveScope::All, EFFORT).expect("it always answers");
            if position.side_to_move() == side {
                vec![solved[0].mv]
            } else {
                solved.iter().map(|it| it.mv).collect()
            }
        };
        let worst = |_: &Krk<R>, ends| best_for(side.opponent(), ends);
        for (position, (outcome, plies)) in play_out(moves, worst) {
            assert_eq!(value(&position), TableValue { outcome, plies }, "{side:?} at {position}");
        }
    }
}

#[test]
fn the_first_move_holds_the_value_against_every_reply_spec() {
    the_first_move_holds_the_value_against_every_reply::<Spec>();
}

#[test]
fn the_first_move_holds_the_value_against_every_reply_ggp() {
    the_first_move_holds_the_value_against_every_reply::<Ggp>();
}

fn solved_moves_come_best_first<R: Ruleset>() {
    for position in positions::<R>() {
        let side = position.side_to_move();
        let solved = Tablebase
            .solve(&position, SolveScope::All, Effort { positions: 0, deadline: None, stop: None })
            .expect("it answers");
        let mut moves: Vec<Move> = solved.iter().map(|it| it.mv).collect();
        moves.sort_by_key(|mv| (mv.from(), mv.to()));
        let mut legal = moves_of(&position).to_vec();
        legal.sort_by_key(|mv| (mv.from(), mv.to()));
        assert_eq!(moves, legal, "{position}");
        for pair in solved.windows(2) {
            let [first, second] = [&pair[0], &pair[1]]
                .map(|it| (it.outcome, it.plies.expect("the table knows the plies of every move")));
            assert_eq!(best_for(side, vec![second, first]), first, "{position}");
        }
    }
}

#[test]
fn solved_moves_come_best_first_in_both_rulesets() {
    solved_moves_come_best_first::<Spec>();
    solved_moves_come_best_first::<Ggp>();
}

/// Counts made by another program.
fn check_known_counts<R: Ruleset>() {
    let of_side = |side| move |position: &Krk<R>| position.side_to_move() == side;
    for side in [Side::First, Side::Second] {
        assert_eq!(placements().filter(of_side(side)).count(), 2_184);
    }
    let mut quiet = BTreeMap::new();
    for position in placements::<R>().filter(|it| of_side(Side::First)(it) && !it.black_king_is_attacked()) {
        let mate = mate_in(&position);
        *quiet.entry(mate).or_insert(0) += 1;
        let is_stuck = position.outcome() == Some(Outcome::Win(Side::Second));
        assert_eq!(mate.is_none(), is_stuck, "{position}");
    }
    let known = [(1, 120), (3, 428), (5, 320), (7, 236), (9, 128)].map(|(plies, count)| (Some(plies), count));
    assert_eq!(quiet, known.into_iter().chain([(None, 80)]).collect());
    let black: Vec<u32> =
        placements::<R>().filter(of_side(Side::Second)).filter_map(|it| mate_in(&it)).collect();
    assert_eq!(black.iter().max(), Some(&10));
    assert!(black.iter().all(|plies| plies % 2 == 0));
}

#[test]
fn known_counts_match_in_both_rulesets() {
    check_known_counts::<Spec>();
    check_known_counts::<Ggp>();
}

fn first_moves<R: Ruleset>() {
    let rated = rated_moves(&Krk::<R>::initial());
    assert!(rated.iter().all(|it| it.value.outcome == Outcome::Win(Side::First)));
    let plies: BTreeMap<String, u32> = rated.iter().map(|it| (it.mv.to_string(), it.value.plies)).collect();
    let nine = ["Kc1-b1", "Kc1-d2", "Rd1-d2", "Rd1-d4"].map(|token| (token.to_owned(), 9));
    let others =
        [("Kc1-b2", 3), ("Kc1-c2", 5), ("Rd1-d3", 7)].map(|(token, plies)| (token.to_owned(), plies));
    assert_eq!(plies, nine.into_iter().chain(others).collect());
    assert_eq!(rated[0].mv.to_string(), "Kc1-b2");
}

#[test]
fn all_first_moves_win_in_both_rulesets() {
    first_moves::<Spec>();
    first_moves::<Ggp>();
}

fn why<R: Ruleset>(position: &str, mv: &str) -> String {
    let position: Krk<R> = position.parse().expect("a position");
    Tablebase.explain(&position, position.parse_move(mv).expect("a move")).expect("it always knows")
}

#[test]
fn reasons_say_what_the_table_knows() {
    for (position, mv, reason) in [
        ("k3/4/4/2KR w 1", "Kc1-b2", "mate in 2 moves"),
        ("k3/4/4/2KR w 9", "Kc1-b2", "mate takes 2 moves, more than the 1 left"),
        ("k3/4/1K2/3R b 2", "ka4-b4", "mated in 1 move"),
        ("1k2/4/1K2/3R w 3", "Rd1-d4", "checkmate"),
        ("k3/4/1K2/3R b 10", "ka4-b4", "holds out until the moves run out"),
    ] {
        assert_eq!(why::<Spec>(position, mv), reason, "{position} {mv}");
    }
    assert_eq!(why::<Ggp>("k3/4/1K2/3R b 9", "ka4-b4"), "holds out until the moves run out");
}

/// Checks every reason at every position against the value and the plies to mate. Reasons count white's moves.
fn reasons_are_true<R: Ruleset>() {
    let mut kinds: BTreeMap<String, u32> = BTreeMap::new();
    for position in positions::<R>() {
        for RatedMove { mv, value, mate_in } in rated_moves(&position) {
            let why = Tablebase.explain(&position, mv).expect("the move is legal");
            let next = after(&position, mv);
            let wins = value.outcome == Outcome::Win(Side::First);
            let moves = |moves: &str| moves.parse::<u32>().expect("a number of moves");
            let is_true = match &why.split(' ').collect::<Vec<_>>()[..] {
                ["checkmate"] => next.outcome() == Some(Outcome::Win(Side::First)),
                ["mate" | "mated", "in", count, "move" | "moves"] => {
                    wins && moves(count) == value.plies.div_ceil(2)
                }
                ["mate", "takes", count, "move," | "moves,", .., left, "left"] => {
                    let takes = mate_in.expect("it can be forced").div_ceil(2);
                    !wins
                        && moves(count) == takes
                        && takes > moves(left)
                        && value.plies.div_ceil(2) <= moves(left)
                }
                ["holds", ..] => !wins && value.plies == u32::from(last_step::<R>() - parts(&position).1),
                // The game is over at another step too, so not because of the limit.
                ["black", "is", "stuck,", ..] => {
                    let elsewhere = at_step(&next, 1);
                    elsewhere.outcome() == Some(Outcome::Win(Side::Second)) && value.plies == 1
                }
                ["black", "escapes", ..] => !wins && mate_in.is_none(),
                _ => false,
            };
            assert!(is_true, "{position} {mv}: {why}");
            let kind: Vec<&str> = why.split(' ').take(2).collect();
            *kinds.entry(kind.join(" ")).or_default() += 1;
        }
    }
    assert_eq!(kinds.len(), 7, "not every kind of reason occurs: {kinds:?}");
}

#[test]
fn reasons_are_true_everywhere() {
    reasons_are_true::<Spec>();
    reasons_are_true::<Ggp>();
}

#[test]
fn an_illegal_move_has_no_reason() {
    let start = Krk::<Spec>::initial();
    let replies = moves_of(&after(&start, moves_of(&start)[0]));
    assert_eq!(Tablebase.explain(&start, replies[0]), None);
}

use super::*;
use crate::pentago::{LINES, quadrant_of};
use crate::samples::pentago::positions;
use crate::{Ggp, Spec};
use quintet_core::bits::bits;
use quintet_core::learned::{Features, Model, expectation};

/// The most stones that `color` can have on a line without a stone of the other color, over all ways to turn
/// the quadrants; `None` if every way leaves one there.
fn most_on_line(stones: [u64; 2], color: usize, line: u64) -> Option<u32> {
    (0..256)
        .filter_map(|turns| {
            let mut after = stones;
            for quadrant in 0..4 {
                for _ in 0..turns >> (2 * quadrant) & 3 {
                    after = after.map(|it| turned(it, 2 * quadrant));
                }
            }
            (after[1 - color] & line == 0).then(|| (after[color] & line).count_ones())
        })
        .max()
}

#[test]
fn what_is_evaluated_is_counted_correctly() {
    let quadrants = |line: u64| (0..4).filter(|&it| quadrant_of(line, it) != 0).collect::<Vec<_>>();
    for position in positions::<Ggp>(4, 1..72) {
        for color in [0, 1] {
            let all = Cpu::all().into_iter().map(|cpu| evaluation::counts(cpu, position.stones, color));
            let all: Vec<_> = all.collect();
            for (index, color) in [color, 1 - color].into_iter().enumerate() {
                let mut expected = [0; 31];
                let mut count = |from: usize, stones: u32, most: u32, line: u64| {
                    if (1..=most).contains(&stones) {
                        expected[from + 2 * (stones as usize - 1) + quadrants(line).len() - 2] += 1;
                    }
                };
                for line in LINES {
                    let on_line = |stones: [u64; 2]| {
                        if stones[1 - color] & line == 0 { (stones[color] & line).count_ones() } else { 0 }
                    };
                    count(0, on_line(position.stones), 4, line);
                    for quadrant in quadrants(line) {
                        for direction in [0, 1] {
                            let after = position.stones.map(|it| turned(it, 2 * quadrant + direction));
                            count(8, on_line(after), 5, line);
                        }
                    }
                    count(18, most_on_line(position.stones, color, line).unwrap_or(0), 5, line);
                }
                for cell in bits(position.stones[color]) {
                    expected[match cell % 9 {
                        4 => 28,
                        0 | 2 | 6 | 8 => 29,
                        _ => 30,
                    }] += 1;
                }
                for found in &all {
                    let (found, zeros) = found.as_chunks();
                    assert_eq!((found[index], zeros), (expected, &[0; 2][..]), "{position}");
                }
            }
        }
    }
}

fn points_are_those_of_the_features<R: Ruleset>(model: &str) {
    let model = Model::read(model).expect("a model");
    for position in positions::<R>(4, 0..72) {
        let mut sum = model.of_positions().sum();
        PentagoKnowledge::of_position(&position, |feature| sum.add(feature));
        for cpu in Cpu::all() {
            let lines = Lines::new(cpu, position.stones, Pentago::<R>::phase(position.ply).0);
            let points = evaluation::points_of::<R>(cpu, &lines, position.stones, position.ply);
            assert_eq!(points, sum.points(), "{cpu:?}: {position}");
        }
    }
}

#[test]
fn points_are_those_of_the_model_for_each_feature() {
    points_are_those_of_the_features::<Spec>(include_str!("spec.model"));
    points_are_those_of_the_features::<Ggp>(include_str!("ggp.model"));
}

fn no_rotation_to_quiet_lines_loses<R: Ruleset>() {
    let (mut quiet, mut others) = (0, 0);
    for position in positions::<R>(20, 1..72).into_iter().filter(|it| Pentago::<R>::phase(it.ply).1) {
        let (color, board) = (Pentago::<R>::phase(position.ply).0, PentagoBoard::new(position.stones));
        for rotation in 0..PentagoBoard::ROTATIONS {
            let after = position.stones.map(|it| turned(it, rotation));
            if Lines::new(Cpu::best(), after, 1 - color).are_quiet() {
                assert!(!loses_by_rotation::<R>(&board, position.ply, rotation), "{position} {rotation}");
                quiet += 1;
            } else {
                others += 1;
            }
        }
    }
    assert!(quiet > 500 && others > 500, "{quiet} {others}");
}

#[test]
fn rotations_to_quiet_lines_do_not_lose() {
    no_rotation_to_quiet_lines_loses::<Spec>();
    no_rotation_to_quiet_lines_loses::<Ggp>();
}

#[test]
fn evaluation_is_the_same_after_a_turn_of_the_whole_board() {
    /// The stones after a quarter turn of the whole board clockwise: quadrant 1 goes to 4, 4 to 3, and so on.
    fn turned_whole(stones: u64) -> u64 {
        let turned = (0..4).fold(stones, |stones, quadrant| turned(stones, 2 * quadrant));
        (turned << 27 | turned >> 9) & crate::pentago::ALL
    }
    for position in positions::<Ggp>(40, 1..70) {
        let points = evaluation::points::<Ggp>(position.stones, position.ply);
        let after = position.stones.map(turned_whole);
        assert_eq!(evaluation::points::<Ggp>(after, position.ply), points, "{position}");
    }
}

#[test]
fn a_first_value_under_ggp_is_the_evaluation() {
    for position in positions::<Ggp>(6, 3..60).into_iter().step_by(7) {
        let expectation = expectation(evaluation::points::<Ggp>(position.stones, position.ply));
        let value = PentagoKnowledge.evaluate(&position, &mut Rng::stream(9, 0));
        assert_eq!(value, Value::expected(position.side_to_move(), expectation), "{position}");
    }
}

#[test]
fn more_and_longer_lines_are_worth_more() {
    let points = |position: &str| {
        let position: Pentago<Ggp> = position.parse().expect("a position");
        evaluation::points::<Ggp>(position.stones, position.ply)
    };
    let [three, two] = [points("6/1r4/1r1b2/1r4/6/4b1 b place"), points("6/1r4/1r1b2/4r1/6/4b1 b place")];
    assert!(three < two - 30, "{three} {two}");
    // The color that acts is better off than it would be if the other color did.
    assert!(points("6/1r4/4b1/1r4/6/4b1 r place") > 0);
}

#[test]
fn labels_turn_with_their_quadrant() {
    for position in positions::<Ggp>(40, 1..70) {
        let board = PentagoBoard::new(position.stones);
        for rotation in 0..PentagoBoard::ROTATIONS {
            let turned = position.stones.map(|it| turned(it, rotation));
            for color in [0, 1] {
                let expected = crate::pentago::has_line(turned[color]);
                assert_eq!(board.rotated(rotation).has_line(color), expected, "{position}");
                assert_eq!(
                    board.rotated(rotation).wins_by_placing(color),
                    PentagoBoard::new(turned).wins_by_placing(color),
                    "{position}"
                );
            }
        }
    }
    assert_eq!(label(35), 1 << 56);
}

fn points_are_those_of_lines_after_every_rotation(worth: &[priors::Worth; CELLS + 1]) {
    let quadrants_of = |line: u64| (0..4).filter(|&it| quadrant_of(line, it) != 0).collect::<Vec<_>>();
    for position in positions::<Spec>(40, 1..72) {
        for color in [0, 1] {
            let on = |cpu| priors::placements_on(cpu, position.stones, color, worth);
            let all: Vec<_> = Cpu::all().into_iter().map(on).collect();
            let worth = worth[(position.stones[0] | position.stones[1]).count_ones() as usize];
            for cell in bits(position.empty()) {
                let mut expected = 0;
                for rotation in 0..=PentagoBoard::ROTATIONS {
                    let is_still = rotation == PentagoBoard::ROTATIONS;
                    let after = |it| if is_still { it } else { turned(it, rotation) };
                    let [mine, theirs] = [color, 1 - color].map(|it| after(position.stones[it]));
                    for line in LINES.into_iter().filter(|line| line & after(1 << cell) != 0) {
                        let quadrants = quadrants_of(line);
                        let counts = [mine, theirs].map(|it| (it & line).count_ones() as usize);
                        expected += match counts {
                            _ if is_still && quadrants.len() > 2 => 0,
                            _ if !is_still && !quadrants.contains(&(rotation / 2)) => 0,
                            [count @ 1..5, 0] => worth[0][count - 1],
                            [0, count @ 1..5] => worth[1][count - 1],
                            _ => 0,
                        };
                    }
                }
                assert!(all.iter().all(|points| points[usize::from(cell)] == expected), "{position} {cell}");
            }
        }
    }
}

#[test]
fn points_of_a_placement_are_those_of_its_lines_after_every_rotation() {
    points_are_those_of_lines_after_every_rotation(&priors::SPEC);
    points_are_those_of_lines_after_every_rotation(&priors::GGP);
}

#[test]
fn lines_are_worth_more_while_there_are_few_stones() {
    let three_of_its_own = [2, 3, 10, 36].map(|stones| priors::GGP[stones][0][2]);
    assert_eq!(three_of_its_own, [49 + 135, 49 + 90, 49 + 27, 49 + 7]);
    assert_eq!(priors::GGP[0], priors::GGP[2]);
    assert_eq!(priors::SPEC[36][1][1], -5 + 5);
}

#[test]
fn weights_grow_with_points() {
    let weights: Vec<_> = (-700..700).map(|points| priors::weight(points, 32)).collect();
    assert!(weights.iter().all(|weight| weight.is_finite() && *weight > 0.0));
    assert!(weights.is_sorted());
    assert_eq!((priors::weight(32, 32), priors::weight(-64, 32), priors::weight(16, 32)), (2.0, 0.25, 1.5));
}

//! What a model sees of Pentago: of a position the [counts](super::evaluation::Counts) of lines and stones,
//! of moves the contents of lines, as they are and after each rotation.

use std::cmp::Ordering;

use quintet_core::bits::bits;
use quintet_core::learned::{FeatureCounts, Features};
use quintet_cpu::Cpu;

use super::PentagoKnowledge;
use super::board::PentagoBoard;
use super::evaluation::{FEATURES_OF_PHASE, Lines, Seen, phases};
use super::lines::{CELLS_OF, THROUGH};
use crate::pentago::{CELLS, CELLS_OF_LINES, Move, PLACE_OF, quadrant_of, turned};
use crate::{Pentago, Ruleset};

/// The contents of a line of five cells: of each cell nothing, a stone of the color that acts, or one of
/// the other color.
const PATTERNS: usize = 243;

/// The kinds of lines that no symmetry of the board turns into each other: rows and columns by their
/// distance from the edge, the two long diagonals, the four short ones.
const KINDS: usize = 5;

/// The kind of each line. Symmetries take the lines of a kind to each other, with the cells in the order of
/// [`CELLS_OF_LINES`].
const KIND_OF: [usize; 32] = {
    let mut table = [0; 32];
    const_for!(0..32, |line| {
        let [first, .., last] = CELLS_OF_LINES[line];
        let ((x, y), (last_x, last_y)) = (PLACE_OF[first as usize], PLACE_OF[last as usize]);
        table[line] = if y == last_y {
            distance_from_edge(y)
        } else if x == last_x {
            distance_from_edge(x)
        } else if x == y || x + y == 5 {
            3
        } else {
            SHORT_DIAGONAL
        };
    });
    table
};

const fn distance_from_edge(at: u8) -> usize {
    (if at < 3 { at } else { 5 - at }) as usize
}

/// `PARTS[quadrant][cells][line]`: what stones on these cells of a quadrant add to the contents of each
/// line, once for the color that acts and twice for the other.
static PARTS: [[[u8; 32]; 512]; 4] = {
    let mut table = [[[0; 32]; 512]; 4];
    const_for!(0..32, |line| {
        let mut digit = 1;
        const_for!(0..5, |n| {
            let cell = CELLS_OF_LINES[line][n] as usize;
            const_for!(0..512, |cells| {
                if cells >> (cell % 9) & 1 == 1 {
                    table[cell / 9][cells][line] += digit;
                }
            });
            digit *= 3;
        });
    });
    table
};

/// The contents of all lines.
type Contents = [u8; 32];

/// The contents of the lines with these stones of the color that acts and of the other one.
#[inline]
fn contents(stones: [u64; 2]) -> Contents {
    let mut contents = [0; 32];
    for quadrant in 0..4 {
        let [own, other] = stones.map(|it| &PARTS[quadrant][quadrant_of(it, quadrant)]);
        for (sum, (own, other)) in contents.iter_mut().zip(own.iter().zip(other)) {
            *sum += own + 2 * other;
        }
    }
    contents
}

/// The features of lines, by their kinds and contents.
const LINE_FEATURES: usize = KINDS * PATTERNS;

/// The kind of the short diagonals, which a symmetry turns end for end.
const SHORT_DIAGONAL: usize = 4;

/// The contents of a line that is turned end for end.
static REVERSED: [u8; PATTERNS] = {
    let mut table = [0; PATTERNS];
    const_for!(0..PATTERNS, |contents| {
        let (mut rest, mut reversed) = (contents, 0);
        const_for!(0..5, |_n| {
            reversed = 3 * reversed + rest % 3;
            rest /= 3;
        });
        table[contents] = reversed as u8;
    });
    table
};

#[inline]
fn feature(line: usize, contents: &Contents) -> usize {
    let (kind, seen) = (KIND_OF[line], contents[line]);
    let seen = if kind == SHORT_DIAGONAL { seen.min(REVERSED[usize::from(seen)]) } else { seen };
    kind * PATTERNS + usize::from(seen)
}

/// The place of a cell in its line as [`feature`] sees it.
#[inline]
fn place_seen(line: usize, contents: &Contents, place: usize) -> usize {
    if KIND_OF[line] != SHORT_DIAGONAL {
        return place;
    }
    let seen = contents[line];
    match seen.cmp(&REVERSED[usize::from(seen)]) {
        Ordering::Less => place,
        Ordering::Equal => place.min(4 - place),
        Ordering::Greater => 4 - place,
    }
}

impl<R: Ruleset> Features<Pentago<R>> for PentagoKnowledge {
    // A rotation shows the lines that it makes; a placement those through its cell, in other tables after
    // each rotation.
    const COUNTS: FeatureCounts =
        FeatureCounts { positions: phases::<R>() * FEATURES_OF_PHASE, moves: (1 + 2 * 5) * LINE_FEATURES };

    #[inline]
    fn of_position(position: &Pentago<R>, mut see: impl FnMut(usize)) {
        let (cpu, color) = (Cpu::best(), Pentago::<R>::phase(position.ply).0);
        let lines = Lines::new(cpu, position.stones, color);
        let seen = Seen::new::<R>(cpu, &lines, position.stones, position.ply);
        for (index, count) in seen.counts.iter().enumerate() {
            (0..*count).for_each(|_| see(seen.first + index));
        }
        see(seen.stones);
    }

    fn of_moves(position: &Pentago<R>, moves: &[Move], mut see: impl FnMut(usize, usize)) {
        let (color, rotates) = Pentago::<R>::phase(position.ply);
        let stones = [position.stones[color], position.stones[1 - color]];
        if rotates {
            for (index, mv) in moves.iter().enumerate() {
                let after = contents(stones.map(|it| turned(it, mv.rotation())));
                bits(THROUGH[mv.rotation() / 2]).for_each(|line| see(index, feature(line.into(), &after)));
            }
            return;
        }
        let mut index_of = [u8::MAX; CELLS];
        for (index, mv) in moves.iter().enumerate() {
            index_of[usize::from(mv.0) % CELLS] = index as u8;
        }
        for rotation in 0..=PentagoBoard::ROTATIONS {
            let is_turned = rotation < PentagoBoard::ROTATIONS;
            let (after, lines) = if is_turned {
                (contents(stones.map(|it| turned(it, rotation))), THROUGH[rotation / 2])
            } else {
                (contents(stones), u32::MAX)
            };
            let table = LINE_FEATURES * if is_turned { 6 } else { 1 };
            for line in bits(lines).map(usize::from).filter(|&line| after[line] != 0) {
                let feature = table + feature(line, &after);
                for (place, cell) in CELLS_OF[rotation][line].iter().enumerate() {
                    let index = index_of[usize::from(*cell) % CELLS];
                    if index != u8::MAX {
                        let place = place_seen(line, &after, place);
                        see(usize::from(index), feature + place * LINE_FEATURES);
                    }
                }
            }
        }
    }

    /// Under `ggp` the ends of games say more of early positions than searches of single ones do
    /// (results/log/2026-11-29-pentago.md).
    fn shares_in_fit(&self, _: &Pentago<R>) -> [f32; 2] {
        [1.0, if R::IS_GGP { 0.15 } else { 1.0 }]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use quintet_core::game::{Game, Rng};

    use super::*;
    use crate::pentago::bit_of;
    use crate::{Ggp, Spec};

    /// The features of a position, and those of each legal move, each sorted.
    fn seen<R: Ruleset>(position: &Pentago<R>) -> (Vec<usize>, Vec<Vec<usize>>) {
        let moves = position.move_list();
        let (mut of_position, mut of_moves) = (Vec::new(), vec![Vec::new(); moves.len()]);
        PentagoKnowledge::of_position(position, |feature| of_position.push(feature));
        PentagoKnowledge::of_moves(position, &moves, |index, feature| of_moves[index].push(feature));
        of_position.sort_unstable();
        for features in &mut of_moves {
            features.sort_unstable();
        }
        of_moves.sort();
        (of_position, of_moves)
    }

    #[test]
    fn moves_have_features_of_every_place_in_a_line_before_and_after_a_rotation() {
        let mut rng = Rng::stream(2, 0);
        let (mut of_rotations, mut of_placements) = (HashSet::new(), HashSet::new());
        for _ in 0..10 {
            let mut position = Pentago::<Ggp>::initial();
            while position.outcome().is_none() {
                let tables = seen(&position).1.into_iter().flatten().map(|it| it / LINE_FEATURES);
                if Pentago::<Ggp>::phase(position.ply).1 {
                    of_rotations.extend(tables);
                } else {
                    of_placements.extend(tables);
                }
                position.apply(position.random_move(&mut rng));
            }
        }
        let sorted = |tables: HashSet<usize>| {
            let mut tables: Vec<usize> = tables.into_iter().collect();
            tables.sort_unstable();
            tables
        };
        assert_eq!(sorted(of_rotations), [0]);
        assert_eq!(sorted(of_placements), (1..=10).collect::<Vec<_>>());
    }

    fn symmetric_positions_look_alike<R: Ruleset>() {
        let mut rng = Rng::stream(1, 0);
        for _ in 0..50 {
            let mut position = Pentago::<R>::initial();
            while position.outcome().is_none() {
                let here = seen(&position);
                // A quarter turn of the whole board, and its mirror image.
                for is_turn in [false, true] {
                    let mut image = position;
                    image.stones = [0; 2];
                    for (x, y) in (0..CELLS).map(|at| (at % 6, at / 6)) {
                        let (to_x, to_y) = if is_turn { (y, 5 - x) } else { (5 - x, y) };
                        for (to, from) in image.stones.iter_mut().zip(position.stones) {
                            *to |= (from >> bit_of(x, y) & 1) << bit_of(to_x, to_y);
                        }
                    }
                    assert_eq!(here, seen(&image), "{position}, {image}");
                }
                let counts = <PentagoKnowledge as Features<Pentago<R>>>::COUNTS;
                assert!(here.0.iter().all(|it| *it < counts.positions));
                assert!(here.1.iter().flatten().all(|it| *it < counts.moves));
                position.apply(position.random_move(&mut rng));
            }
        }
    }

    #[test]
    fn single_positions_count_less_under_ggp() {
        fn shares<R: Ruleset>() -> [f32; 2] {
            PentagoKnowledge.shares_in_fit(&Pentago::<R>::initial())
        }
        assert_eq!(
            [shares::<Spec>(), shares::<Ggp>()].map(|it| it.map(f32::to_bits)),
            [[1.0_f32; 2], [1.0, 0.15]].map(|it| it.map(f32::to_bits))
        );
    }

    #[test]
    fn symmetries_of_the_board_change_nothing() {
        symmetric_positions_look_alike::<Spec>();
        symmetric_positions_look_alike::<Ggp>();
    }
}

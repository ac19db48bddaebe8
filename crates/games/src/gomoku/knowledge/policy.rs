//! Weights of moves by a network of convolutions over the shapes of the cells, for refined priors.

use std::sync::LazyLock;

use super::lines::{LINES_OF, SHAPES};
use super::threats::ThreatBoard;
use crate::gomoku::{CELLS, Move, SIZE};
use quintet_core::knowledge::Candidates;
use quintet_core::learned::{UNIT, weight};
use quintet_cpu::{Cpu, Work};

/// The network under `ggp`. The first line of the file says how it was made.
static NETWORK: LazyLock<Network> =
    LazyLock::new(|| Network::read(include_str!("ggp.policy")).expect("a test has read it"));

/// The numbers that each cell has in each layer.
const CHANNELS: usize = 32;
/// What stands for 1 in the file.
const FILE_UNIT: f32 = 1024.0;
/// A row with a border of a cell at its ends.
const WIDTH: usize = SIZE + 2;
/// The numbers of all cells and of the border around them, which are 0.
type Planes = [[f32; CHANNELS]; WIDTH * WIDTH];

/// Sums of numbers times weights are always added in the same order, so that all machines round them alike.
struct Network {
    /// By the [`pair`] of shapes that the color to move and the other have in a line of an empty cell. A cell has the sum of
    /// its four lines.
    shapes: Vec<[f32; CHANNELS]>,
    /// What a cell has with a stone of the color to move, or of the other.
    stones: [[f32; CHANNELS]; 2],
    biases: [f32; CHANNELS],
    layers: Vec<Layer>,
    /// What the means over the board, after the layer in the [middle](Self::middle), add to the numbers of all cells.
    pooled: [[f32; CHANNELS]; CHANNELS],
    pooled_biases: [f32; CHANNELS],
    /// What the numbers of a cell weigh in the base-2 logarithm of the weight of a stone there.
    outputs: [f32; CHANNELS],
    /// By [`pair`], what each of the four lines of a cell adds to that logarithm.
    linear: [f32; PAIRS],
}

/// The numbers *x* of a cell become max(0, *x* + `biases` + ∑ `sums[i] * pointwise[i]`), where `sums[i]` is the sum of
/// `depthwise[n][i]` times the number `i` of cell `n` over the cell and its eight neighbors.
struct Layer {
    depthwise: [[f32; CHANNELS]; 9],
    pointwise: [[f32; CHANNELS]; CHANNELS],
    biases: [f32; CHANNELS],
}

/// The number of a pair of shapes.
const fn pair(own: usize, others: usize) -> usize {
    own << 4 | others
}
/// The numbers of pairs, with some that do not occur.
const PAIRS: usize = pair(SHAPES, 0).next_power_of_two();

fn row(next: &mut impl FnMut() -> Option<f32>) -> Option<[f32; CHANNELS]> {
    rows::<1>(next).map(|[row]| row)
}

fn rows<const N: usize>(next: &mut impl FnMut() -> Option<f32>) -> Option<[[f32; CHANNELS]; N]> {
    let mut rows = [[0.0; CHANNELS]; N];
    for number in rows.as_flattened_mut() {
        *number = next()?;
    }
    Some(rows)
}

impl Network {
    /// Reads the text form: a line about the network, and whole numbers. These are the number of layers, and 1,024
    /// times the weights in the order of the fields, those of pairs by the shape of the color to move and then of the
    /// other.
    fn read(text: &str) -> Option<Self> {
        let (_, numbers) = text.split_once('\n')?;
        let mut numbers = numbers.split_ascii_whitespace().map(|it| it.parse::<i32>().ok());
        let layers = numbers.next()??;
        let mut next = || Some(numbers.next()?? as f32 / FILE_UNIT);
        let pairs = || (0..SHAPES).flat_map(|own| (0..SHAPES).map(move |others| pair(own, others)));
        let (mut shapes, mut linear) = (vec![[0.0; CHANNELS]; PAIRS], [0.0; PAIRS]);
        for pair in pairs() {
            shapes[pair] = row(&mut next)?;
        }
        let (stones, biases) = (rows(&mut next)?, row(&mut next)?);
        let layers = (0..layers)
            .map(|_| {
                Some(Layer {
                    depthwise: rows(&mut next)?,
                    pointwise: rows(&mut next)?,
                    biases: row(&mut next)?,
                })
            })
            .collect::<Option<_>>()?;
        let (pooled, pooled_biases) = (rows(&mut next)?, row(&mut next)?);
        let outputs = row(&mut next)?;
        for pair in pairs() {
            linear[pair] = next()?;
        }
        let network = Self { shapes, stones, biases, layers, pooled, pooled_biases, outputs, linear };
        numbers.next().is_none().then_some(network)
    }

    /// The number of the layer in the middle.
    #[inline(always)]
    fn middle(&self) -> usize {
        self.layers.len() / 2
    }

    /// Adds what follows from the means over the board.
    #[inline(always)]
    fn add_means(&self, planes: &mut Planes) {
        let mut sums = [0.0; CHANNELS];
        for cell in 0..CELLS {
            for (sum, number) in sums.iter_mut().zip(&planes[place(cell)]) {
                *sum += number;
            }
        }
        let mut added = self.pooled_biases;
        for (sum, weights) in sums.iter().zip(&self.pooled) {
            for (added, weight) in added.iter_mut().zip(weights) {
                *added += sum / CELLS as f32 * weight;
            }
        }
        for cell in 0..CELLS {
            for (number, added) in planes[place(cell)].iter_mut().zip(&added) {
                *number = (*number + added).max(0.0);
            }
        }
    }
}

/// Sets the weights of these moves of `color`, which is to move.
pub(super) fn reweigh(board: &ThreatBoard, stones: [u128; 2], color: usize, moves: &mut Candidates<Move>) {
    let doublings = Cpu::best().run(Convolving { network: &NETWORK, board, stones, color });
    let of = |mv: Move| doublings[usize::from(mv.0)];
    let largest = moves.iter().map(|&(mv, _)| of(mv)).fold(f32::MIN, f32::max);
    for (mv, it) in moves {
        *it = weight(((of(*mv) - largest) * UNIT as f32) as i32);
    }
}

/// Finds the base-2 logarithms of the weights of a stone of `color` on each cell; those of cells with stones mean
/// nothing.
struct Convolving<'a> {
    network: &'a Network,
    board: &'a ThreatBoard,
    stones: [u128; 2],
    color: usize,
}

impl Work for Convolving<'_> {
    type Output = [f32; CELLS];

    #[inline(always)]
    #[expect(clippy::large_stack_arrays, reason = "a search does not allocate")]
    fn run(self) -> [f32; CELLS] {
        let network = self.network;
        let [mut first, mut second]: [Planes; 2] = [[[0.0; CHANNELS]; _]; _];
        let (mut planes, mut next) = (&mut first, &mut second);
        let mut doublings = self.first_planes(planes);
        for (number, layer) in network.layers.iter().enumerate() {
            layer.apply(planes, next);
            std::mem::swap(&mut planes, &mut next);
            if number == network.middle() {
                network.add_means(planes);
            }
        }
        for (cell, sum) in doublings.iter_mut().enumerate() {
            for (number, weight) in planes[place(cell)].iter().zip(&network.outputs) {
                *sum += number * weight;
            }
        }
        doublings
    }
}

/// The place of a cell in [`Planes`].
const fn place(cell: usize) -> usize {
    (cell / SIZE + 1) * WIDTH + cell % SIZE + 1
}

impl Convolving<'_> {
    /// Sets the numbers before the first layer, and returns what the lines of each cell add to the logarithm.
    #[inline(always)]
    fn first_planes(&self, planes: &mut Planes) -> [f32; CELLS] {
        let Self { network, board, stones, color } = *self;
        let mut linear = [0.0; CELLS];
        for cell in 0..CELLS {
            let mut sums = network.biases;
            let mut add = |weights: &[f32; CHANNELS]| {
                for (sum, weight) in sums.iter_mut().zip(weights) {
                    *sum += weight;
                }
            };
            if let Some(owner) = [color, 1 - color].iter().position(|&color| stones[color] >> cell & 1 == 1) {
                add(&network.stones[owner]);
            } else {
                for at in LINES_OF[cell] {
                    let shapes = board.shapes_of(at.line.into());
                    let [own, others] = [color, 1 - color].map(|it| (shapes[it] >> (4 * at.n) & 15) as usize);
                    add(&network.shapes[pair(own, others)]);
                    linear[cell] += network.linear[pair(own, others)];
                }
            }
            planes[place(cell)] = sums.map(|sum| sum.max(0.0));
        }
        linear
    }
}

impl Layer {
    /// Sets the numbers `to` after the layer.
    #[inline(always)]
    fn apply(&self, from: &Planes, to: &mut Planes) {
        for y in 1..=SIZE {
            let mut near = [[0.0; CHANNELS]; SIZE];
            for (x, near) in near.iter_mut().enumerate() {
                // A sum in an array of its own stays in registers.
                let mut sums = [0.0; CHANNELS];
                for (n, weights) in self.depthwise.iter().enumerate() {
                    let numbers = &from[(y + n / 3 - 1) * WIDTH + x + n % 3];
                    for channel in 0..CHANNELS {
                        sums[channel] += numbers[channel] * weights[channel];
                    }
                }
                *near = sums;
            }
            for (x, near) in near.iter().enumerate() {
                let mut sums = self.biases;
                for (number, weights) in near.iter().zip(&self.pointwise) {
                    for channel in 0..CHANNELS {
                        sums[channel] += number * weights[channel];
                    }
                }
                let at = y * WIDTH + x + 1;
                for channel in 0..CHANNELS {
                    to[at][channel] = (from[at][channel] + sums[channel]).max(0.0);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::array::from_fn;

    use quintet_core::game::{Game, Rng};

    use super::*;
    use crate::gomoku::knowledge::lines::ShapeTable;
    use crate::{Ggp, Gomoku};

    fn convolving<'a>(position: &Gomoku<Ggp>, board: &'a ThreatBoard) -> Convolving<'a> {
        Convolving { network: &NETWORK, board, stones: position.stones, color: position.color() }
    }

    /// The same as [`Convolving`], cell by cell and number by number.
    fn one_by_one(position: &Gomoku<Ggp>, board: &ThreatBoard) -> Vec<f32> {
        let near = |cell: usize| {
            let (x, y) = (cell % SIZE, cell / SIZE);
            (0..9).filter_map(move |k| {
                let x = (x + k % 3).checked_sub(1).filter(|&x| x < SIZE)?;
                let y = (y + k / 3).checked_sub(1).filter(|&y| y < SIZE)?;
                Some((k, y * SIZE + x))
            })
        };
        let color = position.color();
        let pairs = |cell: usize| {
            LINES_OF[cell].map(|at| {
                let shapes = board.shapes_of(at.line.into()).map(|it| it >> (4 * at.n) & 15);
                pair(shapes[color] as usize, shapes[1 - color] as usize)
            })
        };
        let is_empty = |cell: usize| position.empty() >> cell & 1 == 1;
        let mut numbers: Vec<[f32; CHANNELS]> = (0..CELLS)
            .map(|cell| {
                let added = match [color, 1 - color].map(|color| position.stones[color] >> cell & 1) {
                    [0, 0] => pairs(cell).map(|pair| NETWORK.shapes[pair]).to_vec(),
                    [1, _] => vec![NETWORK.stones[0]],
                    _ => vec![NETWORK.stones[1]],
                };
                from_fn(|n| added.iter().fold(NETWORK.biases[n], |sum, it| sum + it[n]).max(0.0))
            })
            .collect();
        for (number, layer) in NETWORK.layers.iter().enumerate() {
            let next = (0..CELLS).map(|cell| {
                let sums: [f32; CHANNELS] = from_fn(|n| {
                    near(cell).fold(0.0, |sum, (k, other)| sum + numbers[other][n] * layer.depthwise[k][n])
                });
                from_fn(|n| {
                    let mixed =
                        (0..CHANNELS).fold(layer.biases[n], |sum, i| sum + sums[i] * layer.pointwise[i][n]);
                    (numbers[cell][n] + mixed).max(0.0)
                })
            });
            numbers = next.collect();
            if number == NETWORK.middle() {
                let means: [f32; CHANNELS] =
                    from_fn(|n| numbers.iter().fold(0.0, |sum, it| sum + it[n]) / CELLS as f32);
                let added: [f32; CHANNELS] = from_fn(|n| {
                    let weighed = means.iter().zip(&NETWORK.pooled);
                    weighed.fold(NETWORK.pooled_biases[n], |sum, (mean, weights)| sum + mean * weights[n])
                });
                for of_cell in &mut numbers {
                    *of_cell = from_fn(|n| (of_cell[n] + added[n]).max(0.0));
                }
            }
        }
        let weigh = |cell: usize| {
            let of_lines = pairs(cell).iter().fold(0.0, |sum, &pair| sum + NETWORK.linear[pair]);
            let of_lines = if is_empty(cell) { of_lines } else { 0.0 };
            numbers[cell]
                .iter()
                .zip(&NETWORK.outputs)
                .fold(of_lines, |sum, (number, weight)| sum + number * weight)
        };
        (0..CELLS).map(weigh).collect()
    }

    #[test]
    fn all_processor_levels_compute_what_the_formulas_say() {
        let (table, mut rng) = (ShapeTable::get(Gomoku::<Ggp>::WINNING), Rng::stream(48, 0));
        for _ in 0..4 {
            let mut position = Gomoku::<Ggp>::without_setup();
            while position.outcome().is_none() {
                let board = ThreatBoard::new(&position, table);
                let expected = one_by_one(&position, &board);
                for cpu in Cpu::all() {
                    let found = cpu.run(convolving(&position, &board));
                    assert_eq!(found.to_vec(), expected, "{} in {position}", cpu.name());
                }
                for _ in 0..=rng.below(6) {
                    if position.outcome().is_none() {
                        position.apply(position.random_move(&mut rng));
                    }
                }
            }
        }
    }

    #[test]
    fn a_network_with_a_number_too_few_or_too_many_is_refused() {
        let text = include_str!("ggp.policy");
        assert!(Network::read(text).is_some());
        assert!(Network::read(&format!("{text} 0")).is_none());
        assert!(Network::read(&format!("{text} x")).is_none());
        let (shorter, _) = text.trim_end().rsplit_once(' ').expect("it has numbers");
        assert!(Network::read(shorter).is_none());
        assert!(Network::read("").is_none());
    }
}

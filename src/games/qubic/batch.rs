//! Many rollouts of Qubic at once, one in each bit of a word; see [`Lanes`].
//!
//! All games of a batch make the same choice of the same turn at the same time. A game that has ended makes
//! room for a new one as soon as the turn is one that a new game may start with, so that few are idle.
//!
//! A choice is two random bits. Where it turns out not to be legal it is drawn again, until it is, which
//! leaves every legal one equally likely. Only the third, which would have to be drawn again too often, is
//! drawn from the blank cells.

#![expect(clippy::needless_range_loop, reason = "one number goes through the words of many lanes")]

use super::{AXES, CELLS, PLANES, Qubic, coordinates};
use crate::cpu::{Cpu, Work};
use crate::game::{Game, Rng, Tally};
use crate::games::Ruleset;
use crate::games::lanes::{Lanes, LanesRng, WORDS, mux, splat};

/// As many turns later the same team acts in the same order.
const PERIOD: usize = 2 * AXES;

/// A batch takes nearly as long for one game as for 512, so fewer than these are played one by one.
const WORTH_A_BATCH: u64 = 128;

/// How far apart the cells are along each axis.
const STEPS: [usize; AXES] = [4, 1, 16];

/// The cells that each game has marks of a team in.
type Marks = [Lanes; CELLS];

/// The low and the high bit of the value that each game has chosen.
type Choice = [Lanes; 2];

/// An array of what `$it` is for each `$i`. Unlike a loop, it leaves the loop around it free of loops from
/// the start, which is what lets the compiler do all its rounds at once.
macro_rules! each {
    (4, $i:ident => $it:expr) => {
        each!($i => $it; 0 1 2 3)
    };
    (16, $i:ident => $it:expr) => {
        each!($i => $it; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
    ($i:ident => $it:expr; $($value:literal)*) => {
        [$({
            const $i: usize = $value;
            $it
        }),*]
    };
}

/// Where the choice is each of the four values, in one word.
#[inline(always)]
fn values(choice: &Choice, w: usize) -> [u64; 4] {
    let (low, high) = (choice[0][w], choice[1][w]);
    [!high & !low, !high & low, high & !low, high & low]
}

/// What the choice picks from `from`, in one word.
#[inline(always)]
fn pick(choice: &Choice, w: usize, from: [u64; 4]) -> u64 {
    let (low, high) = (choice[0][w], choice[1][w]);
    mux(high, mux(low, from[3], from[2]), mux(low, from[1], from[0]))
}

/// The low and the high bit of `value`, for all the games of a word.
#[inline(always)]
const fn spread(value: usize) -> [u64; 2] {
    [splat(value & 1 == 1), splat(value >> 1 & 1 == 1)]
}

/// Where a square of 4×4 cells, given by rows, has all four of a row.
#[inline(always)]
const fn row(c: [u64; 16]) -> u64 {
    (c[0] & c[1] & c[2] & c[3])
        | (c[4] & c[5] & c[6] & c[7])
        | (c[8] & c[9] & c[10] & c[11])
        | (c[12] & c[13] & c[14] & c[15])
}

/// Where a square of 4×4 cells, given by rows, has all four of a column or a diagonal.
#[inline(always)]
const fn column_or_diagonal(c: [u64; 16]) -> u64 {
    (c[0] & c[4] & c[8] & c[12])
        | (c[1] & c[5] & c[9] & c[13])
        | (c[2] & c[6] & c[10] & c[14])
        | (c[3] & c[7] & c[11] & c[15])
        | (c[0] & c[5] & c[10] & c[15])
        | (c[3] & c[6] & c[9] & c[12])
}

/// The turn that new games start in the middle of.
struct Begun {
    /// The games for which the first choice, and for which the second, has been made.
    games: [Lanes; 2],
    /// What was chosen.
    values: [[u64; 2]; 2],
}

/// The state of the games but for their marks.
struct Batch {
    /// The games that go on.
    active: Lanes,
    /// Where each plane across the axis of the first choice is full. Kept up if that is always the same
    /// axis, else found out when needed.
    full_planes: [Lanes; 4],
    rng: LanesRng,
}

impl Batch {
    /// Draws the choice again where it is one of the `full` values.
    #[inline(always)]
    fn redraw(&mut self, choice: &mut Choice, full: &[Lanes; 4]) {
        loop {
            let mut again = 0;
            for w in 0..WORDS {
                let illegal = self.active[w] & pick(choice, w, each!(4, I => full[I][w]));
                choice[0][w] = mux(illegal, self.rng.bits(w), choice[0][w]);
                choice[1][w] = mux(illegal, self.rng.bits(w), choice[1][w]);
                again |= illegal;
            }
            if again == 0 {
                return;
            }
        }
    }

    /// Ends the games whose cube is full, and draws the first choice again where its plane is.
    #[inline(always)]
    fn redraw_first(&mut self, first: &mut Choice) {
        let full = self.full_planes;
        for w in 0..WORDS {
            self.active[w] &= !(full[0][w] & full[1][w] & full[2][w] & full[3][w]);
        }
        self.redraw(first, &full);
    }

    /// Finds the full planes.
    #[inline(always)]
    fn find_full_planes<const FIRST: usize>(&mut self, own: &Marks, other: &Marks) {
        let [one, two, three] = steps::<FIRST>();
        for first in 0..4 {
            for w in 0..WORDS {
                let mut full = u64::MAX;
                each!(16, I => {
                    let cell = first * one + I / 4 * two + I % 4 * three;
                    full &= own[cell][w] | other[cell][w];
                });
                self.full_planes[first][w] = full;
            }
        }
    }

    /// Makes the three choices of a turn that starts with axis `FIRST`, which is the one of all turns if
    /// `ALWAYS`.
    #[inline(always)]
    fn choose<const FIRST: usize, const ALWAYS: bool>(
        &mut self,
        own: &Marks,
        other: &Marks,
        begun: &Begun,
    ) -> [Choice; AXES] {
        let [one, two, three] = steps::<FIRST>();
        let [mut first, mut second] = [[Lanes::NONE; 2]; 2];
        let mut coins = [Lanes::NONE; 3];
        for w in 0..WORDS {
            for bit in 0..2 {
                first[bit][w] = mux(begun.games[0][w], begun.values[0][bit], self.rng.bits(w));
                second[bit][w] = mux(begun.games[1][w], begun.values[1][bit], self.rng.bits(w));
            }
            for coin in &mut coins {
                coin[w] = self.rng.bits(w);
            }
        }

        // The cells of the plane that are taken, and the lines that the second choice is among.
        let mut plane = [Lanes::NONE; 16];
        let mut full_lines = [Lanes::NONE; 4];
        let mut know_full_planes = ALWAYS;
        loop {
            if know_full_planes {
                self.redraw_first(&mut first);
            }
            let mut again = 0;
            for w in 0..WORDS {
                let taken = |cell: usize| own[cell][w] | other[cell][w];
                let cells = each!(16, I => {
                    let at = I / 4 * two + I % 4 * three;
                    pick(&first, w, each!(4, F => taken(at + F * one)))
                });
                each!(16, I => plane[I][w] = cells[I]);
                let full =
                    each!(4, I => cells[4 * I] & cells[4 * I + 1] & cells[4 * I + 2] & cells[4 * I + 3]);
                each!(4, I => full_lines[I][w] = full[I]);
                again |= self.active[w] & full[0] & full[1] & full[2] & full[3];
            }
            if ALWAYS || again == 0 {
                break;
            }
            self.find_full_planes::<FIRST>(own, other);
            know_full_planes = true;
        }
        self.redraw(&mut second, &full_lines);

        // The cells of the line that are taken.
        let mut line = [Lanes::NONE; 4];
        for w in 0..WORDS {
            each!(4, I => line[I][w] = pick(&second, w, each!(4, S => plane[4 * S + I][w])));
        }
        let third = self.choose_third(&line, &coins);
        if ALWAYS {
            for w in 0..WORDS {
                let [a, b, c, d] = each!(4, I => line[I][w]);
                let one_blank = (a & b & (c | d)) | (c & d & (a | b));
                let is_second = values(&second, w);
                let full = each!(4, I => full_lines[I][w] | (one_blank & is_second[I]));
                let full = full[0] & full[1] & full[2] & full[3];
                let is_first = values(&first, w);
                each!(4, I => self.full_planes[I][w] |= full & is_first[I]);
            }
        }
        [first, second, third]
    }

    /// Chooses one of the cells that are not taken of a line that has one: a half, each as often as it has
    /// such cells, then one of its cells.
    #[inline(always)]
    fn choose_third(&mut self, line: &[Lanes; 4], coins: &[Lanes; 3]) -> Choice {
        // Where a half has two and the other one, two of three must choose the former: numbers below 4,
        // drawn again while they are 3. The coin that is the first one's low bit is free for other uses
        // elsewhere.
        let mut number = [coins[0], coins[1]];
        let mut illegal = Lanes::NONE;
        let mut again = 0;
        for w in 0..WORDS {
            let odd = line[0][w] ^ line[1][w] ^ line[2][w] ^ line[3][w];
            illegal[w] = self.active[w] & odd & number[0][w] & number[1][w];
            again |= illegal[w];
        }
        while again != 0 {
            again = 0;
            for w in 0..WORDS {
                number[0][w] = mux(illegal[w], self.rng.bits(w), number[0][w]);
                number[1][w] = mux(illegal[w], self.rng.bits(w), number[1][w]);
                illegal[w] &= number[0][w] & number[1][w];
                again |= illegal[w];
            }
        }
        let mut third = [Lanes::NONE; 2];
        for w in 0..WORDS {
            let [a, b, c, d] = each!(4, I => line[I][w]);
            let odd = a ^ b ^ c ^ d;
            let one_of_three = !(number[0][w] | number[1][w]);
            // Where the numbers are odd and one of `a` and `b` is taken, the upper half is the larger.
            let upper = mux(odd, one_of_three ^ a ^ b, coins[0][w]);
            let upper = (upper | (a & b)) & !(c & d);
            let (even_taken, odd_taken) = (mux(upper, c, a), mux(upper, d, b));
            third[0][w] = (coins[2][w] | even_taken) & !odd_taken;
            third[1][w] = upper;
        }
        third
    }

    /// Plays a turn for the team with the marks `own`, which become `next`, and ends the games that it
    /// wins; returns them.
    #[inline(always)]
    fn turn<const FIRST: usize, const ALWAYS: bool>(
        &mut self,
        own: &Marks,
        other: &Marks,
        next: &mut Marks,
        begun: &Begun,
    ) -> Lanes {
        let choices = self.choose::<FIRST, ALWAYS>(own, other, begun);
        let mut won = mark_and_find_lines::<FIRST>(own, next, &choices);
        for w in 0..WORDS {
            won[w] &= self.active[w];
            self.active[w] &= !won[w];
        }
        won
    }
}

/// How far apart the cells are along the axes of a turn that starts with axis `FIRST`.
#[inline(always)]
const fn steps<const FIRST: usize>() -> [usize; AXES] {
    [STEPS[FIRST], STEPS[(FIRST + 1) % AXES], STEPS[(FIRST + 2) % AXES]]
}

/// Copies the marks with the chosen cells added, and returns the games with a line.
///
/// The copy goes elsewhere because the compiler can't tell that a cell's store in one word is none of another
/// cell's load in the next, and would do the words one by one.
#[inline(always)]
fn mark_and_find_lines<const FIRST: usize>(own: &Marks, next: &mut Marks, choices: &[Choice; AXES]) -> Lanes {
    let [one, two, three] = steps::<FIRST>();
    let [first, second, third] = choices;
    let mut won = Lanes::NONE;
    // The planes across the first axis.
    for value in 0..4 {
        let [low, high] = spread(value);
        for w in 0..WORDS {
            let is_first = !((first[0][w] ^ low) | (first[1][w] ^ high));
            let is_second = values(second, w);
            let is_line = each!(4, I => is_first & is_second[I]);
            let is_third = values(third, w);
            let cells = each!(16, I => {
                own[value * one + I / 4 * two + I % 4 * three][w] | (is_line[I / 4] & is_third[I % 4])
            });
            each!(16, I => next[value * one + I / 4 * two + I % 4 * three][w] = cells[I]);
            won[w] |= row(cells) | column_or_diagonal(cells);
        }
    }
    // The planes across the second, without the lines that they share with the former.
    for value in 0..4 {
        for w in 0..WORDS {
            let cells = each!(16, I => next[value * two + I / 4 * one + I % 4 * three][w]);
            won[w] |= column_or_diagonal(cells);
        }
    }
    // The diagonals of the planes across the third, and those of the cube.
    for w in 0..WORDS {
        macro_rules! line {
            ($from:expr, $step:expr) => {
                next[$from][w]
                    & next[$from + $step][w]
                    & next[$from + 2 * $step][w]
                    & next[$from + 3 * $step][w]
            };
        }
        let mut found = won[w];
        each!(4, I => found |= line!(I * three, one + two));
        each!(4, I => found |= line!(I * three + 3 * one.min(two), one.abs_diff(two)));
        found |= line!(0, 21) | line!(3, 19) | line!(12, 13) | line!(15, 11);
        won[w] = found;
    }
    won
}

/// Rollouts as work to be compiled for several processors.
struct Rollouts<'a, R: Ruleset> {
    position: &'a Qubic<R>,
    count: u64,
    rng: &'a mut Rng,
}

impl<R: Ruleset> Work for Rollouts<'_, R> {
    type Output = Tally;

    #[inline(always)]
    fn run(self) -> Tally {
        let Self { position, count, rng } = self;
        let mut tally = Tally::default();
        if count < WORTH_A_BATCH {
            for _ in 0..count {
                tally.add(position.rollout(rng));
            }
            return tally;
        }

        let mut batch = Batch { active: Lanes::NONE, full_planes: [Lanes::NONE; 4], rng: LanesRng::new(rng) };
        let mut marks = [[Lanes::NONE; CELLS]; 3];
        let [own, other, next] = &mut marks;
        let (mut own, mut other, mut next) = (own, other, next);
        let mut turns = usize::from(position.turns);
        let mut to_start = count;
        loop {
            let mut begun = Begun { games: [Lanes::NONE; 2], values: [[0; 2]; 2] };
            if to_start > 0 {
                let mut new = Lanes(batch.active.0.map(|word| !word));
                new.truncate(to_start);
                to_start -= new.count();
                start(position, &new, &mut batch, own, other);
                begin(position, &new, &mut begun);
            }
            let mut active = batch.active.count();
            if active == 0 {
                break;
            }
            for _ in 0..PERIOD {
                let won = match (R::IS_GGP, turns / 2 % AXES) {
                    (false, _) => batch.turn::<0, true>(own, other, next, &begun),
                    (true, 0) => batch.turn::<0, false>(own, other, next, &begun),
                    (true, 1) => batch.turn::<1, false>(own, other, next, &begun),
                    (true, _) => batch.turn::<2, false>(own, other, next, &begun),
                };
                let (won, go_on) = (won.count(), batch.active.count());
                if turns.is_multiple_of(2) {
                    tally.first_wins += won;
                } else {
                    tally.second_wins += won;
                }
                // A full cube is noticed in the turn after the last.
                tally.draws += active - won - go_on;
                tally.plies += AXES as u64 * (won + go_on);
                active = go_on;
                (own, other, next) = (other, next, own);
                begun.games = [Lanes::NONE; 2];
                turns += 1;
            }
        }
        tally.plies -= u64::from(position.chosen) * count;
        tally
    }
}

/// Sets up new games.
#[inline(always)]
fn start<R: Ruleset>(
    position: &Qubic<R>,
    new: &Lanes,
    batch: &mut Batch,
    own: &mut Marks,
    other: &mut Marks,
) {
    let team = usize::from(position.turns & 1);
    for (marks, start) in [(own, position.marks[team]), (other, position.marks[1 - team])] {
        for (cell, games) in marks.iter_mut().enumerate() {
            let value = splat(start >> cell & 1 == 1);
            for w in 0..WORDS {
                games[w] = mux(new[w], value, games[w]);
            }
        }
    }
    for (games, plane) in batch.full_planes.iter_mut().zip(PLANES[0]) {
        let value = splat(position.blank() & plane == 0);
        for w in 0..WORDS {
            games[w] = mux(new[w], value, games[w]);
        }
    }
    for w in 0..WORDS {
        batch.active[w] |= new[w];
    }
}

/// Has new games go on with the turn that has been begun.
#[inline(always)]
fn begin<R: Ruleset>(position: &Qubic<R>, new: &Lanes, begun: &mut Begun) {
    let chosen = coordinates(position.open.trailing_zeros() as usize);
    let first = if R::IS_GGP { usize::from(position.turns) / 2 } else { 0 };
    for n in 0..usize::from(position.chosen) {
        begun.games[n] = *new;
        begun.values[n] = spread(chosen[(first + n) % AXES]);
    }
}

/// Plays `count` rollouts from `position`, which is not over.
pub(super) fn rollouts<R: Ruleset>(position: &Qubic<R>, count: u64, cpu: Cpu, rng: &mut Rng) -> Tally {
    cpu.run(Rollouts { position, count, rng })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{Ggp, Spec};

    /// Positions from all over random games, some in the middle of a turn.
    fn positions<R: Ruleset>() -> Vec<Qubic<R>> {
        let mut rng = Rng::stream(3, 0);
        let mut positions = Vec::new();
        for plies in [0, 1, 3, 5, 31, 52, 75, 76, 77] {
            let mut position = Qubic::initial();
            for _ in 0..plies {
                position.apply(position.random_move(&mut rng));
            }
            if position.outcome().is_none() {
                positions.push(position);
            }
        }
        // Few cells are left: draws are common.
        let late = "xoxx/1xoo/xxoo/xxo1|xoox/xoxo/oxxx/ooxx|oxxx/1oxo/xoxo/o1ox|o1xo/xoox/oxxo/o1oo x -";
        positions.push(late.parse().expect("a position"));
        assert!(positions.len() > 6);
        positions
    }

    fn the_same_on_every_processor<R: Ruleset>() {
        for position in positions::<R>() {
            for count in [0, 1, 7, 127, 128, 511, 513, 1000, 3000] {
                let tallies = Cpu::all().into_iter().map(|cpu| {
                    let mut rng = Rng::stream(4, count);
                    (position.rollouts(count, cpu, &mut rng), rng.bits())
                });
                let tallies: Vec<_> = tallies.collect();
                assert_eq!(tallies[0].0.rollouts(), count, "{position}");
                assert!(tallies.iter().all(|it| *it == tallies[0]), "{position} {count}: {tallies:?}");
            }
        }
    }

    #[test]
    fn a_batch_is_the_same_on_every_processor() {
        the_same_on_every_processor::<Spec>();
        the_same_on_every_processor::<Ggp>();
    }

    /// How many standard deviations lie between two numbers of successes in `n` tries each.
    fn deviations(n: u64, a: u64, b: u64) -> f64 {
        let share = (a + b) as f64 / (2 * n) as f64;
        let deviation = (2.0 * n as f64 * share * (1.0 - share)).sqrt();
        if a == b { 0.0 } else { (a as f64 - b as f64) / deviation }
    }

    fn agrees_with_single_rollouts<R: Ruleset>() {
        const N: u64 = 40_000;
        for position in positions::<R>() {
            let mut rng = Rng::stream(5, 0);
            let batch = position.rollouts(N, Cpu::best(), &mut rng);
            let (mut single, mut squares) = (Tally::default(), 0.0);
            for _ in 0..N {
                let rollout = position.rollout(&mut rng);
                squares += f64::from(rollout.plies).powi(2);
                single.add(rollout);
            }
            let wins = deviations(N, batch.first_wins, single.first_wins);
            let draws = deviations(N, batch.draws, single.draws);
            let variance = squares / N as f64 - (single.plies as f64 / N as f64).powi(2);
            let plies =
                (batch.plies as f64 - single.plies as f64) / (2.0 * N as f64 * variance.max(1e-9)).sqrt();
            assert!(batch.draws > 0 || position.blank().count_ones() > 6, "{position}: {batch:?}");
            for deviations in [wins, draws, plies] {
                assert!(deviations.abs() < 4.0, "{position}: {batch:?} {single:?}");
            }
        }
    }

    #[test]
    fn a_batch_agrees_with_single_rollouts() {
        agrees_with_single_rollouts::<Spec>();
        agrees_with_single_rollouts::<Ggp>();
    }
}

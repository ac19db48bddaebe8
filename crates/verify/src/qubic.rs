//! Qubic. A cell is `16 * level + 4 * row + column`, each from 0, and marks are 64-bit masks.

use super::walk::{Game, Next, Settled, bits, shown};

/// The most attacks that a search for a win by threes may try.
pub(crate) const MOST_ATTACKS: u32 = 1_000_000;

/// The number of symmetries.
const SYMMETRIES: usize = 192;

const AXES: [char; 3] = ['r', 'c', 'l'];

/// Row, column and level of a cell.
fn coordinates(cell: usize) -> [usize; 3] {
    [cell / 4 % 4, cell % 4, cell / 16]
}

fn cell([row, column, level]: [usize; 3]) -> usize {
    16 * level + 4 * row + column
}

/// A position: the marks of X and of O.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cube([u64; 2]);

impl Cube {
    fn blank(&self) -> u64 {
        !(self.0[0] | self.0[1])
    }

    /// The number of marks.
    fn marked(&self) -> usize {
        self.blank().count_zeros() as usize
    }
}

/// The rules of Qubic.
pub(crate) struct Qubic {
    /// Whether the role that starts a team's turn moves on, as in `ggp`.
    is_cyclic: bool,
    side: usize,
    lines: Vec<u64>,
    /// The lines through each cell.
    through: Vec<Vec<u64>>,
    /// For each symmetry the image of each cell.
    symmetries: Vec<[u8; 64]>,
    /// For each cell its image by each symmetry, as a mask.
    images: Vec<[u64; SYMMETRIES]>,
    searched: u64,
}

impl Qubic {
    pub(crate) fn new(is_cyclic: bool) -> Self {
        let symmetries = symmetries();
        let images_of = |cell: usize| std::array::from_fn(|symmetry| 1 << symmetries[symmetry][cell]);
        let images = (0..64).map(images_of).collect();
        let lines = lines();
        let of_cell =
            |cell: usize| lines.iter().copied().filter(|line: &u64| *line >> cell & 1 == 1).collect();
        let through = (0..64).map(of_cell).collect();
        Self { is_cyclic, side: 0, lines, through, symmetries, images, searched: 0 }
    }

    /// Whether `marks` has a line.
    fn has_line(&self, marks: u64) -> bool {
        self.lines.iter().any(|line| marks & line == *line)
    }

    /// Whether `own`, which is to move and can't complete a line at once, wins by threes: every
    /// mark makes a three in a line whose fourth cell is blank, until one makes two of them. The
    /// next mark has to be on one of the cells `allowed`. Counts the attacks tried down from `left`
    /// to 0, where it gives up.
    fn wins_by_threes(&self, own: u64, other: u64, allowed: u64, left: &mut u32) -> bool {
        // The cells that make a three, in one line and in two.
        let (mut once, mut twice) = (0, 0);
        for line in &self.lines {
            let rest = line & !own;
            if line & other == 0 && (rest & rest.wrapping_sub(1)).is_power_of_two() {
                twice |= once & rest;
                once |= rest;
            }
        }
        if twice & allowed != 0 {
            return true;
        }
        bits(once & allowed).any(|attack| {
            if *left == 0 {
                return false;
            }
            *left -= 1;
            // Neither could complete a line before, unless it was blocked just now, so only the lines
            // through the new marks count.
            let own = own | 1 << attack;
            let reply = completing(&self.through[usize::from(attack)], own, other);
            let other = other | reply;
            let threats = completing(&self.through[reply.trailing_zeros() as usize], other, own);
            threats.count_ones() < 2
                && self.wins_by_threes(own, other, if threats == 0 { u64::MAX } else { threats }, left)
        })
    }

    fn image_of(&self, symmetry: usize, marks: u64) -> u64 {
        bits(marks).fold(0, |image, cell| image | self.images[usize::from(cell)][symmetry])
    }

    /// The image of `marks` by each symmetry. Going through the symmetries inside, not outside, lets the
    /// compiler work on several of them at a time.
    fn images_of(&self, marks: u64) -> [u64; SYMMETRIES] {
        let mut images = [0; SYMMETRIES];
        for cell in bits(marks) {
            for (image, of_cell) in images.iter_mut().zip(&self.images[usize::from(cell)]) {
                *image |= of_cell;
            }
        }
        images
    }
}

impl Game for Qubic {
    type Position = Cube;
    type Turn = u8;
    type Key = [u64; 2];
    type Symmetry = usize;

    const ROLES: [&'static [&'static str]; 2] =
        [&["xrow", "xcolumn", "xlevel"], &["orow", "ocolumn", "olevel"]];
    const CLAIMS: &'static [u8] = &[100];

    fn set_up(&mut self, side: usize, _at_least: u8, search_from: Option<u8>) -> Result<(), String> {
        self.side = side;
        if search_from.is_some() {
            return Err("search_from: Qubic has none".to_owned());
        }
        Ok(())
    }

    fn read(&self, text: &str) -> Result<Cube, String> {
        let mut cube = Cube([0; 2]);
        let mut cell = 0;
        for c in text.split(' ').next().unwrap_or_default().chars() {
            match c {
                'x' | 'o' if cell < 64 => {
                    cube.0[usize::from(c == 'o')] |= 1 << cell;
                    cell += 1;
                }
                '1'..='4' => cell += c as usize - '0' as usize,
                _ => {}
            }
        }
        let [x, o] = cube.0.map(u64::count_ones);
        if x != o && x != o + 1 {
            return Err(format!("{} has {x} marks of x and {o} of o", shown(text)));
        }
        // Whatever was overlooked makes a difference here.
        let written = self.write(&cube);
        if written != text {
            return Err(format!(
                "{} is not written as {written}, or not at the beginning of a turn",
                shown(text)
            ));
        }
        if cube.0.iter().any(|marks| self.has_line(*marks)) || cube.blank() == 0 {
            return Err(format!("{} is the end of a game", shown(text)));
        }
        Ok(cube)
    }

    fn write(&self, cube: &Cube) -> String {
        let mut text = String::new();
        let mut run = 0;
        for cell in 0..64 {
            let mark = ['x', 'o'].into_iter().zip(cube.0).find(|(_, marks)| marks >> cell & 1 == 1);
            run += u8::from(mark.is_none());
            if run > 0 && (mark.is_some() || cell % 4 == 3) {
                text += &run.to_string();
                run = 0;
            }
            text.extend(mark.map(|it| it.0));
            text.push_str(match cell {
                63 => " ",
                15 | 31 | 47 => "|",
                _ if cell % 4 == 3 => "/",
                _ => "",
            });
        }
        text + ["x -", "o -"][self.side(cube)]
    }

    fn side(&self, cube: &Cube) -> usize {
        cube.marked() % 2
    }

    fn turns(&self, cube: &Cube) -> Vec<u8> {
        bits(cube.blank()).collect()
    }

    fn tokens(&self, cube: &Cube, turn: u8) -> impl Iterator<Item = String> {
        let at = coordinates(turn.into());
        let start = if self.is_cyclic { cube.marked() / 2 } else { 0 };
        let axes = (start..start + 3).map(|axis| axis % 3);
        axes.map(move |axis| format!("{}{}", AXES[axis], at[axis] + 1))
    }

    fn play(&self, cube: &Cube, turn: u8) -> Next<Cube> {
        let (side, mut next) = (self.side(cube), *cube);
        next.0[side] |= 1 << turn;
        // No side has a line before, so only those through the new mark count.
        if self.through[usize::from(turn)].iter().any(|line| next.0[side] & line == *line) {
            return Next::End(if side == 0 { [100, 0] } else { [0, 100] });
        }
        if next.blank() == 0 { Next::End([50, 50]) } else { Next::Position(next) }
    }

    fn canonical(&self, cube: &Cube) -> ([u64; 2], usize) {
        let images = self.images_of(cube.0[0]);
        let x = images.iter().copied().fold(u64::MAX, u64::min);
        let mut best = ([u64::MAX; 2], 0);
        for symmetry in (0..SYMMETRIES).filter(|symmetry| images[*symmetry] == x) {
            best = best.min(([x, self.image_of(symmetry, cube.0[1])], symmetry));
        }
        best
    }

    fn image(&self, symmetry: &usize, turn: u8) -> u8 {
        self.symmetries[*symmetry][usize::from(turn)]
    }

    fn wins_at_once(&self, cube: &Cube) -> bool {
        let side = self.side(cube);
        completing(&self.lines, cube.0[side], cube.0[1 - side]) != 0
    }

    fn settle(&mut self, cube: &Cube) -> Settled<u8> {
        if self.side(cube) != self.side {
            return Settled::ByEveryReply;
        }
        let (own, other) = (cube.0[self.side], cube.0[1 - self.side]);
        let threats = completing(&self.lines, other, own);
        if threats.is_power_of_two() {
            Settled::By(threats.trailing_zeros() as u8)
        } else if threats != 0 {
            Settled::Not("the other team completes a line".to_owned())
        } else {
            let mut left = MOST_ATTACKS;
            let is_won = self.wins_by_threes(own, other, u64::MAX, &mut left);
            self.searched += u64::from(MOST_ATTACKS - left) + 1;
            if is_won {
                Settled::Holds
            } else {
                let within =
                    if left == 0 { format!(" within {MOST_ATTACKS} attacks") } else { String::new() };
                Settled::Not(format!("no entry, no forced block and no win by threes{within}"))
            }
        }
    }

    fn searched(&self) -> u64 {
        self.searched
    }
}

/// The blank cells that would complete one of the lines for `own`.
fn completing(lines: &[u64], own: u64, other: u64) -> u64 {
    let rest = lines.iter().map(|line| line & !own);
    rest.filter(|rest| rest.is_power_of_two() && rest & other == 0).fold(0, |cells, rest| cells | rest)
}

/// The 76 lines: four cells one step apart, along a row, a column, a level or a diagonal.
fn lines() -> Vec<u64> {
    let mut lines = Vec::new();
    for start in 0..64 {
        // The other 13 directions are the opposite ones.
        for direction in 14..27 {
            let step = [direction % 3, direction / 3 % 3, direction / 9].map(|it| it as isize - 1);
            let at = |i: isize, axis: usize| coordinates(start)[axis].checked_add_signed(i * step[axis]);
            let on = |i| Some([at(i, 0)?, at(i, 1)?, at(i, 2)?]).filter(|at| at.iter().all(|it| *it < 4));
            let cells: Option<Vec<usize>> = (0..4).map(|i| on(i).map(cell)).collect();
            lines.extend(cells.map(|cells| cells.iter().fold(0, |line, cell| line | 1_u64 << cell)));
        }
    }
    lines
}

/// The symmetries of the lines: coordinates change places, each may be counted from the other
/// end, and all may be renumbered so that opposite numbers stay opposite.
fn symmetries() -> Vec<[u8; 64]> {
    let mut symmetries = Vec::new();
    for numbers in [[0, 1, 2, 3], [0, 2, 1, 3], [1, 0, 3, 2], [1, 3, 0, 2]] {
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            for flips in 0..8 {
                symmetries.push(std::array::from_fn(|from| {
                    let at = order.map(|axis| numbers[coordinates(from)[axis]]);
                    let flip = |axis: usize| if flips >> axis & 1 == 1 { 3 - at[axis] } else { at[axis] };
                    cell([flip(0), flip(1), flip(2)]) as u8
                }));
            }
        }
    }
    symmetries
}

#[cfg(test)]
mod tests;

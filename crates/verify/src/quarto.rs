//! Quarto with the rules `ggp`. A cell is `4 * rank + file`, each from 0. The pieces on the board
//! are four lanes of 16 bits: lane `b` has the cells whose piece has bit `b`.

use super::walk::{Game, Next, Settled, bits, shown};

/// The most positions that one search may visit.
const MOST_POSITIONS: u64 = 1_000_000_000;

/// The ten lines.
const LINES: [u16; 10] = [0x000f, 0x00f0, 0x0f00, 0xf000, 0x1111, 0x2222, 0x4444, 0x8888, 0x8421, 0x1248];

/// A position at the beginning of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Board {
    ones: u64,
    occupied: u16,
    /// The pieces that are neither on the board nor in hand.
    pool: u16,
    /// `None` before the first turn only.
    hand: Option<u8>,
}

impl Board {
    fn placed(&self) -> u32 {
        self.occupied.count_ones()
    }

    fn piece_on(&self, cell: usize) -> Option<u8> {
        let piece = (0..4).map(|bit| ((self.ones >> (16 * bit + cell)) as u8 & 1) << bit).sum();
        (self.occupied >> cell & 1 == 1).then_some(piece)
    }
}

/// A turn: the piece in hand is placed, and the next one is handed over. The first turn has no
/// cell; the one that ends the game has no piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Turn {
    cell: Option<u8>,
    piece: Option<u8>,
}

/// Cells change places, then the bits of every piece are inverted and permuted.
pub(crate) struct Symmetry {
    cells: usize,
    inverted: u8,
    bits: [u8; 4],
}

impl Symmetry {
    fn of_piece(&self, piece: u8) -> u8 {
        let piece = piece ^ self.inverted;
        (0..4).map(|to| (piece >> self.bits[to] & 1) << to).sum()
    }
}

/// The rules of Quarto, and an exhaustive search with its table.
pub(crate) struct Quarto {
    side: usize,
    at_least: u8,
    search_from: u32,
    cells: [[u8; 16]; 32],
    search: Search,
}

impl Quarto {
    pub(crate) fn new() -> Self {
        let cells = symmetries();
        Self { side: 0, at_least: 100, search_from: 0, cells, search: Search::new(&cells) }
    }

    /// Whether the side to move gets at least a draw or, with `win`, 100. `None` if that takes too
    /// many positions.
    fn reaches(&mut self, board: &Board, hand: u8, win: bool) -> Option<bool> {
        if self.search.dangerous(board.ones, board.occupied) >> hand & 1 == 1 {
            return Some(true);
        }
        self.search.left = MOST_POSITIONS;
        self.search.reaches(Node { ones: board.ones, occupied: board.occupied, pool: board.pool, hand }, win)
    }
}

impl Game for Quarto {
    type Position = Board;
    type Turn = Turn;
    /// Whether there is a piece in hand, and the key of the search.
    type Key = (bool, u64);
    type Symmetry = Symmetry;

    const ROLES: [&'static [&'static str]; 2] = [&["white"], &["black"]];
    const CLAIMS: &'static [u8] = &[50, 100];

    fn set_up(&mut self, side: usize, at_least: u8, search_from: Option<u8>) -> Result<(), String> {
        (self.side, self.at_least) = (side, at_least);
        self.search_from = u32::from(search_from.unwrap_or(0));
        if !(1..=16).contains(&self.search_from) {
            return Err("search_from: Quarto needs a number of pieces from 1 to 16".to_owned());
        }
        Ok(())
    }

    fn read(&self, text: &str) -> Result<Board, String> {
        let mut fields = text.split(' ');
        let mut board = Board { ones: 0, occupied: 0, pool: u16::MAX, hand: None };
        let mut take = |c: char| {
            let piece = c.to_digit(16)? as u8;
            let is_there = board.pool >> piece & 1 == 1;
            board.pool &= !(1 << piece);
            is_there.then_some(piece)
        };
        let cells = fields.next().unwrap_or_default().chars().filter(|c| *c != '/');
        for (index, c) in cells.take(16).enumerate() {
            if let Some(piece) = take(c) {
                let cell = 12 - index / 4 * 4 + index % 4;
                board.ones |= spread(piece) << cell;
                board.occupied |= 1 << cell;
            }
        }
        board.hand = fields.next().and_then(|hand| hand.chars().next()).and_then(take);
        // Whatever was overlooked makes a difference here.
        let written = self.write(&board);
        if written != text {
            return Err(format!("{} is no position: {written} would be one", shown(text)));
        }
        if has_line(board.ones, board.occupied) || board.occupied == u16::MAX {
            return Err(format!("{} is the end of a game", shown(text)));
        }
        if board.hand.is_none() && board.occupied != 0 {
            return Err(format!("{} is not at the beginning of a turn", shown(text)));
        }
        Ok(board)
    }

    fn write(&self, board: &Board) -> String {
        let digit = |piece: Option<u8>| piece.and_then(|it| char::from_digit(it.into(), 16));
        let rank =
            |rank: usize| (0..4).map(move |file| digit(board.piece_on(4 * rank + file)).unwrap_or('.'));
        let ranks: Vec<String> = (0..4).rev().map(|it| rank(it).collect()).collect();
        let hand = digit(board.hand).unwrap_or('-');
        format!("{} {hand} {}", ranks.join("/"), ["w", "b"][self.side(board)])
    }

    fn side(&self, board: &Board) -> usize {
        let first = u32::from(board.hand.is_some());
        ((board.placed() + first) % 2) as usize
    }

    fn turns(&self, board: &Board) -> Vec<Turn> {
        let pieces = |cell| bits(board.pool).map(move |piece| Turn { cell, piece: Some(piece) });
        let Some(hand) = board.hand else { return pieces(None).collect() };
        let mut turns = Vec::new();
        for cell in bits(!board.occupied) {
            let (ones, occupied) = put(board.ones, board.occupied, hand, cell);
            if has_line(ones, occupied) || board.pool == 0 {
                turns.push(Turn { cell: Some(cell), piece: None });
            } else {
                turns.extend(pieces(Some(cell)));
            }
        }
        turns
    }

    fn tokens(&self, _board: &Board, turn: Turn) -> impl Iterator<Item = String> {
        let cell = turn.cell.map(|cell| format!("{}{}", char::from(b'a' + cell % 4), cell / 4 + 1));
        cell.into_iter().chain(turn.piece.map(|piece| format!("{piece:04b}")))
    }

    fn play(&self, board: &Board, turn: Turn) -> Next<Board> {
        let mut next = *board;
        if let (Some(cell), Some(hand)) = (turn.cell, board.hand) {
            (next.ones, next.occupied) = put(board.ones, board.occupied, hand, cell);
        }
        let Some(piece) = turn.piece else {
            let is_won = has_line(next.ones, next.occupied);
            let scores = if is_won { [[100, 0], [0, 100]][self.side(board)] } else { [50, 50] };
            return Next::End(scores);
        };
        next.pool &= !(1 << piece);
        next.hand = Some(piece);
        Next::Position(next)
    }

    fn canonical(&self, board: &Board) -> (Self::Key, Symmetry) {
        // Without a hand the board is empty.
        let inverted = board.hand.unwrap_or(0);
        let ones = board.ones ^ (spread(inverted) * u64::from(board.occupied));
        let keys = self.search.keys(ones, board.occupied);
        let (key, cells) = keys.min().unwrap_or_default();
        let mut bits = [0, 1, 2, 3];
        bits.sort_by_key(|bit| self.search.image(cells, (ones >> (16 * bit)) as u16));
        ((board.hand.is_some(), key), Symmetry { cells, inverted, bits })
    }

    fn image(&self, symmetry: &Symmetry, turn: Turn) -> Turn {
        let cell = turn.cell.map(|cell| self.cells[symmetry.cells][usize::from(cell)]);
        Turn { cell, piece: turn.piece.map(|piece| symmetry.of_piece(piece)) }
    }

    fn wins_at_once(&self, board: &Board) -> bool {
        let side = self.side(board);
        let wins = |turn: &Turn| matches!(self.play(board, *turn), Next::End(scores) if scores[side] == 100);
        self.turns(board).iter().any(wins)
    }

    fn settle(&mut self, board: &Board) -> Settled<Turn> {
        let is_own = self.side(board) == self.side;
        match board.hand {
            Some(hand) if board.placed() >= self.search_from => {
                // The other side breaks the claim with a win, or with a draw where a win is claimed.
                let win = (self.at_least == 100) == is_own;
                match self.reaches(board, hand, win) {
                    Some(result) if result == is_own => Settled::Holds,
                    Some(_) => Settled::Not("the search finds that the claim does not hold here".to_owned()),
                    None => Settled::Not(format!("the search visits more than {MOST_POSITIONS} positions")),
                }
            }
            _ if is_own => Settled::Not("no entry".to_owned()),
            _ => Settled::ByEveryReply,
        }
    }

    fn searched(&self) -> u64 {
        self.search.visited
    }
}

/// The bits of a piece, each in its lane.
const fn spread(piece: u8) -> u64 {
    let piece = piece as u64;
    (piece & 1) | (piece & 2) << 15 | (piece & 4) << 30 | (piece & 8) << 45
}

fn put(ones: u64, occupied: u16, piece: u8, cell: u8) -> (u64, u16) {
    (ones | spread(piece) << cell, occupied | 1 << cell)
}

/// Whether a line of four pieces agrees in a bit.
fn has_line(ones: u64, occupied: u16) -> bool {
    (0..4).any(|bit| {
        let lane = (ones >> (16 * bit)) as u16;
        LINES.iter().any(|line| line & lane == *line || line & !lane & occupied == *line)
    })
}

/// The 32 symmetries of the lines: rank and file change places, each may be counted from the other
/// end, and both may be renumbered so that opposite numbers stay opposite.
fn symmetries() -> [[u8; 16]; 32] {
    const NUMBERS: [[usize; 4]; 4] = [[0, 1, 2, 3], [0, 2, 1, 3], [1, 0, 3, 2], [1, 3, 0, 2]];
    std::array::from_fn(|code| {
        std::array::from_fn(|cell| {
            let at = [cell / 4, cell % 4].map(|it| NUMBERS[code / 8][it]);
            let flip = |axis: usize| if code >> axis & 1 == 1 { 3 - at[axis] } else { at[axis] };
            let (rank, file) = (flip(0), flip(1));
            (if code >> 2 & 1 == 1 { 4 * file + rank } else { 4 * rank + file }) as u8
        })
    })
}

/// The pieces that have a bit.
const WITH: [u16; 4] = [0xaaaa, 0xcccc, 0xf0f0, 0xff00];

/// The logarithm of the number of entries of the table, which takes 64 MiB.
const TABLE_BITS: u32 = 23;

/// The least number of blank cells with which a result is worth an entry of the table.
const STORED_FROM: u32 = 8;

/// The least number of blank cells with which ordering the turns pays.
const ORDERED_FROM: u32 = 6;

/// A position with a piece in hand that completes no line.
#[derive(Clone, Copy)]
struct Node {
    ones: u64,
    occupied: u16,
    pool: u16,
    hand: u8,
}

/// Exhaustive search for one claim, so that the number of pieces says what is asked.
struct Search {
    /// For each set of cells those that would complete a line with three of them.
    completing: Vec<u16>,
    /// For each symmetry the image of the low and of the high byte of a set of cells.
    images: Vec<[[u16; 256]; 2]>,
    /// For each set of cells the symmetries that give the least image, as a mask.
    least: Vec<u32>,
    /// Results of positions. An entry is the mixed key without its highest two bits, which follow
    /// from its place, then a bit that it is taken, then the result.
    table: Vec<u64>,
    left: u64,
    visited: u64,
}

impl Search {
    fn new(symmetries: &[[u8; 16]]) -> Self {
        let image = |to: &[u8; 16], cells: u16| bits(cells).map(|cell| 1_u16 << to[usize::from(cell)]).sum();
        let images = |to| [0, 8].map(|shift| std::array::from_fn(|byte| image(to, (byte as u16) << shift)));
        let completing = |cells: u16| {
            LINES
                .iter()
                .map(|line| line & !cells)
                .filter(|rest| rest.is_power_of_two())
                .fold(0, |all, rest| all | rest)
        };
        let mut search = Self {
            completing: (0..=u16::MAX).map(completing).collect(),
            images: symmetries.iter().map(images).collect(),
            least: Vec::new(),
            table: vec![0; 1 << TABLE_BITS],
            left: 0,
            visited: 0,
        };
        let least = |cells| {
            let images: Vec<u16> = (0..symmetries.len()).map(|it| search.image(it, cells)).collect();
            let min = images.iter().min();
            images.iter().enumerate().map(|(index, image)| u32::from(Some(image) == min) << index).sum()
        };
        search.least = (0..=u16::MAX).map(least).collect();
        search
    }

    fn image(&self, symmetry: usize, cells: u16) -> u16 {
        let [low, high] = &self.images[symmetry];
        low[usize::from(cells & 0xff)] | high[usize::from(cells >> 8)]
    }

    /// The pieces that would complete a line.
    fn dangerous(&self, ones: u64, occupied: u16) -> u16 {
        let completes = |cells: u16| self.completing[usize::from(cells)] & !occupied != 0;
        (0..4).fold(0, |pieces, bit| {
            let lane = (ones >> (16 * bit)) as u16;
            let with = if completes(lane) { WITH[bit] } else { 0 };
            let without = if completes(occupied & !lane) { !WITH[bit] } else { 0 };
            pieces | with | without
        })
    }

    /// The same for two nodes if and only if a symmetry takes one to the other. Inverting bits so
    /// that the hand is 0000 leaves no choice, and every piece on the board a bit in some lane; the
    /// order of the bits is that of the lanes by size.
    fn key(&self, node: &Node) -> u64 {
        let ones = node.ones ^ (spread(node.hand) * u64::from(node.occupied));
        self.keys(ones, node.occupied).map(|(key, _)| key).fold(u64::MAX, u64::min)
    }

    /// The lanes by size under each symmetry that gives the least image of the occupied cells.
    fn keys(&self, ones: u64, occupied: u16) -> impl Iterator<Item = (u64, usize)> {
        bits(self.least[usize::from(occupied)]).map(move |symmetry| {
            let symmetry = usize::from(symmetry);
            let [a, b, c, d] = [0, 16, 32, 48].map(|lane| self.image(symmetry, (ones >> lane) as u16));
            let (a, b, c, d) = (a.min(b), a.max(b), c.min(d), c.max(d));
            let (a, b, c, d) = (a.min(c), b.min(d), a.max(c), b.max(d));
            let (b, c) = (b.min(c), b.max(c));
            ([a, b, c, d].into_iter().fold(0, |key, lane| key << 16 | u64::from(lane)), symmetry)
        })
    }

    /// Whether the side to move gets at least a draw or, with `win`, 100. `None` if that takes too
    /// many positions.
    fn reaches(&mut self, node: Node, win: bool) -> Option<bool> {
        self.left = self.left.checked_sub(1)?;
        self.visited += 1;
        let blank = !node.occupied;
        if blank.is_power_of_two() {
            return Some(!win);
        }
        if blank.count_ones() < STORED_FROM {
            return self.any_turn(&node, win);
        }
        let mixed = self.key(&node).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let (place, tag) = ((mixed >> (64 - TABLE_BITS)) as usize, mixed << 2 | 2);
        if self.table[place] | 1 == tag | 1 {
            return Some(self.table[place] & 1 == 1);
        }
        let result = self.any_turn(&node, win)?;
        self.table[place] = tag | u64::from(result);
        Some(result)
    }

    /// Whether a turn reaches that: a placement, and a piece that completes nothing for the other
    /// side.
    fn any_turn(&mut self, node: &Node, win: bool) -> Option<bool> {
        if node.occupied.count_zeros() >= ORDERED_FROM {
            return self.any_turn_in_order(node, win);
        }
        for cell in bits(!node.occupied) {
            let (ones, occupied) = put(node.ones, node.occupied, node.hand, cell);
            for piece in bits(node.pool & !self.dangerous(ones, occupied)) {
                let next = Node { ones, occupied, pool: node.pool & !(1 << piece), hand: piece };
                if !self.reaches(next, !win)? {
                    return Some(true);
                }
            }
        }
        Some(false)
    }

    /// The same, those with the fewest replies first.
    fn any_turn_in_order(&mut self, node: &Node, win: bool) -> Option<bool> {
        let (mut turns, mut count) = ([0_u32; 240], 0);
        for cell in bits(!node.occupied) {
            let (ones, occupied) = put(node.ones, node.occupied, node.hand, cell);
            for piece in bits(node.pool & !self.dangerous(ones, occupied)) {
                let next = Node { ones, occupied, pool: node.pool & !(1 << piece), hand: piece };
                let replies = self.replies(&next);
                if replies == 0 {
                    return Some(true);
                }
                turns[count] = replies << 8 | u32::from(cell) << 4 | u32::from(piece);
                count += 1;
            }
        }
        turns[..count].sort_unstable();
        for turn in &turns[..count] {
            let (cell, piece) = ((turn >> 4 & 15) as u8, (turn & 15) as u8);
            let (ones, occupied) = put(node.ones, node.occupied, node.hand, cell);
            let next = Node { ones, occupied, pool: node.pool & !(1 << piece), hand: piece };
            if !self.reaches(next, !win)? {
                return Some(true);
            }
        }
        Some(false)
    }

    /// The number of turns that hand over nothing that completes a line.
    fn replies(&self, node: &Node) -> u32 {
        let safe = |cell| {
            let (ones, occupied) = put(node.ones, node.occupied, node.hand, cell);
            (node.pool & !self.dangerous(ones, occupied)).count_ones()
        };
        bits(!node.occupied).map(safe).sum()
    }
}

#[cfg(test)]
mod tests;

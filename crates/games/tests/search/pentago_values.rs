//! What is proven of Pentago against perfect values that others computed.
//!
//! They stand in a file beside the repository, and without it there is nothing to compare. The values are
//! those of the published game, which a full board ends only after a last rotation.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::num::NonZeroUsize;

use quintet_core::game::{Outcome, Side};
use quintet_core::knowledge::Effort;
use quintet_core::search::SearchConfig;
use quintet_core::session::EngineConfig;
use quintet_core::solver::{Progress, SettleOptions};

use crate::catalog::{GameId, Rules};
use crate::player::Player;

/// For each position its value for the side to move (-1, 0 or 1), its string, and what follows from that.
type Values = BTreeMap<String, (i8, String, u32, u8, bool)>;

/// `EMPTY` or the color of the stone on each cell, rank by rank.
type Cells = [u8; 36];
const EMPTY: u8 = b'.';

/// A board from which a few plies are left, by brute force.
#[derive(Clone, Copy)]
struct Late {
    cells: Cells,
    /// Whether a full board ends the game at once, as in these rules.
    full_ends: bool,
}

impl Late {
    fn new(board: &str, full_ends: bool) -> Self {
        let mut cells = [EMPTY; 36];
        let mut at = 0;
        for c in board.bytes().filter(|&c| c != b'/') {
            if c.is_ascii_digit() {
                at += usize::from(c - b'0');
            } else {
                cells[at] = c;
                at += 1;
            }
        }
        Self { cells, full_ends }
    }

    fn is_full(&self) -> bool {
        !self.cells.contains(&EMPTY)
    }

    fn has_line(&self, color: u8) -> bool {
        let at = |x: i32, y: i32| {
            (0..6).contains(&x) && (0..6).contains(&y) && self.cells[(6 * y + x) as usize] == color
        };
        let is_line = |x, y, dx, dy| (0..5).all(|i| at(x + i * dx, y + i * dy));
        (0..36).any(|cell| {
            let (x, y) = (cell % 6, cell / 6);
            [(1, 0), (0, 1), (1, 1), (1, -1)].into_iter().any(|(dx, dy)| is_line(x, y, dx, dy))
        })
    }

    fn turned(&self, quadrant: usize, clockwise: bool) -> Self {
        let cell = |x: usize, y: usize| 6 * (3 * (quadrant / 2) + y) + 3 * (quadrant % 2) + x;
        let mut after = *self;
        for (x, y) in (0..9).map(|it| (it % 3, it / 3)) {
            let to = if clockwise { cell(2 - y, x) } else { cell(y, 2 - x) };
            after.cells[to] = self.cells[cell(x, y)];
        }
        after
    }

    /// The value for `color`, which acts.
    fn value(&self, color: u8, rotates: bool) -> i8 {
        let other = if color == b'r' { b'b' } else { b'r' };
        let after_rotation = |next: Self| match (next.has_line(color), next.has_line(other)) {
            (false, false) if next.is_full() => 0,
            (false, false) => -next.value(other, false),
            (own, others) => i8::from(own) - i8::from(others),
        };
        let after_placement = |next: Self| {
            if next.has_line(color) {
                1
            } else if self.full_ends && next.is_full() {
                0
            } else {
                next.value(color, true)
            }
        };
        if rotates {
            let all = (0..4).flat_map(|quadrant| [true, false].map(|it| self.turned(quadrant, it)));
            return all.map(after_rotation).max().expect("there are eight");
        }
        let cells = (0..36).filter(|&cell| self.cells[cell] == EMPTY);
        let all = cells.map(|cell| {
            let mut next = *self;
            next.cells[cell] = color;
            after_placement(next)
        });
        all.max().expect("the board is not full")
    }
}

/// The value that the position has by these rules, if others have this value by the published ones.
fn by_these_rules(string: &str, known: i8) -> i8 {
    let (board, rest) = string.split_once(' ').expect("several fields");
    let color = rest.as_bytes()[0];
    let rotates = rest.ends_with(" rotate");
    let empty: u32 = board.chars().filter_map(|c| c.to_digit(10)).sum();
    if empty > 3 {
        return known;
    }
    let [ours, published] = [true, false].map(|full_ends| Late::new(board, full_ends).value(color, rotates));
    assert_eq!(published, known, "{string}: the published rules are others");
    ours
}

#[test]
fn proven_values_are_those_that_others_computed() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/values/pentago-known-values.json");
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return,
        text => text.expect("it can be read"),
    };
    let values: Values = serde_json::from_str(&text).expect("names with their values");
    let config = SearchConfig { memory: 4 << 20, ..SearchConfig::default() };
    let mut player = Player::new(GameId::Pentago, Rules::Ggp, &EngineConfig::Quintet(config));
    let mut proven = [0; 2];
    for (known, string, ..) in values.values() {
        if let Err(error) = player.session.reset(Some(string)) {
            let is_full = !string.contains(|c: char| c.is_ascii_digit());
            assert!(is_full && string.ends_with("place"), "{string}: {error}");
            continue;
        }
        let side = if string.contains(" r ") { Side::First } else { Side::Second };
        let value = |outcome: Outcome| (outcome.score(side) / 50) as i8 - 1;
        if let Some(outcome) = player.session.outcome() {
            assert_eq!(value(outcome), *known, "{string}");
            continue;
        }
        let known = by_these_rules(string, *known);

        let resources = SettleOptions {
            effort: Effort::positions(2_000),
            memory: 1 << 20,
            threads: NonZeroUsize::MIN,
            wants_strategies: false,
            progress: &Progress::new(),
        };
        let bounds = player.session.settle(&resources).bounds;
        let of_side = bounds.of(side);
        let [lower, upper] = [of_side.lower, of_side.upper].map(|bound| (bound / 50) as i8 - 1);
        assert!((lower..=upper).contains(&known), "{string}: {lower} to {upper}, not {known}");
        proven[0] += u32::from(bounds.outcome().is_some());

        let report = player.iterate(100);
        let claims = report.candidates.iter().map(|it| it.proven.map(value));
        let best = claims.clone().flatten().max().unwrap_or(-1);
        assert!(best <= known, "{string}: a move is worth {best}, not {known}");
        if claims.clone().all(|claim| claim.is_some()) {
            assert_eq!(best, known, "{string}");
            proven[1] += 1;
        }
    }
    assert!(proven[0] > 300 && proven[1] > 20, "{proven:?} are too few to tell");
}

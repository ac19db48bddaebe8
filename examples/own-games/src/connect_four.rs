//! A sixth game: Connect Four, with everything that the search needs to play it.
//!
//! Run it with `cargo run --release --example connect_four`.

use std::fmt;

use quintet::game::{Game, MoveList, Outcome, Role, Side};
use quintet::knowledge::RulesOnly;
use quintet::search::{Budget, Search, SearchConfig};

/// Seven columns of six cells. A column takes seven bits, the topmost of which stays empty, so that no line
/// runs from the top of one column into the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ConnectFour {
    discs: [u64; 2],
    height: [u8; 7],
    ply: u8,
    outcome: Option<Outcome>,
}

/// Drop a disc into a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Column(u8);

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0 + 1)
    }
}

/// Whether four of `discs` are in a row, in one of the directions up, across and the two diagonals.
fn has_four(discs: u64) -> bool {
    [1, 7, 6, 8].iter().any(|step| {
        let pairs = discs & discs >> step;
        pairs & pairs >> (2 * step) != 0
    })
}

impl Game for ConnectFour {
    type Move = Column;

    const ROLES: &'static [Role] =
        &[Role { name: "yellow", side: Side::First }, Role { name: "red", side: Side::Second }];
    const MAX_BRANCHING: usize = 7;
    const MAX_PLIES: usize = 42;

    fn initial() -> Self {
        Self { discs: [0; 2], height: [0; 7], ply: 0, outcome: None }
    }

    fn role_to_move(&self) -> usize {
        usize::from(self.ply % 2)
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn legal_moves(&self, moves: &mut MoveList<Column>) {
        moves.clear();
        if self.outcome.is_none() {
            moves.extend((0..7).filter(|&column| self.height[usize::from(column)] < 6).map(Column));
        }
    }

    fn apply(&mut self, Column(column): Column) {
        let role = self.role_to_move();
        let height = &mut self.height[usize::from(column)];
        self.discs[role] |= 1 << (7 * column + *height);
        *height += 1;
        self.ply += 1;
        if has_four(self.discs[role]) {
            self.outcome = Some(Outcome::Win(Self::ROLES[role].side));
        } else if usize::from(self.ply) == Self::MAX_PLIES {
            self.outcome = Some(Outcome::Draw);
        }
    }
}

#[expect(clippy::print_stdout, reason = "that is what an example is for")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut search = Search::new(SearchConfig::default(), RulesOnly)?;
    let mut position = ConnectFour::initial();
    while position.outcome().is_none() {
        let report = search.run(&position, Budget::iterations(20_000)?)?;
        let best = report.best();
        let role = ConnectFour::ROLES[report.role].name;
        println!("{role:>6} plays {} (expected score {:.1})", best.mv, best.value.unwrap_or_default());
        position.apply(best.mv);
    }
    println!("{:?}", position.outcome());
    Ok(())
}

//! KRK solved: the plies to mate from every placement of the three pieces.
//!
//! [Retrograde analysis](quintet_core::solver::retrograde) gives two tables of all placements, with
//! either side to move and without the step limit: the plies to mate, with white the attacker, and
//! the plies until black is stuck without being in check, with black the attacker. They are
//! computed on first use, in a few milliseconds, and give the exact value of every position:
//!
//! * White wins if and only if the plies to mate are at most the steps left. If they are, white can
//!   force mate in time; if not, black can hold out to the last step without being mated.
//! * Otherwise black wins, at the last step, or earlier if black can force being stuck by then. If
//!   black can't force it, white can prevent it, and the game lasts to the last step.
//!
//! # Example
//!
//! ```
//! use quintet_core::game::{Game, Outcome, Side};
//! use quintet_games::{Krk, Spec};
//! use quintet_games::krk::knowledge;
//!
//! let start = Krk::<Spec>::initial();
//! let value = knowledge::value(&start);
//! assert_eq!((value.outcome, value.plies), (Outcome::Win(Side::First), 3));
//! assert_eq!(knowledge::rated_moves(&start)[0].mv.to_string(), "Kc1-b2");
//!
//! // Mate takes three plies, but only two are left.
//! let late: Krk<Spec> = "k3/4/4/2KR w 9".parse()?;
//! assert_eq!(knowledge::mate_in(&late), Some(3));
//! assert_eq!(knowledge::value(&late).outcome, Outcome::Win(Side::Second));
//! # Ok::<(), quintet_core::game::PositionError>(())
//! ```

use std::sync::LazyLock;

use crate::krk::{Krk, Move, PLACEMENTS};
use crate::{Ggp, HasKnowledge, Ruleset, Spec};
use quintet_core::game::{Game, Outcome, Side};
use quintet_core::knowledge::{Effort, Knowledge, SolveScope, Solved};
use quintet_core::solver::retrograde::{State, plies_to_win};

/// The plies to both goals by placement number; [`NEVER`] where the goal can't be forced.
struct DistanceTable {
    /// White attacks; the goal is mate.
    mate: Vec<u8>,
    /// Black attacks; the goal is being stuck without being in check.
    stuck: Vec<u8>,
}

/// More than any number of steps and any number of plies in the tables.
const NEVER: u8 = u8::MAX;

static SPEC: LazyLock<DistanceTable> = LazyLock::new(DistanceTable::new::<Spec>);
static GGP: LazyLock<DistanceTable> = LazyLock::new(DistanceTable::new::<Ggp>);

impl DistanceTable {
    fn new<R: Ruleset>() -> Self {
        let positions: Vec<Option<Krk<R>>> = (0..PLACEMENTS).map(Krk::from_number).collect();
        let plies_to = |attacker: Side| {
            let state = |position: &Option<Krk<R>>| match position.map(|it| (it.outcome(), it.side_to_move()))
            {
                Some((Some(outcome), _)) if outcome == Outcome::Win(attacker) => State::Won,
                None | Some((Some(_), _)) => State::NotWon,
                Some((None, side)) if side == attacker => State::Attacker,
                Some(_) => State::Defender,
            };
            let states: Vec<State> = positions.iter().map(state).collect();
            let plies = plies_to_win(&states, |number, next| {
                if let Some(position) = &positions[number] {
                    next.extend(position.move_list().into_iter().map(|mv| position.after(mv).number()));
                }
            });
            plies.into_iter().map(|plies| plies.map_or(NEVER, |plies| plies as u8)).collect()
        };
        // Positions built from numbers are at step 1, where the game is over only if black is
        // stuck.
        Self { mate: plies_to(Side::First), stuck: plies_to(Side::Second) }
    }

    fn of<R: Ruleset>() -> &'static Self {
        if R::IS_GGP { &GGP } else { &SPEC }
    }
}

/// The end of the game under best play: the winner wins as quickly as possible, the loser delays
/// it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableValue {
    /// Who wins.
    pub outcome: Outcome,
    /// The plies to the end of the game.
    pub plies: u32,
}

/// Returns the value of `position`, with the step limit.
#[must_use]
#[inline]
pub fn value<R: Ruleset>(position: &Krk<R>) -> TableValue {
    if let Some(outcome) = position.outcome() {
        return TableValue { outcome, plies: 0 };
    }
    let table = DistanceTable::of::<R>();
    let [mate, stuck] = [&table.mate, &table.stuck].map(|plies| u32::from(plies[position.number()]));
    let left = position.steps_left();
    if mate <= left {
        TableValue { outcome: Outcome::Win(Side::First), plies: mate }
    } else {
        TableValue { outcome: Outcome::Win(Side::Second), plies: stuck.min(left) }
    }
}

/// Returns the plies to mate from the placement of `position` without the step limit; `None` if
/// white can't force mate.
#[must_use]
pub fn mate_in<R: Ruleset>(position: &Krk<R>) -> Option<u32> {
    let plies = DistanceTable::of::<R>().mate[position.number()];
    (plies != NEVER).then(|| u32::from(plies))
}

/// Whether black has no move, but is not in check.
fn is_stuck<R: Ruleset>(position: &Krk<R>) -> bool {
    DistanceTable::of::<R>().stuck[position.number()] == 0
}

/// A move and its value. Plies are counted from before the move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RatedMove {
    /// The move.
    pub mv: Move,
    /// The value of the position if this move is played.
    pub value: TableValue,
    /// The plies to mate without the step limit; `None` if white can't force mate after the move.
    pub mate_in: Option<u32>,
}

/// Returns all legal moves of `position`, best first.
///
/// Wins come before losses, with the quickest wins and the longest losses first. Ties go to the
/// shorter mate without the step limit for white and to the longer one for black, which is harder
/// to answer.
#[must_use]
pub fn rated_moves<R: Ruleset>(position: &Krk<R>) -> Vec<RatedMove> {
    let side = position.side_to_move();
    let mut rated: Vec<RatedMove> = position
        .move_list()
        .into_iter()
        .map(|mv| {
            let after = position.after(mv);
            let TableValue { outcome, plies } = value(&after);
            let value = TableValue { outcome, plies: plies + 1 };
            RatedMove { mv, value, mate_in: mate_in(&after).map(|plies| plies + 1) }
        })
        .collect();
    rated.sort_by_key(|RatedMove { value, mate_in, .. }| {
        let plies = i64::from(value.plies);
        let (loses, plies) =
            if value.outcome == Outcome::Win(side) { (false, plies) } else { (true, -plies) };
        let mate = mate_in.map_or(i64::MAX, i64::from);
        (loses, plies, if side == Side::First { mate } else { -mate })
    });
    rated
}

/// Returns all placements at step 1, with white and with black to move: the pieces on different
/// cells, the kings not next to each other.
pub fn placements<R: Ruleset>() -> impl Iterator<Item = Krk<R>> {
    (0..PLACEMENTS).filter_map(Krk::from_number)
}

/// Knowledge of KRK: the exact value of every position.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tablebase;

impl<R: Ruleset> HasKnowledge for Krk<R> {
    type Knowledge = Tablebase;
}

impl<R: Ruleset> Knowledge<Krk<R>> for Tablebase {
    #[inline]
    fn prove(&self, position: &Krk<R>) -> Option<Outcome> {
        Some(value(position).outcome)
    }

    /// Always succeeds: the table needs no effort.
    fn solve(&self, position: &Krk<R>, _: SolveScope, _: Effort) -> Option<Vec<Solved<Move>>> {
        let solved =
            |RatedMove { mv, value, .. }| Solved { mv, outcome: value.outcome, plies: Some(value.plies) };
        Some(rated_moves(position).into_iter().map(solved).collect())
    }

    fn explain(&self, position: &Krk<R>, mv: Move) -> Option<String> {
        let is_whites = position.side_to_move() == Side::First;
        let after = position.play(mv).ok()?;
        let TableValue { outcome, plies } = value(&after);
        let plies = plies + 1;
        // People count the moves of white.
        let moves = |plies: u32| match plies.div_ceil(2) {
            1 => "1 move".to_owned(),
            moves => format!("{moves} moves"),
        };
        Some(match outcome {
            Outcome::Win(Side::First) if plies == 1 => "checkmate".to_owned(),
            Outcome::Win(Side::First) if is_whites => format!("mate in {}", moves(plies)),
            Outcome::Win(Side::First) => format!("mated in {}", moves(plies)),
            _ => match mate_in(&after) {
                // Without the step limit this would be mate.
                Some(mate) if is_whites => {
                    format!("mate takes {}, more than the {} left", moves(mate + 1), position.moves_left())
                }
                Some(_) => "holds out until the moves run out".to_owned(),
                None if is_stuck(&after) => "black is stuck, but not in check".to_owned(),
                None => "black escapes mate for good".to_owned(),
            },
        })
    }
}

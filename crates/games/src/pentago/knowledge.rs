//! Knowledge of Pentago: lines that a placement, a rotation or both complete.

mod board;
mod evaluation;
mod exact;
mod features;
mod lines;
mod priors;
mod solve;
mod threats;
mod vct;

use arrayvec::ArrayVec;

use board::{PentagoBoard, label};
use evaluation::Lines;
use exact::{ExactProver, exactly};
use solve::by_threats;
use vct::{VCT_MEMORY, VctSearch};

use crate::pentago::{CELLS, Move, turned};
use crate::{HasKnowledge, Pentago, Ruleset};
use quintet_core::game::{Game, Outcome, Rng, Side};
use quintet_core::knowledge::{Candidates, Effort, Knowledge, Prover, Selection, SolveScope, Solved, Value};
use quintet_core::learned::{Learned, expectation};
use quintet_cpu::Cpu;

/// Knowledge of Pentago.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PentagoKnowledge;

const WIN: [Outcome; 2] = [Outcome::Win(Side::First), Outcome::Win(Side::Second)];

/// Whether the color that acts at `ply` wins at once: by this ply, or under `ggp` by a placement
/// and the rotation after it. No color has a line yet.
#[inline]
fn wins_at_once<R: Ruleset>(board: &PentagoBoard, ply: u8) -> bool {
    let (color, rotates) = Pentago::<R>::phase(ply);
    if rotates {
        board.wins_by_rotation(color)
    } else if R::IS_GGP {
        board.wins_by_turn(color)
    } else {
        board.wins_by_placing(color)
    }
}

/// Whether the color that rotates at `ply` loses by this rotation: it completes a line of the other
/// color alone, or the other color, which acts next under both rulesets, wins at once.
#[inline]
fn loses_by_rotation<R: Ruleset>(board: &PentagoBoard, ply: u8, rotation: usize) -> bool {
    let (color, _) = Pentago::<R>::phase(ply);
    let after = board.rotated(rotation);
    match [after.has_line(color), after.has_line(1 - color)] {
        [false, false] => wins_at_once::<R>(&after, ply + 1),
        [own, other] => other && !own,
    }
}

/// Whether the color that places a stone at `ply` loses by placing it on the cell with this label:
/// under `spec` the other color, which acts next, wins at once; under `ggp` every rotation that may
/// follow loses. The stone completes no line, and no rotation after it wins.
#[inline]
fn loses_by_placing<R: Ruleset>(board: &PentagoBoard, ply: u8, label: u64) -> bool {
    let (color, _) = Pentago::<R>::phase(ply);
    let after = board.placed(color, label);
    // Otherwise the game is over, or the other color can't have five stones after its next one.
    after.empty() != 0 && after.stones[1 - color].count_ones() >= 4 && loses_after_placing::<R>(&after, ply)
}

/// Whether the color that has placed a stone at `ply`, which led to `board`, loses in the sense of
/// [`loses_by_placing`].
#[inline]
fn loses_after_placing<R: Ruleset>(board: &PentagoBoard, ply: u8) -> bool {
    if R::IS_GGP {
        (0..PentagoBoard::ROTATIONS).all(|rotation| loses_by_rotation::<R>(board, ply + 1, rotation))
    } else {
        wins_at_once::<R>(board, ply + 1)
    }
}

/// Whether the color that acts at `ply`, and does not win at once, is proven lost by a quick check.
#[inline]
fn has_lost<R: Ruleset>(board: &PentagoBoard, ply: u8) -> bool {
    let (color, rotates) = Pentago::<R>::phase(ply);
    if rotates {
        return (0..PentagoBoard::ROTATIONS).all(|rotation| loses_by_rotation::<R>(board, ply, rotation));
    }
    if R::IS_GGP {
        return false;
    }
    let other = 1 - color;
    if Pentago::<R>::phase(ply + 1).1 {
        // The other color rotates next and may make a line. This color is saved only if its stone
        // gives it a line on the same board.
        let empty = board.empty();
        empty & empty.wrapping_sub(1) != 0
            && (0..PentagoBoard::ROTATIONS).any(|rotation| {
                let after = board.rotated(rotation);
                after.has_line(other) && !after.has_line(color) && !after.wins_by_placing(color)
            })
    } else {
        // The other color places next: a single stone can't block two cells.
        board.wins_by_placing(other) && {
            let cells = board.completing(other);
            cells & (cells - 1) != 0
        }
    }
}

impl<R: Ruleset> HasKnowledge for Pentago<R> {
    type Knowledge = Learned<PentagoKnowledge>;
}

impl<R: Ruleset> Knowledge<Pentago<R>> for PentagoKnowledge {
    const SELECTION: Selection = Selection::Puct { c: if R::IS_GGP { 0.9 } else { 1.2 } };

    /// Evaluates the lines of the board: random moves would say less.
    #[inline]
    fn evaluate(&self, position: &Pentago<R>, _: &mut Rng) -> Value {
        let points = evaluation::points::<R>(position.stones, position.ply);
        Value::expected(position.side_to_move(), expectation(points))
    }

    #[inline]
    fn prove(&self, position: &Pentago<R>) -> Option<Outcome> {
        let board = PentagoBoard::new(position.stones);
        let (color, _) = Pentago::<R>::phase(position.ply);
        if wins_at_once::<R>(&board, position.ply) {
            Some(WIN[color])
        } else if has_lost::<R>(&board, position.ply) {
            Some(WIN[1 - color])
        } else {
            None
        }
    }

    fn candidates(&self, position: &Pentago<R>, moves: &mut Candidates<Move>) {
        let board = PentagoBoard::new(position.stones);
        let ply = position.ply;
        let (color, rotates) = Pentago::<R>::phase(ply);
        let legal = position.move_list();
        if wins_at_once::<R>(&board, ply)
            && let Some(&mv) = legal.iter().find(|&&mv| starts_win::<R>(&board, ply, mv))
        {
            moves.push((mv, 1.0));
            return;
        }
        if rotates {
            let cpu = Cpu::best();
            // Of several rotations that make the same board, the first.
            let mut boards = ArrayVec::<[u64; 2], { PentagoBoard::ROTATIONS }>::new();
            for mv in &legal {
                let rotation = mv.rotation();
                let stones = position.stones.map(|it| turned(it, rotation));
                if boards.contains(&stones) {
                    continue;
                }
                boards.push(stones);
                let lines = Lines::new(cpu, stones, 1 - color);
                if lines.are_quiet() || !loses_by_rotation::<R>(&board, ply, rotation) {
                    let points = -evaluation::points_of::<R>(cpu, &lines, stones, ply + 1);
                    moves.push((*mv, priors::weight(points, evaluation::ROTATION_SCALE)));
                }
            }
        } else {
            let worth = if R::IS_GGP { &priors::GGP } else { &priors::SPEC };
            let points = priors::placements(position.stones, color, worth);
            // A stone can only get in the way of the other color's lines, so what saves a color without the
            // stone also saves it with the stone.
            let any_loses = loses_after_placing::<R>(&board, ply);
            for mv in &legal {
                if !(any_loses && loses_by_placing::<R>(&board, ply, label(mv.0))) {
                    let points = points[usize::from(mv.0) % CELLS];
                    moves.push((*mv, priors::weight(points, priors::PLACEMENT_SCALE)));
                }
            }
        }
        if moves.is_empty() {
            moves.push((legal[0], 1.0));
        }
    }

    /// By a search to the end in late positions, or else a move that wins by a VCT.
    fn solve(&self, position: &Pentago<R>, wanted: SolveScope, effort: Effort) -> Option<Vec<Solved<Move>>> {
        exactly(position, wanted, effort).or_else(|| by_threats(position, effort))
    }

    /// Solves late positions, and under `ggp` looks for VCTs.
    fn prover(&self, memory: usize) -> Option<Box<dyn Prover<Pentago<R>>>> {
        // A search for VCTs of plies, not turns, finds too few under `spec` to be worth its time
        // (results/log/2026-11-29-pentago.md).
        if !R::IS_GGP {
            return Some(Box::new(ExactProver));
        }
        (memory >= VctSearch::<R>::MIN_MEMORY)
            .then(|| Box::new(VctSearch::new(memory.min(VCT_MEMORY))) as Box<dyn Prover<_>>)
    }

    fn explain(&self, position: &Pentago<R>, mv: Move) -> Option<String> {
        match (why(position, mv), first_alike(position, mv)) {
            (Some(NOTHING), Some(first)) => Some(format!("{NOTHING}, same as {first}")),
            (Some(why), _) => Some(why.to_owned()),
            (None, first) => Some(format!("makes the same board as {}", first?)),
        }
    }
}

/// The first rotation that makes the same board as `mv`, if that is another one.
fn first_alike<R: Ruleset>(position: &Pentago<R>, mv: Move) -> Option<Move> {
    if !Pentago::<R>::phase(position.ply).1 {
        return None;
    }
    let alike = |&other: &Move| position.after(other).stones == position.after(mv).stones;
    position.move_list().into_iter().find(alike).filter(|&first| first != mv)
}

/// What a rotation that leaves the board alone is said to do.
const NOTHING: &str = "changes nothing";

/// What is known for certain about a legal move.
fn why<R: Ruleset>(position: &Pentago<R>, mv: Move) -> Option<&'static str> {
    let board = PentagoBoard::new(position.stones);
    let ply = position.ply;
    let (color, rotates) = Pentago::<R>::phase(ply);
    let next = position.after(mv);
    match next.outcome() {
        Some(Outcome::Draw) if next.empty() == 0 => return Some("fills the board: a draw"),
        Some(Outcome::Draw) => return Some("lines of both colors: a draw"),
        Some(outcome) if outcome == WIN[color] => return Some("wins at once"),
        Some(_) => return Some("loses at once"),
        None => {}
    }
    let after = PentagoBoard::new(next.stones);
    let (next_color, _) = Pentago::<R>::phase(next.ply);
    let is_own = next_color == color;
    if wins_at_once::<R>(&after, next.ply) {
        return Some(if is_own { "wins with the next rotation" } else { "lets the opponent win at once" });
    }
    if has_lost::<R>(&after, next.ply) {
        return Some(if is_own { "loses whatever rotation follows" } else { "wins by force" });
    }
    if rotates {
        return (next.stones == position.stones).then_some(NOTHING);
    }
    (board.completing(1 - color) & label(mv.0) != 0).then_some("blocks a line")
}

/// Whether a legal move wins, or is a placement after which a rotation wins.
fn starts_win<R: Ruleset>(board: &PentagoBoard, ply: u8, mv: Move) -> bool {
    let (color, rotates) = Pentago::<R>::phase(ply);
    if rotates {
        let after = board.rotated(mv.rotation());
        after.has_line(color) && !after.has_line(1 - color)
    } else {
        let after = board.placed(color, label(mv.0));
        after.has_line(color) || R::IS_GGP && after.empty() != 0 && after.wins_by_rotation(color)
    }
}

#[cfg(test)]
mod tests;

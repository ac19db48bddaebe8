//! What the engines thought during a game: data for the viewer's graph, and blunders.
//!
//! The data is a string with one word for each move, `-` if nothing is known. A word has these
//! numbers in base 36, joined by `.`; unknown ones are empty, and left out at the end:
//!
//! * the value for the role that moved, in thousandths;
//! * the iterations;
//! * the time in milliseconds;
//! * the proven value in half points;
//! * the depth in plies;
//! * the CPU time in milliseconds.

use quintet_core::game::Side;
use quintet_protocol::{End, Thought};

use super::entry::CheckedGame;

/// How far an opinion must fall for a blunder, in points of 100.
pub(super) const FALL: f64 = 30.0;

/// A move after which an engine's opinion of the side that made it fell.
///
/// The opinion is a thought's value, the proven one if there is one. The engine of the side that
/// moved compares its thought about the move with its next one. The other engine compares its
/// thoughts before and after all moves that the side made in a row, and the last of them counts as
/// the blunder. The result of a game that ended by the rules is the last opinion of both. If the
/// value before a move is proven, a fall to no less than that is none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Blunder {
    /// The ply, from 1.
    pub(super) ply: usize,
    /// The opinion before and after, 0 to 100 for the side that moved.
    pub(super) opinions: [f64; 2],
    /// The side whose engine says so: 0 or 1.
    pub(super) by: usize,
}

/// Returns the data for the viewer; `None` if nothing is known of any move.
pub(super) fn data(thoughts: &[Option<Thought>]) -> Option<String> {
    let words = thoughts.iter().map(|thought| thought.as_ref().map_or("-".to_owned(), word));
    thoughts.iter().any(Option::is_some).then(|| words.collect::<Vec<_>>().join(" "))
}

fn word(thought: &Thought) -> String {
    let numbers = [
        thought.value.map(|value| (value * 10.0).round() as u64),
        thought.iterations,
        Some(thought.ms),
        thought.proven.map(|value| u64::from(value / 50)),
        thought.depth.map(u64::from),
        thought.cpu_ms,
    ];
    numbers.map(|number| number.map_or(String::new(), base_36)).join(".").trim_end_matches('.').to_owned()
}

fn base_36(number: u64) -> String {
    let digits = std::iter::successors(Some(number), |rest| (*rest >= 36).then_some(rest / 36));
    let mut digits: Vec<char> = digits.filter_map(|rest| char::from_digit((rest % 36) as u32, 36)).collect();
    digits.reverse();
    digits.into_iter().collect()
}

/// Returns the blunders of a game, at most one for each ply. `turns` has the role to move at each
/// position, as a film has it.
pub(super) fn blunders(entry: &CheckedGame, turns: &str) -> Vec<Blunder> {
    let thoughts = &entry.record.thoughts;
    let roles = entry.game.roles;
    let side = |digit: char| {
        let role = digit.to_digit(36).and_then(|index| roles.get(index as usize));
        usize::from(role.is_some_and(|role| role.side == Side::Second))
    };
    let sides: Vec<usize> = turns.chars().take(thoughts.len()).map(side).collect();
    // All opinions are those of the first side here.
    let seen_by = |side: usize, score: f64| if side == 0 { score } else { 100.0 - score };
    let opinion = |index: usize| {
        let thought = thoughts[index].as_ref()?;
        let score = thought.proven.map(f64::from).or(thought.value)?;
        Some(seen_by(sides[index], score))
    };
    let result = (entry.record.end == End::Rules).then(|| f64::from(entry.half_points) * 50.0);

    let count = sides.len();
    let of_ply = |index: usize| {
        let mover = sides[index];
        let own = || {
            let next = (index + 1..count).find(|&next| sides[next] == mover);
            Some((mover, opinion(index)?, next.map_or(result, opinion)?))
        };
        let others = || {
            let ends_run = sides.get(index + 1).is_none_or(|&next| next != mover);
            let before = (0..index).rev().find(|&earlier| sides[earlier] != mover)?;
            let after = if index + 1 == count { result } else { opinion(index + 1) };
            Some((1 - mover, opinion(before)?, after?)).filter(|_| ends_run)
        };
        let falls = [own(), others()].into_iter().flatten().map(|(by, before, after)| Blunder {
            ply: index + 1,
            opinions: [before, after].map(|score| seen_by(mover, score)),
            by,
        });
        let fall = |it: &Blunder| it.opinions[0] - it.opinions[1];
        // A thought holds for the position before its move and, if it is proven, after it.
        let proven =
            |index: usize| thoughts[index].as_ref().and_then(|it| it.proven).and_then(|_| opinion(index));
        let known = proven(index).or_else(|| proven(index.checked_sub(1)?));
        let had_more = |it: &Blunder| known.is_none_or(|known| it.opinions[1] < seen_by(mover, known));
        falls.filter(|it| fall(it) >= FALL && had_more(it)).max_by(|a, b| fall(a).total_cmp(&fall(b)))
    };
    (0..count).filter_map(of_ply).collect()
}

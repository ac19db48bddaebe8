//! Rollouts in lanes as knowledge of a search.

use std::cell::RefCell;

use arrayvec::ArrayVec;
use quintet_core::game::{DRAW_SCORE, Game, MAX_MOVES, MAX_SCORE, MAX_SIDES, Outcome, Rng, Side};
use quintet_core::knowledge::{
    Candidates, Effort, Knowledge, RulesOnly, Selection, SolveScope, Solved, Value,
};
use quintet_core::solver::{Claim, DfPn, KnowledgeHeuristic};

use crate::bits::{GAMES, Mask, WORDS};
use crate::compiled::Compiled;
use crate::game::{Move, Position};
use crate::lanes::{FirstMoves, Room};
use crate::limits::MAX_ROLES;
use crate::playing::Played;

/// Values a position by 512 random games, which are played at once and begin with each of its moves in turn. So they tell
/// which moves are promising, too, and which end the game.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LaneRollouts;

/// The memory of a solver, in bytes.
const SOLVER_MEMORY: usize = 64 << 20;

/// How much better a move has to be, in points, to get *e* times the weight. Chosen by matches.
const TEMPERATURE: f32 = 10.0;

/// The part of the weights that all moves share alike, since few games tell little.
const SHARED: f32 = 0.1;

/// The positions that a thread remembers.
const REMEMBERED: usize = 2_048;

/// What random games told of a position.
#[derive(Debug, Clone)]
struct Evaluation {
    position: Position,
    value: Value,
    /// The weights of the legal moves, in order.
    weights: Vec<f32>,
    proven: Option<Outcome>,
    /// The lane in which the first role did best, and its goal there.
    best: (usize, u8),
}

/// What a thread remembers, by the last bits of keys, and the values of its lanes.
#[derive(Debug, Default)]
struct Memory {
    evaluations: Vec<Option<Evaluation>>,
    room: Room,
}

thread_local! {
    static MEMORY: RefCell<Memory> = RefCell::default();
}

/// Looks at what random games tell of a position that is not over.
fn look<T>(position: &Position, look: impl FnOnce(&Evaluation) -> T) -> T {
    // Nothing that is done meanwhile asks for more of it, and a thread that ends gets a new one.
    let mut memory = MEMORY.try_with(RefCell::take).unwrap_or_default();
    if memory.evaluations.is_empty() {
        memory.evaluations.resize_with(REMEMBERED, || None);
    }
    let key = position.key();
    let known = &mut memory.evaluations[key as usize % REMEMBERED];
    if known.as_ref().is_some_and(|it| it.position != *position) {
        *known = None;
    }
    let found = look(known.get_or_insert_with(|| Evaluation::of(position, key, &mut memory.room)));
    let _ = MEMORY.try_with(|it| it.replace(memory));
    found
}

/// The games that began with one move.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    games: u32,
    /// The sum of the goals of each role.
    goals: [u32; MAX_ROLES],
    /// The games that had no end within the limit.
    unfinished: u32,
    /// The games that were over after the move.
    short: u32,
}

/// The tallies of the first moves, which the lanes make in turn.
fn tallies(played: &Played, moves: usize) -> Vec<Tally> {
    let mut all = vec![Tally::default(); moves];
    let each = |lanes: &Mask, work: &mut dyn FnMut(usize)| {
        for (word, &bits) in lanes.iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                work((GAMES * word + bits.trailing_zeros() as usize) % moves);
                bits &= bits - 1;
            }
        }
    };
    each(&[u64::MAX; WORDS], &mut |mv| all[mv].games += 1);
    for (role, goals) in played.goals.iter().enumerate() {
        for (goal, lanes) in goals {
            each(lanes, &mut |mv| all[mv].goals[role] += u32::from(*goal));
        }
    }
    each(&played.unfinished, &mut |mv| all[mv].unfinished += 1);
    each(&played.short, &mut |mv| all[mv].short += 1);
    all
}

impl Compiled {
    /// Whether only the side to move decides how a step ends, and what is proven of it holds for all.
    fn has_one_choice(&self, side: Side) -> bool {
        side != Side::Chance && !self.kind.has_simultaneous_moves() && !self.scores.is_independent()
    }

    /// What games that ended so are worth to each player, from 0 to 100.
    fn scores(&self, tally: &Tally) -> ArrayVec<f32, MAX_SIDES> {
        let part = |count: u32| count as f32 / tally.games as f32;
        // Games without an end are draws of the first two sides, as they are elsewhere. Who plays alone gets nothing.
        let unfinished =
            if self.players() == 1 { 0.0 } else { f32::from(DRAW_SCORE) * part(tally.unfinished) };
        let mean = |role: usize| part(tally.goals[role]) + if role < 2 { unfinished } else { 0.0 };
        if self.shares_score() {
            let first = f32::midpoint(mean(0), 100.0 - mean(1));
            return [first, 100.0 - first].into_iter().collect();
        }
        (0..self.players()).map(mean).collect()
    }
}

/// The first moves of the games of a position, and how many there are.
fn first_moves(position: &Position, compiled: &Compiled) -> (FirstMoves, usize) {
    let legal = compiled.legal(position.fluents());
    let moves: ArrayVec<u16, MAX_MOVES> = compiled.legal_of(&legal, position.role_to_move()).collect();
    let chosen: ArrayVec<u16, MAX_ROLES> = position.chosen().collect();
    (compiled.lanes.first_moves(&legal, &chosen, &moves), moves.len().max(1))
}

/// The lane in which the first role did best, and its goal there.
fn best_lane(played: &Played) -> (usize, u8) {
    let reached = |lanes: &Mask| lanes.iter().position(|&it| it != 0).map(|word| (word, lanes[word]));
    let found = played.goals[0].iter().find_map(|(goal, lanes)| Some((*goal, reached(lanes)?)));
    found.map_or((0, 0), |(goal, (word, bits))| (GAMES * word + bits.trailing_zeros() as usize, goal))
}

impl Evaluation {
    fn of(position: &Position, key: u64, room: &mut Room) -> Self {
        let nothing = Self {
            position: *position,
            value: Outcome::Draw.into(),
            weights: Vec::new(),
            proven: None,
            best: (0, 0),
        };
        position.look(|compiled| Self::by_games(position, compiled, key, room)).unwrap_or(nothing)
    }

    fn by_games(position: &Position, compiled: &Compiled, key: u64, room: &mut Room) -> Self {
        let (first, moves) = first_moves(position, compiled);
        let played = compiled.lanes.play(position.fluents(), key, &first, room);
        let tallies = tallies(&played, moves);
        let scores: Vec<ArrayVec<f32, MAX_SIDES>> = tallies.iter().map(|it| compiled.scores(it)).collect();
        let side = position.side_to_move();
        let own: Vec<f32> = scores.iter().map(|it| it.get(side as usize).copied().unwrap_or(0.0)).collect();
        let best = own.iter().copied().fold(0.0, f32::max);
        let mut weights: Vec<f32> = own.iter().map(|score| falling((best - score) / TEMPERATURE)).collect();
        let count = weights.len() as f32;
        let shared = SHARED * weights.iter().sum::<f32>() / count;
        for it in &mut weights {
            *it = (1.0 - SHARED) * *it + shared;
        }
        // All moves are as likely in a random game.
        let mean = |player: usize| scores.iter().map(|it| it[player]).sum::<f32>() / count;
        let mean: ArrayVec<f32, MAX_SIDES> = (0..compiled.players()).map(mean).collect();
        let value = if compiled.shares_score() || mean.len() == 1 {
            Value::expected(Side::First, mean[0] / f32::from(DRAW_SCORE) - 1.0)
        } else {
            Value::of_scores(&mean)
        };
        let proven = compiled.has_one_choice(side).then(|| proven(compiled, &tallies, side)).flatten();
        Self { position: *position, value, weights, proven, best: best_lane(&played) }
    }
}

/// About *e* to the power of `-x`, the same on every machine.
fn falling(x: f32) -> f32 {
    let root = 1.0 / (1.0 + x / 16.0);
    let power = |x: f32| x * x;
    power(power(power(power(root))))
}

/// What is proven by the games that were over after one move, if these have one side to choose: a win, or the best of
/// all moves if each ends the game.
fn proven(compiled: &Compiled, tallies: &[Tally], side: Side) -> Option<Outcome> {
    let ended = || tallies.iter().filter(|tally| tally.short > 0);
    // Games that are over after the same move have the same goals.
    let outcome = |tally: &Tally| compiled.outcome_of(tally.goals.map(|goals| (goals / tally.games) as u8));
    let best = ended().map(outcome).max_by_key(|it| it.score(side))?;
    let is_certain = best.score(side) == MAX_SCORE || ended().count() == tallies.len();
    is_certain.then_some(best)
}

impl Knowledge<Position> for LaneRollouts {
    const SELECTION: Selection = Selection::Puct { c: 0.35 };
    /// Games in lanes take ten to a thousand times as long as the evaluations of other games.
    const LEAST_BATCH: u32 = 8;

    fn evaluate(&self, position: &Position, _: &mut Rng) -> Value {
        look(position, |it| it.value)
    }

    fn line(&self, position: &Position, above: u8) -> Option<Vec<Move>> {
        let (lane, goal) = look(position, |it| it.best);
        if goal <= above {
            return None;
        }
        position.look(|compiled| {
            let (first, _) = first_moves(position, compiled);
            let mut at = *position;
            let mut line = Vec::new();
            for numbers in compiled.lanes.follow(position.fluents(), position.key(), &first, lane) {
                let legal = compiled.legal(at.fluents());
                let moves = at.move_list();
                let drawn = compiled.lanes.moves_by(&numbers, &legal).next();
                let mv = moves.iter().copied().find(|it| drawn.is_none_or(|drawn| it.is(drawn)));
                let Some(mv) = mv.filter(|_| at.outcome().is_none()) else { break };
                line.push(mv);
                at.apply(mv);
            }
            line
        })
    }

    fn candidates(&self, position: &Position, moves: &mut Candidates<Move>) {
        look(position, |it| moves.extend(position.move_list().into_iter().zip(it.weights.iter().copied())));
    }

    /// By df-pn: puzzles, as random games never come upon a long line to the best score; and for two players small games
    /// and the ends of others.
    fn solve(&self, position: &Position, scope: SolveScope, effort: Effort<'_>) -> Option<Vec<Solved<Move>>> {
        /// Before a search between two players this part of the positions is looked at, and of the time: most are too
        /// many.
        const PART: u64 = 16;
        let has_one_player = position.kind().has_one_player();
        let effort = if has_one_player || scope == SolveScope::Best {
            effort
        } else {
            let brief = effort.in_half_the_time().in_half_the_time().in_half_the_time();
            Effort { positions: effort.positions / PART, ..brief }
        };
        let side = position.side_to_move();
        let scores = position.scores().of(side);
        let [lowest, mut score] = scores.ends();
        let solved = |mv, score| Solved { mv, outcome: Outcome::of_score(side, score), plies: None };
        let moves = position.move_list();
        while score > lowest {
            let claim = Claim { side, score };
            let mut search = DfPn::new(KnowledgeHeuristic(&RulesOnly), claim, SOLVER_MEMORY);
            if search.decide(position, effort)? {
                let mv =
                    moves.iter().find(|&&mv| search.decide(&position.after(mv), effort) == Some(true))?;
                return Some(vec![solved(*mv, score)]);
            }
            if has_one_player {
                return None;
            }
            score = scores.below(score);
        }
        Some(moves.into_iter().map(|mv| solved(mv, lowest)).collect())
    }

    fn prove(&self, position: &Position) -> Option<Outcome> {
        look(position, |it| it.proven)
    }
}

#[cfg(test)]
mod tests {
    use quintet_core::game::{Notation as _, Rules};

    use super::*;
    use crate::Limits;

    fn start(text: &str) -> (Rules<Compiled>, Position) {
        let rules = Rules::new(Compiled::new(text, Limits::default()).expect("it is right"));
        let start = Position::start(&rules);
        (rules, start)
    }

    /// Whoever takes the last of nine sticks wins; one or two may be taken.
    const NIM: &str = "(role a) (role b) (init (heap 9)) (init (turn a))
        (<= (legal ?p (take ?n)) (true (turn ?p)) (true (heap ?h)) (minus ?h ?n ?rest))
        (<= (legal ?p noop) (role ?p) (not (true (turn ?p))))
        (<= (next (heap ?rest)) (does ?p (take ?n)) (true (heap ?h)) (minus ?h ?n ?rest))
        (<= (next (turn ?q)) (role ?q) (not (true (turn ?q))))
        (<= terminal (true (heap 0)))
        (<= (goal ?p 100) (role ?p) (not (true (turn ?p)))) (<= (goal ?p 0) (true (turn ?p)))
        (<= (minus ?h 1 ?r) (after ?r ?h)) (<= (minus ?h 2 ?r) (after ?r ?m) (after ?m ?h))
        (after 0 1) (after 1 2) (after 2 3) (after 3 4) (after 4 5) (after 5 6) (after 6 7) (after 7 8) (after 8 9)";

    #[test]
    fn moves_that_end_the_game_are_proven() {
        let (_rules, start) = start(NIM);
        let mut position = start;
        for sticks in (1..=9).rev() {
            let proven = LaneRollouts.prove(&position);
            let expected = (sticks < 3).then(|| Outcome::Win(position.side_to_move()));
            assert_eq!(proven, expected, "{sticks} sticks");
            position.apply(position.move_list()[0]);
        }
    }

    #[test]
    fn what_is_proven_is_the_score_of_the_end_though_no_random_game_came_to_it() {
        let numbers = (0..40).map(|it| format!("(number {it})")).collect::<Vec<_>>().concat();
        let (_rules, start) = start(&format!(
            "(role a) (role b) (init (run 0)) (init (step 0)) (then 0 1) (then 1 2) (then 2 3) {numbers}
            (<= (legal a (say ?x)) (number ?x)) (legal b noop)
            (<= (next (run ?m)) (true (run ?n)) (then ?n ?m) (does a (say 7)))
            (<= (next (run ?n)) (true (run ?n)) (not (does a (say 7))))
            (<= (next (step ?m)) (true (step ?n)) (then ?n ?m)) (<= terminal (true (step 3)))
            (<= (goal a 100) (true (run 3))) (<= (goal b 1) (true (run 3)))
            (<= (goal a 30) (not (true (run 3)))) (<= (goal b 70) (not (true (run 3))))"
        ));
        let before = start.read("(run 2) (step 2)").expect("it is a position");
        let proven = LaneRollouts.prove(&before).map(|it| it.score(Side::First));
        let best = before.move_list().into_iter().filter_map(|mv| before.after(mv).outcome());
        assert_eq!(proven, best.map(|it| it.score(Side::First)).max());
        assert_eq!(proven, Some(99));
    }

    #[test]
    fn better_moves_have_larger_weights_and_what_is_remembered_changes_nothing() {
        let (_rules, start) = start(NIM);
        let weights = |position: &Position| {
            let mut moves = Candidates::new();
            LaneRollouts.candidates(position, &mut moves);
            moves.into_iter().map(|it| it.1).collect::<Vec<f32>>()
        };
        let four = (0..5).fold(start, |position, _| position.after(position.move_list()[0]));
        let known = weights(&four);
        // One of four sticks leaves three, with which the other loses against the best play.
        assert!(known[0] > 1.5 * known[1], "{known:?}");
        let elsewhere = std::thread::spawn(move || weights(&four)).join().expect("no panic");
        assert_eq!(elsewhere, known);
    }

    #[test]
    fn the_best_game_in_lanes_can_be_played_again() {
        // Four moves of three kinds; each of the first kind scores.
        let (_rules, start) = start(
            "(role r) (init (step 0)) (init (points 0)) (next-of 0 1) (next-of 1 2) (next-of 2 3) (next-of 3 4)
            (kind left) (kind right) (kind up) (<= (legal r ?k) (kind ?k))
            (<= (next (step ?m)) (true (step ?n)) (next-of ?n ?m))
            (<= (next (points ?m)) (true (points ?n)) (does r left) (next-of ?n ?m))
            (<= (next (points ?n)) (true (points ?n)) (not (does r left)))
            (<= terminal (true (step 4)))
            (<= (goal r 100) (true (points 4))) (<= (goal r 50) (true (points 3))) (<= (goal r 0) (not (true (points 4))))",
        );
        let line = LaneRollouts.line(&start, 50).expect("some of the games have 100");
        assert_eq!(line.iter().map(ToString::to_string).collect::<Vec<_>>(), ["left"; 4]);
        let end = line.into_iter().fold(start, Position::after);
        assert_eq!(end.outcome().map(|it| it.score(Side::First)), Some(100));
        assert_eq!(LaneRollouts.line(&start, 100), None);
    }

    #[test]
    fn a_puzzle_that_random_games_do_not_solve_is_solved() {
        // Twenty keys in the right order open the lock.
        let keys = |it: u32| if it.is_multiple_of(3) { "left" } else { "right" };
        let steps: Vec<String> = (0..20).map(|it| format!("(step {it} {} {})", it + 1, keys(it))).collect();
        let steps = steps.concat();
        let text = format!(
            "(role a) (init (at 0)) (init (time 0)) {steps} (key left) (key right)
             (<= (legal a (turn ?k)) (key ?k))
             (<= (next (at ?m)) (true (at ?n)) (step ?n ?m ?k) (does a (turn ?k)))
             (<= (next (time ?m)) (true (time ?n)) (step ?n ?m ?k))
             (<= terminal (true (time 20))) (<= (goal a 100) (true (at 20))) (<= (goal a 0) (not (true (at 20))))"
        );
        let (_rules, start) = start(&text);
        let mut position = start;
        for at in 0..20 {
            let solved = LaneRollouts.solve(&position, SolveScope::Best, Effort::positions(1_000));
            let best = solved.expect("it is solved")[0];
            assert_eq!(
                (best.mv.to_string(), best.outcome),
                (format!("turn-{}", keys(at)), Outcome::Win(Side::First))
            );
            position.apply(best.mv);
        }
        let lost = start.after(start.parse_move("turn-right").expect("a move"));
        assert_eq!(LaneRollouts.solve(&lost, SolveScope::Best, Effort::positions(1_000)), None);
    }

    /// Who wins, by going through all games.
    fn winner(position: &Position) -> Side {
        let side = position.side_to_move();
        match position.outcome() {
            Some(Outcome::Win(winner)) => winner,
            Some(other) => panic!("{other:?} at {position}"),
            None if position.move_list().iter().any(|&mv| winner(&position.after(mv)) == side) => side,
            None => side.opponent(),
        }
    }

    #[test]
    fn small_games_for_two_are_solved() {
        // Whoever hits the last of five pins in a row wins; one may be hit, or two side by side.
        let (_rules, start) = start(
            "(role a) (role b) (init (turn a)) (pin 1) (pin 2) (pin 3) (pin 4) (pin 5)
             (by 1 2) (by 2 3) (by 3 4) (by 4 5)
             (<= (up ?x) (pin ?x) (not (true (down ?x))))
             (<= (legal ?p (hit ?x)) (true (turn ?p)) (up ?x))
             (<= (legal ?p (both ?x ?y)) (true (turn ?p)) (by ?x ?y) (up ?x) (up ?y))
             (<= (legal ?p noop) (role ?p) (not (true (turn ?p))))
             (<= (next (down ?x)) (true (down ?x)))
             (<= (next (down ?x)) (does ?p (hit ?x)))
             (<= (next (down ?x)) (does ?p (both ?x ?y)))
             (<= (next (down ?y)) (does ?p (both ?x ?y)))
             (<= (next (turn ?q)) (role ?q) (not (true (turn ?q))))
             (<= stands (up ?x)) (<= terminal (not stands))
             (<= (goal ?p 100) (role ?p) (not (true (turn ?p)))) (<= (goal ?p 0) (true (turn ?p)))",
        );
        let all = Effort::positions(100_000);
        for seed in 0..20 {
            let mut position = start;
            let mut rng = Rng::stream(2, seed);
            while position.outcome().is_none() {
                for scope in [SolveScope::Best, SolveScope::All] {
                    let solved = LaneRollouts.solve(&position, scope, all).expect("it is small");
                    assert_eq!(solved[0].outcome, Outcome::Win(winner(&position)), "{position}");
                    assert_eq!(winner(&position.after(solved[0].mv)), winner(&position), "{position}");
                }
                position.apply(position.random_move(&mut rng));
            }
        }
        let best = LaneRollouts.solve(&start, SolveScope::Best, all).expect("it is small")[0];
        assert_eq!(best.mv.to_string(), "hit-3");
        assert_eq!(LaneRollouts.solve(&start, SolveScope::All, Effort::positions(64)), None);
    }
}

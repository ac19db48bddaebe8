//! Checks that a game keeps its promises: plays it at random, and tells what is wrong with it, with the
//! moves that lead there.
//!
//! A search trusts its game. A move list that is empty too early, positions that are equal and go on
//! differently, or a position string that forgets a flag make it play wrongly without a word. [`check`]
//! finds such faults where random games come by them; it proves nothing.

mod chance;
mod position;
mod rule;

use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::game::{MAX_MOVES, Notation, Rng, Values};
use crate::hash::Fnv1a;
use chance::Distance;
use position::{Facts, Position};
pub use rule::Rule;

/// How a game is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckOptions {
    /// The number of random games.
    pub games: u32,
    /// The seed of the random streams.
    pub seed: u64,
}

/// 200 games.
impl Default for CheckOptions {
    fn default() -> Self {
        Self { games: 200, seed: 0 }
    }
}

/// What a check has found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// The number of games played; fewer than asked for if the check was stopped, or the games are long.
    pub games: u32,
    /// The length of the shortest and the longest game, in plies.
    pub plies: [usize; 2],
    /// The number of different positions.
    pub positions: u64,
    /// The most legal moves of a position.
    pub most_moves: usize,
    /// The number of sequences of 1, 2, 3, … moves from the start.
    pub perft: Vec<u64>,
    /// What is wrong, each promise once.
    pub faults: Vec<Fault>,
}

/// A promise that a game does not keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The promise.
    pub rule: Rule,
    /// How it is broken, where this was seen first.
    pub message: String,
    /// The moves that lead there from the start.
    pub moves: Vec<String>,
    /// How often it was seen.
    pub times: u64,
}

/// Plays random games of `G`, and tells which promises of [`Game`](crate::game::Game) and [`Notation`] it
/// does not keep. Ends early when `stop` becomes true.
///
/// A panic of the game is a fault as well, in programs whose panics unwind.
#[must_use]
pub fn check<G: Notation>(options: CheckOptions, stop: &AtomicBool) -> CheckReport {
    check_from(&G::start, Values::usual(G::PARAMETERS).as_slice(), options, stop)
}

/// The same from the start with these values of the [parameters](Notation::PARAMETERS), which `start_of` makes.
pub(crate) fn check_from<G: Notation>(
    start_of: &dyn Fn(&[u32]) -> G,
    values: &[u32],
    options: CheckOptions,
    stop: &AtomicBool,
) -> CheckReport {
    let start = start_of(values);
    let (plies, moves) = (start.max_plies(), start.max_branching());
    let may_repeat = start.kind().may_repeat();
    let mut checker = Checker { may_repeat, ..Checker::new(Box::new(start), plies, options, stop) };
    if moves > MAX_MOVES {
        checker.fault(Rule::Branching, format!("{moves} is more than the maximum, {MAX_MOVES}"));
    }
    if start == G::initial() && G::benchmark().outcome().is_some() {
        checker.fault(Rule::Benchmark, G::benchmark().to_string());
    }
    checker.check_parameters(start_of, values);
    checker.run()
}

/// The most positions of all games together.
const MOST_POSITIONS: usize = 200_000;

/// What is remembered of a position.
#[derive(Clone, Copy)]
struct Seen {
    /// Hashes of what it shows, and of that and its string.
    facts: u64,
    other: u64,
    /// Where it was seen: the game and the ply.
    game: usize,
    ply: usize,
}

struct Checker<'a> {
    start: Box<dyn Position>,
    max_plies: usize,
    may_repeat: bool,
    options: CheckOptions,
    stop: &'a AtomicBool,
    /// The moves of all games, the last of which is being played.
    games: Vec<Vec<String>>,
    /// What was seen, by the hash of the position, and by that of its string.
    by_position: HashMap<u64, Seen>,
    by_string: HashMap<u64, Seen>,
    report: CheckReport,
}

impl<'a> Checker<'a> {
    fn new(start: Box<dyn Position>, max_plies: usize, options: CheckOptions, stop: &'a AtomicBool) -> Self {
        let (by_position, by_string) = Default::default();
        let report = CheckReport { plies: [usize::MAX, 0], ..CheckReport::default() };
        Self {
            start,
            max_plies,
            may_repeat: false,
            options,
            stop,
            games: vec![Vec::new()],
            by_position,
            by_string,
            report,
        }
    }

    /// Examines the starts with the least and the greatest value of each parameter.
    fn check_parameters<G: Notation>(&mut self, start_of: &dyn Fn(&[u32]) -> G, values: &[u32]) {
        if G::start(Values::usual(G::PARAMETERS).as_slice()) != G::initial() {
            self.fault(
                Rule::Parameters,
                "the start with the usual values is not the initial position".to_owned(),
            );
        }
        if const { G::PARAMETERS.is_empty() } {
            return;
        }
        let mut rng = Rng::stream(self.options.seed, u64::MAX - 1);
        for (index, parameter) in G::PARAMETERS.iter().enumerate() {
            for value in [parameter.least, parameter.most].into_iter().filter(|it| *it != values[index]) {
                let mut others = values.to_vec();
                others[index] = value;
                let start = start_of(&others);
                let what = format!("{}={value}", parameter.name);
                if start == start_of(values) {
                    self.fault(Rule::Parameters, format!("{what} changes nothing"));
                }
                if start.max_branching() <= MAX_MOVES {
                    self.catching_panics(|it| {
                        start.examine(&mut rng, &mut |rule, message| {
                            it.fault(rule, format!("{what}: {message}"));
                        });
                    });
                }
            }
        }
    }

    fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Notes a fault of the position after the moves of the current game.
    fn fault(&mut self, rule: Rule, message: String) {
        let moves = self.games.last().cloned().unwrap_or_default();
        match self.report.faults.iter_mut().find(|it| it.rule == rule) {
            Some(known) => known.times += 1,
            None => self.report.faults.push(Fault { rule, message, moves, times: 1 }),
        }
    }

    fn run(mut self) -> CheckReport {
        let mut longest = 8;
        let mut later = Vec::new();
        for game in 0..self.options.games {
            let mut rng = Rng::stream(self.options.seed, game.into());
            let middle = self.catching_panics(|it| it.play(longest, &mut rng));
            later.extend(middle.flatten());
            let plies = self.games.last().map_or(0, Vec::len);
            if self.is_over() {
                break;
            }
            self.report.games += 1;
            let [shortest, most] = self.report.plies;
            self.report.plies = [shortest.min(plies), most.max(plies)];
            longest = plies.max(1);
            if self.by_position.len() >= MOST_POSITIONS {
                break;
            }
            self.games.push(Vec::new());
        }
        self.games.push(Vec::new());
        self.report.positions = self.by_position.len() as u64;
        // These play on without a limit, and trust the move list.
        let is_sound = |it: &Fault| {
            use Rule::{MovesUntilTheEnd, NoPanic, NoRepetition, Numbered, Plies};
            !matches!(it.rule, NoPanic | Plies | MovesUntilTheEnd | Numbered | NoRepetition)
        };
        if self.report.faults.iter().all(is_sound) {
            self.catching_panics(|it| it.check_chances(&later));
            self.catching_panics(Self::count_sequences);
        }
        if self.report.games == 0 {
            self.report.plies = [0, 0];
        }
        self.report
    }

    /// Does a part of the check; a panic in it is a fault of the game.
    fn catching_panics<T>(&mut self, part: impl FnOnce(&mut Self) -> T) -> Option<T> {
        let done = catch_unwind(AssertUnwindSafe(|| part(self)));
        done.map_err(|payload| {
            let texts = (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>());
            let message = texts.0.map(ToString::to_string).or_else(|| texts.1.cloned());
            self.fault(Rule::NoPanic, message.unwrap_or_else(|| "a panic".to_owned()));
        })
        .ok()
    }

    /// Plays a random game and examines each of its positions. Returns one of them.
    fn play(&mut self, usual_length: usize, rng: &mut Rng) -> Option<Box<dyn Position>> {
        const READ_BACK: usize = 3;
        let read_at = [(); READ_BACK].map(|()| rng.below(usual_length));
        let middle_at = rng.below(usual_length);
        let mut position = self.start.copy();
        // Positions that were read back on the way, and go the same way from there.
        let mut shadows: Vec<(usize, Box<dyn Position>)> = Vec::new();
        let mut on_the_path = HashSet::new();
        let mut middle = None;
        for ply in 0.. {
            let facts = position.facts();
            self.report.most_moves = self.report.most_moves.max(facts.moves.len());
            if read_at.contains(&ply) {
                shadows.extend(position.read_back().map(|it| (ply, it)));
            }
            shadows.retain(|(since, shadow)| match facts.difference(&shadow.facts()) {
                Some(difference) => {
                    let message =
                        format!("read back after ply {since}, it goes on differently: {difference}");
                    self.fault(Rule::StringsHoldAll, message);
                    false
                }
                None => true,
            });
            if self.may_repeat && ply == self.max_plies {
                // It ends as a draw.
                break;
            }
            if !on_the_path.insert(position.hash()) && !self.may_repeat {
                // The game may have no end.
                self.fault(Rule::NoRepetition, facts.text);
                break;
            }
            self.compare_with_known(&facts, position.hash(), ply);
            position.examine(rng, &mut |rule, message| self.fault(rule, message));
            if ply > self.max_plies {
                self.fault(Rule::Plies, format!("{ply} plies, {} at most", self.max_plies));
                break;
            }
            if facts.moves.is_empty() || facts.outcome.is_some() || self.is_over() {
                break;
            }
            if self.by_position.len() >= MOST_POSITIONS {
                break;
            }
            if ply == middle_at {
                middle = Some(position.copy());
            }
            let index = rng.below(facts.moves.len());
            if let Some(moves) = self.games.last_mut() {
                moves.push(facts.moves[index].clone());
            }
            position.play(index);
            for (_, shadow) in &mut shadows {
                shadow.play(index);
            }
        }
        middle
    }

    /// Compares a position with those seen before that are equal, or have the same string.
    fn compare_with_known(&mut self, facts: &Facts, position: u64, ply: usize) {
        let mut shown = Fnv1a::default();
        facts.moves.iter().for_each(|token| {
            shown.text(token);
        });
        shown.text(&format!("{:?} {:?}", facts.outcome, facts.role));
        let string = Fnv1a::default().text(&facts.text).hash();
        let (facts, game) = (shown.hash(), self.games.len() - 1);
        let of_position = Seen { facts, other: string, game, ply };
        let known = *self.by_position.entry(position).or_insert(of_position);
        if (known.facts, known.other) != (of_position.facts, of_position.other) {
            let what = if known.facts == facts { "another string" } else { "other moves" };
            let message =
                format!("it has {what} than the position that is equal, after {}", self.path(known));
            self.fault(Rule::EqualFuture, message);
        }
        let of_string = Seen { facts, other: position, game, ply };
        let known = *self.by_string.entry(string).or_insert(of_string);
        if (known.facts, known.other) != (of_string.facts, of_string.other) {
            let what = if known.facts == facts { "is not equal to" } else { "has other moves than" };
            let message = format!("it {what} the position with the same string, after {}", self.path(known));
            self.fault(Rule::StringsHoldAll, message);
        }
    }

    /// The moves that lead to a position seen before.
    fn path(&self, seen: Seen) -> String {
        let moves = &self.games[seen.game][..seen.ply];
        if moves.is_empty() { "no move".to_owned() } else { moves.join(" ") }
    }

    /// Compares random moves and rollouts with what they should be.
    fn check_chances(&mut self, later: &[Box<dyn Position>]) {
        const POSITIONS: usize = 12;
        const DRAWS_PER_MOVE: usize = 400;
        const ROLLOUTS: u32 = 3_000;
        let mut rng = Rng::stream(self.options.seed, u64::MAX);
        let start = self.start.copy();
        let step = later.len().div_ceil(POSITIONS).max(1);
        let mut far = Distance::default();
        for position in std::iter::once(&start).chain(later.iter().step_by(step)) {
            if self.is_over() {
                return;
            }
            let facts = position.facts();
            if facts.moves.is_empty() {
                continue;
            }
            let place = || format!("in {}", facts.text);
            match position.random_moves(facts.moves.len() * DRAWS_PER_MOVE, &mut rng) {
                None => self.fault(Rule::RandomMove, format!("an illegal move {}", place())),
                Some(counts)
                    if Distance::from_expected(&counts, &position.probabilities()).is_no_chance() =>
                {
                    let of_move = |(token, count): (&String, &u64)| format!("{token} {count}");
                    let counts: Vec<String> = facts.moves.iter().zip(&counts).take(8).map(of_move).collect();
                    self.fault(Rule::RandomMove, format!("{} times {}", counts.join(", "), place()));
                }
                Some(_) => {}
            }
            let [fast, slow] = [false, true].map(|slow| position.endings(ROLLOUTS, slow, &mut rng));
            let distance = fast.distance_to(&slow);
            far += distance;
            if distance.is_no_chance() {
                let message = format!("{}; move by move {}; {}", fast.summary(), slow.summary(), place());
                self.fault(Rule::Rollouts, message);
            }
        }
        if far.is_no_chance() {
            self.fault(Rule::Rollouts, "small differences in many positions".to_owned());
        }
    }

    /// Counts sequences of moves, as long as that takes little time.
    fn count_sequences(&mut self) {
        const MOST: u64 = 300_000;
        let start = self.start.copy();
        let (mut before, mut last) = (1, 1);
        for depth in 1..=self.max_plies.min(20) as u32 {
            // As many times as many as the last time.
            if self.is_over() || last * last / before > MOST {
                break;
            }
            before = last;
            last = start.perft(depth);
            if last == 0 {
                break;
            }
            self.report.perft.push(last);
        }
    }
}

#[cfg(test)]
mod tests;

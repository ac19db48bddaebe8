//! A compiled rulesheet: everything that its positions need.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use quintet_core::game::{Kind, MAX_MOVES, MAX_SIDES, Role, ScoreSet, Side};

use crate::Error;
use crate::bits::{GAMES, WORDS, has_bit, set_bit};
use crate::board::Board;
use crate::counts::Count;
use crate::evidence::Evidence;
use crate::fingerprint::{Rulesheet, hash_of};
use crate::goals::Ends;
use crate::ground::{Ground, RANDOM, goal_of};
use crate::kif::Place;
use crate::lanes::{Lanes, Room};
use crate::limits::{End, Late, Limits, MAX_ROLES};
use crate::machine::{Machine, STATE_WORDS, State};
use crate::net::Net;
use crate::pools::{most_moves, pools};
use crate::prover::Exclusions;
use crate::reduce::{Fluent, Reduced, reduce};
use crate::samples::Samples;
use crate::sheet::{Rule, Sheet};
use crate::slips::{slip_of_games, slips};
use crate::terms::{Term, symbols};

/// What is done when the rules are grounded, for errors.
const SAMPLING: &str = "random games were played";
const REDUCING: &str = "facts that are redundant were looked for";
const PROVING: &str = "the game was looked into";
const COUNTING: &str = "the moves that may be legal at once were counted";
const LAYING_OUT: &str = "the network was laid out";

/// The most fluents of a game.
const MAX_FLUENTS: usize = 64 * STATE_WORDS;
/// The most moves of all roles.
const MAX_ALL_MOVES: usize = u16::MAX as usize;

/// How many random games and steps a second were played.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    /// Games a second.
    pub games: f64,
    /// Steps of them a second: moves of all roles at once.
    pub steps: f64,
}

/// How it is known that the goals of two players add up to 100, if they do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shares {
    Proven(Ends),
    /// In so many random games they did.
    InGames(usize),
}

/// A compiled rulesheet.
#[derive(Debug)]
pub struct Compiled {
    pub(crate) roles: Vec<Role>,
    /// The moves of each role.
    pub(crate) moves_of: Vec<Range<usize>>,
    /// The moves as rules have them, and as short tokens.
    pub(crate) terms: Vec<String>,
    pub(crate) tokens: Vec<String>,
    /// The fluents of the rules, and what they are in a state.
    pub(crate) fluents: Vec<(String, Fluent)>,
    /// The fluents that states have bits for.
    pub(crate) kept: Vec<usize>,
    pub(crate) fluent_of: HashMap<String, usize>,
    pub(crate) initial: State,
    pub(crate) machine: Machine,
    pub(crate) lanes: Lanes,
    pub(crate) kind: Kind,
    pub(crate) scores: ScoreSet,
    /// How it is known that the goals of two players add up to 100.
    shares_100: Shares,
    pub(crate) max_plies: usize,
    /// The moves that a role makes while another one chooses.
    pub(crate) idle: Vec<u64>,
    /// Fluents that are never true together, and fluents one of which is always true.
    pub(crate) exclusions: Exclusions,
    pub(crate) counter: Vec<usize>,
    /// No role has more legal moves, since this is counted.
    pub(crate) most_moves: usize,
    pub(crate) counts: Vec<Count>,
    /// What looks like a slip of the writer.
    slips: Vec<String>,
    /// Equal for rulesheets that say the same and have their roles in the same order, and only for those.
    #[cfg_attr(test, expect(dead_code, reason = "it is for the game, which tests do not make"))]
    pub(crate) fingerprint: String,
    /// The time that compiling took.
    pub(crate) took: Duration,
    /// What [`board`](Self::board) has found.
    drawn_on: OnceLock<Option<Board>>,
    /// Whether an end was met at which the goals of two players who share the score do not add up to 100.
    pub(crate) has_other_ends: AtomicBool,
}

impl Compiled {
    /// Compiles a rulesheet.
    ///
    /// # Errors
    /// [`Error`], which says what is wrong with it, or which relation is too large.
    pub fn new(text: &str, limits: Limits) -> Result<Self, Error> {
        Self::until(text, limits, &End::after(limits.time))
    }

    /// Compiles a rulesheet until this end, whatever the limit of time is.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn until(text: &str, limits: Limits, end: &End) -> Result<Self, Error> {
        let start = Instant::now();
        let sheet = Rulesheet(Sheet::read(text)?);
        let fingerprint = sheet.fingerprint().unwrap_or_else(|| hash_of(text));
        let sheet = sheet.0;
        let slips = slips(&sheet);
        let wrong_goals = wrong_goals(&sheet);
        let (ground, net) = Net::of_sheet(sheet, limits, end).map_err(|error| placed(error, &wrong_goals))?;
        let roles = roles(&ground)?;
        let text = |term| ground.terms.text(&ground.names, term);
        let terms: Vec<String> = ground.fluents.iter().map(|&it| text(it)).collect();
        let all_moves_of = ranges(ground.moves.iter().map(|it| it.0), roles.len());
        let mut initial = vec![0; terms.len().div_ceil(64)];
        for &it in &ground.initial {
            set_bit(&mut initial, it);
        }
        let late = |what: &'static str| move |Late| Error::Late(what);
        let machine = Machine::new(&net, end).map_err(late(LAYING_OUT))?;
        let names: Vec<_> = ground.moves.iter().map(|it| it.1).collect();
        let samples = Samples::new(&machine, &all_moves_of, &names, &initial, limits.sampling, end);
        let samples = samples.map_err(late(SAMPLING))?;
        let states: Vec<Vec<u64>> = samples.states.iter().map(|it| it.state.clone()).collect();
        let reduced = reduce(&net, &states, end).map_err(late(REDUCING))?;
        let Reduced { net, fluents, kept, moves } = reduced;
        let samples = samples.reduced(&kept, &moves);
        let moves_of = ranges(moves.iter().map(|&it| ground.moves[it].0), roles.len());
        for (what, count, most) in [
            ("facts that change", kept.len(), MAX_FLUENTS),
            ("moves of all roles", moves.len(), MAX_ALL_MOVES),
        ] {
            if count > most {
                return Err(Error::TooMany { what, count, most });
            }
        }
        let symbols: Vec<Vec<&str>> = kept.iter().map(|&it| symbols(&terms[it])).collect();
        let evidence = Evidence { net: &net, moves_of: &moves_of, samples: &samples, fluents: &symbols, end };
        let proven = evidence.prove(limits.proving).map_err(late(PROVING))?;
        let pools = pools(&proven, &moves_of, end).map_err(late(COUNTING))?;
        let (most_moves, counts) = most_moves(&evidence, &proven, &pools).map_err(late(COUNTING))?;
        if most_moves > MAX_MOVES {
            let what = "moves of a role that may be legal at the same time";
            return Err(Error::TooMany { what, count: most_moves, most: MAX_MOVES });
        }
        let max_steps = proven.max_steps.unwrap_or_else(|| samples.max_steps());
        let players = roles.iter().filter(|role| role.side != Side::Chance).count();
        let mut kind = Kind::of(&roles);
        if !proven.is_in_turn {
            kind = kind.with_simultaneous_moves();
        }
        if proven.max_steps.is_none() {
            kind = kind.with_repetition();
        }
        let scores = match players {
            1 => ScoreSet::ANY,
            2 if samples.shares_100 && samples.games > 0 => ScoreSet::ANY,
            _ => ScoreSet::INDEPENDENT,
        };
        let mut start_state = [0; STATE_WORDS];
        start_state.iter_mut().zip(&samples.states[0].state).for_each(|(to, from)| *to = *from);
        let move_terms: Vec<String> = moves.iter().map(|&it| text(ground.moves[it].1)).collect();
        let slip_of_games = slip_of_games(&samples, &roles);
        let mut compiled = Self {
            machine: Machine::new(&net, end).map_err(late(LAYING_OUT))?,
            lanes: Lanes::new(&net, &pools, &moves_of, max_steps as u32, end).map_err(late(LAYING_OUT))?,
            tokens: tokens(&move_terms, &moves_of),
            fluent_of: terms.iter().cloned().zip(0..).collect(),
            most_moves,
            counts,
            fluents: terms.into_iter().zip(fluents).collect(),
            kept,
            terms: move_terms,
            initial: start_state,
            idle: samples.idle,
            kind,
            scores,
            shares_100: proven.shares_100.map_or(Shares::InGames(samples.games), Shares::Proven),
            fingerprint: with_roles(&fingerprint, &roles),
            max_plies: max_steps.saturating_mul(if proven.is_in_turn { 1 } else { roles.len() }),
            exclusions: proven.exclusions,
            counter: proven.counter,
            roles,
            moves_of,
            slips,
            took: start.elapsed(),
            drawn_on: OnceLock::new(),
            has_other_ends: AtomicBool::new(false),
        };
        compiled.slips.extend(compiled.early_end().or(slip_of_games));
        Ok(compiled)
    }

    /// The board that positions are drawn on.
    pub(crate) fn board(&self) -> Option<&Board> {
        let fluents = self.fluents.iter().map(|it| &*it.0);
        self.drawn_on.get_or_init(|| Board::of(fluents, self.true_in(&self.initial), &self.roles)).as_ref()
    }

    /// Sizes in a line.
    #[must_use]
    pub fn summary(&self) -> String {
        let Self { roles, fluents, kept, terms, machine, lanes, kind, most_moves, .. } = self;
        format!(
            "{} roles, {} fluents of {}, {} moves, at most {most_moves} at once, {} operations a step, in lanes {}, {}{}{}",
            roles.len(),
            kept.len(),
            fluents.len(),
            terms.len(),
            machine.operations(),
            lanes.operations(),
            if kind.has_simultaneous_moves() { "simultaneous" } else { "in turn" },
            if kind.may_repeat() { ", may repeat" } else { "" },
            if self.scores.is_independent() { ", any goals" } else { "" },
        )
    }

    /// Whether two players share the score, and at which ends it is proven to be their goals.
    #[cfg(test)]
    pub(crate) fn summary_of_goals(&self) -> (bool, Option<Ends>) {
        let ends = if let Shares::Proven(ends) = self.shares_100 { Some(ends) } else { None };
        (self.shares_score(), ends)
    }

    /// What there is to know of the game, for people.
    pub(crate) fn facts(&self) -> Vec<(&'static str, String)> {
        let Self { roles, fluents, kept, terms, machine, lanes, kind, most_moves, .. } = self;
        let players = self.players();
        let plural =
            |count: usize, one: &str, more: &str| format!("{count} {}", if count == 1 { one } else { more });
        let mut parts = vec![plural(players, "player", "players")];
        if kind.has_chance() {
            parts.push("chance".to_owned());
        }
        if roles.len() > 1 {
            let simultaneous = "roles may move at the same time (that they move in turn is not proven)";
            let simultaneous = if kind.has_simultaneous_moves() {
                simultaneous
            } else {
                "one role chooses at a time (proven)"
            };
            parts.push(simultaneous.to_owned());
        }
        parts.push(if kind.may_repeat() {
            format!(
                "a position may come twice (that none does is not proven); games are cut off after {}",
                plural(self.max_plies, "ply", "plies")
            )
        } else {
            let bound = plural(self.max_plies, "ply", "plies");
            format!("no position comes twice (proven), which gives a bound for the length of a game: {bound}")
        });
        if players == 2 {
            parts.push(match self.shares_100 {
                _ if self.scores.is_independent() => "each player has goals of its own".to_owned(),
                Shares::Proven(Ends::All) => "the goals of both add up to 100 (proven)".to_owned(),
                Shares::Proven(Ends::ByTerminal) => {
                    "the goals of both add up to 100 wherever `terminal` holds (proven)".to_owned()
                }
                Shares::InGames(games) => format!(
                    "both share a score: 50 and half of the difference of their goals, which added up to 100 in {games} \
                     random games"
                ),
            });
        }
        let sizes = format!(
            "{}, of {}; {}, at most {most_moves} legal at once; {} operations for a step",
            plural(kept.len(), "fact that changes", "facts that change"),
            fluents.len(),
            plural(terms.len(), "move", "moves"),
            machine.operations(),
        );
        let rate = self.random_games(Duration::from_millis(300));
        let rate = format!(
            "{:.0} random games a second on one thread, {:.1} million steps; {} operations for a step of 512",
            rate.games,
            rate.steps / 1e6,
            lanes.operations()
        );
        let mut facts = vec![
            ("first", self.first_moves()),
            ("kind", parts.join("; ")),
            ("sizes", sizes),
            ("speed", rate),
            ("compiled", format!("in {:.2} s", self.took.as_secs_f64())),
        ];
        facts.extend(self.slips.iter().cloned().map(|slip| ("look at", slip)));
        facts
    }

    /// What looks like a slip of the writer.
    #[cfg(test)]
    pub(crate) fn slips(&self) -> &[String] {
        &self.slips
    }

    /// Why the game is over before it begins, if it is.
    fn early_end(&self) -> Option<String> {
        let why = self.stuck(&self.initial).map(|stuck| format!("{stuck} has no legal move"));
        let is_over = self.look(&self.initial).is_over;
        is_over
            .then(|| why.unwrap_or_else(|| "`terminal` holds".to_owned()))
            .map(|why| format!("the game is over at the start: {why}"))
    }

    /// The first role that has no legal move in a state in which `terminal` does not hold.
    pub(crate) fn stuck(&self, state: &[u64]) -> Option<&str> {
        let mut legal = vec![0; self.terms.len().div_ceil(64)];
        let is_end = self.machine.see(state, |mv| set_bit(&mut legal, mv));
        let mut roles = 0..self.roles.len();
        let stuck = roles.find(|&role| self.legal_of(&legal, role).next().is_none());
        stuck.filter(|_| !is_end).map(|role| &*self.roles[role].name)
    }

    /// Some of the moves at the start, for people.
    fn first_moves(&self) -> String {
        const MOST: usize = 12;
        let role = self.look(&self.initial).first;
        let legal = self.legal(&self.initial);
        let moves: Vec<&str> = self.legal_of(&legal, role).map(|it| &*self.tokens[usize::from(it)]).collect();
        let shown = moves[..moves.len().min(MOST)].join(" ");
        match moves.len().saturating_sub(MOST) {
            0 => shown,
            more => format!("{shown} and {more} more"),
        }
    }

    /// Plays random games from the start for this time.
    #[must_use]
    pub fn random_games(&self, time: Duration) -> Rate {
        /// So many that few lanes wait for the last games to end.
        const MOST: u64 = 8_192;
        // One for each lane first: those of a large game may take all of the time.
        let mut count = (WORDS * GAMES) as u64;
        let mut room = Room::default();
        let start = Instant::now();
        let (mut games, mut steps, mut seed) = (0, 0, 0);
        while start.elapsed() < time {
            let totals = self.lanes.play_many(&self.initial, count, seed, &mut room);
            count = MOST.min(2 * count);
            games += totals.games;
            steps += totals.steps;
            seed += 1;
        }
        let seconds = start.elapsed().as_secs_f64();
        Rate { games: games as f64 / seconds, steps: steps as f64 / seconds }
    }

    /// The legal moves of a state as a set.
    pub(crate) fn legal(&self, state: &[u64]) -> Vec<u64> {
        let mut legal = vec![0; self.terms.len().div_ceil(64)];
        self.machine.see(state, |mv| set_bit(&mut legal, mv));
        legal
    }

    /// The moves of a role in a set of legal moves.
    pub(crate) fn legal_of(&self, legal: &[u64], role: usize) -> impl Iterator<Item = u16> {
        self.moves_of[role].clone().filter(move |&it| has_bit(legal, it)).map(|it| it as u16)
    }

    /// What is seen of a state.
    pub(crate) fn look(&self, state: &[u64]) -> View {
        let (mut role, mut choosing, mut only) = (0, 0_u8, [NO_MOVE; MAX_ROLES]);
        let is_end = self.machine.see(state, |mv| {
            while mv >= self.moves_of[role].end {
                role += 1;
            }
            if only[role] == NO_MOVE {
                only[role] = mv as u16;
            } else {
                choosing |= 1 << role;
            }
        });
        let roles = 0..self.roles.len();
        let is_stuck = only[roles.clone()].contains(&NO_MOVE);
        let is_active =
            |role: &usize| only[*role] != NO_MOVE && !has_bit(&self.idle, usize::from(only[*role]));
        let first = roles.clone().find(|role| choosing >> role & 1 == 1);
        let first = first.or_else(|| roles.clone().find(is_active)).unwrap_or(0);
        for role in roles.filter(|role| choosing >> role & 1 == 1) {
            only[role] = NO_MOVE;
        }
        View { is_over: is_end || is_stuck, first, choosing, only }
    }

    /// The state after a move of each role.
    pub(crate) fn next(&self, state: &[u64], moves: &[u16]) -> State {
        let mut next = [0; STATE_WORDS];
        self.machine.next(state, moves.iter().map(|&it| it.into()), &mut next);
        next
    }

    /// The number of roles that somebody plays.
    pub(crate) fn players(&self) -> usize {
        self.roles.len() - usize::from(self.kind.has_chance())
    }

    /// Whether the game has two players who share the score.
    pub(crate) fn shares_score(&self) -> bool {
        self.players() == 2 && !self.scores.is_independent()
    }
}

/// No move.
pub(crate) const NO_MOVE: u16 = u16::MAX;

/// What is seen of a state.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View {
    /// Whether the game is over, or can't go on because a role has no legal move.
    pub(crate) is_over: bool,
    /// The role that is to move first: that has a choice, or, if none has one, that is not idle.
    pub(crate) first: usize,
    /// The roles that have a choice, as bits.
    pub(crate) choosing: u8,
    /// The only move of each other role.
    pub(crate) only: [u16; MAX_ROLES],
}

/// The places of the goals of rules that are none or, without a text, have variables.
fn wrong_goals(sheet: &Sheet) -> Vec<(Place, Option<String>)> {
    let goals = sheet.rules.iter().filter(|rule| rule.head.relation == sheet.known.goal);
    let of_rule = |rule: &Rule| match rule.head.arguments.last() {
        Some(&Term::Ground(goal)) => (rule.place, Some(sheet.terms.text(&sheet.names, goal))),
        _ => (rule.place, None),
    };
    let is_wrong = |it: &(Place, Option<String>)| it.1.as_ref().is_none_or(|it| goal_of(it).is_none());
    goals.map(of_rule).filter(is_wrong).collect()
}

/// An error with the place of the goal that it is about, or else of the first rule that may have told it.
fn placed(error: Error, goals: &[(Place, Option<String>)]) -> Error {
    let Error::Goal(goal) = &error else { return error };
    let told = goals.iter().find(|it| it.1.as_ref() == Some(goal));
    let place = told.or_else(|| goals.iter().find(|it| it.1.is_none())).map(|it| it.0);
    place.map_or_else(|| error.clone(), |place| Error::Rules { place, reason: error.to_string() })
}

/// The range of each role in a list of roles that is sorted.
fn ranges(roles: impl Iterator<Item = usize>, count: usize) -> Vec<Range<usize>> {
    let mut counts = vec![0; count];
    roles.for_each(|it| counts[it] += 1);
    let mut start = 0;
    let range = |count| {
        start += count;
        start - count..start
    };
    counts.into_iter().map(range).collect()
}

/// The roles, each with its side.
fn roles(ground: &Ground) -> Result<Vec<Role>, Error> {
    let names: Vec<String> = ground.roles.iter().map(|&it| ground.terms.text(&ground.names, it)).collect();
    let players = names.iter().filter(|it| *it != RANDOM).count();
    if players == 0 {
        return Err(Error::Missing("a role that somebody plays, such as (role white)"));
    }
    if players > MAX_SIDES || names.len() > MAX_ROLES {
        return Err(Error::TooMany { what: "roles that somebody plays", count: players, most: MAX_SIDES });
    }
    let side = |index: usize| if names[index] == RANDOM { Side::Chance } else { Side::ALL[index] };
    Ok((0..names.len()).map(|it| Role { name: names[it].clone().into(), side: side(it) }).collect())
}

/// The fingerprint for records. Rules come in any order, but the moves of a step in that of the roles.
fn with_roles(fingerprint: &str, roles: &[Role]) -> String {
    let names: Vec<&str> = roles.iter().map(|it| &*it.name).collect();
    hash_of(&format!("{fingerprint}\n{}", names.join("\n")))
}

/// A short token for each move, different for all moves of a role: the symbols of the term, joined by hyphens, and a
/// number where another one has that token. A move that is a symbol has that symbol, as it is read as its term, too.
fn tokens(terms: &[String], moves_of: &[Range<usize>]) -> Vec<String> {
    let mut tokens = vec![String::new(); terms.len()];
    for moves in moves_of {
        let short = |index: usize| symbols(&terms[index]).join("-");
        // The last number of each token: 1 of those that some move has without one.
        let mut last: HashMap<String, usize> = moves.clone().map(|it| (short(it), 0)).collect();
        let (of_symbols, of_lists): (Vec<usize>, Vec<usize>) =
            moves.clone().partition(|&it| !terms[it].starts_with('('));
        for index in of_symbols.into_iter().chain(of_lists) {
            let short = short(index);
            let mut number = last.get(&short).map_or(1, |it| it + 1);
            while number > 1 && last.contains_key(&format!("{short}~{number}")) {
                number += 1;
            }
            tokens[index] = if number == 1 { short.clone() } else { format!("{short}~{number}") };
            last.insert(short, number);
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_constant_random_is_chance() {
        let text =
            "(role random) (role (random x)) (role a) (init (step 0)) (legal a wait) (legal random wait)
            (legal (random x) good) (legal (random x) bad) (<= (next over) (true (step 0)))
            (<= (next good) (does (random x) good)) (<= terminal (true over)) (goal a 0) (goal random 100)
            (<= (goal (random x) 100) (true good)) (<= (goal (random x) 0) (not (true good)))";
        let compiled = Compiled::new(text, Limits::default()).expect("it is right");
        let roles: Vec<_> = compiled.roles.iter().map(|role| (&*role.name, role.side)).collect();
        let expected = [("(random x)", Side::First), ("a", Side::Second), ("random", Side::Chance)];
        assert_eq!(roles, expected);
    }

    #[test]
    fn random_games_are_cut_off_after_as_many_steps_as_those_in_lanes() {
        use quintet_core::game::{Game as _, Rng, Rules};

        let text = "(role a) (role b) (init (turn 0)) (next-of 0 1) (next-of 1 0)
            (<= (legal ?r left) (role ?r)) (<= (legal ?r right) (role ?r) (true (turn 0)))
            (<= (next (turn ?m)) (true (turn ?n)) (next-of ?n ?m)) (<= terminal (true never)) (goal a 0) (goal b 0)";
        let rules = Rules::new(Compiled::new(text, Limits::default()).expect("it is right"));
        let start = crate::Position::start(&rules);
        let steps = rules.get().lanes.max_steps;
        // In every other step both choose, and else nobody.
        let plies = start.rollout(&mut Rng::stream(1, 0)).plies;
        assert_eq!(plies, steps / 2 * 3);
        assert!(plies as usize <= start.max_plies());
    }

    #[test]
    fn few_random_games_are_begun_where_they_take_long() {
        let text = "(role a) (init t) (legal a x) (legal a y) (<= (next t) (true t))
            (<= terminal (true never)) (goal a 0)";
        let compiled = Compiled::new(text, Limits::default()).expect("it is right");
        let start = Instant::now();
        let games = compiled.random_games(Duration::from_millis(1)).games * start.elapsed().as_secs_f64();
        assert!(games < 8_192.0, "{games}");
    }

    #[test]
    fn tokens_are_short_and_different() {
        let terms = ["noop", "(mark 1 2)", "(mark-1 2)", "(f (g a) b)", "noop"].map(str::to_owned);
        assert_eq!(tokens(&terms, &[0..4, 4..5]), ["noop", "mark-1-2", "mark-1-2~2", "f-g-a-b", "noop"]);
        // A number that another move has in its name is not given once more.
        let terms = ["a-b~2", "(a b)", "a-b", "(a-b~3 c)", "(a b~2)", "(a-b)"].map(str::to_owned);
        let all = ["a-b~2", "a-b~3", "a-b", "a-b~3-c", "a-b~2~2", "a-b~4"];
        assert_eq!(tokens(&terms, std::slice::from_ref(&(0..6))), all);
    }
}

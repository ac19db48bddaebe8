use std::cell::Cell;
use std::collections::HashSet;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;
use std::sync::atomic::AtomicU64;

use super::*;
use crate::game::{
    About, EMPTY, Game, Glyph, IllegalMove, Kind, Layout, MoveList, Outcome, Parameter, Picture,
    PositionError, Role, Rollout, Scene, Side, Surface,
};
use crate::nim::Nim;
use crate::search::{Budget, SearchError};

/// Whoever comes to 8 or more wins. A move adds 1 or 2, or 3, which only one move of a game may do.
#[derive(Debug, Clone, Copy)]
struct Eight {
    count: u8,
    had_three: bool,
    role: usize,
}

/// What is wrong with the game, in [`Eight`] and here; 0 is nothing.
const FAULTS: [Rule; 29] = [
    Rule::SameList,
    Rule::MovesOnce,
    Rule::MovesUntilTheEnd,
    Rule::Branching,
    Rule::Plies,
    Rule::Numbered,
    Rule::Roles,
    Rule::Scores,
    Rule::TokensDiffer,
    Rule::TokenText,
    Rule::TokensRead,
    Rule::Ongoing,
    Rule::StringText,
    Rule::StringsRead,
    Rule::StringsHoldAll,
    Rule::EqualFuture,
    Rule::Hashes,
    Rule::NoRepetition,
    Rule::Drawing,
    Rule::Picture,
    Rule::RandomMove,
    Rule::Rollouts,
    Rule::Benchmark,
    Rule::NoPanic,
    Rule::Outcomes,
    Rule::Probabilities,
    Rule::Parameters,
    Rule::JointMoves,
    Rule::Kind,
];

/// Other odd games.
const OVER_AT_ONCE: u8 = 100;
const PANICS_IN_ROLLOUTS: u8 = 101;
/// The first two moves are made at the same time, and the second depends on the first.
const TELLS_WHAT_WAS_CHOSEN: u8 = 102;
/// Adding 1 changes nothing, and the game says so.
const REPEATS: u8 = 103;
/// The maximum length of that game in plies.
const LONGEST: usize = 200;
/// The first two moves are made at the same time, and the drawing tells the first.
const DRAWS_WHAT_WAS_CHOSEN: u8 = 104;

thread_local! {
    /// What is wrong with the game on this thread. A type for each would be compiled with all of the check.
    static FAULT: Cell<u8> = const { Cell::new(0) };
}

fn fault(rule: Rule) -> u8 {
    FAULTS.iter().position(|it| *it == rule).map_or(0, |it| it as u8 + 1)
}

impl Eight {
    fn has(rule: Rule) -> bool {
        FAULT.get() == fault(rule)
    }

    /// What `==` and hashes go by.
    fn identity(&self) -> (u8, bool, usize) {
        let forgets = Self::has(Rule::StringsHoldAll) || Self::has(Rule::EqualFuture);
        (self.count, self.had_three && !forgets, self.role)
    }
}

impl PartialEq for Eight {
    fn eq(&self, other: &Self) -> bool {
        self.identity() == other.identity()
    }
}

impl Eq for Eight {}

impl Hash for Eight {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.identity().hash(state);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Add(u8);

impl fmt::Display for Add {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            2 if Eight::has(Rule::TokensDiffer) => write!(f, "+1"),
            2 if Eight::has(Rule::TokenText) => write!(f, "+ 2"),
            count => write!(f, "+{count}"),
        }
    }
}

impl Game for Eight {
    type Move = Add;
    const ROLES: &'static [Role] =
        &[Role::new("anna", Side::First), Role::new("otto", Side::Second), Role::new("dice", Side::Chance)];
    const KIND: Kind = Kind::of(Self::ROLES).with_simultaneous_moves().with_repetition();
    const MAX_BRANCHING: usize = 3;
    const MAX_PLIES: usize = LONGEST;
    fn max_branching(&self) -> usize {
        if Self::has(Rule::Branching) { 2 } else { 3 }
    }
    fn max_plies(&self) -> usize {
        match FAULT.get() {
            REPEATS => LONGEST,
            _ if Self::has(Rule::Plies) => 5,
            _ => 8,
        }
    }
    fn initial() -> Self {
        Self { count: if FAULT.get() == OVER_AT_ONCE { 8 } else { 0 }, had_three: false, role: 0 }
    }
    fn role_to_move(&self) -> usize {
        match self.count {
            5 if Self::has(Rule::Roles) => 3,
            4 => 2,
            _ => self.role,
        }
    }
    fn side_to_move(&self) -> Side {
        Self::ROLES[self.role_to_move() % 3].side
    }
    fn kind(&self) -> Kind {
        let kind = Kind::of(Self::ROLES);
        match FAULT.get() {
            TELLS_WHAT_WAS_CHOSEN | DRAWS_WHAT_WAS_CHOSEN => kind.with_simultaneous_moves(),
            REPEATS => kind.with_repetition(),
            _ if Self::has(Rule::Kind) => Kind::ANY,
            _ => kind,
        }
    }
    fn before_joint_move(&self) -> Option<Self> {
        let has_joint_move = Self::has(Rule::JointMoves)
            || matches!(FAULT.get(), TELLS_WHAT_WAS_CHOSEN | DRAWS_WHAT_WAS_CHOSEN);
        (has_joint_move && self.role == 1 && self.count < 4).then(Self::initial)
    }
    fn probability(&self, Add(count): Add) -> f32 {
        let all = if self.had_three { 3.0 } else { 6.0 };
        f32::from(count) / if Self::has(Rule::Probabilities) { 7.0 } else { all }
    }
    fn outcome(&self) -> Option<Outcome> {
        let end = if Self::has(Rule::MovesUntilTheEnd) { 9 } else { 8 };
        let winner = Self::ROLES[1 - self.role].side;
        let outcome =
            if Self::has(Rule::Outcomes) { Outcome::of_score(winner, 70) } else { Outcome::Win(winner) };
        (self.count >= end).then_some(outcome)
    }
    fn legal_moves(&self, moves: &mut MoveList<Add>) {
        if !Self::has(Rule::SameList) {
            moves.clear();
        }
        if self.count < 8 {
            moves.extend([Add(1), Add(2)]);
            moves.extend((!self.had_three).then_some(Add(3)));
            let is_twice = Self::has(Rule::MovesOnce) && self.had_three && self.count != 4;
            moves.extend(is_twice.then_some(Add(1)));
        }
    }
    fn apply(&mut self, Add(count): Add) {
        assert!(!Self::has(Rule::NoPanic) || self.count != 5, "five");
        if (Self::has(Rule::NoRepetition) || FAULT.get() == REPEATS) && count == 1 {
            return;
        }
        let is_first = FAULT.get() == DRAWS_WHAT_WAS_CHOSEN && self.count == 0;
        let had_three = self.had_three || count == 3 && !is_first;
        *self = Self { count: self.count + count, had_three, role: 1 - self.role };
    }
    fn apply_ongoing(&mut self, mv: Add) {
        self.apply(mv);
        self.count += u8::from(Self::has(Rule::Ongoing));
    }
    fn nth_move(&self, n: usize) -> Add {
        let moves = self.move_list();
        moves[if Self::has(Rule::Numbered) { moves.len() - 1 - n } else { n }]
    }
    fn random_move(&self, rng: &mut Rng) -> Add {
        let n = if self.count == 4 {
            // One, two or three sixths, or one or two thirds.
            let count = rng.below(if self.had_three { 3 } else { 6 });
            usize::from(count > 0) + usize::from(count > 2)
        } else {
            rng.below(self.move_count())
        };
        self.nth_move(if Self::has(Rule::RandomMove) && rng.below(3) == 0 { 0 } else { n })
    }
    fn rollout(&self, rng: &mut Rng) -> Rollout {
        assert!(FAULT.get() != PANICS_IN_ROLLOUTS || self.count > 0, "none");
        let plies = u32::from(Self::has(Rule::Rollouts));
        let rollout = crate::game::rollout_move_by_move(self, rng);
        Rollout { plies: rollout.plies + plies, ..rollout }
    }
    fn key(&self) -> u64 {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        if Self::has(Rule::Hashes) { NEXT.fetch_add(1, Ordering::Relaxed) } else { crate::hash::of(self) }
    }
    fn parse_move(&self, token: &str) -> Result<Add, IllegalMove> {
        let moves = self.move_list();
        let found = moves.iter().copied().find(|mv| mv.to_string() == token);
        let found = if Self::has(Rule::TokensRead) { moves.first().copied() } else { found };
        found.ok_or_else(|| IllegalMove::new(token, &moves))
    }
}

impl fmt::Display for Eight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let three = if self.had_three && !Self::has(Rule::StringsHoldAll) { "3" } else { "-" };
        let dash = if Self::has(Rule::StringText) { "\u{2013}" } else { three };
        write!(f, "{} {dash} {}", self.count, self.role)
    }
}

impl FromStr for Eight {
    type Err = PositionError;
    fn from_str(text: &str) -> Result<Self, PositionError> {
        let parts: Vec<&str> = text.split(' ').collect();
        let number = |at: usize| {
            let part = parts.get(at).and_then(|it| it.parse().ok());
            part.filter(|&it| it < if Self::has(Rule::StringsRead) { 8 } else { 20 })
                .ok_or_else(|| PositionError::new("number", "none"))
        };
        let (count, role) = (number(0)?, number(2)?);
        Ok(Self { count, had_three: parts[1] == "3", role: usize::from(role) })
    }
}

impl Notation for Eight {
    const ABOUT: About = About { title: "Eight", summary: "Come to eight.", moves: "", position: "" };
    fn draw(&self, mark: Option<Add>) -> String {
        let is_hidden = FAULT.get() == TELLS_WHAT_WAS_CHOSEN && self.before_joint_move().is_some();
        let count = if is_hidden { 0 } else { self.count };
        match mark.filter(|_| !Self::has(Rule::Drawing)) {
            Some(_) => format!("[{count}]\n"),
            None => format!(" {count}\n"),
        }
    }
    fn picture(&self, _: Option<Add>) -> Picture {
        let glyphs = vec![Glyph::new('x', "three", String::new())];
        let layout = Layout::flat(&["1"], &["a", "b"], Surface::Squares, glyphs).into();
        let code = if Self::has(Rule::Picture) && self.count > 4 { 'y' } else { 'x' };
        Picture::Scene(Scene::new(&layout, vec![EMPTY, if self.had_three { code } else { EMPTY }]))
    }
    fn score(&self, side: Side) -> u8 {
        let most = if Self::has(Rule::Scores) { 101 } else { 100 };
        if self.outcome() == Some(Outcome::Win(side)) { most } else { 0 }
    }
    const PARAMETERS: &'static [Parameter] =
        &[Parameter { name: "first", about: "who begins", least: 0, most: 1, usual: 0 }];
    fn start(values: &[u32]) -> Self {
        let role = if Self::has(Rule::Parameters) { 0 } else { values[0] as usize };
        Self { role, ..Self::initial() }
    }
    fn benchmark() -> Self {
        Self { count: if Self::has(Rule::Benchmark) { 8 } else { 0 }, ..Self::initial() }
    }
}

fn checked<G: Notation>() -> CheckReport {
    check::<G>(CheckOptions::default(), &AtomicBool::new(false))
}

/// Checks the game with this fault.
fn eight(fault: u8) -> CheckReport {
    FAULT.set(fault);
    checked::<Eight>()
}

#[test]
fn a_game_without_faults_has_none() {
    let report = eight(0);
    assert_eq!(report.faults, []);
    assert_eq!((report.games, report.plies, report.most_moves), (200, [4, 7], 3));
    assert_eq!(report.perft[..3], [3, 8, 20]);
    assert_eq!(checked::<Nim<3>>().faults, []);
}

/// Checks the game with this fault, and returns the rules that it breaks.
fn broken(wanted: Rule) -> HashSet<Rule> {
    let report = eight(fault(wanted));
    let found: HashSet<Rule> = report.faults.iter().map(|it| it.rule).collect();
    assert!(found.contains(&wanted), "{wanted:?}: {:?}", report.faults);
    for Fault { message, times, .. } in &report.faults {
        assert!(!message.is_empty() && *times > 0);
    }
    found
}

#[test]
fn each_planted_fault_is_found() {
    let found = FAULTS.map(broken);
    // Faults of one kind seldom look like others.
    let several = found.iter().filter(|rules| rules.len() > 3).count();
    assert_eq!(several, 0, "{found:?}");
}

#[test]
fn a_game_of_another_kind_than_its_type_is_not_searched() {
    FAULT.set(fault(Rule::Kind));
    let budget = Budget::iterations(1).expect("not zero");
    assert_eq!(
        budget.for_position(&Eight::initial(), 1),
        Err(SearchError::Kind("the kind() of this game does not follow from its roles() by Kind::of"))
    );
}

#[test]
fn a_flag_that_the_string_forgets_is_found_with_a_game_that_shows_it() {
    let report = eight(fault(Rule::StringsHoldAll));
    let fault = &report.faults[0];
    assert_eq!(fault.rule, Rule::StringsHoldAll);
    assert!(fault.moves.contains(&"+3".to_owned()) || fault.message.contains("+3"), "{fault:?}");
    assert_eq!(fault.rule.item(), "Display");
}

#[test]
fn a_check_that_is_stopped_says_what_it_has_done() {
    let report = check::<Eight>(CheckOptions::default(), &AtomicBool::new(true));
    assert_eq!((report.games, report.plies, report.perft), (0, [0, 0], vec![]));
}

#[test]
fn odd_games_are_checked_to_the_end() {
    let report = eight(OVER_AT_ONCE);
    assert_eq!((report.games, report.plies, report.perft, report.faults), (200, [0, 0], vec![], vec![]));
    let report = eight(PANICS_IN_ROLLOUTS);
    let [fault] = &report.faults[..] else { panic!("{:?}", report.faults) };
    assert_eq!((fault.rule, fault.message.as_str()), (Rule::NoPanic, "none"));
    let report = eight(TELLS_WHAT_WAS_CHOSEN);
    let [fault] = &report.faults[..] else { panic!("{:?}", report.faults) };
    assert_eq!(
        (fault.rule, fault.message.as_str()),
        (Rule::JointMoves, "what a role may choose depends on what another has chosen")
    );
    let report = eight(DRAWS_WHAT_WAS_CHOSEN);
    let [fault] = &report.faults[..] else { panic!("{:?}", report.faults) };
    let message = "the drawing, the picture or the task shows what another has chosen";
    assert_eq!((fault.rule, fault.message.as_str()), (Rule::JointMoves, message));
    let report = eight(REPEATS);
    assert_eq!((report.faults.len(), report.perft.len() > 2), (0, true), "{:?}", report.faults);
}

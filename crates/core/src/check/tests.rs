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
use crate::knowledge::RulesOnly;
use crate::nim::Nim;
use crate::registry::Variant;

/// Whoever comes to 8 or more wins. A move adds 1 or 2, or 3, which only one move of a game may do.
#[derive(Debug, Clone, Copy)]
struct Eight<const FAULT: u8> {
    count: u8,
    had_three: bool,
    role: usize,
}

/// What is wrong with the game, in [`Eight`] and here; 0 is nothing.
const FAULTS: [Rule; 28] = [
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
];

/// Other odd games.
const OVER_AT_ONCE: u8 = 100;
const PANICS_IN_ROLLOUTS: u8 = 101;
/// The first two moves are made at the same time, and the second depends on the first.
const TELLS_WHAT_WAS_CHOSEN: u8 = 102;
/// Adding 1 changes nothing, and the game says so.
const REPEATS: u8 = 103;
/// The first two moves are made at the same time, and the drawing tells the first.
const DRAWS_WHAT_WAS_CHOSEN: u8 = 104;

const fn fault(rule: Rule) -> u8 {
    let mut number = 0;
    while FAULTS[number] as u8 != rule as u8 {
        number += 1;
    }
    number as u8 + 1
}

impl<const FAULT: u8> Eight<FAULT> {
    const fn has(rule: Rule) -> bool {
        FAULT == fault(rule)
    }

    /// What `==` and hashes go by.
    fn identity(&self) -> (u8, bool, usize) {
        let forgets = Self::has(Rule::StringsHoldAll) || Self::has(Rule::EqualFuture);
        (self.count, self.had_three && !forgets, self.role)
    }
}

impl<const FAULT: u8> PartialEq for Eight<FAULT> {
    fn eq(&self, other: &Self) -> bool {
        self.identity() == other.identity()
    }
}

impl<const FAULT: u8> Eq for Eight<FAULT> {}

impl<const FAULT: u8> Hash for Eight<FAULT> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.identity().hash(state);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Add<const FAULT: u8>(u8);

impl<const FAULT: u8> fmt::Display for Add<FAULT> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            2 if Eight::<FAULT>::has(Rule::TokensDiffer) => write!(f, "+1"),
            2 if Eight::<FAULT>::has(Rule::TokenText) => write!(f, "+ 2"),
            count => write!(f, "+{count}"),
        }
    }
}

impl<const FAULT: u8> Game for Eight<FAULT> {
    type Move = Add<FAULT>;
    const ROLES: &'static [Role] =
        &[Role::new("anna", Side::First), Role::new("otto", Side::Second), Role::new("dice", Side::Chance)];
    const MAX_BRANCHING: usize = if Self::has(Rule::Branching) { 2 } else { 3 };
    const MAX_PLIES: usize = if Self::has(Rule::Plies) {
        5
    } else if FAULT == REPEATS {
        200
    } else {
        8
    };
    fn initial() -> Self {
        Self { count: if FAULT == OVER_AT_ONCE { 8 } else { 0 }, had_three: false, role: 0 }
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
        match FAULT {
            TELLS_WHAT_WAS_CHOSEN | DRAWS_WHAT_WAS_CHOSEN => kind.with_simultaneous_moves(),
            REPEATS => kind.with_repetition(),
            _ => kind,
        }
    }
    fn before_joint_move(&self) -> Option<Self> {
        let has_joint_move =
            Self::has(Rule::JointMoves) || matches!(FAULT, TELLS_WHAT_WAS_CHOSEN | DRAWS_WHAT_WAS_CHOSEN);
        (has_joint_move && self.role == 1 && self.count < 4).then(Self::initial)
    }
    fn probability(&self, Add(count): Add<FAULT>) -> f32 {
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
    fn legal_moves(&self, moves: &mut MoveList<Add<FAULT>>) {
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
    fn apply(&mut self, Add(count): Add<FAULT>) {
        assert!(!Self::has(Rule::NoPanic) || self.count != 5, "five");
        if (Self::has(Rule::NoRepetition) || FAULT == REPEATS) && count == 1 {
            return;
        }
        let is_first = FAULT == DRAWS_WHAT_WAS_CHOSEN && self.count == 0;
        let had_three = self.had_three || count == 3 && !is_first;
        *self = Self { count: self.count + count, had_three, role: 1 - self.role };
    }
    fn apply_ongoing(&mut self, mv: Add<FAULT>) {
        self.apply(mv);
        self.count += u8::from(Self::has(Rule::Ongoing));
    }
    fn nth_move(&self, n: usize) -> Add<FAULT> {
        let moves = self.move_list();
        moves[if Self::has(Rule::Numbered) { moves.len() - 1 - n } else { n }]
    }
    fn random_move(&self, rng: &mut Rng) -> Add<FAULT> {
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
        assert!(FAULT != PANICS_IN_ROLLOUTS || self.count > 0, "none");
        let plies = u32::from(Self::has(Rule::Rollouts));
        let rollout = crate::game::rollout_move_by_move(self, rng);
        Rollout { plies: rollout.plies + plies, ..rollout }
    }
    fn key(&self) -> u64 {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        if Self::has(Rule::Hashes) { NEXT.fetch_add(1, Ordering::Relaxed) } else { crate::hash::of(self) }
    }
    fn parse_move(&self, token: &str) -> Result<Add<FAULT>, IllegalMove> {
        let moves = self.move_list();
        let found = moves.iter().copied().find(|mv| mv.to_string() == token);
        let found = if Self::has(Rule::TokensRead) { moves.first().copied() } else { found };
        found.ok_or_else(|| IllegalMove::new(token, &moves))
    }
}

impl<const FAULT: u8> fmt::Display for Eight<FAULT> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let three = if self.had_three && !Self::has(Rule::StringsHoldAll) { "3" } else { "-" };
        let dash = if Self::has(Rule::StringText) { "\u{2013}" } else { three };
        write!(f, "{} {dash} {}", self.count, self.role)
    }
}

impl<const FAULT: u8> FromStr for Eight<FAULT> {
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

impl<const FAULT: u8> Notation for Eight<FAULT> {
    const ABOUT: About = About { title: "Eight", summary: "Come to eight.", moves: "", position: "" };
    fn draw(&self, mark: Option<Add<FAULT>>) -> String {
        let is_hidden = FAULT == TELLS_WHAT_WAS_CHOSEN && self.before_joint_move().is_some();
        let count = if is_hidden { 0 } else { self.count };
        match mark.filter(|_| !Self::has(Rule::Drawing)) {
            Some(_) => format!("[{count}]\n"),
            None => format!(" {count}\n"),
        }
    }
    fn picture(&self, _: Option<Add<FAULT>>) -> Picture {
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

#[test]
fn a_game_without_faults_has_none() {
    let report = checked::<Eight<0>>();
    assert_eq!(report.faults, []);
    assert_eq!((report.games, report.plies, report.most_moves), (200, [4, 7], 3));
    assert_eq!(report.perft[..3], [3, 8, 20]);
    assert_eq!(checked::<Nim<3>>().faults, []);
}

/// Checks the game with fault number `FAULT`, and returns the rules that it breaks.
#[track_caller]
fn broken<const FAULT: u8>() -> HashSet<Rule> {
    let wanted = FAULTS[usize::from(FAULT) - 1];
    let report = checked::<Eight<FAULT>>();
    let found: HashSet<Rule> = report.faults.iter().map(|it| it.rule).collect();
    assert!(found.contains(&wanted), "{wanted:?}: {:?}", report.faults);
    for Fault { message, times, .. } in &report.faults {
        assert!(!message.is_empty() && *times > 0);
    }
    found
}

#[test]
fn each_planted_fault_is_found() {
    macro_rules! found {
        ($($number:literal)*) => { [$(broken::<$number>()),*] };
    }
    let found = found!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28);
    // Faults of one kind seldom look like others.
    let several = found.iter().filter(|rules| rules.len() > 3).count();
    assert_eq!(several, 0, "{found:?}");
}

#[test]
fn a_flag_that_the_string_forgets_is_found_with_a_game_that_shows_it() {
    let report = checked::<Eight<{ fault(Rule::StringsHoldAll) }>>();
    let fault = &report.faults[0];
    assert_eq!(fault.rule, Rule::StringsHoldAll);
    assert!(fault.moves.contains(&"+3".to_owned()) || fault.message.contains("+3"), "{fault:?}");
    assert_eq!(fault.rule.item(), "Display");
}

#[test]
fn a_check_that_is_stopped_says_what_it_has_done() {
    let report = check::<Eight<0>>(CheckOptions::default(), &AtomicBool::new(true));
    assert_eq!((report.games, report.plies, report.perft), (0, [0, 0], vec![]));
}

#[test]
fn odd_games_are_checked_to_the_end() {
    let report = checked::<Eight<OVER_AT_ONCE>>();
    assert_eq!((report.games, report.plies, report.perft, report.faults), (200, [0, 0], vec![], vec![]));
    let report = checked::<Eight<PANICS_IN_ROLLOUTS>>();
    let [fault] = &report.faults[..] else { panic!("{:?}", report.faults) };
    assert_eq!((fault.rule, fault.message.as_str()), (Rule::NoPanic, "none"));
    let report = checked::<Eight<TELLS_WHAT_WAS_CHOSEN>>();
    let [fault] = &report.faults[..] else { panic!("{:?}", report.faults) };
    assert_eq!(
        (fault.rule, fault.message.as_str()),
        (Rule::JointMoves, "what a role may choose depends on what another has chosen")
    );
    let report = checked::<Eight<DRAWS_WHAT_WAS_CHOSEN>>();
    let [fault] = &report.faults[..] else { panic!("{:?}", report.faults) };
    let message = "the drawing, the picture or the task shows what another has chosen";
    assert_eq!((fault.rule, fault.message.as_str()), (Rule::JointMoves, message));
    let report = checked::<Eight<REPEATS>>();
    assert_eq!((report.faults.len(), report.perft.len() > 2), (0, true), "{:?}", report.faults);
}

#[test]
fn a_game_that_goes_on_for_too_long_is_a_draw() {
    let mut session = Variant::of::<Eight<REPEATS>, RulesOnly>("eight", "loop").start();
    for _ in 0..Eight::<REPEATS>::MAX_PLIES {
        assert_eq!(session.outcome(), None);
        session.play("+1").expect("it changes nothing");
    }
    assert_eq!(
        (session.outcome(), session.to_move(), session.score(Side::First)),
        (Some(Outcome::Draw), None, 50)
    );
    assert_eq!(session.legal_moves(), [""; 0]);
    session.play("+1").expect_err("the game is over");
    assert!(session.take_back() && session.outcome().is_none());
}

//! Positions of compiled rulesheets, as games for the search.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use quintet_core::game::{
    About, Game, IllegalMove, Kind, MoveList, Notation, Outcome, PositionError, Role, Rules, RulesHandle,
    ScoreSet, Side, text,
};
use quintet_core::hash::of_numbers;

use crate::bits::{count_in, has_bit, set_bit};
use crate::board;
use crate::compiled::Compiled;
use crate::kif::Kif;
use crate::limits::MAX_ROLES;
use crate::machine::{MOVE_WORDS, MoveSet, STATE_WORDS, State};

/// No move.
const NONE: u16 = u16::MAX;

/// A move of a role.
#[derive(Clone, Copy)]
pub struct Move {
    rules: RulesHandle<Compiled>,
    index: u16,
}

impl PartialEq for Move {
    fn eq(&self, other: &Self) -> bool {
        self.index == other.index
    }
}

impl Eq for Move {}

impl Hash for Move {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.index.hash(state);
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Move({self})")
    }
}

/// Writes the short token.
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let token = self.rules.with(|rules| rules.tokens[usize::from(self.index)].clone());
        f.write_str(&token.unwrap_or_default())
    }
}

/// A position: what is true, and in a joint move the choices that have been made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// `None` of a position of no game.
    rules: Option<RulesHandle<Compiled>>,
    fluents: State,
    /// What roles have chosen.
    chosen: [u16; MAX_ROLES],
    legal: MoveSet,
    outcome: Option<Outcome>,
    role: u8,
}

/// All else follows from these.
impl Hash for Position {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.fluents.hash(state);
        self.chosen.hash(state);
    }
}

impl Position {
    /// The start of a game with these rules.
    #[must_use]
    pub fn start(rules: &Rules<Compiled>) -> Self {
        Self::at(rules.handle(), rules.get(), rules.get().initial)
    }

    fn at(rules: RulesHandle<Compiled>, compiled: &Compiled, fluents: State) -> Self {
        let (seen, legal) = compiled.see(&fluents);
        let outcome = compiled.is_over(&seen, &legal).then(|| compiled.outcome(&seen.goals));
        let role = compiled.first_to_move(&legal) as u8;
        Self { rules: Some(rules), fluents, chosen: [NONE; MAX_ROLES], legal, outcome, role }
    }

    fn look<T>(&self, look: impl FnOnce(&Compiled) -> T) -> Option<T> {
        self.rules?.with(look)
    }

    /// What lanes need to begin here, with the handle of the rules.
    pub(crate) fn for_lanes(&self) -> (Option<RulesHandle<Compiled>>, &State, Vec<u16>, &MoveSet) {
        (self.rules, &self.fluents, self.chosen.into_iter().filter(|it| *it != NONE).collect(), &self.legal)
    }

    /// The position after the choice of the role to move.
    fn choose(&mut self, rules: RulesHandle<Compiled>, compiled: &Compiled, mv: u16) {
        let role = usize::from(self.role);
        self.chosen[role] = mv;
        if let Some(next) = compiled.choosing(&self.legal).find(|&it| it > role) {
            self.role = next as u8;
            return;
        }
        let moves = compiled.moves_of.iter().zip(self.chosen).map(|(range, chosen)| {
            let mut legal = range.clone().filter(|&it| has_bit(&self.legal, it));
            if chosen == NONE { legal.next().unwrap_or(range.start) as u16 } else { chosen }
        });
        let moves: Vec<u16> = moves.collect();
        *self = Self::at(rules, compiled, compiled.next(&self.fluents, &moves));
    }
}

impl Game for Position {
    type Move = Move;

    fn initial() -> Self {
        Self {
            rules: None,
            fluents: [0; STATE_WORDS],
            chosen: [NONE; MAX_ROLES],
            legal: [0; MOVE_WORDS],
            outcome: Some(Outcome::Draw),
            role: 0,
        }
    }

    #[inline]
    fn role_to_move(&self) -> usize {
        self.role.into()
    }

    fn side_to_move(&self) -> Side {
        self.look(|rules| rules.roles[usize::from(self.role)].side).unwrap_or(Side::First)
    }

    fn roles(&self) -> Cow<'static, [Role]> {
        self.look(|rules| rules.roles.clone().into()).unwrap_or(Cow::Borrowed(Self::ROLES))
    }

    fn kind(&self) -> Kind {
        self.look(|rules| rules.kind).unwrap_or(Kind::of(Self::ROLES))
    }

    fn scores(&self) -> ScoreSet {
        self.look(|rules| rules.scores).unwrap_or(ScoreSet::ANY)
    }

    fn before_joint_move(&self) -> Option<Self> {
        if self.chosen == [NONE; MAX_ROLES] {
            return None;
        }
        let role = self.look(|rules| rules.first_to_move(&self.legal))?;
        Some(Self { chosen: [NONE; MAX_ROLES], role: role as u8, ..*self })
    }

    fn max_branching(&self) -> usize {
        self.look(|rules| rules.most_moves).unwrap_or(0)
    }

    fn max_plies(&self) -> usize {
        self.look(|rules| rules.max_plies).unwrap_or(0)
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn legal_moves(&self, moves: &mut MoveList<Move>) {
        moves.clear();
        let Some(rules) = self.rules.filter(|_| self.outcome.is_none()) else { return };
        rules.with(|compiled| {
            let range = compiled.moves_of[usize::from(self.role)].clone();
            for index in range.filter(|&it| has_bit(&self.legal, it)) {
                moves.push(Move { rules, index: index as u16 });
            }
        });
    }

    fn move_count(&self) -> usize {
        let moves = |rules: &Compiled| count_in(&self.legal, rules.moves_of[usize::from(self.role)].clone());
        if self.outcome.is_some() { 0 } else { self.look(moves).unwrap_or(0) }
    }

    fn apply(&mut self, mv: Move) {
        let mut after = *self;
        if let Some(rules) = self.rules {
            rules.with(|compiled| after.choose(rules, compiled, mv.index));
        }
        *self = after;
    }

    fn key(&self) -> u64 {
        let chosen = self.chosen.iter().fold(0_u128, |all, &it| all << 16 | u128::from(it));
        of_numbers(self.fluents.into_iter().chain([chosen as u64, (chosen >> 64) as u64]))
    }

    fn parse_move(&self, token: &str) -> Result<Move, IllegalMove> {
        let moves = self.move_list();
        let tokens: Vec<String> = moves.iter().map(ToString::to_string).collect();
        let term = Kif::parse(token).ok().map(|it| it.normal().to_string());
        let same = moves.iter().position(|&mv| term.as_deref().is_some_and(|term| self.term(mv) == term));
        let index = same.or_else(|| text::resolve_token(token, &tokens));
        index.map(|it| moves[it]).ok_or_else(|| IllegalMove::new(token, &tokens))
    }
}

/// Writes what is true, and after a bar what has been chosen.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.look(|rules| {
            let mut parts: Vec<&str> = rules.true_in(&self.fluents).collect();
            let chosen: Vec<u16> = self.chosen.into_iter().filter(|it| *it != NONE).collect();
            if !chosen.is_empty() {
                parts.push("|");
                parts.extend(chosen.iter().map(|&it| &*rules.terms[usize::from(it)]));
            }
            parts.join(" ")
        });
        f.write_str(&text.unwrap_or_default())
    }
}

/// Without its rules a string says nothing.
impl FromStr for Position {
    type Err = PositionError;

    fn from_str(_: &str) -> Result<Self, PositionError> {
        Err(PositionError::new("rules", "a position is read with its rulesheet"))
    }
}

impl Notation for Position {
    const ABOUT: About = About {
        title: "A rulesheet in the Game Description Language",
        summary: "The rules and the aim are those of the rulesheet.",
        moves: "a term such as (mark 1 2), or its short form mark-1-2",
        position: "all that is true, such as (cell 1 1 x) (control o); after a bar, what roles have chosen at the \
                   same time",
    };

    fn term(&self, mv: Move) -> String {
        mv.rules.with(|rules| rules.terms[usize::from(mv.index)].clone()).unwrap_or_default()
    }

    fn draw(&self, mark: Option<Move>) -> String {
        let term = mark.map(|it| self.term(it));
        let drawn = self.look(|rules| {
            let all = rules.fluents.iter().map(|it| &*it.0);
            board::draw(all, rules.true_in(&self.fluents), term.as_deref())
        });
        drawn.unwrap_or_default()
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        self.look(Compiled::facts).unwrap_or_default()
    }

    fn read(&self, text: &str) -> Result<Self, PositionError> {
        let Some(rules) = self.rules else { return text.parse() };
        rules.with(|compiled| read(rules, compiled, text)).unwrap_or_else(|| text.parse())
    }
}

fn read(rules: RulesHandle<Compiled>, compiled: &Compiled, text: &str) -> Result<Position, PositionError> {
    let error = |part: &str, reason: String| PositionError::new(part, reason);
    let all = Kif::parse_all(text).map_err(|reason| error("terms", reason))?;
    let all: Vec<String> = all.iter().map(|it| it.normal().to_string()).collect();
    let (fluents, chosen) = match all.iter().position(|it| it == "|") {
        Some(bar) => (&all[..bar], &all[bar + 1..]),
        None => (&all[..], &[][..]),
    };
    let state = compiled.state_of(fluents.iter().cloned()).map_err(|(term, reason)| {
        let term = quintet_core::Quoted(&term).to_string();
        error(&term, format!("{reason} where the other terms are true"))
    })?;
    let mut position = Position::at(rules, compiled, state);
    for term in chosen {
        let shown = quintet_core::Quoted(term).to_string();
        let wrong = |reason: &str| Err(error(&shown, reason.to_owned()));
        let role = usize::from(position.role);
        let Some(later) = compiled.choosing(&position.legal).find(|&it| it > role) else {
            return wrong("no role could choose this while another one is still to choose");
        };
        let legal = |it: &usize| has_bit(&position.legal, *it) && compiled.terms[*it] == *term;
        let Some(mv) = compiled.moves_of[role].clone().find(legal).filter(|_| position.outcome.is_none())
        else {
            return wrong("is no legal move of the role whose turn it is to choose");
        };
        position.chosen[role] = mv as u16;
        position.role = later as u8;
    }
    Ok(position)
}

impl Compiled {
    /// What is true in a state.
    fn true_in(&self, state: &State) -> impl Iterator<Item = &str> {
        self.fluents.iter().filter(|it| it.1.is_true(state)).map(|it| &*it.0)
    }

    /// The state in which these terms are true and no others. What was proven of states has to hold in it.
    ///
    /// # Errors
    /// A term, and what is proven of it where the other terms are true.
    pub(crate) fn state_of(
        &self,
        terms: impl Iterator<Item = String>,
    ) -> Result<State, (String, &'static str)> {
        let mut is_true = vec![false; self.fluents.len()];
        for term in terms {
            let Some(&index) = self.fluent_of.get(&term) else {
                return Err((term, "is never true"));
            };
            is_true[index] = true;
        }
        let mut state = [0; STATE_WORDS];
        for (bit, _) in self.kept.iter().enumerate().filter(|it| is_true[*it.1]) {
            set_bit(&mut state, bit);
        }
        for ((term, fluent), is_true) in self.fluents.iter().zip(is_true) {
            if fluent.is_true(&state) != is_true {
                let always = if is_true { "is never true" } else { "is always true" };
                return Err((term.clone(), always));
            }
        }
        let is_true = |fluent: &usize| has_bit(&state, *fluent);
        for fluent in (0..self.kept.len()).filter(is_true) {
            if self.exclusions.row(fluent).iter().zip(&state).any(|(row, state)| row & state != 0) {
                return Err((self.fluents[self.kept[fluent]].0.clone(), "is never true"));
            }
        }
        if let Some(first) = self.counter.first()
            && self.counter.iter().copied().filter(is_true).count() != 1
        {
            let term = self.fluents[self.kept[*first]].0.clone();
            return Err((term, "or exactly one term that comes after it is true"));
        }
        Ok(state)
    }

    /// How the game ends with these goals.
    fn outcome(&self, goals: &[u8; MAX_ROLES]) -> Outcome {
        let players = self.roles.iter().filter(|role| role.side != Side::Chance).count();
        if players > 2 || self.scores.is_independent() {
            return Outcome::of_scores(&goals[..players]);
        }
        // What two sides share: their goals, if these add up to 100, as they have in all games that were tried.
        let [first, second] = [goals[0], goals[1]].map(i16::from);
        let score = if players == 1 { first } else { (first + 100 - second) / 2 };
        Outcome::of_score(Side::First, score as u8)
    }
}

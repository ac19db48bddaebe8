//! Positions of compiled rulesheets, as games for the search.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;
use std::sync::atomic::Ordering;

use quintet_core::game::{
    About, Game, IllegalMove, Kind, MAX_SCORE, MoveList, Notation, Outcome, Picture, PositionError, Rng,
    Role, Rollout, Rules, RulesHandle, ScoreSet, Side, text,
};
use quintet_core::hash::of_numbers;

use crate::bits::{count_in, has_bit, set_bit};
use crate::board;
use crate::compiled::{Compiled, NO_MOVE};
use crate::kif::Kif;
use crate::limits::MAX_ROLES;
use crate::machine::{STATE_WORDS, State};

/// A move of a role.
#[derive(Clone, Copy)]
pub struct Move {
    rules: RulesHandle<Compiled>,
    index: u16,
}

impl Move {
    /// Whether it has this number among the moves of the rules.
    pub(crate) fn is(self, index: u16) -> bool {
        self.index == index
    }
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
    /// What roles have chosen, and the only moves of those that have no choice.
    moves: [u16; MAX_ROLES],
    /// The roles that have a choice, as bits.
    choosing: u8,
    outcome: Option<Outcome>,
    role: u8,
}

/// All else follows from these.
impl Hash for Position {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.fluents.hash(state);
        self.moves.hash(state);
    }
}

impl Position {
    /// The start of a game with these rules.
    #[must_use]
    pub fn start(rules: &Rules<Compiled>) -> Self {
        Self::at(rules.handle(), rules.get(), rules.get().initial)
    }

    fn at(rules: RulesHandle<Compiled>, compiled: &Compiled, fluents: State) -> Self {
        let view = compiled.look(&fluents);
        let outcome = view.is_over.then(|| compiled.outcome(&fluents));
        let role = view.first as u8;
        Self { rules: Some(rules), fluents, moves: view.only, choosing: view.choosing, outcome, role }
    }

    pub(crate) fn look<T>(&self, look: impl FnOnce(&Compiled) -> T) -> Option<T> {
        self.rules?.with(look)
    }

    /// The bits of the fluents.
    pub(crate) fn fluents(&self) -> &State {
        &self.fluents
    }

    fn has_choice(&self, role: usize) -> bool {
        self.choosing >> role & 1 == 1
    }

    /// What roles have chosen.
    pub(crate) fn chosen(&self) -> impl Iterator<Item = u16> {
        (0..MAX_ROLES)
            .filter(|&role| self.has_choice(role) && self.moves[role] != NO_MOVE)
            .map(|it| self.moves[it])
    }

    /// The role that chooses after this one.
    fn next_to_choose(&self, role: usize) -> Option<usize> {
        (role + 1..MAX_ROLES).find(|&it| self.has_choice(it))
    }

    /// The position after the choice of the role to move.
    fn choose(&mut self, rules: RulesHandle<Compiled>, compiled: &Compiled, mv: u16) {
        let role = usize::from(self.role);
        self.moves[role] = mv;
        if let Some(next) = self.next_to_choose(role) {
            self.role = next as u8;
        } else {
            let next = compiled.next(&self.fluents, &self.moves[..compiled.roles.len()]);
            *self = Self::at(rules, compiled, next);
        }
    }
}

impl Game for Position {
    type Move = Move;
    const KIND: Kind = Kind::ANY;

    fn initial() -> Self {
        Self {
            rules: None,
            fluents: [0; STATE_WORDS],
            moves: [NO_MOVE; MAX_ROLES],
            choosing: 0,
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
        self.chosen().next()?;
        let mut before = *self;
        for role in (0..MAX_ROLES).filter(|&role| self.has_choice(role)) {
            before.moves[role] = NO_MOVE;
        }
        before.role = self.choosing.trailing_zeros() as u8;
        Some(before)
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
            let own = &compiled.moves_of[usize::from(self.role)];
            compiled.machine.see(&self.fluents, |index| {
                if own.contains(&index) {
                    moves.push(Move { rules, index: index as u16 });
                }
            });
        });
    }

    fn apply(&mut self, mv: Move) {
        let mut after = *self;
        if let Some(rules) = self.rules {
            rules.with(|compiled| after.choose(rules, compiled, mv.index));
        }
        *self = after;
    }

    fn rollout(&self, rng: &mut Rng) -> Rollout {
        let draw = Rollout { outcome: Outcome::Draw, plies: 0 };
        self.look(|compiled| compiled.random_game(self, rng)).unwrap_or(draw)
    }

    fn key(&self) -> u64 {
        let moves = self.moves.iter().fold(0_u128, |all, &it| all << 16 | u128::from(it));
        of_numbers(self.fluents.into_iter().chain([moves as u64, (moves >> 64) as u64]))
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
            if self.chosen().next().is_some() {
                parts.push("|");
                parts.extend(self.chosen().map(|it| &*rules.terms[usize::from(it)]));
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
        title: "",
        summary: "A rulesheet in the Game Description Language, which tells the rules and the aim.",
        moves: "a term such as (mark 1 2), or its short form mark-1-2",
        position: "all that is true, such as (cell 1 1 x) (control o); after a bar, what roles have chosen at the \
                   same time",
    };

    fn term(&self, mv: Move) -> String {
        mv.rules.with(|rules| rules.terms[usize::from(mv.index)].clone()).unwrap_or_default()
    }

    fn waiting_term(&self, role: usize) -> String {
        let only = self.moves.get(role).filter(|it| **it != NO_MOVE);
        let term = self.look(|rules| only.map(|&it| rules.terms[usize::from(it)].clone()));
        term.flatten().unwrap_or_default()
    }

    fn draw(&self, mark: Option<Move>) -> String {
        let term = mark.map(|it| self.term(it));
        let drawn =
            self.look(|rules| board::draw(rules.board(), rules.true_in(&self.fluents), term.as_deref()));
        drawn.unwrap_or_default()
    }

    fn picture(&self, _last: Option<Move>) -> Picture {
        let scene = self.look(|rules| {
            let to_move = self.outcome.is_none().then(|| &rules.roles[usize::from(self.role)]);
            Some(rules.board()?.scene(rules.true_in(&self.fluents), to_move))
        });
        scene.flatten().map_or_else(|| Picture::Text(self.draw(None)), Picture::Scene)
    }

    fn cells(&self, mv: Move) -> Vec<usize> {
        let cells = self.look(|rules| Some(rules.board()?.cells(&rules.terms[usize::from(mv.index)])));
        cells.flatten().unwrap_or_default()
    }

    /// The rules tell goals while the game goes on, too.
    fn score(&self, side: Side) -> u8 {
        let goal = |rules: &Compiled| {
            let role = rules.roles.iter().position(|role| role.side == side);
            role.map_or(0, |role| rules.machine.goals(&self.fluents)[role])
        };
        self.outcome.map_or_else(|| self.look(goal).unwrap_or(0), |outcome| outcome.score(side))
    }

    fn ending(&self) -> Option<String> {
        let stuck = self.look(|rules| rules.stuck(&self.fluents).map(str::to_owned)).flatten();
        stuck.map(|role| format!("{role} has no legal move, though `terminal` does not hold"))
    }

    fn caveat(&self) -> Option<String> {
        let is_known = self.look(|rules| rules.has_other_ends.load(Ordering::Relaxed)).unwrap_or_default();
        is_known.then(|| {
            "the goals of both do not add up to 100 in all ends, so scores and proofs are of 50 and half of their \
             difference"
                .to_owned()
        })
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
        let term = quintet_core::Quoted(&term);
        error("terms", format!("{term} {reason} where the other terms are true"))
    })?;
    let mut position = Position::at(rules, compiled, state);
    for term in chosen {
        let shown = quintet_core::Quoted(term);
        let wrong = |reason: &str| Err(error("choices", format!("{shown} {reason}")));
        let role = usize::from(position.role);
        let Some(later) = position.next_to_choose(role) else {
            return wrong("is a choice that no role could make while another one is still to choose");
        };
        let legal = compiled.legal(&position.fluents);
        let mv = compiled.legal_of(&legal, role).find(|&it| compiled.terms[usize::from(it)] == *term);
        let Some(mv) = mv.filter(|_| position.outcome.is_none()) else {
            return wrong("is no term of a legal move of the role whose turn it is to choose");
        };
        position.moves[role] = mv;
        position.role = later as u8;
    }
    Ok(position)
}

impl Compiled {
    /// What is true in a state.
    pub(crate) fn true_in(&self, state: &State) -> impl Iterator<Item = &str> {
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
        if let Some(count) = self.counts.iter().find(|it| it.filled(&state) > it.most)
            && let Some(&fluent) = count.groups.iter().flatten().find(|it| is_true(it))
        {
            let term = self.fluents[self.kept[fluent]].0.clone();
            return Err((term, "is never true with so many others of its kind"));
        }
        Ok(state)
    }

    /// How the game ends in this state.
    fn outcome(&self, state: &State) -> Outcome {
        self.outcome_of(self.machine.goals(state))
    }

    /// How a game with these goals of the roles ends.
    pub(crate) fn outcome_of(&self, goals: [u8; MAX_ROLES]) -> Outcome {
        if self.players() == 2 && self.scores.is_independent() || self.players() > 2 {
            Outcome::of_scores(&goals[..self.players()])
        } else {
            let [first, second] = [goals[0], goals[1]].map(i16::from);
            if self.players() == 2 && first + second != i16::from(MAX_SCORE) {
                self.has_other_ends.store(true, Ordering::Relaxed);
            }
            // Each side's goal, if these add up to 100.
            let score = if self.players() == 1 { first } else { (first + 100 - second) / 2 };
            Outcome::of_score(Side::First, score as u8)
        }
    }

    /// Draws moves for the roles that have none yet, and returns how many did.
    pub(crate) fn draw_moves(&self, state: &State, moves: &mut [u16; MAX_ROLES], rng: &mut Rng) -> u32 {
        let roles = 0..self.roles.len();
        if !moves[roles.clone()].contains(&NO_MOVE) {
            return 0;
        }
        let legal = self.legal(state);
        let mut drawn = 0;
        for role in roles {
            if moves[role] == NO_MOVE {
                let count = count_in(&legal, self.moves_of[role].clone());
                moves[role] = self.legal_of(&legal, role).nth(rng.below(count)).unwrap_or(NO_MOVE);
                drawn += 1;
            }
        }
        drawn
    }

    /// A random game from a position.
    fn random_game(&self, start: &Position, rng: &mut Rng) -> Rollout {
        let Position { mut fluents, mut moves, mut outcome, .. } = *start;
        let mut plies = 0;
        // Cut off after as many steps as games in lanes.
        for _ in 0..self.lanes.max_steps {
            if let Some(outcome) = outcome {
                return Rollout { outcome, plies };
            }
            // A step in which nobody has a choice is a ply, too.
            plies += self.draw_moves(&fluents, &mut moves, rng).max(1);
            fluents = self.next(&fluents, &moves[..self.roles.len()]);
            let view = self.look(&fluents);
            moves = view.only;
            outcome = view.is_over.then(|| self.outcome(&fluents));
        }
        let cut_off = if self.players() == 1 { Outcome::of_score(Side::First, 0) } else { Outcome::Draw };
        Rollout { outcome: outcome.unwrap_or(cut_off), plies }
    }
}

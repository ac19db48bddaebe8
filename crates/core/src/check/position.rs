//! A position of any game as an object, and what must hold for each position by itself.

use std::collections::HashSet;

use super::chance::Endings;
use super::rule::Rule;
use crate::game::{
    EMPTY, Kind, MAX_MOVES, MAX_SCORE, Notation, Outcome, Picture, Rng, Role, Scene, ScoreSet, Side,
    has_simultaneous_moves, is_chance, is_independent, rollout_move_by_move, wrong_kind,
};
use crate::hash;

/// What a position shows to the outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Facts {
    pub(super) text: String,
    /// The tokens of the legal moves.
    pub(super) moves: Vec<String>,
    pub(super) outcome: Option<Outcome>,
    /// The role to move, while the game goes on.
    pub(super) role: Option<usize>,
}

impl Facts {
    /// What differs, in a few words.
    pub(super) fn difference(&self, other: &Self) -> Option<String> {
        let only = |a: &Self, b: &Self| a.moves.iter().find(|it| !b.moves.contains(it)).cloned();
        if self.outcome != other.outcome {
            let say = |it: Option<Outcome>| it.map_or("goes on".to_owned(), |it| format!("is over ({it:?})"));
            return Some(format!("one {}, the other {}", say(self.outcome), say(other.outcome)));
        }
        if self.role != other.role {
            return Some(format!("role {:?} is to move, or {:?}", self.role, other.role));
        }
        if let Some(mv) = only(self, other).or_else(|| only(other, self)) {
            return Some(format!("{mv} is legal in one alone"));
        }
        if self.moves != other.moves {
            return Some("their moves have another order".to_owned());
        }
        let texts = || format!("one is {:?}, the other {:?}", self.text, other.text);
        (self.text != other.text).then(texts)
    }
}

/// A position of any game.
pub(super) trait Position {
    fn facts(&self) -> Facts;

    /// A hash that equal positions share.
    fn hash(&self) -> u64;

    /// Tells what rules the position breaks, and how.
    fn examine(&self, rng: &mut Rng, found: &mut dyn FnMut(Rule, String));

    /// Plays the legal move with this index.
    fn play(&mut self, index: usize);

    /// The position that its string is read as; `None` if it can't be read.
    fn read_back(&self) -> Option<Box<dyn Position>>;

    /// Draws a move so often, and counts how often each was drawn, by its index; `None` if one was illegal.
    fn random_moves(&self, times: usize, rng: &mut Rng) -> Option<Vec<u64>>;

    /// The probabilities of the moves in a random game.
    fn probabilities(&self) -> Vec<f32>;

    /// How rollouts end, by the game's own or move by move.
    fn endings(&self, rollouts: u32, move_by_move: bool, rng: &mut Rng) -> Endings;

    /// The number of sequences of so many moves.
    fn perft(&self, depth: u32) -> u64;

    fn copy(&self) -> Box<dyn Position>;
}

/// The most tokens of a position that are read, and moves that are drawn: all would take long where there are many.
const READ: usize = 12;
const DRAWN: usize = 2;

impl<G: Notation> Position for G {
    fn facts(&self) -> Facts {
        let outcome = self.outcome();
        Facts {
            text: self.to_string(),
            moves: self.move_list().iter().map(ToString::to_string).collect(),
            outcome,
            role: outcome.is_none().then(|| self.role_to_move()),
        }
    }

    fn hash(&self) -> u64 {
        hash::of(self)
    }

    fn examine(&self, rng: &mut Rng, found: &mut dyn FnMut(Rule, String)) {
        let moves = self.move_list();
        let tokens: Vec<String> = moves.iter().map(ToString::to_string).collect();
        let outcome = self.outcome();
        let mut again = moves.clone();
        again.truncate(MAX_MOVES / 2);
        self.legal_moves(&mut again);
        let numbered = self.move_count() == moves.len();
        let list = List {
            tokens: &tokens,
            outcome,
            again: (again != moves).then_some(again.len()),
            twice: (1..moves.len()).find(|&n| moves[..n].contains(&moves[n])),
            most: self.max_branching(),
            counted: self.move_count(),
            misnumbered: (0..moves.len())
                .find(|&n| numbered && self.nth_move(n) != moves[n])
                .map(|n| (n, self.nth_move(n).to_string())),
        };
        examine_list(&list, found);
        examine_tokens(&tokens, found);
        if let Some(wrong) = wrong_kind(self) {
            let roles = Kind::of(&self.roles());
            found(
                Rule::Kind,
                format!("{wrong}: it is {:?}, {roles:?} by the roles, KIND {:?}", self.kind(), G::KIND),
            );
        }
        let role = outcome.is_none().then(|| self.role_to_move());
        examine_roles(&self.roles(), role, &|| self.side_to_move(), &|side| self.score(side), found);
        let is_independent = is_independent(self);
        let probabilities =
            if outcome.is_none() && is_chance(self) { self.probabilities() } else { Vec::new() };
        examine_scores(self.scores(), outcome.filter(|_| !is_independent), &probabilities, found);
        examine_joint_move(self, &moves, found);
        let text = self.to_string();
        let read = self.read(&text).map_err(|error| error.to_string()).map(|it| ReadBack {
            is_equal: it == *self,
            text: it.to_string(),
            is_hashed_alike: hash::of(&it) == hash::of(self) && it.key() == self.key(),
        });
        examine_text(&text, read, found);
        let first = rng.below(moves.len().max(1));
        let some = |most: usize| (0..moves.len().min(most)).map(|n| (first + n) % moves.len());
        for n in some(READ) {
            if self.parse_move(&tokens[n]) != Ok(moves[n]) {
                found(Rule::TokensRead, format!("{:?} is read as another move, or not at all", tokens[n]));
            }
        }
        for (&mv, token) in moves.iter().zip(&tokens) {
            let (after, mut ongoing) = (self.after(mv), *self);
            if after.outcome().is_none() {
                ongoing.apply_ongoing(mv);
                if ongoing != after {
                    found(Rule::Ongoing, format!("the position after {token} is another one"));
                }
            }
        }
        let plain = self.draw(None);
        let size = places(self.picture(None), found);
        for n in some(DRAWN) {
            let after = self.after(moves[n]).picture(Some(moves[n]));
            examine_drawing(&tokens[n], &plain, &self.draw(Some(moves[n])), size, after, found);
        }
        if outcome.is_some() {
            let rollout = self.rollout(rng);
            if Some(rollout.outcome) != outcome || rollout.plies > 0 {
                found(Rule::Rollouts, format!("{rollout:?} of a game that is over"));
            }
        }
    }

    fn play(&mut self, index: usize) {
        self.apply(self.move_list()[index]);
    }

    fn read_back(&self) -> Option<Box<dyn Position>> {
        self.read(&self.to_string()).ok().map(|it| Box::new(it) as _)
    }

    fn random_moves(&self, times: usize, rng: &mut Rng) -> Option<Vec<u64>> {
        let moves = self.move_list();
        let mut counts = vec![0; moves.len()];
        for _ in 0..times {
            let drawn = self.random_move(rng);
            counts[moves.iter().position(|&mv| mv == drawn)?] += 1;
        }
        Some(counts)
    }

    fn probabilities(&self) -> Vec<f32> {
        let moves = self.move_list();
        if is_chance(self) {
            moves.iter().map(|&mv| self.probability(mv)).collect()
        } else {
            vec![1.0 / moves.len() as f32; moves.len()]
        }
    }

    fn endings(&self, rollouts: u32, move_by_move: bool, rng: &mut Rng) -> Endings {
        Endings::of(
            rollouts,
            || if move_by_move { rollout_move_by_move(self, rng) } else { self.rollout(rng) },
        )
    }

    fn perft(&self, depth: u32) -> u64 {
        let moves = self.move_list();
        if depth <= 1 {
            return if depth == 0 { 1 } else { moves.len() as u64 };
        }
        moves.iter().map(|&mv| self.after(mv).perft(depth - 1)).sum()
    }

    fn copy(&self) -> Box<dyn Position> {
        Box::new(*self)
    }
}

/// What is looked at in a move list.
struct List<'a> {
    tokens: &'a [String],
    outcome: Option<Outcome>,
    /// The number of moves in a list that had some before, if they are others.
    again: Option<usize>,
    /// The first move that is there twice.
    twice: Option<usize>,
    /// The most that may be there.
    most: usize,
    counted: usize,
    /// The first move that has another number, and the token of the one that has its number.
    misnumbered: Option<(usize, String)>,
}

fn examine_list(list: &List<'_>, found: &mut dyn FnMut(Rule, String)) {
    let &List { tokens, outcome, again, twice, most, counted, ref misnumbered } = list;
    let count = tokens.len();
    if let Some(again) = again {
        found(Rule::SameList, format!("{count} moves, and {again} where the list had some before"));
    }
    if let Some(n) = twice {
        found(Rule::MovesOnce, format!("{} is there twice", tokens[n]));
    }
    if tokens.is_empty() != outcome.is_some() {
        let end = if outcome.is_some() { "it is over" } else { "it goes on" };
        found(Rule::MovesUntilTheEnd, format!("{count} moves, and {end}"));
    }
    if count > most {
        found(Rule::Branching, format!("{count} moves, {most} at most"));
    }
    if counted != count {
        found(Rule::Numbered, format!("{count} in the list, {counted} counted"));
    }
    if let Some((n, other)) = misnumbered {
        found(Rule::Numbered, format!("move {n} is {}, not {other}", tokens[*n]));
    }
}

/// `role` is the one to move, while the game goes on, and `side` asks for its side.
fn examine_roles(
    roles: &[Role],
    role: Option<usize>,
    side: &dyn Fn() -> Side,
    score: &dyn Fn(Side) -> u8,
    found: &mut dyn FnMut(Rule, String),
) {
    if let Some(role) = role {
        match roles.get(role) {
            None => found(Rule::Roles, format!("role {role} of {}", roles.len())),
            Some(it) if it.side != side() => found(Rule::Roles, format!("{:?}", it.name)),
            Some(_) if roles[0].side != Side::First => {
                found(Rule::Roles, "the first role is not of Side::First".to_owned());
            }
            Some(it) if it.side == Side::Chance && role + 1 < roles.len() => {
                found(Rule::Roles, "chance is not the last".to_owned());
            }
            Some(_) => {}
        }
    }
    for side in roles.iter().map(|role| role.side).filter(|&side| side != Side::Chance) {
        if score(side) > MAX_SCORE {
            found(Rule::Scores, format!("{} for {side:?}", score(side)));
        }
    }
}

/// The game ends with one of its scores, and the probabilities of chance, if it is to move, add up to 1. `outcome` is
/// that of two sides that share the score.
fn examine_scores(
    all: ScoreSet,
    outcome: Option<Outcome>,
    probabilities: &[f32],
    found: &mut dyn FnMut(Rule, String),
) {
    if let Some(outcome) = outcome {
        let scores = Side::ALL.map(|side| outcome.score(side));
        let [first, second, ..] = scores;
        let sum = scores.iter().map(|&it| u32::from(it)).sum::<u32>();
        if !all.contains(first) || sum != MAX_SCORE.into() {
            found(Rule::Outcomes, format!("{first} for the first side and {second} for the second"));
        }
    }
    let sum: f32 = probabilities.iter().sum();
    if !probabilities.is_empty() && (!probabilities.iter().all(|&it| it > 0.0) || (sum - 1.0).abs() > 1e-4) {
        found(Rule::Probabilities, format!("{probabilities:?} add up to {sum}"));
    }
}

/// Nothing that a role knows in a joint move depends on what others have chosen.
fn examine_joint_move<G: Notation>(position: &G, moves: &[G::Move], found: &mut dyn FnMut(Rule, String)) {
    let mut fault = |message: &str| found(Rule::JointMoves, message.to_owned());
    let before = position.before_joint_move();
    if !has_simultaneous_moves(position) {
        if before.is_some() {
            fault("the kind of the game does not tell of joint moves");
        }
        return;
    }
    if before.is_some_and(|before| before.before_joint_move().is_some()) {
        fault("it is itself within a joint move");
    }
    if is_chance(position) {
        if moves.iter().any(|&mv| position.after(mv).before_joint_move().is_some()) {
            fault("a role chooses after chance");
        }
        return;
    }
    let start = before.unwrap_or(*position);
    let seen = |next: &G| (next.draw(None), next.task(), format!("{:?}", next.picture(None)));
    let known = |next: &G| (next.before_joint_move(), next.role_to_move(), next.move_list(), seen(next));
    let mut all = moves
        .iter()
        .map(|&mv| position.after(mv))
        .filter(|next| next.outcome().is_none())
        .map(|it| known(&it));
    let Some(first) = all.next() else { return };
    if before.is_some() || first.0.is_some() {
        if first.0.is_some_and(|it| it != start) {
            fault("another position than before the first choice");
        }
        // After the last choice the game goes on in different ways.
        if first.0.is_some() {
            for (before, role, moves, seen) in all {
                if (before, role, &moves) != (first.0, first.1, &first.2) {
                    fault("what a role may choose depends on what another has chosen");
                } else if seen != first.3 {
                    fault("the drawing, the picture or the task shows what another has chosen");
                }
            }
        }
    }
}

/// Tokens name one move each.
fn examine_tokens(tokens: &[String], found: &mut dyn FnMut(Rule, String)) {
    let mut seen = HashSet::new();
    if let Some(token) = tokens.iter().find(|&token| !seen.insert(token)) {
        found(Rule::TokensDiffer, format!("{token:?} names two"));
    }
    if let Some(token) = tokens.iter().find(|it| it.is_empty() || !it.chars().all(|c| c.is_ascii_graphic())) {
        found(Rule::TokenText, format!("{token:?}"));
    }
}

/// What a position's string is read as.
struct ReadBack {
    is_equal: bool,
    text: String,
    is_hashed_alike: bool,
}

/// A position is read back from its string.
fn examine_text(text: &str, read: Result<ReadBack, String>, found: &mut dyn FnMut(Rule, String)) {
    if text.is_empty() || !text.chars().all(|c| c == ' ' || c.is_ascii_graphic()) {
        found(Rule::StringText, format!("{text:?}"));
    }
    match read {
        Err(error) => found(Rule::StringsRead, format!("{text:?} is refused: {error}")),
        Ok(read) if !read.is_equal => {
            found(Rule::StringsRead, format!("{text:?} is read as a position that is not equal"));
        }
        Ok(read) if read.text != text => {
            found(Rule::StringsRead, format!("{text:?} is read as {:?}", read.text));
        }
        Ok(read) if !read.is_hashed_alike => {
            found(Rule::Hashes, format!("{text:?} and what it is read as"));
        }
        Ok(_) => {}
    }
}

/// A move is drawn in brackets, and all else is as without it; the picture after it has as many places as before.
fn examine_drawing(
    token: &str,
    plain: &str,
    marked: &str,
    size: Option<usize>,
    after: Picture,
    found: &mut dyn FnMut(Rule, String),
) {
    if !marked.contains('[') || without_marks(marked) != without_marks(plain) {
        found(Rule::Drawing, format!("{token} is drawn as\n{marked}"));
    }
    let after = places(after, found);
    if after != size {
        found(Rule::Picture, format!("{after:?} places after {token}, and {size:?} before"));
    }
}

/// A drawing without the brackets around a move, and without blanks, which brackets may replace.
fn without_marks(drawing: &str) -> String {
    drawing.replace(['[', ']', ' '], "")
}

/// Examines a picture, and returns the number of its places; `None` if it is text.
fn places(picture: Picture, found: &mut dyn FnMut(Rule, String)) -> Option<usize> {
    let Picture::Scene(Scene { layout, places, open, lines, .. }) = picture else { return None };
    if places.len() != layout.places() {
        found(Rule::Picture, format!("{} places, and {} in its layout", places.len(), layout.places()));
    }
    let is_known = |code: char| code == EMPTY || layout.glyphs.iter().any(|glyph| glyph.code == code);
    if let Some(code) = places.iter().find(|&&code| !is_known(code)) {
        found(Rule::Picture, format!("{code:?} is no code of its glyphs"));
    }
    if let Some(cell) = open.iter().chain(lines.iter().flatten()).find(|&&cell| cell >= places.len()) {
        found(Rule::Picture, format!("no place has the number {cell}"));
    }
    Some(places.len())
}

//! Plays through a certificate: the turns that it gives, and every reply to them.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use super::{Certificate, One, Small, Stated, VerifyError, wrong};

/// The rules of a game turn by turn, its symmetries, and what is settled without a line.
pub(crate) trait Game {
    /// A position at the beginning of a turn, in which the game is not over.
    type Position: Copy;
    /// All choices of a side until the other one is on.
    type Turn: Copy + Eq;
    /// Equal for two positions if and only if a symmetry takes one to the other.
    type Key: Copy + Eq + Hash;
    /// A symmetry of the rules.
    type Symmetry;

    /// The roles of each side.
    const ROLES: [&'static [&'static str]; 2];
    /// The scores that can be claimed.
    const CLAIMS: &'static [u8];

    /// Takes in the rest of the first line, or says what is wrong with it.
    fn set_up(&mut self, side: usize, at_least: u8, search_from: Option<u8>) -> Result<(), String>;
    /// Reads a position string, or says what is wrong with it.
    fn read(&self, text: &str) -> Result<Self::Position, String>;
    fn write(&self, position: &Self::Position) -> String;
    /// The side whose turn it is, 0 or 1.
    fn side(&self, position: &Self::Position) -> usize;
    fn turns(&self, position: &Self::Position) -> Vec<Self::Turn>;
    /// The tokens of a turn, in the order in which they are played.
    fn tokens(&self, position: &Self::Position, turn: Self::Turn) -> impl Iterator<Item = String>;
    fn play(&self, position: &Self::Position, turn: Self::Turn) -> Next<Self::Position>;
    /// The key, and a symmetry that takes the position to the one that stands for its class.
    fn canonical(&self, position: &Self::Position) -> (Self::Key, Self::Symmetry);
    fn image(&self, symmetry: &Self::Symmetry, turn: Self::Turn) -> Self::Turn;
    /// Whether the side to move can end the game with a win.
    fn wins_at_once(&self, position: &Self::Position) -> bool;
    /// Judges a position without a line, in which the claiming side doesn't win at once.
    fn settle(&mut self, position: &Self::Position) -> Settled<Self::Turn>;
    /// The positions of all searches so far.
    fn searched(&self) -> u64;
}

/// What a turn leads to.
pub(crate) enum Next<P> {
    Position(P),
    /// The end of the game, with the score of each side.
    End([u8; 2]),
}

/// How a position without a line is settled.
pub(crate) enum Settled<T> {
    /// The claim holds here.
    Holds,
    /// The claiming side plays this turn.
    By(T),
    /// The other side may play any turn, and the claim has to hold after each.
    ByEveryReply,
    /// Not at all, for this reason.
    Not(String),
}

/// The roles of both sides, and the side that a certificate is about.
pub(crate) struct Sides {
    pub(crate) roles: [&'static [&'static str]; 2],
    pub(crate) claiming: usize,
}

/// A line of the certificate.
struct CertificateLine<T> {
    number: usize,
    /// The turn in the position that stands for the class.
    turn: T,
    is_reached: bool,
}

struct Walk<'a, G: Game> {
    game: G,
    side: usize,
    role: &'a str,
    at_least: u8,
    lines: HashMap<G::Key, CertificateLine<G::Turn>>,
    reached: usize,
    /// The positions that are settled or will be: an error ends the check as a whole.
    seen: HashSet<G::Key>,
    watch: &'a mut dyn FnMut(usize),
}

/// A position that does not bear out the claim.
struct Failure {
    /// The line whose turn led there.
    line: usize,
    reason: String,
    /// The turns that led there, the last one first.
    turns: Vec<String>,
}

/// Checks a certificate, and calls `watch` with the number of lines reached so far.
pub(crate) fn check<G: Game>(
    mut game: G,
    stated: &Stated,
    watch: &mut dyn FnMut(usize),
) -> Result<(Certificate, Sides), VerifyError> {
    let first = &stated.first;
    let One(role, One(relation, Small(at_least))) = &first.claim;
    let set_up = || {
        let side = G::ROLES.iter().position(|roles| roles.contains(&&**role));
        let side = side.ok_or_else(|| format!("claim: {} has no role {}", first.game, shown(role)))?;
        if relation != "at_least" {
            return Err(format!("claim: {} instead of at_least", shown(relation)));
        }
        if !G::CLAIMS.contains(at_least) {
            let known: Vec<String> = G::CLAIMS.iter().map(u8::to_string).collect();
            let known = known.join(" or ");
            return Err(format!("claim: at_least is {at_least}, and {} has {known}", first.game));
        }
        game.set_up(side, *at_least, first.search_from.map(|it| it.0))?;
        let start = game.read(&first.position).map_err(|reason| format!("position: {reason}"))?;
        Ok((side, start))
    };
    let (side, start) = ({ set_up })().map_err(|message| wrong(stated.line, message))?;
    let mut lines = HashMap::new();
    for (number, line) in &stated.lines {
        let given = |reason| wrong(*number, reason);
        let position = game.read(&line.position).map_err(|reason| given(format!("position: {reason}")))?;
        if game.side(&position) != side {
            return Err(given(format!("position: it is not the turn of {role}")));
        }
        let turns = game.turns(&position);
        let moves = || line.moves.iter().map(String::as_str);
        let turn = turns.iter().find(|turn| game.tokens(&position, **turn).eq(moves()));
        let turn = *turn.ok_or_else(|| {
            let legal = turns.first().map_or(String::new(), |turn| written(&game, &position, *turn));
            given(format!("moves: {} is no legal turn, as {legal} is", shown(&line.moves.join(" "))))
        })?;
        let (key, symmetry) = game.canonical(&position);
        match lines.entry(key) {
            Entry::Vacant(entry) => {
                let turn = game.image(&symmetry, turn);
                entry.insert(CertificateLine { number: *number, turn, is_reached: false });
            }
            Entry::Occupied(entry) => {
                let earlier = entry.get().number;
                return Err(given(format!("the position is that of line {earlier}, or symmetric to it")));
            }
        }
    }
    let seen = HashSet::new();
    let mut walk = Walk { game, side, role, at_least: *at_least, lines, reached: 0, seen, watch };
    walk.settle(&start, stated.line).map_err(|failure| {
        let turns: Vec<String> = failure.turns.into_iter().rev().collect();
        let after = if turns.is_empty() { String::new() } else { format!("after {}: ", turns.join(", ")) };
        wrong(failure.line, after + &failure.reason)
    })?;
    if let Some(number) = walk.lines.values().filter(|it| !it.is_reached).map(|it| it.number).min() {
        return Err(wrong(number, "the position is never reached, or the side wins there at once"));
    }
    let certificate = Certificate {
        line: stated.line,
        game: first.game.clone(),
        rules: first.rules.clone(),
        position: first.position.clone(),
        role: role.clone(),
        at_least: *at_least,
        lines: stated.lines.len(),
        positions: walk.seen.len() as u64,
        searched: walk.game.searched(),
    };
    Ok((certificate, Sides { roles: G::ROLES, claiming: side }))
}

impl<G: Game> Walk<'_, G> {
    /// Checks that the claim holds in a position, to which the turn of line `from` led.
    fn settle(&mut self, position: &G::Position, from: usize) -> Result<(), Failure> {
        let is_own = self.game.side(position) == self.side;
        if is_own && self.game.wins_at_once(position) {
            return Ok(());
        }
        let (key, symmetry) = self.game.canonical(position);
        if !self.seen.insert(key) {
            return Ok(());
        }
        if let Some(line) = self.lines.get_mut(&key).filter(|_| is_own) {
            let (number, image) = (line.number, line.turn);
            line.is_reached = true;
            self.reached += 1;
            (self.watch)(self.reached);
            let turns = self.game.turns(position);
            let turn = turns.into_iter().find(|turn| self.game.image(&symmetry, *turn) == image);
            // A symmetry takes the legal turns of its position to those of this one.
            return match turn {
                Some(turn) => self.play(position, turn, number),
                None => Err(self.failure(position, number, "the turn is not legal here")),
            };
        }
        match self.game.settle(position) {
            Settled::Holds => Ok(()),
            Settled::By(turn) => self.play(position, turn, from),
            Settled::ByEveryReply => {
                let turns = self.game.turns(position);
                turns.into_iter().try_for_each(|turn| self.play(position, turn, from))
            }
            Settled::Not(reason) => Err(self.failure(position, from, &reason)),
        }
    }

    fn failure(&self, position: &G::Position, line: usize, reason: &str) -> Failure {
        Failure { line, reason: format!("{}: {reason}", self.game.write(position)), turns: Vec::new() }
    }

    /// Plays a turn and checks that the claim holds after it.
    fn play(&mut self, position: &G::Position, turn: G::Turn, from: usize) -> Result<(), Failure> {
        let result = match self.game.play(position, turn) {
            Next::Position(next) => self.settle(&next, from),
            Next::End(scores) if scores[self.side] >= self.at_least => Ok(()),
            Next::End(scores) => {
                let (role, at_least) = (self.role, self.at_least);
                let score = scores[self.side];
                let reason = format!("the game is over, and {role} gets {score} instead of {at_least}");
                Err(Failure { line: from, reason, turns: Vec::new() })
            }
        };
        result.map_err(|mut failure| {
            failure.turns.push(written(&self.game, position, turn));
            failure
        })
    }
}

/// Returns a turn for a message.
fn written<G: Game>(game: &G, position: &G::Position, turn: G::Turn) -> String {
    game.tokens(position, turn).collect::<Vec<_>>().join(" ")
}

/// The places of the bits of a mask that are set.
pub(crate) fn bits(mask: impl Into<u64>) -> impl Iterator<Item = u8> {
    let mut mask = mask.into();
    std::iter::from_fn(move || {
        let bit = mask.trailing_zeros() as u8;
        mask &= mask.wrapping_sub(1);
        (bit < 64).then_some(bit)
    })
}

/// Returns a text from the file for a message: quoted, escaped, and not too long.
pub(crate) fn shown(text: &str) -> String {
    const MOST: usize = 80;
    let short: String = text.chars().take(MOST).collect();
    if short.len() < text.len() { format!("{short:?}…") } else { format!("{short:?}") }
}

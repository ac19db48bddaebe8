//! A match in a session: the moves that all roles have made are played in it.

use std::collections::HashMap;

use quintet_core::Quoted;
use quintet_core::game::Side;
use quintet_core::registry::Variant;
use quintet_core::session::Session;
use quintet_gdl::kif::{Kif, Spelling};

/// What the role has to do.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// Nothing: the game is over.
    Over,
    /// To make the only move that it has while others choose, in lower case.
    Wait(String),
    /// To choose a move.
    Choose,
}

/// Why the moves that a message tells don't fit the position.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Misfit {
    /// It is another number than that of the roles.
    #[error("{told} for {roles} roles")]
    Count { told: usize, roles: usize },
    /// One is not legal.
    #[error("{} is no legal move of {role} here", Quoted(.mv))]
    Illegal { mv: String, role: String },
    /// Nobody moves any more.
    #[error("the game is over")]
    Over,
    /// It takes too long to know more.
    #[error("they are those of the last message")]
    Again,
}

/// Checks that each role has a move.
pub(super) fn check_count(moves: &[Kif], roles: &[String]) -> Result<(), Misfit> {
    let (told, roles) = (moves.len(), roles.len());
    if told == roles { Ok(()) } else { Err(Misfit::Count { told, roles }) }
}

/// A match in a session.
#[derive(Debug)]
pub(super) struct Board {
    pub(super) session: Box<dyn Session>,
    /// The roles, in the order in which moves are told.
    roles: Vec<String>,
    role: String,
    /// How often all roles have moved.
    pub(super) steps: usize,
}

impl Board {
    pub(super) fn new(game: &Variant, roles: &[String], role: &str) -> Self {
        Self { session: game.start(), roles: roles.to_vec(), role: role.to_owned(), steps: 0 }
    }

    /// The number of a role among the moves that are told.
    fn index(&self, role: &str) -> Option<usize> {
        self.roles.iter().position(|it| it.eq_ignore_ascii_case(role))
    }

    pub(super) fn is_own_turn(&self) -> bool {
        self.session.to_move().is_some_and(|it| it.name.eq_ignore_ascii_case(&self.role))
    }

    /// Whether at most one role chooses at a time.
    fn is_in_turn(&self) -> bool {
        !self.session.variant().kind.has_simultaneous_moves()
    }

    /// Plays the moves that all roles have made. What waiting roles do does not matter: returns what is told of them that
    /// is not their only move. If the moves don't fit the position, it stays as it is.
    pub(super) fn step(&mut self, moves: &[Kif]) -> Result<Vec<String>, Misfit> {
        check_count(moves, &self.roles)?;
        let waiting: Vec<_> = self.roles.iter().map(|role| self.session.waiting_term(role)).collect();
        let mut chose = vec![false; moves.len()];
        for played in 0.. {
            match self.play_told(moves) {
                Ok(role) => chose[role] = true,
                Err(misfit) => {
                    self.take_back(played);
                    return Err(misfit);
                }
            }
            if self.session.unseen_moves() == 0 {
                break;
            }
        }
        self.steps += 1;
        self.shorten();
        let others = chose.iter().zip(&self.roles).zip(waiting.iter().zip(moves)).filter(|it| !it.0.0);
        let ignored = others.filter_map(|((_, role), (only, mv))| {
            let (only, mv) = (only.as_ref().filter(|it| !it.is_empty())?, mv.to_string());
            (*only != mv).then(|| format!("{} for {role}, who waits with {only}", Quoted(&mv)))
        });
        Ok(ignored.collect())
    }

    /// Plays what is told of the role to move, and returns its number.
    fn play_told(&mut self, moves: &[Kif]) -> Result<usize, Misfit> {
        let role = self.session.to_move().ok_or(Misfit::Over)?.name.to_string();
        let told = self.index(&role).map(|index| (index, moves[index].to_string()));
        let (index, mv) = told.unwrap_or_default();
        let token = self.token(&mv);
        if token.is_some_and(|token| self.session.play(&token).is_ok()) {
            Ok(index)
        } else {
            Err(Misfit::Illegal { mv, role })
        }
    }

    /// Forgets moves before a session takes a game for too long: how long it may be is not always proven.
    fn shorten(&mut self) {
        let game = self.session.variant();
        if game.kind.may_repeat() && self.session.moves().len() >= game.max_plies / 2 {
            let position = self.session.position();
            // An error leaves it as it is.
            let _ = self.session.reset(Some(&position));
        }
    }

    /// The token of the legal move with this term.
    fn token(&self, term: &str) -> Option<String> {
        let index = self.session.legal_terms().iter().position(|it| it == term)?;
        self.session.legal_moves().into_iter().nth(index)
    }

    pub(super) fn take_back(&mut self, moves: usize) {
        for _ in 0..moves {
            self.session.take_back();
        }
    }

    /// Plays the moves that all roles have made after one of which no message told: `answer`, or the only one that makes
    /// them fit. Returns its token.
    pub(super) fn step_after(&mut self, moves: &[Kif], answer: Option<&str>) -> Option<String> {
        let legal = if self.is_in_turn() { self.session.legal_moves() } else { Vec::new() };
        let mut missing: Vec<String> =
            legal.into_iter().filter(|token| self.fits_after(token, moves)).collect();
        let answer = answer.and_then(|term| self.token(term)).filter(|it| missing.contains(it));
        let token = answer.or_else(|| missing.pop().filter(|_| missing.is_empty()))?;
        self.session.play(&token).ok()?;
        self.steps += 1;
        self.step(moves).is_ok().then_some(token)
    }

    /// Plays a move of the role as if the position were that after its step; returns whether it is.
    pub(super) fn assume(&mut self, term: &str) -> bool {
        let token = self.token(term).filter(|_| self.is_in_turn() && self.is_own_turn());
        token.is_some_and(|token| self.session.play(&token).is_ok())
    }

    /// The term of a legal move.
    pub(super) fn term(&self, token: &str) -> Option<String> {
        let index = self.session.legal_moves().iter().position(|it| it == token)?;
        self.session.legal_terms().into_iter().nth(index)
    }

    fn fits_after(&mut self, token: &str, moves: &[Kif]) -> bool {
        if moves.len() != self.roles.len() || self.session.play(token).is_err() {
            return false;
        }
        let role = self.session.to_move().and_then(|role| self.index(&role.name));
        let fits = role.is_some_and(|role| self.token(&moves[role].to_string()).is_some());
        self.session.take_back();
        fits
    }

    /// What the role has to do. If it is to choose, the position becomes that of its choice, after some choices of
    /// others at the same time, which it does not see and which are to be taken back: their number.
    pub(super) fn turn(&mut self) -> (Turn, usize) {
        let Some(waiting) = self.session.waiting_term(&self.role) else { return (Turn::Over, 0) };
        let mut chosen = 0;
        while !self.is_own_turn() {
            let first = self.session.legal_moves().into_iter().next();
            let is_played = !self.is_in_turn() && first.is_some_and(|it| self.session.play(&it).is_ok());
            chosen += usize::from(is_played);
            if !is_played || self.session.unseen_moves() < chosen {
                self.take_back(chosen);
                return (Turn::Wait(waiting), 0);
            }
        }
        (Turn::Choose, chosen)
    }

    /// Whether the position can be searched.
    pub(super) fn is_choice(&self) -> bool {
        self.session.to_move().is_some_and(|it| it.side != Side::Chance)
    }

    /// The legal moves as the server spells them, by their tokens.
    pub(super) fn terms(&self, spelling: &Spelling) -> HashMap<String, String> {
        let terms = self.session.legal_terms().into_iter().map(|term| spelling.spell(&term));
        self.session.legal_moves().into_iter().zip(terms).collect()
    }

    /// The score of the role, once the game is over.
    pub(super) fn score(&self) -> Option<u8> {
        if self.session.to_move().is_some() {
            return None;
        }
        let role = self.session.variant().roles.iter().find(|it| it.name.eq_ignore_ascii_case(&self.role))?;
        Some(self.session.score(role.side))
    }
}

//! The game on the table: its moves, and what the engine thought.

use indexmap::IndexMap;
use quintet_core::game::{Outcome, Picture, Role, Side};
use quintet_core::registry::Variant;
use quintet_core::search::SearchError;
use quintet_core::session::{EngineConfig, Session};
use quintet_protocol::{AnswerMoves, PlayedEnd};

/// A game in progress or over.
pub(super) struct Game {
    pub(super) session: Box<dyn Session>,
    /// The position string of the start; `None` for the start position.
    pub(super) start: Option<String>,
    plies: Vec<Ply>,
    /// The pictures before each ply and after the last.
    pictures: Vec<Picture>,
    /// The side that resigned.
    resigned: Option<Side>,
    /// Whether the session has the engine.
    has_engine: bool,
}

/// A move of the game.
struct Ply {
    token: String,
    role: Role,
    /// What the engine thought, if it played the move here.
    thought: Option<Box<AnswerMoves>>,
}

impl Game {
    /// A game after `moves` from `start`, both of which are right.
    pub(super) fn new(variant: &Variant, start: Option<&str>, moves: &[String]) -> anyhow::Result<Self> {
        let session = variant.set_up(start, std::iter::empty())?;
        let pictures = vec![session.picture()];
        let start = start.map(|_| session.position()).or_else(|| variant.own_start());
        let mut game =
            Self { session, start, plies: Vec::new(), pictures, resigned: None, has_engine: false };
        for token in moves {
            game.play(token, None)?;
        }
        Ok(game)
    }

    /// The same game after its first moves, without an engine.
    pub(super) fn copy(&self, ply: usize) -> anyhow::Result<Self> {
        Self::new(self.session.variant(), self.start.as_deref(), &self.moves()[..ply])
    }

    /// The session with the engine as its only one. From move to move the engine keeps its trees.
    pub(super) fn with_engine(&mut self, config: &EngineConfig) -> Result<&mut dyn Session, SearchError> {
        if !self.has_engine {
            self.session.add_engine(config)?;
            self.has_engine = true;
        }
        Ok(&mut *self.session)
    }

    /// Plays the legal move that a token means.
    pub(super) fn play(&mut self, token: &str, thought: Option<Box<AnswerMoves>>) -> anyhow::Result<()> {
        let role = self.session.to_move();
        let token = self.session.canonical_token(token)?;
        self.session.play(&token)?;
        self.pictures.push(self.session.picture());
        self.plies.extend(role.map(|role| Ply { token, role, thought }));
        Ok(())
    }

    /// The role to move; `None` once the game is over.
    pub(super) fn to_move(&self) -> Option<Role> {
        self.session.to_move().filter(|_| self.resigned.is_none())
    }

    pub(super) fn moves(&self) -> Vec<String> {
        self.plies.iter().map(|ply| ply.token.clone()).collect()
    }

    /// The moves that the role to move has seen: all but the choices of others in a joint move.
    pub(super) fn moves_seen(&self) -> Vec<String> {
        let mut moves = self.moves();
        moves.truncate(moves.len() - self.session.unseen_moves());
        moves
    }

    /// The number of moves.
    pub(super) fn length(&self) -> usize {
        self.plies.len()
    }

    /// Lets the side to move resign.
    pub(super) fn resign(&mut self) {
        self.resigned = self.to_move().map(|role| role.side);
    }

    /// How the game ended; `None` while it goes on.
    pub(super) fn outcome(&self) -> Option<Outcome> {
        self.session.outcome().or(self.resigned.map(|side| Outcome::Win(side.opponent())))
    }

    /// Why the game ended.
    pub(super) fn end(&self) -> PlayedEnd {
        match (self.session.outcome(), self.resigned) {
            (Some(_), _) => PlayedEnd::Rules,
            (None, Some(_)) => PlayedEnd::Resign,
            (None, None) => PlayedEnd::Unfinished,
        }
    }

    /// The score of each role, if the game has ended.
    pub(super) fn scores(&self) -> Option<IndexMap<String, u8>> {
        match (self.session.outcome(), self.resigned) {
            (Some(_), _) => Some(quintet_analysis::scores(&*self.session)),
            (None, Some(loser)) => {
                let score = |role: &Role| if role.side == loser { 0 } else { 100 };
                let roles = self.session.variant().roles.iter();
                Some(roles.map(|role| (role.name.to_string(), score(role))).collect())
            }
            (None, None) => None,
        }
    }

    /// Takes back a resignation, or the moves up to the last turn of a person, that turn included.
    /// Returns the number of moves taken back; `None` if there is nothing to take back.
    pub(super) fn undo(&mut self, is_person: impl Fn(&Role) -> bool) -> Option<usize> {
        if self.resigned.take().is_some() {
            return Some(0);
        }
        let last = self.plies.iter().rposition(|ply| is_person(&ply.role))?;
        let side = self.plies[last].role.side;
        // Who plays alone has no turns: the last move is taken back.
        let is_alone = self.session.variant().sides().len() == 1;
        let is_of_turn = |ply: &Ply| !is_alone && is_person(&ply.role) && ply.role.side == side;
        let first =
            self.plies[..=last].iter().rposition(|ply| !is_of_turn(ply)).map_or(0, |it| it + 1).min(last);
        let count = self.plies.len() - first;
        for _ in 0..count {
            self.session.take_back();
        }
        // What others had chosen at the same time is known by now: they choose again.
        let unseen = self.session.unseen_moves().min(first);
        for _ in 0..unseen {
            self.session.take_back();
        }
        self.plies.truncate(first - unseen);
        self.pictures.truncate(first - unseen + 1);
        Some(count + unseen)
    }

    /// The pictures of the last turn: before it and after each of its plies.
    pub(super) fn last_turn(&self) -> &[Picture] {
        let last = self.plies.last().map(|ply| ply.role.side);
        let turn = self.plies.iter().rev().take_while(|ply| Some(ply.role.side) == last).count();
        &self.pictures[self.plies.len() - turn..]
    }

    /// The moves of the engine's last turn, each with the number of moves before it and what it thought.
    pub(super) fn last_thoughts(&self) -> Vec<(usize, &str, &AnswerMoves)> {
        let thoughts = self.plies.iter().enumerate().rev();
        let thoughts =
            thoughts.map(|(at, ply)| Some((&ply.role, (at, &*ply.token, ply.thought.as_deref()?))));
        let mut thoughts = thoughts.skip_while(Option::is_none).map_while(|it| it).peekable();
        let side = thoughts.peek().map(|(role, _)| role.side);
        let of_turn = thoughts.take_while(|(role, _)| Some(role.side) == side);
        let mut all: Vec<_> = of_turn.map(|(_, thought)| thought).collect();
        all.reverse();
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_and_start_are_written_as_the_game_writes_them() {
        let quarto = quintet_games::registry().find("quarto", Some("ggp")).expect("a game");
        let moves = ["C".to_owned(), "B3".to_owned()];
        let game = Game::new(&quarto, Some("..../..../.F../.... - B"), &moves).expect("legal moves");
        assert_eq!(game.start.as_deref(), Some("..../..../.f../.... - b"));
        assert_eq!(game.moves(), ["1100", "b3"]);
    }
}

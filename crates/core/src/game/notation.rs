//! The text forms of a game, for people and for programs.

use std::fmt::Display;
use std::str::FromStr;

use super::{Game, Parameter, Picture, PositionError, Side};

/// A short description of a game, for help texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct About {
    /// The game's full name; empty for that which commands know.
    pub title: &'static str,
    /// One sentence: the board and the aim.
    pub summary: &'static str,
    /// How moves are written, with examples.
    pub moves: &'static str,
    /// How positions are written, with what each part means.
    pub position: &'static str,
}

/// The rules of a game under one ruleset, in words for people who want to play it.
///
/// The default is empty, for a game that describes itself in [`About`] alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RulesText {
    /// The rules, as paragraphs with a line break between: board, turns and end of the game. If the
    /// game has several rulesets, what they have in common.
    pub text: &'static str,
    /// What this ruleset says where the game's rulesets differ, in a line or two; empty if there is
    /// only one.
    pub differs: &'static str,
    /// If this is the ruleset of the game that people know, or the nearest to it: how near it is,
    /// in a sentence. Commands take the name `standard` for it.
    pub standard: Option<&'static str>,
}

impl RulesText {
    /// No words.
    pub const NONE: Self = Self { text: "", differs: "", standard: None };
}

/// A game whose positions can be written, read and drawn.
///
/// `Display` writes the position string, a compact text that holds the whole position, and
/// `FromStr` reads it: the two are exact inverses for every position that can arise in play.
/// `FromStr` rejects a malformed string or an obviously impossible position, and says which part is
/// wrong and why.
pub trait Notation: Game + Display + FromStr<Err = PositionError> {
    /// The game's description.
    const ABOUT: About;

    /// The rules in words. The default is none.
    const RULES_TEXT: RulesText = RulesText::NONE;

    /// The fingerprints of the rulesheets in the Game Description Language that describe this game with
    /// these names of roles, as `quintet ggp` prints them. A rulesheet with one of them is played as this game. The
    /// default is none.
    const RULESHEET_FINGERPRINTS: &'static [&'static str] = &[];

    /// The legal move `mv` as a term of these rulesheets, in lower case, such as `(mark 1 2)`. The
    /// default is the token.
    fn term(&self, mv: Self::Move) -> String {
        mv.to_string()
    }

    /// The term of the only move that `role` has while another role chooses. The default is `noop`.
    fn waiting_term(&self, _role: usize) -> String {
        "noop".to_owned()
    }

    /// The board as text of several lines, with the effect of the legal move `mark` in brackets. Within a [joint
    /// move](Game::before_joint_move) it shows nothing that the role to move does not see.
    fn draw(&self, mark: Option<Self::Move>) -> String;

    /// What neither its name nor the board tells about the side to move, such as the color of its stones,
    /// in a word or two for the line above a board. The default is none.
    fn mover_color(&self) -> Option<&'static str> {
        None
    }

    /// What the role to move has to do now, as a request to a person, such as `place the piece 0101`;
    /// unspecified once the game is over. The default is none.
    fn task(&self) -> Option<String> {
        None
    }

    /// How the game ended, in words for people without a capital, such as `four tall pieces, a1 to d1`; unspecified
    /// while it goes on. The default is none.
    fn ending(&self) -> Option<String> {
        None
    }

    /// What was assumed of the game and was found not to hold since the program began, in words for people without a
    /// capital. The default is none.
    fn caveat(&self) -> Option<String> {
        None
    }

    /// The position as a picture; `last` is the move that led to it, if any. The default is the
    /// [drawing](Notation::draw) in text.
    fn picture(&self, _last: Option<Self::Move>) -> Picture {
        Picture::Text(self.draw(None))
    }

    /// The cells of the [picture](Notation::picture) that a person clicks one after the other for the legal move `mv`.
    /// The default is none: then a click means the move that changes the cell.
    fn cells(&self, _mv: Self::Move) -> Vec<usize> {
        Vec::new()
    }

    /// The score of `side`, 0 to 100, also while the game goes on.
    ///
    /// The default is 100, 50 or 0 for a win, draw or loss, and 0 while the game goes on.
    fn score(&self, side: Side) -> u8 {
        self.outcome().map_or(0, |outcome| outcome.score(side))
    }

    /// What else people may want to know of this game, as texts with labels, for `quintet games GAME`. The default is
    /// nothing. It may take a second to find out.
    fn facts(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// What is chosen before the game starts, such as the size of the board; at most
    /// [`MAX_PARAMETERS`](super::MAX_PARAMETERS). The default is nothing.
    const PARAMETERS: &'static [Parameter] = &[];

    /// The start position with a value for each of the [`PARAMETERS`](Notation::PARAMETERS), in their order and
    /// each within its range: with the usual ones [`initial`](Game::initial). The position must hold what follows
    /// from them, and so must its string.
    #[must_use]
    fn start(_values: &[u32]) -> Self {
        Self::initial()
    }

    /// Reads a position of the same game as this one. The default is `FromStr`; a game whose rules are made at run
    /// time needs them to read a string.
    ///
    /// # Errors
    /// [`PositionError`], which names the wrong part.
    fn read(&self, text: &str) -> Result<Self, PositionError> {
        text.parse()
    }

    /// The position where benchmarks start: the start position, unless the opening phase should be
    /// left out.
    #[must_use]
    fn benchmark() -> Self {
        Self::initial()
    }
}

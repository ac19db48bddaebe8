//! A checker of certificates, which are proofs of what a side of a game can reach.
//!
//! A certificate claims that a side gets at least a score from a position, and says how: it has a
//! turn of that side for every position in which the checker would not find one by itself. The
//! checker plays every reply of the other side. `docs/certificates.md` has the form of the file
//! and what the checker settles by itself.
//!
//! This crate depends on no other crate of quintet. It knows the rules and nothing else, so it
//! shares no mistake with the solvers that write certificates. Read it in this order: this file
//! reads the form, `walk.rs` plays through a certificate, and `qubic.rs` and `quarto.rs` have the
//! rules, the symmetries and the search of each game.
//!
//! # Stability
//!
//! What this crate accepts as a proof changes in a breaking release only.
#![forbid(unsafe_code)]

#[cfg(test)]
mod mutants;
mod quarto;
mod qubic;
#[cfg(test)]
mod twins;
mod walk;

use std::fmt;
use std::io::{self, BufRead, Read as _};
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Error as _, IgnoredAny, MapAccess, Visitor};

use walk::shown;

/// The longest line of a file, in bytes, without its end.
pub const LONGEST_LINE: usize = 4096;

/// Why a file is no proof.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The file can't be read.
    #[error("line {line}: can't be read: {source}")]
    Read {
        /// The number of the line, from 1.
        line: usize,
        /// What the reader says.
        source: io::Error,
    },
    /// A line is wrong, or does not prove what it has to.
    #[error("line {line}: {message}")]
    Wrong {
        /// The number of the line, from 1: the wrong one; for a position that is not settled, the
        /// line whose turn led there, or the first of the certificate.
        line: usize,
        /// What is wrong with it.
        message: String,
    },
}

impl VerifyError {
    /// The number of the line that the error is about, from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        match self {
            Self::Read { line, .. } | Self::Wrong { line, .. } => *line,
        }
    }
}

/// How far a check is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// The number of the certificate, from 1.
    pub certificate: usize,
    /// The number of certificates in the file.
    pub certificates: usize,
    /// The lines of the certificate that were reached so far.
    pub reached: usize,
    /// The lines of the certificate, without its first.
    pub lines: usize,
}

/// A certificate that was checked and is right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Certificate {
    /// The number of its first line in the file, from 1.
    pub line: usize,
    /// The game's name.
    pub game: String,
    /// The ruleset's name.
    pub rules: String,
    /// The position string that it starts from.
    pub position: String,
    /// The role whose score it is about.
    pub role: String,
    /// The score that the role gets at least, 50 or 100.
    pub at_least: u8,
    /// Its lines with a turn.
    pub lines: usize,
    /// The positions at the beginning of a turn that were checked, each class of symmetric ones
    /// once.
    pub positions: u64,
    /// The positions of the searches that settled what has no entry.
    pub searched: u64,
}

/// What a file proves about a position: bounds of the score of each side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proven {
    /// The game's name.
    pub game: String,
    /// The ruleset's name.
    pub rules: String,
    /// The position string.
    pub position: String,
    /// The roles of each side.
    pub roles: [&'static [&'static str]; 2],
    /// The least score of each side. The most that a side gets is 100 without the least of the
    /// other.
    pub at_least: [u8; 2],
}

impl fmt::Display for Proven {
    /// Writes a sentence: `quarto ggp is a draw from ..../..../..../.... - w`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { game, rules, position, roles, at_least } = self;
        let result = match *at_least {
            [50, 50] => "is a draw".to_owned(),
            [100, _] => format!("is a win of {}", list(roles[0])),
            [_, 100] => format!("is a win of {}", list(roles[1])),
            [least, 0] => format!("gives {} at least {least}", list(roles[0])),
            [_, least] => format!("gives {} at least {least}", list(roles[1])),
        };
        write!(f, "{game} {rules} {result} from {position}")
    }
}

/// Names roles: `white`; `xrow, xcolumn and xlevel`.
fn list(roles: &[&str]) -> String {
    match roles {
        [most @ .., last] if !most.is_empty() => format!("{} and {last}", most.join(", ")),
        _ => roles.concat(),
    }
}

/// A file whose certificates are all right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// The certificates in the order of the file, at least one.
    pub certificates: Vec<Certificate>,
    /// What they prove together: one entry for each position that a certificate starts from.
    pub proven: Vec<Proven>,
}

/// Checks the certificates of a file, and calls `watch` whenever a line is reached for the first
/// time.
///
/// # Errors
/// The first line that is wrong or does not prove what it has to. Then nothing is proven.
pub fn verify(input: &mut dyn BufRead, watch: &mut dyn FnMut(Progress)) -> Result<Verified, VerifyError> {
    let stated = read(input)?;
    let (mut certificates, mut proven) = (Vec::new(), Vec::<Proven>::new());
    for (index, it) in stated.iter().enumerate() {
        let (number, first) = (index + 1, &it.first);
        let mut watch = |reached| {
            let (certificates, lines) = (stated.len(), it.lines.len());
            watch(Progress { certificate: number, certificates, reached, lines });
        };
        let (certificate, sides) = match it.game {
            Game::Qubic { is_ggp } => walk::check(qubic::Qubic::new(is_ggp), it, &mut watch),
            Game::Quarto => walk::check(quarto::Quarto::new(), it, &mut watch),
        }?;
        let is_same =
            |it: &Proven| (&it.game, &it.rules, &it.position) == (&first.game, &first.rules, &first.position);
        let at = proven.iter().position(is_same).unwrap_or_else(|| {
            let (game, rules, position) = (first.game.clone(), first.rules.clone(), first.position.clone());
            proven.push(Proven { game, rules, position, roles: sides.roles, at_least: [0; 2] });
            proven.len() - 1
        });
        let least = &mut proven[at].at_least[sides.claiming];
        *least = (*least).max(certificate.at_least);
        certificates.push(certificate);
    }
    Ok(Verified { certificates, proven })
}

fn wrong(line: usize, message: impl Into<String>) -> VerifyError {
    VerifyError::Wrong { line, message: message.into() }
}

/// A game that has certificates.
#[derive(Debug, Clone, Copy)]
enum Game {
    Qubic { is_ggp: bool },
    Quarto,
}

impl Game {
    /// The maximum number of moves in a turn.
    const MOST_MOVES: usize = 3;

    fn of(first: &First) -> Result<Self, String> {
        match (&*first.game, &*first.rules) {
            ("qubic", "spec") => Ok(Self::Qubic { is_ggp: false }),
            ("qubic", "ggp") => Ok(Self::Qubic { is_ggp: true }),
            ("quarto", "ggp") => Ok(Self::Quarto),
            (game @ ("qubic" | "quarto"), rules) => {
                Err(format!("no certificates are known for {game} with the rules {}", shown(rules)))
            }
            (game, _) => Err(format!("no certificates are known for the game {}", shown(game))),
        }
    }
}

/// A certificate as it is stated, with the numbers of its lines.
#[derive(Debug)]
struct Stated {
    line: usize,
    game: Game,
    first: First,
    lines: Vec<(usize, Line)>,
}

/// The first line of a certificate.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct First {
    certificate: Small,
    game: String,
    rules: String,
    position: String,
    /// The role, `at_least` and the score.
    claim: One<One<Small>>,
    search_from: Option<Small>,
}

/// A whole number of 8 bits. JSON may write it with a point: `1.0`.
#[derive(Debug, Clone, Copy)]
struct Small(u8);

impl<'de> Deserialize<'de> for Small {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let number = f64::deserialize(from)?;
        if number.fract() == 0.0 && (0.0..=255.0).contains(&number) {
            return Ok(Self(number as u8));
        }
        Err(D::Error::custom(format_args!("{number} is no whole number from 0 to 255")))
    }
}

/// Any other line: a position and the turn that the claiming side plays there.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    position: String,
    moves: Vec<String>,
}

/// An object with one entry, such as `{"white":{"at_least":50}}`.
#[derive(Debug)]
struct One<T>(String, T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for One<T> {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reader<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Reader<T> {
            type Value = One<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with one entry")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<One<T>, A::Error> {
                let first = map.next_entry()?;
                let is_last = map.next_key::<IgnoredAny>()?.is_none();
                let wrong = || A::Error::invalid_length(usize::from(!is_last) * 2, &self);
                first.filter(|_| is_last).map(|(name, value)| One(name, value)).ok_or_else(wrong)
            }
        }
        from.deserialize_map(Reader(PhantomData))
    }
}

/// Reads all lines. Only the form is checked, and whether the game is known.
fn read(input: &mut dyn BufRead) -> Result<Vec<Stated>, VerifyError> {
    /// What tells a first line from the others.
    #[derive(Deserialize)]
    struct Kind {
        certificate: Option<IgnoredAny>,
    }
    let mut stated: Vec<Stated> = Vec::new();
    let mut text = Vec::new();
    for line in 1.. {
        text.clear();
        let most = LONGEST_LINE as u64 + 1;
        (&mut *input)
            .take(most)
            .read_until(b'\n', &mut text)
            .map_err(|source| VerifyError::Read { line, source })?;
        if text.is_empty() {
            break;
        }
        if text.last() != Some(&b'\n') && text.len() as u64 == most {
            return Err(wrong(line, format!("is longer than {LONGEST_LINE} bytes")));
        }
        let not_json = |error: serde_json::Error| {
            let text = error.to_string();
            // It says that it is line 1 of this line.
            let reason = text.rsplit_once(" at line ").map_or(&*text, |(reason, _)| reason);
            wrong(line, format!("{} (column {})", reason.replace(char::is_control, "?"), error.column()))
        };
        let bom: &[u8] = if line == 1 { "\u{feff}".as_bytes() } else { b"" };
        let text = text.strip_prefix(bom).unwrap_or(&text);
        if text.trim_ascii().is_empty() {
            return Err(wrong(line, "is empty"));
        }
        if !text.trim_ascii_start().starts_with(b"{") {
            return Err(wrong(line, "is not a JSON object"));
        }
        if serde_json::from_slice::<Kind>(text).map_err(not_json)?.certificate.is_some() {
            let first: First = serde_json::from_slice(text).map_err(not_json)?;
            if first.certificate.0 != 1 {
                let message = format!("certificate is {}: only version 1 is known", first.certificate.0);
                return Err(wrong(line, message));
            }
            let game = Game::of(&first).map_err(|message| wrong(line, message))?;
            stated.push(Stated { line, game, first, lines: Vec::new() });
        } else {
            let turn: Line = serde_json::from_slice(text).map_err(not_json)?;
            let (moves, most) = (turn.moves.len(), Game::MOST_MOVES);
            if moves > most {
                return Err(wrong(line, format!("has {moves} moves: a turn has at most {most}")));
            }
            let last = stated.last_mut().ok_or_else(|| wrong(line, "no certificate begins before it"))?;
            last.lines.push((line, turn));
        }
    }
    if stated.is_empty() { Err(wrong(1, "the file is empty")) } else { Ok(stated) }
}

/// The code of the README, compiled and run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

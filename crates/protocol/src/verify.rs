//! `verify`: certificates and what they prove.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// The first line of a certificate. An unknown field is an error.
///
/// `verify` reads it with types of its own, since it shares no code with what writes certificates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CertificateStart {
    /// The version of the form: 1.
    #[cfg_attr(test, schemars(range(min = 1, max = 1)))]
    pub certificate: u64,
    /// The game's name: `quarto` or `qubic`.
    pub game: String,
    /// The ruleset's own name.
    pub rules: String,
    /// The position string, written as quintet writes it, at the beginning of a turn.
    pub position: String,
    /// What is claimed, by the name of one role.
    pub claim: IndexMap<String, ClaimedScore>,
    /// With so many pieces on the board, the checker settles a position by exhaustive search: 1 to
    /// 16. Only in Quarto, and there always.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(range(min = 1, max = 16)))]
    pub search_from: Option<u8>,
}

/// What a certificate claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ClaimedScore {
    /// The score that the role gets at least: 100 or, in Quarto, 50.
    #[cfg_attr(test, schemars(extend("enum" = [50, 100])))]
    pub at_least: u8,
}

/// Any other line of a certificate. An unknown field is an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CertificateTurn {
    /// The position string, at the beginning of a turn of the side of the claim. It stands for all
    /// positions that are symmetric to it.
    pub position: String,
    /// The tokens of the whole turn.
    pub moves: Vec<String>,
}

/// What `verify --json` says.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum VerifyLine {
    /// A certificate that is right.
    Right(VerifiedCertificate),
    /// What all certificates together prove about a position. These lines come last.
    Proven(ProvenScores),
    /// A file proves nothing. Then this is the only line.
    Wrong(WrongCertificate),
}

/// A certificate that is right.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct VerifiedCertificate {
    /// Always true.
    pub ok: bool,
    /// Its file, if several are checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The number of its first line in the file, from 1.
    pub line: usize,
    /// The game's name.
    pub game: String,
    /// The ruleset's name.
    pub rules: String,
    /// The position string that it starts from.
    pub position: String,
    /// The role that the claim is about. Its side gets the same.
    pub role: String,
    /// The score that the role gets at least.
    pub at_least: u8,
    /// Its lines with a turn.
    pub lines: usize,
    /// The positions at the beginning of a turn that were checked, each class of symmetric ones
    /// once.
    pub positions: u64,
    /// The positions of the searches that settled what has no line.
    pub searched: u64,
}

/// What all files prove about a position.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ProvenScores {
    /// Always true.
    pub ok: bool,
    /// The game's name.
    pub game: String,
    /// The ruleset's name.
    pub rules: String,
    /// The position string.
    pub position: String,
    /// The least and the most that each role gets under perfect play, by its name, 0 to 100.
    pub proven: IndexMap<String, [u8; 2]>,
}

/// A file that proves nothing.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WrongCertificate {
    /// Always false.
    pub ok: bool,
    /// What is wrong.
    pub error: CertificateError,
}

/// What is wrong with a file of certificates.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CertificateError {
    /// The file, if several are checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The number of the line, from 1. If the claim does not hold in some position: the line whose
    /// turn led there, or the first of the certificate.
    pub line: usize,
    /// What is wrong, in words for people.
    pub message: String,
}

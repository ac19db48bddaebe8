//! Weights of features, and how they are written.

use std::fmt::{self, Display};
use std::sync::Arc;

use super::network::{HIDDEN, Network};
use crate::Quoted;
use crate::hash::Fnv1a;

/// The weights of all features of a game, as whole numbers. A copy shares them.
///
/// # Text form
///
/// ```text
/// quintet model 2
/// game: connect-four standard
/// made by: quintet train connect-four --seed 1, generation 3
/// exploration: 1.5
/// evaluations: 128
/// positions: 5589
/// *12 5 -3 ...
/// hidden: 178848
/// ...
/// biases: 32
/// ...
/// outputs: 32
/// ...
/// moves: 972
/// ...
/// ```
///
/// The first line has the version of the format. From `positions` to `outputs` it is the [`Network`] that
/// weighs positions, its hidden layer by features. A `*` and a number stand for that many zeros.
#[derive(Clone, PartialEq)]
pub struct Model(Arc<Weights>);

#[derive(PartialEq)]
struct Weights {
    game: String,
    rules: String,
    made_by: String,
    exploration: f32,
    evaluations: u32,
    positions: Network,
    moves: Vec<i16>,
    fingerprint: u64,
}

/// The numbers of different features of a game: those of its positions and those of its moves are
/// counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeatureCounts {
    /// Of positions.
    pub positions: usize,
    /// Of moves.
    pub moves: usize,
}

/// Why a model can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The text is no model of this format.
    #[error("line {line}: {message}")]
    Text {
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// The game has no features.
    #[error("the game has no features for a model to weigh")]
    NoFeatures,
    /// It is a model of another game or ruleset.
    #[error("the model is for {theirs}, not for {ours}")]
    OtherGame {
        /// The game and ruleset of the model.
        theirs: String,
        /// The game and ruleset that is played.
        ours: String,
    },
    /// It has more or fewer weights than the game has features.
    #[error(
        "the model has weights for {} features of positions and {} of moves; the game has {} and {}",
        .theirs.positions, .theirs.moves, .ours.positions, .ours.moves
    )]
    Counts {
        /// Those of the model.
        theirs: FeatureCounts,
        /// Those of the game.
        ours: FeatureCounts,
    },
}

/// The points of a position that stand for 1 in the formula of [`expectation`], and those of a move
/// that double its weight.
pub const UNIT: i32 = 256;

/// The expected outcome, from -1 to 1, of a position with this sum of weights: *x* / sqrt(1 + *x*²),
/// where 256 points are *x* = 1. All machines round it alike.
#[inline]
#[must_use]
pub fn expectation(points: i32) -> f32 {
    let x = points as f32 / UNIT as f32;
    x / (1.0 + x * x).sqrt()
}

/// The weight of a move with this sum of weights. It doubles every 256 points, is linear between powers of
/// two, and lies between 2^-12 and 2^12.
#[inline]
#[must_use]
pub fn weight(points: i32) -> f32 {
    let (power, part) = power_and_part(points as f32 / UNIT as f32);
    power * part
}

/// The [`weight`] of a sum in [units](UNIT), as a power of two and a factor from 1 to 2. The derivative of
/// its logarithm is 1 divided by the factor.
#[inline]
#[must_use]
pub fn power_and_part(sum: f32) -> (f32, f32) {
    let sum = sum.clamp(-12.0, 12.0);
    let whole = sum.floor();
    (f32::from_bits(((127 + whole as i32) as u32) << 23), 1.0 + (sum - whole))
}

impl Model {
    const FIRST_LINE: &str = "quintet model 2";

    /// A model of a game under a ruleset, `made_by` a command.
    ///
    /// `exploration` is the constant of PUCT, at least 0; `evaluations` is the number of
    /// new positions in 256, at most 256, that the model evaluates; the knowledge evaluates the others.
    #[must_use]
    pub fn new(
        [game, rules]: [&str; 2],
        made_by: &str,
        (exploration, evaluations): (f32, u32),
        positions: Network,
        moves: Vec<i16>,
    ) -> Self {
        let evaluations = evaluations.min(256);
        let mut hash = Fnv1a::default();
        hash.text(game)
            .text(rules)
            .bytes(exploration.to_bits().to_le_bytes())
            .bytes(evaluations.to_le_bytes());
        let Network { linear, hidden, biases, outputs } = &positions;
        for weights in [linear, hidden.as_flattened(), biases, outputs, &moves] {
            hash.bytes((weights.len() as u64).to_le_bytes());
            hash.bytes(weights.iter().flat_map(|weight| weight.to_le_bytes()));
        }
        Self(Arc::new(Weights {
            game: game.to_owned(),
            rules: rules.to_owned(),
            made_by: made_by.replace('\n', " "),
            exploration,
            evaluations,
            positions,
            moves,
            fingerprint: hash.hash(),
        }))
    }

    /// The names of its game and ruleset.
    #[must_use]
    pub fn game(&self) -> [&str; 2] {
        [&self.0.game, &self.0.rules]
    }

    /// The exploration constant for searches with it.
    #[must_use]
    pub fn exploration(&self) -> f32 {
        self.0.exploration
    }

    /// The number of new positions in 256 that it evaluates.
    #[must_use]
    pub fn evaluated_per_256(&self) -> u32 {
        self.0.evaluations
    }

    /// The weights of the features of positions.
    #[must_use]
    #[inline]
    pub fn of_positions(&self) -> &Network {
        &self.0.positions
    }

    /// The weights of the features of moves.
    #[must_use]
    pub fn of_moves(&self) -> &[i16] {
        &self.0.moves
    }

    /// A hash of everything in it that a search reads: all but who made it. It is the same on all machines.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        self.0.fingerprint
    }

    /// Checks that it has a weight for each of these features.
    ///
    /// # Errors
    /// [`ModelError::Counts`] if it has more or fewer.
    pub fn check(&self, ours: FeatureCounts) -> Result<(), ModelError> {
        let theirs = FeatureCounts { positions: self.0.positions.linear.len(), moves: self.0.moves.len() };
        if theirs == ours { Ok(()) } else { Err(ModelError::Counts { theirs, ours }) }
    }

    /// Checks that it is for this game and ruleset.
    pub(crate) fn check_game(&self, ours: [&str; 2]) -> Result<(), ModelError> {
        if self.game() == ours {
            Ok(())
        } else {
            Err(ModelError::OtherGame { theirs: self.game().join(" "), ours: ours.join(" ") })
        }
    }

    /// Reads the text form.
    ///
    /// # Errors
    /// [`ModelError::Text`] with the line that is wrong.
    pub fn read(text: &str) -> Result<Self, ModelError> {
        let mut lines = Lines { lines: text.lines(), line: 0 };
        if !text.ends_with('\n') {
            // The last number may be cut off.
            lines.line = text.lines().count();
            return Err(lines.wrong("the line has no end"));
        }
        if lines.next() != Some(Self::FIRST_LINE) {
            return Err(lines.wrong(format!("expected {}", Quoted(Self::FIRST_LINE))));
        }
        let names = lines.value("game")?;
        let (game, rules) = names.split_once(' ').ok_or_else(|| lines.wrong("expected two names"))?;
        let made_by = lines.value("made by")?;
        let exploration: f32 = lines.number("exploration")?;
        if !exploration.is_finite() || exploration < 0.0 {
            return Err(lines.wrong("the constant must be at least 0"));
        }
        let evaluations = lines.number("evaluations")?;
        if evaluations > 256 {
            return Err(lines.wrong("there are at most 256 evaluations"));
        }
        let linear = lines.weights("positions")?;
        let hidden = lines.exactly("hidden", HIDDEN * linear.len())?;
        let positions = Network {
            linear,
            hidden: hidden.as_chunks().0.to_vec(),
            biases: lines.exactly("biases", HIDDEN)?.as_chunks().0[0],
            outputs: lines.exactly("outputs", HIDDEN)?.as_chunks().0[0],
        };
        let moves = lines.weights("moves")?;
        if lines.next().is_some() {
            return Err(lines.wrong("expected the end"));
        }
        Ok(Self::new([game, rules], made_by, (exploration, evaluations), positions, moves))
    }
}

/// The lines of a model.
struct Lines<'a> {
    lines: std::str::Lines<'a>,
    /// The number of the last line.
    line: usize,
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Option<&'a str> {
        self.line += 1;
        self.lines.next()
    }

    fn wrong(&self, message: impl Into<String>) -> ModelError {
        ModelError::Text { line: self.line, message: message.into() }
    }

    /// What follows the key on the next line.
    fn value(&mut self, key: &str) -> Result<&'a str, ModelError> {
        let value = self.next().and_then(|it| it.strip_prefix(key)?.strip_prefix(": "));
        value.ok_or_else(|| self.wrong(format!("expected \"{key}: \" and a value")))
    }

    fn number<N: std::str::FromStr>(&mut self, key: &str) -> Result<N, ModelError> {
        let value = self.value(key)?;
        value.parse().map_err(|_| self.wrong(format!("{} is no number in range", Quoted(value))))
    }

    /// The line with their number, and the line with the weights.
    fn weights(&mut self, key: &str) -> Result<Vec<i16>, ModelError> {
        /// Larger tables are taken for a mistake.
        const MOST: usize = 1 << 26;
        let count: usize = self.number(key)?;
        if count > MOST {
            return Err(self.wrong(format!("there are at most {MOST} weights")));
        }
        let mut weights = Vec::new();
        for text in self.next().unwrap_or_default().split_ascii_whitespace() {
            let no_number = || self.wrong(format!("{} is no weight", Quoted(text)));
            match text.strip_prefix('*') {
                Some(zeros) => {
                    let zeros: usize = zeros.parse().map_err(|_| no_number())?;
                    if zeros > count - weights.len() {
                        return Err(self.wrong(format!("more than {count} weights")));
                    }
                    weights.resize(weights.len() + zeros, 0);
                }
                None if weights.len() == count => {
                    return Err(self.wrong(format!("more than {count} weights")));
                }
                None => weights.push(text.parse().map_err(|_| no_number())?),
            }
        }
        if weights.len() < count {
            return Err(self.wrong(format!("{} weights where {count} are expected", weights.len())));
        }
        Ok(weights)
    }

    /// As [`weights`](Self::weights), if there are `count` of them.
    fn exactly(&mut self, key: &str, count: usize) -> Result<Vec<i16>, ModelError> {
        let weights = self.weights(key)?;
        if weights.len() != count {
            return Err(self.wrong(format!("{} weights where {count} are expected", weights.len())));
        }
        Ok(weights)
    }
}

/// Writes the text form.
impl Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Weights { game, rules, made_by, exploration, evaluations, positions, moves, .. } = &*self.0;
        writeln!(f, "{}", Self::FIRST_LINE)?;
        writeln!(f, "game: {game} {rules}")?;
        writeln!(f, "made by: {made_by}")?;
        writeln!(f, "exploration: {exploration}")?;
        writeln!(f, "evaluations: {evaluations}")?;
        let Network { linear, hidden, biases, outputs } = positions;
        let tables = [
            ("positions", &linear[..]),
            ("hidden", hidden.as_flattened()),
            ("biases", biases),
            ("outputs", outputs),
            ("moves", moves),
        ];
        for (key, weights) in tables {
            writeln!(f, "{key}: {}", weights.len())?;
            let mut is_first = true;
            for run in weights.chunk_by(|a, b| *a == 0 && *b == 0) {
                if !std::mem::take(&mut is_first) {
                    f.write_str(" ")?;
                }
                match run {
                    [0, ..] => write!(f, "*{}", run.len())?,
                    [weight, ..] => write!(f, "{weight}")?,
                    [] => {}
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// Says what it is for, without the weights.
impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Model").field("game", &self.game()).field("made_by", &self.0.made_by).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model() -> Model {
        let positions = Network { linear: vec![0, 0, 5, -3, 0, i16::MIN, 0, 0], ..Network::start(8, 1) };
        Model::new(["nim", "standard"], "a\ncommand", (1.5, 128), positions, vec![0])
    }

    #[test]
    fn what_is_written_can_be_read() {
        let text = model().to_string();
        assert!(text.contains("\npositions: 8\n*2 5 -3 *1 -32768 *2\nhidden: 256\n"), "{text}");
        assert!(text.ends_with("\nmoves: 1\n*1\n"), "{text}");
        assert!(text.contains("\nmade by: a command\n"), "{text}");
        assert_eq!(Model::read(&text), Ok(model()));
    }

    #[test]
    fn models_that_play_alike_have_one_fingerprint() {
        let text = model().to_string();
        let of = |text: &str| Model::read(text).expect("a model").fingerprint();
        assert_eq!(of(&text.replace("a command", "another")), model().fingerprint());
        let mut all = vec![model().fingerprint()];
        for (from, to) in [
            ("nim standard", "nim misere"),
            ("nim standard", "hex standard"),
            ("1.5", "1.25"),
            ("evaluations: 128", "evaluations: 127"),
            ("5 -3 *1", "5 *1 -3"),
            ("moves: 1\n*1", "moves: 1\n1"),
            ("moves: 1\n*1", "moves: 2\n*2"),
        ] {
            assert!(text.contains(from), "{from}");
            all.push(of(&text.replace(from, to)));
        }
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn wrong_text_is_refused_with_its_line() {
        let text = model().to_string();
        for (from, to, line, part) in [
            ("model 2", "model 1", 1, "quintet model 2"),
            ("nim standard", "nim", 2, "two names"),
            ("made by", "by", 3, "made by"),
            ("1.5", "-1.5", 4, "at least 0"),
            ("1.5", "much", 4, "much"),
            ("128", "257", 5, "256"),
            ("positions: 8", "positions: 7", 7, "more than 7"),
            ("positions: 8", "positions: 9", 7, "8 weights where 9"),
            ("positions: 8", "positions: 99999999999", 6, "at most"),
            ("*2 5", "*99999999999 5", 7, "more than 8"),
            ("-3", "-32769", 7, "-32769"),
            ("hidden: 256", "hidden: 255", 9, "more than 255"),
            ("biases: 32", "biases: 33", 11, "32 weights where 33"),
            ("outputs: ", "outputs: 3", 13, "32 weights where 332"),
            ("moves: 1\n*1\n", "", 14, "moves"),
            ("moves: 1\n*1\n", "moves: 1\n*1\nmore\n", 16, "the end"),
        ] {
            let changed = text.replace(from, to);
            assert_ne!(changed, text);
            match Model::read(&changed) {
                Err(ModelError::Text { line: at, message }) => {
                    assert!(at == line && message.contains(part), "{from} -> {to}: line {at}: {message}");
                }
                other => panic!("{from} -> {to}: {other:?}"),
            }
        }
        assert!(Model::read("").is_err());
        // Torn within its last number.
        let torn = Model::read(text.trim_end()).map_err(|error| error.to_string()).err();
        assert_eq!(torn.as_deref(), Some("line 15: the line has no end"));
    }

    #[test]
    fn points_have_the_stated_values() {
        let bits = |weights: [f32; 3]| weights.map(f32::to_bits);
        assert_eq!(bits([0, 256, -256].map(weight)), bits([1.0, 2.0, 0.5]));
        assert_eq!(bits([128, i32::MAX, i32::MIN].map(weight)), bits([1.5, 4096.0, 1.0 / 4096.0]));
        assert_eq!(expectation(0).to_bits(), 0.0_f32.to_bits());
        assert!((expectation(256) - 0.5_f32.sqrt()).abs() < 1e-6);
        assert!(expectation(i32::MAX) <= 1.0 && expectation(i32::MIN) >= -1.0);
    }
}

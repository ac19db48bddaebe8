//! What is chosen of a game before it starts.

use crate::{Quoted, names};

/// What is chosen of a game before it starts, such as the size of its board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// Its name on the command line, in lower case without spaces, such as `size`.
    pub name: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
    /// The least value.
    pub least: u32,
    /// The greatest value.
    pub most: u32,
    /// The value of the usual start.
    pub usual: u32,
}

/// The maximum number of parameters of a game.
pub const MAX_PARAMETERS: usize = 4;

/// The values of the parameters of a game, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Values {
    parameters: &'static [Parameter],
    values: [u32; MAX_PARAMETERS],
}

/// A parameter that a game does not have, or a value that it can't take.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ParameterError(pub(crate) String);

impl Values {
    /// The usual values.
    pub(crate) const fn usual(parameters: &'static [Parameter]) -> Self {
        assert!(parameters.len() <= MAX_PARAMETERS, "a game has at most MAX_PARAMETERS parameters");
        let (mut values, mut index) = ([0; MAX_PARAMETERS], 0);
        while index < parameters.len() {
            values[index] = parameters[index].usual;
            index += 1;
        }
        Self { parameters, values }
    }

    /// The values, one for each parameter.
    pub(crate) fn as_slice(&self) -> &[u32] {
        &self.values[..self.parameters.len()]
    }

    /// Whether all are the usual ones.
    pub(crate) fn are_usual(&self) -> bool {
        *self == Self::usual(self.parameters)
    }

    /// The same with another value of the parameter called `name`.
    ///
    /// # Errors
    /// [`ParameterError`] if there is no such parameter, or the value is out of its range.
    pub(crate) fn with(mut self, name: &str, value: u32) -> Result<Self, ParameterError> {
        let Some(index) = self.parameters.iter().position(|it| it.name == name) else {
            let known: Vec<&str> = self.parameters.iter().map(|it| it.name).collect();
            return Err(ParameterError(format!(
                "unknown parameter {}{}",
                Quoted(name),
                names::hint(name, &known)
            )));
        };
        let Parameter { least, most, .. } = self.parameters[index];
        if !(least..=most).contains(&value) {
            return Err(ParameterError(format!("{name}={value}: {name} is from {least} to {most}")));
        }
        self.values[index] = value;
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_within_their_ranges() {
        const ALL: &[Parameter] = &[
            Parameter { name: "size", about: "the rows", least: 3, most: 19, usual: 9 },
            Parameter { name: "line", about: "the length", least: 3, most: 6, usual: 5 },
        ];
        let usual = Values::usual(ALL);
        assert_eq!((usual.as_slice(), usual.are_usual()), (&[9, 5][..], true));
        let other = usual.with("line", 4).expect("in range");
        assert_eq!((other.as_slice(), other.are_usual()), (&[9, 4][..], false));
        let error = |name, value| usual.with(name, value).expect_err("wrong").to_string();
        assert_eq!(error("size", 20), "size=20: size is from 3 to 19");
        assert_eq!(error("lime", 4), "unknown parameter \"lime\"; did you mean \"line\"? known: size, line");
    }
}

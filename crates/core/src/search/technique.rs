//! The parts of the search beyond plain UCT, each of which can be switched off and measured.

use std::fmt;
use std::str::FromStr;

use crate::Quoted;
use crate::names;

/// A part of the search that can be switched off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Technique {
    /// Propagates proven bounds through the tree, as MCTS-Solver does.
    Solver,
    /// Proves positions by [`Knowledge::prove`](crate::knowledge::Knowledge::prove) and by a
    /// [prover](crate::knowledge::Knowledge::prover).
    Proofs,
    /// Leaves out the moves that [`Knowledge::candidates`](crate::knowledge::Knowledge::candidates)
    /// leaves out.
    Pruning,
    /// Uses the weights of the candidates. Without this all weigh the same, and the search selects
    /// by UCB1: PUCT would hardly visit most moves.
    Priors,
    /// Takes the values of new positions from the knowledge; without this, from uniformly random rollouts.
    Rollouts,
    /// Solves the moves of the position before the search, as far as
    /// [`Knowledge::solve`](crate::knowledge::Knowledge::solve) can; and, together with
    /// [`Solver`](Self::Solver), proves the best move before a search ends early.
    Solve,
    /// Keeps the tree if the next position follows from the last.
    Reuse,
}

impl Technique {
    /// All techniques.
    pub const ALL: [Self; 7] =
        [Self::Solver, Self::Proofs, Self::Pruning, Self::Priors, Self::Rollouts, Self::Solve, Self::Reuse];

    /// The name that engine specifications use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Solver => "solver",
            Self::Proofs => "proofs",
            Self::Pruning => "pruning",
            Self::Priors => "priors",
            Self::Rollouts => "rollouts",
            Self::Solve => "solve",
            Self::Reuse => "reuse",
        }
    }
}

/// A set of techniques.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Techniques(u8);

impl Techniques {
    /// No technique: plain UCT.
    pub const NONE: Self = Self(0);

    /// All of them.
    pub const ALL: Self = Self(u8::MAX >> (u8::BITS as usize - Technique::ALL.len()));

    /// Those that work only if two sides share the score.
    pub(super) const OF_TWO_SIDES: Self =
        Self::NONE.with(Technique::Solver).with(Technique::Proofs).with(Technique::Solve);

    /// Whether `technique` is one of them.
    #[must_use]
    #[inline]
    pub const fn contains(self, technique: Technique) -> bool {
        self.0 >> technique as u8 & 1 == 1
    }

    /// These and `technique`.
    #[must_use]
    pub const fn with(self, technique: Technique) -> Self {
        Self(self.0 | 1 << technique as u8)
    }

    /// These without `others`.
    #[must_use]
    pub const fn and_not(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }
}

impl fmt::Display for Technique {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Writes the names joined by `+`: `solver+priors`.
impl fmt::Display for Techniques {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> =
            Technique::ALL.into_iter().filter(|&it| self.contains(it)).map(Technique::name).collect();
        f.pad(&names.join("+"))
    }
}

impl FromStr for Technique {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|it| it.name() == name).ok_or_else(|| {
            format!(
                "{name} is not a technique{}",
                names::hint(name, &Self::ALL.map(Self::name)),
                name = Quoted(name)
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_the_techniques_that_were_put_in() {
        for technique in Technique::ALL {
            let only = Techniques::NONE.with(technique);
            assert_eq!(Technique::ALL.map(|it| only.contains(it)), Technique::ALL.map(|it| it == technique));
            assert_eq!(only.with(technique), only);
            let others = Techniques::ALL.and_not(only);
            assert_eq!(
                Technique::ALL.map(|it| others.contains(it)),
                Technique::ALL.map(|it| it != technique)
            );
            assert_eq!(technique.to_string().parse(), Ok(technique));
        }
        assert_eq!(Technique::ALL.into_iter().fold(Techniques::NONE, Techniques::with), Techniques::ALL);
        let two = Techniques::NONE.with(Technique::Priors).with(Technique::Solver);
        assert_eq!((two.to_string().as_str(), Techniques::NONE.to_string().as_str()), ("solver+priors", ""));
        assert_eq!(format!("[{two:>14}] [{:<7}]", Technique::Solve), "[ solver+priors] [solve  ]");
        let error = "solv".parse::<Technique>().expect_err("no technique");
        assert!(error.starts_with("\"solv\" is not a technique; did you mean \"solve\"?"), "{error}");
    }
}

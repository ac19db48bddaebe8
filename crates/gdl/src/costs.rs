//! What the rules of a sheet take when they are grounded, and which of them take too long.

use crate::Error;
use crate::sheet::Sheet;
use crate::split::can_split;

/// The steps after which a rule is taken apart, if it can be and they led to few facts.
const HEAVY: usize = 2_000_000;
/// Where some rule is heavy, so are all that took this part of the steps.
const PART: usize = 32;
/// The steps that a rule may take for each fact that it is the first to tell.
const STEPS_OF_A_FACT: usize = 12;

/// Why rules are not grounded.
pub(crate) enum Stop {
    Failed(Error),
    /// These rules take so long that they are to be taken apart.
    Heavy(Vec<usize>),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// What a rule took.
#[derive(Debug, Clone, Copy, Default)]
struct Taken {
    /// Steps of joins.
    steps: usize,
    instances: usize,
    /// The facts that it was the first to tell.
    news: usize,
}

/// What each rule took.
#[derive(Debug)]
pub(crate) struct Costs(Vec<Taken>);

impl Costs {
    pub(crate) fn new(rules: usize) -> Self {
        Self(vec![Taken::default(); rules])
    }

    /// Counts a step of a rule; `false` if it has taken too many.
    pub(crate) fn step(&mut self, sheet: &Sheet, rule: usize) -> bool {
        self.0[rule].steps += 1;
        !self.0[rule].steps.is_multiple_of(HEAVY) || !self.is_heavy(sheet, rule)
    }

    pub(crate) fn instance(&mut self, rule: usize, is_new: bool) {
        self.0[rule].instances += 1;
        self.0[rule].news += usize::from(is_new);
    }

    /// Whether a rule takes many steps for each fact, and can be taken apart.
    fn is_heavy(&self, sheet: &Sheet, rule: usize) -> bool {
        let Taken { steps, news, .. } = self.0[rule];
        steps >= HEAVY / PART && steps > STEPS_OF_A_FACT * news && can_split(&sheet.rules[rule])
    }

    /// The rules that take many steps for each fact, and can be taken apart.
    pub(crate) fn heavy(&self, sheet: &Sheet) -> Vec<usize> {
        (0..self.0.len()).filter(|&it| self.is_heavy(sheet, it)).collect()
    }

    /// The relation that grew most, by instances of its rules.
    pub(crate) fn too_large(&self, sheet: &Sheet) -> Error {
        let most = (0..self.0.len()).max_by_key(|&rule| self.0[rule].instances).unwrap_or(0);
        Error::TooLarge(sheet.relation_text(sheet.rules[most].head.relation).to_owned())
    }

    /// What is to be done where too much is found: heavy rules are taken apart, if there are any.
    pub(crate) fn stop(&self, sheet: &Sheet) -> Stop {
        let heavy = self.heavy(sheet);
        if heavy.is_empty() { self.too_large(sheet).into() } else { Stop::Heavy(heavy) }
    }
}

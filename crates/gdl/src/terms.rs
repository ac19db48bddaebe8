//! Ground terms, each stored once, and patterns that match them.

use std::collections::HashMap;

use crate::hash::FastMap;

/// The symbols of a term.
pub(crate) fn symbols(term: &str) -> Vec<&str> {
    term.split([' ', '(', ')']).filter(|it| !it.is_empty()).collect()
}

/// The number of a name.
pub(crate) type Name = u32;

/// Names, each with a number.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names {
    all: Vec<String>,
    numbers: HashMap<String, Name>,
}

impl Names {
    /// The number of a name, which is new if need be.
    pub(crate) fn number(&mut self, name: &str) -> Name {
        if let Some(&known) = self.numbers.get(name) {
            return known;
        }
        let new = self.all.len() as Name;
        self.all.push(name.to_owned());
        self.numbers.insert(name.to_owned(), new);
        new
    }

    pub(crate) fn text(&self, name: Name) -> &str {
        &self.all[name as usize]
    }
}

/// The number of a ground term.
pub(crate) type TermId = u32;

/// No term: of a variable that has no value.
pub(crate) const UNBOUND: TermId = TermId::MAX;

/// Ground terms, each once.
#[derive(Debug, Clone, Default)]
pub(crate) struct Terms {
    /// The functor of each term, and where its arguments begin.
    all: Vec<(Name, u32)>,
    arguments: Vec<TermId>,
    depths: Vec<u8>,
    /// The terms by their hashes; those with the same hash make a chain.
    table: FastMap<u64, TermId>,
    next: Vec<TermId>,
}

fn hash_of(functor: Name, arguments: &[TermId]) -> u64 {
    crate::hash::of([functor].iter().chain(arguments).copied())
}

impl Terms {
    /// The functor of a term; of a constant, its name.
    pub(crate) fn functor(&self, term: TermId) -> Name {
        self.all[term as usize].0
    }

    pub(crate) fn arguments(&self, term: TermId) -> &[TermId] {
        let start = self.all[term as usize].1 as usize;
        let end = self.all.get(term as usize + 1).map_or(self.arguments.len(), |it| it.1 as usize);
        &self.arguments[start..end]
    }

    /// How deep a term is nested: 0 for a constant.
    pub(crate) fn depth(&self, term: TermId) -> u8 {
        self.depths[term as usize]
    }

    /// The number of arguments of all terms.
    pub(crate) fn size(&self) -> usize {
        self.arguments.len()
    }

    fn found(&self, hash: u64, functor: Name, arguments: &[TermId]) -> Option<TermId> {
        let mut at = self.table.get(&hash).copied().unwrap_or(UNBOUND);
        while at != UNBOUND {
            if self.functor(at) == functor && self.arguments(at) == arguments {
                return Some(at);
            }
            at = self.next[at as usize];
        }
        None
    }

    /// The term with these parts, if it is there.
    pub(crate) fn find(&self, functor: Name, arguments: &[TermId]) -> Option<TermId> {
        self.found(hash_of(functor, arguments), functor, arguments)
    }

    /// The term with these parts, which is new if need be.
    pub(crate) fn make(&mut self, functor: Name, arguments: &[TermId]) -> TermId {
        let hash = hash_of(functor, arguments);
        if let Some(known) = self.found(hash, functor, arguments) {
            return known;
        }
        let new = self.all.len() as TermId;
        let depth = arguments.iter().map(|&it| self.depth(it).saturating_add(1)).max();
        self.all.push((functor, self.arguments.len() as u32));
        self.arguments.extend_from_slice(arguments);
        self.depths.push(depth.unwrap_or(0));
        self.next.push(self.table.insert(hash, new).unwrap_or(UNBOUND));
        new
    }

    /// Writes a term as rules have it.
    pub(crate) fn text(&self, names: &Names, term: TermId) -> String {
        let functor = names.text(self.functor(term));
        let arguments = self.arguments(term);
        if arguments.is_empty() {
            return functor.to_owned();
        }
        let parts: Vec<String> = arguments.iter().map(|&it| self.text(names, it)).collect();
        format!("({functor} {})", parts.join(" "))
    }
}

/// A term of a rule, which may have variables.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Term {
    /// The number of a variable in its rule.
    Variable(usize),
    Ground(TermId),
    Function(Name, Vec<Term>),
}

impl Term {
    pub(crate) fn add_variables(&self, found: &mut Vec<usize>) {
        match self {
            Self::Variable(variable) if !found.contains(variable) => found.push(*variable),
            Self::Function(_, parts) => parts.iter().for_each(|it| it.add_variables(found)),
            _ => {}
        }
    }

    /// Gives each variable another number.
    pub(crate) fn rename(&mut self, number: &impl Fn(&mut usize)) {
        match self {
            Self::Variable(variable) => number(variable),
            Self::Function(_, parts) => parts.iter_mut().for_each(|it| it.rename(number)),
            Self::Ground(_) => {}
        }
    }

    /// Whether `term` is this pattern for some values of the variables without a value, which it then gives them.
    pub(crate) fn matches(&self, terms: &Terms, term: TermId, values: &mut [TermId]) -> bool {
        match self {
            Self::Ground(own) => *own == term,
            Self::Variable(variable) => {
                let value = &mut values[*variable];
                if *value == UNBOUND {
                    *value = term;
                }
                *value == term
            }
            Self::Function(functor, parts) => {
                terms.functor(term) == *functor
                    && terms.arguments(term).len() == parts.len()
                    && parts
                        .iter()
                        .enumerate()
                        .all(|(index, part)| part.matches(terms, terms.arguments(term)[index], values))
            }
        }
    }

    /// The term for these values, if it is there.
    pub(crate) fn find(&self, terms: &Terms, values: &[TermId]) -> Option<TermId> {
        match self {
            Self::Ground(own) => Some(*own),
            Self::Variable(variable) => Some(values[*variable]).filter(|it| *it != UNBOUND),
            Self::Function(functor, parts) => {
                let parts: Option<Vec<TermId>> = parts.iter().map(|it| it.find(terms, values)).collect();
                terms.find(*functor, &parts?)
            }
        }
    }

    /// Whether two terms are the same for these values of the variables, all of which have one. Makes no term: what is
    /// only compared would stay for good.
    pub(crate) fn is_same(&self, other: &Self, terms: &Terms, values: &[TermId]) -> bool {
        match (self, other) {
            (Self::Function(functor, parts), Self::Function(other, others)) => {
                functor == other
                    && parts.len() == others.len()
                    && parts.iter().zip(others).all(|(one, other)| one.is_same(other, terms, values))
            }
            _ => self.find(terms, values) == other.find(terms, values),
        }
    }

    /// The term for these values of the variables, all of which have one.
    pub(crate) fn ground(&self, terms: &mut Terms, values: &[TermId]) -> TermId {
        match self {
            Self::Ground(own) => *own,
            Self::Variable(variable) => values[*variable],
            Self::Function(functor, parts) => {
                let parts: Vec<TermId> = parts.iter().map(|it| it.ground(terms, values)).collect();
                terms.make(*functor, &parts)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_terms_are_one() {
        let (mut names, mut terms) = (Names::default(), Terms::default());
        let [f, a] = ["f", "a"].map(|name| names.number(name));
        let a = terms.make(a, &[]);
        let fa = terms.make(f, &[a]);
        let ffa = terms.make(f, &[fa, a]);
        assert_eq!((terms.make(f, &[a]), terms.find(f, &[fa]), terms.all.len()), (fa, None, 3));
        assert_eq!((terms.depth(a), terms.depth(ffa)), (0, 2));
        assert_eq!(terms.text(&names, ffa), "(f (f a) a)");
        let pattern = Term::Function(f, vec![Term::Variable(0), Term::Variable(1)]);
        let mut values = [UNBOUND; 2];
        assert!(pattern.matches(&terms, ffa, &mut values) && values == [fa, a]);
        assert_eq!(pattern.ground(&mut terms, &values), ffa);
        let [other, b] = ["g", "b"].map(|name| names.number(name));
        let b = terms.make(b, &[]);
        let of = |name, parts: [Term; 1]| Term::Function(name, parts.into());
        let [one, two] = [of(f, [of(other, [Term::Variable(0)])]), of(f, [of(other, [Term::Variable(1)])])];
        let size = terms.size();
        assert!(one.is_same(&two, &terms, &[a, a]) && !one.is_same(&two, &terms, &[a, b]));
        assert!(
            !one.is_same(&Term::Variable(1), &terms, &[a, ffa]) && !one.is_same(&pattern, &terms, &[a, a])
        );
        assert!(of(f, [Term::Variable(0)]).is_same(&Term::Ground(fa), &terms, &[a]));
        assert_eq!((one.find(&terms, &[a, a]), terms.size()), (None, size));
        let twice = Term::Function(f, vec![Term::Variable(0), Term::Variable(0)]);
        assert!(!twice.matches(&terms, ffa, &mut [UNBOUND]) && !twice.matches(&terms, fa, &mut [UNBOUND]));
    }
}

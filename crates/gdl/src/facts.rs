//! Facts in the order in which they were found, and indexes that find those that may match a condition.

use crate::hash::{self, FastMap};
use crate::sheet::{Atom, RelationId};
use crate::terms::{Name, Term, TermId, Terms};

/// The number of a fact.
pub(crate) type FactId = u32;

/// No fact.
const NONE: FactId = FactId::MAX;

/// Facts, each once, numbered in the order in which they were found.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    relations: Vec<u32>,
    starts: Vec<u32>,
    arguments: Vec<TermId>,
    /// The facts by their hashes; those with the same hash make a chain.
    table: FastMap<u64, FactId>,
    next: Vec<FactId>,
}

impl Facts {
    pub(crate) fn len(&self) -> usize {
        self.relations.len()
    }

    /// The number of arguments of all facts.
    pub(crate) fn size(&self) -> usize {
        self.arguments.len()
    }

    pub(crate) fn relation(&self, fact: FactId) -> RelationId {
        self.relations[fact as usize] as usize
    }

    pub(crate) fn arguments(&self, fact: FactId) -> &[TermId] {
        let start = self.starts[fact as usize] as usize;
        let end = self.starts.get(fact as usize + 1).map_or(self.arguments.len(), |it| *it as usize);
        &self.arguments[start..end]
    }

    fn found(&self, hash: u64, relation: RelationId, arguments: &[TermId]) -> Option<FactId> {
        let mut at = self.table.get(&hash).copied().unwrap_or(NONE);
        while at != NONE {
            if self.relation(at) == relation && self.arguments(at) == arguments {
                return Some(at);
            }
            at = self.next[at as usize];
        }
        None
    }

    pub(crate) fn find(&self, relation: RelationId, arguments: &[TermId]) -> Option<FactId> {
        self.found(hash_of(relation, arguments), relation, arguments)
    }

    /// The number of a fact, which is new if need be.
    pub(crate) fn add(&mut self, relation: RelationId, arguments: &[TermId]) -> FactId {
        let hash = hash_of(relation, arguments);
        if let Some(known) = self.found(hash, relation, arguments) {
            return known;
        }
        let new = self.relations.len() as FactId;
        self.relations.push(relation as u32);
        self.starts.push(self.arguments.len() as u32);
        self.arguments.extend_from_slice(arguments);
        self.next.push(self.table.insert(hash, new).unwrap_or(NONE));
        new
    }
}

fn hash_of(relation: RelationId, arguments: &[TermId]) -> u64 {
    hash::of([relation as u32].iter().chain(arguments).copied())
}

/// What is known of a term before a fact is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Shape {
    Unknown,
    Known,
    Function(Name, Vec<Shape>),
}

impl Shape {
    fn of(term: &Term, is_bound: &[bool]) -> Self {
        match term {
            Term::Ground(_) => Self::Known,
            Term::Variable(variable) if is_bound[*variable] => Self::Known,
            Term::Variable(_) => Self::Unknown,
            Term::Function(functor, parts) => {
                let parts: Vec<Self> = parts.iter().map(|it| Self::of(it, is_bound)).collect();
                if parts.iter().all(|it| *it == Self::Known) {
                    Self::Known
                } else {
                    Self::Function(*functor, parts)
                }
            }
        }
    }

    /// Adds what is known of `term` to a key; `false` if it has not this shape.
    fn add_to_key(&self, terms: &Terms, term: TermId, key: &mut Vec<TermId>) -> bool {
        match self {
            Self::Unknown => true,
            Self::Known => {
                key.push(term);
                true
            }
            Self::Function(functor, parts) => {
                let arguments = terms.arguments(term);
                terms.functor(term) == *functor
                    && arguments.len() == parts.len()
                    && parts.iter().zip(arguments).all(|(part, &it)| part.add_to_key(terms, it, key))
            }
        }
    }

    /// Adds the same of a term of a rule; `false` if there is no such term.
    fn add_wanted(&self, terms: &Terms, term: &Term, values: &[TermId], key: &mut Vec<TermId>) -> bool {
        match (self, term) {
            (Self::Known, _) => {
                let Some(found) = term.find(terms, values) else { return false };
                key.push(found);
                true
            }
            (Self::Function(_, parts), Term::Function(_, arguments)) => {
                parts.iter().zip(arguments).all(|(part, it)| part.add_wanted(terms, it, values, key))
            }
            _ => true,
        }
    }
}

/// Finds the facts of a relation by what is known of them.
#[derive(Debug)]
pub(crate) struct Index {
    relation: RelationId,
    shapes: Vec<Shape>,
    /// The facts by the hash of the key.
    facts: FastMap<u64, Vec<FactId>>,
}

impl Index {
    /// An index for `atom` where these variables have values.
    pub(crate) fn new(atom: &Atom, is_bound: &[bool]) -> Self {
        let shapes = atom.arguments.iter().map(|it| Shape::of(it, is_bound)).collect();
        Self { relation: atom.relation, shapes, facts: FastMap::default() }
    }

    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.relation == other.relation && self.shapes == other.shapes
    }

    pub(crate) fn relation(&self) -> RelationId {
        self.relation
    }

    pub(crate) fn add(&mut self, terms: &Terms, facts: &Facts, fact: FactId, key: &mut Vec<TermId>) {
        key.clear();
        let mut arguments = self.shapes.iter().zip(facts.arguments(fact));
        if arguments.all(|(shape, &term)| shape.add_to_key(terms, term, key)) {
            self.facts.entry(hash::of(key.iter().copied())).or_default().push(fact);
        }
    }

    /// The facts that may match, and perhaps some others.
    pub(crate) fn get(
        &self,
        terms: &Terms,
        atom: &Atom,
        values: &[TermId],
        key: &mut Vec<TermId>,
    ) -> &[FactId] {
        key.clear();
        let mut arguments = self.shapes.iter().zip(&atom.arguments);
        if arguments.all(|(shape, term)| shape.add_wanted(terms, term, values, key)) {
            self.facts.get(&hash::of(key.iter().copied())).map_or(&[], |it| it)
        } else {
            &[]
        }
    }
}

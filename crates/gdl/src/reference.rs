//! The rules followed to the letter, without grounding and gates: slow and obvious. Tests compare compiled games
//! with it, and a player can follow a match until its game is compiled.

use std::cell::Cell;
use std::fmt;
use std::sync::Arc;

use crate::Error;
use crate::hash::{FastMap, FastSet};
use crate::limits::{End, Limits};
use crate::sheet::{Atom, Literal, RelationId, Rule, Sheet};
use crate::strata::Strata;
use crate::terms::{Term, TermId, Terms, UNBOUND};

/// A state: what is `true`, in order.
pub type State = Vec<u32>;

/// What holds of one relation.
#[derive(Debug, Clone, Default)]
struct Relation {
    all: Vec<Box<[TermId]>>,
    known: FastSet<Box<[TermId]>>,
    /// The facts with a term at a place, and those with a functor at a place.
    with_term: FastMap<(usize, TermId), Vec<usize>>,
    with_functor: FastMap<(usize, TermId), Vec<usize>>,
}

impl Relation {
    fn add(&mut self, terms: &Terms, fact: Box<[TermId]>) -> bool {
        if !self.known.insert(fact.clone()) {
            return false;
        }
        for (place, &term) in fact.iter().enumerate() {
            self.with_term.entry((place, term)).or_default().push(self.all.len());
            self.with_functor.entry((place, terms.functor(term))).or_default().push(self.all.len());
        }
        self.all.push(fact);
        true
    }
}

/// What holds of all relations.
type Facts = Vec<Relation>;

/// What rules say of a state.
#[derive(Debug, Clone)]
pub struct View {
    /// The relations that were derived.
    derived: Vec<bool>,
    /// The legal moves of each role, in the order in which they were derived.
    pub legal: Vec<Vec<u32>>,
    /// Whether the game is over.
    pub is_over: bool,
    /// The goals of each role.
    pub goals: Vec<Vec<u32>>,
    facts: Facts,
}

/// Takes the first legal move of a role.
type First<'a> = (u32, &'a mut dyn FnMut(&str));

/// The rules of a game. States, moves and goals are numbers of terms, which [`text`](Self::text) writes.
pub struct Reference {
    sheet: Sheet,
    strata: Strata,
    /// Whether the rules of a group depend on each other.
    is_recursive: Vec<bool>,
    /// Whether nobody waits any more.
    is_over: Arc<dyn Fn() -> bool + Send + Sync>,
    /// What holds in all states.
    fixed: Facts,
    /// The roles in the order of the rules.
    pub roles: Vec<u32>,
}

impl fmt::Debug for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reference").field("roles", &self.roles).finish_non_exhaustive()
    }
}

impl Reference {
    /// Reads a rulesheet.
    ///
    /// # Errors
    /// [`Error`], which says what is wrong with it.
    pub fn new(text: &str) -> Result<Self, Error> {
        Self::unless(text, || false)
    }

    /// Reads a rulesheet. This, and whatever is asked later, ends with an error as soon as `is_over` says so.
    ///
    /// # Errors
    /// [`Error`], which says what is wrong with it.
    pub fn unless(text: &str, is_over: impl Fn() -> bool + Send + Sync + 'static) -> Result<Self, Error> {
        Self::of(Sheet::read(text)?, is_over)
    }

    pub(crate) fn of(
        sheet: Sheet,
        is_over: impl Fn() -> bool + Send + Sync + 'static,
    ) -> Result<Self, Error> {
        let strata = Strata::of(&sheet)?;
        let is_recursive = |group: &Vec<usize>| {
            let heads: FastSet<RelationId> = group.iter().map(|&it| sheet.rules[it].head.relation).collect();
            group.iter().flat_map(|&it| &sheet.rules[it].body).any(|literal| {
                matches!(literal, Literal::Holds(atom) | Literal::HoldsNot(atom) if heads.contains(&atom.relation))
            })
        };
        let is_recursive = strata.groups.iter().map(is_recursive).collect();
        let is_over = Arc::new(is_over);
        let fixed = vec![Relation::default(); sheet.relations.len()];
        let mut reference =
            Self { sheet, strata, is_recursive, is_over, fixed: Vec::new(), roles: Vec::new() };
        let known = reference.sheet.known;
        let mut wanted = reference.sheet.needed_by(&known.all());
        wanted.iter_mut().zip(&reference.strata.is_dynamic).for_each(|(it, is_dynamic)| *it &= !is_dynamic);
        reference.fixed = reference.derived(fixed, &wanted, None)?;
        reference.roles = reference.fixed[known.role].all.iter().map(|fact| fact[0]).collect();
        Ok(reference)
    }

    /// Writes a term.
    #[must_use]
    pub fn text(&self, term: u32) -> String {
        self.sheet.terms.text(&self.sheet.names, term)
    }

    /// The first state.
    #[must_use]
    pub fn initial(&self) -> State {
        let mut state: State = self.fixed[self.sheet.known.init].all.iter().map(|fact| fact[0]).collect();
        state.sort_unstable();
        state
    }

    /// What the rules say of a state.
    ///
    /// # Errors
    /// [`Error`] if that does not end within the limits.
    pub fn view(&mut self, state: &[u32]) -> Result<View, Error> {
        let known = self.sheet.known;
        self.look(state, &[known.legal, known.terminal, known.goal], None)
    }

    /// What the rules say of the legal moves of a state alone. `first` is told a legal move of this role as soon as one
    /// is known.
    ///
    /// # Errors
    /// [`Error`] if that does not end within the limits.
    pub fn moves(&mut self, state: &[u32], role: u32, first: &mut dyn FnMut(&str)) -> Result<View, Error> {
        self.look(state, &[self.sheet.known.legal], Some((role, first)))
    }

    fn look(
        &mut self,
        state: &[u32],
        relations: &[RelationId],
        first: Option<First<'_>>,
    ) -> Result<View, Error> {
        let known = self.sheet.known;
        let mut facts = vec![Relation::default(); self.sheet.relations.len()];
        for &fact in state {
            facts[known.holds].add(&self.sheet.terms, [fact].into());
        }
        let mut derived = self.sheet.needed_by(relations);
        for (relation, is_derived) in derived.iter_mut().enumerate() {
            *is_derived &= self.strata.is_dynamic[relation] && !self.strata.is_after_moves[relation];
        }
        let facts = self.derived(facts, &derived, first)?;
        let at = |relation: RelationId| {
            if self.strata.is_dynamic[relation] { &facts[relation] } else { &self.fixed[relation] }
        };
        let of = |relation: RelationId, role: TermId| {
            at(relation).all.iter().filter(|fact| fact[0] == role).map(|fact| fact[1]).collect()
        };
        let legal = self.roles.iter().map(|&role| of(known.legal, role)).collect();
        let goals = self.roles.iter().map(|&role| of(known.goal, role)).collect();
        let is_over = !at(known.terminal).all.is_empty();
        Ok(View { derived, legal, is_over, goals, facts })
    }

    /// The state after a move of each role.
    ///
    /// # Errors
    /// [`Error`] if that does not end within the limits.
    pub fn next(&mut self, view: View, moves: &[u32]) -> Result<State, Error> {
        let known = self.sheet.known;
        let mut facts = view.facts;
        for (&role, &mv) in self.roles.iter().zip(moves) {
            facts[known.does].add(&self.sheet.terms, [role, mv].into());
        }
        let mut wanted = self.sheet.needed_by(&[known.next]);
        for (relation, is_wanted) in wanted.iter_mut().enumerate() {
            *is_wanted &= self.strata.is_dynamic[relation] && !view.derived[relation];
        }
        let facts = self.derived(facts, &wanted, None)?;
        let next = if self.strata.is_dynamic[known.next] { &facts } else { &self.fixed };
        let mut state: State = next[known.next].all.iter().map(|fact| fact[0]).collect();
        state.sort_unstable();
        Ok(state)
    }

    /// Adds to `facts` what follows for the `wanted` relations.
    fn derived(
        &mut self,
        mut facts: Facts,
        wanted: &[bool],
        mut first: Option<First<'_>>,
    ) -> Result<Facts, Error> {
        let limits = Limits::default();
        let end = End::new(limits.time, Arc::clone(&self.is_over));
        let (mut values, steps) = (Vec::new(), Cell::new(0));
        let size = self.sheet.terms.size();
        for (group, &is_recursive) in self.strata.groups.iter().zip(&self.is_recursive) {
            loop {
                let mut is_new = false;
                for &rule in group {
                    let rule = &self.sheet.rules[rule];
                    let relation = rule.head.relation;
                    if !wanted[relation] {
                        continue;
                    }
                    let mut found = Vec::new();
                    let solver = Solver {
                        facts: &facts,
                        fixed: &self.fixed,
                        is_dynamic: &self.strata.is_dynamic,
                        end: &end,
                        limits,
                        size,
                        steps: &steps,
                    };
                    values.clear();
                    values.resize(rule.variables, UNBOUND);
                    let body: Vec<&Literal> = rule.body.iter().collect();
                    let solved = solver.solve(&mut self.sheet.terms, &body, &mut values, rule, &mut found);
                    let too_large = || Error::TooLarge(self.sheet.relation_text(relation).to_owned());
                    solved.ok_or_else(too_large)?;
                    for fact in found {
                        rule.check_depth(&self.sheet.terms, &fact)?;
                        if let Some((_, tell)) = first.take_if(|(role, _)| {
                            relation == self.sheet.known.legal && fact.first() == Some(role)
                        }) {
                            tell(&self.sheet.terms.text(&self.sheet.names, fact[1]));
                        }
                        is_new |= facts[relation].add(&self.sheet.terms, fact);
                    }
                    let count = facts[relation].all.len();
                    if limits.are_passed_by(count, count * rule.head.arguments.len()) {
                        return Err(too_large());
                    }
                }
                if !is_new || !is_recursive {
                    break;
                }
            }
        }
        Ok(facts)
    }
}

/// Finds the values of variables for which the conditions of a rule hold.
struct Solver<'a> {
    facts: &'a Facts,
    fixed: &'a Facts,
    is_dynamic: &'a [bool],
    end: &'a End,
    limits: Limits,
    /// The size of all terms before.
    size: usize,
    steps: &'a Cell<u32>,
}

impl Solver<'_> {
    fn relation(&self, relation: RelationId) -> &Relation {
        // While the fixed facts are derived, they are not in their place yet.
        if self.is_dynamic[relation] || self.fixed.is_empty() {
            &self.facts[relation]
        } else {
            &self.fixed[relation]
        }
    }

    /// Whether all variables of a term have values.
    fn is_bound(term: &Term, values: &[TermId]) -> bool {
        let mut variables = Vec::new();
        term.add_variables(&mut variables);
        variables.iter().all(|&it| values[it] != UNBOUND)
    }

    /// The facts that may match an atom: all, or those with what is known of one of its arguments.
    fn candidates(&self, terms: &Terms, atom: &Atom, values: &[TermId]) -> (usize, Option<&Vec<usize>>) {
        static NONE: Vec<usize> = Vec::new();
        let relation = self.relation(atom.relation);
        let (mut count, mut best) = (relation.all.len(), None);
        for (place, term) in atom.arguments.iter().enumerate() {
            let found = match term {
                _ if Self::is_bound(term, values) => {
                    term.find(terms, values).and_then(|it| relation.with_term.get(&(place, it)))
                }
                Term::Function(functor, _) => relation.with_functor.get(&(place, *functor)),
                _ => continue,
            };
            let found = found.unwrap_or(&NONE);
            if found.len() < count {
                (count, best) = (found.len(), Some(found));
            }
        }
        (count, best)
    }

    /// Looks for values for the literals that are `left`. `None` if the time is over or too much is found.
    fn solve(
        &self,
        terms: &mut Terms,
        left: &[&Literal],
        values: &mut Vec<TermId>,
        rule: &Rule,
        found: &mut Vec<Box<[TermId]>>,
    ) -> Option<()> {
        self.steps.set(self.steps.get().wrapping_add(1));
        if self.steps.get() % 64 == 1 {
            let size = (terms.size() - self.size).max(found.len() * rule.head.arguments.len());
            if self.end.has_come() || self.limits.are_passed_by(found.len(), size) {
                return None;
            }
        }
        // What can be tested is tested.
        let is_bound =
            |it: &Literal, values: &[TermId]| it.variables().iter().all(|&it| values[it] != UNBOUND);
        let mut index = 0;
        let mut rest = left.to_vec();
        while index < rest.len() {
            match rest[index] {
                Literal::Compared { are_same, terms: [one, other] } if is_bound(rest[index], values) => {
                    if one.is_same(other, terms, values) != *are_same {
                        return Some(());
                    }
                }
                Literal::HoldsNot(atom) if is_bound(rest[index], values) => {
                    let fact: Option<Box<[TermId]>> =
                        atom.arguments.iter().map(|it| it.find(terms, values)).collect();
                    if fact.is_some_and(|it| self.relation(atom.relation).known.contains(&it)) {
                        return Some(());
                    }
                }
                _ => {
                    index += 1;
                    continue;
                }
            }
            rest.swap_remove(index);
        }
        // Of the others, that with the fewest facts comes next.
        let mut best: Option<(usize, usize)> = None;
        for (index, literal) in rest.iter().enumerate() {
            if let Literal::Holds(atom) = literal {
                let (count, _) = self.candidates(terms, atom, values);
                if best.is_none_or(|(least, _)| count < least) {
                    best = Some((count, index));
                }
            }
        }
        let Some((_, index)) = best else {
            let fact: Box<[TermId]> = rule.head.arguments.iter().map(|it| it.ground(terms, values)).collect();
            found.push(fact);
            return Some(());
        };
        let Literal::Holds(atom) = rest.swap_remove(index) else { return Some(()) };
        let relation = self.relation(atom.relation);
        let (_, some) = self.candidates(terms, atom, values);
        let all = some.map_or(0..relation.all.len(), |it| 0..it.len());
        for number in all {
            let fact = &relation.all[some.map_or(number, |it| it[number])];
            let before = values.clone();
            let mut arguments = atom.arguments.iter().zip(&**fact);
            if arguments.all(|(pattern, &term)| pattern.matches(terms, term, values)) {
                self.solve(terms, &rest, values, rule, found)?;
            }
            *values = before;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::Ground;

    #[test]
    fn what_is_only_asked_for_makes_no_terms() {
        let text =
            "(role a) (legal a b) (goal a 1) (init t) (<= terminal (true t)) (n 0) (n 1) (n 2) (n (s 0))
            (<= (next u) (n ?a) (n ?b) (distinct (f ?a ?b) (f ?b ?a)) (not (distinct (g ?a) (g ?b))))
            (<= (next u) (n ?a) (not (n (s ?a)))) (<= (next u) (n ?a) (true (h ?a)))";
        let mut sheet = Sheet::read(text).expect("it is right");
        let size = sheet.terms.size();
        let ground = Ground::of(&mut sheet, Limits::default(), &End::after(Limits::default().time));
        assert_eq!(ground.expect("it is small").terms.size(), size);
        let mut reference = Reference::new(text).expect("it is right");
        let state = reference.initial();
        let view = reference.view(&state).expect("it is small");
        let moves = [view.legal[0][0]];
        reference.next(view, &moves).expect("it is small");
        assert_eq!(reference.sheet.terms.size(), size);
    }
}

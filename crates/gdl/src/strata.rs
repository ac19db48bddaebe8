//! In which order relations are derived, and what may depend on what.

use std::collections::VecDeque;

use crate::Error;
use crate::graph::components;
use crate::kif::Place;
use crate::sheet::{Atom, Literal, RelationId, Rule, Sheet};
use crate::terms::{Term, TermId};

/// What the relations of a rulesheet depend on.
#[derive(Debug, Clone)]
pub(crate) struct Strata {
    /// The rules in groups that depend on each other, each group after those that it needs.
    pub(crate) groups: Vec<Vec<usize>>,
    /// Whether a relation depends on the state.
    pub(crate) is_dynamic: Vec<bool>,
    /// Whether it depends on moves.
    pub(crate) is_after_moves: Vec<bool>,
}

/// What is derived as one: a relation, or the goals of one value, as `(goal ?p 0)` often depends on
/// `(not (goal ?p 100))`.
struct Parts {
    /// The parts of each relation; the last is that without a known value.
    of_relation: Vec<Vec<(Option<TermId>, u32)>>,
    relations: Vec<RelationId>,
}

impl Parts {
    fn new(sheet: &Sheet) -> Self {
        let mut parts = Self { of_relation: vec![Vec::new(); sheet.relations.len()], relations: Vec::new() };
        let goal = sheet.known.goal;
        let values = sheet.rules.iter().filter(|rule| rule.head.relation == goal);
        let mut values: Vec<Option<TermId>> = values.map(|rule| Self::value(&rule.head, goal)).collect();
        values.sort_unstable();
        values.dedup();
        if values.contains(&None) {
            values.clear();
        }
        for relation in 0..sheet.relations.len() {
            if relation == goal {
                for &value in &values {
                    parts.add(relation, value);
                }
            }
            if relation != goal || values.is_empty() {
                parts.add(relation, None);
            }
        }
        parts
    }

    fn add(&mut self, relation: RelationId, value: Option<TermId>) {
        self.of_relation[relation].push((value, self.relations.len() as u32));
        self.relations.push(relation);
    }

    fn value(atom: &Atom, goal: RelationId) -> Option<TermId> {
        match atom.arguments.last() {
            Some(Term::Ground(value)) if atom.relation == goal => Some(*value),
            _ => None,
        }
    }

    /// The parts that an atom may be of.
    fn of<'a>(&'a self, atom: &Atom, goal: RelationId) -> impl Iterator<Item = u32> + use<'a> {
        let value = Self::value(atom, goal);
        let is_of =
            move |part: &(Option<TermId>, u32)| part.0.is_none() || value.is_none() || part.0 == value;
        self.of_relation[atom.relation].iter().copied().filter(is_of).map(|it| it.1)
    }
}

impl Strata {
    pub(crate) fn of(sheet: &Sheet) -> Result<Self, Error> {
        let known = sheet.known;
        for (relation, what) in [
            (known.role, "a role, such as (role white)"),
            (known.legal, "a legal move, such as (<= (legal ?p pass) (role ?p))"),
            (known.goal, "a goal, such as (goal white 100)"),
            (known.terminal, "the end, such as (<= terminal (true (step 9)))"),
        ] {
            if sheet.rules.iter().all(|rule| rule.head.relation != relation) {
                return Err(Error::Missing(what));
            }
        }
        let parts = Parts::new(sheet);
        let count = parts.relations.len();
        let (mut rules, mut targets) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        let mut part_of_rule = Vec::new();
        for (index, rule) in sheet.rules.iter().enumerate() {
            let head = parts.of(&rule.head, known.goal).next().unwrap_or(0) as usize;
            part_of_rule.push(head);
            rules[head].push(index);
            for literal in &rule.body {
                if let Literal::Holds(atom) | Literal::HoldsNot(atom) = literal {
                    targets[head].extend(parts.of(atom, known.goal));
                }
            }
        }
        let groups = components(count, |it| &targets[it]);
        let mut group_of = vec![0; count];
        for (number, group) in groups.iter().enumerate() {
            for &it in group {
                group_of[it as usize] = number;
            }
        }
        for (rule, &head) in sheet.rules.iter().zip(&part_of_rule) {
            for literal in &rule.body {
                if let Literal::HoldsNot(atom) = literal
                    && parts.of(atom, known.goal).any(|it| group_of[it as usize] == group_of[head])
                {
                    let [head, other] = [rule.head.relation, atom.relation].map(|it| sheet.relation_text(it));
                    let reason =
                        format!("{head} depends on the negation of {other}, which depends on {head}");
                    return Err(Error::Rules { place: rule.place, reason });
                }
            }
        }
        let depends = |on: &[RelationId]| {
            let mut found: Vec<bool> = parts.relations.iter().map(|it| on.contains(it)).collect();
            for group in &groups {
                let any = group.iter().any(|&it| {
                    found[it as usize] || targets[it as usize].iter().any(|&target| found[target as usize])
                });
                for &it in group {
                    found[it as usize] = any;
                }
            }
            let any_part = |all: &Vec<(Option<TermId>, u32)>| all.iter().any(|it| found[it.1 as usize]);
            parts.of_relation.iter().map(any_part).collect::<Vec<bool>>()
        };
        // A relation whose parts depend on each other is derived with the state, for which that does not matter.
        let is_dynamic = depends(&[known.holds, known.does, known.goal]);
        let is_after_moves = depends(&[known.does]);
        let (state, moves) = (&[known.holds, known.does, known.goal][..], &[known.does][..]);
        for (relation, what, dependent, on) in [
            (known.role, "the state or on moves", &is_dynamic, state),
            (known.init, "the state or on moves", &is_dynamic, state),
            (known.legal, "moves", &is_after_moves, moves),
            (known.goal, "moves", &is_after_moves, moves),
            (known.terminal, "moves", &is_after_moves, moves),
        ] {
            if dependent[relation]
                && let Some((place, between)) = way(sheet, relation, on)
            {
                let by = if between.is_empty() { "" } else { ", as it does by " };
                let reason = format!(
                    "{} must not depend on {what}{by}{}",
                    sheet.relation_text(relation),
                    between.join(" and ")
                );
                return Err(Error::Rules { place, reason });
            }
        }
        let groups = groups.into_iter().map(|group| {
            group.into_iter().flat_map(|it| std::mem::take(&mut rules[it as usize])).collect::<Vec<usize>>()
        });
        let groups = groups.filter(|group| !group.is_empty()).collect();
        Ok(Self { groups, is_dynamic, is_after_moves })
    }
}

/// The rule by which a relation depends `on` one of these, and the relations between, of the shortest way.
fn way<'a>(sheet: &'a Sheet, relation: RelationId, on: &[RelationId]) -> Option<(Place, Vec<&'a str>)> {
    // The rule by which each relation was come to.
    let mut by: Vec<Option<&Rule>> = vec![None; sheet.relations.len()];
    let mut to_do = VecDeque::from([relation]);
    while let Some(from) = to_do.pop_front() {
        for rule in sheet.rules.iter().filter(|rule| rule.head.relation == from) {
            for literal in &rule.body {
                let (Literal::Holds(atom) | Literal::HoldsNot(atom)) = literal else { continue };
                if on.contains(&atom.relation) {
                    let mut between = Vec::new();
                    let mut first = rule;
                    while first.head.relation != relation {
                        between.insert(0, sheet.relation_text(first.head.relation));
                        first = by[first.head.relation]?;
                    }
                    return Some((first.place, between));
                }
                if by[atom.relation].is_none() {
                    by[atom.relation] = Some(rule);
                    to_do.push_back(atom.relation);
                }
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const REST: &str = "(role a) (legal a b) (goal a 1)";

    #[track_caller]
    fn error(text: &str) -> String {
        let sheet = Sheet::read(text).expect("it can be read");
        Strata::of(&sheet).expect_err("it is wrong").to_string()
    }

    #[test]
    fn what_depends_on_its_own_negation_is_refused() {
        let text = format!("{REST} (<= terminal (not p))\n(<= p q) (<= q (not terminal))");
        assert!(error(&text).contains("depends on the negation of"), "{}", error(&text));
        let text = format!("{REST} (<= terminal (not (true x))) (<= (next x) (not (true x)))");
        Strata::of(&Sheet::read(&text).expect("it can be read")).expect("it goes through the state");
    }

    #[test]
    fn a_goal_may_depend_on_the_negation_of_another() {
        let text =
            "(role a) (legal a b) (terminal) (goal a 100) (<= (goal ?p 0) (role ?p) (not (goal ?p 100)))";
        Strata::of(&Sheet::read(text).expect("it can be read")).expect("the goals have an order");
        let text = text.replace("(goal a 100)", "(<= (goal ?p 100) (role ?p) (not (goal ?p 0)))");
        assert!(error(&text).contains("goal depends on the negation of goal"));
    }

    #[test]
    fn what_may_not_depend_on_moves_is_refused() {
        let text = format!("{REST} (<= terminal q) (<= q (true x))\n(<= terminal (does a b))");
        assert_eq!(error(&text), "line 2, column 1: terminal must not depend on moves");
        let text = format!("{REST} (terminal)\n(<= terminal (not p))\n(<= p q) (<= q p)\n(<= q (does a b))");
        let expected = "line 2, column 1: terminal must not depend on moves, as it does by p and q";
        assert_eq!(error(&text), expected);
        let text = format!("{REST} (terminal) (<= (init x) (true y))");
        assert!(error(&text).contains("init must not depend on the state"));
    }

    #[test]
    fn a_game_has_roles_moves_goals_and_an_end() {
        assert!(error(REST).contains("no rule tells the end, such as"), "{}", error(REST));
        assert!(error("(terminal) (legal a b) (goal a 1)").contains("no rule tells a role"));
    }
}

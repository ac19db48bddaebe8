//! Rules with many variables taken apart. A rule is instantiated for all values of its variables together; of those that
//! only few of its conditions have, these make a relation of their own, which tells whether there are values for them.
//!
//! `(<= (total ?t) (guess a ?x) (guess b ?y) (guess c ?z) (sum ?x ?y ?s) (sum ?s ?z ?t))` has instances for all `?x ?y ?z`.
//! After `(<= (total/1 ?s) (guess a ?x) (guess b ?y) (sum ?x ?y ?s))` those for `?x ?y` and for `?s ?z` are left.

use crate::sheet::{Atom, Literal, RelationId, Rule, Sheet};
use crate::terms::Term;

/// A relation that stands for some conditions of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Part {
    body: Vec<Literal>,
    /// The variables that the rest of the rule has, too.
    shared: Vec<usize>,
}

/// What [`smallest`] finds: a part, and the conditions that are left.
type Found = (Part, Vec<Literal>);

/// Whether a rule can be taken apart.
pub(crate) fn can_split(rule: &Rule) -> bool {
    smallest(rule).is_some()
}

/// Takes these rules apart, as far as it goes.
pub(crate) fn split(sheet: &mut Sheet, rules: &[usize]) {
    let mut known: Vec<(Part, RelationId)> = Vec::new();
    for &index in rules {
        let mut rule = sheet.rules[index].clone();
        while let Some((part, mut rest)) = smallest(&rule) {
            let arguments = part.shared.iter().map(|&it| Term::Variable(it)).collect();
            let normal = part.normal();
            let relation = known.iter().find(|it| it.0 == normal).map(|it| it.1);
            let relation = relation.unwrap_or_else(|| {
                // Errors name the relation that it is a part of.
                let (name, _) = sheet.relations[rule.head.relation];
                sheet.relations.push((name, part.shared.len()));
                let relation = sheet.relations.len() - 1;
                known.push((normal, relation));
                let head = Atom { relation, arguments: Vec::clone(&arguments) };
                sheet.rules.push(Rule {
                    place: rule.place,
                    head,
                    body: part.body,
                    variables: rule.variables,
                });
                relation
            });
            rest.push(Literal::Holds(Atom { relation, arguments }));
            rule.body = rest;
        }
        sheet.rules[index] = rule;
    }
}

fn add(found: &mut Vec<usize>, variables: &[usize]) {
    for &it in variables {
        if !found.contains(&it) {
            found.push(it);
        }
    }
}

/// The conditions with the fewest variables that make a part: all that have some variable which the head has not.
fn smallest(rule: &Rule) -> Option<Found> {
    let of: Vec<Vec<usize>> = rule.body.iter().map(Literal::variables).collect();
    let head = rule.head.variables();
    let mut all = head.clone();
    for it in &of {
        add(&mut all, it);
    }
    let mut best: Option<(usize, Found)> = None;
    for &variable in all.iter().filter(|it| !head.contains(it)) {
        let mut is_in: Vec<bool> = of.iter().map(|it| it.contains(&variable)).collect();
        let mut used = Vec::new();
        (0..of.len()).filter(|&it| is_in[it]).for_each(|it| add(&mut used, &of[it]));
        // What negations and comparisons are about has to be told by a condition that is repeated, if by none of these.
        let mut repeated = Vec::new();
        for &it in &used.clone() {
            let tells = |&at: &usize| matches!(rule.body[at], Literal::Holds(_)) && of[at].contains(&it);
            if (0..of.len()).filter(|&at| is_in[at]).any(|at| tells(&at)) || repeated.iter().any(tells) {
                continue;
            }
            let new = |at: &usize| of[*at].iter().filter(|it| !used.contains(it)).count();
            let at = (0..of.len()).filter(tells).min_by_key(new)?;
            repeated.push(at);
            add(&mut used, &of[at]);
        }
        if used.len() >= all.len() || best.as_ref().is_some_and(|it| it.0 <= used.len()) {
            continue;
        }
        for (is_in, variables) in is_in.iter_mut().zip(&of) {
            *is_in |= !variables.is_empty() && variables.iter().all(|it| used.contains(it));
        }
        let mut shared = Vec::new();
        let mut rest = head.clone();
        (0..of.len()).filter(|&it| !is_in[it]).for_each(|it| add(&mut rest, &of[it]));
        add(&mut shared, &used);
        shared.retain(|it| rest.contains(it));
        shared.sort_unstable();
        let of_part = |at: usize| is_in[at] || repeated.contains(&at);
        let body = (0..of.len()).filter(|&at| of_part(at)).map(|at| rule.body[at].clone()).collect();
        let left = (0..of.len()).filter(|&at| !is_in[at]).map(|at| rule.body[at].clone()).collect();
        best = Some((used.len(), (Part { body, shared }, left)));
    }
    best.map(|it| it.1)
}

impl Part {
    /// The same with variables in the order in which they come up, to find equal ones.
    fn normal(&self) -> Self {
        let Self { mut body, mut shared } = self.clone();
        let mut order = Vec::new();
        for literal in &body {
            add(&mut order, &literal.variables());
        }
        let number = |variable: &mut usize| {
            *variable = order.iter().position(|it| it == variable).unwrap_or(*variable);
        };
        for literal in &mut body {
            match literal {
                Literal::Holds(atom) | Literal::HoldsNot(atom) => {
                    atom.arguments.iter_mut().for_each(|it| it.rename(&number));
                }
                Literal::Compared { terms, .. } => terms.iter_mut().for_each(|it| it.rename(&number)),
            }
        }
        shared.iter_mut().for_each(number);
        Self { body, shared }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use super::*;
    use crate::reference::Reference;
    use crate::{Compiled, Limits, compare};

    /// Four guesses up to 40 are added up in one rule.
    fn guesses() -> String {
        let numbers = (1..=40).map(|it| format!("(number {it})"));
        let sums = (1..=120).flat_map(|x| (1..=40).map(move |y| format!("(sum {x} {y} {})", x + y)));
        let roles = "abcd".chars().map(|it| format!("(role {it})"));
        let facts: Vec<String> = numbers.chain(sums).chain(roles).collect();
        facts.concat()
            + "(<= (legal ?r (guess ?n)) (role ?r) (number ?n) (not (true over)))
               (<= (legal ?r wait) (role ?r) (true over))
               (<= (next (guessed ?r ?n)) (does ?r (guess ?n))) (<= (next over) (does a (guess ?n)))
               (<= (total ?t) (true (guessed a ?w)) (true (guessed b ?x)) (sum ?w ?x ?s) (true (guessed c ?y))
                   (sum ?s ?y ?u) (true (guessed d ?z)) (distinct ?z ?u) (sum ?u ?z ?t))
               (<= (goal ?r 100) (role ?r) (total ?t) (not (sum 30 ?n ?t)) (number ?n))
               (<= terminal (true over))"
    }

    #[test]
    fn each_part_has_few_variables() {
        let mut sheet = Sheet::read(&guesses()).expect("it is right");
        let rule = sheet.rules.iter().position(|it| it.variables == 7).expect("the rule of the total");
        let before = sheet.rules.len();
        split(&mut sheet, &[rule]);
        assert!(sheet.rules.len() > before + 1);
        for rule in [rule].into_iter().chain(before..sheet.rules.len()) {
            let mut variables = Vec::new();
            sheet.rules[rule].body.iter().for_each(|it| add(&mut variables, &it.variables()));
            assert!(variables.len() <= 3, "{:?}", sheet.rules[rule]);
        }
    }

    #[test]
    fn rules_that_would_be_too_many_are_taken_apart() {
        let text = guesses();
        let limits = Limits { rules: 100_000, ..Limits::default() };
        let compiled = Compiled::new(&text, limits).expect("few rules are left");
        assert_eq!(compare::compare(&text, &compiled, 2, Duration::from_secs(60), 1), Ok(2));
    }

    /// What is told of the states of a game that plays the last moves by turns.
    fn told(sheet: Sheet) -> Vec<String> {
        let mut rules = Reference::of(sheet, || false).expect("it is right");
        let mut state = rules.initial();
        let mut told = Vec::new();
        for step in 0..6 {
            let view = rules.view(&state).expect("it is small");
            let texts = |rules: &Reference, terms: &[u32]| {
                let mut texts: Vec<String> = terms.iter().map(|&it| rules.text(it)).collect();
                texts.sort();
                texts
            };
            told.push(format!("{:?} {}", texts(&rules, &state), view.is_over));
            let mut moves = Vec::new();
            for (legal, goals) in view.legal.iter().zip(&view.goals) {
                let all = texts(&rules, legal);
                told.push(format!("{all:?} {:?}", texts(&rules, goals)));
                let Some(wanted) = all.get(step * 7 % all.len().max(1)) else { return told };
                moves.extend(legal.iter().copied().find(|&it| rules.text(it) == *wanted));
            }
            if view.is_over {
                break;
            }
            state = rules.next(view, &moves).expect("it is small");
        }
        told
    }

    #[test]
    fn rules_taken_apart_say_the_same() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../rulesheets");
        let mut count = 0;
        for file in fs::read_dir(folder).expect("the folder is there") {
            let path = file.expect("readable").path();
            let text = fs::read_to_string(&path).expect("text");
            let sheet = Sheet::read(&text).expect("it is right");
            let mut taken_apart = sheet.clone();
            let rules: Vec<usize> =
                (0..sheet.rules.len()).filter(|&it| can_split(&sheet.rules[it])).collect();
            count += rules.len();
            split(&mut taken_apart, &rules);
            assert!(!taken_apart.rules.iter().any(can_split), "{path:?}");
            assert_eq!(told(sheet), told(taken_apart), "{path:?}");
        }
        assert!(count > 50, "{count} rules");
    }
}

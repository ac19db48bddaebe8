//! What looks like a slip of the writer: rules that can be read and do nothing, so that the game is not what was meant.
//! Of the published rulesheets few have any.

use std::collections::HashSet;

use quintet_core::Quoted;

use crate::sheet::{Atom, Literal, Sheet};
use crate::terms::{Name, Term};

/// The most that are told.
const MOST: usize = 5;

/// The name and the number of arguments of a term; `None` of a variable.
fn form(sheet: &Sheet, term: &Term) -> Option<(Name, usize)> {
    match term {
        Term::Variable(_) => None,
        Term::Ground(term) => Some((sheet.terms.functor(*term), sheet.terms.arguments(*term).len())),
        Term::Function(name, parts) => Some((*name, parts.len())),
    }
}

/// Conditions that never hold because nothing tells what they ask for, and what is told for nothing, each with its
/// place.
pub(crate) fn slips(sheet: &Sheet) -> Vec<String> {
    let known = sheet.known;
    let heads: HashSet<usize> = sheet.rules.iter().map(|rule| rule.head.relation).collect();
    // The forms of the last argument of some heads; `None` if it may be anything.
    let forms = |relations: [usize; 2]| -> Option<HashSet<(Name, usize)>> {
        let rules = sheet.rules.iter().filter(|rule| relations.contains(&rule.head.relation));
        rules.map(|rule| rule.head.arguments.last().and_then(|it| form(sheet, it))).collect()
    };
    let fluents = forms([known.init, known.next]);
    let moves = forms([known.legal; 2]);
    let shown = |(name, count): (Name, usize)| {
        let name = sheet.names.text(name);
        Quoted(&if count == 0 { name.to_owned() } else { format!("({name}{})", " …".repeat(count)) })
            .to_string()
    };
    let slip = |atom: &Atom| -> Option<String> {
        let last = || atom.arguments.last().and_then(|it| form(sheet, it));
        let is_unknown = |all: &Option<HashSet<(Name, usize)>>, it: &(Name, usize)| {
            all.as_ref().is_some_and(|all| !all.contains(it))
        };
        if atom.relation == known.holds {
            let asked = last().filter(|it| is_unknown(&fluents, it))?;
            return Some(format!("{} is never true: no `init` or `next` has it", shown(asked)));
        }
        if atom.relation == known.does {
            let asked = last().filter(|it| is_unknown(&moves, it))?;
            return Some(format!("{} is never done: no `legal` has it", shown(asked)));
        }
        if heads.contains(&atom.relation) {
            return None;
        }
        let asked = sheet.relations[atom.relation];
        let is_fluent = fluents.as_ref().is_some_and(|it| it.contains(&asked));
        let hint = if is_fluent { "; what is true in the position is asked for with `true`" } else { "" };
        Some(format!("{} never holds: no fact or rule tells it{hint}", shown(asked)))
    };
    let asked: Option<HashSet<(Name, usize)>> = {
        let atoms = sheet.rules.iter().flat_map(|rule| &rule.body).filter_map(|literal| match literal {
            Literal::Holds(atom) | Literal::HoldsNot(atom) if atom.relation == known.holds => Some(atom),
            _ => None,
        });
        atoms.map(|atom| form(sheet, &atom.arguments[0])).collect()
    };
    let mut found: Vec<(String, String)> = Vec::new();
    for rule in &sheet.rules {
        if rule.head.relation == known.next
            && let Some(made) = form(sheet, &rule.head.arguments[0])
            && asked.as_ref().is_some_and(|it| !it.contains(&made))
        {
            let slip = format!("{} becomes true and is never asked for: no `true` has it", shown(made));
            if found.iter().all(|it| it.1 != slip) {
                found.push((rule.place.to_string(), slip));
            }
        }
        for literal in &rule.body {
            if let Literal::Holds(atom) | Literal::HoldsNot(atom) = literal
                && let Some(slip) = slip(atom)
                && found.iter().all(|it| it.1 != slip)
            {
                found.push((rule.place.to_string(), slip));
            }
        }
    }
    found.into_iter().take(MOST).map(|(place, slip)| format!("{place}: {slip}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_that_never_hold_are_told() {
        let rules = "(role a) (init (on a)) (<= (legal ?p (take ?n)) (on ?p) (true (on ?p)) (number ?n))
            (<= (next (no ?p)) (true (onn ?p)))
            (<= terminal (does a (take 1 2)) (not (true (on a b)))) (number 1) (goal a 1)";
        let expected = [
            "line 1, column 24: \"(on …)\" never holds: no fact or rule tells it; what is true in the position is \
             asked for with `true`",
            "line 2, column 13: \"(no …)\" becomes true and is never asked for: no `true` has it",
            "line 2, column 13: \"(onn …)\" is never true: no `init` or `next` has it",
            "line 3, column 13: \"(take … …)\" is never done: no `legal` has it",
            "line 3, column 13: \"(on … …)\" is never true: no `init` or `next` has it",
        ];
        assert_eq!(slips(&Sheet::read(rules).expect("it can be read")), expected);
        // Whatever may be true.
        let rules = rules.replace("(init (on a))", "(<= (init ?x) (number ?x))");
        assert_eq!(slips(&Sheet::read(&rules).expect("it can be read")).len(), 3);
    }
}

//! What looks like a slip of the writer: rules that can be read and do nothing, or games that end for want of a move, so
//! that the game is not what was meant. Of the published rulesheets few have any.

use std::collections::HashSet;

use quintet_core::Quoted;
use quintet_core::game::Role;
use quintet_core::names::nearest;

use crate::kif::Place;
use crate::samples::{MAX_STEPS, Samples};
use crate::sheet::{Atom, Literal, Rule, Sheet};
use crate::terms::{Name, Term, TermId};

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

/// The first argument of a head, if it has no variables.
fn ground(head: &Atom) -> Option<TermId> {
    match head.arguments.first() {
        Some(Term::Ground(term)) => Some(*term),
        _ => None,
    }
}

/// The relation that a condition asks for.
fn relation(literal: &Literal) -> Option<usize> {
    match literal {
        Literal::Holds(atom) | Literal::HoldsNot(atom) => Some(atom.relation),
        Literal::Compared { .. } => None,
    }
}

/// What random games show: that a role had no legal move though `terminal` did not hold, or that `terminal` never held.
pub(crate) fn slip_of_games(samples: &Samples, roles: &[Role]) -> Option<String> {
    let Samples { games, endless, stuck, .. } = samples;
    let all = games + endless;
    let count = stuck.iter().sum::<usize>();
    if count == 0 {
        let is_slip = *games == 0 && all > 0;
        return is_slip.then(|| {
            format!("`terminal` held in none of {all} random games, which had no end in {MAX_STEPS} steps")
        });
    }
    let who: Vec<&str> = roles.iter().zip(stuck).filter(|it| *it.1 > 0).map(|it| &*it.0.name).collect();
    let why = format!("{} had no legal move; a role that waits needs one such as noop", who.join(" or "));
    Some(if *games == count {
        format!("`terminal` held in none of {all} random games: {why}")
    } else {
        format!("{count} of {all} random games ended not by `terminal`: {why}")
    })
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
    let asked_for: HashSet<usize> =
        sheet.rules.iter().flat_map(|rule| &rule.body).filter_map(relation).collect();
    let unused = |rule: &Rule| -> Option<String> {
        let head = rule.head.relation;
        if asked_for.contains(&head) || known.all().contains(&head) {
            return None;
        }
        // What else is told for nothing is mostly a helper that the game has grown out of.
        let told = sheet.relations[head];
        let alike = known.all().into_iter().filter(|it| sheet.relations[*it].1 == told.1);
        let alike: Vec<&str> = alike.map(|it| sheet.relation_text(it)).collect();
        let is_true = asked.as_ref().is_some_and(|it| it.contains(&told));
        let hint = match nearest(sheet.relation_text(head), &alike) {
            _ if is_true && rule.body.is_empty() => {
                "what is true at the start is told with `init`".to_owned()
            }
            _ if is_true => "what becomes true is told with `next`".to_owned(),
            Some(meant) => format!("did you mean `{meant}`?"),
            None => return None,
        };
        Some(format!("{} is told and never asked for: {hint}", shown(told)))
    };
    // `None` if roles are told by rules with variables.
    let roles: Option<HashSet<TermId>> = {
        let rules = sheet.rules.iter().filter(|rule| rule.head.relation == known.role);
        rules.map(|rule| ground(&rule.head)).collect()
    };
    let nobody = |rule: &Rule| -> Option<String> {
        let of = [known.legal, known.goal].into_iter().find(|it| *it == rule.head.relation)?;
        let who = ground(&rule.head).filter(|who| roles.as_ref().is_some_and(|it| !it.contains(who)))?;
        let who = sheet.terms.text(&sheet.names, who);
        Some(format!("`{}` is told for {}, who is no role", sheet.relation_text(of), Quoted(&who)))
    };
    let unasked = |rule: &Rule| -> Option<String> {
        let made = rule.head.arguments.last().filter(|_| rule.head.relation == known.next)?;
        let made = form(sheet, made).filter(|it| asked.as_ref().is_some_and(|all| !all.contains(it)))?;
        Some(format!("{} becomes true and is never asked for: no `true` has it", shown(made)))
    };
    let of_condition = |literal: &Literal| match literal {
        Literal::Holds(atom) | Literal::HoldsNot(atom) => slip(atom),
        Literal::Compared { .. } => None,
    };
    let all = sheet.rules.iter().flat_map(|rule| {
        let of_head = [unused(rule), nobody(rule), unasked(rule)].into_iter().flatten();
        of_head.chain(rule.body.iter().filter_map(&of_condition)).map(|slip| (rule.place, slip))
    });
    let mut found: Vec<(Place, String)> = Vec::new();
    for (place, slip) in all {
        if found.iter().all(|it| it.1 != slip) {
            found.push((place, slip));
        }
        if found.len() == MOST {
            break;
        }
    }
    found.into_iter().map(|(place, slip)| format!("{place}: {slip}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Compiled, Limits};

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

    #[test]
    fn heads_that_nothing_asks_for_and_roles_that_there_are_not_are_told() {
        let rules =
            "(role a) (rolle b) (control a) (legal a wait) (unused 1) (base (control a)) (goal bb 100)
            (<= (next (control ?p)) (true (control ?p)))
            (<= (step ?n) (number ?n)) (number 1)
            (<= terminal (true (step 1)))
            (<= (gaol a 0) (true (control a)))";
        let expected = [
            "line 1, column 10: \"(rolle …)\" is told and never asked for: did you mean `role`?",
            "line 1, column 20: \"(control …)\" is told and never asked for: what is true at the start is told with \
             `init`",
            "line 1, column 77: `goal` is told for \"bb\", who is no role",
            "line 3, column 13: \"(step …)\" is told and never asked for: what becomes true is told with `next`",
            "line 4, column 13: \"(step …)\" is never true: no `init` or `next` has it",
        ];
        assert_eq!(slips(&Sheet::read(rules).expect("it can be read")), expected);
        // The roles may be any.
        let rules = rules.replace("(role a) (rolle b)", "(<= (role ?x) (number ?x))");
        let found = slips(&Sheet::read(&rules).expect("it can be read"));
        assert!(!found.concat().contains("no role"), "{found:?}");
        assert!(
            found[3].ends_with("\"(gaol … …)\" is told and never asked for: did you mean `goal`?"),
            "{found:?}"
        );
    }

    #[test]
    fn no_more_slips_are_looked_for_than_are_told() {
        let asked =
            |rule: usize| (0..1_000).map(|it| format!(" (q{rule}-{it})")).collect::<Vec<_>>().concat();
        let rules = (0..100).map(|it| format!("(<= (next x){})", asked(it))).collect::<Vec<_>>().concat();
        let sheet = Sheet::read(&rules).expect("it can be read");
        assert_eq!(slips(&sheet).len(), MOST);
    }

    #[test]
    fn games_without_an_end_are_told() {
        let told = |terminal: &str, waiting: &str| {
            let rules = format!(
                "(role anna) (role bert) (other anna bert) (other bert anna) (init (on anna)) (init (left 2))
                (<= (legal ?p take) (true (on ?p)) (true (left ?n)) (minus ?n ?m)) (minus 2 1) (minus 1 0)
                {waiting}
                (<= (next (left ?m)) (true (left ?n)) (minus ?n ?m))
                (<= (next (on ?p)) (true (on ?q)) (other ?q ?p))
                (<= terminal {terminal}) (goal anna 50) (goal bert 50)"
            );
            let compiled = Compiled::new(&rules, Limits::default()).expect("it is right");
            compiled.slips().last().cloned().unwrap_or_default()
        };
        let waits = "(<= (legal ?p wait) (other ?p ?q) (true (on ?q)))";
        assert_eq!(told("(true (left 0))", waits), "");
        let stuck = told("(true (left 3))", waits);
        assert!(
            stuck.starts_with("`terminal` held in none of 2000 random games: anna had no legal move; a"),
            "{stuck}"
        );
        let stuck = told("(true (left 0))", "(<= (legal bert wait) (true (on anna)))");
        assert!(stuck.contains(" games: anna had no legal move; a role that waits needs"), "{stuck}");
        assert_eq!(told("(true (left 0))", ""), "the game is over at the start: bert has no legal move");
        let endless = told("(true (left 3))", "(legal anna wait) (legal bert wait)");
        assert!(endless.ends_with(" random games, which had no end in 2000 steps"), "{endless}");
    }
}

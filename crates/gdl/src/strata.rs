//! In which order relations are derived, and what may depend on what.

use crate::Error;
use crate::graph::components;
use crate::sheet::{Literal, RelationId, Sheet};

/// What the relations of a rulesheet depend on.
#[derive(Debug, Clone)]
pub(crate) struct Strata {
    /// The relations with rules in groups that depend on each other, each group after those that it needs.
    pub(crate) groups: Vec<Vec<RelationId>>,
    /// The rules of each relation.
    pub(crate) rules: Vec<Vec<usize>>,
    /// Whether a relation depends on the state.
    pub(crate) is_dynamic: Vec<bool>,
    /// Whether it depends on moves.
    pub(crate) is_after_moves: Vec<bool>,
}

impl Strata {
    pub(crate) fn of(sheet: &Sheet) -> Result<Self, Error> {
        let count = sheet.relations.len();
        let (mut rules, mut targets) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        for (index, rule) in sheet.rules.iter().enumerate() {
            rules[rule.head.relation].push(index);
            for literal in &rule.body {
                if let Literal::Holds(atom) | Literal::HoldsNot(atom) = literal {
                    targets[rule.head.relation].push(atom.relation as u32);
                }
            }
        }
        let known = sheet.known;
        for (relation, what) in [
            (known.role, "a role, such as (role white)"),
            (known.legal, "a legal move, such as (<= (legal ?p pass) (role ?p))"),
            (known.goal, "a goal, such as (goal white 100)"),
            (known.terminal, "the end, such as (<= terminal (true (step 9)))"),
        ] {
            if rules[relation].is_empty() {
                return Err(Error::Missing(what));
            }
        }
        let groups = components(count, |it| &targets[it]);
        let mut group_of = vec![0; count];
        for (number, group) in groups.iter().enumerate() {
            group.iter().for_each(|&it| group_of[it as usize] = number);
        }
        for rule in &sheet.rules {
            for literal in &rule.body {
                if let Literal::HoldsNot(atom) = literal
                    && group_of[atom.relation] == group_of[rule.head.relation]
                {
                    let [head, other] = [rule.head.relation, atom.relation].map(|it| sheet.relation_text(it));
                    let reason =
                        format!("{head} depends on the negation of {other}, which depends on {head}");
                    return Err(Error::Rules { place: rule.place, reason });
                }
            }
        }
        let depends = |on: &[RelationId]| {
            let mut found = vec![false; count];
            on.iter().for_each(|&it| found[it] = true);
            for group in &groups {
                let any = group.iter().any(|&it| {
                    found[it as usize] || targets[it as usize].iter().any(|&target| found[target as usize])
                });
                group.iter().for_each(|&it| found[it as usize] = any);
            }
            found
        };
        let is_dynamic = depends(&[known.holds, known.does]);
        let is_after_moves = depends(&[known.does]);
        for (relation, what, dependent) in [
            (known.role, "the state or on moves", &is_dynamic),
            (known.init, "the state or on moves", &is_dynamic),
            (known.legal, "moves", &is_after_moves),
            (known.goal, "moves", &is_after_moves),
            (known.terminal, "moves", &is_after_moves),
        ] {
            if dependent[relation] {
                let name = sheet.relation_text(relation);
                let reason = format!("{name} must not depend on {what}");
                let place = sheet.rules[rules[relation][0]].place;
                return Err(Error::Rules { place, reason });
            }
        }
        let groups = groups.into_iter().map(|group| {
            let group: Vec<RelationId> = group.into_iter().map(|it| it as usize).collect();
            group
        });
        let groups = groups.filter(|group| group.iter().any(|&it| !rules[it].is_empty())).collect();
        Ok(Self { groups, rules, is_dynamic, is_after_moves })
    }
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
    fn what_may_not_depend_on_moves_is_refused() {
        let text = format!("{REST} \n(<= terminal p) (<= p (does a b))");
        assert_eq!(error(&text), "line 2, column 1: terminal must not depend on moves");
        let text = format!("{REST} (terminal) (<= (init x) (true y))");
        assert!(error(&text).contains("init must not depend on the state"));
    }

    #[test]
    fn a_game_has_roles_moves_goals_and_an_end() {
        assert!(error(REST).contains("no rule tells the end, such as"), "{}", error(REST));
        assert!(error("(terminal) (legal a b) (goal a 1)").contains("no rule tells a role"));
    }
}

//! What can be told of a rulesheet without compiling it: its roles, and which other rulesheets say the same.

use std::collections::{BTreeSet, HashMap};

use sha2::{Digest as _, Sha256};

use crate::Error;
use crate::sheet::{Literal, RelationId, Rule, Sheet};
use crate::strata::Strata;
use crate::terms::Term;

/// The relations that make up a game. Rules that none of them depends on, such as `base` and `input`,
/// change nothing.
const GAME: [&str; 8] = ["role", "init", "legal", "next", "goal", "terminal", "sees", "sees_xml"];

/// The condition that two terms are different.
const DISTINCT: &str = "distinct";
/// The most steps for a fingerprint. The published rulesheets of the games that are known here take up to 10,000, and no
/// other published one more than 43,000.
const MAX_STEPS: usize = 50_000;
/// The bytes of a text that are written in a step.
const BYTES: usize = 64;

/// A rulesheet whose rules have been checked one by one.
#[derive(Debug)]
pub struct Rulesheet(pub(crate) Sheet);

impl Rulesheet {
    /// Reads a rulesheet.
    ///
    /// # Errors
    /// [`Error`], which says what is wrong with a rule.
    pub fn read(text: &str) -> Result<Self, Error> {
        Sheet::read(text).map(Self)
    }

    /// Reads a rulesheet that has at most so many conditions, where each case of an `or` has its own.
    ///
    /// # Errors
    /// [`Error`], which says what is wrong with a rule.
    pub fn read_within(text: &str, conditions: usize) -> Result<Self, Error> {
        Sheet::read_within(text, conditions).map(Self)
    }

    /// Checks that the rules make up a game.
    ///
    /// # Errors
    /// [`Error`], which says what is missing, or which rules contradict each other.
    pub fn check(&self) -> Result<(), Error> {
        Strata::of(&self.0).map(drop)
    }

    /// The roles in lower case, in the order of the rules.
    #[must_use]
    pub fn roles(&self) -> Vec<String> {
        let Sheet { names, terms, rules, known, .. } = &self.0;
        let mut roles = Vec::new();
        let mut new = BTreeSet::new();
        for rule in rules.iter().filter(|it| it.head.relation == known.role && it.body.is_empty()) {
            if let [Term::Ground(role)] = rule.head.arguments[..]
                && new.insert(role)
            {
                roles.push(terms.text(names, role));
            }
        }
        roles
    }

    /// 64 hexadecimal digits, which are equal for rulesheets that say the same. The order of rules and of conditions,
    /// names of variables, and upper and lower case make no difference. `None` if finding it takes too many steps.
    #[must_use]
    pub fn fingerprint(&self) -> Option<String> {
        let sheet = &self.0;
        let is_game = |it: &RelationId| GAME.contains(&sheet.relation_text(*it));
        let game: Vec<RelationId> = (0..sheet.relations.len()).filter(is_game).collect();
        let relevant = sheet.needed_by(&game);
        let mut steps = Steps(MAX_STEPS);
        let mut written = BTreeSet::new();
        for rule in sheet.rules.iter().filter(|rule| relevant[rule.head.relation]) {
            written.insert(canonical(sheet, rule, &mut steps)?);
        }
        let mut hash = Sha256::new();
        for rule in &written {
            hash.update(rule);
            hash.update("\n");
        }
        Some(digits(hash))
    }
}

/// 64 hexadecimal digits that are equal for equal texts.
pub(crate) fn hash_of(text: &str) -> String {
    let mut hash = Sha256::new();
    hash.update(text);
    digits(hash)
}

fn digits(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
}

/// What a fingerprint may still take.
struct Steps(usize);

impl Steps {
    /// Takes a step, and those that writing this text takes.
    fn take(&mut self, text: &str) -> Option<()> {
        self.0 = self.0.checked_sub(1 + text.len() / BYTES)?;
        Some(())
    }
}

/// The head or a condition of a rule.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Part<'a> {
    /// Empty for the head, `+` for a condition that has to hold, `-` for one that has not to hold.
    sign: &'static str,
    name: &'a str,
    terms: &'a [Term],
}

/// The form of a rule that all rules have that say the same with other names of variables and another order of
/// conditions.
fn canonical(sheet: &Sheet, rule: &Rule, steps: &mut Steps) -> Option<String> {
    let mut parts =
        vec![Part { sign: "", name: sheet.relation_text(rule.head.relation), terms: &rule.head.arguments }];
    for literal in &rule.body {
        let (holds, name, terms) = match literal {
            Literal::Holds(atom) => (true, sheet.relation_text(atom.relation), &atom.arguments[..]),
            Literal::HoldsNot(atom) => (false, sheet.relation_text(atom.relation), &atom.arguments[..]),
            Literal::Compared { are_same, terms } => (!are_same, DISTINCT, &terms[..]),
        };
        let part = Part { sign: if holds { "+" } else { "-" }, name, terms };
        if !parts[1..].contains(&part) {
            parts.push(part);
        }
    }
    // An `or` may have variables that this case of it lacks.
    let mut variables = vec![Vec::new(); rule.variables];
    for (index, part) in parts.iter().enumerate() {
        let mut found = Vec::new();
        part.terms.iter().for_each(|it| it.add_variables(&mut found));
        for variable in found {
            variables[variable].push(index);
        }
    }
    let mut numbers = vec![0; rule.variables];
    let mut parts_of = Vec::new();
    for (number, parts) in numbers.iter_mut().zip(variables).filter(|it| !it.1.is_empty()) {
        *number = parts_of.len();
        parts_of.push(parts);
    }
    let colors = vec![0; parts_of.len()];
    Writer { sheet, parts, numbers, parts_of, steps }.least(colors)
}

/// Writes a rule in a form that depends on its meaning alone.
struct Writer<'a> {
    sheet: &'a Sheet,
    /// The head first.
    parts: Vec<Part<'a>>,
    /// The numbers of the variables.
    numbers: Vec<usize>,
    /// The parts with each variable.
    parts_of: Vec<Vec<usize>>,
    steps: &'a mut Steps,
}

impl Writer<'_> {
    /// Distinguishes variables by how the rule uses them. `colors` says which ones are distinguished
    /// already: the first ones have the smallest number. Where several can't be distinguished, each of
    /// them is tried as the first, and the least form counts.
    fn least(&mut self, colors: Vec<usize>) -> Option<String> {
        let colors = self.refined(colors)?;
        let mut count = vec![0; colors.len()];
        for &color in &colors {
            count[color] += 1;
        }
        let Some(shared) = count.iter().position(|&variables| variables > 1) else {
            return self.written(&colors);
        };
        let mut least: Option<String> = None;
        for first in (0..colors.len()).filter(|&variable| colors[variable] == shared) {
            let tried = (0..colors.len()).map(|it| 2 * colors[it] + usize::from(it != first)).collect();
            let form = self.least(tried)?;
            if least.as_ref().is_none_or(|it| form < *it) {
                least = Some(form);
            }
        }
        least
    }

    /// Refines colors until the rule uses variables of the same color alike. The colors are numbered from
    /// 0.
    fn refined(&mut self, mut colors: Vec<usize>) -> Option<Vec<usize>> {
        let mut count = 0;
        loop {
            let mut views = Vec::new();
            for variable in 0..self.parts_of.len() {
                let parts = 0..self.parts_of[variable].len();
                let view = parts.map(|it| self.part(self.parts_of[variable][it], &colors, Some(variable)));
                let mut view = view.collect::<Option<Vec<String>>>()?;
                view.sort_unstable();
                views.push((colors[variable], view));
            }
            let all: BTreeSet<_> = views.iter().collect();
            let number: HashMap<_, usize> = all.iter().copied().zip(0..).collect();
            colors = views.iter().map(|view| number[view]).collect();
            if all.len() == count {
                return Some(colors);
            }
            count = all.len();
        }
    }

    /// The rule with the head first and the conditions sorted.
    fn written(&mut self, colors: &[usize]) -> Option<String> {
        let texts = (0..self.parts.len()).map(|it| self.part(it, colors, None));
        let mut texts = texts.collect::<Option<Vec<String>>>()?;
        texts[1..].sort_unstable();
        Some(texts.join(" "))
    }

    /// Writes a part with colors instead of variables, and a star for the variable that is looked at. The terms of
    /// `distinct` have no order.
    fn part(&mut self, part: usize, colors: &[usize], marked: Option<usize>) -> Option<String> {
        let Part { sign, name, terms } = self.parts[part];
        let mut texts = self.texts(terms, colors, marked)?;
        if name == DISTINCT {
            texts.sort_unstable();
        }
        let text = self.list(name, &texts)?;
        Some(format!("{sign}{text}"))
    }

    fn list(&mut self, name: &str, texts: &[String]) -> Option<String> {
        self.steps.take(name)?;
        Some(if texts.is_empty() { name.to_owned() } else { format!("({name} {})", texts.join(" ")) })
    }

    fn texts(&mut self, terms: &[Term], colors: &[usize], marked: Option<usize>) -> Option<Vec<String>> {
        let mut texts = Vec::with_capacity(terms.len());
        for term in terms {
            let text = match term {
                Term::Variable(variable) if marked == Some(self.numbers[*variable]) => "?*".to_owned(),
                Term::Variable(variable) => format!("?{}", colors[self.numbers[*variable]]),
                Term::Ground(term) => self.sheet.terms.text(&self.sheet.names, *term),
                Term::Function(functor, terms) => {
                    let texts = self.texts(terms, colors, marked)?;
                    self.list(self.sheet.names.text(*functor), &texts)?
                }
            };
            self.steps.take(&text)?;
            texts.push(text);
        }
        Some(texts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kif::Kif;

    /// A game of taking one or two of five sticks.
    const STICKS: &str = "
        (role left) (role right)
        (init (heap 5)) (init (turn left))
        (<= (legal ?p (take ?n)) (true (turn ?p)) (true (heap ?h)) (number ?n) (less ?n ?h ?rest))
        (<= (legal ?p noop) (role ?p) (not (true (turn ?p))))
        (<= (next (heap ?rest)) (does ?p (take ?n)) (true (heap ?h)) (less ?n ?h ?rest))
        (<= (next (turn ?q)) (role ?q) (true (turn ?p)) (distinct ?p ?q))
        (<= terminal (true (heap 0)))
        (<= (goal ?p 100) (role ?p) (true (turn ?q)) (distinct ?p ?q) (or (true (heap 0)) lost))
        (<= (goal ?p 0) (true (turn ?p)))
        (number 1) (number 2)
        (less 1 5 4) (less 1 4 3) (less 1 3 2) (less 1 2 1) (less 1 1 0)
        (less 2 5 3) (less 2 4 2) (less 2 3 1) (less 2 2 0)";

    fn roles(text: &str) -> Vec<String> {
        Rulesheet::read(text).expect("it is right").roles()
    }

    fn fingerprint(text: &str) -> Option<String> {
        Rulesheet::read(text).expect("it is right").fingerprint()
    }

    #[track_caller]
    fn says_the_same(text: &str) {
        assert_eq!(fingerprint(text), fingerprint(STICKS), "{text}");
    }

    #[track_caller]
    fn says_something_else(from: &str, to: &str) {
        let text = STICKS.replacen(from, to, 1);
        assert_ne!(text, STICKS, "{from}");
        assert_ne!(fingerprint(&text), fingerprint(STICKS), "{to}");
    }

    #[test]
    fn the_form_of_a_rulesheet_makes_no_difference() {
        says_the_same(&STICKS.to_uppercase());
        says_the_same(&STICKS.replace(") (", ")\t; ( a comment\r\n  ("));
        says_the_same(&STICKS.replace("?p", "?somebody").replace("?h", "?p").replace("?rest", "?h"));
        says_the_same(&STICKS.replace("(distinct ?p ?q)", "(distinct ?q ?p)"));
        says_the_same(&STICKS.replace("(or (true (heap 0)) lost)", "(or (lost) (true (heap 0)) lost)"));
        says_the_same(
            &STICKS.replace("(not (true (turn ?p)))", "(not (or (true (turn ?p)) (true (turn ?p))))"),
        );
        says_the_same(&STICKS.replace("(role left) (role right)", "(role right) (role left)"));
        says_the_same(&STICKS.replace("(number 1)", "(<= (number 1)) (number 1)"));
        says_the_same(&format!("{STICKS} (base (heap 7)) (<= (input ?p (take ?n)) (role ?p) (number ?n))"));
        let split = "(<= (goal ?a 100) (true (heap 0)) (distinct ?a ?b) (role ?a) (true (turn ?b)))
                     (<= (goal ?b 100) lost (distinct ?a ?b) (true (turn ?a)) (role ?b))";
        let whole =
            "(<= (goal ?p 100) (role ?p) (true (turn ?q)) (distinct ?p ?q) (or (true (heap 0)) lost))";
        assert!(STICKS.contains(whole));
        says_the_same(&STICKS.replace(whole, split));
    }

    #[test]
    fn only_the_condition_distinct_has_terms_in_any_order() {
        let with_move = |mv: &str| STICKS.replace("(take ?n)", mv);
        let [one, other] =
            ["(distinct ?n (of 7))", "(distinct (of 7) ?n)"].map(|mv| fingerprint(&with_move(mv)));
        assert_ne!(one, other);
    }

    #[test]
    fn rules_and_conditions_come_in_any_order() {
        let mut rules = Kif::parse_all(STICKS).expect("it can be parsed");
        let of_all = fingerprint(STICKS);
        for turn in 0..rules.len() {
            rules.rotate_left(1);
            let swapped = turn % rules.len();
            rules.swap(0, swapped);
            for rule in &mut rules {
                if let Kif::List(list) = rule
                    && list[0].is("<=")
                {
                    list[2..].rotate_left(1);
                    list[2..].reverse();
                }
            }
            let text: Vec<String> = rules.iter().map(ToString::to_string).collect();
            assert_eq!(fingerprint(&text.concat()), of_all);
        }
    }

    #[test]
    fn what_changes_the_game_changes_the_fingerprint() {
        for (from, to) in [
            ("(init (heap 5))", "(init (heap 4))"),
            ("(init (turn left))", "(init (turn right))"),
            ("(not (true (turn ?p)))", "(true (turn ?p))"),
            ("(less 2 2 0)", ""),
            ("(less 2 2 0)", "(less 2 2 0) (less 2 1 0)"),
            ("(number 2)", "(number 2) (number 3)"),
            ("(less ?n ?h ?rest)", "(less ?h ?n ?rest)"),
            ("(goal ?p 0) (true (turn ?p))", "(goal ?p 1) (true (turn ?p))"),
            ("(true (turn ?p)) (distinct ?p ?q)", "(true (turn ?p))"),
            ("(or (true (heap 0)) lost)", "(true (heap 0)) lost"),
            ("(role right)", "(role right) (role third)"),
            ("noop", "pass"),
            ("terminal (true (heap 0))", "terminal (true (heap 0)) (true (turn left))"),
        ] {
            says_something_else(from, to);
        }
        says_something_else("(number 1)", "(<= (sees ?p ?p) (role ?p)) (number 1)");
    }

    #[test]
    fn roles_are_in_the_order_of_the_rules() {
        assert_eq!(roles(STICKS), ["left", "right"]);
        assert_eq!(roles("(ROLE b) (role a) (role B)"), ["b", "a"]);
        let many: Vec<String> = (0..10_000).map(|it| format!("(role r{it})")).collect();
        assert_eq!(roles(&many.concat()).len(), 10_000);
    }

    #[test]
    fn variables_that_look_alike_are_told_apart() {
        let cycle = |edges: &[[u8; 2]]| {
            let edges: Vec<String> = edges.iter().map(|[a, b]| format!("(edge ?{a} ?{b})")).collect();
            fingerprint(&format!("(<= terminal {})", edges.concat()))
        };
        let six = cycle(&[[1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 1]]);
        assert_eq!(six, cycle(&[[3, 5], [1, 3], [5, 2], [2, 6], [4, 1], [6, 4]]));
        assert_ne!(six, cycle(&[[1, 2], [2, 3], [3, 1], [4, 5], [5, 6], [6, 4]]));
    }

    #[test]
    fn rules_that_would_take_too_long_have_no_fingerprint() {
        let same: Vec<String> = (0..40).map(|it| format!("(even ?{it})")).collect();
        assert_eq!(fingerprint(&format!("(<= terminal {})", same.concat())), None);
        let or = "(or a b)".repeat(7);
        let rules: Vec<String> = (0..100).map(|it| format!("(<= (next {it}) {or})")).collect();
        assert_eq!(fingerprint(&rules.concat()), None);
        // A symbol that is written once for each case.
        assert_eq!(fingerprint(&format!("(<= terminal {or} {})", "x".repeat(100_000))), None);
    }

    #[test]
    fn rules_that_make_up_no_game_are_told() {
        let check =
            |text: &str| Rulesheet::read(text).expect("rules").check().map_err(|error| error.to_string());
        assert_eq!(check(STICKS), Ok(()));
        assert!(check("(role a)").expect_err("a role alone").contains("no rule tells a legal move"));
    }
}

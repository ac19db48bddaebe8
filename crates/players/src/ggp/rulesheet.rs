//! The meaning of a rulesheet, whatever the order of its rules.

use std::collections::{BTreeSet, HashMap, HashSet};

use quintet_core::Quoted;
use sha2::{Digest as _, Sha256};

use quintet_gdl::kif::Kif;

/// The relations that make up a game. Rules that none of them depends on, such as `base` and `input`,
/// change nothing.
const GAME: [&str; 8] = ["role", "init", "legal", "next", "goal", "terminal", "sees", "sees_xml"];

/// The most cases of a rule that `or` distinguishes.
const MAX_CASES: usize = 256;
/// The most variables of a rule.
const MAX_VARIABLES: usize = 100;
/// The most conditions of a rule.
const MAX_CONDITIONS: usize = 500;
/// The most steps for a rulesheet. The published ones of the games here take up to 10,000, and no other
/// published one more than 43,000.
const MAX_STEPS: usize = 50_000;
/// The bytes of a symbol that are written in a step.
const BYTES: usize = 64;

/// What reading a rulesheet may still take.
struct StepLimit<'a> {
    steps: usize,
    /// Whether nobody waits for it any more.
    is_over: &'a dyn Fn() -> bool,
}

impl StepLimit<'_> {
    /// Takes steps: conditions of cases, and symbols and lists that are written.
    fn take(&mut self, steps: usize) -> Result<(), String> {
        if (self.is_over)() {
            return Err("nobody waits for the answer".to_owned());
        }
        self.steps = self.steps.checked_sub(steps).ok_or("the rules are too long or too much alike")?;
        Ok(())
    }
}

/// A rulesheet that can be compared with others.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Rulesheet {
    /// The roles in lower case, in the order in which moves are told.
    pub(super) roles: Vec<String>,
    /// 64 hexadecimal digits, which are equal for rulesheets that say the same. The order of rules and
    /// of conditions, names of variables, and upper and lower case make no difference.
    pub(super) fingerprint: String,
}

impl Rulesheet {
    /// Reads rules. Gives up once `is_over` says that nobody waits for them any more.
    pub(super) fn new(sheet: &[Kif], is_over: &dyn Fn() -> bool) -> Result<Self, String> {
        let sheet: Vec<Kif> = sheet.iter().map(Kif::normal).collect();
        let mut limit = StepLimit { steps: MAX_STEPS, is_over };
        let mut all = Vec::new();
        let (mut roles, mut known) = (Vec::new(), HashSet::new());
        for rule in &sheet {
            if let Kif::List(list) = rule
                && let [relation, Kif::Symbol(role)] = &**list
                && relation.is("role")
                && known.insert(role)
            {
                roles.push(role.clone());
            }
            all.extend(cases(rule, &mut limit)?);
        }
        let mut written = BTreeSet::new();
        for rule in relevant(&all) {
            written.insert(canonical(rule, &mut limit)?);
        }
        let mut hash = Sha256::new();
        for rule in &written {
            hash.update(rule);
            hash.update("\n");
        }
        let bytes: Vec<String> = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        let fingerprint = bytes.concat();
        Ok(Self { roles, fingerprint })
    }
}

/// A rule without `or`: what follows if all conditions hold.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule<'a> {
    head: &'a Kif,
    conditions: Conditions<'a>,
}

/// Each condition, and whether it has to hold or not to hold.
type Conditions<'a> = Vec<(bool, &'a Kif)>;

/// The relation of a sentence.
fn relation(sentence: &Kif) -> Option<&str> {
    match sentence {
        Kif::Symbol(symbol) => Some(symbol),
        Kif::List(list) => list.first()?.symbol(),
    }
}

/// Takes a rule in lower case apart into rules without `or`.
fn cases<'a>(rule: &'a Kif, limit: &mut StepLimit<'_>) -> Result<Vec<Rule<'a>>, String> {
    let (head, body) = match rule {
        Kif::List(list) if list.first().is_some_and(|it| it.is("<=")) => match &list[1..] {
            [head, body @ ..] => (head, body),
            [] => return Err("a rule has no head".to_owned()),
        },
        // A list of one symbol is that symbol.
        arrow if arrow.is("<=") => return Err("a rule has no head".to_owned()),
        fact => (fact, &[][..]),
    };
    if relation(head).is_none() {
        return Err(format!("{} is not a rule", Quoted(&head.to_string())));
    }
    let rules = all_of(body, true, limit)?.into_iter();
    Ok(rules.map(|conditions| Rule { head, conditions }).collect())
}

/// The cases in which a condition holds, or does not hold.
fn cases_of<'a>(
    condition: &'a Kif,
    holds: bool,
    limit: &mut StepLimit<'_>,
) -> Result<Vec<Conditions<'a>>, String> {
    if let Kif::List(list) = condition
        && let Some((first, parts)) = list.split_first()
    {
        match first.symbol() {
            Some("not") if parts.len() == 1 => return cases_of(&parts[0], !holds, limit),
            Some("or") if holds => return any_of(parts, holds, limit),
            Some("or") => return all_of(parts, holds, limit),
            Some("and") if holds => return all_of(parts, holds, limit),
            Some("and") => return any_of(parts, holds, limit),
            _ => {}
        }
    }
    Ok(vec![vec![(holds, condition)]])
}

fn any_of<'a>(
    conditions: &'a [Kif],
    hold: bool,
    limit: &mut StepLimit<'_>,
) -> Result<Vec<Conditions<'a>>, String> {
    let mut all = Vec::new();
    for condition in conditions {
        all.extend(cases_of(condition, hold, limit)?);
        check_cases(all.len())?;
    }
    Ok(all)
}

fn all_of<'a>(
    conditions: &'a [Kif],
    hold: bool,
    limit: &mut StepLimit<'_>,
) -> Result<Vec<Conditions<'a>>, String> {
    let mut all = vec![Vec::new()];
    for condition in conditions {
        let more = cases_of(condition, hold, limit)?;
        check_cases(all.len() * more.len())?;
        if let [only] = &more[..] {
            limit.take(all.len() * only.len())?;
            for case in &mut all {
                case.extend(only);
            }
        } else {
            limit.take(all.iter().map(|case| more.len() * (case.len() + 1)).sum())?;
            all = all.iter().flat_map(|case| more.iter().map(|it| [&case[..], it].concat())).collect();
        }
        if all.iter().any(|case| case.len() > MAX_CONDITIONS) {
            return Err(format!("a rule has more than {MAX_CONDITIONS} conditions"));
        }
    }
    Ok(all)
}

fn check_cases(count: usize) -> Result<(), String> {
    if count > MAX_CASES { Err(format!("a rule has more than {MAX_CASES} cases")) } else { Ok(()) }
}

/// The rules that the game depends on.
fn relevant<'a>(rules: &'a [Rule<'a>]) -> Vec<&'a Rule<'a>> {
    let mut of_relation: HashMap<&str, Vec<&Rule<'_>>> = HashMap::new();
    for rule in rules {
        if let Some(name) = relation(rule.head) {
            of_relation.entry(name).or_default().push(rule);
        }
    }
    let mut found = Vec::new();
    let (mut to_do, mut done) = (GAME.to_vec(), HashSet::from(GAME));
    while let Some(name) = to_do.pop() {
        for rule in of_relation.remove(name).unwrap_or_default() {
            let needed = rule.conditions.iter().filter_map(|(_, condition)| relation(condition));
            to_do.extend(needed.filter(|it| done.insert(it)));
            found.push(rule);
        }
    }
    found
}

/// A term whose variables are numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Term<'a> {
    Variable(usize),
    Symbol(&'a str),
    List(Vec<Term<'a>>),
}

impl<'a> Term<'a> {
    fn new(kif: &'a Kif, variables: &mut HashMap<&'a str, usize>) -> Self {
        match kif {
            Kif::Symbol(name) if name.starts_with('?') => {
                let next = variables.len();
                Self::Variable(*variables.entry(name).or_insert(next))
            }
            Kif::Symbol(symbol) => Self::Symbol(symbol),
            Kif::List(list) => Self::List(list.iter().map(|it| Self::new(it, variables)).collect()),
        }
    }

    fn add_variables(&self, found: &mut BTreeSet<usize>) {
        match self {
            Self::Variable(variable) => _ = found.insert(*variable),
            Self::Symbol(_) => {}
            Self::List(list) => list.iter().for_each(|it| it.add_variables(found)),
        }
    }

    /// Writes it with colors instead of variables, and a star for the variable that is looked at. The terms of
    /// `distinct` have no order.
    fn written(
        &self,
        colors: &[usize],
        marked: Option<usize>,
        limit: &mut StepLimit<'_>,
    ) -> Result<String, String> {
        limit.take(1)?;
        Ok(match self {
            Self::Variable(variable) if marked == Some(*variable) => "?*".to_owned(),
            Self::Variable(variable) => format!("?{}", colors[*variable]),
            Self::Symbol(symbol) => {
                limit.take(symbol.len() / BYTES)?;
                (*symbol).to_owned()
            }
            Self::List(list) => {
                let parts = list.iter().map(|it| it.written(colors, marked, limit));
                let mut parts = parts.collect::<Result<Vec<String>, String>>()?;
                if list.first() == Some(&Term::Symbol("distinct")) {
                    parts[1..].sort_unstable();
                }
                format!("({})", parts.join(" "))
            }
        })
    }
}

/// The head or a condition of a rule, and before it what it is: empty for the head, `+` for a condition that
/// has to hold, `-` for one that has not to hold.
type Part<'a> = (&'static str, Term<'a>);

/// The form of a rule that all rules have that say the same with other names of variables and another
/// order of conditions.
fn canonical(rule: &Rule<'_>, limit: &mut StepLimit<'_>) -> Result<String, String> {
    let mut names = HashMap::new();
    let mut parts = vec![("", Term::new(rule.head, &mut names))];
    let mut known = HashSet::new();
    for &(holds, condition) in rule.conditions.iter().filter(|it| known.insert(**it)) {
        parts.push((if holds { "+" } else { "-" }, Term::new(condition, &mut names)));
    }
    if names.len() > MAX_VARIABLES {
        return Err(format!("a rule has more than {MAX_VARIABLES} variables"));
    }
    let mut parts_of = vec![Vec::new(); names.len()];
    for (index, (_, term)) in parts.iter().enumerate() {
        let mut variables = BTreeSet::new();
        term.add_variables(&mut variables);
        for variable in variables {
            parts_of[variable].push(index);
        }
    }
    let colors = vec![0; names.len()];
    Writer { parts, parts_of, limit }.least(colors)
}

/// Writes a rule in a form that depends on its meaning alone.
struct Writer<'a, 'b> {
    /// The head first.
    parts: Vec<Part<'a>>,
    /// The parts with each variable.
    parts_of: Vec<Vec<usize>>,
    limit: &'a mut StepLimit<'b>,
}

impl Writer<'_, '_> {
    /// Distinguishes variables by how the rule uses them. `colors` says which ones are distinguished
    /// already: the first ones have the smallest number. Where several can't be distinguished, each of
    /// them is tried as the first, and the least form counts.
    fn least(&mut self, colors: Vec<usize>) -> Result<String, String> {
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
        least.ok_or_else(|| "a rule has no variables".to_owned())
    }

    /// Refines colors until the rule uses variables of the same color alike. The colors are numbered from
    /// 0.
    fn refined(&mut self, mut colors: Vec<usize>) -> Result<Vec<usize>, String> {
        let mut count = 0;
        loop {
            let mut views = Vec::new();
            for (variable, parts) in self.parts_of.iter().enumerate() {
                let mut view = Vec::new();
                for part in parts.iter().map(|&index| &self.parts[index]) {
                    view.push(part_written(part, &colors, Some(variable), self.limit)?);
                }
                view.sort_unstable();
                views.push((colors[variable], view));
            }
            let all: BTreeSet<_> = views.iter().collect();
            let number: HashMap<_, usize> = all.iter().copied().zip(0..).collect();
            colors = views.iter().map(|view| number[view]).collect();
            if all.len() == count {
                return Ok(colors);
            }
            count = all.len();
        }
    }

    /// The rule with the head first and the conditions sorted.
    fn written(&mut self, colors: &[usize]) -> Result<String, String> {
        let texts: Result<Vec<String>, String> =
            self.parts.iter().map(|part| part_written(part, colors, None, self.limit)).collect();
        let mut texts = texts?;
        texts[1..].sort_unstable();
        Ok(texts.join(" "))
    }
}

/// Writes a part as its [term](Term::written) is written.
fn part_written(
    (sign, term): &Part<'_>,
    colors: &[usize],
    marked: Option<usize>,
    limit: &mut StepLimit<'_>,
) -> Result<String, String> {
    Ok(format!("{sign}{}", term.written(colors, marked, limit)?))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

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

    fn sheet(text: &str) -> Rulesheet {
        Rulesheet::new(&Kif::parse_all(text).expect("it can be parsed"), &|| false).expect("it is right")
    }

    #[track_caller]
    fn says_the_same(text: &str) {
        assert_eq!(sheet(text).fingerprint, sheet(STICKS).fingerprint, "{text}");
    }

    #[track_caller]
    fn says_something_else(from: &str, to: &str) {
        let text = STICKS.replacen(from, to, 1);
        assert_ne!(text, STICKS, "{from}");
        assert_ne!(sheet(&text).fingerprint, sheet(STICKS).fingerprint, "{to}");
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
    fn rules_and_conditions_come_in_any_order() {
        let mut rules = Kif::parse_all(STICKS).expect("it can be parsed");
        let fingerprint = sheet(STICKS).fingerprint;
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
            assert_eq!(Rulesheet::new(&rules, &|| false).expect("it is right").fingerprint, fingerprint);
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
            ("(goal ?p 0) (true (turn ?p))", "(goal ?p 0) (true (turn ?q))"),
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
        assert_eq!(sheet(STICKS).roles, ["left", "right"]);
        assert_eq!(sheet("(ROLE b) (role a) (role B)").roles, ["b", "a"]);
        let many: Vec<String> = (0..10_000).map(|it| format!("(role r{it})")).collect();
        assert_eq!(sheet(&many.concat()).roles.len(), 10_000);
    }

    #[test]
    fn variables_that_look_alike_are_told_apart() {
        let cycle = |edges: &[[u8; 2]]| {
            let edges: Vec<String> = edges.iter().map(|[a, b]| format!("(edge ?{a} ?{b})")).collect();
            sheet(&format!("(<= terminal {})", edges.concat())).fingerprint
        };
        let six = cycle(&[[1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 1]]);
        assert_eq!(six, cycle(&[[3, 5], [1, 3], [5, 2], [2, 6], [4, 1], [6, 4]]));
        assert_ne!(six, cycle(&[[1, 2], [2, 3], [3, 1], [4, 5], [5, 6], [6, 4]]));
    }

    #[test]
    fn rules_that_would_take_too_long_are_refused() {
        let error = |text: &str| {
            Rulesheet::new(&Kif::parse_all(text).expect("it can be parsed"), &|| false).expect_err("too long")
        };
        let same: Vec<String> = (0..40).map(|it| format!("(even ?{it})")).collect();
        assert!(error(&format!("(<= terminal {})", same.concat())).contains("too much alike"));
        let or = "(or a b c d)".repeat(5);
        assert!(error(&format!("(<= terminal {or})")).contains("more than 256 cases"));
        let long = format!("(<= terminal {})", "a ".repeat(300_000));
        assert!(error(&long).contains("more than 500 conditions"));
        let or = "(or a b)".repeat(8);
        let many = |body: &str, rules| {
            let rules: Vec<String> = (0..rules).map(|it| format!("(<= (next {it}) {body})")).collect();
            rules.concat()
        };
        assert!(error(&many(&or, 100)).contains("too long"));
        // Cases that come to nothing, and a symbol that is written once for each case.
        assert!(error(&many(&format!("{or}(or)"), 1000)).contains("too long"));
        assert!(error(&many(&format!("{or} {}", "x".repeat(100_000)), 1)).contains("too long"));
        assert!(error("(<=)").contains("no head"));
        assert!(error("((a c) b)").contains("\"((a c) b)\" is not a rule"));
        assert!(error("()").contains("is not a rule"));
    }

    #[test]
    fn reading_ends_when_nobody_waits_for_it() {
        let rules = Kif::parse_all(STICKS).expect("it can be parsed");
        let looks = Cell::new(0);
        let is_over = || looks.replace(looks.get() + 1) == 100;
        let error = Rulesheet::new(&rules, &is_over).expect_err("it was stopped");
        assert_eq!((&*error, looks.get()), ("nobody waits for the answer", 101));
    }
}

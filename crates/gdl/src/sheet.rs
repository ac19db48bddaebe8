//! A rulesheet as rules without `or`, checked one by one.

use std::collections::HashMap;

use quintet_core::{Quoted, is_deceptive};

use crate::Error;
use crate::kif::{Place, read_with};
use crate::limits::MAX_DEPTH;
use crate::terms::{Name, Names, Term, TermId, Terms};

/// The most cases of a rule that `or` distinguishes.
const MAX_CASES: usize = 1_000;
/// The most cases of all rules together.
const MAX_ALL_CASES: usize = 50_000;
/// The most conditions of all cases together.
const MAX_CONDITIONS: usize = 500_000;
/// The most conditions of a case.
const MAX_LENGTH: usize = 1_000;
/// The most variables of a rule.
const MAX_VARIABLES: usize = 100;

/// The number of a relation: a name with a number of arguments.
pub(crate) type RelationId = usize;

/// The relations that rules give a meaning to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Known {
    pub(crate) role: RelationId,
    pub(crate) init: RelationId,
    pub(crate) holds: RelationId,
    pub(crate) does: RelationId,
    pub(crate) legal: RelationId,
    pub(crate) next: RelationId,
    pub(crate) goal: RelationId,
    pub(crate) terminal: RelationId,
}

impl Known {
    pub(crate) fn all(self) -> [RelationId; 8] {
        let Self { role, init, holds, does, legal, next, goal, terminal } = self;
        [role, init, holds, does, legal, next, goal, terminal]
    }
}

/// The names of [`Known`], each with its number of arguments.
const KNOWN: [(&str, usize); 8] = [
    ("role", 1),
    ("init", 1),
    ("true", 1),
    ("does", 2),
    ("legal", 2),
    ("next", 1),
    ("goal", 2),
    ("terminal", 0),
];

/// A sentence that may have variables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Atom {
    pub(crate) relation: RelationId,
    pub(crate) arguments: Vec<Term>,
}

impl Atom {
    pub(crate) fn variables(&self) -> Vec<usize> {
        let mut found = Vec::new();
        for it in &self.arguments {
            it.add_variables(&mut found);
        }
        found
    }
}

/// A condition of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Literal {
    Holds(Atom),
    HoldsNot(Atom),
    /// Whether two terms are the same or, the usual case, not.
    Compared {
        are_same: bool,
        terms: [Term; 2],
    },
}

impl Literal {
    pub(crate) fn variables(&self) -> Vec<usize> {
        match self {
            Self::Holds(atom) | Self::HoldsNot(atom) => atom.variables(),
            Self::Compared { terms, .. } => {
                let mut found = Vec::new();
                for it in terms {
                    it.add_variables(&mut found);
                }
                found
            }
        }
    }
}

/// What follows if all conditions hold.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    pub(crate) place: Place,
    pub(crate) head: Atom,
    pub(crate) body: Vec<Literal>,
    /// The number of variables.
    pub(crate) variables: usize,
}

impl Rule {
    /// Checks that what it tells is nested no deeper than it may be.
    pub(crate) fn check_depth(&self, terms: &Terms, told: &[TermId]) -> Result<(), Error> {
        if told.iter().all(|&it| terms.depth(it) <= MAX_DEPTH) {
            return Ok(());
        }
        let reason = format!("the rule makes terms that are nested more than {MAX_DEPTH} deep");
        Err(Error::Rules { place: self.place, reason })
    }
}

/// A rulesheet.
#[derive(Debug, Clone)]
pub(crate) struct Sheet {
    pub(crate) names: Names,
    pub(crate) terms: Terms,
    pub(crate) rules: Vec<Rule>,
    /// The name and the number of arguments of each relation.
    pub(crate) relations: Vec<(Name, usize)>,
    pub(crate) known: Known,
}

/// What was read, with its place.
struct Node {
    place: Place,
    what: What,
}

enum What {
    /// In lower case.
    Symbol(String),
    List(Vec<Node>),
}

impl Node {
    fn error(&self, reason: impl Into<String>) -> Error {
        Error::Rules { place: self.place, reason: reason.into() }
    }

    /// The symbol at the head and the parts after it. A symbol alone has none, and `(p)` is `p`.
    fn parts(&self, what: &str) -> Result<(&str, &[Self]), Error> {
        match &self.what {
            What::Symbol(symbol) => Ok((symbol, &[])),
            What::List(list) => match list.split_first() {
                Some((Self { what: What::Symbol(symbol), .. }, parts)) => Ok((symbol, parts)),
                Some((first, _)) => Err(first.error(format!("expected the name of {what}, found a list"))),
                None => Err(self.error(format!("expected {what}, found an empty list"))),
            },
        }
    }

    /// Checks that no symbol has characters that would not be what they seem, or end a part of a position string.
    fn check_symbols(&self) -> Result<(), Error> {
        match &self.what {
            What::List(list) => list.iter().try_for_each(Self::check_symbols),
            What::Symbol(symbol) => match symbol.chars().find(|&it| is_deceptive(it) || it == '|') {
                Some(wrong) => Err(self.error(format!(
                    "the symbol {} has {wrong:?} in it: a symbol has no control characters, none that turn the \
                     direction of text, and no bar",
                    Quoted(symbol)
                ))),
                None => Ok(()),
            },
        }
    }

    fn is_rule(&self) -> bool {
        matches!(self.parts(""), Ok(("<=", _)))
    }
}

impl Sheet {
    pub(crate) fn read(text: &str) -> Result<Self, Error> {
        Self::read_within(text, MAX_CONDITIONS)
    }

    pub(crate) fn read_within(text: &str, most_conditions: usize) -> Result<Self, Error> {
        let symbol = |place, it: &str| Node { place, what: What::Symbol(it.to_ascii_lowercase()) };
        let nodes = read_with(text, symbol, |place, list| Node { place, what: What::List(list) })?;
        let mut reader = Reader { most_conditions, ..Reader::default() };
        let known = KNOWN.map(|(name, count)| reader.relation(name, count));
        let [role, init, holds, does, legal, next, goal, terminal] = known;
        let known = Known { role, init, holds, does, legal, next, goal, terminal };
        for node in &nodes {
            node.check_symbols()?;
            reader.add(node)?;
        }
        let Reader { names, terms, rules, relations, .. } = reader;
        Ok(Self { names, terms, rules, relations, known })
    }

    /// The relations that these depend on, and these.
    pub(crate) fn needed_by(&self, relations: &[RelationId]) -> Vec<bool> {
        let mut needed = vec![Vec::new(); self.relations.len()];
        for rule in &self.rules {
            for literal in &rule.body {
                if let Literal::Holds(atom) | Literal::HoldsNot(atom) = literal {
                    needed[rule.head.relation].push(atom.relation);
                }
            }
        }
        let mut found = vec![false; needed.len()];
        let mut to_do = relations.to_vec();
        while let Some(relation) = to_do.pop() {
            if !std::mem::replace(&mut found[relation], true) {
                to_do.extend(&needed[relation]);
            }
        }
        found
    }

    pub(crate) fn relation_text(&self, relation: RelationId) -> &str {
        self.names.text(self.relations[relation].0)
    }
}

/// A condition before `or` is taken apart.
enum Condition {
    Literal(Literal),
    All(Vec<Condition>),
    Any(Vec<Condition>),
}

#[derive(Default)]
struct Reader {
    names: Names,
    terms: Terms,
    rules: Vec<Rule>,
    relations: Vec<(Name, usize)>,
    numbers: HashMap<(Name, usize), RelationId>,
    conditions: usize,
    most_conditions: usize,
    /// The names of the variables of the rule that is read.
    variables: Vec<String>,
}

impl Reader {
    fn relation(&mut self, name: &str, arguments: usize) -> RelationId {
        let name = self.names.number(name);
        *self.numbers.entry((name, arguments)).or_insert_with(|| {
            self.relations.push((name, arguments));
            self.relations.len() - 1
        })
    }

    /// Reads a fact or a rule.
    fn add(&mut self, node: &Node) -> Result<(), Error> {
        self.variables.clear();
        let (head, conditions) = if node.is_rule() {
            let (_, parts) = node.parts("a rule")?;
            let Some((head, conditions)) = parts.split_first() else {
                return Err(node.error("a rule without a head: expected (<= HEAD CONDITION …)"));
            };
            (head, conditions)
        } else {
            if matches!(node.what, What::Symbol(_)) {
                return Err(node.error("expected a fact or a rule in parentheses, found a symbol"));
            }
            (node, &[][..])
        };
        let (name, _) = head.parts("a fact or a rule")?;
        if matches!(name, "true" | "does" | "distinct" | "not" | "or" | "and" | "<=") {
            let hint =
                if name == "true" { ": the start is told with `init`, a step with `next`" } else { "" };
            return Err(head.error(format!("{} can't be the head of a rule{hint}", Quoted(name))));
        }
        if matches!(name, "=>" | "->" | ":-") {
            return Err(
                head.error(format!("{} begins no rule: expected (<= HEAD CONDITION …)", Quoted(name)))
            );
        }
        let atom = self.atom(head)?;
        let conditions =
            conditions.iter().map(|it| self.condition(it, true)).collect::<Result<Vec<_>, _>>()?;
        let too_many = |what: &str, most: usize| node.error(format!("{what}: at most {most} are read"));
        for body in cases(&Condition::All(conditions), MAX_CASES)
            .ok_or_else(|| too_many("a rule whose `or` distinguishes too many cases", MAX_CASES))?
        {
            self.conditions += body.len();
            if body.len() > MAX_LENGTH {
                return Err(too_many("a rule with too many conditions", MAX_LENGTH));
            }
            if self.rules.len() >= MAX_ALL_CASES {
                return Err(too_many("too many rules, or cases that `or` distinguishes", MAX_ALL_CASES));
            }
            if self.conditions > self.most_conditions {
                return Err(too_many("too many conditions", self.most_conditions));
            }
            let rule = Rule { place: node.place, head: atom.clone(), body, variables: self.variables.len() };
            self.check_safety(&rule, node)?;
            self.rules.push(rule);
        }
        Ok(())
    }

    /// Checks that each variable gets its value from a condition that has to hold.
    fn check_safety(&self, rule: &Rule, node: &Node) -> Result<(), Error> {
        let mut bound = vec![false; rule.variables];
        for literal in &rule.body {
            if let Literal::Holds(atom) = literal {
                atom.variables().into_iter().for_each(|it| bound[it] = true);
            }
        }
        let used = rule.body.iter().flat_map(Literal::variables).chain(rule.head.variables());
        for variable in used {
            if !bound[variable] {
                let name = Quoted(&self.variables[variable]).to_string();
                return Err(node.error(format!(
                    "the variable {name} is in no condition that has to hold (not under `not` or `distinct`, and \
                     in each case of an `or`), so nothing says what it stands for"
                )));
            }
        }
        Ok(())
    }

    fn atom(&mut self, node: &Node) -> Result<Atom, Error> {
        let (name, parts) = node.parts("a relation")?;
        if name.starts_with('?') {
            return Err(node.error(format!("expected a relation, found the variable {}", Quoted(name))));
        }
        if let Some((_, count)) = KNOWN.iter().find(|it| it.0 == name)
            && *count != parts.len()
        {
            let found = parts.len();
            return Err(node.error(format!("{name} has {found} arguments, and should have {count}")));
        }
        let relation = self.relation(name, parts.len());
        let arguments = parts.iter().map(|it| self.term(it)).collect::<Result<Vec<_>, _>>()?;
        Ok(Atom { relation, arguments })
    }

    fn term(&mut self, node: &Node) -> Result<Term, Error> {
        let (name, parts) = node.parts("a term")?;
        if name.starts_with('?') {
            if !parts.is_empty() {
                return Err(node.error(format!("a variable, {}, can't have arguments", Quoted(name))));
            }
            if let Some(known) = self.variables.iter().position(|it| it == name) {
                return Ok(Term::Variable(known));
            }
            if self.variables.len() == MAX_VARIABLES {
                return Err(node.error(format!("a rule has more than {MAX_VARIABLES} variables")));
            }
            self.variables.push(name.to_owned());
            return Ok(Term::Variable(self.variables.len() - 1));
        }
        let functor = self.names.number(name);
        let parts = parts.iter().map(|it| self.term(it)).collect::<Result<Vec<_>, _>>()?;
        let ground: Option<Vec<_>> =
            parts.iter().map(|it| if let Term::Ground(term) = it { Some(*term) } else { None }).collect();
        Ok(match ground {
            Some(ground) => Term::Ground(self.terms.make(functor, &ground)),
            None => Term::Function(functor, parts),
        })
    }

    /// Reads a condition that has to hold or, under `not`, has not to hold.
    fn condition(&mut self, node: &Node, holds: bool) -> Result<Condition, Error> {
        let (name, parts) = node.parts("a condition")?;
        let mut all =
            |parts: &[Node]| parts.iter().map(|it| self.condition(it, holds)).collect::<Result<Vec<_>, _>>();
        match (name, parts) {
            ("or" | "and", []) => Err(node.error(format!("`{name}` takes conditions, found none"))),
            ("or", _) if holds => Ok(Condition::Any(all(parts)?)),
            ("and", _) if !holds => Ok(Condition::Any(all(parts)?)),
            ("or" | "and", _) => Ok(Condition::All(all(parts)?)),
            ("not", [part]) => self.condition(part, !holds),
            ("not", _) => Err(node.error(format!("`not` takes one condition, found {}", parts.len()))),
            ("distinct", [one, other]) => {
                let terms = [self.term(one)?, self.term(other)?];
                Ok(Condition::Literal(Literal::Compared { are_same: !holds, terms }))
            }
            ("distinct", _) => Err(node.error(format!("`distinct` takes two terms, found {}", parts.len()))),
            ("<=", _) => {
                Err(node.error("expected a condition, found a rule: is a parenthesis missing before it?"))
            }
            _ => {
                let atom = self.atom(node)?;
                Ok(Condition::Literal(if holds { Literal::Holds(atom) } else { Literal::HoldsNot(atom) }))
            }
        }
    }
}

/// The cases of a condition, each a list of literals that hold together; `None` if there are more than `most`.
fn cases(condition: &Condition, most: usize) -> Option<Vec<Vec<Literal>>> {
    let mut found = match condition {
        Condition::Literal(literal) => vec![vec![literal.clone()]],
        Condition::Any(parts) => {
            let mut found = Vec::new();
            for part in parts {
                found.extend(cases(part, most)?);
                if found.len() > most {
                    return None;
                }
            }
            found
        }
        Condition::All(parts) => {
            let mut found: Vec<Vec<Literal>> = vec![Vec::new()];
            for part in parts {
                let more = cases(part, most)?;
                let literals = |cases: &[Vec<Literal>]| cases.iter().map(Vec::len).sum::<usize>();
                let count = found.len() * literals(&more) + more.len() * literals(&found);
                if found.len() * more.len() > most || more.len() > 1 && count > MAX_CONDITIONS {
                    return None;
                }
                let with = |it: &Vec<Literal>| {
                    let it = it.clone();
                    more.iter().map(move |more| [&it[..], more].concat()).collect::<Vec<_>>()
                };
                if let [only] = &more[..] {
                    for it in &mut found {
                        it.extend_from_slice(only);
                    }
                } else {
                    found = found.iter().flat_map(with).collect();
                }
            }
            found
        }
    };
    found.dedup();
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn error(text: &str) -> String {
        Sheet::read(text).expect_err("it is wrong").to_string()
    }

    #[test]
    fn symbols_are_what_they_seem_and_break_no_line() {
        for (symbol, shown) in [
            ("a\u{1b}[31m", "\\u{1b}"),
            ("a\u{202e}b", "\\u{202e}"),
            ("a|b", "'|'"),
            ("|", "'|'"),
            ("a\0", "\\0"),
        ] {
            let found = error(&format!("(role a)\n(p (f {symbol}))"));
            assert!(found.starts_with("line 2, column 7: the symbol ") && found.contains(shown), "{found}");
        }
        // Whatever else can be seen, and what is in comments.
        let text = "(role é) (p \"a:b~2\" x>=y ++ 'ß*.,) ; | \u{7}\n(q\u{b}a)";
        assert_eq!(Sheet::read(text).expect("it is right").rules.len(), 3);
    }

    #[test]
    fn rules_are_read_whatever_their_form() {
        let forms = [
            "(<= (P ?x)\t(q ?x ?Y) ; (a comment\r\n (not (r (f ?y) A)))",
            "\u{feff}(<=(p ?A)(q ?A ?b)(NOT(R(F ?b)(a))))",
        ];
        let [one, other] = forms.map(|text| Sheet::read(text).expect("it is right").rules.remove(0));
        assert_eq!((one.head, one.body), (other.head, other.body));
        let sheet = Sheet::read("(<= p (or q (and r (or s t))) (not (or u (not v))))").expect("it is right");
        assert_eq!(sheet.rules.iter().map(|it| it.body.len()).collect::<Vec<_>>(), [3, 4, 4]);
        // A comment on the last line, and one before a parenthesis.
        assert_eq!(Sheet::read("(p a ; x\n) ; end").expect("it is right").rules.len(), 1);
    }

    #[test]
    fn wrong_rules_are_refused_with_their_place() {
        for (text, expected) in [
            ("(p a)\n  (<=)", "line 2, column 3: a rule without a head"),
            ("\n p", "line 2, column 2: expected a fact or a rule in parentheses"),
            ("()", "line 1, column 1: expected a fact or a rule, found an empty list"),
            ("((p) a)", "line 1, column 2: expected the name of a fact or a rule, found a list"),
            (
                "(<= (true ?x) (p ?x))",
                "line 1, column 5: \"true\" can't be the head of a rule: the start is told with `init`",
            ),
            ("(does a b)", "line 1, column 1: \"does\" can't be the head of a rule"),
            ("(=> (p a) q)", "line 1, column 1: \"=>\" begins no rule: expected (<= HEAD"),
            ("(legal a)", "legal has 1 arguments, and should have 2"),
            ("(<= (p ?x) (q ?y))", "the variable \"?x\" is in no condition"),
            ("(<= p (q ?y) (distinct ?x ?y))", "the variable \"?x\" is in no condition"),
            ("(<= p (not (q ?x)))", "the variable \"?x\" is in no condition"),
            ("(<= (p ?x) (or (q ?x) r))", "the variable \"?x\" is in no condition"),
            ("(<= p (not q r))", "line 1, column 7: `not` takes one condition, found 2"),
            ("(<= p q (or))", "line 1, column 9: `or` takes conditions, found none"),
            ("(<= p (not (and)))", "line 1, column 12: `and` takes conditions, found none"),
            ("(<= p (distinct a))", "`distinct` takes two terms, found 1"),
            ("(<= p (q (?x a)))", "a variable, \"?x\", can't have arguments"),
            ("(<= p q\n(<= r s)", "line 1, column 1: a parenthesis is not closed"),
            ("(<= p q\n(<= r s))", "line 2, column 1: expected a condition, found a rule"),
        ] {
            assert!(error(text).contains(expected), "{text}: {}", error(text));
        }
        let or = "(or a b)".repeat(10);
        assert!(error(&format!("(<= p {or})")).contains("too many cases"));
        let many = (0..101).map(|it| format!(" (q ?x{it})")).collect::<Vec<_>>().concat();
        assert!(error(&format!("(<= p{many})")).contains("more than 100 variables"));
    }
}

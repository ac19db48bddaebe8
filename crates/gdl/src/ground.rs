//! Grounding: all sentences that may hold in some state, and the rules between them without variables.
//!
//! What does not depend on the state is derived exactly, one stratum after the other. For the rest, all that may hold in
//! any state is derived at once: what may be `next` may be `true`, what may be `legal` may be done, and what depends on
//! the state is not ruled out by `not`. Each fact is taken up once, in the order in which they were found, and joined with
//! those before it, so that every instance of a rule comes up exactly once.

use crate::Error;
use crate::costs::{Costs, Stop};
use crate::facts::{FactId, Facts, Index};
use crate::hash::FastMap;
use crate::limits::{End, Limits};
use crate::sheet::{Literal, RelationId, Sheet};
use crate::split::split;
use crate::strata::Strata;
use crate::terms::{Names, TermId, Terms, UNBOUND};

/// A rule without variables: what follows if these hold and those do not. Facts that do not depend on the state are left
/// out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GroundRule<'a> {
    pub(crate) head: FactId,
    pub(crate) hold: &'a [FactId],
    /// Those that can't hold in any state are left out.
    pub(crate) hold_not: &'a [FactId],
}

/// What a ground sentence is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// This fluent is true.
    Fluent(usize),
    /// This move is made.
    Done(usize),
    /// Something that rules tell.
    Derived,
}

/// A rulesheet without variables.
#[derive(Debug)]
pub(crate) struct Ground {
    pub(crate) names: Names,
    pub(crate) terms: Terms,
    pub(crate) roles: Vec<TermId>,
    /// What may be true.
    pub(crate) fluents: Vec<TermId>,
    /// The fluents that are true at the start.
    pub(crate) initial: Vec<usize>,
    /// The moves that may be legal, those of the first role first, each with the number of its role.
    pub(crate) moves: Vec<(usize, TermId)>,
    /// The sentence that makes a fluent true in the next state, if there is one.
    pub(crate) next: Vec<Option<FactId>>,
    /// The sentence that makes a move legal.
    pub(crate) legal: Vec<FactId>,
    /// The sentence that ends the game; `None` if it never ends.
    pub(crate) terminal: Option<FactId>,
    /// The sentence that gives a role a goal, with the goal.
    pub(crate) goals: Vec<Vec<(u8, FactId)>>,
    pub(crate) meanings: Vec<Meaning>,
    /// Whether a sentence always holds.
    pub(crate) is_fixed: Vec<bool>,
    /// The name of the relation of each sentence.
    relations: Vec<u32>,
    relation_names: Vec<String>,
    rules: Vec<u32>,
    /// The rules of the sheet that take many steps and can be taken apart.
    pub(crate) heavy: Vec<usize>,
}

impl Ground {
    /// Grounds a rulesheet. Rules that take long are [taken apart](split), and then it begins anew.
    pub(crate) fn of(sheet: &mut Sheet, limits: Limits, end: &End) -> Result<Self, Error> {
        loop {
            let strata = Strata::of(sheet)?;
            match Self::once(sheet.clone(), &strata, limits, end) {
                Ok(ground) => return Ok(ground),
                Err(Stop::Failed(error)) => return Err(error),
                Err(Stop::Heavy(rules)) => split(sheet, &rules),
            }
        }
    }

    fn once(sheet: Sheet, strata: &Strata, limits: Limits, end: &End) -> Result<Self, Stop> {
        let relevant = sheet.needed_by(&sheet.known.all());
        let mut grounder = Grounder::new(sheet, limits, end.clone());
        let heads: Vec<RelationId> = grounder.sheet.rules.iter().map(|rule| rule.head.relation).collect();
        for group in &strata.groups {
            let group: Vec<usize> = group.iter().copied().filter(|&it| relevant[heads[it]]).collect();
            if !group.is_empty() && !strata.is_dynamic[heads[group[0]]] {
                let relations: Vec<RelationId> = group.iter().map(|&it| heads[it]).collect();
                grounder.derive(&relations, &group, false)?;
            }
        }
        let fixed = grounder.facts.len();
        let is_dynamic = |relation: RelationId| strata.is_dynamic[relation] && relevant[relation];
        let relations: Vec<RelationId> = (0..relevant.len()).filter(|&it| is_dynamic(it)).collect();
        let rules: Vec<usize> = (0..heads.len()).filter(|&it| is_dynamic(heads[it])).collect();
        grounder.feed();
        grounder.derive(&relations, &rules, true)?;
        let heavy = grounder.costs.heavy(&grounder.sheet);
        Ok(Self { heavy, ..grounder.finish(fixed)? })
    }

    /// The rules, in the order in which they were found.
    pub(crate) fn rules(&self) -> impl Iterator<Item = GroundRule<'_>> {
        let mut rest = &self.rules[..];
        std::iter::from_fn(move || {
            let [head, hold, hold_not, more @ ..] = rest else { return None };
            let (hold, more) = more.split_at(*hold as usize);
            let (hold_not, more) = more.split_at(*hold_not as usize);
            rest = more;
            Some(GroundRule { head: *head, hold, hold_not })
        })
    }

    /// The name of the relation of a sentence.
    pub(crate) fn relation_text(&self, fact: FactId) -> &str {
        &self.relation_names[self.relations[fact as usize] as usize]
    }
}

/// The role that chance plays.
pub const RANDOM: &str = "random";

/// The parts of a text in the order in which people put them: 2 before 10.
pub(crate) fn natural(text: &str) -> Vec<(bool, u64, String)> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_digit = first.is_ascii_digit();
        let end = rest.find(|c: char| c.is_ascii_digit() != is_digit).unwrap_or(rest.len());
        let (part, more) = rest.split_at(end);
        parts.push((!is_digit, part.parse().unwrap_or(0), part.to_owned()));
        rest = more;
    }
    parts
}

/// What comes next when the conditions of a rule are joined.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// Take up each fact that this index finds for this condition.
    Join { literal: usize, index: usize },
    /// Check this condition, whose variables have values.
    Test(usize),
}

/// The steps of a rule, beginning with a fact for one of its conditions if there is a trigger.
#[derive(Debug)]
struct Plan {
    rule: usize,
    trigger: Option<usize>,
    /// Made when the plan is first used, since the order depends on how many facts there are.
    steps: Option<Vec<Step>>,
}

struct Grounder {
    sheet: Sheet,
    facts: Facts,
    /// Facts that conditions deny, which may hold in no state.
    denied: Facts,
    /// The facts before this have been taken up.
    taken: usize,
    indexes: Vec<Index>,
    /// The indexes of each relation.
    indexes_of: Vec<Vec<usize>>,
    /// The number of facts of each relation that have been taken up.
    counts: Vec<usize>,
    plans: Vec<Plan>,
    /// The plans that a fact of a relation triggers.
    triggered: Vec<Vec<usize>>,
    /// Whether the facts of a relation are being derived.
    is_live: Vec<bool>,
    /// Whether rules are noted down.
    keeps_rules: bool,
    rules: Vec<u32>,
    rule_count: usize,
    costs: Costs,
    limits: Limits,
    end: End,
    steps: u32,
    key: Vec<TermId>,
}

impl Grounder {
    fn new(sheet: Sheet, limits: Limits, end: End) -> Self {
        let (relations, rules) = (sheet.relations.len(), sheet.rules.len());
        Self {
            sheet,
            facts: Facts::default(),
            denied: Facts::default(),
            taken: 0,
            indexes: Vec::new(),
            indexes_of: vec![Vec::new(); relations],
            counts: vec![0; relations],
            plans: Vec::new(),
            triggered: vec![Vec::new(); relations],
            is_live: vec![false; relations],
            keeps_rules: false,
            rules: Vec::new(),
            rule_count: 0,
            costs: Costs::new(rules),
            limits,
            end,
            steps: 0,
            key: Vec::new(),
        }
    }

    /// Turns what does not depend on the state into what may be true and done.
    fn feed(&mut self) {
        for fact in 0..self.facts.len() {
            self.echo(fact as FactId);
        }
    }

    /// What may be true or done because of a new fact.
    fn echo(&mut self, fact: FactId) {
        let known = self.sheet.known;
        let relation = self.facts.relation(fact);
        let echoed = if relation == known.init || relation == known.next {
            known.holds
        } else if relation == known.legal {
            known.does
        } else {
            return;
        };
        let arguments = self.facts.arguments(fact).to_vec();
        self.facts.add(echoed, &arguments);
    }

    /// Derives these relations by these rules.
    fn derive(&mut self, relations: &[RelationId], rules: &[usize], is_dynamic: bool) -> Result<(), Stop> {
        self.keeps_rules = is_dynamic;
        for &it in relations {
            self.is_live[it] = true;
        }
        let mut start = Vec::new();
        for &rule in rules {
            let mut triggers = Vec::new();
            for (index, literal) in self.sheet.rules[rule].body.iter().enumerate() {
                if let Literal::Holds(atom) = literal
                    && self.is_live[atom.relation]
                {
                    triggers.push((index, atom.relation));
                }
            }
            if triggers.is_empty() {
                start.push(self.plans.len());
                self.plans.push(Plan { rule, trigger: None, steps: None });
            }
            for (index, relation) in triggers {
                self.triggered[relation].push(self.plans.len());
                self.plans.push(Plan { rule, trigger: Some(index), steps: None });
            }
        }
        for plan in start {
            self.fire(plan, None)?;
        }
        while self.taken < self.facts.len() {
            let fact = self.taken as FactId;
            self.taken += 1;
            let relation = self.facts.relation(fact);
            self.counts[relation] += 1;
            for &index in &self.indexes_of[relation] {
                self.indexes[index].add(&self.sheet.terms, &self.facts, fact, &mut self.key);
            }
            for number in 0..self.triggered[relation].len() {
                self.fire(self.triggered[relation][number], Some(fact))?;
            }
        }
        if !is_dynamic {
            for &it in relations {
                self.is_live[it] = false;
                self.triggered[it].clear();
            }
        }
        Ok(())
    }

    /// The steps of a plan: next comes what can be checked, then the condition for which the fewest facts are expected.
    fn steps_of(&mut self, plan: usize) -> Vec<Step> {
        let Plan { rule, trigger, .. } = self.plans[plan];
        let mut is_bound = vec![false; self.sheet.rules[rule].variables];
        let body = &self.sheet.rules[rule].body;
        let bind = |literal: usize, is_bound: &mut Vec<bool>| {
            body[literal].variables().into_iter().for_each(|it| is_bound[it] = true);
        };
        let mut left: Vec<usize> = (0..body.len()).filter(|&it| Some(it) != trigger).collect();
        if let Some(trigger) = trigger {
            bind(trigger, &mut is_bound);
        }
        let mut steps = Vec::new();
        let mut wanted: Vec<(usize, Index)> = Vec::new();
        while !left.is_empty() {
            let known = |literal: usize| body[literal].variables().iter().all(|&it| is_bound[it]);
            let tests = left.iter().position(|&it| !matches!(body[it], Literal::Holds(_)) && known(it));
            if let Some(at) = tests {
                steps.push(Step::Test(left.remove(at)));
                continue;
            }
            let cost = |literal: usize| {
                let Literal::Holds(atom) = &body[literal] else { return f64::INFINITY };
                let variables = atom.variables();
                if variables.iter().all(|&it| is_bound[it]) {
                    return 0.0;
                }
                // Of a relation that is being derived, more facts may come.
                let count = if self.is_live[atom.relation] {
                    self.counts[atom.relation].max(200) as f64
                } else {
                    self.counts[atom.relation] as f64
                };
                let free = variables.iter().filter(|&&it| !is_bound[it]).count() as f64;
                let is_partly_ground =
                    !atom.arguments.iter().any(|it| matches!(it, crate::terms::Term::Variable(_)));
                let places =
                    variables.len() as f64 + f64::from(u8::from(is_partly_ground && free > 0.0)) * 0.3;
                count.max(1.0).powf(free / places.max(1.0))
            };
            let mut best = 0;
            for at in 1..left.len() {
                if cost(left[at]) < cost(left[best]) {
                    best = at;
                }
            }
            let literal = left.remove(best);
            if let Literal::Holds(atom) = &body[literal] {
                steps.push(Step::Join { literal, index: wanted.len() });
                wanted.push((wanted.len(), Index::new(atom, &is_bound)));
                bind(literal, &mut is_bound);
            }
        }
        let numbers: Vec<usize> = wanted.into_iter().map(|(_, index)| self.index(index)).collect();
        for step in &mut steps {
            if let Step::Join { index, .. } = step {
                *index = numbers[*index];
            }
        }
        steps
    }

    /// The number of an index, which is made if need be.
    fn index(&mut self, mut index: Index) -> usize {
        let relation = index.relation();
        if let Some(&known) = self.indexes_of[relation].iter().find(|&&it| self.indexes[it].is_like(&index)) {
            return known;
        }
        for fact in 0..self.taken {
            if self.facts.relation(fact as FactId) == relation {
                index.add(&self.sheet.terms, &self.facts, fact as FactId, &mut self.key);
            }
        }
        self.indexes.push(index);
        self.indexes_of[relation].push(self.indexes.len() - 1);
        self.indexes.len() - 1
    }

    /// Finds all instances of a rule with this fact for the condition that triggers it.
    fn fire(&mut self, plan: usize, fact: Option<FactId>) -> Result<(), Stop> {
        let Plan { rule, trigger, .. } = self.plans[plan];
        let mut values = vec![UNBOUND; self.sheet.rules[rule].variables];
        let mut used = vec![0; self.sheet.rules[rule].body.len()];
        if let (Some(trigger), Some(fact)) = (trigger, fact) {
            used[trigger] = fact;
            if !self.matches(rule, trigger, fact, &mut values) {
                return Ok(());
            }
        }
        let steps = match self.plans[plan].steps.take() {
            Some(steps) => steps,
            None => self.steps_of(plan),
        };
        let joined = self.join(rule, &steps, &mut values, &mut used, trigger.zip(fact));
        self.plans[plan].steps = Some(steps);
        joined
    }

    fn matches(&self, rule: usize, literal: usize, fact: FactId, values: &mut [TermId]) -> bool {
        let Literal::Holds(atom) = &self.sheet.rules[rule].body[literal] else { return false };
        let mut arguments = atom.arguments.iter().zip(self.facts.arguments(fact));
        arguments.all(|(pattern, &term)| pattern.matches(&self.sheet.terms, term, values))
    }

    /// Does the steps that are left.
    fn join(
        &mut self,
        rule: usize,
        steps: &[Step],
        values: &mut Vec<TermId>,
        used: &mut Vec<FactId>,
        trigger: Option<(usize, FactId)>,
    ) -> Result<(), Stop> {
        self.steps = self.steps.wrapping_add(1);
        if self.steps.is_multiple_of(1024) && self.end.has_come() {
            return Err(self.costs.too_large(&self.sheet).into());
        }
        if !self.costs.step(&self.sheet, rule) {
            return Err(self.costs.stop(&self.sheet));
        }
        let Some((&step, rest)) = steps.split_first() else { return self.conclude(rule, values, used) };
        match step {
            Step::Test(literal) => {
                if self.holds(rule, literal, values) {
                    self.join(rule, rest, values, used, trigger)?;
                }
            }
            Step::Join { literal, index } => {
                let Literal::Holds(atom) = &self.sheet.rules[rule].body[literal] else { return Ok(()) };
                let is_live = self.is_live[atom.relation];
                let found = self.indexes[index].get(&self.sheet.terms, atom, values, &mut self.key).to_vec();
                for fact in found {
                    // A fact that stands for several conditions triggers the first of them.
                    if let Some((first, new)) = trigger
                        && is_live
                        && literal < first
                        && fact == new
                    {
                        continue;
                    }
                    let before = values.clone();
                    if self.matches(rule, literal, fact, values) {
                        used[literal] = fact;
                        self.join(rule, rest, values, used, trigger)?;
                    }
                    *values = before;
                }
            }
        }
        Ok(())
    }

    /// Whether a condition whose variables have values may hold.
    fn holds(&self, rule: usize, literal: usize, values: &[TermId]) -> bool {
        let terms = &self.sheet.terms;
        match &self.sheet.rules[rule].body[literal] {
            Literal::Compared { are_same, terms: [one, other] } => {
                one.is_same(other, terms, values) == *are_same
            }
            Literal::HoldsNot(atom) if !self.is_live[atom.relation] => {
                let fact: Option<Vec<TermId>> =
                    atom.arguments.iter().map(|it| it.find(terms, values)).collect();
                fact.is_none_or(|it| self.facts.find(atom.relation, &it).is_none())
            }
            _ => true,
        }
    }

    /// Notes an instance of a rule, and what follows from it.
    fn conclude(&mut self, rule: usize, values: &[TermId], used: &[FactId]) -> Result<(), Stop> {
        let Self { sheet: Sheet { rules, terms, .. }, facts, denied, .. } = self;
        let arguments: Vec<TermId> =
            rules[rule].head.arguments.iter().map(|it| it.ground(terms, values)).collect();
        rules[rule].check_depth(terms, &arguments)?;
        let before = facts.len();
        let head = facts.add(rules[rule].head.relation, &arguments);
        if self.keeps_rules {
            let start = self.rules.len();
            self.rules.extend([head, 0, 0]);
            for (literal, &fact) in rules[rule].body.iter().zip(used) {
                if let Literal::Holds(atom) = literal
                    && self.is_live[atom.relation]
                {
                    self.rules.push(fact);
                }
            }
            self.rules[start + 1] = (self.rules.len() - start - 3) as u32;
            for literal in &rules[rule].body {
                if let Literal::HoldsNot(atom) = literal
                    && self.is_live[atom.relation]
                {
                    let fact: Vec<TermId> =
                        atom.arguments.iter().map(|it| it.ground(terms, values)).collect();
                    self.rules.push(denied.add(atom.relation, &fact));
                }
            }
            self.rules[start + 2] = (self.rules.len() - start - 3) as u32 - self.rules[start + 1];
            self.rule_count += 1;
        }
        let is_new = head as usize == before;
        self.costs.instance(rule, is_new);
        if is_new && self.keeps_rules {
            self.echo(head);
        }
        let is_large = self.limits.are_passed_by(self.facts.len(), self.facts.size())
            || self.limits.are_passed_by(self.denied.len(), self.denied.size())
            || self.limits.are_passed_by(0, self.sheet.terms.size())
            || self.rule_count > self.limits.rules
            || self.rules.len() > self.limits.rules.saturating_mul(10);
        if is_large { Err(self.costs.stop(&self.sheet)) } else { Ok(()) }
    }

    /// What was found, `fixed` facts of which do not depend on the state.
    fn finish(self, fixed: usize) -> Result<Ground, Error> {
        let Self { sheet, facts, denied, mut rules, .. } = self;
        let known = sheet.known;
        // What can't hold needs not be denied.
        let denied: Vec<Option<FactId>> = (0..denied.len() as FactId)
            .map(|it| facts.find(denied.relation(it), denied.arguments(it)))
            .collect();
        let (mut read, mut write) = (0, 0);
        while read < rules.len() {
            let (hold, hold_not) = (rules[read + 1] as usize, rules[read + 2] as usize);
            let start = write;
            for at in read..read + 3 + hold {
                rules[write] = rules[at];
                write += 1;
            }
            for at in read + 3 + hold..read + 3 + hold + hold_not {
                if let Some(fact) = denied[rules[at] as usize] {
                    rules[write] = fact;
                    write += 1;
                }
            }
            rules[start + 2] = (write - start - 3 - hold) as u32;
            read += 3 + hold + hold_not;
        }
        rules.truncate(write);
        let all = 0..facts.len() as FactId;
        let mut by_relation = vec![Vec::new(); sheet.relations.len()];
        all.clone().for_each(|it| by_relation[facts.relation(it)].push(it));
        let of = |relation: RelationId| by_relation[relation].iter().copied();
        let mut roles: Vec<TermId> = of(known.role).map(|it| facts.arguments(it)[0]).collect();
        // Chance comes last.
        roles.sort_by_key(|&it| sheet.terms.text(&sheet.names, it) == RANDOM);
        let role_of: FastMap<TermId, usize> = roles.iter().copied().zip(0..).collect();
        let fluents: Vec<TermId> = of(known.holds).map(|it| facts.arguments(it)[0]).collect();
        let fluent_of: FastMap<TermId, usize> = fluents.iter().copied().zip(0..).collect();
        let initial = of(known.init).map(|it| fluent_of[&facts.arguments(it)[0]]).collect();
        let mut next = vec![None; fluents.len()];
        for fact in of(known.next) {
            next[fluent_of[&facts.arguments(fact)[0]]] = Some(fact);
        }
        // What is no role can't move.
        let mut moves: Vec<(usize, TermId, FactId)> = Vec::new();
        for fact in of(known.legal) {
            if let Some(&role) = role_of.get(&facts.arguments(fact)[0]) {
                moves.push((role, facts.arguments(fact)[1], fact));
            }
        }
        moves.sort_by_cached_key(|it| (it.0, natural(&sheet.terms.text(&sheet.names, it.1))));
        let mut meanings = vec![Meaning::Derived; facts.len()];
        for fact in of(known.holds) {
            meanings[fact as usize] = Meaning::Fluent(fluent_of[&facts.arguments(fact)[0]]);
        }
        for (index, &(_, mv, legal)) in moves.iter().enumerate() {
            let role = facts.arguments(legal)[0];
            if let Some(done) = facts.find(known.does, &[role, mv]) {
                meanings[done as usize] = Meaning::Done(index);
            }
        }
        let mut goals = vec![Vec::new(); roles.len()];
        for fact in of(known.goal) {
            let (role, goal) =
                (facts.arguments(fact)[0], sheet.terms.text(&sheet.names, facts.arguments(fact)[1]));
            let Some(&role) = role_of.get(&role) else { continue };
            let Some(goal) = goal_of(&goal) else { return Err(Error::Goal(goal)) };
            goals[role].push((goal, fact));
        }
        for it in &mut goals {
            it.sort_unstable();
        }
        let terminal = of(known.terminal).next();
        Ok(Ground {
            roles,
            fluents,
            initial,
            next,
            terminal,
            goals,
            legal: moves.iter().map(|it| it.2).collect(),
            moves: moves.iter().map(|it| (it.0, it.1)).collect(),
            meanings,
            is_fixed: all
                .clone()
                .map(|it| (it as usize) < fixed && facts.relation(it) != known.holds)
                .collect(),
            relations: all.map(|it| facts.relation(it) as u32).collect(),
            relation_names: sheet.relations.iter().map(|it| sheet.names.text(it.0).to_owned()).collect(),
            rules,
            heavy: Vec::new(),
            names: sheet.names,
            terms: sheet.terms,
        })
    }
}

/// The goal that a symbol is: a whole number from 0 to 100, without a sign.
pub(crate) fn goal_of(symbol: &str) -> Option<u8> {
    let goal = symbol.parse().ok().filter(|it| *it <= 100);
    goal.filter(|_| !symbol.starts_with('+'))
}

//! A network that plays random games in lanes: 64 in each word. The choice of moves is a part of it.

use std::ops::Range;

use crate::bits::{GAMES, Mask, WORDS, has_bit};
use crate::choice::{Choice, Tree, width};
use crate::gates::{Gates, Lit};
use crate::hash::FastMap;
use crate::layout::{Layout, Phase};
use crate::limits::{End, Late};
use crate::net::Net;
use crate::program::{Packed, Place, Program, SLOTS};

/// Roles of which one chooses at a time, and the moves among which it does: of each slot one is legal at most. Other
/// moves of the roles are the only ones where they are legal.
#[derive(Debug, Clone)]
pub(crate) struct Pool {
    pub(crate) roles: Vec<usize>,
    pub(crate) slots: Vec<Vec<usize>>,
}

/// A network that plays random games.
#[derive(Debug, Clone)]
pub(crate) struct Lanes {
    pub(crate) slots: usize,
    /// The fluents that matter, each with its place.
    pub(crate) fluents: Vec<(u16, u32)>,
    /// Finds what is legal, and the end.
    pub(crate) view: Packed,
    /// Finds the goals, which may take longer than a step and are asked for at ends only.
    pub(crate) goals_at_end: Packed,
    /// Leads the drawn numbers to moves and finds the next state.
    pub(crate) step: Packed,
    pub(crate) choices: Vec<Choice>,
    /// Whether the game is over, or can't go on.
    pub(crate) over: Place,
    /// For each role its goals, the greatest first.
    pub(crate) goals: Vec<Vec<(u8, Place)>>,
    /// The next value of each fluent that matters.
    pub(crate) next: Vec<Place>,
    /// Where the values of fluents are put that are the next ones of others.
    pub(crate) copies: Vec<(u32, u32)>,
    /// The steps after which a game is cut off.
    pub(crate) max_steps: u32,
}

/// Room for the values of slots: what is not used takes no memory.
#[derive(Debug, Default)]
pub(crate) struct Room(Vec<u64>);

impl Room {
    /// The values of so many slots and more. Each is a line of a cache: if it were in two of them, a step would take up
    /// to twice as long.
    pub(crate) fn values(&mut self, slots: usize) -> &mut [Mask] {
        let length = (slots.max(SLOTS) + 1) * WORDS;
        if self.0.len() < length {
            self.0 = vec![0; length];
        }
        let start = self.0.as_ptr().align_offset(std::mem::size_of::<Mask>()).min(WORDS);
        self.0[start..].as_chunks_mut().0
    }
}

/// What is made of the first step in place of random moves: the numbers that lead to moves, one for each lane.
#[derive(Debug, Clone)]
pub(crate) struct FirstMoves(pub(crate) Vec<(u32, Mask)>);

impl FirstMoves {
    /// Random moves from the first step on.
    pub(crate) const RANDOM: Self = Self(Vec::new());
}

impl Lanes {
    pub(crate) fn new(
        net: &Net,
        pools: &[Pool],
        moves_of: &[Range<usize>],
        max_steps: u32,
        end: &End,
    ) -> Result<Self, Late> {
        let relevant = relevant(net, end)?;
        let fluents: Vec<usize> = (0..net.next.len()).filter(|&it| relevant[it]).collect();
        let mut gates = Gates::new(fluents.len());
        let mut map = vec![None; net.gates.len()];
        map[0] = Some(Lit::FALSE);
        for (index, &fluent) in fluents.iter().enumerate() {
            map[net.fluent(fluent).node()] = Some(gates.input(index));
        }
        let legal = net.gates.copy_to(&mut gates, &net.legal, &mut map);
        let mut over = net.gates.copy_to(&mut gates, &[net.terminal], &mut map)[0];
        let mut goals = Vec::new();
        for all in &net.goals {
            let lits: Vec<Lit> = all.iter().map(|it| it.1).collect();
            let lits = net.gates.copy_to(&mut gates, &lits, &mut map);
            goals.push(all.iter().zip(lits).map(|(&(goal, _), lit)| (goal, lit)).rev().collect::<Vec<_>>());
        }
        let mut choices: Vec<(Vec<Lit>, Vec<Lit>, &Pool)> = Vec::new();
        let mut is_chosen = vec![false; legal.len()];
        for pool in pools {
            end.look()?;
            let leaves: Vec<Lit> =
                pool.slots.iter().map(|slot| gates.any(slot.iter().map(|&it| legal[it]).collect())).collect();
            let tree = Tree::new(&mut gates, &leaves);
            let drawn: Vec<Lit> = (0..width(leaves.len())).map(|_| gates.add_input()).collect();
            let any = gates.any(tree.count.clone());
            let mut led = Vec::new();
            tree.lead(&mut gates, any, &drawn, &mut led);
            for (slot, led) in pool.slots.iter().zip(led) {
                for &mv in slot {
                    is_chosen[mv] = true;
                    map[net.done(mv).node()] =
                        Some(if slot.len() == 1 { led } else { gates.and(led, legal[mv]) });
                }
            }
            // Without a legal move of a role the game is over, too. A role makes the only move that it has, or chooses.
            let forced: Vec<Lit> = pool
                .roles
                .iter()
                .map(|&role| {
                    let only = moves_of[role].clone().filter(|&it| !is_chosen[it]);
                    gates.any(only.map(|it| legal[it]).collect())
                })
                .collect();
            let all_forced = gates.all(forced.clone());
            let mut but_one = vec![any];
            for (index, &one) in forced.iter().enumerate() {
                for &other in &forced[index + 1..] {
                    but_one.push(gates.or(one, other));
                }
            }
            let but_one = gates.all(but_one);
            let goes_on = gates.or(all_forced, but_one);
            over = gates.or(over, !goes_on);
            choices.push((tree.count, drawn, pool));
        }
        for mv in (0..legal.len()).filter(|&it| !is_chosen[it]) {
            map[net.done(mv).node()] = Some(legal[mv]);
        }
        let next: Vec<Lit> = fluents.iter().map(|&it| net.next[it]).collect();
        let next = net.gates.copy_to(&mut gates, &next, &mut map);
        let lanes = Self::of(&gates, &fluents, &choices, over, &goals, next, end)?;
        Ok(Self { max_steps: max_steps.max(1), ..lanes })
    }

    /// Lays a network out: for each choice it has the number of legal moves and the number that is drawn.
    fn of(
        gates: &Gates,
        fluents: &[usize],
        choices: &[(Vec<Lit>, Vec<Lit>, &Pool)],
        over: Lit,
        goals: &[Vec<(u8, Lit)>],
        next: Vec<Lit>,
        end: &End,
    ) -> Result<Self, Late> {
        let inputs = (0..fluents.len()).map(|it| gates.input(it));
        let inputs: Vec<Lit> = inputs.chain(choices.iter().flat_map(|it| it.1.clone())).collect();
        let counts = choices.iter().flat_map(|it| it.0.iter().copied());
        let all_goals = goals.iter().flatten().map(|it| it.1).collect();
        let phases = [
            Phase { wanted: counts.chain([over]).collect(), is_aside: false },
            Phase { wanted: all_goals, is_aside: true },
            Phase { wanted: next, is_aside: false },
        ];
        let Layout { parts, mut slots } = Layout::new(gates, &inputs, phases, end)?;
        let [(view, seen), (goals_at_end, all_goals), (step, mut next)] = parts;
        let mut copies = Vec::new();
        for (place, own) in next.iter_mut().zip(1..) {
            if (1..=fluents.len() as u32).contains(&place.at) && place.at != own {
                copies.push((place.at, slots as u32));
                place.at = slots as u32;
                slots += 1;
            }
        }
        let (mut seen, mut all_goals) = (seen.into_iter(), all_goals.into_iter());
        let mut drawn = 1 + fluents.len() as u32..;
        let choices = choices.iter().map(|(count, own, pool)| Choice {
            count: seen.by_ref().take(count.len()).collect(),
            drawn: drawn.by_ref().take(own.len()).collect(),
            slots: pool.slots.iter().map(|slot| slot.iter().map(|&it| it as u16).collect()).collect(),
        });
        let choices: Vec<Choice> = choices.collect();
        let goals = goals.iter().map(|all| all.iter().map(|it| it.0).zip(all_goals.by_ref()).collect());
        let [view, goals_at_end, step] = [view, goals_at_end, step].map(Program::packed);
        Ok(Self {
            slots,
            goals: goals.collect(),
            fluents: fluents.iter().map(|&it| it as u16).zip(1..).collect(),
            view,
            goals_at_end,
            step,
            choices,
            over: seen.next().unwrap_or(Place::FALSE),
            next,
            copies,
            max_steps: 1,
        })
    }

    /// The number of operations of a step.
    pub(crate) fn operations(&self) -> usize {
        self.view.len() + self.step.len()
    }

    /// The moves to which the numbers of a step lead from a state with these legal moves.
    pub(crate) fn moves_by(&self, numbers: &[usize], legal: &[u64]) -> impl Iterator<Item = u16> {
        self.choices.iter().zip(numbers).filter_map(|(choice, &number)| {
            let is_legal = |it: &&u16| has_bit(legal, usize::from(**it));
            choice.slots.iter().filter_map(|slot| slot.iter().find(is_legal)).nth(number).copied()
        })
    }

    /// The first moves from a state with these legal moves: those that roles have chosen, and one of `among`, which are
    /// the legal moves of a role, for each lane in turn.
    pub(crate) fn first_moves(&self, legal: &[u64], chosen: &[u16], among: &[u16]) -> FirstMoves {
        let mut first = FirstMoves::RANDOM;
        for choice in &self.choices {
            // The number that leads to each move.
            let mut numbers: FastMap<u16, usize> = FastMap::default();
            let mut count = 0;
            for slot in &choice.slots {
                if let Some(&mv) = slot.iter().find(|it| has_bit(legal, usize::from(**it))) {
                    numbers.insert(mv, count);
                    count += 1;
                }
            }
            let made = chosen.iter().find_map(|it| numbers.get(it));
            let lanes: Vec<usize> = match made {
                Some(&number) => vec![number],
                None => among.iter().filter_map(|it| numbers.get(it).copied()).collect(),
            };
            if lanes.is_empty() {
                continue;
            }
            for (bit, &at) in choice.drawn.iter().enumerate() {
                let mut words = [0; WORDS];
                for lane in 0..WORDS * GAMES {
                    let number = lanes[lane % lanes.len()];
                    words[lane / GAMES] |= ((number >> bit & 1) as u64) << (lane % GAMES);
                }
                first.0.push((at, words));
            }
        }
        first
    }
}

/// The fluents that may make a difference to the game.
pub(crate) fn relevant(net: &Net, end: &End) -> Result<Vec<bool>, Late> {
    let mut found = vec![false; net.next.len()];
    let mut wanted: Vec<Lit> = net.legal.clone();
    wanted.push(net.terminal);
    wanted.extend(net.goals.iter().flatten().map(|it| it.1));
    loop {
        end.look()?;
        let cone = net.gates.cone(wanted.iter().copied());
        let mut is_new = false;
        for fluent in 0..found.len() {
            if cone[net.fluent(fluent).node()] && !std::mem::replace(&mut found[fluent], true) {
                is_new = true;
                wanted.push(net.next[fluent]);
            }
        }
        if !is_new {
            return Ok(found);
        }
    }
}

//! A match whose game is not compiled yet: legal moves and positions by the rules followed to the letter, which is slow.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use quintet_core::game::Rng;
use quintet_gdl::kif::Kif;
use quintet_gdl::reference::{Reference, State, View};

use super::board::{Board, Misfit, check_count};
use super::compilation::Compilation;
use super::shared::Shared;

/// The most random games for a move.
const MOST_GAMES: usize = 1 << 20;

/// A match by the rules followed to the letter.
#[derive(Debug)]
pub(super) struct Letter {
    compilation: Weak<Compilation>,
    /// Whether there will be no compiled game.
    has_failed: Arc<AtomicBool>,
    /// The roles, in the order in which moves are told.
    roles: Vec<String>,
    /// The number of the role that is played.
    own: usize,
    /// All moves so far.
    moves: Vec<Vec<Kif>>,
    /// Why moves were forgotten that were taken before it was known that they don't fit.
    unfit: Vec<Misfit>,
    rules: Option<Follower>,
}

/// The position after some of the moves.
#[derive(Debug)]
struct Follower {
    reference: Reference,
    /// The number of each role in the reference.
    order: Vec<usize>,
    state: State,
    /// What is known of the position.
    view: Option<View>,
    /// The number of the moves.
    followed: usize,
}

impl Letter {
    pub(super) fn new(compilation: Weak<Compilation>, roles: &[String], role: &str) -> Self {
        let own = roles.iter().position(|it| it == role).unwrap_or(0);
        Self {
            compilation,
            has_failed: Arc::default(),
            roles: roles.to_vec(),
            own,
            moves: Vec::new(),
            unfit: Vec::new(),
            rules: None,
        }
    }

    /// How often all roles have moved.
    pub(super) fn steps(&self) -> usize {
        self.moves.len()
    }

    /// Takes the moves that all roles have made, unless they don't fit the position. If it takes too long to know, moves
    /// that are told for the first time fit.
    pub(super) fn step(&mut self, moves: &[Kif], shared: &Arc<Shared>) -> Result<(), Misfit> {
        check_count(moves, &self.roles)?;
        let wrong = self.follow(shared, &mut |_| ()).map(|rules| rules.numbers(moves).err());
        match wrong {
            Some(Some(role)) => return Err(illegal(moves, &self.roles, role)),
            None if self.moves.last().is_some_and(|last| last == moves) => return Err(Misfit::Again),
            Some(None) | None => {}
        }
        self.moves.push(moves.to_vec());
        Ok(())
    }

    /// The legal moves; `first` is told one as soon as it is known. `None` if the rules take too long, or nobody needs
    /// them any more.
    pub(super) fn legal_moves(
        &mut self,
        shared: &Arc<Shared>,
        first: &mut dyn FnMut(&str),
    ) -> Option<Vec<String>> {
        let own = self.own;
        self.follow(shared, first).map(|rules| rules.legal(own))
    }

    /// Follows all moves, and finds what is legal then.
    fn follow(&mut self, shared: &Arc<Shared>, first: &mut dyn FnMut(&str)) -> Option<&Follower> {
        if self.rules.is_none() {
            let text = self.compilation.upgrade()?.rules.clone();
            let (compilation, shared) = (Weak::clone(&self.compilation), Arc::clone(shared));
            let has_failed = Arc::clone(&self.has_failed);
            let is_compiled = move || {
                !has_failed.load(Ordering::Relaxed) && compilation.upgrade().is_none_or(|it| it.is_ready())
            };
            let is_over = move || shared.has_ended() || is_compiled();
            self.rules = Follower::new(Reference::unless(&text, is_over).ok()?, &self.roles);
        }
        let rules = self.rules.as_mut()?;
        rules.look(self.own, first, self.moves.len())?;
        while let Some(moves) = self.moves.get(rules.followed) {
            match rules.numbers(moves) {
                Ok(numbers) => rules.step(&numbers)?,
                Err(role) => {
                    self.unfit.push(illegal(moves, &self.roles, role));
                    self.moves.remove(rules.followed);
                    continue;
                }
            }
            rules.look(self.own, first, self.moves.len())?;
        }
        Some(rules)
    }

    /// The match in the compiled game, or why there is none, once; `None` if that is not known before a time, or `stop`
    /// becomes true.
    pub(super) fn outcome(&mut self, until: Instant, stop: &AtomicBool) -> Option<Result<Board, String>> {
        if self.has_failed() {
            return None;
        }
        let outcome = self.compilation.upgrade()?.outcome(until, stop)?;
        let board = outcome.map(|game| {
            let mut board = Board::new(&game, &self.roles, &self.roles[self.own]);
            for moves in &self.moves {
                if let Err(misfit) = board.step(moves)
                    && board.step_after(moves, None).is_none()
                {
                    self.unfit.push(misfit);
                }
            }
            board
        });
        self.has_failed.store(board.is_err(), Ordering::Relaxed);
        Some(board)
    }

    /// Why moves were forgotten since this was asked last, if they were.
    pub(super) fn take_unfit(&mut self) -> Vec<Misfit> {
        std::mem::take(&mut self.unfit)
    }

    pub(super) fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed)
    }

    /// The legal move that does best in random games until a time, of which each step takes about `usual` or longer.
    /// `None` if no game comes to its end, also if all ends because the game is compiled.
    pub(super) fn best(
        &mut self,
        until: Instant,
        usual: Duration,
        stop: &AtomicBool,
        rng: &mut Rng,
    ) -> Option<String> {
        let limit = GameLimit { games: MOST_GAMES, until, longest: usual, stop };
        self.rules.as_mut()?.best(self.own, limit, rng)
    }
}

/// The move of this role is not legal.
fn illegal(moves: &[Kif], roles: &[String], role: usize) -> Misfit {
    Misfit::Illegal { mv: moves[role].to_string(), role: roles[role].clone() }
}

/// When random games end.
struct GameLimit<'a> {
    games: usize,
    until: Instant,
    /// The longest step so far.
    longest: Duration,
    stop: &'a AtomicBool,
}

impl Follower {
    fn new(reference: Reference, roles: &[String]) -> Option<Self> {
        let number = |role: &String| reference.roles.iter().position(|&it| reference.text(it) == *role);
        let order = roles.iter().map(number).collect::<Option<Vec<usize>>>()?;
        let state = reference.initial();
        (order.len() == reference.roles.len()).then_some(Self {
            reference,
            order,
            state,
            view: None,
            followed: 0,
        })
    }

    /// Finds what is legal, and tells `first` a move of the role `own` after the last of `all` moves.
    fn look(&mut self, own: usize, first: &mut dyn FnMut(&str), all: usize) -> Option<()> {
        if self.view.is_none() {
            let role = self.reference.roles[self.order[own]];
            let is_last = self.followed == all;
            let mut tell = |mv: &str| {
                if is_last {
                    first(mv);
                }
            };
            self.view = Some(self.reference.moves(&self.state, role, &mut tell).ok()?);
        }
        Some(())
    }

    /// The numbers of these moves in the reference, or that of the role whose move is not legal.
    fn numbers(&self, moves: &[Kif]) -> Result<Vec<u32>, usize> {
        let mut numbers = vec![0; self.order.len()];
        for (told, (&role, mv)) in self.order.iter().zip(moves).enumerate() {
            let term = mv.to_string();
            let mut legal = self.view.iter().flat_map(|view| &view.legal[role]).copied();
            numbers[role] = legal.find(|&it| self.reference.text(it) == term).ok_or(told)?;
        }
        Ok(numbers)
    }

    fn step(&mut self, numbers: &[u32]) -> Option<()> {
        self.state = self.reference.next(self.view.take()?, numbers).ok()?;
        self.followed += 1;
        Some(())
    }

    /// The legal move of a role that does best in random games.
    fn best(&mut self, role: usize, mut limit: GameLimit<'_>, rng: &mut Rng) -> Option<String> {
        let (own, start) = (self.order[role], self.view.clone()?);
        if start.legal.iter().any(Vec::is_empty) {
            return None;
        }
        let count = start.legal[own].len();
        let mut sums = vec![(0_u32, 0_u32); count];
        for first in (0..count).cycle().take(limit.games) {
            let Some(goal) = self.random_game(start.clone(), (own, first), &mut limit, rng) else { break };
            sums[first] = (sums[first].0 + goal, sums[first].1 + 1);
        }
        let mean = |it: &usize| f64::from(sums[*it].0) / f64::from(sums[*it].1);
        let tried = (0..count).filter(|&it| sums[it].1 > 0);
        let best = tried.max_by(|a, b| mean(a).total_cmp(&mean(b)))?;
        Some(self.reference.text(start.legal[own][best]))
    }

    /// The goal of a role after a random game that begins with a move of it; `None` if it does not come to an end.
    fn random_game(
        &mut self,
        mut view: View,
        (own, first): (usize, usize),
        limit: &mut GameLimit<'_>,
        rng: &mut Rng,
    ) -> Option<u32> {
        let mut first = Some(first);
        loop {
            let begin = Instant::now();
            if begin + limit.longest >= limit.until || limit.stop.load(Ordering::Relaxed) {
                return None;
            }
            let choose = |(role, legal): (usize, &Vec<u32>)| match first {
                Some(first) if role == own => legal[first],
                _ => legal[rng.below(legal.len())],
            };
            let moves: Vec<u32> = view.legal.iter().enumerate().map(choose).collect();
            first = None;
            let state = self.reference.next(view, &moves).ok()?;
            view = self.reference.view(&state).ok()?;
            if view.is_over || view.legal.iter().any(Vec::is_empty) {
                let goals = view.goals[own].iter().filter_map(|&it| self.reference.text(it).parse().ok());
                return Some(goals.max().unwrap_or(0));
            }
            limit.longest = limit.longest.max(begin.elapsed());
        }
    }

    fn legal(&self, own: usize) -> Vec<String> {
        let legal = self.view.iter().flat_map(|view| &view.legal[self.order[own]]);
        legal.map(|&it| self.reference.text(it)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_legal_move_is_told_before_the_others_are_found() {
        let numbers: Vec<String> = (0..40).map(|it| format!("(n {it})")).collect();
        let numbers = numbers.concat();
        let rules = format!(
            "(role a) (init x) {numbers} (<= (legal a quick) (true x))
             (<= (legal a (slow ?a ?b ?c ?d ?e ?f)) (true x) (n ?a) (n ?b) (n ?c) (n ?d) (n ?e) (n ?f))
             (<= terminal (true y)) (goal a 0)"
        );
        let compilation = Compilation::new(rules);
        let shared = Arc::<Shared>::default();
        let mut letter = Letter::new(Arc::downgrade(&compilation), &["a".to_owned()], "a");
        let mut told = Vec::new();
        let ends = Arc::clone(&shared);
        let legal = letter.legal_moves(&shared, &mut |mv| {
            told.push(mv.to_owned());
            ends.end();
        });
        assert_eq!((legal, told), (None, vec!["quick".to_owned()]));
    }

    #[test]
    fn the_move_that_does_best_in_random_games_is_found() {
        let text = "(role a) (role b) (init start) (<= (legal a (take ?n)) (true start) (n ?n)) (n 0) (n 30) (n 60)
            (<= (legal b guess) (true start)) (<= (legal b pass) (true start))
            (<= (next (has ?n)) (does a (take ?n))) (<= (next guessed) (does b guess)) (<= terminal (not (true start)))
            (<= (goal a ?n) (true (has ?n))) (<= (goal b 100) (true guessed)) (<= (goal b 0) (not (true guessed)))";
        let compilation = Compilation::new(text.to_owned());
        let shared = Arc::<Shared>::default();
        let both = ["b", "a"].map(str::to_owned);
        for (role, best) in [("a", "(take 60)"), ("b", "guess")] {
            let mut letter = Letter::new(Arc::downgrade(&compilation), &both, role);
            letter.legal_moves(&shared, &mut |_| ()).expect("the rules are short");
            let (stop, own) = (AtomicBool::new(false), letter.own);
            let rules = letter.rules.as_mut().expect("they are followed");
            for (time, games, expected) in [(0, 60, None), (60, 60, Some(best.to_owned()))] {
                let until = Instant::now() + Duration::from_secs(time);
                let limit = GameLimit { games, until, longest: Duration::ZERO, stop: &stop };
                assert_eq!(rules.best(own, limit, &mut Rng::stream(0, 0)), expected);
            }
        }
    }
}

//! The best line of a game for one player.
//!
//! Nobody can keep a player from a line that a rollout has found, so its score is a proven lower bound of every
//! position on the way. The best one of a tree is kept, from move to move too, and played unless a better one comes
//! up (Schadd et al., "Single-player Monte-Carlo tree search", 2008).

use super::guide::Guide;
use super::guided::Descent;
use super::pool::ROOT;
use super::technique::Techniques;
use super::tree::{Line, Tree, moves_of};
use crate::game::{Bounds, Game, Rng, ScoreSet, Side, has_one_player, is_independent};
use crate::knowledge::{Knowledge, Value};

impl<M> Line<M> {
    /// The bounds of each position on the way, in a game that ends with one of these scores.
    pub(super) fn bounds(&self, scores: ScoreSet) -> Bounds {
        let [_, highest] = scores.ends();
        Bounds { lower: self.score, upper: highest.max(self.score) }
    }
}

impl<G: Game> Tree<G> {
    /// A copy of the random stream before a rollout that may become the best line.
    #[inline(always)]
    pub(super) fn rng_for_line(&self) -> Option<Rng> {
        has_one_player(&self.root).then(|| self.rng.clone())
    }

    /// Notes the line of a visit if it is better than the best so far. `value` is what the visit found, and `rng`
    /// the [random stream as it was before](Self::rng_for_line): if that was a rollout, the moves that it drew.
    #[inline(always)]
    pub(super) fn note_line<K: Knowledge<G>>(
        &mut self,
        descent: &mut Descent<G>,
        value: Value,
        rng: Option<Rng>,
        guide: &Guide<K>,
        techniques: Techniques,
    ) {
        if const { G::KIND.has_one_player() }
            && let Some(rng) = rng
        {
            let line = |position: &G, above| guide.line(position, above, techniques);
            self.note_line_of_player(descent, value, rng, line);
        }
    }

    #[inline(never)]
    fn note_line_of_player(
        &mut self,
        descent: &mut Descent<G>,
        value: Value,
        mut rng: Rng,
        line: impl FnOnce(&G, u8) -> Option<Vec<G::Move>>,
    ) {
        let known = self.line.as_ref().map_or(self.least_score, |line| line.score);
        let is_known = descent.value.is_some() && !descent.is_judged;
        if is_known || is_independent(&self.root) {
            return;
        }
        let mut position = descent.position;
        let is_over = position.outcome().is_some();
        let found = if is_over { None } else { line(&position, known) };
        if found.is_none() && value.score(Side::First) <= f32::from(known) {
            return;
        }
        let mut found = found.map(Vec::into_iter);
        let mut moves = moves_of(&self.path, &self.pool);
        while position.outcome().is_none() && moves.len() < self.root.max_plies() {
            let mv = match &mut found {
                // A line that is too short, or that can't be played, is none.
                Some(found) => match found.next().filter(|mv| position.move_list().contains(mv)) {
                    Some(mv) => mv,
                    None => return,
                },
                None => position.random_move(&mut rng),
            };
            moves.push(mv);
            position.apply(mv);
        }
        // Knowledge may have guessed the value without a rollout.
        let score = position.outcome().map_or(0, |outcome| outcome.score(Side::First));
        if score > known && moves.first().is_none_or(|&mv| self.may_choose(mv)) {
            let line = Line { score, moves };
            let leaf = self.path[self.path.len() - 1] as usize;
            self.pool.narrow(leaf, line.bounds(self.root.scores()));
            descent.is_judged = true;
            self.line = Some(line);
        }
    }

    /// Takes the line of a branch, which begins after the moves `before`, if it is better.
    pub(super) fn take_line_of_branch(&mut self, before: Vec<G::Move>, line: Line<G::Move>) {
        if self.line.as_ref().is_none_or(|known| known.score < line.score) {
            let moves = before.into_iter().chain(line.moves).collect();
            self.line = Some(Line { moves, ..line });
        }
    }

    /// What is left of the line at a position on it.
    pub(super) fn line_from(&self, position: &G) -> Option<Line<G::Move>> {
        let Line { score, moves } = self.line.as_ref()?;
        let mut at = self.root;
        let mut is_not_here = |&&mv: &&G::Move| {
            let before = at;
            at.apply(mv);
            before != *position
        };
        let passed = moves.iter().take_while(|mv| is_not_here(mv)).count();
        let left = moves.get(passed..).filter(|left| !left.is_empty())?;
        Some(Line { score: *score, moves: left.to_vec() })
    }

    /// Goes on with this line from the root.
    pub(super) fn set_line(&mut self, line: Option<Line<G::Move>>) {
        self.line = line.filter(|line| self.may_choose(line.moves[0]));
        if let Some(line) = &self.line {
            self.pool.narrow(ROOT, line.bounds(self.root.scores()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{MoveList, Outcome, Role};
    use crate::search::{Budget, Search, SearchConfig};

    /// Twenty choices of 0 or 1; only 1 at each of them scores.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    struct Ones(u8, bool);

    impl Game for Ones {
        type Move = u8;
        const ROLES: &'static [Role] = &[Role::new("player", Side::First)];
        fn initial() -> Self {
            Self(20, true)
        }
        fn role_to_move(&self) -> usize {
            0
        }
        fn outcome(&self) -> Option<Outcome> {
            (self.0 == 0).then(|| Outcome::of_score(Side::First, if self.1 { 100 } else { 0 }))
        }
        fn legal_moves(&self, moves: &mut MoveList<u8>) {
            moves.clear();
            moves.extend(0..if self.0 == 0 { 0 } else { 2 });
        }
        fn apply(&mut self, mv: u8) {
            *self = Self(self.0 - 1, self.1 && mv == 1);
        }
    }

    /// Knows a line of so many moves, all alike.
    struct Line(usize, u8);

    impl Knowledge<Ones> for Line {
        fn line(&self, _: &Ones, above: u8) -> Option<Vec<u8>> {
            (above < 100).then(|| vec![self.1; self.0])
        }
    }

    #[test]
    fn a_line_that_an_evaluation_has_found_is_played_if_it_is_one() {
        let proven = |knowledge| {
            let mut search = Search::<Ones, _>::new(SearchConfig::default(), knowledge).expect("valid");
            let report =
                search.run(&Ones::initial(), Budget::iterations(10).expect("not 0")).expect("a report");
            (report.best().mv, report.best().proven.map(|it| it.score(Side::First)))
        };
        assert_eq!(proven(Line(20, 1)), (1, Some(100)));
        // It is too short, or not legal, or does not score.
        for wrong in [Line(5, 1), Line(0, 1), Line(20, 2), Line(20, 0)] {
            assert_eq!(proven(wrong).1, None);
        }
    }
}

//! The result of a search.

use std::time::Duration;

use crate::game::{Bounds, Game, Outcome, Side};

/// A legal move and what the search found about it, over all trees.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate<M> {
    /// The move.
    pub mv: M,
    /// The number of iterations that tried it, including those of earlier runs in a reused tree.
    pub visits: u64,
    /// The expected score, 0 to 100, of the side to move if it plays this: the mean of its
    /// visits, or the exact score if it is proven; `None` if the move was not tried.
    pub value: Option<f64>,
    /// The outcome under perfect play after this move, if it is proven.
    pub proven: Option<Outcome>,
    /// The plies to the end of the game under best play, this move included, where known.
    pub plies: Option<u32>,
}

/// A legal move of a position in the trees of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Child<M> {
    /// The move.
    pub mv: M,
    /// The number of iterations that went through it, over all trees.
    pub visits: u64,
    /// The expected score, 0 to 100, of the side that plays it: the mean of its visits; `None` if there are
    /// none.
    pub value: Option<f64>,
    /// What is proven of the position after it.
    pub bounds: Bounds,
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct Report<M> {
    /// The role to move, as an index into the [roles](Game::roles).
    pub role: usize,
    /// Every legal move, or every move that the search was [restricted](super::Controls::only) to,
    /// best first, by these criteria in turn:
    ///
    /// 1. If the position is [proven](Self::proven), the moves that are proven to keep its value come
    ///    first. A move proven to lose comes last (but before moves that were not even tried because
    ///    the position is proven lost without them).
    /// 2. More visits or, if several trees split the moves, the higher lower confidence bound of
    ///    the value, which is 250 / √visits below the value.
    /// 3. The higher value.
    /// 4. The place in the list of legal moves.
    ///
    /// But if the position is not proven and the first of them is not proven either, and its value is below the
    /// highest score that is proven for a move, that move comes first: a draw before a move that seems to lose.
    ///
    /// If the position is [solved](crate::knowledge::Knowledge::solve) before the search, the moves are in
    /// the order of the solution; if none wins, a search without proofs may order the best of them
    /// ([`SWINDLE_ITERATIONS`](crate::knowledge::Knowledge::SWINDLE_ITERATIONS)). Moves that the solution
    /// leaves open come before the losses.
    pub candidates: Vec<Candidate<M>>,
    /// In a [joint move](Game::before_joint_move) the mixed policies of all its roles, in the order in which they
    /// choose; the first candidate is then drawn from that of the role to move. Empty elsewhere.
    pub policies: Vec<Policy<M>>,
    /// The outcome of the position under perfect play, if it is proven: if the search was
    /// [restricted](super::Controls::only), with the moves to choose from.
    pub proven: Option<Outcome>,
    /// The best line found, starting with the best move: the best candidate of every position.
    pub principal_variation: Vec<M>,
    /// The same for the candidates after the best, in their order, as far as the search was
    /// [asked](super::Controls::variations) for.
    pub other_variations: Vec<Vec<M>>,
    /// The iterations done, over all trees.
    pub iterations: u64,
    /// The number of nodes in the memory of all trees, unused ones included.
    pub nodes: u64,
    /// The bytes of these nodes, with their priors.
    pub bytes: u64,
    /// Whether a tree could not grow at some node because its memory was used up.
    pub memory_was_full: bool,
    /// Why the search did not use up its budget; `None` if it did, if it was stopped, and while it
    /// goes on.
    pub ended_early: Option<EndedEarly>,
    /// The time that the search took, by the clock.
    pub elapsed: Duration,
    /// The CPU time that it took, of all its threads in this process together. If it is less than
    /// [`elapsed`](Self::elapsed), the search had to wait for a core. 0 where the system does not tell.
    pub cpu_time: Duration,
    /// A hash (64-bit FNV-1a) of the visits of all legal moves in list order. The same position,
    /// settings and iterations give a new search the same hash on x86-64 and ARM64.
    pub visits_hash: u64,
}

/// What a role of a joint move should do, so that the others can't predict it.
#[derive(Debug, Clone, PartialEq)]
pub struct Policy<M> {
    /// The role, as an index into the roles of the game.
    pub role: usize,
    /// Its legal moves in their order, each with its probability, from 0 to 1.
    pub moves: Vec<(M, f64)>,
}

/// Why a search ended before it used up its budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndedEarly {
    /// The value of the position is proven.
    Proven,
    /// No other move could overtake the best one with what was left of the budget.
    Decided,
    /// The best move is as sure as the caller [wanted](super::Controls::confidence).
    Confident,
    /// There is only one legal move: a few iterations gave its value.
    OnlyMove,
}

impl<M> Candidate<M> {
    pub(super) fn new(mv: M, visits: u64, value: Option<f64>, proven: Option<Outcome>) -> Self {
        Self { mv, visits, value, proven, plies: None }
    }

    /// What was found about the move, for code that is the same in all games.
    pub(super) fn without_move(&self) -> Candidate<()> {
        Candidate { mv: (), visits: self.visits, value: self.value, proven: self.proven, plies: self.plies }
    }
}

/// What was found about these moves.
pub(super) fn without_moves<M>(candidates: &[Candidate<M>]) -> Vec<Candidate<()>> {
    candidates.iter().map(Candidate::without_move).collect()
}

impl<M: Copy + PartialEq> Report<M> {
    /// The report of an engine that plays `mv` without a search.
    pub(crate) fn without_search<G: Game<Move = M>>(position: &G, mv: M) -> Self {
        let mut moves = position.move_list();
        moves.retain(|other| *other != mv);
        moves.insert(0, mv);
        let candidates = moves.iter().map(|&mv| Candidate::new(mv, 0, None, None)).collect();
        Self {
            role: position.role_to_move(),
            candidates,
            policies: Vec::new(),
            proven: None,
            principal_variation: vec![mv],
            other_variations: Vec::new(),
            iterations: 0,
            nodes: 0,
            bytes: 0,
            memory_was_full: false,
            ended_early: None,
            elapsed: Duration::ZERO,
            cpu_time: Duration::ZERO,
            visits_hash: 0,
        }
    }

    /// The same report with every move replaced, for example by its token.
    #[must_use]
    pub fn map<T>(&self, change: impl Fn(M) -> T) -> Report<T> {
        self.map_by(&change)
    }

    /// The same, compiled once for all functions.
    fn map_by<T>(&self, change: &dyn Fn(M) -> T) -> Report<T> {
        let candidate = |it: &Candidate<M>| Candidate {
            mv: change(it.mv),
            visits: it.visits,
            value: it.value,
            proven: it.proven,
            plies: it.plies,
        };
        let policy = |it: &Policy<M>| Policy {
            role: it.role,
            moves: it.moves.iter().map(|&(mv, share)| (change(mv), share)).collect(),
        };
        let variation = |moves: &[M]| moves.iter().map(|&mv| change(mv)).collect();
        Report {
            role: self.role,
            candidates: self.candidates.iter().map(candidate).collect(),
            policies: self.policies.iter().map(policy).collect(),
            proven: self.proven,
            principal_variation: variation(&self.principal_variation),
            other_variations: self.other_variations.iter().map(|it| variation(it)).collect(),
            iterations: self.iterations,
            nodes: self.nodes,
            bytes: self.bytes,
            memory_was_full: self.memory_was_full,
            ended_early: self.ended_early,
            elapsed: self.elapsed,
            cpu_time: self.cpu_time,
            visits_hash: self.visits_hash,
        }
    }
}

impl<M> Report<M> {
    /// The same report without its times: what does not differ from one run to the next.
    #[must_use]
    pub fn without_times(self) -> Self {
        Self { elapsed: Duration::ZERO, cpu_time: Duration::ZERO, ..self }
    }
}

impl<M: PartialEq> Report<M> {
    /// The expected score of the side to move, 0 to 100: that of the best candidate or, in a joint move, the mean over
    /// the policy of the role to move. `None` if nothing was tried.
    #[must_use]
    pub fn value(&self) -> Option<f64> {
        let Some(policy) = self.policies.iter().find(|it| it.role == self.role) else {
            return self.best().value;
        };
        let value = |mv: &M| self.candidates.iter().find(|it| it.mv == *mv).and_then(|it| it.value);
        let mut played = policy.moves.iter().filter(|(_, share)| *share > 0.0).peekable();
        played.peek()?;
        played.map(|(mv, share)| Some(share * value(mv)?)).sum()
    }
}

impl<M> Report<M> {
    /// The best candidate: the move to play.
    #[must_use]
    pub fn best(&self) -> &Candidate<M> {
        &self.candidates[0]
    }

    /// How sure it is that no other move that was tried is better than the best, from 0 to 1; `None`
    /// if the best one was not tried, or is drawn from a [policy](Self::policies).
    ///
    /// It is the least over the other moves of Φ(*d* / *s*): *d* is the distance of the two values,
    /// and *s* its standard error, if every visit has the largest standard deviation that values can
    /// have. A proven value has no error. Visits depend on each other, so this is a measure to
    /// compare positions by rather than a probability.
    #[must_use]
    pub fn confidence(&self) -> Option<f64> {
        if self.policies.is_empty() { confidence(&without_moves(&self.candidates)) } else { None }
    }
}

/// The [confidence](Report::confidence) that the first of these candidates is the best.
pub(super) fn confidence(candidates: &[Candidate<()>]) -> Option<f64> {
    let variance = |it: &Candidate<()>| match it.proven {
        Some(_) => 0.0,
        None => DEVIATION * DEVIATION / it.visits.max(1) as f64,
    };
    let (best, others) = candidates.split_first()?;
    let value = best.value?;
    let of_other = |other: &Candidate<()>| {
        let distance = value - other.value?;
        let error = (variance(best) + variance(other)).sqrt();
        Some(if error > 0.0 { normal_cdf(distance / error) } else { f64::from(distance >= 0.0) })
    };
    Some(others.iter().filter_map(of_other).fold(1.0, f64::min))
}

/// The maximum standard deviation of values.
pub(super) const DEVIATION: f64 = 50.0;

/// Returns the distribution function Φ of the standard normal distribution at `z`, to six places, by the
/// series of the error function. It uses only operations that IEEE 754 rounds alike everywhere.
#[must_use]
pub fn normal_cdf(z: f64) -> f64 {
    /// Beyond this, Φ is 0 or 1 to six places.
    const FAR: f64 = 5.0;
    if z.abs() >= FAR {
        return f64::from(z > 0.0);
    }
    let (mut sum, mut power, mut n) = (0.0, z, 0.0);
    while f64::abs(power) > 1e-12 {
        sum += power / (2.0 * n + 1.0);
        n += 1.0;
        power *= -z * z / (2.0 * n);
    }
    0.5 + sum / (2.0 * std::f64::consts::PI).sqrt()
}

/// Describes in a few words what is proven about a candidate and what the knowledge says of it
/// (`known`); if that is nothing, why it was not tried (`untried`), or nothing if it was.
pub(super) fn explain(candidate: &Candidate<()>, side: Side, known: Option<String>, untried: &str) -> String {
    let proof = match (candidate.proven, candidate.plies) {
        (Some(Outcome::Win(winner)), Some(plies)) => {
            let word = if winner == side { "wins" } else { "loses" };
            if plies == 1 { format!("{word} at once") } else { format!("{word} in {plies} plies") }
        }
        (Some(Outcome::Win(winner)), None) if winner == side => "proven win".to_owned(),
        (Some(Outcome::Win(_)), None) => "proven loss".to_owned(),
        (Some(Outcome::Draw), _) => "proven draw".to_owned(),
        (Some(outcome @ Outcome::Scores(_)), _) => format!("proven {}", outcome.score(side)),
        (None, _) => String::new(),
    };
    match known {
        // If the plies are known, the words of the knowledge say it all.
        Some(known) if proof.is_empty() || candidate.plies.is_some() => known,
        Some(known) => format!("{proof}: {known}"),
        None if proof.is_empty() && candidate.visits == 0 => untried.to_owned(),
        None => proof,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::drawn::Drawn;

    #[test]
    fn what_is_proven_and_known_is_told_in_a_few_words() {
        let (win, loss) = (Some(Outcome::Win(Side::Second)), Some(Outcome::Win(Side::First)));
        for (proven, plies, visits, known, words) in [
            (win, Some(1), 0, None, "wins at once"),
            (win, Some(3), 0, None, "wins in 3 plies"),
            (loss, Some(2), 0, None, "loses in 2 plies"),
            (win, None, 0, None, "proven win"),
            (loss, None, 5, None, "proven loss"),
            (Some(Outcome::Draw), None, 5, None, "proven draw"),
            (None, None, 5, None, ""),
            (None, None, 0, None, "untried"),
            (None, None, 0, Some("a four"), "a four"),
            (win, Some(3), 0, Some("a four"), "a four"),
            (win, None, 0, Some("a four"), "proven win: a four"),
        ] {
            let candidate = Candidate { plies, ..Candidate::new((), visits, None, proven) };
            assert_eq!(explain(&candidate, Side::Second, known.map(str::to_owned), "untried"), words);
        }
    }

    #[test]
    fn a_report_without_a_search_lists_all_moves_and_keeps_what_it_says_in_other_words() {
        let report = Report::without_search(&Drawn::new(4, 30), 2);
        assert_eq!(report.candidates.iter().map(|it| it.mv).collect::<Vec<_>>(), [2, 0, 1, 3]);
        assert_eq!((report.best().mv, report.principal_variation.as_slice()), (2, &[2][..]));
        let candidate =
            Candidate { plies: Some(3), ..Candidate::new(1_u8, 5, Some(60.0), Some(Outcome::Draw)) };
        let report = Report {
            candidates: vec![candidate],
            principal_variation: vec![1, 2],
            other_variations: vec![vec![3]],
            iterations: 7,
            visits_hash: 8,
            ..report
        };
        let text = report.map(|mv| mv.to_string());
        assert_eq!((text.best().mv.as_str(), &text.principal_variation.join(" ")[..]), ("1", "1 2"));
        assert_eq!(text.other_variations, [["3"]]);
        assert_eq!(report.map(|mv| mv), report);
    }

    #[test]
    fn the_confidence_is_the_share_of_the_normal_distribution() {
        // Values of a table.
        for (z, share) in [(0.0, 0.5), (1.0, 0.841_345), (1.96, 0.975_002), (-2.0, 0.022_750), (4.9, 1.0)] {
            assert!((normal_cdf(z) - share).abs() < 1e-6, "{z}: {}", normal_cdf(z));
        }
        let tried = |mv, visits, value| Candidate::new(mv, visits, Some(value), None);
        let untried = |mv| Candidate::new(mv, 0, None, None);
        let report = |candidates: &[Candidate<u8>]| {
            let candidates = candidates.to_vec();
            Report { candidates, ..Report::without_search(&Drawn::new(20, 30), 0) }.confidence()
        };
        // A distance of 10 and an error of √(2.5² + 2.5²).
        let sure = report(&[tried(0, 400, 60.0), tried(1, 400, 50.0), untried(2)]).expect("tried");
        assert!((sure - 0.997_66).abs() < 1e-4, "{sure}");
        assert_eq!(report(&[untried(0), tried(1, 5, 50.0)]), None);
        assert_eq!(report(&[tried(0, 1, 50.0)]), Some(1.0));
        let draw = |mv| Candidate::new(mv, 5, Some(50.0), Some(Outcome::Draw));
        assert_eq!(report(&[draw(0), draw(1)]), Some(1.0));
    }
}

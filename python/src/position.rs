//! A position of a game.

use std::sync::Mutex;

use indexmap::IndexMap;
use pyo3::prelude::*;
use quintet_arena::locked;
use quintet_board::CandidateMark;
use quintet_core::Quoted;
use quintet_core::game::{EMPTY, Picture, Rng, Scene, SetUpError};
use quintet_core::registry::Variant;
use quintet_core::session::{RolloutCounts, Session};

use crate::wait::Work;
use crate::{json, wrong};

/// A position, with the moves that led to it. It never changes.
#[pyclass(frozen, module = "quintet._native")]
pub(crate) struct Position {
    variant: Variant,
    /// The position string that the moves start from; `None` for the start position.
    start: Option<String>,
    moves: Vec<String>,
    /// At the position, with at least the last move in its history. No operation on it can fail half way.
    session: Mutex<Box<dyn Session>>,
}

impl Position {
    /// The position after `moves` from the position string, or from the start.
    fn of(variant: Variant, position: Option<String>, moves: Vec<String>) -> PyResult<Self> {
        let mut session = variant.set_up(position.as_deref(), []).map_err(wrong)?;
        let start = position.map(|_| session.position());
        for (index, token) in moves.into_iter().enumerate() {
            let illegal = |error| wrong(SetUpError::Move { ply: index + 1, error });
            session.play(&token).map_err(illegal)?;
        }
        let moves = session.moves();
        Ok(Self { variant, start, moves, session: Mutex::new(session) })
    }

    /// Another session at this position.
    pub(crate) fn copy(&self) -> PyResult<Box<dyn Session>> {
        self.variant.set_up(Some(&locked(&self.session).position()), []).map_err(wrong)
    }
}

/// The number of cells of the board.
fn cells(picture: &Picture) -> usize {
    match picture {
        Picture::Scene(Scene { layout, .. }) => {
            layout.levels.len() * layout.rows.len() * layout.columns.len()
        }
        Picture::Text(_) => 0,
    }
}

#[pymethods]
impl Position {
    /// The position after `moves` from the position string, or from the start.
    #[new]
    #[pyo3(signature = (game, rules=None, position=None, moves=Vec::new()))]
    fn new(game: &str, rules: Option<&str>, position: Option<String>, moves: Vec<String>) -> PyResult<Self> {
        Self::of(crate::registry::games().find(game, rules).map_err(wrong)?, position, moves)
    }

    #[getter]
    fn game(&self) -> &str {
        &self.variant.game
    }

    #[getter]
    fn rules(&self) -> &str {
        &self.variant.rules
    }

    /// The fingerprint of the rulesheet, if the game is of one.
    #[getter]
    fn rulesheet(&self) -> Option<&str> {
        self.variant.rulesheet.as_deref()
    }

    /// Checks that its name still stands for its rules, as for what finds the game by its name.
    fn check_rules(&self) -> PyResult<()> {
        let Variant { game, rules, rulesheet, .. } = &self.variant;
        let now = crate::registry::games().find(game, Some(rules)).map_err(wrong)?;
        if now.rulesheet == *rulesheet {
            return Ok(());
        }
        let game = Quoted(game);
        Err(wrong(format!(
            "{game} has other rules since a rulesheet was loaded under this name: make the game and the position anew"
        )))
    }

    /// The position string that the moves start from; `None` for the start position.
    #[getter]
    fn start(&self) -> Option<&str> {
        self.start.as_deref()
    }

    #[getter]
    fn moves(&self) -> Vec<String> {
        self.moves.clone()
    }

    /// The position string.
    fn string(&self) -> String {
        locked(&self.session).position()
    }

    /// The role to move; `None` once the game is over.
    fn to_move(&self) -> Option<String> {
        locked(&self.session).to_move().map(|role| role.name.into_owned())
    }

    fn is_over(&self) -> bool {
        locked(&self.session).outcome().is_some()
    }

    /// The side of each role, 0 or 1, in the order of the roles.
    fn sides(&self) -> Vec<(&str, usize)> {
        self.variant.roles.iter().map(|role| (&*role.name, role.side as usize)).collect()
    }

    /// The score of each role, in the order of the roles.
    fn scores(&self) -> Vec<(&str, u8)> {
        let session = locked(&self.session);
        self.variant.roles.iter().map(|role| (&*role.name, session.score(role.side))).collect()
    }

    /// The tokens of the legal moves, in the game's order.
    fn legal_moves(&self) -> Vec<String> {
        locked(&self.session).legal_moves()
    }

    /// The position after these moves.
    fn play(&self, tokens: Vec<String>) -> PyResult<Self> {
        let mut session = self.copy()?;
        let is_same = tokens.is_empty();
        for token in tokens {
            session.play(&token).map_err(wrong)?;
        }
        if is_same {
            return Self::of(self.variant.clone(), self.start.clone(), self.moves.clone());
        }
        let moves = self.moves.iter().cloned().chain(session.moves()).collect();
        Ok(Self {
            variant: self.variant.clone(),
            start: self.start.clone(),
            moves,
            session: Mutex::new(session),
        })
    }

    /// The board as text, with the effect of the legal move `mark` in brackets.
    #[pyo3(signature = (mark=None))]
    fn text(&self, mark: Option<&str>) -> PyResult<String> {
        let session = locked(&self.session);
        if let Some(token) = mark {
            session.canonical_token(token).map_err(wrong)?;
        }
        Ok(session.draw(mark))
    }

    fn mover_color(&self) -> Option<&'static str> {
        locked(&self.session).mover_color()
    }

    fn task(&self) -> Option<String> {
        locked(&self.session).task()
    }

    /// The picture as JSON.
    fn picture(&self) -> PyResult<String> {
        json(&quintet_board::picture(locked(&self.session).picture()))
    }

    /// The picture as SVG, in which the last move is marked, and each of `candidates`: a legal move, a
    /// share from 0 to 1, a text, and whether it is the best. One that changes no place has no mark.
    fn svg(&self, candidates: Vec<(String, f64, String, bool)>) -> PyResult<String> {
        let mut session = locked(&self.session);
        let after = session.picture();
        let mut last = Vec::new();
        if let (Picture::Scene(scene), Some(token)) = (&after, session.moves().last())
            && session.take_back()
        {
            // A turn has a mark of its own.
            if let Picture::Scene(before) = session.picture()
                && scene.turned.is_none()
            {
                let pairs = scene.places.iter().zip(&before.places).enumerate();
                last = pairs.filter(|(_, (now, then))| now != then).map(|(place, _)| place).collect();
            }
            // It was legal there.
            let _ = session.play(token);
        }
        let mut effects =
            if candidates.is_empty() { IndexMap::new() } else { quintet_board::effects(&mut **session) };
        let mut marks = Vec::new();
        for (token, share, text, is_best) in candidates {
            let token = session.canonical_token(&token).map_err(wrong)?;
            let Some(change) = effects.swap_remove(&token) else { continue };
            // Where a piece comes to, on the board rather than beside it, or else where one is taken.
            let changed = change.places.iter();
            let (comes, goes): (Vec<_>, Vec<_>) = changed.partition(|(_, code)| *code != EMPTY);
            let cells = cells(&after);
            let on_board = comes.iter().chain(&goes).find(|(place, _)| *place < cells);
            let changed = on_board.or_else(|| goes.first()).or_else(|| comes.first()).map(|it| it.0);
            // Of the cells of a move, the second is where it goes.
            if let Some(place) = change.cells.get(1).or(change.cells.first()).copied().or(changed) {
                marks.push(CandidateMark { place, share, text, is_best });
            }
        }
        Ok(quintet_board::svg(&after, &last, &marks))
    }

    /// The code of what is on each place, and the cells to choose from in an unfinished turn; `None` if
    /// the game has no board.
    fn places(&self) -> Option<(String, Vec<usize>)> {
        match locked(&self.session).picture() {
            Picture::Scene(scene) => Some((scene.places.into_iter().collect(), scene.open)),
            Picture::Text(_) => None,
        }
    }

    /// Plays `count` rollouts with the random stream of `seed`: the wins of the first side, the draws,
    /// the wins of the second side, and the moves of all.
    fn rollouts(&self, py: Python<'_>, count: u64, seed: u64) -> PyResult<(u64, u64, u64, u64)> {
        /// Rollouts between two looks at the flag.
        const AT_A_TIME: u64 = 256;
        if !self.variant.is_for_two_sides() {
            return Err(wrong(format!("{} is not for two sides that share the score", self.variant)));
        }
        let session = self.copy()?;
        let mut work = Work::start(1, move |stop, _: &dyn Fn(())| {
            let mut rng = Rng::stream(seed, 0);
            let mut counts = RolloutCounts::default();
            while counts.rollouts() < count && !stop.load(std::sync::atomic::Ordering::Relaxed) {
                counts = counts + session.rollouts(AT_A_TIME.min(count - counts.rollouts()), &mut rng);
            }
            counts
        })?;
        let RolloutCounts { first_wins, draws, second_wins, plies } = work.finish(py, |()| Ok(()))?;
        Ok((first_wins, draws, second_wins, plies))
    }
}

//! Perft: counts of legal sequences, from the start and from late positions, checked against an
//! independent referee.

use std::collections::BTreeMap;

use quintet_core::game::Notation;
use serde::Deserialize;

use crate::catalog::{GameId, Rules};
use crate::harness::{data_file, in_every_game, legal_moves, twin_of};
use crate::named::Named;
use crate::twins::Twin;

/// The twins skip entries with more states than this, which would take hours.
const TWIN_STATES: u64 = 100_000;

/// One game under one ruleset in `perft.json`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Counts {
    start: Entry,
    from: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// The moves from the start to the root of the count.
    #[serde(default)]
    moves: String,
    /// At `d`, the number of sequences of `d + 1` legal moves.
    leaves: Vec<u64>,
    /// At `d`, the number of sequences of `d` legal moves that end the game; missing in some
    /// entries.
    terminal_before: Option<Vec<u64>>,
    /// The same as `terminal_before`, and one move deeper.
    terminal_sequences_by_length: Option<Vec<u64>>,
    /// The depth to which the referee's own two methods were compared.
    #[serde(rename = "gdl_checked_to_depth")]
    _checked_to_depth: u64,
}

impl Entry {
    /// The number of states that a count visits if it does not play the last move of a sequence.
    fn states(&self) -> u64 {
        1 + self.leaves[..self.leaves.len() - 1].iter().sum::<u64>()
    }

    /// The number of moves that the count has to play.
    fn depth(&self) -> usize {
        match &self.terminal_sequences_by_length {
            None => self.leaves.len() - 1,
            Some(ended) => ended.len() - 1,
        }
    }

    fn check(&self, name: &str, found: &Tally) {
        let leaves = &found.leaves[..self.leaves.len()];
        assert_eq!(leaves, self.leaves, "{name}: sequences by length, after {:?}", self.moves);
        for ended in [&self.terminal_before, &self.terminal_sequences_by_length].into_iter().flatten() {
            let found = &found.ended[..ended.len()];
            assert_eq!(found, ended, "{name}: ended sequences by length, after {:?}", self.moves);
        }
    }
}

/// The counts at each `d`, for the sequences of `d` moves.
struct Tally {
    /// The number of legal moves after them.
    leaves: Vec<u64>,
    /// The number of them that ended the game.
    ended: Vec<u64>,
}

impl Tally {
    fn new(depth: usize) -> Self {
        Self { leaves: vec![0; depth + 1], ended: vec![0; depth + 1] }
    }

    fn count_game<G: Notation>(&mut self, state: &G, played: usize) {
        if state.outcome().is_some() {
            self.ended[played] += 1;
            return;
        }
        if played + 1 == self.leaves.len() {
            self.leaves[played] += state.move_count() as u64;
            return;
        }
        let moves = legal_moves(state);
        self.leaves[played] += moves.len() as u64;
        for mv in moves {
            let mut next = *state;
            next.apply(mv);
            self.count_game(&next, played + 1);
        }
    }

    /// The same for the empty board of Gomoku, from one cell of each kind: 200 million sequences would take
    /// seconds. That all cells are alike in the rules is held by the games of the twin.
    fn count_by_symmetry<G: Notation>(&mut self, start: &G) {
        let moves = legal_moves(start);
        self.leaves[0] = moves.len() as u64;
        let mut cells = 0;
        for mv in moves {
            let token = mv.to_string();
            let (file, rank) = (i32::from(token.as_bytes()[0]) - i32::from(b'f'), &token[1..]);
            let rank = rank.parse::<i32>().expect("a rank") - 6;
            // Of cells that turns and reflections make the same, the one in this eighth of the board.
            if !(0 <= rank && rank <= file) {
                continue;
            }
            let alike = match (file, rank) {
                (0, 0) => 1,
                _ if rank == 0 || rank == file => 4,
                _ => 8,
            };
            cells += alike;
            let mut next = *start;
            next.apply(mv);
            let mut found = Self::new(self.leaves.len() - 1);
            found.count_game(&next, 1);
            for (all, of_cell) in [(&mut self.leaves, found.leaves), (&mut self.ended, found.ended)] {
                all.iter_mut().zip(of_cell).for_each(|(all, of_cell)| *all += alike * of_cell);
            }
        }
        assert_eq!(cells, 121);
    }

    fn count_twin(&mut self, twin: &dyn Twin, played: usize) {
        if twin.to_move().is_none() {
            self.ended[played] += 1;
            return;
        }
        let tokens = twin.legal();
        self.leaves[played] += tokens.len() as u64;
        if played + 1 < self.leaves.len() {
            for token in tokens {
                let mut next = twin.boxed();
                next.apply(&token);
                self.count_twin(&*next, played + 1);
            }
        }
    }
}

/// The referee's counts, if it has any for this game.
fn counts_of(game: GameId, rules: Rules) -> Option<Counts> {
    let mut file: BTreeMap<String, serde_json::Value> =
        serde_json::from_str(&data_file("perft.json")).expect("perft.json is a JSON object");
    let counts = file.remove(&format!("{game}-{rules}"))?;
    Some(serde_json::from_value(counts).unwrap_or_else(|error| panic!("{game} {rules}: {error}")))
}

fn crate_agrees<G: Named>() {
    let name = format!("{} {}", G::GAME, G::RULES);
    let Some(counts) = counts_of(G::GAME, G::RULES) else { return };
    for entry in counts.from.iter().chain([&counts.start]) {
        let mut state = G::initial();
        for token in entry.moves.split_whitespace() {
            let mv = state.parse_move(token).unwrap_or_else(|error| panic!("{name}: {error}"));
            state.apply(mv);
        }
        let mut found = Tally::new(entry.depth());
        if entry.moves.is_empty() && G::GAME == GameId::Gomoku {
            found.count_by_symmetry(&state);
        } else {
            found.count_game(&state, 0);
        }
        entry.check(&name, &found);
    }
}

fn twin_agrees<G: Named>() {
    let name = format!("{} {}, the twin", G::GAME, G::RULES);
    let Some(counts) = counts_of(G::GAME, G::RULES) else { return };
    let mut checked = 0;
    for entry in counts.from.iter().chain([&counts.start]).filter(|entry| entry.states() <= TWIN_STATES) {
        let Some(mut twin) = twin_of::<G>() else { return };
        for token in entry.moves.split_whitespace() {
            twin.apply(token);
        }
        let mut found = Tally::new(entry.depth());
        found.count_twin(&*twin, 0);
        entry.check(&name, &found);
        checked += 1;
    }
    assert!(checked >= 4, "{name}: the limit leaves only {checked} entries to check");
}

in_every_game!(crate_agrees, twin_agrees);

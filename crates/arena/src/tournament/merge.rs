//! Merging the parts of a tournament.

use std::collections::HashMap;

use indexmap::IndexMap;
use indexmap::map::Entry;

use quintet_core::{Quoted, visible};
use quintet_protocol::GameRecord;

use super::variant_name::VariantName;

/// Why files are not parts of one tournament.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// They were played under different conditions.
    #[error("{}: {} in {first_file}, {} in {second_file}", visible(.what), Quoted(.first), Quoted(.second))]
    Conditions {
        /// What differs.
        what: String,
        /// Its value in the first file.
        first: String,
        /// The first file.
        first_file: String,
        /// Its value in the second file.
        second: String,
        /// The second file.
        second_file: String,
    },
    /// The files have different records of one game.
    #[error("{game} differs between {first_file} and {second_file}")]
    Game {
        /// The game.
        game: String,
        /// The first file.
        first_file: String,
        /// The second file.
        second_file: String,
    },
}

/// The conditions that all games of a tournament share: the value of each, and where it was first
/// seen.
#[derive(Debug, Default)]
pub(super) struct SharedConditions(HashMap<String, (String, String)>);

impl SharedConditions {
    /// Checks that a record has those of the earlier ones. `place` says where it is, as in "in x".
    pub(super) fn check(&mut self, record: &GameRecord, place: &str) -> Result<(), MergeError> {
        let arena = &record.arena;
        let shared = [
            ("program".to_owned(), arena.program().to_owned()),
            ("seed".to_owned(), arena.seed.to_string()),
            ("openings".to_owned(), arena.openings.clone()),
            ("resign".to_owned(), arena.resign.clone().unwrap_or_else(|| "none".to_owned())),
            ("draw".to_owned(), arena.draw.clone().unwrap_or_else(|| "none".to_owned())),
        ];
        let engines = arena.engines.iter().map(|(name, it)| (format!("engine {name}"), it.clone()));
        for (what, value) in shared.into_iter().chain(engines) {
            let (first, first_place) =
                self.0.entry(what.clone()).or_insert_with(|| (value.clone(), place.to_owned()));
            if *first != value {
                let (first, first_file) = (first.clone(), first_place.clone());
                let second_file = place.to_owned();
                return Err(MergeError::Conditions { what, first, first_file, second: value, second_file });
            }
        }
        Ok(())
    }
}

/// Merges the games of several files, given with their names, into one list, ordered by match and
/// pair. Matches are in the order in which they first appear. A game that is in several files is
/// taken once.
///
/// # Errors
/// [`MergeError`] if two files differ in program, seed, openings, adjudication or an engine's settings, or
/// have different records of the same game; the thoughts may differ.
pub fn merge(files: Vec<(String, Vec<GameRecord>)>) -> Result<Vec<GameRecord>, MergeError> {
    let mut conditions = SharedConditions::default();
    let mut games: IndexMap<_, (GameRecord, String)> = IndexMap::new();
    let mut matches = Vec::new();
    for (file, records) in files {
        for record in records {
            conditions.check(&record, &file)?;
            let it = (VariantName::from(&record), record.engines().map(str::to_owned));
            let place = matches.iter().position(|other| *other == it).unwrap_or_else(|| {
                matches.push(it);
                matches.len() - 1
            });
            match games.entry((place, record.pair, record.is_swapped())) {
                Entry::Vacant(entry) => {
                    entry.insert((record, file.clone()));
                }
                Entry::Occupied(entry) if !entry.get().0.is_same_game(&record) => {
                    let [a, b] = record.engines();
                    let game = VariantName::from(&record);
                    let half = if record.is_swapped() { "second" } else { "first" };
                    return Err(MergeError::Game {
                        game: format!("the {half} game of pair {} of {a} – {b}, {game},", record.pair + 1),
                        first_file: entry.get().1.clone(),
                        second_file: file,
                    });
                }
                Entry::Occupied(_) => {}
            }
        }
    }
    games.sort_unstable_keys();
    Ok(games.into_values().map(|(record, _)| record).collect())
}

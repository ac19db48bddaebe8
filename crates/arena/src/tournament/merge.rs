//! Merging the parts of a tournament.

use std::collections::HashMap;

use indexmap::IndexMap;
use indexmap::map::Entry;

use quintet_core::{Quoted, visible};
use quintet_protocol::GameRecord;

use super::variant_name::VariantName;

/// Why files are not parts of one tournament.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct MergeError(String);

/// The conditions that all games of a tournament share: the value of each, and where it was first
/// seen.
#[derive(Debug, Default)]
pub(super) struct SharedConditions(HashMap<String, (String, String)>);

impl SharedConditions {
    /// Checks that a record has those of the earlier ones. `place` says where it is, as in "in x".
    pub(super) fn check(&mut self, record: &GameRecord, place: &str) -> Result<(), MergeError> {
        for (what, value) in record.arena.listed() {
            let (first, first_place) =
                self.0.entry(what.clone()).or_insert_with(|| (value.clone(), place.to_owned()));
            if *first != value {
                let (what, first, second) = (visible(&what), Quoted(first), Quoted(&value));
                return Err(MergeError(format!("{what}: {first} in {first_place}, {second} in {place}")));
            }
        }
        Ok(())
    }
}

/// Merges the games of several files, given with their names, into one list, ordered by match,
/// opening and seats. Matches are in the order in which they first appear. A game that is in several files is
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
        for (index, record) in records.into_iter().enumerate() {
            conditions.check(&record, &format!("line {} of {file}", index + 1))?;
            let it = (VariantName::from(&record), record.engines().map(str::to_owned));
            let place = matches.iter().position(|other| *other == it).unwrap_or_else(|| {
                matches.push(it);
                matches.len() - 1
            });
            match games.entry((place, record.pair, record.seating())) {
                Entry::Vacant(entry) => {
                    entry.insert((record, file.clone()));
                }
                Entry::Occupied(entry) if !entry.get().0.is_same_game(&record) => {
                    let [a, b] = record.engines();
                    let game = VariantName::from(&record);
                    let seats: Vec<_> =
                        record.seats.iter().map(|(role, name)| format!("{role}: {name}")).collect();
                    let (number, seats, first_file) = (record.pair + 1, seats.join(", "), &entry.get().1);
                    return Err(MergeError(format!(
                        "the game with opening {number} of {a} – {b}, {game}, and {seats} differs between \
                         {first_file} and {file}"
                    )));
                }
                Entry::Occupied(_) => {}
            }
        }
    }
    games.sort_unstable_keys();
    Ok(games.into_values().map(|(record, _)| record).collect())
}

//! Queries about positions and their answers: `analyze` and `suggest --json`.

use std::fmt;
use std::num::{NonZeroU64, NonZeroUsize};

use indexmap::IndexMap;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Map;
use serde_json::value::RawValue;

use crate::action::{Action, ActionAnswer, ShownStep};
use crate::id::Id;
use crate::lines;

/// A query to `quintet analyze`. The command's flags give what it leaves out.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Query {
    /// Any JSON value; the answer repeats it.
    #[serde(default)]
    pub id: Id,
    /// The game's name, such as `quarto`.
    pub game: String,
    /// The ruleset's name, or `standard` for the one that people know; the game's default if left
    /// out.
    pub rules: Option<String>,
    /// The position string to start from; the start position if left out.
    pub position: Option<String>,
    /// The tokens of the moves played from there, the first one first; none if left out.
    #[serde(default)]
    pub moves: Vec<String>,
    /// The engine with its settings, such as `uct:c=0.5`; `quintet` if left out. If they contain a
    /// budget, the query must give none.
    pub engine: Option<String>,
    /// The maximum number of iterations, over all trees, at least 1 and at most 2^30 for each tree.
    /// With `time_ms`, the search ends at whichever comes first.
    pub iterations: Option<NonZeroU64>,
    /// The maximum time in milliseconds of wall clock, at least 1. If neither the query nor the
    /// flags give this or `iterations`, it is 1000.
    pub time_ms: Option<NonZeroU64>,
    /// The number of threads that the search uses, from 1 to 1024; by default the number of cores. With
    /// `iterations` and no time, the answer does not depend on it.
    #[cfg_attr(test, schemars(range(max = 1024)))]
    pub threads: Option<NonZeroUsize>,
    /// The number of root-parallel trees, from 1 to 1024. The answer depends on it. By default one; one for
    /// each thread where only `time_ms` limits the search: always for `uct`, and below 100 for `quintet`.
    #[cfg_attr(test, schemars(range(max = 1024)))]
    pub trees: Option<NonZeroUsize>,
    /// The seed of all random choices; 0 by default.
    pub seed: Option<u64>,
    /// The maximum memory for all trees, their provers included, such as `512MiB`; 1 GiB by default.
    pub memory: Option<String>,
    /// The least time in milliseconds between two partial answers, at least 1; none are given if left
    /// out. There are at most ten a second.
    pub report_every_ms: Option<NonZeroU64>,
    /// Of the queries that wait, those with the highest priority are searched first, and among
    /// equals the first one; 0 by default.
    #[serde(default)]
    pub priority: i64,
    /// The moves to choose from; all legal moves if left out.
    pub allow_moves: Option<Vec<String>>,
    /// The legal moves not to choose from; none if left out. Not together with `allow_moves`.
    pub avoid_moves: Option<Vec<String>>,
    /// The number of candidates that get a principal variation, the best first, at least 1; none
    /// if left out.
    pub variations: Option<NonZeroUsize>,
    /// The plies to answer, each with an answer of its own: *k* stands for the position after the
    /// first *k* of `moves`. The position after all moves if left out.
    pub analyze_plies: Option<Vec<usize>>,
    /// When to end before the budget is used up.
    pub until: Option<Until>,
    /// A name for the game, such as `"game 1"`. Trees are kept between queries that have the same
    /// name, the game and the engine in common, and used again if the position is the same or
    /// follows from the last one: the answer then depends on the queries before. These are
    /// searched one after another. At most 1000 characters.
    #[cfg_attr(test, schemars(length(max = 1000)))]
    pub keep: Option<String>,
    /// Whether the answer has the `step` after its move, so that a board can show it; false if left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub step: bool,
}

/// When a search ends before its budget is used up.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Until {
    /// As soon as the `confidence` of the answer is at least this, from 0.5 to 1.
    #[cfg_attr(test, schemars(range(min = 0.5, max = 1)))]
    pub confidence: f64,
}

/// A line to `quintet analyze`.
#[derive(Debug, Clone)]
pub enum Request {
    /// Search a position.
    Search(Box<Query>),
    /// Do something else.
    Act(Id, Action),
}

impl Request {
    /// Returns the id.
    #[must_use]
    pub fn id(&self) -> &Id {
        match self {
            Self::Search(query) => &query.id,
            Self::Act(id, _) => id,
        }
    }

    /// Parses a line.
    ///
    /// # Errors
    /// The answer that says what is wrong.
    pub fn parse(line: &[u8]) -> Result<Self, AnswerError> {
        let wrong = |id: &Id, error| AnswerError { id: id.clone(), ply: None, error };
        let Fields { mut written, twice } = serde_json::from_slice(lines::content(line))
            .map_err(|error| wrong(&Id::default(), lines::not_object(&error)))?;
        let id = written.shift_remove("id").map_or_else(Id::default, Id);
        match twice.as_deref() {
            None => {}
            // Either may be meant.
            Some("id") => return Err(wrong(&Id::default(), lines::twice("id"))),
            Some(name) => return Err(wrong(&id, lines::twice(name))),
        }
        let is_action = written.contains_key("action");
        let terminated = if is_action { written.shift_remove("terminate_id").map(Id) } else { None };
        let mut object = Map::new();
        for (name, value) in written {
            let lines::Strict(value) = serde_json::from_str(value.get())
                .map_err(|error| wrong(&id, format!("{name}: {}", lines::without_place(&error))))?;
            object.insert(name, value);
        }
        if is_action {
            let action = Action::read(object, terminated).map_err(|error| wrong(&id, error))?;
            return Ok(Self::Act(id, action));
        }
        if object.contains_key("end") {
            object.retain(|name, _| !OF_RECORDS.contains(&&**name));
        }
        let query: Query = lines::read(object).map_err(|error| wrong(&id, error))?;
        Ok(Self::Search(Box::new(Query { id, ..query })))
    }
}

/// The fields of game records that are no part of a query: a record, which has `end`, is a query of its last
/// position. Its engine and its seed are those of the game.
const OF_RECORDS: [&str; 12] = [
    "pair", "opening", "seats", "scores", "seed", "end", "fault", "thoughts", "times", "arena", "engine",
    "program",
];

/// The fields of an object.
struct Fields {
    /// Each as it stands there.
    written: IndexMap<String, Box<RawValue>>,
    /// The name of one that is given twice.
    twice: Option<String>,
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reads;

        impl<'de> Visitor<'de> for Reads {
            type Value = Fields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Fields, A::Error> {
                let (mut written, mut twice) = (IndexMap::new(), None);
                while let Some((name, value)) = fields.next_entry::<String, Box<RawValue>>()? {
                    if let Some(name) = written.contains_key(&name).then(|| name.clone()) {
                        twice.get_or_insert(name);
                    }
                    written.insert(name, value);
                }
                Ok(Fields { written, twice })
            }
        }

        deserializer.deserialize_map(Reads)
    }
}

/// An answer to a query.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Answer {
    /// The best move and the others.
    Moves(Box<AnswerMoves>),
    /// The game is over.
    Terminal(AnswerTerminal),
    /// The query was terminated before it was searched.
    Terminated(AnswerTerminated),
    /// The query is wrong.
    Error(AnswerError),
    /// The answer to an action.
    Action(Box<ActionAnswer>),
}

impl Answer {
    /// Whether another answer to the same query follows, which tells more.
    #[must_use]
    pub fn is_partial(&self) -> bool {
        match self {
            Self::Moves(answer) => answer.partial,
            Self::Terminal(_) | Self::Terminated(_) | Self::Error(_) | Self::Action(_) => false,
        }
    }
}

/// What an engine says about a position. Values are those of the role to move, in teams those of
/// its team.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AnswerMoves {
    /// The query's `id`; null if it has none. `suggest` leaves it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Id>,
    /// The ply of `analyze_plies`; left out if the query has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ply: Option<usize>,
    /// True while the search goes on and another answer follows; left out in the last one. The
    /// candidates of a partial answer have no `why`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub partial: bool,
    /// The game's name.
    pub game: String,
    /// The ruleset's name.
    pub rules: String,
    /// The name of the role to move.
    pub to_move: String,
    /// The token of the move to play: the first candidate.
    #[serde(rename = "move")]
    pub best: String,
    /// The expected score of the role to move if it plays `move`: from 0, lost, to 100, won, to 4
    /// decimal places. The mean of the iterations, or the exact score if it is proven; null if the
    /// engine did not try the move.
    pub value: Option<f64>,
    /// The exact score of the role to move under perfect play, among the moves to choose from: 0 if the
    /// position is lost, 50 drawn, 100 won; null unless it is proven. A candidate's is that of its move.
    pub proven: Option<u8>,
    /// The number of iterations done, over all trees; 0 if none was needed.
    pub iterations: u64,
    /// The time that the engine took, in seconds of wall clock.
    pub seconds: f64,
    /// The CPU time of all its threads together, in seconds. If it is less than `seconds`, the engine had to wait for
    /// a core. 0 for an engine that does not search, and where the system does not tell.
    #[serde(default)]
    pub cpu_seconds: f64,
    /// How sure it is that no other move that was tried is better than `move`, from 0 to 1, to 4
    /// decimal places: Φ of the distance of their values in standard errors, the least over the
    /// others. Visits depend on each other, so this compares positions rather than states a
    /// probability. Null if `move` was not tried, or is drawn from a policy.
    pub confidence: Option<f64>,
    /// Why the search did not use up its budget: `proven` (the value of the position is proven), `safe
    /// leader` (no other move could overtake the best one), `only move`, `confident` (as asked by
    /// `until`), `terminated`, or `preempted` (a query of another client of a server had to wait); null if it did,
    /// if it was stopped, while it goes on, and for an engine that does not search.
    pub ended: Option<String>,
    /// The number of nodes that all trees take up, unused ones included.
    pub nodes: u64,
    /// Whether a tree could not grow because its memory was used up.
    pub memory_full: bool,
    /// Every legal move, or every move to choose from, best first.
    pub candidates: Vec<Candidate>,
    /// Where roles move at the same time: by the name of each role that takes part, the probability of each of its
    /// moves, by its token, from 0 to 1, to 4 decimal places. `move` is drawn from that of the role to move, and
    /// `value` is the mean over it. Left out elsewhere.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub policies: IndexMap<String, IndexMap<String, f64>>,
    /// The principal variation: the tokens of the best line found, for all roles in turn. The first
    /// is `move`.
    pub pv: Vec<String>,
    /// How the game is won, where the position is proven to be won or lost: in how many plies, and a line to the end.
    /// Left out elsewhere, in a partial answer, with `step`, and where no line was found in a fraction of a second.
    #[serde(flatten)]
    pub win: Option<Box<WinLine>>,
    /// The tokens of the whole turn: `move`, then every move until the other side moves, each from a search
    /// of its own. Left out unless `suggest --turn` asks for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub turn: Vec<String>,
    /// The state after `move`, with its picture and the effects of its moves, as the last step of `replay`.
    /// Left out unless the query asks for it, and in a partial answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<Box<ShownStep>>,
}

/// How a position that is proven to be won or lost ends: the winner plays what the proof says, and the other side holds
/// out as long as it can against that.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WinLine {
    /// The plies to the end if both sides play best, the winner for speed and the other for delay; left out where that
    /// is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plies: Option<u32>,
    /// The maximum of plies to the end as long as the winner plays what the proof says; there may be a shorter way.
    /// Left out if `plies` is known, or if there are too many replies to look at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plies_at_most: Option<u32>,
    /// The tokens of a line to the end, for all roles in turn.
    pub line: Vec<String>,
    /// What is known for certain about each move of the line, such as what it threatens: empty where nothing is, and
    /// for the moves of the loser.
    pub line_why: Vec<String>,
}

/// A legal move and what the search found about it. Values are those of the role that plays it.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Candidate {
    /// The token of the move.
    #[serde(rename = "move")]
    pub mv: String,
    /// The number of iterations that tried it, over all trees.
    pub visits: u64,
    /// The expected score of the role to move if it plays this: from 0, lost, to 100, won, to 4
    /// decimal places. The mean of the visits, or the exact score if it is proven; null if the move
    /// was not tried.
    pub value: Option<f64>,
    /// The exact score of the role to move under perfect play after it: 0 loses, 50 draws, 100
    /// wins; null unless it is proven.
    pub proven: Option<u8>,
    /// The number of plies to the end of the game under perfect play, this move included; null if
    /// not known.
    pub plies: Option<u32>,
    /// What is known for certain about it, in a few words for people. If nothing is, why the move was
    /// not tried; empty if it was.
    pub why: String,
    /// The principal variation that starts with it, for as many candidates as the query asks for;
    /// left out for the others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pv: Vec<String>,
}

/// The answer if the game is over.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AnswerTerminal {
    /// The query's `id`; null if it has none. `suggest` leaves it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Id>,
    /// The ply of `analyze_plies`; left out if the query has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ply: Option<usize>,
    /// Always true.
    pub terminal: bool,
    /// The final score of each role, by its name: 0 lost, 50 drawn, 100 won.
    pub scores: IndexMap<String, u8>,
}

/// The answer to a wrong query.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AnswerError {
    /// The query's `id`; null if it has none or can't be read.
    pub id: Id,
    /// The ply of `analyze_plies`; left out if the query has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ply: Option<usize>,
    /// What is wrong, in words for people.
    pub error: String,
}

/// The answer to a query that was terminated while it waited.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AnswerTerminated {
    /// The query's `id`; null if it has none.
    pub id: Id,
    /// The ply of `analyze_plies`; left out if the query has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ply: Option<usize>,
    /// Always true.
    pub terminated: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(line: &str) -> (String, String) {
        let AnswerError { id, error, .. } = Request::parse(line.as_bytes()).expect_err("wrong");
        (id.0.get().to_owned(), error)
    }

    #[test]
    fn a_field_of_a_query_is_given_once() {
        for (line, id, error) in [
            (r#"{"id":1,"game":"krk","game":"krk"}"#, "1", "the field `game` is given twice"),
            (r#"{"game":"krk","seed":1,"seed":2,"id":"x"}"#, "\"x\"", "the field `seed` is given twice"),
            (r#"{"id":1,"game":"krk","id":2}"#, "null", "the field `id` is given twice"),
            (
                r#"{"id":1,"game":"krk","until":{"confidence":1,"confidence":0.9}}"#,
                "1",
                "until: the field `confidence` is given twice",
            ),
            (r#"{"id":1,"action":"games","action":"levels"}"#, "1", "the field `action` is given twice"),
            (
                r#"{"action":"terminate","terminate_id":1,"terminate_id":2}"#,
                "null",
                "the field `terminate_id` is given twice",
            ),
        ] {
            assert_eq!(wrong(line), (id.to_owned(), error.to_owned()), "{line}");
        }
    }

    #[test]
    fn what_is_wrong_with_an_action_is_told_with_its_field() {
        for (line, error) in [
            (r#"{"action":5}"#, "action: expected a string"),
            (r#"{"action":"dance"}"#, "action: unknown variant `dance`, expected one of `terminate`, "),
            (r#"{"action":"games","x":1}"#, "x: unknown field `x`"),
            (r#"{"action":"replay"}"#, "missing field `game`"),
            (r#"{"action":"replay","game":"krk","moves":["a",5]}"#, "moves[1]: invalid type: integer `5`, "),
            (r#"{"action":"replay","game":"krk","pictures":1}"#, "pictures: invalid type: integer `1`, "),
            (r#"{"action":"tournament","records":[{"game":1}]}"#, "records[0].game: invalid type: "),
            (r#"{"action":"terminate"}"#, "missing field `terminate_id`"),
        ] {
            let (_, found) = wrong(line);
            assert!(found.starts_with(error), "{line}: {found}");
        }
    }

    #[test]
    fn a_game_record_is_a_query_of_its_last_position() {
        let record = crate::GameRecord {
            game: "krk".to_owned(),
            rules: "ggp".to_owned(),
            pair: 1,
            position: Some("k3/4/4/2KR w 1".to_owned()),
            opening: Vec::new(),
            moves: vec!["Kc1-c2".to_owned()],
            seats: IndexMap::new(),
            scores: IndexMap::new(),
            seed: 7,
            end: crate::End::Time,
            fault: Some("late".to_owned()),
            thoughts: vec![None],
            times: IndexMap::from([("a".to_owned(), crate::EngineTime::default())]),
            arena: crate::Conditions {
                program: String::new(),
                seed: 1,
                openings: String::new(),
                resign: None,
                draw: None,
                rulesheet: None,
                models: IndexMap::new(),
                engines: IndexMap::new(),
            },
        };
        let mut line = serde_json::to_value(&record).expect("JSON");
        line["engine"] = "uct:iterations=1".into();
        line["program"] = "quintet".into();
        line["iterations"] = 5.into();
        let Ok(Request::Search(query)) = Request::parse(line.to_string().as_bytes()) else {
            panic!("a query")
        };
        assert_eq!(
            (query.moves, query.position, query.rules),
            (record.moves, record.position, Some(record.rules))
        );
        assert_eq!((query.seed, query.engine, query.iterations), (None, None, NonZeroU64::new(5)));
        // Without an end it is no record.
        let (_, error) = wrong(r#"{"game":"krk","seats":{}}"#);
        assert!(error.contains("unknown field `seats`"), "{error}");
    }

    #[test]
    fn whole_numbers_may_have_a_point_and_an_id_stays_as_it_is_written() {
        let line = br#"{"id":1.0,"game":"krk","iterations":1000.0,"seed":1e3,"analyze_plies":[0.0]}"#;
        let Ok(Request::Search(query)) = Request::parse(line) else { panic!("a query") };
        assert_eq!(query.id.0.get(), "1.0");
        assert_eq!((query.iterations, query.seed), (NonZeroU64::new(1_000), Some(1_000)));
        assert_eq!(query.analyze_plies, Some(vec![0]));
        let (_, error) = wrong(r#"{"game":"krk","priority":1.5}"#);
        assert!(error.starts_with("priority: invalid type: floating point `1.5`, expected a whole number"));
    }
}

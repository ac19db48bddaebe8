//! Lines to `quintet analyze` that search nothing, and their answers.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::id::Id;
use crate::lines;
use crate::{
    ArenaResults, Change, ConvertedText, GameLine, GameRecord, Grade, Layout, LevelLine, Picture,
    PlayingGame, PuzzleList, Step, WinLine,
};

/// What a line asks for by its field `action`. It may have an `id` too, which the answer repeats.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(tag = "action"))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Action {
    /// End the queries with the id `terminate_id`: those that wait at once, the others with what they
    /// have found.
    Terminate {
        /// The id, written as in the queries.
        #[serde(skip_deserializing)]
        terminate_id: Id,
    },
    /// End all queries.
    TerminateAll {},
    /// Tell the name and the version of the program.
    Version {},
    /// List the games.
    Games {},
    /// Tell what is on the board at every ply of a game, and which moves are legal.
    Replay {
        /// The game's name.
        game: String,
        /// The ruleset's name, or `standard` for the one that people know; the game's default if
        /// left out.
        rules: Option<String>,
        /// The position string to start from; the start position if left out.
        position: Option<String>,
        /// The tokens of the moves played from there, the first one first; none if left out.
        #[serde(default)]
        moves: Vec<String>,
        /// Whether each step tells its `picture`, and the last one the `effects` of its moves; false
        /// if left out.
        #[serde(default)]
        pictures: bool,
    },
    /// Make records of the games in a text, as `quintet convert` does with a file.
    Convert {
        /// The text: Piskvork's `.psq`, SGF, or cells such as `f6g7e6`, one game a line.
        text: String,
        /// The ruleset's name; that which people know if left out.
        rules: Option<String>,
    },
    /// List the levels: opponents for people.
    Levels {},
    /// List the puzzles of a game.
    Puzzles {
        /// The game's name.
        game: String,
        /// The ruleset's name, or `standard` for the one that people know; the game's default if left out.
        rules: Option<String>,
    },
    /// List the files of tournaments that `quintet serve` was started with.
    Files {},
    /// Follow one of these files: tell what is in it, and then what is new, until this is terminated.
    Watch {
        /// The file, as `files` names it.
        file: String,
    },
    /// Sum up the games of a tournament.
    Tournament {
        /// The game records of `arena --out`.
        records: Vec<GameRecord>,
    },
}

impl Action {
    /// Reads an action from the fields of a line, without `id` and `terminate_id`.
    pub(crate) fn read(object: Map<String, Value>, terminate_id: Option<Id>) -> Result<Self, String> {
        let action = lines::read_tagged("action", object)?;
        match (action, terminate_id) {
            (Self::Terminate { .. }, Some(terminate_id)) => Ok(Self::Terminate { terminate_id }),
            (Self::Terminate { .. }, None) => Err("missing field `terminate_id`".to_owned()),
            (_, Some(_)) => Err("only the action `terminate` has a `terminate_id`".to_owned()),
            (action, None) => Ok(action),
        }
    }
}

/// The answer to an action.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum ActionAnswer {
    /// Queries were ended.
    Terminate(Terminated),
    /// All queries were ended.
    TerminateAll(Terminated),
    /// The program.
    Version(ProgramVersion),
    /// The games.
    Games(GameList),
    /// A game, ply by ply.
    Replay(ShownGame),
    /// The games in a text.
    Convert(ConvertedText),
    /// The levels.
    Levels(LevelList),
    /// The puzzles.
    Puzzles(PuzzleList),
    /// The files.
    Files(FileList),
    /// What is new in a file.
    Watch(WatchNews),
    /// A tournament.
    Tournament(TournamentSummary),
}

/// The end of some queries, or of all.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Terminated {
    /// The `id` of the line; null if it has none.
    pub id: Id,
    /// The id of the queries; left out if all were ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terminate_id: Option<Id>,
    /// The number of queries; of those with `analyze_plies`, the number of plies. Each gets its last
    /// answer, those that waited before this line.
    pub terminated: usize,
}

/// The program and its version.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ProgramVersion {
    /// The `id` of the line; null if it has none.
    pub id: Id,
    /// The program's name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// The games of the program.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct GameList {
    /// The `id` of the line; null if it has none.
    pub id: Id,
    /// Each game under each of its rulesets.
    pub games: Vec<ListedGame>,
    /// How moves are graded that lost a part of the score, the smallest loss first.
    pub grades: [Grade; 3],
}

/// A game under one ruleset, with its board.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ListedGame {
    /// Its names, roles and rules.
    #[serde(flatten)]
    pub game: GameLine,
    /// The side of each role, 1 or 2, in the order of `roles`. Roles of one side are a team.
    pub sides: Vec<u8>,
    /// The board and everything that can stand on it; null if positions are drawn as text.
    pub layout: Option<Layout>,
}

/// A game, ply by ply.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ShownGame {
    /// The `id` of the line; null if it has none.
    pub id: Id,
    /// The game's name.
    pub game: String,
    /// The ruleset's name.
    pub rules: String,
    /// Always true.
    pub ok: bool,
    /// The state before each move, and the one after the last: one more than there are moves.
    pub steps: Vec<ShownStep>,
}

/// The state of a game at one moment, with what a board shows.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ShownStep {
    /// Its legal moves and scores.
    #[serde(flatten)]
    pub step: Step,
    /// The position string.
    pub position: String,
    /// A word about the role to move that neither its name nor the board tells, such as the color of
    /// its stones; null if there is none.
    pub about: Option<String>,
    /// What the role to move has to do, in words for people, such as `place the piece 0101`; null if
    /// the game is over or has no words for it.
    pub task: Option<String>,
    /// How the game ended, in words for people, such as `five black stones in a row, f6 to j6`; null while it goes on,
    /// or if the game has no words for it.
    pub ending: Option<String>,
    /// How many of the last moves the role to move does not see, as roles move at the same time: a page hides them from
    /// the person who is to move. Left out if there are none.
    #[serde(skip_serializing_if = "is_zero")]
    pub unseen: usize,
    /// What is on the board; left out if the line does not ask for pictures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub picture: Option<Picture>,
    /// What each legal move changes in the picture, by its token: a page can turn clicks into moves
    /// without knowing the rules. Left out except in the last step, if the line asks for pictures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effects: Option<IndexMap<String, Change>>,
    /// How the game is won from here. Left out except in a report, in the first position of a game that an engine proved
    /// to be won or lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub win: Option<Box<WinLine>>,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// The levels.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LevelList {
    /// The `id` of the line; null if it has none.
    pub id: Id,
    /// Each level, the weakest first.
    pub levels: Vec<LevelLine>,
}

/// The files of tournaments that can be followed.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FileList {
    /// The `id` of the line; null if it has none.
    pub id: Id,
    /// The names of the files.
    pub files: Vec<String>,
}

/// What is new in a file that is followed.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[expect(clippy::struct_excessive_bools, reason = "each is a field of the line")]
pub struct WatchNews {
    /// The `id` of the line; null if it has none.
    pub id: Id,
    /// Always true: the last answer is that the line was terminated.
    pub partial: bool,
    /// Whether `records` are the first of the file. They replace all that were told before: the file
    /// is new, or was replaced or cut.
    pub from_start: bool,
    /// The records since the last answer.
    pub records: Vec<GameRecord>,
    /// Whether more records follow at once.
    pub has_more: bool,
    /// The games that are being played now.
    pub playing: Vec<PlayingGame>,
    /// Whether a tournament is writing the file.
    pub is_running: bool,
    /// What is wrong with the file, in words for people; null if nothing is. It is tried again.
    pub error: Option<String>,
    /// The results of all records so far.
    pub summary: ArenaResults,
}

/// The results of a tournament.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TournamentSummary {
    /// The `id` of the line; null if it has none.
    pub id: Id,
    /// The results and ratings.
    pub summary: ArenaResults,
}

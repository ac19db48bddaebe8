//! Matches between engines.
//!
//! A [`Tournament`] lists its games; [`run`](run()) plays them, several at a time, and passes on the record of
//! each. A [`GameLog`] stores the records, and [`Standings`] add up their results. A [`Campaign`] is all of
//! it: it plays what a log lacks, until tests end the matches.

mod adjudication;
mod campaign;
mod choice;
mod error;
mod external;
mod follow;
mod log;
mod merge;
mod opening;
mod play;
mod playing;
pub mod record;
mod remote;
mod results;
mod run;
mod schedule;
mod seating;
mod standings;
mod summary;
mod variant_name;
mod watch;
mod worker;

pub use adjudication::{Adjudication, Agreement};
pub use campaign::{Campaign, CampaignError, CampaignWatcher, KnownGames, resume};
pub use error::ArenaError;
pub use follow::{GameSource, follow};
pub use log::{GameLog, LogError, is_torn, read_games};
pub use merge::{MergeError, merge};
pub use opening::{Book, BookError, Openings};
pub use playing::Playing;
pub use remote::RemoteWorkers;
pub use results::MatchResults;
pub use run::{Plan, Workers, run};
pub use schedule::{Format, ScheduledGame, Shard, Tournament, Unplayable};
pub use seating::Seating;
pub use standings::{GameRatings, Match, Standings};
pub use summary::summary;
pub use variant_name::VariantName;
pub use watch::{News, Watch};
pub use worker::Worker;

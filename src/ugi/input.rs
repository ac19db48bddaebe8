//! The events of the engine: lines of standard input, and the progress of searches.

use quintet_core::search::Report;

use super::searcher::Searcher;
use crate::ahead::Input;

/// An event that the engine handles.
pub(super) enum Event {
    Input(Input),
    /// What the search has found so far.
    Progress(Report<String>),
    SearchEnds(Searcher, Result<Report<String>, String>),
}

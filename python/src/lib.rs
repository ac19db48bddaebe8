//! The native module of the Python package `quintet`: `quintet._native`.
//!
//! It passes text: positions and moves as their tokens, settings as the command line has them, reports as
//! the JSON of `quintet-protocol`. The Python files beside it make objects of that, and are what people use.
//! Every function that may take long runs on threads of its own while Python goes on; see `wait.rs`.

mod arena;
mod position;
mod registry;
mod search;
mod wait;

use pyo3::prelude::*;

/// Games, searches, proofs and matches, as text.
#[pymodule]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::arena::play_match;
    #[pymodule_export]
    use crate::position::Position;
    #[pymodule_export]
    use crate::registry::load_rulesheet;
    #[pymodule_export]
    use crate::search::{Stream, milliseconds, solve};

    /// Sets what is no function.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }

    /// Returns the lines of `quintet games --json`, as a JSON list.
    #[pyfunction]
    fn games() -> PyResult<String> {
        crate::json(&quintet_analysis::embed::games(&crate::registry::games()))
    }

    /// Returns the JSON Schema of all lines.
    #[pyfunction]
    fn schema() -> &'static str {
        quintet_protocol::SCHEMA
    }

    /// Returns the board of a game with its trays and pieces as JSON; `None` if it is drawn as text.
    #[pyfunction]
    fn layout(game: &str, rules: &str) -> PyResult<Option<String>> {
        let variant = crate::registry::games().find(game, Some(rules)).map_err(crate::wrong)?;
        quintet_board::layout_of(&*variant.start()).map(|layout| crate::json(&layout)).transpose()
    }
}

/// An error in what the caller gave: `ValueError`.
#[expect(clippy::needless_pass_by_value, reason = "it is passed to map_err")]
fn wrong(error: impl ToString) -> PyErr {
    pyo3::exceptions::PyValueError::new_err(error.to_string())
}

/// Returns a value as JSON.
fn json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| pyo3::exceptions::PyRuntimeError::new_err(error.to_string()))
}

//! The games: quintet's, and those of rulesheets that were loaded.

use std::path::{Path, PathBuf};
use std::sync::{LazyLock, PoisonError, RwLock};

use pyo3::prelude::*;
use quintet_core::Quoted;
use quintet_core::registry::Registry;
use quintet_gdl::{ReadError, name_of};

use crate::wait::Work;
use crate::wrong;

static GAMES: LazyLock<RwLock<Registry>> = LazyLock::new(|| RwLock::new(quintet_games::registry()));

/// All games at this moment.
pub(crate) fn games() -> Registry {
    GAMES.read().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Compiles a rulesheet and adds its game, under this name or that of the file; returns the name. It replaces a game of
/// a rulesheet that was loaded under the name before.
#[pyfunction]
#[pyo3(signature = (path, name=None))]
pub(crate) fn load_rulesheet(py: Python<'_>, path: PathBuf, name: Option<&str>) -> PyResult<String> {
    // `all` stands for all games.
    let own = |name: &str| name == "all" || quintet_games::registry().game(name).is_ok();
    let name = match name {
        Some(name) if name_of(name.as_ref()) != name => {
            let name = Quoted(name);
            return Err(wrong(format!("name: {name} is not of letters in lower case, digits and hyphens")));
        }
        Some(name) if own(name) => {
            return Err(wrong(format!("name: {} has a meaning already", Quoted(name))));
        }
        Some(name) => name.to_owned(),
        None => {
            let name = name_of(path.file_stem().unwrap_or_default());
            if own(&name) { format!("{name}-gdl") } else { name }
        }
    };
    let compiled = Work::start(1, move |_, _: &dyn Fn(())| quintet_gdl::read(Path::new(&path)))?
        .finish(py, |()| Ok(()))?;
    let compiled = compiled.map_err(|error| match &error {
        ReadError::File(_, cause) => std::io::Error::new(cause.kind(), error.to_string()).into(),
        ReadError::Text(..) | ReadError::Rules(..) => wrong(error),
    })?;
    let variant = quintet_gdl::variant(name.clone(), compiled);
    GAMES.write().unwrap_or_else(PoisonError::into_inner).add_variant(variant);
    Ok(name)
}

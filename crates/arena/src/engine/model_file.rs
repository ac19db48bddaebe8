//! Files of models.

use std::fmt::{self, Display};
use std::fs::File;
use std::io::Read as _;
use std::str::FromStr;

use quintet_core::learned::Model;

/// A [`Model`] and the path of its file.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelFile {
    path: String,
    /// What the file says.
    pub model: Model,
}

impl ModelFile {
    /// A model that is in a file with this name, or will be.
    #[must_use]
    pub fn new(name: &str, model: Model) -> Self {
        Self { path: name.to_owned(), model }
    }
}

/// Reads the file at this path. The error is worded to follow the path in a message.
impl FromStr for ModelFile {
    type Err = String;

    fn from_str(path: &str) -> Result<Self, String> {
        /// The maximum bytes of a file.
        const MOST: u64 = 256 << 20;
        let no_file = |error| format!("can't be read as a model: {error}");
        let mut text = String::new();
        let file = File::open(path).map_err(no_file)?;
        file.take(MOST).read_to_string(&mut text).map_err(no_file)?;
        let model = Model::read(&text).map_err(|error| format!("is no model: {error}"))?;
        Ok(Self { path: path.to_owned(), model })
    }
}

/// Writes the path.
impl Display for ModelFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.path)
    }
}

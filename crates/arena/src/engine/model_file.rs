//! Files of models.

use std::fmt::{self, Display};
use std::io::{self, Read as _};
use std::path::Path;
use std::str::FromStr;

use quintet_core::learned::Model;
use quintet_core::names;

use crate::files;

/// A [`Model`], and the path of its file or the name that it goes by.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelFile {
    path: String,
    /// What the file says.
    pub model: Model,
}

impl ModelFile {
    /// A model that goes by this name.
    #[must_use]
    pub fn new(name: &str, model: Model) -> Self {
        Self { path: name.to_owned(), model }
    }

    /// The path of its file or the name that it goes by.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.path
    }
}

/// Reads the file at this path. The error is worded to follow the path in a message.
impl FromStr for ModelFile {
    type Err = String;

    fn from_str(path: &str) -> Result<Self, String> {
        /// The maximum bytes of a file.
        const MOST: u64 = 256 << 20;
        let no_file = |error: io::Error| format!("can't be read as a model: {error}");
        let file =
            files::open_regular(Path::new(path)).map_err(|error| match none_kept(Path::new(path)) {
                Some(why) if error.kind() == io::ErrorKind::NotFound => why,
                _ => no_file(error),
            })?;
        if file.metadata().map_err(no_file)?.len() > MOST {
            return Err(format!("can't be read as a model: it has more than {} MiB", MOST >> 20));
        }
        let mut text = String::new();
        file.take(MOST).read_to_string(&mut text).map_err(no_file)?;
        let model = Model::read(&text).map_err(|error| format!("is no model: {error}"))?;
        Ok(Self { path: path.to_owned(), model })
    }
}

/// Says why a training has no file of this name, if its folder has that of a training that has kept no model.
fn none_kept(path: &Path) -> Option<String> {
    let has = |name: &str| path.with_file_name(name).exists();
    let is_best = path.file_name().is_some_and(|name| name == "best.model");
    let newest =
        (1..1000).map(|number| format!("generation-{number:03}.model")).take_while(|name| has(name)).last();
    match newest {
        _ if !is_best || !has("training.json") => None,
        Some(newest) => Some(format!(
            "is not there: no model of this training has won its match so far; {newest} beside it can be read"
        )),
        None => Some("is not there: this training has made no model so far".to_owned()),
    }
}

/// Where the models are that texts of engines name.
#[derive(Debug, Clone, Default)]
pub struct Models {
    named: Vec<ModelFile>,
    is_closed: bool,
}

impl Models {
    /// Models with names of their own; any other name is the path of a file.
    #[must_use]
    pub fn new(named: Vec<ModelFile>) -> Self {
        Self { named, is_closed: false }
    }

    /// These models, and no files.
    #[must_use]
    pub fn closed(self) -> Self {
        Self { is_closed: true, ..self }
    }

    /// Finds a model. The error is worded to follow the name in a message.
    pub(super) fn find(&self, name: &str) -> Result<ModelFile, String> {
        match self.named.iter().find(|it| it.path == name) {
            Some(model) => Ok(model.clone()),
            None if !self.is_closed => name.parse(),
            None if self.named.is_empty() => Err("is no model: none is named here".to_owned()),
            None => {
                let names: Vec<&str> = self.named.iter().map(|it| it.path.as_str()).collect();
                Err(format!("is no model{}", names::hint(name, &names)))
            }
        }
    }
}

/// Writes the path.
impl Display for ModelFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn only_regular_files_are_opened() {
        for path in ["/dev/null", "/dev/ptmx", "/"] {
            let error = path.parse::<ModelFile>().expect_err("no file");
            assert!(error.contains("it is not a regular file"), "{path} {error}");
        }
        let directory = tempfile::tempdir().expect("a folder");
        let fifo = directory.path().join("fifo");
        let made = std::process::Command::new("mkfifo").arg(&fifo).status();
        if made.is_ok_and(|status| status.success()) {
            let error = fifo.display().to_string().parse::<ModelFile>().expect_err("nobody writes into it");
            assert!(error.contains("it is not a regular file"), "{error}");
        }
    }

    #[test]
    fn a_training_that_has_kept_no_model_is_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("best.model");
        let error = || path.display().to_string().parse::<ModelFile>().expect_err("no file");
        assert!(error().starts_with("can't be read as a model: "), "{}", error());
        std::fs::write(folder.path().join("training.json"), "{}").expect("it can be written");
        assert_eq!(error(), "is not there: this training has made no model so far");
        for name in ["generation-001.model", "generation-002.model"] {
            std::fs::write(folder.path().join(name), "").expect("it can be written");
        }
        assert_eq!(
            error(),
            "is not there: no model of this training has won its match so far; generation-002.model beside it can be read"
        );
    }

    #[test]
    fn closed_models_open_no_file() {
        for path in ["Cargo.toml", "/dev/ptmx", ""] {
            let error = Models::default().closed().find(path).expect_err("not named");
            assert_eq!(error, "is no model: none is named here");
        }
        assert!(Models::default().find("Cargo.toml").expect_err("no model").starts_with("is no model: "));
    }
}

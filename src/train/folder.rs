//! The files of a training.

use std::fmt::{self, Display};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail, ensure};
use quintet_arena::files;
use quintet_arena::training::{Fit, SelfGame};
use quintet_core::learned::{FeatureCounts, Model};
use quintet_core::registry::Variant;
use serde::{Deserialize, Serialize};

use crate::WorkError;
use crate::output::replace;

/// The settings that a training must keep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Setup {
    pub(super) program: String,
    pub(super) game: [String; 2],
    pub(super) games: usize,
    pub(super) positions: usize,
    pub(super) iterations: u64,
    pub(super) random_plies: usize,
    pub(super) evaluations: String,
    pub(super) exploration: String,
    pub(super) match_games: u32,
    pub(super) sprt: String,
    pub(super) seed: u64,
    /// The numbers of features of positions and of moves.
    pub(super) features: [usize; 2],
}

/// What came of a generation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Generation {
    pub(super) number: u32,
    /// How well the model before and the new one fit games that neither was fitted to.
    pub(super) fits: [Fit; 2],
    /// The pairs of games of its match in which the new model got 0, ½, 1, 1½ and 2 points, up to the one
    /// that decided.
    pub(super) pairs: [u32; 5],
    /// Whether the new model is the best one now.
    pub(super) is_kept: bool,
    /// The fingerprint of the new model.
    pub(super) model: String,
}

/// Writes it in a line.
impl Display for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, fits: [before, after], pairs, is_kept, model: _ } = self;
        let pairs = pairs.map(u64::from);
        let games = 2 * pairs.iter().sum::<u64>();
        let points: u64 = (0..).zip(pairs).map(|(half_points, pairs)| half_points * pairs).sum();
        let score = 50.0 * points as f64 / games.max(1) as f64;
        write!(
            f,
            "generation {number}: most visited move {:.1} -> {:.1} %, error of scores {:.1} -> {:.1} %; {score:.1} % of {games} games: {}",
            100.0 * before.agreement,
            100.0 * after.agreement,
            100.0 * before.error.sqrt(),
            100.0 * after.error.sqrt(),
            if *is_kept { "kept" } else { "not kept" },
        )
    }
}

/// The folder of a training, which no other program uses meanwhile.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    /// The file of settings, locked.
    _lock: File,
}

/// The name of the file of settings.
const SETUP: &str = "training.json";
/// The name of the file of results, with a line for each generation.
const GENERATIONS: &str = "generations.jsonl";
/// The name of the file of the best model.
pub(super) const BEST: &str = "best.model";
/// How the names of the files of a generation begin, before its number, and end: its model, its games, and those of
/// its match.
const MODEL: [&str; 2] = ["generation-", ".model"];
const GAMES: [&str; 2] = ["games-", ".jsonl"];
const MATCH: [&str; 2] = ["match-", ".jsonl"];

/// The name of a file of a generation.
fn name_of([start, end]: [&str; 2], number: u32) -> String {
    format!("{start}{number:03}{end}")
}

impl Folder {
    /// Opens or makes the folder; returns the generations that are done.
    pub(super) fn open(path: &Path, resume: bool, setup: &Setup) -> anyhow::Result<(Self, Vec<Generation>)> {
        let file = path.join(SETUP);
        let shown = path.display();
        let has_training =
            || bail!("{shown} has a training: continue it with --resume, or name another folder");
        match fs::metadata(&file) {
            Ok(found) if found.len() > 0 && !resume => return has_training(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if let Some(name) = left_over(path)? {
                    bail!("{shown} has {name} of a training, but no {SETUP}: name another folder");
                }
                fs::create_dir_all(path).map_err(WorkError::unwritten(path))?;
            }
            found => _ = found.with_context(|| format!("can't read {}", file.display()))?,
        }
        let lock = files::open_alone(&file, OpenOptions::new().read(true).write(true).create(true));
        let Some(mut lock) = lock.with_context(|| format!("can't open {}", file.display()))? else {
            bail!("another program trains in {shown}");
        };
        // Another program may have begun since. One that was killed before it wrote this has done nothing.
        let mut before = String::new();
        lock.read_to_string(&mut before).with_context(|| format!("can't read {}", file.display()))?;
        if before.is_empty() {
            before = serde_json::to_string_pretty(setup)? + "\n";
            if let Err(error) = lock.write_all(before.as_bytes()).and_then(|()| lock.sync_all()) {
                // What is left of it is of no use.
                let _ = fs::remove_file(&file);
                return Err(WorkError::unwritten(&file)(error).into());
            }
        } else if !resume {
            return has_training();
        }
        let folder = Self { path: path.to_owned(), _lock: lock };
        let before: Setup = serde_json::from_str(&before).with_context(|| file.display().to_string())?;
        if before != *setup {
            let [theirs, ours] = [&before, setup].map(|it| serde_json::to_value(it).unwrap_or_default());
            let keys = theirs.as_object().into_iter().flatten();
            let differing = keys.filter(|(key, value)| ours[key.as_str()] != **value);
            let texts = differing.map(|(key, value)| format!("{key} is {value} there, {} here", ours[key]));
            bail!("{shown} has another training: {}", texts.collect::<Vec<_>>().join("; "));
        }
        folder.remove_unfinished()?;
        let path = folder.file(GENERATIONS);
        let (_, generations): (_, Vec<Generation>) = continued(&path)?;
        for (line, generation) in (1..).zip(&generations) {
            let Generation { number, .. } = generation;
            ensure!(
                *number == line,
                "{}, line {line}: generation {number} where {line} is expected",
                path.display()
            );
        }
        Ok((folder, generations))
    }

    /// Removes the files that a program left unfinished when it was killed: [`replace`] writes beside a file
    /// of this training, under its name and `.new`, or `.2.new` and so on.
    fn remove_unfinished(&self) -> anyhow::Result<()> {
        let shown = self.path.display();
        let is_own = |name: &str| {
            let of_generation = name.strip_prefix(MODEL[0]).and_then(|it| it.strip_suffix(MODEL[1]));
            let is_number = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
            name == BEST || of_generation.is_some_and(is_number)
        };
        for entry in fs::read_dir(&self.path).with_context(|| format!("can't read {shown}"))? {
            let path = entry.with_context(|| format!("can't read {shown}"))?.path();
            let name = path.file_name().and_then(|name| name.to_str());
            let Some(name) = name.and_then(|name| name.strip_suffix(".new")) else { continue };
            let (before, number) = name.rsplit_once('.').unwrap_or((name, ""));
            if is_own(name) || number.parse::<u32>().is_ok() && is_own(before) {
                fs::remove_file(&path).map_err(WorkError::unwritten(&path))?;
            }
        }
        Ok(())
    }

    fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The name of the file of a generation's model.
    pub(super) fn model_name(number: u32) -> String {
        name_of(MODEL, number)
    }

    /// The path of the games of its match.
    pub(super) fn match_path(&self, number: u32) -> PathBuf {
        self.file(&name_of(MATCH, number))
    }

    fn games_path(&self, number: u32) -> PathBuf {
        self.file(&name_of(GAMES, number))
    }

    /// The model of a generation, which has to have a weight for each of these features.
    pub(super) fn model(&self, generation: &Generation, features: FeatureCounts) -> anyhow::Result<Model> {
        let path = self.file(&Self::model_name(generation.number));
        let text = fs::read_to_string(&path).with_context(|| format!("can't read {}", path.display()))?;
        let model = Model::read(&text).and_then(|model| model.check(features).map(|()| model));
        let model = model.with_context(|| path.display().to_string())?;
        ensure!(
            fingerprint(&model) == generation.model,
            "{} is not the model that its match was played with",
            path.display()
        );
        Ok(model)
    }

    /// Writes a model to the file of this name.
    pub(super) fn write_model(&self, name: &str, model: &Model) -> Result<(), WorkError> {
        replace(&self.file(name), model.to_string().as_bytes())
    }

    /// The games of a generation that is done.
    pub(super) fn games(&self, game: &Variant, number: u32, count: usize) -> anyhow::Result<Vec<SelfGame>> {
        let (_, games) = self.continue_games(game, number)?;
        let (shown, found) = (self.games_path(number), games.len());
        if found != count {
            bail!("{} has {found} lines where {count} are expected", shown.display());
        }
        Ok(games)
    }

    /// Opens or makes the file of games; returns those that it has.
    pub(super) fn continue_games(
        &self,
        game: &Variant,
        number: u32,
    ) -> anyhow::Result<(File, Vec<SelfGame>)> {
        let path = self.games_path(number);
        let (file, games) = continued::<SelfGame>(&path)?;
        for (index, played) in games.iter().enumerate() {
            let wrong = |error| anyhow!("{}, line {}: {error}", path.display(), index + 1);
            played.check(game).map_err(wrong)?;
        }
        Ok((file, games))
    }

    /// Adds games to their file.
    pub(super) fn write_games(&self, number: u32, file: &mut File, games: &[SelfGame]) -> anyhow::Result<()> {
        add_lines(file, games).map_err(|error| WorkError::unwritten(&self.games_path(number))(error).into())
    }

    /// Adds a generation to those that are done.
    pub(super) fn add(&self, generation: &Generation) -> anyhow::Result<()> {
        let path = self.file(GENERATIONS);
        let (mut file, _) = continued::<Generation>(&path)?;
        Ok(add_lines(&mut file, std::slice::from_ref(generation)).map_err(WorkError::unwritten(&path))?)
    }
}

/// What tells models apart.
pub(super) fn fingerprint(model: &Model) -> String {
    format!("{:016x}", model.fingerprint())
}

/// The name of a file of a training that is in a folder, if there is one.
fn left_over(folder: &Path) -> anyhow::Result<Option<String>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        entries => entries.with_context(|| format!("can't read {}", folder.display()))?,
    };
    let names = entries.filter_map(|it| it.ok()?.file_name().into_string().ok());
    let is_own = |name: &String| {
        let is_numbered = |start: &str| {
            name.strip_prefix(start).is_some_and(|it| it.starts_with(|c: char| c.is_ascii_digit()))
        };
        [GENERATIONS, BEST].contains(&&**name)
            || [MODEL, GAMES, MATCH].into_iter().any(|[start, _]| is_numbered(start))
    };
    Ok(names.filter(is_own).min())
}

fn add_lines<T: Serialize>(file: &mut File, lines: &[T]) -> io::Result<()> {
    let mut text = Vec::new();
    for line in lines {
        serde_json::to_writer(&mut text, line)?;
        text.push(b'\n');
    }
    file.write_all(&text)?;
    file.sync_data()
}

/// Opens or makes a file of lines, and returns what they say. A last line that was torn when the program
/// was killed is cut off.
fn continued<T: for<'a> Deserialize<'a>>(path: &Path) -> anyhow::Result<(File, Vec<T>)> {
    let shown = path.display();
    let mut options = OpenOptions::new();
    let file = options.read(true).write(true).create(true).truncate(false).open(path);
    let mut file = file.with_context(|| format!("can't open {shown}"))?;
    let mut lines = Vec::new();
    let mut length = 0;
    let mut input = BufReader::new(&mut file);
    loop {
        let mut line = Vec::new();
        let read = input.by_ref().read_until(b'\n', &mut line);
        let bytes = read.with_context(|| format!("can't read {shown}"))?;
        if bytes == 0 || line.last() != Some(&b'\n') {
            break;
        }
        let number = lines.len() + 1;
        lines
            .push(serde_json::from_slice(&line).map_err(|error| anyhow!("{shown}, line {number}: {error}"))?);
        length += bytes as u64;
    }
    file.set_len(length).map_err(WorkError::unwritten(path))?;
    file.seek(io::SeekFrom::End(0)).map_err(WorkError::unwritten(path))?;
    Ok((file, lines))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setup() -> Setup {
        Setup {
            program: String::new(),
            game: Default::default(),
            games: 1,
            positions: 1,
            iterations: 1,
            random_plies: 1,
            evaluations: String::new(),
            exploration: String::new(),
            match_games: 1,
            sprt: String::new(),
            seed: 1,
            features: [1; 2],
        }
    }

    #[test]
    fn one_program_at_a_time_trains_in_a_folder_and_a_torn_line_is_cut_off() {
        let parent = tempfile::tempdir().expect("a temporary directory can be made");
        let path = parent.path().join("training");
        let open = || Folder::open(&path, true, &setup()).map_err(|error| error.to_string());
        let (folder, generations) = open().expect("it is new");
        assert!(generations.is_empty());
        let second = open().expect_err("it is in use");
        assert_eq!(second, format!("another program trains in {}", path.display()));
        let fits = [Fit { agreement: 0.5, error: 0.1 }; 2];
        let generation =
            Generation { number: 1, fits, pairs: [0, 0, 1, 0, 0], is_kept: true, model: "0".repeat(16) };
        folder.add(&generation).expect("it can be written");
        let torn = OpenOptions::new().append(true).open(folder.file(GENERATIONS));
        torn.and_then(|mut file| file.write_all(b"{\"number\":")).expect("it can be written");
        drop(folder);
        let (folder, generations) = open().expect("it is free");
        assert_eq!(generations, std::slice::from_ref(&generation));
        folder.add(&Generation { number: 2, ..generation }).expect("it can be written");
        drop(folder);
        assert_eq!(open().expect("both lines are whole").1.len(), 2);
    }

    #[test]
    fn a_training_whose_program_was_killed_before_it_wrote_the_settings_begins_anew() {
        let parent = tempfile::tempdir().expect("a temporary directory can be made");
        let path = parent.path();
        fs::write(path.join(SETUP), "").expect("it can be written");
        drop(Folder::open(path, false, &setup()).expect("it is new"));
        let second = Folder::open(path, false, &setup()).expect_err("it has a training").to_string();
        assert!(second.contains("has a training: continue it with --resume"), "{second}");
        assert!(Folder::open(path, true, &setup()).is_ok());
    }

    #[test]
    fn what_a_killed_program_left_unfinished_is_removed() {
        let parent = tempfile::tempdir().expect("a temporary directory can be made");
        let path = parent.path().join("training");
        drop(Folder::open(&path, false, &setup()).expect("it can be made"));
        let left = ["generation-001.model.new", "generation-1000.model.3.new", "best.model.new"];
        let kept = ["generation-001.model", "generation-x.model.new", "notes.new", "best.model.old.new"];
        for name in left.into_iter().chain(kept) {
            fs::write(path.join(name), "").expect("it can be written");
        }
        drop(Folder::open(&path, true, &setup()).expect("it can be opened"));
        assert_eq!(left.map(|name| path.join(name).exists()), [false; 3]);
        assert_eq!(kept.map(|name| path.join(name).exists()), [true; 4]);
    }
}

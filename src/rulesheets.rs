//! Games in files: rulesheets that the command line names.
//!
//! A path stands where a game's name may stand. It is replaced by the name of the game before the command line is
//! parsed, so that commands know games by their names only.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use anyhow::{Context as _, anyhow, bail, ensure};
use clap::{Arg, ArgAction, Command};
use quintet_core::Quoted;
use quintet_core::registry::Registry;
use quintet_gdl::{Compiled, Limits, variant};

use super::Program;

/// The flag that names a rulesheet, and the command that has its own of this name.
const FLAG: &str = "rulesheet";
const OTHER: &str = "ggp";
/// The commands that know no games.
const WITHOUT_GAMES: [&str; 5] = ["completions", "gomocup", "man", "schema", "verify"];
/// What the names of rulesheets end in.
const ENDINGS: [&str; 2] = [".kif", ".gdl"];
/// The most bytes of a rulesheet.
const MAX_BYTES: u64 = 4 << 20;
/// Words that stand where games do and mean something else.
const TAKEN: [&str; 4] = ["all", "merge", "report", "help"];

/// Adds the flag to the commands.
pub(super) fn with_flag(command: Command) -> Command {
    command.mut_subcommands(|command| {
        if command.get_name() == OTHER || WITHOUT_GAMES.contains(&command.get_name()) {
            return command;
        }
        let flag = Arg::new(FLAG).long(FLAG).value_name("NAME=FILE").action(ArgAction::Append).global(true);
        command.arg(flag.help(
            "Add the game of a rulesheet in the Game Description Language under this name; its \
                               path may also stand where a game's name stands, if it ends in .kif or .gdl",
        ))
    })
}

/// The program with the games of the rulesheets that the command line names, and the command line with their names
/// in place of their paths.
pub(super) fn taken_from(
    program: &Program,
    words: Vec<OsString>,
) -> anyhow::Result<(Program, Vec<OsString>)> {
    let mut games = program.games.clone();
    let is_other = words.get(1).is_some_and(|it| it == OTHER);
    let long = format!("--{FLAG}");
    let mut left = words.into_iter();
    let mut taken: Vec<OsString> = left.next().into_iter().collect();
    while let Some(word) = left.next() {
        if is_other {
            taken.push(word);
            continue;
        }
        let text = word.to_str().unwrap_or_default();
        let value = text.strip_prefix(&*long).and_then(|it| it.strip_prefix('='));
        if let Some(value) = value {
            add_named(&mut games, value)?;
        } else if text == long {
            taken.push(word);
            let Some(value) = left.next() else { break };
            add_named(&mut games, value.to_str().context("--rulesheet: the name is no Unicode")?)?;
            taken.push(value);
            continue;
        } else if has_paths(text) {
            let parts = text.split(',').map(|part| {
                if is_path(part) { add(&mut games, None, Path::new(part)) } else { Ok(part.to_owned()) }
            });
            taken.push(parts.collect::<anyhow::Result<Vec<_>>>()?.join(",").into());
            continue;
        }
        taken.push(word);
    }
    Ok((Program { games, ..program.clone() }, taken))
}

/// Whether a word has paths of rulesheets among names of games. Texts of engines have an equals sign.
fn has_paths(word: &str) -> bool {
    !word.starts_with('-') && !word.contains('=') && word.split(',').any(is_path)
}

fn is_path(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    ENDINGS.iter().any(|ending| word.len() > ending.len() && word.ends_with(ending))
}

/// Adds a game by `NAME=FILE`.
fn add_named(games: &mut Registry, text: &str) -> anyhow::Result<()> {
    let form = || anyhow!("--rulesheet: expected NAME=FILE, not {}", Quoted(text));
    let (name, path) = text.split_once('=').ok_or_else(form)?;
    let plain = name_of(OsStr::new(name));
    ensure!(
        plain == name && !TAKEN.contains(&name),
        "--rulesheet: the name {} is not of letters in lower case, digits and hyphens, or means something else",
        Quoted(name)
    );
    ensure!(games.game(name).is_err(), "--rulesheet: there is a game {} already", Quoted(name));
    add(games, Some(name), Path::new(path)).map(drop)
}

/// A name for commands.
fn name_of(text: &OsStr) -> String {
    let text = text.to_string_lossy().to_lowercase();
    let plain: String = text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    match plain.trim_matches('-') {
        "" => "game".to_owned(),
        plain => plain.to_owned(),
    }
}

/// Compiles a rulesheet, adds its game and returns the name of this: that of the file, unless one is given.
fn add(games: &mut Registry, name: Option<&str>, path: &Path) -> anyhow::Result<String> {
    let shown = || Quoted(&path.to_string_lossy()).to_string();
    let mut bytes = Vec::new();
    let file = File::open(path).with_context(|| format!("can't read the rulesheet {}", shown()))?;
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).with_context(|| format!("can't read {}", shown()))?;
    if bytes.len() as u64 > MAX_BYTES {
        bail!("the rulesheet {} has more than {MAX_BYTES} bytes", shown());
    }
    let text = String::from_utf8(bytes).map_err(|_| anyhow!("the rulesheet {} is no UTF-8", shown()))?;
    let compiled = Compiled::new(&text, Limits::default()).with_context(shown)?;
    let name = name.map_or_else(
        || {
            let own = name_of(path.file_stem().unwrap_or_default());
            let is_free = |name: &String| games.game(name).is_err() && !TAKEN.contains(&&**name);
            let numbered = (2..).map(|number| format!("{own}-gdl-{number}"));
            let mut names = [own.clone(), format!("{own}-gdl")].into_iter().chain(numbered);
            names.find(is_free).unwrap_or(own)
        },
        str::to_owned,
    );
    games.add_variant(variant(name.clone(), compiled));
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_rulesheets_end_in_kif_or_gdl() {
        for (word, expected) in
            [("a.kif", true), ("x/Y.GDL", true), (".kif", false), ("kif", false), ("a.kif.txt", false)]
        {
            assert_eq!(is_path(word), expected, "{word}");
        }
        assert!(has_paths("quarto,x/a.kif") && has_paths("a.kif"));
        assert!(!has_paths("--a.kif") && !has_paths("new=ugi:time=1s,command=./new ugi --rulesheet a=a.kif"));
        assert_eq!(name_of(OsStr::new("My game_2")), "my-game-2");
    }
}

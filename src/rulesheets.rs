//! Games in files: rulesheets that the command line names.
//!
//! A path stands where a game's name may stand. It is replaced by the name of the game before the command line is
//! parsed, so that commands know games by their names only.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail, ensure};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use quintet_core::Quoted;
use quintet_core::registry::Registry;
use quintet_gdl::{RULES, ReadError, Rulesheet, name_of, variant};
use quintet_players::ggp::Games;

use super::Program;
use super::flags::{GAME, GAMES};

/// The flag that names a rulesheet, and the command that has its own of this name.
const FLAG: &str = "rulesheet";
const OTHER: &str = "ggp";
/// The commands that know no games.
const WITHOUT_GAMES: [&str; 5] = ["completions", "gomocup", "man", "schema", "verify"];
/// What the names of rulesheets end in.
const ENDINGS: [&str; 2] = [".kif", ".gdl"];
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

/// The flags of the command line that name rulesheets, as they stand there or as a path means them, for a command that
/// prints command lines.
#[derive(Debug, Clone)]
pub(crate) struct Rulesheets(Vec<String>);

impl Rulesheets {
    /// The flag and its value for a game of this name; nothing if it is not that of a rulesheet.
    pub(crate) fn words(&self, game: &str) -> Vec<String> {
        let is_named = |it: &&String| it.split_once('=').is_some_and(|(name, _)| name == game);
        let value = self.0.iter().find(is_named);
        value.map(|it| vec![format!("--{FLAG}"), it.clone()]).unwrap_or_default()
    }
}

impl FromArgMatches for Rulesheets {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self(matches.get_many(FLAG).into_iter().flatten().cloned().collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The flag itself is one of all commands.
impl Args for Rulesheets {
    fn augment_args(command: Command) -> Command {
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        command
    }
}

/// The program with the games of the rulesheets that the command line names, and the command line with their names
/// in place of their paths, and the flags that name them. The order of these flags makes no difference.
pub(super) fn taken_from(
    program: &Program,
    words: Vec<OsString>,
) -> anyhow::Result<(Program, Vec<OsString>)> {
    let line = program.command_line();
    let mut games = program.games.clone();
    let mut reader = Reader { commands: vec![&line], positionals: 0, flag: None, is_after_dashes: false };
    let mut read = Vec::new();
    for (index, word) in words.into_iter().enumerate() {
        // A word that is no Unicode is a value, too.
        let text = word.to_string_lossy();
        let found = if index == 0 { None } else { reader.read(&text) };
        let found = found.filter(|_| !reader.is_in(OTHER)).map(|(id, value)| (id, value.to_owned()));
        if found.is_none()
            && is_path(&text)
            && let Some(flag) = reader.flag_for(&text)
        {
            bail!("{} stands where no game does: use {flag}", Quoted(&text));
        }
        read.push((word, found));
    }
    let mut named = Vec::new();
    for (word, found) in &read {
        if let Some((FLAG, value)) = found {
            ensure!(word.to_str().is_some(), "--rulesheet: {} is no Unicode", Quoted(value));
            named.push(value);
        }
    }
    named.sort_unstable();
    named.into_iter().try_for_each(|it| add_named(&mut games, it))?;
    let mut taken: Vec<OsString> = Vec::new();
    let mut flags: Vec<OsString> = Vec::new();
    // The names of the games of paths: a file that is named twice is one game.
    let mut of_files: HashMap<PathBuf, String> = HashMap::new();
    for (word, found) in read {
        let Some((id, value)) = found.filter(|it| [GAME, GAMES].contains(&it.0)) else {
            taken.push(word);
            continue;
        };
        // Only where several games may stand, a comma separates them.
        let mut parts: Vec<String> = match id {
            GAMES => value.split(',').map(str::to_owned).collect(),
            _ => vec![value.clone()],
        };
        for part in parts.iter().filter(|it| !is_path(it) && games.game(it).is_err()) {
            ensure!(
                !Path::new(part).is_file(),
                "{} is no game: the path of a rulesheet ends in .kif or .gdl; another is named by --rulesheet NAME=FILE",
                Quoted(part)
            );
        }
        if !parts.iter().any(|it| is_path(it)) {
            taken.push(word);
            continue;
        }
        for part in parts.iter_mut().filter(|it| is_path(it)) {
            let file = fs::canonicalize(&*part).unwrap_or_else(|_| PathBuf::from(&*part));
            let name = match of_files.entry(file) {
                Entry::Occupied(known) => known.get().clone(),
                Entry::Vacant(entry) => {
                    let name = add(&mut games, None, Path::new(&*part)).map_err(|error| {
                        if Path::new(&value).is_file()
                            && matches!(error.downcast_ref(), Some(ReadError::File(..)))
                        {
                            let file = Quoted(&value);
                            anyhow!(
                                "{error}: a comma separates games; {file} is named by --rulesheet NAME=FILE"
                            )
                        } else {
                            error
                        }
                    })?;
                    // A game that is recognized has the name that it has without the file.
                    if games.find(&name, None).is_ok_and(|it| it.origin.is_none()) {
                        flags.extend([format!("--{FLAG}").into(), format!("{name}={part}").into()]);
                    }
                    entry.insert(name).clone()
                }
            };
            *part = name;
        }
        let text = word.to_string_lossy();
        taken.push(format!("{}{}", &text[..text.len() - value.len()], parts.join(",")).into());
    }
    // After the program and the command.
    let after = taken.iter().skip(1).position(|it| !it.to_string_lossy().starts_with('-'));
    let after = after.map_or(taken.len(), |it| it + 2);
    taken.splice(after..after, flags);
    Ok((Program { games, ..program.clone() }, taken))
}

/// Goes through the words of a command line.
struct Reader<'a> {
    /// The program's, and the commands that were named.
    commands: Vec<&'a Command>,
    /// The arguments of the last command that had no flag.
    positionals: usize,
    /// The flag whose value is next.
    flag: Option<&'a Arg>,
    is_after_dashes: bool,
}

impl<'a> Reader<'a> {
    fn is_in(&self, name: &str) -> bool {
        self.commands.iter().any(|it| it.get_name() == name)
    }

    /// The flag that takes the rulesheet in a file, if this is a word of a command that has no use for it.
    fn flag_for(&self, word: &str) -> Option<String> {
        let [_, .., command] = &self.commands[..] else { return None };
        let is_free = !word.starts_with('-') && command.get_positionals().next().is_none();
        if !is_free || self.is_in(OTHER) || WITHOUT_GAMES.iter().any(|it| self.is_in(it)) {
            return None;
        }
        let takes_game = |it: &&Arg| it.get_id() == GAME;
        let flag = command.get_arguments().find(takes_game).and_then(Arg::get_long);
        Some(flag.map_or_else(|| format!("--{FLAG} NAME=FILE"), |flag| format!("--{flag} FILE")))
    }

    /// Reads a word: the id of the argument that it has a value of, and the value.
    fn read<'w>(&mut self, word: &'w str) -> Option<(&'a str, &'w str)> {
        let is_flag = word.starts_with('-') && !self.is_after_dashes;
        let command = *self.commands.last()?;
        if let Some(flag) = self.flag.take() {
            let may_lack = flag.get_num_args().is_some_and(|it| it.min_values() == 0);
            if !(may_lack && is_flag) {
                return Some((flag.get_id().as_str(), word));
            }
        }
        if is_flag {
            self.is_after_dashes = word == "--";
            let (name, value) = word.split_once('=').map_or((word, None), |it| (it.0, Some(it.1)));
            let is_it = |arg: &&Arg| arg.get_long().is_some_and(|long| name.strip_prefix("--") == Some(long));
            let arg = self.commands.iter().flat_map(|it| it.get_arguments()).find(is_it)?;
            if value.is_none() && arg.get_action().takes_values() {
                self.flag = Some(arg);
            }
            return Some((arg.get_id().as_str(), value?));
        }
        if self.positionals == 0
            && let Some(found) = subcommand(command, word)
        {
            self.commands.push(found);
            return None;
        }
        let arg = command.get_positionals().nth(self.positionals).or(command.get_positionals().last())?;
        self.positionals += 1;
        Some((arg.get_id().as_str(), word))
    }
}

/// The command of this name, or the only one whose name begins so.
fn subcommand<'a>(command: &'a Command, word: &str) -> Option<&'a Command> {
    let mut begin = command.get_subcommands().filter(|it| it.get_name().starts_with(word));
    let only = begin.next().filter(|_| begin.next().is_none());
    command.get_subcommands().find(|it| it.get_name() == word).or(only)
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

/// Adds the game of a rulesheet and returns the name of this: that of the file, unless one is given. A rulesheet that says
/// what a game does that is there is this game under its ruleset, not compiled.
fn add(games: &mut Registry, name: Option<&str>, path: &Path) -> anyhow::Result<String> {
    let text = quintet_gdl::text_of(path)?;
    let fingerprint = Rulesheet::read(&text).ok().and_then(|sheet| sheet.fingerprint());
    let known = fingerprint.as_ref().and_then(|it| Games::new(games).recognize(it));
    if let Some(mut known) = known {
        let shown = Quoted(&path.to_string_lossy()).to_string();
        known.origin = Some(format!("the rulesheet {shown} says what {known} does, and is played as that"));
        let Some(name) = name else {
            let name = known.game.to_string();
            games.keep_only(known);
            return Ok(name);
        };
        // Certificates name games that every program knows.
        known.has_strategies = false;
        (known.game, known.rules) = (name.to_owned().into(), RULES.into());
        known.rulesheet = fingerprint;
        games.add_variant(known);
        return Ok(name.to_owned());
    }
    let compiled = quintet_gdl::compile(path, &text)?;
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
    }
    #[test]
    fn only_what_stands_for_a_game_is_a_path() {
        let program = Program { name: "quintet", version: "1", games: quintet_games::registry() };
        let taken = |text: &str| {
            taken_from(&program, text.split(' ').map(OsString::from).collect())
                .map(|it| it.1)
                .map_err(|it| it.to_string())
        };
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("nim.kif").display().to_string();
        std::fs::write(&path, "(role a) (legal a b) (legal a c) (goal a 1) (terminal)")
            .expect("it can be written");
        for (before, after) in [
            ("q suggest PATH --time 1s", "q suggest --rulesheet nim=PATH nim --time 1s"),
            ("q ar quarto,PATH --games 2", "q ar --rulesheet nim=PATH quarto,nim --games 2"),
            ("q bench --game=PATH", "q bench --rulesheet nim=PATH --game=nim"),
            ("q bench --game PATH", "q bench --rulesheet nim=PATH --game nim"),
            ("q play -- PATH", "q play --rulesheet nim=PATH -- nim"),
            ("q ugi --rulesheet nim=PATH", "q ugi --rulesheet nim=PATH"),
            ("q arena quarto --out PATH", "q arena quarto --out PATH"),
            ("q arena quarto --engine new=ugi:command=PATH", "q arena quarto --engine new=ugi:command=PATH"),
            ("q replay PATH", "q replay PATH"),
            ("q arena merge PATH", "q arena merge PATH"),
            ("q play quarto --record PATH", "q play quarto --record PATH"),
            ("q ggp --rulesheet quarto:ggp=PATH", "q ggp --rulesheet quarto:ggp=PATH"),
        ] {
            let after: Vec<OsString> = after.replace("PATH", &path).split(' ').map(OsString::from).collect();
            assert_eq!(taken(&before.replace("PATH", &path)), Ok(after), "{before}");
        }
        assert_eq!(
            taken("q solve none.kif"),
            Err("can't read the rulesheet \"none.kif\": No such file or directory (os error 2)".to_owned())
        );
        for (line, part) in [
            ("q bench nim.kif", "\"nim.kif\" stands where no game does: use --game FILE"),
            ("q ugi nim.kif", "use --rulesheet NAME=FILE"),
            ("q analyze nim.kif", "use --rulesheet NAME=FILE"),
            ("q games Cargo.toml", "\"Cargo.toml\" is no game: the path of a rulesheet ends in .kif or .gdl"),
        ] {
            let error = taken(line).expect_err(line);
            assert!(error.contains(part), "{line}: {error}");
        }
    }

    #[test]
    fn the_order_of_flags_makes_no_difference() {
        let program = Program { name: "quintet", version: "1", games: quintet_games::registry() };
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| {
            let path = folder.path().join(name).display().to_string();
            fs::write(&path, "(role a) (legal a b) (legal a c) (goal a 1) (terminal)")
                .expect("it can be written");
            path
        };
        let flags =
            [format!("--rulesheet=nim={}", path("a.kif")), format!("--rulesheet=heap={}", path("b.kif"))];
        let paths = format!("{},{}", path("nim.kif"), path("nim.kif"));
        let [one, other] = &flags;
        for order in [[one, other, &paths], [other, &paths, one], [&paths, other, one]] {
            let words = ["q", "arena"].into_iter().chain(order.map(String::as_str)).map(OsString::from);
            let (program, words) = taken_from(&program, words.collect()).expect("they are right");
            assert_eq!(program.games.games()[5..], ["heap", "nim", "nim-gdl"]);
            assert!(words.contains(&OsString::from("nim-gdl,nim-gdl")), "{words:?}");
        }
    }

    #[test]
    fn a_comma_is_a_part_of_a_path_only_where_one_game_stands() {
        let program = Program { name: "quintet", version: "1", games: quintet_games::registry() };
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a,b.kif").display().to_string();
        fs::write(&path, "(role a) (legal a b) (legal a c) (goal a 1) (terminal)")
            .expect("it can be written");
        let taken = |command: &str| taken_from(&program, ["q", command, &path].map(OsString::from).into());
        let (_, words) = taken("games").expect("it is right");
        assert_eq!(words.last(), Some(&OsString::from("a-b")));
        let error = taken("arena").expect_err("there is no such file").to_string();
        assert!(error.starts_with("can't read the rulesheet \"b.kif\": "), "{error}");
        assert!(error.ends_with("a,b.kif\" is named by --rulesheet NAME=FILE"), "{error}");
    }

    #[test]
    fn a_rulesheet_that_says_what_a_game_does_is_that_game() {
        let folder = tempfile::tempdir().expect("a temporary directory can be made");
        let path = folder.path().join("endgame.kif");
        let text = "(role white) (role black) (init krk)";
        std::fs::write(&path, text).expect("it can be written");
        let fingerprint = Rulesheet::read(text).expect("rules").fingerprint().expect("they are short");
        let mut games = quintet_games::registry();
        let mut krk = games.find("krk", Some("ggp")).expect("a game");
        krk.rulesheets = vec![&*fingerprint.clone().leak()].leak();
        games.add_variant(krk);
        let mut named = games.clone();
        assert_eq!(add(&mut games, None, &path).expect("it is known"), "krk");
        assert_eq!(games.game("krk").expect("a game").len(), 1);
        assert_eq!(games.games(), quintet_games::registry().games());
        let krk = games.find("krk", None).expect("a game");
        assert_eq!((&*krk.rules, krk.origin.is_some_and(|it| it.contains("endgame.kif"))), ("ggp", true));
        // Under a name of its own it is one more game.
        assert_eq!(add(&mut named, Some("mine"), &path).expect("it is known"), "mine");
        let mine = named.find("mine", Some("gdl")).expect("a game");
        assert_eq!(
            mine.start().position(),
            named.find("krk", Some("ggp")).expect("a game").start().position()
        );
        assert_eq!(mine.rulesheet.as_deref(), Some(&*fingerprint));
        assert_eq!(named.game("krk").expect("a game").len(), 2);
    }
}

//! The style and the script of the page as one text each, so that a browser asks for two files instead of fifty.
//!
//! Each module is a function whose result is what it exports. So a script within a page works too, where no file
//! can be imported.

use std::collections::HashSet;

/// Lists files of the folder `files` after one from elsewhere, by their names.
macro_rules! files {
    ($first:expr, $($name:literal),* $(,)?) => {
        &[$first, $(($name, include_str!(concat!("../files/", $name))),)*]
    };
}

/// In the order in which they apply.
const STYLES: &[(&str, &str)] =
    files![("board.css", quintet_board::STYLE), "style.css", "analyze.css", "positions.css", "watch.css",];

const MODULES: &[(&str, &str)] = files![
    ("board.js", quintet_board::SCRIPT),
    "analyze.js",
    "beside.js",
    "blunders.js",
    "candidates.js",
    "clicks.js",
    "conditions.js",
    "drag.js",
    "errors.js",
    "findings.js",
    "game.js",
    "gamelist.js",
    "grades.js",
    "graph.js",
    "lines.js",
    "live.js",
    "main.js",
    "moves.js",
    "newgame.js",
    "play.js",
    "playing.js",
    "pointed.js",
    "pointer.js",
    "positions.js",
    "proof.js",
    "puzzles.js",
    "recording.js",
    "records.js",
    "report.js",
    "results.js",
    "retry.js",
    "score.js",
    "seats.js",
    "settings.js",
    "setup.js",
    "share.js",
    "sheets.js",
    "shell.js",
    "socket.js",
    "sound.js",
    "spots.js",
    "survey.js",
    "text.js",
    "tournament.js",
    "trial.js",
    "verdicts.js",
    "watch.js",
    "words.js",
];

/// Returns the style of the page.
pub(crate) fn style() -> String {
    STYLES.iter().map(|(_, style)| *style).collect()
}

/// Returns the script that this module starts.
pub(crate) fn script(main: &'static str) -> String {
    let mut script = "const modules = {};\n".to_owned();
    add_module(main, &mut HashSet::new(), &mut script);
    script
}

/// Returns what a module holds.
fn module(name: &str) -> &'static str {
    MODULES.iter().find(|(it, _)| *it == name).map_or("", |(_, text)| text)
}

/// Adds a module to a script, after those that it imports; `added` has those that are there. Imports and
/// exports of the page's modules are lines of one form, which a test holds.
fn add_module(name: &'static str, added: &mut HashSet<&'static str>, script: &mut String) {
    if !added.insert(name) {
        return;
    }
    let mut exports = Vec::new();
    let mut body = String::new();
    for line in module(name).lines() {
        if let Some((names, from)) = import(line) {
            add_module(from, added, script);
            body.push_str(&format!("const {names} = modules[\"{from}\"];"));
        } else if let Some(rest) = line.strip_prefix("export ") {
            exports.push(exported(rest));
            body.push_str(rest);
        } else {
            body.push_str(line);
        }
        body.push('\n');
    }
    let exports = exports.join(", ");
    script.push_str(&match &exports[..] {
        // The one that starts the page may wait.
        "" => format!("{{\n{body}}}\n"),
        _ => format!("modules[\"{name}\"] = (() => {{\n{body}return {{ {exports} }};\n}})();\n"),
    });
}

/// Returns the names, in braces, and the file of an import.
fn import(line: &'static str) -> Option<(&'static str, &'static str)> {
    let (names, from) = line.strip_prefix("import ")?.split_once(" from \"./")?;
    Some((names, from.strip_suffix("\";")?))
}

/// Returns the name of what a declaration declares.
fn exported(declaration: &str) -> &str {
    let words =
        declaration.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|it| !it.is_empty());
    words.into_iter().find(|it| !["async", "class", "const", "function"].contains(it)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_folder_is_part_of_the_page() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/files");
        let files = std::fs::read_dir(folder).expect("it is there");
        let names = files.map(|file| file.expect("a file").file_name().into_string().expect("text"));
        let own = |name: &str| !["index.html", "icon.svg"].contains(&name);
        let mut found: Vec<String> =
            names.filter(|name| own(name)).chain(["board.css", "board.js"].map(str::to_owned)).collect();
        found.sort_unstable();
        let mut listed: Vec<&str> = STYLES.iter().chain(MODULES).map(|(name, _)| *name).collect();
        listed.sort_unstable();
        assert_eq!(listed, found);
        let (page, report) = (script("main.js"), script("recording.js"));
        for (name, _) in MODULES {
            let its = format!("modules[\"{name}\"] = ");
            assert!(
                ["main.js", "recording.js"].contains(name) || page.contains(&its) || report.contains(&its),
                "{name}"
            );
        }
    }

    #[test]
    fn imports_and_exports_are_lines_of_one_form() {
        for (name, text) in MODULES {
            for line in text.lines() {
                if line.starts_with("import") {
                    let (names, from) = import(line).expect(line);
                    assert!(
                        names.starts_with("{ ") && names.ends_with(" }") && !names.contains(" as "),
                        "{line}"
                    );
                    let other = module(from);
                    for it in names[2..names.len() - 2].split(", ") {
                        let exports = |line: &str| line.strip_prefix("export ").map(exported) == Some(it);
                        assert!(other.lines().any(exports), "{name} imports {it} from {from}");
                    }
                }
                assert!(
                    !line.starts_with("export {") && !line.starts_with("export default"),
                    "{name}: {line}"
                );
            }
        }
    }
}

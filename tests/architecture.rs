//! The layers of the library: each may use those before it, and none after.

use std::fs;
use std::path::{Path, PathBuf};

/// The modules in the order of their dependencies, and of each what it may use.
const LAYERS: [(&str, &[&str]); 9] = [
    ("cpu", &[]),
    ("game", &["cpu", "game"]),
    ("games", &["cpu", "game", "games"]),
    ("knowledge", &["game", "games", "knowledge"]),
    ("search", &["cpu", "game", "knowledge", "search"]),
    ("catalog", &["game", "games", "knowledge", "catalog"]),
    ("engine", &["game", "knowledge", "search", "engine"]),
    ("arena", &["catalog", "game", "games", "knowledge", "search", "engine", "arena"]),
    ("report", &["arena", "catalog", "game", "games", "knowledge", "report"]),
];

fn sources(of: &str) -> Vec<PathBuf> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("a folder of sources") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { walk(&path, found) } else { found.push(path) }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let file = root.join(of).with_extension("rs");
    if file.is_file() {
        return vec![file];
    }
    let mut found = Vec::new();
    walk(&root.join(of), &mut found);
    found
}

/// The modules of this crate that a source names.
fn used(source: &str) -> Vec<String> {
    source
        .split("crate::")
        .skip(1)
        .map(|rest| rest.chars().take_while(char::is_ascii_lowercase).collect())
        .collect()
}

#[test]
fn no_layer_uses_a_later_one() {
    for (layer, allowed) in LAYERS {
        for path in sources(layer) {
            let source = fs::read_to_string(&path).expect("a source");
            for module in used(&source) {
                assert!(
                    module.is_empty() || allowed.contains(&module.as_str()),
                    "{} uses {module}",
                    path.display()
                );
            }
        }
    }
}

#[test]
fn every_module_of_the_library_is_in_a_layer() {
    let library = fs::read_to_string(sources("lib").pop().expect("a file")).expect("a source");
    let modules = library.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
    for module in modules {
        assert!(LAYERS.iter().any(|(layer, _)| *layer == module), "{module} is in no layer");
    }
}

#[test]
fn search_names_no_game() {
    for path in sources("search") {
        let source = fs::read_to_string(&path).expect("a source");
        // Examples in the documentation may.
        let code: Vec<&str> = source.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        for game in ["Quarto", "Qubic", "Gomoku", "Pentago", "Krk"] {
            assert!(!code.join("\n").contains(game), "{} names {game}", path.display());
        }
    }
}

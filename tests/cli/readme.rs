//! The commands of the README and of the other documents, run as printed.

use std::process::Command;

use quintet_arena::stats::pairs_to_resolve;

const README: &str = include_str!("../../README.md");
const FAIR_TESTS: &str = include_str!("../../docs/fair-tests.md");

/// Returns the lines of a document's code blocks in `language`. A line that ends in a backslash is
/// joined with the next.
fn code(document: &str, language: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let (mut inside, mut continued) = (false, false);
    for line in document.lines() {
        if let Some(opened) = line.strip_prefix("```") {
            inside = opened == language;
        } else if inside {
            let text = line.strip_suffix('\\').unwrap_or(line);
            match lines.last_mut().filter(|_| continued) {
                Some(last) => last.push_str(text.trim_start()),
                None => lines.push(text.to_owned()),
            }
            continued = line.ends_with('\\');
        }
    }
    lines
}

/// Runs a shell command line in `folder`, with `quintet` on the path, and returns what it prints.
fn run(line: &str, folder: &std::path::Path) -> String {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_quintet"));
    let mut path = program.parent().expect("it is in a folder").as_os_str().to_owned();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let output = Command::new("sh")
        .args(["-c", line])
        .current_dir(folder)
        .env("PATH", path)
        .output()
        .expect("there is a shell");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{line}: {errors}");
    String::from_utf8(output.stdout).expect("output is text")
}

#[test]
fn the_table_of_games_tells_what_the_program_tells() {
    for variant in quintet_games::registry().variants() {
        let star = if variant.rules_text.standard.is_some() { " \\*" } else { "" };
        let row = format!("| `{}`{star} | {} |", variant.rules, variant.rules_text.differs);
        assert!(README.contains(&row), "{row}");
    }
}

/// Returns the relative targets of a document's links, without the part after `#`.
fn links(document: &str) -> Vec<&str> {
    let targets = document.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
    targets.filter(|it| !it.is_empty() && !it.contains("://")).collect()
}

#[test]
fn links_of_a_packaged_readme_lead_to_packaged_files() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest: toml::Table = include_str!("../../Cargo.toml").parse().expect("TOML");
    let included: Vec<String> = manifest["package"]["include"].clone().try_into().expect("texts");
    assert!(links(README).len() > 5);
    for link in links(README) {
        let path = format!("/{link}");
        let is_packaged = included.iter().any(|it| path == *it || path.starts_with(&format!("{it}/")));
        assert!(is_packaged && root.join(link).exists(), "{link}");
    }
    // The other crates package their folders.
    for folder in std::fs::read_dir(root.join("crates")).expect("a folder") {
        let folder = folder.expect("an entry").path();
        let readme = std::fs::read_to_string(folder.join("README.md")).expect("a README");
        for link in links(&readme) {
            assert!(!link.contains("..") && folder.join(link).exists(), "{}: {link}", folder.display());
        }
    }
}

#[test]
fn every_command_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    // Some commands read the suites by their path in the repository.
    let suites = "tests/suites";
    std::fs::create_dir_all(folder.path().join(suites)).expect("created");
    for file in std::fs::read_dir(suites).expect("a folder") {
        let file = file.expect("an entry").path();
        std::fs::copy(&file, folder.path().join(&file)).expect("copied");
    }
    let commands: Vec<String> = code(README, "sh")
        .into_iter()
        .map(|line| line.replace("cargo run --release --", "quintet"))
        .filter(|line| line.contains("quintet "))
        .collect();
    assert!(commands.len() >= 6, "{commands:?}");
    for line in commands {
        assert!(!run(&line, folder.path()).is_empty(), "{line} prints nothing");
    }
}

#[test]
fn every_command_of_the_other_documents_runs() {
    let mut count = 0;
    for file in std::fs::read_dir("docs").expect("a folder") {
        let file = file.expect("an entry").path();
        if file.extension().is_none_or(|it| it != "md") {
            continue;
        }
        let document = std::fs::read_to_string(&file).expect("text");
        let folder = tempfile::tempdir().expect("a folder");
        for line in code(&document, "sh") {
            count += 1;
            let is_quiet = line.contains(" > ");
            assert_eq!(run(&line, folder.path()).is_empty(), is_quiet, "{line}");
        }
    }
    assert!(count > 5, "{count} commands");
}

#[test]
fn the_table_of_fair_tests_is_what_its_command_prints() {
    let folder = tempfile::tempdir().expect("a folder");
    let printed = run(&code(FAIR_TESTS, "sh")[0], folder.path());
    assert_eq!(printed.lines().collect::<Vec<_>>(), code(FAIR_TESTS, "text"));
}

#[test]
fn a_slurm_array_plays_the_parts_that_fair_tests_merges() {
    let folder = tempfile::tempdir().expect("a folder");
    let job = code(FAIR_TESTS, "slurm").join("\n");
    for task in 1..=4 {
        run(&format!("SLURM_ARRAY_TASK_ID={task}\n{job}"), folder.path());
    }
    let is_merge = |line: &&String| line.contains("arena merge");
    let merged = run(code(FAIR_TESTS, "sh").iter().find(is_merge).expect("parts are merged"), folder.path());
    let games = quintet_games::registry().games().len();
    assert_eq!(merged.matches(" new     old          8 ").count(), games, "{merged}");
}

#[test]
fn the_numbers_of_pairs_in_fair_tests_are_those_of_the_library() {
    for elo in [5.0, 10.0, 20.0, 50.0, 100.0, 200.0] {
        let pairs = [0.125_f64.sqrt(), 0.25].map(|deviation| pairs_to_resolve(elo, deviation).unwrap_or(0));
        let row = format!("| {elo} | {} | {} |\n", pairs[0], pairs[1]);
        assert!(FAIR_TESTS.contains(&row), "{row}");
    }
}

#[test]
fn the_screenshot_is_what_the_program_prints() {
    let lines = code(README, "text");
    let command = lines[0].strip_prefix("$ ").expect("a prompt");
    let printed = run(command, std::path::Path::new("."));
    let printed: Vec<&str> = printed.trim_end().lines().collect();
    // The last line has the time.
    assert_eq!(&lines[1..lines.len() - 1], &printed[..printed.len() - 1], "{}", printed.join("\n"));
}

#[test]
fn the_line_up_file_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("engines.toml"), code(README, "toml").join("\n")).expect("written");
    let table = run("quintet arena krk --engines engines.toml --games 2", folder.path());
    assert!(table.contains("deep") && table.contains("chance"), "{table}");
}

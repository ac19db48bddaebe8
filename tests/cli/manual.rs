//! Help, manual pages and completions.

use crate::harness::quintet;

const COMMANDS: [&str; 10] =
    ["games", "suggest", "arena", "bench", "replay", "report", "analyze", "table", "completions", "man"];

#[test]
fn the_help_lists_the_commands_and_each_has_its_own() {
    let overview = quintet(["--help"]).succeeds_quietly().stdout;
    for command in COMMANDS {
        let listed = overview.lines().any(|line| line.split_whitespace().next() == Some(command));
        assert!(listed, "{command} in {overview}");
        let help = quintet([command, "--help"]).succeeds_quietly().stdout;
        assert!(help.contains(&format!("Usage: quintet {command}")), "{help}");
        assert_eq!(quintet(["help", command]).succeeds_quietly().stdout, help);
    }
}

#[test]
fn commands_that_search_have_the_same_flags_for_limits_and_resources() {
    for command in ["suggest", "arena", "analyze"] {
        let help = quintet([command, "--help"]).succeeds_quietly().stdout;
        for flag in ["--time", "--iterations", "--threads", "--seed", "--memory"] {
            assert!(help.contains(&format!("{flag} <")), "{command} {flag}");
        }
    }
}

#[test]
fn the_version_is_the_crates() {
    let version = concat!("quintet ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(quintet(["--version"]).succeeds_quietly().stdout, version);
}

#[test]
fn there_is_a_manual_page_for_the_overview_and_each_command() {
    let overview = quintet(["man"]).succeeds_quietly().stdout;
    let is_roff = |page: &str| page.starts_with(".ie \\n(.g") && page.contains("\n.SH NAME\n");
    assert!(is_roff(&overview) && overview.contains("\n.TH quintet 1 "), "{overview}");
    for command in COMMANDS {
        assert!(overview.contains(&format!("quintet\\-{command}(1)")), "{command} in {overview}");
        let page = quintet(["man", command]).succeeds_quietly().stdout;
        assert!(is_roff(&page) && page.contains(&format!("\n.TH quintet-{command} 1 ")), "{page}");
    }
}

#[test]
fn there_are_completions_for_five_shells() {
    for (shell, part) in [
        ("bash", "complete -F"),
        ("zsh", "#compdef quintet"),
        ("fish", "complete -c quintet"),
        ("powershell", "Register-ArgumentCompleter"),
        ("elvish", "edit:completion"),
    ] {
        let script = quintet(["completions", shell]).succeeds_quietly().stdout;
        assert!(script.contains(part), "{shell}: {script}");
        for command in COMMANDS {
            assert!(script.contains(command), "{shell}: {command}");
        }
    }
}

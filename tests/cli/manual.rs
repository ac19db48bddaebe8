//! Help, manual pages and completions.

use crate::harness::quintet;

const COMMANDS: [&str; 17] = [
    "games",
    "suggest",
    "solve",
    "play",
    "arena",
    "bench",
    "replay",
    "convert",
    "check",
    "verify",
    "analyze",
    "ugi",
    "gomocup",
    "ggp",
    "serve",
    "completions",
    "man",
];

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
    for command in ["suggest", "play", "arena", "analyze", "ugi", "gomocup", "ggp"] {
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
fn commands_of_commands_have_manual_pages_too() {
    for name in [&["arena", "report"][..], &["arena-report"]] {
        let page = quintet([&["man"], name].concat()).succeeds_quietly().stdout;
        assert!(page.contains("\n.TH quintet-arena-report 1 "), "{page}");
    }
    let message = quintet(["man", "arena", "repot"]).refused();
    assert!(message.contains("there is no command \"arena repot\""), "{message}");
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

#[test]
fn completions_propose_games_rulesets_and_engines() {
    for (shell, parts) in [
        (
            "bash",
            &[
                "quarto qubic gomoku pentago krk all ",
                "compgen -W \"spec ggp standard\"",
                "compgen -W \"spec ggp standard both\"",
                "compgen -W \"random uct quintet\"",
                "compgen -W \"random uct quintet ugi json gomocup\"",
            ][..],
        ),
        (
            "zsh",
            &[
                ":(quarto qubic gomoku pentago krk)'",
                ":(quarto qubic gomoku pentago krk all)'",
                ":RULES:(spec ggp standard)'",
                ":RULES:(spec ggp standard both)'",
                ":ENGINE:(random uct quintet)'",
                ":ENGINE:(random uct quintet ugi json gomocup)'",
            ],
        ),
        (
            "fish",
            &[
                "__fish_quintet_using_subcommand games\" -f -a \"quarto qubic gomoku pentago krk\"",
                "__fish_quintet_using_subcommand arena\" -f -a \"quarto qubic gomoku pentago krk all\"",
                "-a \"spec\\t''\nggp\\t''\nstandard\\t''\"",
                "-a \"spec\\t''\nggp\\t''\nstandard\\t''\nboth\\t''\"",
                "-a \"random\\t''\nuct\\t''\nquintet\\t''\"",
            ],
        ),
    ] {
        let script = quintet(["completions", shell]).succeeds_quietly().stdout;
        for part in parts {
            assert!(script.contains(part), "{shell}: {part}");
        }
    }
}

#[cfg(unix)]
#[test]
fn bash_completes_them() {
    // What bash calls for a word of the line and the word before it.
    let ask = "source /dev/stdin; COMP_WORDS=(quintet \"$@\"); COMP_CWORD=$#; \
               _quintet quintet \"${COMP_WORDS[-1]}\" \"${COMP_WORDS[-2]}\"; echo \"${COMPREPLY[*]}\"";
    let script = quintet(["completions", "bash"]).succeeds_quietly().stdout;
    for (words, proposed) in [
        (&["suggest", "qua"][..], "quarto"),
        (&["play", "krk", "--seat", "r"], "random red"),
        (&["play", "krk", "--level", "cl"], "club"),
        (&["games", "p"], "pentago"),
        (&["arena", "al"], "all"),
        (&["arena", "quarto", "--rules", ""], "spec ggp standard both"),
        (&["suggest", "quarto", "--rules", "s"], "spec standard"),
        (&["suggest", "quarto", "--engine", ""], "random uct quintet"),
        (&["arena", "all", "--engine", "u"], "uct ugi"),
        (&["bench", "--game", "k"], "krk"),
    ] {
        let mut bash = std::process::Command::new("bash");
        bash.args(["-c", ask, "bash"]).args(words);
        let run = crate::harness::run(bash, script.clone());
        assert_eq!(run.succeeds_quietly().stdout.trim_end(), proposed, "{words:?}");
    }
}

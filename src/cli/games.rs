//! `quintet games`

use std::io::Write;

use quintet::catalog::{GameId, Visitor};
use quintet::games::Rules;
use quintet::knowledge::Known;
use serde_json::json;

use super::Status;
use super::output::{HEADING, styled};

/// List the games, their rulesets, roles, notation and start positions
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Print one JSON object a line, one for each game and ruleset
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Status> {
    for &game in GameId::ALL {
        if args.json {
            for rules in Rules::ALL {
                writeln!(out, "{}", game.visit(rules, Json { game, rules }))?;
            }
        } else {
            writeln!(out, "{}", game.visit(Rules::Spec, Text { game }))?;
            let starts = Rules::ALL.map(|rules| (rules, game.visit(rules, Start)));
            if starts[0].1 == starts[1].1 {
                writeln!(out, "  start     {}\n", starts[0].1)?;
            } else {
                for (rules, start) in starts {
                    writeln!(out, "  start     {start}   ({rules})")?;
                }
                writeln!(out)?;
            }
        }
    }
    if !args.json {
        writeln!(out, "Every game has the rulesets spec (the default) and ggp: choose with --rules.")?;
        writeln!(out, "Try: quintet suggest pentago --rules ggp --moves \"d4 1cw\"")?;
    }
    Ok(Status::Done)
}

struct Json {
    game: GameId,
    rules: Rules,
}

impl Visitor for Json {
    type Output = serde_json::Value;

    fn visit<G: Known>(self) -> Self::Output {
        let roles: Vec<&str> = G::ROLES.iter().map(|role| role.name).collect();
        json!({
            "game": self.game.name(),
            "rules": self.rules.name(),
            "title": G::ABOUT.title,
            "summary": G::ABOUT.summary,
            "roles": roles,
            "moves": G::ABOUT.moves,
            "position": G::ABOUT.position,
            "start": G::initial().to_string(),
        })
    }
}

struct Text {
    game: GameId,
}

impl Visitor for Text {
    type Output = String;

    fn visit<G: Known>(self) -> String {
        let roles: Vec<&str> = G::ROLES.iter().map(|role| role.name).collect();
        let about = G::ABOUT;
        let wrapped = |label: &'static str, text: &str| {
            let options = textwrap::Options::new(80).initial_indent(label).subsequent_indent("            ");
            textwrap::fill(text, options)
        };
        [
            format!("{}  {}", styled(HEADING, self.game), about.title),
            textwrap::fill(
                about.summary,
                textwrap::Options::new(80).initial_indent("  ").subsequent_indent("  "),
            ),
            wrapped("  roles     ", &roles.join(", ")),
            wrapped("  moves     ", about.moves),
            wrapped("  position  ", about.position),
        ]
        .join("\n")
    }
}

struct Start;

impl Visitor for Start {
    type Output = String;

    fn visit<G: Known>(self) -> String {
        G::initial().to_string()
    }
}

//! `quintet games`

use std::io::Write;

use quintet_analysis::{game_line as line, is_standard};
use quintet_core::game::Parameter;
use quintet_core::registry::{Registry, Variant};

use super::flags::GAME;
use super::output::{HEADING, styled, text_width};
use super::{Program, Status};

/// List the games, their rulesets, roles, notation and start positions; with GAME, tell its rules
///
/// A game may have several rulesets. The first one listed is the default, and --rules chooses
/// another. `--rules standard` chooses the one that people know, from the box or from tournaments,
/// or the nearest to it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  {name} games\n  {name} games {game}")]
pub(crate) struct Args {
    /// Tell the rules of this game, and what differs between its rulesets
    #[arg(id = GAME)]
    game: Option<String>,
    /// Print one JSON object per line, for each game and ruleset
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, program: &Program, out: &mut dyn Write) -> anyhow::Result<Status> {
    let games = &program.games;
    let names = args.game.as_deref().map_or_else(|| games.games(), |game| vec![game]);
    if args.json {
        for name in names {
            for variant in games.game(name)? {
                writeln!(out, "{}", serde_json::to_string(&line(&variant, games))?)?;
            }
        }
        return Ok(Status::Done);
    }
    let page = Page { width: text_width().unwrap_or(80) };
    if let Some(name) = &args.game {
        let variants = games.game(name)?;
        write!(out, "{}{}", page.overview(&variants), page.rules(&variants, games))?;
        for (label, text) in variants[0].start().facts() {
            write!(out, "{}", page.labelled(label, &text))?;
        }
        return Ok(Status::Done);
    }
    for name in names {
        let variants = games.game(name)?;
        writeln!(out, "{}{}", page.overview(&variants), page.rulesets(&variants))?;
    }
    if games.variants().iter().any(|it| !it.rules_text.text.is_empty()) {
        let hint = "The first ruleset is the default: choose with --rules. `{name} games {game}` tells the \
                    rules, and which ruleset people know.";
        write!(out, "{}", page.wrapped("", "", &program.filled(hint)))?;
    }
    writeln!(out, "{}", program.filled("Try: {name} suggest {game} --moves \"{move}\""))?;
    Ok(Status::Done)
}

/// Text for people, in lines of this many columns.
struct Page {
    width: usize,
}

impl Page {
    /// Wraps `text` into lines, with `first` before the first one and `others` before the others.
    fn wrapped(&self, first: &str, others: &str, text: &str) -> String {
        let options = textwrap::Options::new(self.width).initial_indent(first).subsequent_indent(others);
        textwrap::fill(text, options) + "\n"
    }

    fn labelled(&self, label: &str, text: &str) -> String {
        self.wrapped(&format!("  {label:<8}  "), "            ", text)
    }

    /// What the rulesets of a game have in common: its name, roles and notation.
    fn overview(&self, variants: &[Variant]) -> String {
        let Variant { game, about, roles, .. } = &variants[0];
        let roles: Vec<&str> = roles.iter().map(|role| &*role.name).collect();
        let mut text = format!("{}  {}\n", styled(HEADING, game), variants[0].title());
        text += &self.wrapped("  ", "  ", about.summary);
        for (label, content) in
            [("roles", &*roles.join(", ")), ("moves", about.moves), ("position", about.position)]
        {
            text += &self.labelled(label, content);
        }
        for origin in variants.iter().filter_map(|it| it.origin.as_ref()) {
            text += &self.labelled("known as", origin);
        }
        for Parameter { name, about, least, most, usual } in variants[0].parameters {
            let values = format!("--set {name}={usual}: {about}, {least} to {most}");
            text += &self.labelled("set", &values);
        }
        // A position string stays on one line, so that it can be copied.
        let starts: Vec<String> = variants.iter().map(|it| it.start().position()).collect();
        if starts.iter().all(|start| *start == starts[0]) {
            text += &format!("  start     {}\n", starts[0]);
        } else {
            for (variant, start) in variants.iter().zip(starts) {
                text += &format!("  start     {start}   ({})\n", variant.rules);
            }
        }
        text
    }

    /// The rulesets of a game, if there are several, each with what it says where they differ.
    fn rulesets(&self, variants: &[Variant]) -> String {
        let several = variants.iter().filter(|_| variants.len() > 1);
        several.map(|it| self.labelled(&it.rules, it.rules_text.differs)).collect()
    }

    /// The rules of a game under all its rulesets.
    fn rules(&self, variants: &[Variant], games: &Registry) -> String {
        let paragraphs = |text: &str, indent: &str| -> String {
            text.lines().map(|line| self.wrapped(indent, indent, line)).collect()
        };
        let common = variants[0].rules_text.text;
        let is_common = variants.iter().all(|it| it.rules_text.text == common);
        let mut text = String::new();
        if is_common && !common.is_empty() {
            text += &format!("\n{}\n{}", styled(HEADING, "Rules"), paragraphs(common, "  "));
        }
        for (index, variant) in variants.iter().enumerate().filter(|_| variants.len() > 1) {
            let notes: Vec<&str> =
                [(index == 0, "the default"), (is_standard(variant, games), "or standard")]
                    .into_iter()
                    .filter_map(|(holds, note)| holds.then_some(note))
                    .collect();
            let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) };
            text += &format!("\n{}\n", styled(HEADING, format!("--rules {}{notes}", variant.rules)));
            if !is_common {
                text += &paragraphs(variant.rules_text.text, "  ");
            }
            text += &paragraphs(variant.rules_text.differs, "  ");
            text += &paragraphs(variant.rules_text.standard.unwrap_or_default(), "  ");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_keeps_to_the_width() {
        let games = quintet_games::registry();
        for width in [40, 80, 110] {
            let page = Page { width };
            for game in games.games() {
                let variants = games.game(game).expect("it is listed");
                let parts =
                    [page.overview(&variants), page.rulesets(&variants), page.rules(&variants, &games)];
                let text = anstream::adapter::strip_str(&parts.concat()).to_string();
                for line in text.lines().filter(|it| !it.starts_with("  start")) {
                    assert!(line.chars().count() <= width, "{width}: {line}");
                }
            }
        }
    }

    #[test]
    fn the_rules_of_each_ruleset_take_half_a_screen() {
        let games = quintet_games::registry();
        for variant in games.variants() {
            let text = line(variant, &games).rules_text;
            let lines = Page { width: 80 }.wrapped("  ", "  ", &text).lines().count();
            assert!((4..=12).contains(&lines), "{variant}: {lines}");
        }
    }
}

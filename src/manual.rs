//! `quintet completions` and `quintet man`

use std::io::Write;

use anyhow::bail;
use clap::Command;
use clap::builder::PossibleValue;
use clap_complete::Shell;
use quintet_core::Quoted;

use super::{Program, Status};

/// Print the completion script for a shell
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  {name} completions bash > ~/.local/share/bash-completion/completions/{name}"
)]
pub(crate) struct CompletionsArgs {
    shell: Shell,
}

/// Print the manual page
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  {name} man arena | man -l -\n  {name} man arena report | man -l -")]
pub(crate) struct ManArgs {
    /// Print the page of this command instead of the overview, as in arena, arena report or
    /// arena-report
    command: Vec<String>,
}

pub(crate) fn completions(
    args: &CompletionsArgs,
    program: &Program,
    out: &mut dyn Write,
) -> anyhow::Result<Status> {
    // The generator panics on a write error, so it writes to memory.
    let mut script = Vec::new();
    let mut commands = program.command_line();
    clap_complete::generate(args.shell, &mut commands, program.name, &mut script);
    out.write_all(&script)?;
    if args.shell == Shell::Fish {
        complete_positionals(&commands, program.name, out)?;
    }
    Ok(Status::Done)
}

/// Writes completions of the arguments without a flag, which the generator for fish leaves out.
fn complete_positionals(all: &Command, name: &str, out: &mut dyn Write) -> std::io::Result<()> {
    // The function of the generated script that finds the command on the line.
    let is_used = format!("__fish_{}_using_subcommand", name.replace('-', "_"));
    for command in all.get_subcommands() {
        for argument in command.get_positionals() {
            let values = argument.get_possible_values();
            if values.is_empty() {
                continue;
            }
            let values: Vec<&str> = values.iter().map(PossibleValue::get_name).collect();
            let (command, values) = (command.get_name(), values.join(" "));
            writeln!(out, "complete -c {name} -n \"{is_used} {command}\" -f -a \"{values}\"")?;
        }
    }
    Ok(())
}

pub(crate) fn man(args: &ManArgs, program: &Program, out: &mut dyn Write) -> anyhow::Result<Status> {
    let mut all = program.command_line();
    all.build();
    let mut page = &all;
    let mut name = program.name.to_owned();
    for part in args.command.iter().flat_map(|it| it.split('-')) {
        let Some(command) = page.find_subcommand(part) else {
            bail!("there is no command {name}", name = Quoted(&args.command.join(" ")))
        };
        page = command;
        name = format!("{name}-{}", command.get_name());
    }
    // The command `help` has no version of its own.
    clap_mangen::Man::new(page.clone().name(name).version(program.version)).render(&mut &mut *out)?;
    Ok(Status::Done)
}

//! `quintet verify`

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use quintet_protocol::{CertificateError, ProvenScores, VerifiedCertificate, VerifyLine, WrongCertificate};
use quintet_verify::{Certificate, Proven, Verified, VerifyError, verify};

use super::output::{HEADING, bar, counted, styled, thousands, wrapped};
use super::{Status, WorkError, input};

/// Check the proof of a game's result
///
/// A file has one certificate or several, each of which claims that a side gets at least a score from
/// a position and has the turns by which it does. They are checked by the rules and stated searches
/// alone, by code that shares nothing with the engine. Two certificates, one for each side, can prove
/// a draw. If anything in a file is wrong, nothing is proven and the exit status is 1.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  {name} verify quarto.jsonl\n  {name} verify white.jsonl black.jsonl\n  \
                        {name} verify --json - < qubic.jsonl"
)]
pub(crate) struct Args {
    /// The certificates, or - for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print one JSON object for each certificate, and one for each position of which something is
    /// proven
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Status> {
    input::check_stdin(&args.files)?;
    // Where there is one file, it need not be told which.
    let shown = |path: &Path| (args.files.len() > 1).then(|| path.display().to_string());
    let (mut certificates, mut proven) = (Vec::new(), Vec::new());
    for path in &args.files {
        let name = path.display();
        let verified = match verified(path)? {
            Ok(verified) => verified,
            Err(VerifyError::Wrong { line, message }) if args.json => {
                let error = CertificateError { file: shown(path), line, message };
                write_line(out, &VerifyLine::Wrong(WrongCertificate { ok: false, error }))?;
                return Ok(Status::FoundWrong);
            }
            Err(VerifyError::Read { source, .. }) => {
                return Err(source).with_context(|| format!("can't read {name}"));
            }
            Err(error) => {
                return Err(anyhow::Error::new(WorkError(format!("{name} proves nothing: {error}"))));
            }
        };
        certificates.extend(verified.certificates.into_iter().map(|it| (shown(path), it)));
        add(&mut proven, verified.proven);
    }
    if args.json {
        for (file, certificate) in certificates {
            write_line(out, &VerifyLine::Right(right(file, certificate)))?;
        }
        for proven in proven {
            write_line(out, &VerifyLine::Proven(scores(proven)))?;
        }
        return Ok(Status::Done);
    }
    for (file, it) in certificates {
        let Certificate { line, game, rules, position, role, at_least, lines, positions, searched } = it;
        let place = file.map_or_else(String::new, |file| format!("{file}, "));
        let text = format!(
            "{place}line {line}: {game} {rules}, {role} gets at least {at_least} from {position}: {}, {} checked, \
             {} searched",
            counted(lines as u64, "turn"),
            counted(positions, "position"),
            thousands(searched),
        );
        writeln!(out, "{}", wrapped(&text))?;
    }
    for proven in proven {
        writeln!(out, "{}", wrapped(&format!("{}: {proven}.", styled(HEADING, "Proven"))))?;
    }
    Ok(Status::Done)
}

/// Checks a file, while a bar shows how far it is.
fn verified(path: &Path) -> anyhow::Result<Result<Verified, VerifyError>> {
    let mut input = input::open(path)?;
    let bar = bar("{bar:30} {pos}/{len} lines of certificate {msg}", Some(0));
    let result = verify(&mut *input, &mut |progress| {
        bar.set_length(progress.lines as u64);
        bar.set_position(progress.reached as u64);
        bar.set_message(format!("{} of {}", progress.certificate, progress.certificates));
    });
    bar.finish_and_clear();
    Ok(result)
}

/// Adds what another file proves, mostly of the same positions.
fn add(proven: &mut Vec<Proven>, more: Vec<Proven>) {
    for it in more {
        let key = |it: &Proven| (it.game.clone(), it.rules.clone(), it.position.clone());
        if let Some(other) = proven.iter_mut().find(|other| key(other) == key(&it)) {
            for (least, more) in other.at_least.iter_mut().zip(it.at_least) {
                *least = more.max(*least);
            }
        } else {
            proven.push(it);
        }
    }
}

fn write_line(out: &mut dyn Write, line: &VerifyLine) -> anyhow::Result<()> {
    Ok(writeln!(out, "{}", serde_json::to_string(line)?)?)
}

fn right(file: Option<String>, it: Certificate) -> VerifiedCertificate {
    let Certificate { line, game, rules, position, role, at_least, lines, positions, searched } = it;
    VerifiedCertificate {
        ok: true,
        file,
        line,
        game,
        rules,
        position,
        role,
        at_least,
        lines,
        positions,
        searched,
    }
}

fn scores(it: Proven) -> ProvenScores {
    let Proven { game, rules, position, roles, at_least: [first, second] } = it;
    let bounds = [[first, 100 - second], [second, 100 - first]];
    let of_side = |(roles, bounds): (&[&str], [u8; 2])| {
        roles.iter().map(|role| ((*role).to_owned(), bounds)).collect::<Vec<_>>()
    };
    let proven = roles.into_iter().zip(bounds).flat_map(of_side).collect();
    ProvenScores { ok: true, game, rules, position, proven }
}

//! `quintet verify`

use std::io::Write;
use std::path::PathBuf;

use anyhow::Context as _;
use quintet_protocol::{CertificateError, ProvenScores, VerifiedCertificate, VerifyLine, WrongCertificate};
use quintet_verify::{Certificate, Proven, VerifyError, verify};

use super::output::{HEADING, bar, counted, styled, thousands, wrapped};
use super::{Status, WorkError, input};

/// Check the proof of a game's result
///
/// A file has one certificate or several, each of which claims that a side gets at least a score from
/// a position and has the turns by which it does. They are checked by the rules and stated searches
/// alone, by code that shares nothing with the engine. Two certificates, one for each side, can prove
/// a draw. If anything is wrong, nothing is proven and the exit status is 1.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  {name} verify quarto.jsonl\n  {name} verify --json - < qubic.jsonl")]
pub(crate) struct Args {
    /// The certificates, or - for standard input
    file: PathBuf,
    /// Print one JSON object for each certificate, and one for each position of which something is
    /// proven
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Status> {
    let name = args.file.display();
    let mut input = input::open(&args.file)?;
    let bar = bar("{bar:30} {pos}/{len} lines of certificate {msg}", Some(0));
    let result = verify(&mut *input, &mut |progress| {
        bar.set_length(progress.lines as u64);
        bar.set_position(progress.reached as u64);
        bar.set_message(format!("{} of {}", progress.certificate, progress.certificates));
    });
    bar.finish_and_clear();
    let verified = match result {
        Ok(verified) => verified,
        Err(VerifyError::Wrong { line, message }) if args.json => {
            let error = CertificateError { line, message };
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
    if args.json {
        for certificate in verified.certificates {
            write_line(out, &VerifyLine::Right(right(certificate)))?;
        }
        for proven in verified.proven {
            write_line(out, &VerifyLine::Proven(scores(proven)))?;
        }
        return Ok(Status::Done);
    }
    for it in verified.certificates {
        let Certificate { line, game, rules, position, role, at_least, lines, positions, searched } = it;
        let text = format!(
            "line {line}: {game} {rules}, {role} gets at least {at_least} from {position}: {}, {} checked, \
             {} searched",
            counted(lines as u64, "turn"),
            counted(positions, "position"),
            thousands(searched),
        );
        writeln!(out, "{}", wrapped(&text))?;
    }
    for proven in verified.proven {
        writeln!(out, "{}", wrapped(&format!("{}: {proven}.", styled(HEADING, "Proven"))))?;
    }
    Ok(Status::Done)
}

fn write_line(out: &mut dyn Write, line: &VerifyLine) -> anyhow::Result<()> {
    Ok(writeln!(out, "{}", serde_json::to_string(line)?)?)
}

fn right(it: Certificate) -> VerifiedCertificate {
    let Certificate { line, game, rules, position, role, at_least, lines, positions, searched } = it;
    VerifiedCertificate { ok: true, line, game, rules, position, role, at_least, lines, positions, searched }
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

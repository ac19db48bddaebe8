//! `quintet solve`

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use indexmap::IndexMap;
use quintet_analysis::{best_move, solved_line, win_line};
use quintet_core::clock::Clock;
use quintet_core::game::{Bounds, DRAW_SCORE, MAX_SCORE, Outcome, Side};
use quintet_core::registry::{Registry, Variant};
use quintet_core::session::{Session, SettleResultText, StrategyText};
use quintet_core::solver::{Progress, SettleOptions};
use quintet_protocol::{CertificateStart, CertificateTurn, ClaimedScore, SolvedPosition};

use super::flags::{PositionFlags, ProofFlags};
use super::interrupt::Interrupt;
use super::live::LiveLine;
use super::output::{self, BEST, counted, headline, note, rate, shown_win, side_name, styled, wrapped};
use super::{Status, WorkError, input};

/// Find the exact value of a position: who wins under perfect play, or a draw
///
/// Uses the strongest method for the game, and where there is none, a proof-number search with the
/// knowledge of the game. Late positions are settled soon, early ones of most games never, so limit
/// the time with --time. Then what is proven so far is shown, such as "white gets at least a draw".
/// Ctrl-C ends the search early in the same way.
///
/// Exit status: 0 if the value is settled, 1 if not or if its certificate could not be written, 130 if
/// Ctrl-C ended the search.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  {name} solve {game} --time 10s\n  \
                        {name} solve {game} --moves \"{move}\" --time 10s --json")]
pub(crate) struct Args {
    #[command(flatten)]
    position: PositionFlags,
    /// Write the proof to this file, replacing an earlier one, if the position is settled. Only some
    /// games have certificates, and one may take minutes where the value takes none
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Print the answer as one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    pub(crate) proof: ProofFlags,
}

pub(crate) fn run(args: &Args, games: &Registry, out: &mut dyn Write) -> anyhow::Result<Status> {
    let session = args.position.set_up(games)?;
    let limits = args.proof.limits()?;
    if let Some(path) = &args.certificate {
        check_certificate(path, &*session, games)?;
    }

    let interrupt = Interrupt::catch(None)?;
    let (clock, progress, start) = (Clock::default(), Progress::new(), Instant::now());
    let resources = SettleOptions {
        wants_strategies: args.certificate.is_some(),
        ..limits.options(start, &clock, &progress, interrupt.stop())
    };
    let settlement = watched(&progress, limits.time, || session.settle(&resources));
    let (positions, elapsed) = (progress.positions(), start.elapsed());
    if let Some(caveat) = session.caveat() {
        note(caveat);
    }
    let is_settled = settlement.is_settled();
    let file = args.certificate.as_deref();
    let written = file.filter(|_| is_settled).map(|path| {
        write_certificate(path, &*session, &settlement, resources.effort.is_over()).map(|()| path)
    });
    let certificate = written.as_ref().and_then(|it| it.as_ref().ok());

    if args.json {
        let certificate = certificate.map(|path| path.display().to_string());
        let line = solved_line(&*session, &settlement, positions, elapsed);
        writeln!(out, "{}", serde_json::to_string(&SolvedPosition { certificate, ..line })?)?;
    } else {
        print(&*session, &settlement, positions, elapsed, out)?;
        if let Some(path) = certificate {
            writeln!(out, "certificate: {}", path.display())?;
        }
        if !is_settled && interrupt.is_requested() {
            writeln!(out, "The search was stopped.")?;
        } else if !is_settled && resources.effort.is_over() {
            writeln!(out, "The time was up.")?;
        }
    }
    if is_settled {
        // The answer is there, whatever became of its proof.
        match written {
            Some(Err(error)) if interrupt.is_requested() => output::error(&error),
            written => _ = written.transpose()?,
        }
        return Ok(interrupt.status(Status::Done));
    }
    if let Some(path) = file {
        note(format!("{} was not written: the position is not settled", path.display()));
    }
    Ok(interrupt.status(Status::NotSettled))
}

/// Runs `proof` while a line shows how far it is.
fn watched<T>(progress: &Progress, time: Option<Duration>, proof: impl FnOnce() -> T) -> T {
    const INTERVAL: Duration = Duration::from_millis(100);
    let live = LiveLine::of_proof(time);
    if !live.is_shown() {
        return proof();
    }
    thread::scope(|scope| {
        let (running, has_ended) = mpsc::channel::<()>();
        let live = &live;
        let show = move || {
            while has_ended.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                live.show_proof(progress);
            }
        };
        // Without a thread for it, the line shows the time alone.
        let _ = thread::Builder::new().spawn_scoped(scope, show);
        let result = proof();
        drop(running);
        result
    })
}

/// Prints what was found out.
fn print(
    session: &dyn Session,
    settlement: &SettleResultText,
    positions: u64,
    elapsed: Duration,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let outcome = settlement.bounds.outcome();
    let win = win_line(session, outcome, settlement.best.as_deref(), None);
    let best = best_move(settlement, win.as_ref());
    writeln!(out, "{}\n\n{}", headline(session), session.draw(best))?;
    writeln!(out, "position: {}\n", session.position())?;
    writeln!(out, "{}", styled(BEST, verdict(session.variant(), settlement.bounds)))?;
    if session.to_move().is_none() && settlement.is_settled() {
        return Ok(());
    }
    if let Some(best) = best {
        writeln!(out, "best move: {best}")?;
    }
    if let Some(win) = win {
        writeln!(out, "{}", wrapped(&shown_win(session, outcome, &win)))?;
    }
    let seconds = elapsed.as_secs_f64();
    let searched = match positions {
        0 => format!("{seconds:.2} s"),
        positions => {
            let per_second = rate(positions as f64 / seconds.max(1e-9));
            format!("{} in {seconds:.2} s ({per_second})", counted(positions, "position"))
        }
    };
    writeln!(out, "{}", wrapped(&format!("method: {}, {searched}", settlement.method)))?;
    Ok(())
}

/// Says in words what these bounds mean.
fn verdict(game: &Variant, bounds: Bounds) -> String {
    let name = |side: Side| side_name(&game.roles, side);
    let is_alone = game.kind.has_one_player();
    match (bounds.outcome(), bounds) {
        (None, Bounds::UNKNOWN) => "not settled: nothing is proven".to_owned(),
        (Some(outcome), _) if is_alone && outcome != Outcome::Win(Side::First) => {
            format!("{} gets {}", name(Side::First), bounds.lower)
        }
        (Some(Outcome::Win(side)), _) => format!("{} wins", name(side)),
        (Some(Outcome::Draw), _) => "a draw".to_owned(),
        (Some(Outcome::Scores(_)), Bounds { lower, .. }) => format!("{} gets {lower}", name(Side::First)),
        (None, Bounds { lower: DRAW_SCORE, upper: MAX_SCORE }) if !is_alone => {
            format!("not settled: {} gets at least a draw", name(Side::First))
        }
        (None, Bounds { lower: 0, upper: DRAW_SCORE }) if !is_alone => {
            format!("not settled: {} gets at least a draw", name(Side::Second))
        }
        (None, Bounds { lower, upper }) => {
            format!("not settled: {} gets {lower} to {upper}", name(Side::First))
        }
    }
}

/// Checks that there can be a certificate for this game, and that it can be written to `path`.
fn check_certificate(path: &Path, session: &dyn Session, games: &Registry) -> anyhow::Result<()> {
    let game = session.variant();
    if !game.has_strategies {
        let names = games.variants().iter().filter(|it| it.has_strategies);
        let names: Vec<String> = names.map(ToString::to_string).collect();
        let others =
            if names.is_empty() { String::new() } else { format!("; there are for {}", names.join(", ")) };
        bail!("there are no certificates for {game}{others}");
    }
    if session.outcome().is_some() {
        bail!("the game is over: there is nothing to prove");
    }
    if path.as_os_str() == "-" || path.metadata().is_ok_and(|it| !it.is_file() && !it.is_dir()) {
        bail!("--certificate {}: it is not a regular file", path.display());
    }
    // As /dev/stdout, or by its name.
    if same_file::Handle::stdout()
        .is_ok_and(|out| same_file::Handle::from_path(path).is_ok_and(|it| it == out))
    {
        bail!("--certificate {}: standard output goes there", path.display());
    }
    if !may_be_replaced(path) {
        bail!("{} is no certificate: name another file", path.display());
    }
    Ok(output::check_replace(path).map_err(WorkError::unwritten(path))?)
}

/// Whether a file is empty, begins as a certificate does, or can't be read.
fn may_be_replaced(path: &Path) -> bool {
    const START: &[u8] = br#"{"certificate""#;
    input::first_bytes(path, START.len()).map_or(true, |start| start.is_empty() || start == START)
}

/// Writes the strategies that prove the answer. `is_over` says that they may be missing because the
/// search was stopped.
fn write_certificate(
    path: &Path,
    session: &dyn Session,
    SettleResultText { method, strategies, .. }: &SettleResultText,
    is_over: bool,
) -> anyhow::Result<()> {
    if strategies.is_empty() && is_over {
        let reason = "the search ended before the certificate was complete";
        return Err(WorkError(format!("{} was not written: {reason}", path.display())).into());
    }
    if strategies.is_empty() {
        return Err(WorkError(format!(
            "{} was not written: there is no certificate of a proof by {method} from here; one starts \
             where a turn does",
            path.display()
        ))
        .into());
    }
    let mut content = Vec::new();
    for strategy in strategies {
        write_strategy(session.variant(), &session.position(), strategy, &mut content)?;
    }
    Ok(output::replace(path, &content)?)
}

fn write_strategy(
    game: &Variant,
    position: &str,
    StrategyText { claim, search_from, choices }: &StrategyText,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let role = game.roles.iter().find(|role| role.side == claim.side).context("a side without a role")?;
    let start = CertificateStart {
        certificate: 1,
        game: game.game.to_string(),
        rules: game.rules.to_string(),
        position: position.to_owned(),
        claim: IndexMap::from([(role.name.to_string(), ClaimedScore { at_least: claim.score })]),
        search_from: u8::try_from(*search_from).ok().filter(|&pieces| pieces > 0),
    };
    writeln!(out, "{}", serde_json::to_string(&start)?)?;
    for (position, moves) in choices {
        let turn = CertificateTurn { position: position.clone(), moves: moves.clone() };
        writeln!(out, "{}", serde_json::to_string(&turn)?)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use quintet_core::solver::Claim;

    use super::*;

    #[test]
    fn every_bound_has_its_words() {
        let games = quintet_games::registry();
        let said = |game: &str, lower, upper| {
            verdict(&games.find(game, None).expect("a game"), Bounds { lower, upper })
        };
        assert_eq!(said("quarto", 100, 100), "white wins");
        assert_eq!(said("quarto", 50, 50), "a draw");
        assert_eq!(said("qubic", 0, 0), "o wins");
        assert_eq!(said("pentago", 50, 100), "not settled: red gets at least a draw");
        assert_eq!(said("pentago", 0, 50), "not settled: black gets at least a draw");
        assert_eq!(said("gomoku", 0, 100), "not settled: nothing is proven");
        assert_eq!(said("pentago", 70, 70), "red gets 70");
        assert_eq!(said("pentago", 30, 70), "not settled: red gets 30 to 70");
        let rules = "(role solo) (init a) (legal solo go) (<= (next b) (true a)) (<= terminal (true b)) (goal solo 0)";
        let alone = quintet_gdl::Compiled::new(rules, quintet_gdl::Limits::default()).expect("it is right");
        let alone = quintet_gdl::variant("alone".to_owned(), alone);
        for (lower, upper, expected) in [
            (100, 100, "solo wins"),
            (0, 0, "solo gets 0"),
            (50, 50, "solo gets 50"),
            (50, 100, "not settled: solo gets 50 to 100"),
            (0, 100, "not settled: nothing is proven"),
        ] {
            assert_eq!(verdict(&alone, Bounds { lower, upper }), expected);
        }
    }

    #[test]
    fn a_strategy_is_written_as_a_certificate() {
        let game = quintet_games::registry().find("qubic", Some("ggp")).expect("a game");
        let choices = vec![("p".to_owned(), vec!["r1".to_owned(), "c1".to_owned()])];
        let mut out = Vec::new();
        for (claim, search_from) in [(Claim::win(Side::First), 0), (Claim::draw(Side::Second), 4)] {
            let strategy = StrategyText { claim, search_from, choices: choices.clone() };
            write_strategy(&game, "start", &strategy, &mut out).expect("memory has room");
        }
        let expected = r#"{"certificate":1,"game":"qubic","rules":"ggp","position":"start","claim":{"xrow":{"at_least":100}}}
{"position":"p","moves":["r1","c1"]}
{"certificate":1,"game":"qubic","rules":"ggp","position":"start","claim":{"orow":{"at_least":50}},"search_from":4}
{"position":"p","moves":["r1","c1"]}
"#;
        assert_eq!(String::from_utf8(out).expect("text"), expected);
    }

    /// A session of a game that claims to have strategies.
    fn with_strategies() -> Box<dyn Session> {
        let mut game = quintet_games::registry().find("krk", None).expect("a game");
        game.has_strategies = true;
        game.start()
    }

    #[test]
    fn what_can_not_be_written_is_refused_before_the_search() {
        let games = quintet_games::registry();
        let folder = tempfile::tempdir().expect("a temporary directory can be made");
        let refused = |name: &str, session: &dyn Session| {
            let error = check_certificate(&folder.path().join(name), session, &games);
            error.expect_err("it is refused").to_string()
        };
        let mut session = with_strategies();
        check_certificate(&folder.path().join("new"), &*session, &games).expect("it can be written");
        assert!(refused("missing/new", &*session).contains("missing/new: "));
        assert!(refused("", &*session).starts_with("can't write "));
        std::fs::write(folder.path().join("games"), "{\"game\":\"krk\"}\n").expect("it can be written");
        let device = check_certificate(Path::new("-"), &*session, &games).expect_err("no file").to_string();
        assert_eq!(device, "--certificate -: it is not a regular file");
        #[cfg(unix)]
        assert!(check_certificate(Path::new("/dev/tty"), &*session, &games).is_err());
        assert!(refused("games", &*session).ends_with("games is no certificate: name another file"));
        for token in ["Kc1-b2", "ka4-b4", "Rd1-d4"] {
            session.play(token).expect("it is legal");
        }
        assert!(refused("new", &*session).starts_with("the game is over"));
        let files = std::fs::read_dir(&folder).expect("it is there").count();
        assert_eq!(files, 1, "the check leaves nothing behind");
    }

    #[test]
    fn a_certificate_is_written_as_a_whole_if_there_is_one() {
        let folder = tempfile::tempdir().expect("a temporary directory can be made");
        let path = folder.path().join("file");
        let session = with_strategies();
        let strategy = StrategyText { claim: Claim::win(Side::First), search_from: 0, choices: Vec::new() };
        let proven = |strategies, is_over| {
            let bounds = Bounds::exactly(Outcome::Win(Side::First));
            let settlement = SettleResultText { bounds, best: None, method: "magic", strategies };
            write_certificate(&path, &*session, &settlement, is_over)
        };
        let error = proven(Vec::new(), true).expect_err("it was stopped").to_string();
        assert!(
            error.ends_with("file was not written: the search ended before the certificate was complete")
        );
        let error = proven(Vec::new(), false).expect_err("there is nothing to write").to_string();
        assert!(
            error.ends_with("file was not written: there is no certificate of a proof by magic from here; one starts where a turn does"),
            "{error}"
        );
        assert!(!path.exists());
        for _ in 0..2 {
            proven(vec![strategy.clone()], false).expect("it can be written");
            let content = std::fs::read_to_string(&path).expect("it is there");
            assert!(content.starts_with(r#"{"certificate":1,"game":"krk""#) && content.ends_with("}\n"));
        }
        assert_eq!(std::fs::read_dir(&folder).expect("it is there").count(), 1);
    }

    #[test]
    fn only_certificates_are_replaced() {
        let folder = tempfile::tempdir().expect("a temporary directory can be made");
        let path = folder.path().join("file");
        assert!(may_be_replaced(&path));
        for (content, expected) in [
            ("", true),
            ("{\"certificate\":1,\"game\":\"qubic\"}\n", true),
            ("{\"game\":\"qubic\"}\n", false),
            ("{\"c", false),
        ] {
            std::fs::write(&path, content).expect("it can be written");
            assert_eq!(may_be_replaced(&path), expected, "{content}");
        }
    }
}

//! The machine and the program that ran the benchmark.

use std::process::Command;

/// Returns the processor and its number of cores.
pub(super) fn machine() -> String {
    let model = [of_linux, of_macos, of_windows].iter().find_map(|model| model());
    let model = model.unwrap_or_else(|| format!("{} processor", std::env::consts::ARCH));
    match std::thread::available_parallelism() {
        Ok(cores) if cores.get() > 1 => format!("{model}, {cores} cores"),
        Ok(_) => format!("{model}, 1 core"),
        Err(_) => model,
    }
}

/// The model of the processor on Linux, which tells it on x86-64.
fn of_linux() -> Option<String> {
    let info = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = info.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// The model of the processor on macOS.
fn of_macos() -> Option<String> {
    output(Command::new("sysctl").args(["-n", "machdep.cpu.brand_string"]))
}

/// The model of the processor on Windows.
fn of_windows() -> Option<String> {
    std::env::var("PROCESSOR_IDENTIFIER").ok()
}

/// Returns the program's title, and the revision of its sources if they are available.
pub(super) fn revision(title: &str) -> String {
    let Some(revision) = git(&["rev-parse", "--short", "HEAD"]) else {
        return format!("{title}, revision unknown");
    };
    let changed = git(&[
        "--no-optional-locks",
        "status",
        "--porcelain",
        "--",
        "src",
        "crates",
        "Cargo.toml",
        "Cargo.lock",
    ]);
    let changed = if changed.is_some_and(|files| !files.is_empty()) { " with changes" } else { "" };
    format!("{title}, revision {revision}{changed}")
}

fn git(arguments: &[&str]) -> Option<String> {
    output(Command::new("git").args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")))
}

/// Returns what a program prints, if there is one and it succeeds.
fn output(program: &mut Command) -> Option<String> {
    let output = program.output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

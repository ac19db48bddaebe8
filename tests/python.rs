//! The Python package `quintet`, where Python is installed.

use std::env;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The status of `python/test` if the packages that it needs can't be installed.
const NO_PACKAGES: i32 = 77;

/// Whether bash and Python are there.
fn is_there() -> bool {
    let runs = |program: &str, arguments: &[&str]| {
        let status =
            Command::new(program).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    };
    let needed = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))";
    runs("bash", &["-c", "true"]) && runs("python3", &["-c", needed])
}

/// Leaves tests out, unless all have to run.
fn leave_out(missing: &str) {
    let is_needed = env::var_os("QUINTET_TESTS").is_some_and(|tests| tests == "all");
    assert!(!is_needed, "not there: {missing}");
    // Whoever reads the log has to know; what `eprintln` prints is only shown of tests that fail.
    let text = format!("left out: the tests of the Python package; not there: {missing}\n");
    io::stderr().write_all(text.as_bytes()).expect("standard error is open");
}

fn script() -> Command {
    Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("python/test"))
}

fn text(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|it| String::from_utf8_lossy(it).into_owned()).concat()
}

/// Its tests are those of its own folder: `python/test` builds the package and tests it in an environment
/// of its own.
#[test]
fn the_tests_of_the_python_package_pass_or_are_left_out() {
    if !is_there() {
        return leave_out("bash, or Python 3.11 with venv");
    }
    let tests = script().env("QUINTET", env!("CARGO_BIN_EXE_quintet")).output().expect("bash is there");
    let text = text(&tests);
    if tests.status.code() == Some(NO_PACKAGES) {
        return leave_out(&format!("the packages of python/tests/requirements.txt\n{text}"));
    }
    assert!(tests.status.success(), "{text}");
}

#[test]
fn packages_that_cant_be_installed_are_told_from_tests_that_fail() {
    if !is_there() {
        return leave_out("bash, or Python 3.11 with venv");
    }
    let target = tempfile::tempdir().expect("a folder");
    let tests = script().env("CARGO_TARGET_DIR", target.path()).env("PIP_NO_INDEX", "1").output();
    let tests = tests.expect("bash is there");
    assert_eq!(tests.status.code(), Some(NO_PACKAGES), "{}", text(&tests));
}

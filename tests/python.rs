//! The Python package `quintet`, where Python is installed.

use std::env;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

/// Its tests are those of its own folder: `python/test` builds the package and tests it in an environment
/// of its own.
#[test]
fn the_tests_of_the_python_package_pass_or_are_left_out() {
    let runs = |program: &str, arguments: &[&str]| {
        let status =
            Command::new(program).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    };
    let needed = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))";
    if !runs("bash", &["-c", "true"]) || !runs("python3", &["-c", needed]) {
        let missing = "bash, or Python 3.11 with venv";
        let is_needed = env::var_os("QUINTET_TESTS").is_some_and(|tests| tests == "all");
        assert!(!is_needed, "not there: {missing}");
        // Whoever reads the log has to know; what `eprintln` prints is only shown of tests that fail.
        let text = format!("left out: the tests of the Python package; not there: {missing}\n");
        io::stderr().write_all(text.as_bytes()).expect("standard error is open");
        return;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/test");
    let tests = Command::new(script).env("QUINTET", env!("CARGO_BIN_EXE_quintet")).output();
    let tests = tests.expect("bash is there");
    let [out, errors] = [tests.stdout, tests.stderr].map(|it| String::from_utf8_lossy(&it).into_owned());
    assert!(tests.status.success(), "{out}{errors}");
}

//! The Python package `quintet`, where Python is installed.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::harness::lacks;

/// The status of `python/test` if the packages that it needs can't be installed.
const NO_PACKAGES: i32 = 77;

/// Whether bash or Python is not there.
fn lacks_python() -> bool {
    let runs = |program: &str, arguments: &[&str]| {
        let status =
            Command::new(program).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    };
    let needed = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))";
    lacks("bash", runs("bash", &["-c", "true"]))
        || lacks("Python 3.11 with venv", runs("python3", &["-c", needed]))
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
    if lacks_python() {
        return;
    }
    let tests = script().env("QUINTET", env!("CARGO_BIN_EXE_quintet")).output().expect("bash is there");
    let has_packages = tests.status.code() != Some(NO_PACKAGES);
    let text = text(&tests);
    if lacks(&format!("a package of python/tests/requirements.txt ({text})"), has_packages) {
        return;
    }
    assert!(tests.status.success(), "{text}");
}

#[test]
fn packages_that_cant_be_installed_are_told_from_tests_that_fail() {
    if lacks_python() {
        return;
    }
    let target = tempfile::tempdir().expect("a folder");
    let tests = script().env("CARGO_TARGET_DIR", target.path()).env("PIP_NO_INDEX", "1").output();
    let tests = tests.expect("bash is there");
    assert_eq!(tests.status.code(), Some(NO_PACKAGES), "{}", text(&tests));
}

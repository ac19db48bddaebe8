//! The crate shares no code with the solvers.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

#[test]
fn it_depends_on_no_other_crate_of_quintet() {
    let metadata = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--offline", "--locked"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(metadata.status.success(), "{}", String::from_utf8_lossy(&metadata.stderr));
    let metadata: Value = serde_json::from_slice(&metadata.stdout).expect("JSON");
    let list = |value: &Value| value.as_array().expect("a list").clone();
    let packages = list(&metadata["packages"]);
    let name = |id: &Value| {
        let package = packages.iter().find(|it| it["id"] == *id).expect("each package is there");
        package["name"].as_str().expect("a name").to_owned()
    };
    // All packages that are built for it, but for its tests.
    let nodes = list(&metadata["resolve"]["nodes"]);
    let mut needed =
        vec![packages.iter().find(|it| it["name"] == "quintet-verify").expect("it")["id"].clone()];
    let mut next = 0;
    while next < needed.len() {
        let node = nodes.iter().find(|it| it["id"] == needed[next]).expect("each package has a node");
        for dependency in list(&node["deps"]) {
            let is_test_only = list(&dependency["dep_kinds"]).iter().all(|it| it["kind"] == "dev");
            if !is_test_only && !needed.contains(&dependency["pkg"]) {
                needed.push(dependency["pkg"].clone());
            }
        }
        next += 1;
    }
    let names: Vec<String> = needed.iter().map(name).collect();
    assert!(names.contains(&"serde_json".to_owned()), "{names:?}");
    let quintet: Vec<&String> = names.iter().filter(|name| name.starts_with("quintet")).collect();
    assert_eq!(quintet, ["quintet-verify"]);
    let local = |id: &&Value| packages.iter().any(|it| it["id"] == **id && it["source"].is_null());
    assert_eq!(needed.iter().filter(local).count(), 1, "no other crate of the workspace: {names:?}");
}

/// Calls `check` with each file of a folder and of those in it.
fn each_file(folder: &Path, check: &mut impl FnMut(&Path)) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { each_file(&path, check) } else { check(&path) }
    }
}

#[test]
fn it_takes_in_no_file_from_elsewhere() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = 0;
    each_file(&source, &mut |path| {
        files += 1;
        let text = fs::read_to_string(path).expect("text");
        for taken in ["include!", "include_bytes!", "#[path", "build.rs"] {
            assert!(!text.contains(taken), "{taken} in {}", path.display());
        }
        assert!(!path.is_symlink(), "{} is a link", path.display());
        let is_test = ["tests.rs", "twins.rs", "mutants.rs"].iter().any(|it| path.ends_with(it));
        assert!(is_test || !text.contains("quintet_"), "{} names another crate", path.display());
    });
    assert!(files >= 4);
    assert!(!source.with_file_name("build.rs").exists());
}

//! The files of the page, which are part of the program.

use quintet_web::File;

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

/// Lists files of the folder `page`, which the server has under `/assets/`.
macro_rules! assets {
    ($($name:literal as $kind:ident),* $(,)?) => {
        &[$(file(concat!("/assets/", $name), $kind, include_bytes!(concat!("page/", $name)))),*]
    };
}

const fn file(path: &'static str, content_type: &'static str, content: &'static [u8]) -> File {
    File { path, content_type, content }
}

/// The files of the folder `page`, but for the page itself.
const PARTS: &[File] = assets![
    "analyze.css" as CSS,
    "analyze.js" as SCRIPT,
    "beside.js" as SCRIPT,
    "candidates.js" as SCRIPT,
    "clicks.js" as SCRIPT,
    "drag.js" as SCRIPT,
    "findings.js" as SCRIPT,
    "game.js" as SCRIPT,
    "gamelist.js" as SCRIPT,
    "graph.js" as SCRIPT,
    "icon.svg" as SVG,
    "lines.js" as SCRIPT,
    "live.js" as SCRIPT,
    "main.js" as SCRIPT,
    "moves.js" as SCRIPT,
    "play.js" as SCRIPT,
    "playing.js" as SCRIPT,
    "positions.css" as CSS,
    "positions.js" as SCRIPT,
    "records.js" as SCRIPT,
    "report.js" as SCRIPT,
    "results.js" as SCRIPT,
    "setup.js" as SCRIPT,
    "share.js" as SCRIPT,
    "shell.js" as SCRIPT,
    "socket.js" as SCRIPT,
    "sound.js" as SCRIPT,
    "style.css" as CSS,
    "survey.js" as SCRIPT,
    "text.js" as SCRIPT,
    "tournament.js" as SCRIPT,
    "verdicts.js" as SCRIPT,
    "watch.css" as CSS,
    "watch.js" as SCRIPT,
    "words.js" as SCRIPT,
];

/// The page, and the boards that it draws.
const OTHERS: &[File] = &[
    file("/", HTML, include_bytes!("page/index.html")),
    file("/assets/board.css", CSS, quintet_board::STYLE.as_bytes()),
    file("/assets/board.js", SCRIPT, quintet_board::SCRIPT.as_bytes()),
];

/// Returns the files of the page.
pub(super) fn files() -> Vec<File> {
    PARTS.iter().chain(OTHERS).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_folder_is_in_the_table() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/serve/page");
        let files = std::fs::read_dir(folder).expect("it is there");
        let names = files.map(|file| file.expect("a file").file_name().into_string().expect("text"));
        let mut paths: Vec<String> =
            names.filter(|name| name != "index.html").map(|name| format!("/assets/{name}")).collect();
        paths.sort_unstable();
        let mut table: Vec<&str> = PARTS.iter().map(|file| file.path).collect();
        table.sort_unstable();
        assert_eq!(table, paths);
    }
}

//! The files of the page, which are part of the program.

use quintet_core::hash::Fnv1a;

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

/// Lists files of the folder `page`, which the server has under `/assets/`.
macro_rules! assets {
    ($($name:literal as $kind:ident),* $(,)?) => {
        &[$((concat!("/assets/", $name), $kind, include_bytes!(concat!("page/", $name)))),*]
    };
}

/// A path, its content type and its content.
type File = (&'static str, &'static str, &'static [u8]);

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
    ("/", HTML, include_bytes!("page/index.html")),
    ("/assets/board.css", CSS, quintet_board::STYLE.as_bytes()),
    ("/assets/board.js", SCRIPT, quintet_board::SCRIPT.as_bytes()),
];

/// A file of the page.
#[derive(Debug)]
pub(super) struct Asset {
    path: &'static str,
    pub(super) content_type: &'static str,
    pub(super) content: &'static [u8],
    /// Another one for another content, in quotes.
    pub(super) etag: String,
}

/// The files of the page.
#[derive(Debug)]
pub(super) struct Assets(Vec<Asset>);

impl Assets {
    pub(super) fn new() -> Self {
        let files = PARTS.iter().chain(OTHERS);
        Self(files.map(|&(path, content_type, content)| Asset::new(path, content_type, content)).collect())
    }

    pub(super) fn find(&self, path: &str) -> Option<&Asset> {
        self.0.iter().find(|asset| asset.path == path)
    }
}

impl Asset {
    fn new(path: &'static str, content_type: &'static str, content: &'static [u8]) -> Self {
        let hash = Fnv1a::default().bytes(content.iter().copied()).hash();
        Self { path, content_type, content, etag: format!("\"{hash:016x}\"") }
    }
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
        let mut table: Vec<&str> = PARTS.iter().map(|(path, ..)| *path).collect();
        table.sort_unstable();
        assert_eq!(table, paths);
    }

    #[test]
    fn another_content_has_another_etag() {
        let etag = |content| Asset::new("/", HTML, content).etag;
        assert_ne!(etag(b"a"), etag(b"b"));
        assert_eq!(etag(b"a"), etag(b"a"));
    }
}

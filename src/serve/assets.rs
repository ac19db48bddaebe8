//! The files of the page, which are part of the program.

use quintet_core::hash::Fnv1a;

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

/// All files: the path, the content type and the content.
const FILES: [(&str, &str, &[u8]); 4] = [
    ("/", HTML, include_bytes!("page/index.html")),
    ("/assets/icon.svg", SVG, include_bytes!("page/icon.svg")),
    ("/assets/main.js", SCRIPT, include_bytes!("page/main.js")),
    ("/assets/style.css", CSS, include_bytes!("page/style.css")),
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
        Self(FILES.map(|(path, content_type, content)| Asset::new(path, content_type, content)).into())
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
        let mut paths: Vec<String> = names
            .map(|name| if name == "index.html" { "/".to_owned() } else { format!("/assets/{name}") })
            .collect();
        paths.sort_unstable();
        assert_eq!(FILES.map(|(path, ..)| path).to_vec(), paths);
    }

    #[test]
    fn another_content_has_another_etag() {
        let etag = |content| Asset::new("/", HTML, content).etag;
        assert_ne!(etag(b"a"), etag(b"b"));
        assert_eq!(etag(b"a"), etag(b"a"));
    }
}

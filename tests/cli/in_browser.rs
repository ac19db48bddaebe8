//! The page of `quintet serve` in Chromium, driven through its debugging protocol.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tungstenite::{Message, WebSocket};

use crate::serving::Server;

/// No script of a test takes longer.
const LONG: Duration = Duration::from_secs(120);

/// A page in a browser of its own, which ends with the test.
pub(crate) struct Page {
    child: Child,
    socket: WebSocket<TcpStream>,
    session: String,
    next: u64,
    /// What was written to the console, and what went wrong.
    said: VecDeque<String>,
    url: String,
    _profile: TempDir,
}

impl Drop for Page {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the name of Chromium here. `None` if there is none and `QUINTET_TESTS` does not ask for all
/// tests.
#[expect(clippy::print_stderr, reason = "whoever reads the log has to know that this was not tested")]
pub(crate) fn chromium() -> Option<&'static str> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let found = names.into_iter().find(|name| Command::new(name).arg("--version").output().is_ok());
    if found.is_none() {
        let is_needed = std::env::var_os("QUINTET_TESTS").is_some_and(|tests| tests == "all");
        assert!(!is_needed, "there is no Chromium");
        eprintln!("skipped: there is no Chromium");
    }
    found
}

impl Page {
    /// Opens a browser with a window of this size.
    pub(crate) fn open(chromium: &str, server: &Server, (width, height): (u32, u32)) -> Self {
        let profile = tempfile::tempdir().expect("a temporary directory can be made");
        let mut command = Command::new(chromium);
        command.args(["--headless", "--no-sandbox", "--disable-gpu", "--force-prefers-reduced-motion"]);
        command.args(["--remote-debugging-port=0", "about:blank"]);
        command.arg(format!("--window-size={width},{height}"));
        command.arg(format!("--user-data-dir={}", profile.path().display()));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let stderr = BufReader::new(child.stderr.take().expect("piped"));
        let mut lines = stderr.lines().map(|line| line.expect("text"));
        let listens = lines.find_map(|line| line.strip_prefix("DevTools listening on ").map(str::to_owned));
        let address = listens.expect("it listens");
        // It must never wait for someone to read.
        std::thread::spawn(move || lines.for_each(drop));
        let host = address.strip_prefix("ws://").and_then(|rest| rest.split('/').next()).expect("a URL");
        let stream = TcpStream::connect(host).expect("it listens");
        stream.set_read_timeout(Some(LONG)).expect("it can be set");
        let (socket, _) = tungstenite::client(&*address, stream).expect("a WebSocket");
        let url = format!("http://{}{}", server.address, server.page);
        let (said, session) = (VecDeque::new(), String::new());
        let mut page = Self { child, socket, session, next: 0, said, url, _profile: profile };
        let targets = page.call("Target.getTargets", json!({}));
        let mut targets = targets["targetInfos"].as_array().expect("targets").iter();
        let target = &targets.find(|it| it["type"] == "page").expect("a page")["targetId"];
        let attached = page.call("Target.attachToTarget", json!({ "targetId": target, "flatten": true }));
        attached["sessionId"].as_str().expect("a name").clone_into(&mut page.session);
        for domain in ["Runtime", "Log", "Page"] {
            page.call(&format!("{domain}.enable"), json!({}));
        }
        page
    }

    /// Goes to the page with this fragment of the address, as after a click on a link from elsewhere.
    pub(crate) fn go(&mut self, fragment: &str) {
        self.call("Page.navigate", json!({ "url": "about:blank" }));
        let url = format!("{}#{fragment}", self.url);
        self.call("Page.navigate", json!({ "url": url }));
    }

    /// Runs the body of an async function in the page, and returns what it returns.
    #[track_caller]
    pub(crate) fn run(&mut self, body: &str) -> Value {
        let expression = format!("(async () => {{ {body}\n }})()");
        let ask = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let answer = self.call("Runtime.evaluate", ask);
        assert!(answer["exceptionDetails"].is_null(), "{:#}", answer["exceptionDetails"]);
        answer["result"]["value"].clone()
    }

    /// Checks that nothing was written to the console, and that nothing went wrong.
    #[track_caller]
    pub(crate) fn is_silent(&mut self) {
        self.run("");
        assert!(self.said.is_empty(), "{:#?}", self.said);
    }

    #[track_caller]
    fn call(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        let mut call = json!({ "id": id, "method": method, "params": params });
        if !self.session.is_empty() {
            call["sessionId"] = json!(self.session);
        }
        self.socket.send(Message::text(call.to_string())).expect("it can be sent");
        loop {
            let Message::Text(text) = self.socket.read().expect("it answers") else { continue };
            let mut message: Value = serde_json::from_str(&text).expect("JSON");
            if message["id"] == id {
                assert!(message["error"].is_null(), "{method}: {}", message["error"]);
                return message["result"].take();
            }
            let events = ["Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"];
            if events.iter().any(|event| message["method"] == *event) {
                self.said.push_back(message["params"].to_string());
            }
        }
    }
}

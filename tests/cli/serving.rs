//! `quintet serve` as the tests run it, and its clients.

use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tungstenite::client::IntoClientRequest as _;
use tungstenite::http::{HeaderName, HeaderValue};
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::{Error, Message};

use crate::harness::{Child, command};

/// No answer takes longer.
const LONG: Duration = Duration::from_secs(60);

/// A server on a port that was free. It ends with the test.
#[cfg_attr(not(unix), allow(dead_code, reason = "no test ends one by a signal"))]
pub(crate) struct Server {
    child: Child,
    stdout: BufReader<ChildStdout>,
    pub(crate) address: SocketAddr,
    /// The path and query of the page.
    pub(crate) page: String,
}

/// The answer to a plain request.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    headers: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.lines().find_map(|line| {
            let (it, value) = line.split_once(": ")?;
            it.eq_ignore_ascii_case(name).then_some(value)
        })
    }
}

#[cfg_attr(not(unix), allow(dead_code, reason = "no test ends one by a signal"))]
impl Server {
    /// Starts `quintet serve` with more arguments, on a port that is free.
    pub(crate) fn start(args: &[&str]) -> Self {
        Self::start_with(&[&["--port", "0"], args].concat())
    }

    /// Starts `quintet serve` with these arguments.
    pub(crate) fn start_with(args: &[&str]) -> Self {
        let mut command = command();
        command.arg("serve").args(args);
        Self::spawn(command)
    }

    /// Starts a command that is `quintet serve` with any arguments.
    pub(crate) fn spawn(mut command: Command) -> Self {
        command.env("RAYON_NUM_THREADS", "1");
        let mut child =
            Child::start(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()));
        let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
        let mut line = String::new();
        stdout.read_line(&mut line).expect("it can be read");
        let rest = line.strip_prefix("quintet is at http://").unwrap_or_else(|| panic!("{line:?}"));
        let url = rest.strip_suffix(" (Ctrl-C ends it)\n").unwrap_or_else(|| panic!("{line:?}"));
        let (address, page) = url.split_once('/').expect("a path");
        let address = address.parse().expect("an address");
        Self { child, stdout, address, page: format!("/{page}") }
    }

    pub(crate) fn id(&self) -> String {
        self.child.id().to_string()
    }

    /// Waits until it has ended, and returns its exit status, and what it wrote on standard output after
    /// the first line and on standard error.
    pub(crate) fn output(mut self) -> (Option<i32>, String, String) {
        let (mut stdout, mut stderr) = (String::new(), String::new());
        self.stdout.read_to_string(&mut stdout).expect("text");
        self.child.stderr.take().expect("piped").read_to_string(&mut stderr).expect("text");
        (self.child.wait().expect("it ends").code(), stdout, stderr)
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("it listens");
        stream.set_read_timeout(Some(LONG)).expect("it can be set");
        stream.set_write_timeout(Some(LONG)).expect("it can be set");
        stream
    }

    /// Sends a request with these headers, and its own `Host` unless there is one.
    pub(crate) fn request(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
        let mut stream = self.connect();
        let host = ("Host", &*self.address.to_string());
        let has_host = headers.iter().any(|(name, _)| *name == "Host");
        let mut text = format!("{method} {path} HTTP/1.1\r\n");
        for (name, value) in headers.iter().chain((!has_host).then_some(&host)) {
            text += &format!("{name}: {value}\r\n");
        }
        stream.write_all(format!("{text}\r\n").as_bytes()).expect("it can be sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it can be read");
        let (headers, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{answer:?}"));
        let status = headers.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        Answer { status, headers: headers.to_owned(), body: body.to_owned() }
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.request("GET", path, &[])
    }

    /// Opens a WebSocket with these headers, and returns the status if it is refused.
    pub(crate) fn open(&self, path: &str, headers: &[(&'static str, &str)]) -> Result<Socket, u16> {
        let mut request = format!("ws://{}{path}", self.address).into_client_request().expect("a URL");
        for (name, value) in headers {
            let value = HeaderValue::from_str(value).expect("a value");
            request.headers_mut().insert(HeaderName::try_from(*name).expect("a name"), value);
        }
        match tungstenite::client(request, self.connect()) {
            Ok((socket, _)) => Ok(Socket(socket)),
            Err(tungstenite::HandshakeError::Failure(Error::Http(response))) => {
                Err(response.status().as_u16())
            }
            Err(error) => panic!("{error}"),
        }
    }

    pub(crate) fn socket(&self) -> Socket {
        self.open("/analyze", &[]).expect("a WebSocket")
    }

    /// Checks that new clients get the page and answers.
    #[track_caller]
    pub(crate) fn serves(&self) {
        assert_eq!(self.get("/").status, 200);
        self.socket().answers();
    }

    /// The largest memory that the server has had, in bytes.
    #[cfg(target_os = "linux")]
    pub(crate) fn peak_memory(&self) -> usize {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id())).expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("Linux says it");
        let number = line.trim().strip_suffix(" kB").and_then(|number| number.parse::<usize>().ok());
        number.expect("a number") << 10
    }
}

/// A client of the live protocol.
pub(crate) struct Socket(pub(crate) tungstenite::WebSocket<TcpStream>);

impl Socket {
    pub(crate) fn send(&mut self, text: impl Into<String>) {
        self.0.send(Message::text(text.into())).expect("it can be sent");
    }

    /// Returns the next line.
    #[track_caller]
    pub(crate) fn next(&mut self) -> Value {
        let start = Instant::now();
        loop {
            assert!(start.elapsed() < LONG, "there is no answer");
            match self.0.read() {
                Ok(Message::Text(text)) => return serde_json::from_str(&text).expect("JSON"),
                Ok(Message::Ping(_) | Message::Pong(_)) => {}
                other => panic!("{other:?}"),
            }
        }
    }

    /// Checks that a line is answered.
    #[track_caller]
    pub(crate) fn answers(&mut self) {
        self.send(json!({"id": "here", "action": "version"}).to_string());
        let expected = json!({
            "id": "here", "action": "version", "name": "quintet", "version": env!("CARGO_PKG_VERSION")
        });
        assert_eq!(self.next(), expected);
    }

    /// Sends bytes that are no line.
    pub(crate) fn send_raw(&mut self, bytes: &[u8]) -> bool {
        self.0.get_mut().write_all(bytes).is_ok()
    }

    /// Returns the code with which the server closes the connection; `None` if it just ends.
    #[track_caller]
    pub(crate) fn close_code(&mut self) -> Option<u16> {
        let start = Instant::now();
        loop {
            assert!(start.elapsed() < LONG, "it does not end");
            match self.0.read() {
                Ok(Message::Close(frame)) => return frame.map(|frame| CloseCode::into(frame.code)),
                Ok(_) => {}
                Err(Error::Io(error)) if error.kind() == ErrorKind::WouldBlock => panic!("it does not end"),
                Err(_) => return None,
            }
        }
    }
}

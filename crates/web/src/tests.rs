//! The server with a service for tests and short timeouts.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tokio::sync::watch;
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::{Error, Message, WebSocket};

use super::limits::{Limits, OutboxLimits};
use super::server::run_with;
use super::{
    AccessControl, Answer, Client, Connection, ConnectionLimits, Line, Listeners, Out, Response, Serve, Site,
    accept,
};

/// What a test has in common with the clients of its server.
#[derive(Default)]
struct Held {
    /// The test has it while `hold` is not to end.
    lock: Mutex<()>,
    /// The number of lines `hold` that were passed on.
    lines: AtomicUsize,
}

/// Answers each line with itself. `partial N` and `last N` are answered with N partial lines or with
/// N last ones of 10,000 bytes, before the line itself; `wait` with nothing, and so `hold` once the lock of
/// [`Held`] is free; `fail` by a panic.
struct FakeClient {
    out: Out,
    held: Arc<Held>,
    closed: Sender<()>,
    dropped: Sender<()>,
}

impl Serve for FakeClient {
    fn line(&self, text: Vec<u8>) {
        let text = String::from_utf8(text).expect("text");
        if text == "fail" {
            std::panic::resume_unwind(Box::new(()));
        }
        if text == "hold" {
            self.held.lines.fetch_add(1, Ordering::Relaxed);
            drop(self.held.lock.lock().expect("the test has not failed"));
            return;
        }
        if let Some((kind, number)) = text.split_once(' ') {
            for number in 0..number.parse().expect("a number") {
                let text = format!("{number:10000}");
                self.out.send(Line { text, is_partial: kind == "partial" });
            }
        }
        if text != "wait" {
            self.out.send(Line { text, is_partial: false });
        }
    }

    fn close(&self) {
        let _ = self.closed.send(());
    }
}

impl Drop for FakeClient {
    fn drop(&mut self) {
        let _ = self.dropped.send(());
    }
}

/// A server that ends with the test.
struct Running {
    address: SocketAddr,
    stop: watch::Sender<bool>,
    held: Arc<Held>,
    /// Tells when a client is closed.
    closed: Receiver<()>,
    /// Tells when a client is dropped.
    dropped: Receiver<()>,
    thread: JoinHandle<()>,
}

fn start(limits: Limits) -> Running {
    let listeners = Listeners::bind(None, 0..=0).expect("a port");
    let address = listeners.address();
    let access = AccessControl::new("test", "--allow", &listeners, Vec::new()).expect("no token is needed");
    let site = Site { access, files: Vec::new(), socket: "/socket" };
    let (stop, stopping) = watch::channel(false);
    let [(of_closed, closed), (of_dropped, dropped)] = [mpsc::channel(), mpsc::channel()];
    let held = Arc::new(Held::default());
    let of_service = Arc::clone(&held);
    let service = Box::new(move |out| -> Client {
        let held = Arc::clone(&of_service);
        Box::new(FakeClient { out, held, closed: of_closed.clone(), dropped: of_dropped.clone() })
    });
    let serve = move || run_with(listeners, site, service, limits, stopping).expect("it runs");
    Running { address, stop, held, closed, dropped, thread: thread::spawn(serve) }
}

fn with(connections: ConnectionLimits) -> Limits {
    Limits { connections, ..Limits::default() }
}

/// Long enough for a busy machine, and far less than the time between two pings.
const AT_ONCE: Duration = Duration::from_secs(5);

/// The longest that a test waits.
const LONG: Duration = Duration::from_secs(20);

impl Running {
    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("it listens");
        stream.set_read_timeout(Some(LONG)).expect("it can be set");
        stream
    }

    fn socket(&self) -> WebSocket<TcpStream> {
        self.try_socket().expect("a WebSocket")
    }

    fn try_socket(&self) -> Option<WebSocket<TcpStream>> {
        let url = format!("ws://{}/socket", self.address);
        tungstenite::client(url, self.connect()).ok().map(|(socket, _)| socket)
    }

    fn was_dropped(&self, in_time: Duration) -> bool {
        self.dropped.recv_timeout(in_time).is_ok()
    }
}

fn send(socket: &mut WebSocket<TcpStream>, text: &str) {
    socket.send(Message::text(text)).expect("it can be sent");
}

fn next(socket: &mut WebSocket<TcpStream>) -> String {
    let start = Instant::now();
    loop {
        assert!(start.elapsed() < LONG, "there is no answer");
        match socket.read().expect("a message") {
            Message::Text(text) => return text.to_string(),
            Message::Ping(_) | Message::Pong(_) => {}
            other => panic!("{other:?}"),
        }
    }
}

/// Whether nothing came in the time that a read may take: systems differ in the name.
fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

/// Returns the code with which the server closes a connection; `None` if it just ends.
fn close_code(socket: &mut WebSocket<TcpStream>) -> Option<CloseCode> {
    let start = Instant::now();
    loop {
        assert!(start.elapsed() < LONG, "it does not end");
        match socket.read() {
            Ok(Message::Close(frame)) => return frame.map(|frame| frame.code),
            Ok(_) => {}
            Err(Error::Io(error)) if is_timeout(&error) => panic!("it does not end"),
            Err(_) => return None,
        }
    }
}

/// Whether the other side ends the connection, or is about to.
fn ends(mut stream: TcpStream) -> bool {
    let mut bytes = [0; 4096];
    let start = Instant::now();
    while start.elapsed() < LONG {
        match stream.read(&mut bytes) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(error) => return error.kind() == ErrorKind::ConnectionReset,
        }
    }
    false
}

#[test]
fn a_line_is_answered_to_the_client_that_sent_it() {
    let server = start(Limits::default());
    let mut sockets: Vec<_> = (0..5).map(|_| server.socket()).collect();
    for (number, socket) in sockets.iter_mut().enumerate() {
        // Blank lines are not for the client.
        send(socket, ["", " \n"][number % 2]);
        send(socket, &number.to_string());
    }
    for (number, socket) in sockets.iter_mut().enumerate() {
        assert_eq!(next(socket), number.to_string());
    }
}

#[test]
fn a_closed_tab_drops_its_client_at_once() {
    let server = start(Limits::default());
    let mut politely = server.socket();
    send(&mut politely, "wait");
    politely.close(None).expect("it can be closed");
    assert!(server.was_dropped(AT_ONCE));
    assert_eq!(close_code(&mut politely), None);

    drop(server.socket());
    assert!(server.was_dropped(AT_ONCE));

    // With answers on their way.
    let mut reading = server.socket();
    send(&mut reading, "last 500");
    next(&mut reading);
    drop(reading);
    assert!(server.was_dropped(AT_ONCE));
}

#[test]
fn the_lines_of_a_client_that_has_left_are_not_passed_on() {
    let server = start(Limits::default());
    let held = server.held.lock.lock().expect("no client has failed");
    let mut leaving = server.socket();
    (0..50).for_each(|_| send(&mut leaving, "hold"));
    leaving.get_ref().shutdown(Shutdown::Write).expect("it is open");
    assert!(ends(leaving.into_inner()));
    drop(held);
    assert!(server.was_dropped(LONG));
    assert!(server.held.lines.load(Ordering::Relaxed) <= 1);
}

#[test]
fn a_client_that_has_left_is_closed_at_once_and_counts_until_its_line_has_been_taken() {
    let server = start(Limits { sockets: 1, ..Limits::default() });
    let held = server.held.lock.lock().expect("no client has failed");
    let mut leaving = server.socket();
    send(&mut leaving, "hold");
    while server.held.lines.load(Ordering::Relaxed) == 0 {
        thread::yield_now();
    }
    drop(leaving);
    assert!(server.closed.recv_timeout(AT_ONCE).is_ok());
    // Longer than the server takes to close a socket.
    thread::sleep(Limits::default().close * 2);
    assert!(server.try_socket().is_none());
    assert!(server.dropped.try_recv().is_err());
    drop(held);
    assert!(server.was_dropped(AT_ONCE));
    let start = Instant::now();
    while server.try_socket().is_none() {
        assert!(start.elapsed() < LONG, "there is never room");
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_plain_request_for_the_socket_is_told_what_to_upgrade_to() {
    let server = start(Limits::default());
    let mut stream = server.connect();
    stream.write_all(b"GET /socket HTTP/1.1\r\nHost: localhost\r\n\r\n").expect("it can be sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it can be read");
    assert!(answer.starts_with("HTTP/1.1 426 ") && answer.contains("\r\nupgrade: websocket\r\n"), "{answer}");
    assert!(answer.contains("\r\nconnection: close, upgrade\r\n"), "{answer}");
}

#[test]
fn a_client_that_does_not_answer_is_given_up() {
    let server = start(Limits { ping: Duration::from_millis(200), ..Limits::default() });
    let start = Instant::now();
    let silent = server.socket();
    assert!(server.was_dropped(LONG));
    assert!(start.elapsed() >= Duration::from_millis(200), "{:?}", start.elapsed());
    drop(silent);

    // This one answers pings.
    let start = Instant::now();
    let mut lively = server.socket();
    lively.get_ref().set_read_timeout(Some(Duration::from_millis(50))).expect("it can be set");
    while start.elapsed() < Duration::from_millis(1_500) {
        match lively.read() {
            Ok(Message::Ping(_)) => {}
            Err(Error::Io(error)) if is_timeout(&error) => {}
            other => panic!("{other:?}"),
        }
        lively.flush().expect("it can be sent");
    }
    lively.get_ref().set_read_timeout(Some(LONG)).expect("it can be set");
    send(&mut lively, "hello");
    assert_eq!(next(&mut lively), "hello");
}

#[test]
fn a_client_that_stops_reading_is_given_up() {
    let outbox = OutboxLimits { final_bytes: usize::MAX, ..Limits::default().outbox };
    let server = start(Limits { ping: Duration::from_millis(200), outbox, ..Limits::default() });
    let mut stuck = server.socket();
    send(&mut stuck, "last 5000");
    assert!(server.was_dropped(LONG));
}

#[test]
fn a_slow_reader_loses_partial_answers_and_no_last_one() {
    let server = start(Limits::default());
    let mut slow = server.socket();
    send(&mut slow, "partial 5000");
    send(&mut slow, "partial 5000");
    send(&mut slow, "end");
    // Longer than the server needs to make them.
    thread::sleep(Duration::from_millis(500));
    let mut partial = 0;
    let mut last = Vec::new();
    while last.last().is_none_or(|it| it != "end") {
        match next(&mut slow) {
            text if text.len() == 10_000 => partial += 1,
            text => last.push(text),
        }
    }
    assert_eq!(last, ["partial 5000", "partial 5000", "end"]);
    assert!((1..9_999).contains(&partial), "{partial} of 10000");
}

#[test]
fn a_reader_too_slow_for_its_last_answers_is_closed() {
    let server = start(Limits::default());
    let mut stuck = server.socket();
    send(&mut stuck, "last 5000");
    assert!(server.was_dropped(LONG));
    let mut other = server.socket();
    send(&mut other, "hello");
    assert_eq!(next(&mut other), "hello");
}

#[test]
fn a_client_that_reads_gets_all_answers_however_many() {
    let server = start(Limits::default());
    let mut socket = server.socket();
    let writing = {
        let stream = socket.get_ref().try_clone().expect("it can be cloned");
        let mut socket = WebSocket::from_raw_socket(stream, tungstenite::protocol::Role::Client, None);
        thread::spawn(move || (0..100).for_each(|_| send(&mut socket, "last 100")))
    };
    for _ in 0..100 {
        (0..100).for_each(|number| assert_eq!(next(&mut socket).trim(), number.to_string()));
        assert_eq!(next(&mut socket), "last 100");
    }
    writing.join().expect("it ends");
}

#[test]
fn wrong_messages_close_the_connection_with_their_code() {
    let server = start(Limits::default());
    let mut socket = server.socket();
    socket.send(Message::binary(b"{}".to_vec())).expect("it can be sent");
    assert_eq!(close_code(&mut socket), Some(CloseCode::Unsupported));

    let longest = Limits::default().line_bytes;
    let mut socket = server.socket();
    send(&mut socket, &"x".repeat(longest));
    assert_eq!(next(&mut socket).len(), longest);
    send(&mut socket, &"x".repeat(longest + 1));
    assert_eq!(close_code(&mut socket), Some(CloseCode::Size));

    // A frame of text that is no text, and one with a reserved bit.
    for (frame, code) in
        [(&b"\x81\x81\0\0\0\0\xFF"[..], CloseCode::Invalid), (b"\xC1\x80\0\0\0\0", CloseCode::Protocol)]
    {
        let mut socket = server.socket();
        socket.get_mut().write_all(frame).expect("it can be sent");
        assert_eq!(close_code(&mut socket), Some(code));
    }
}

#[test]
fn whoever_sends_far_too_much_gets_to_know_why_it_is_closed() {
    let server = start(Limits { close: LONG, ..Limits::default() });
    let mut socket = server.socket();
    // More than the system keeps of a connection that is not read.
    send(&mut socket, &"x".repeat(64 << 20));
    assert_eq!(close_code(&mut socket), Some(CloseCode::Size));
}

#[test]
fn what_waits_for_a_slow_reader_arrives_without_more_lines() {
    let server = start(Limits::default());
    let mut slow = server.socket();
    // More than the system keeps of a connection that is not read, and less than is too much.
    for _ in 0..7 {
        send(&mut slow, "last 100");
        thread::sleep(Duration::from_millis(100));
    }
    for _ in 0..7 {
        (0..100).for_each(|number| assert_eq!(next(&mut slow).trim(), number.to_string()));
        assert_eq!(next(&mut slow), "last 100");
    }
}

#[test]
fn a_failure_of_the_service_closes_the_connection() {
    let server = start(Limits::default());
    let mut socket = server.socket();
    send(&mut socket, "fail");
    assert_eq!(close_code(&mut socket), Some(CloseCode::Error));
}

#[test]
fn the_end_of_the_server_closes_sockets_with_going_away() {
    let server = start(Limits::default());
    let mut sockets: Vec<_> = (0..3).map(|_| server.socket()).collect();
    // One of them does not read.
    send(&mut sockets[0], "last 700");
    let start = Instant::now();
    server.stop.send_replace(true);
    for socket in &mut sockets[1..] {
        assert_eq!(close_code(socket), Some(CloseCode::Away));
    }
    server.thread.join().expect("it ends");
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
}

#[test]
fn headers_have_to_come_in_time() {
    let server =
        start(with(ConnectionLimits { headers: Duration::from_millis(300), ..ConnectionLimits::default() }));
    let silent = server.connect();
    let mut slow = server.connect();
    slow.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n").expect("it can be sent");
    let start = Instant::now();
    while slow.write_all(b"X: y\r\n").is_ok() {
        assert!(start.elapsed() < LONG, "it is never closed");
        thread::sleep(Duration::from_millis(20));
    }
    assert!(ends(silent));
}

#[test]
fn a_plain_connection_has_to_end_in_time() {
    let hour = Duration::from_secs(3_600);
    let answer = Duration::from_millis(300);
    let server = start(with(ConnectionLimits { answer, headers: hour, ..ConnectionLimits::default() }));
    assert!(ends(server.connect()));
}

#[test]
fn nobody_waits_for_the_body_of_a_request() {
    let server = start(with(ConnectionLimits { answer: Duration::MAX, ..ConnectionLimits::default() }));
    let mut stream = server.connect();
    let request = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n";
    stream.write_all(request.as_bytes()).expect("it can be sent");
    assert!(ends(stream));
}

#[test]
fn the_oldest_connection_makes_room_for_a_new_one() {
    let server = start(with(ConnectionLimits { waiting: 3, ..ConnectionLimits::default() }));
    let mut open: Vec<TcpStream> = (0..3).map(|_| server.connect()).collect();
    let mut socket = server.socket();
    assert!(ends(open.remove(0)));
    // The others are still there: one has turned into a WebSocket.
    for mut stream in open {
        stream.write_all(b"GET /none HTTP/1.1\r\nHost: localhost\r\n\r\n").expect("it can be sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it can be read");
        assert!(answer.starts_with("HTTP/1.1 404 "), "{answer}");
    }
    send(&mut socket, "hello");
    assert_eq!(next(&mut socket), "hello");
}

#[test]
fn a_connection_that_stays_makes_no_room_and_tells_when_it_is_closed() {
    let listeners = Listeners::bind(None, 0..=0).expect("a port");
    let address = listeners.address();
    let (sender, events) = mpsc::channel();
    let answer = Box::new(move |_, connection: Arc<Connection>| -> Answer {
        let sender = sender.clone();
        Box::pin(async move {
            connection.stay();
            sender.send("stays").expect("the test waits");
            connection.closed().await;
            sender.send("closed").expect("the test waits");
            Response::default()
        })
    });
    let limits = ConnectionLimits { waiting: 1, ..ConnectionLimits::default() };
    let (stop, stopping) = watch::channel(false);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let serving = thread::spawn(move || runtime.block_on(accept(listeners, limits, answer, stopping)));
    let connect = || TcpStream::connect(address).expect("it listens");
    let mut staying = connect();
    staying.write_all(b"GET / HTTP/1.0\r\n\r\n").expect("it can be sent");
    assert_eq!(events.recv_timeout(LONG), Ok("stays"));
    let [oldest, _new] = [(); 2].map(|()| connect());
    assert!(ends(oldest));
    assert_eq!(events.try_recv().ok(), None);
    drop(staying);
    assert_eq!(events.recv_timeout(LONG), Ok("closed"));
    drop(stop);
    serving.join().expect("it ends").expect("it listened");
}

#[test]
fn too_many_clients_are_refused_until_one_leaves() {
    let server = start(Limits { sockets: 2, ..Limits::default() });
    let first = server.socket();
    let _second = server.socket();
    assert!(server.try_socket().is_none());
    drop(first);
    let start = Instant::now();
    while server.try_socket().is_none() {
        assert!(start.elapsed() < LONG, "there is never room");
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn no_client_keeps_the_others_waiting() {
    let server = start(Limits::default());
    // Frames of a message that has no end and no content.
    let endless = server.socket();
    let mut stream = endless.get_ref().try_clone().expect("it can be cloned");
    let flood = thread::spawn(move || {
        let frames = b"\0\x80\0\0\0\0".repeat(10_000);
        let _ = stream.write_all(b"\x01\x80\0\0\0\0");
        while stream.write_all(&frames).is_ok() {}
    });
    for _ in 0..20 {
        let start = Instant::now();
        let mut socket = server.socket();
        send(&mut socket, "hello");
        assert_eq!(next(&mut socket), "hello");
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    }
    endless.get_ref().shutdown(std::net::Shutdown::Both).expect("it is open");
    flood.join().expect("it ends");
}

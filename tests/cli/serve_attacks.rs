//! `quintet serve` against pages of other sites, and against clients that want too much. Whatever
//! they do, other clients get their answers, and the memory stays bounded.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tungstenite::Message;
use tungstenite::protocol::{Role, WebSocket};

use crate::serving::{Server, Socket};

/// More memory than this is never needed, whatever one client does. Most of it is room for
/// answers that a client does not read: 8 MiB, and as much again in the connection.
#[cfg(target_os = "linux")]
const MEMORY: usize = 64 << 20;

/// Checks that the server is well: there are answers for others, and it has not taken too much memory.
#[track_caller]
fn is_well(server: &Server) {
    server.serves();
    #[cfg(target_os = "linux")]
    assert!(server.peak_memory() < MEMORY, "{} bytes", server.peak_memory());
}

#[test]
fn a_page_of_another_site_has_no_access() {
    let server = Server::start(&[]);
    let port = server.address.port();
    let own = format!("http://{}", server.address);
    for origin in [
        "http://evil.example",
        "https://evil.example",
        "null",
        "http://127.0.0.1",
        "http://127.0.0.1:1",
        &format!("http://localhost:{port}"),
        &format!("https://127.0.0.1:{port}"),
        &format!("{own}.evil.example"),
    ] {
        assert_eq!(server.open("/analyze", &[("origin", origin)]).err(), Some(403), "{origin}");
        let answer = server.request("GET", "/", &[("Origin", origin)]);
        assert!(answer.status == 403 && answer.body.starts_with("Pages of other sites"), "{answer:?}");
    }
    server.open("/analyze", &[("origin", &own)]).expect("the page itself").answers();
}

#[test]
fn a_name_that_resolves_to_this_machine_is_not_enough() {
    let server = Server::start(&[]);
    let port = server.address.port();
    for host in
        ["evil.example".to_owned(), format!("evil.example:{port}"), format!("127.0.0.1.nip.io:{port}")]
    {
        // As a browser sends it after the name has been rebound.
        let origin = format!("http://{host}");
        assert_eq!(server.open("/analyze", &[("host", &host), ("origin", &origin)]).err(), Some(421));
        assert_eq!(server.request("GET", "/", &[("Host", &host)]).status, 421, "{host}");
    }
    assert_eq!(server.request("GET", "http://evil.example/", &[]).status, 400);
    assert_eq!(server.request("GET", "/", &[("Host", "localhost"), ("Host", "evil.example")]).status, 400);
    let mut stream = server.connect();
    stream.write_all(b"GET / HTTP/1.0\r\n\r\n").expect("it can be sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("text");
    assert!(answer.starts_with("HTTP/1.0 400 "), "{answer}");
}

#[test]
fn an_allowed_name_needs_the_token() {
    let server = Server::start(&["--allow-host", "hub.example", "--allow-host", "other.example:8443"]);
    let token = server.page.strip_prefix("/?token=").expect("a token");
    let bearer = format!("Bearer {token}");
    // As a browser behind a proxy sends it, and as a page sends it that has let the name resolve to this machine.
    for (host, origin) in [("hub.example", "https://hub.example"), ("hub.example:1", "http://hub.example:1")]
    {
        let headers = [("Host", host), ("origin", origin)];
        assert_eq!(server.open("/analyze", &headers).err(), Some(401));
        assert_eq!(server.request("GET", "/", &headers).status, 401);
        let headers = [("Host", host), ("origin", origin), ("authorization", &*bearer)];
        server.open("/analyze", &headers).expect("the page").answers();
        let policy = server.request("GET", "/", &headers);
        let policy = policy.header("content-security-policy").expect("a policy");
        let sockets = format!(
            " connect-src 'self' ws://{host} ws://hub.example wss://hub.example ws://other.example:8443 \
             wss://other.example:8443 wss://{host};"
        );
        assert!(policy.contains(&sockets), "{policy}");
    }
    // At its address, too: whoever is behind a proxy may come from there.
    assert_eq!(server.get("/").status, 401);
    for host in ["evil.example", "a.hub.example"] {
        assert_eq!(server.request("GET", "/", &[("Host", host), ("Authorization", &bearer)]).status, 421);
    }
}

#[test]
fn at_a_chosen_address_the_token_has_to_be_known() {
    let server = Server::start(&["--listen", "127.0.0.1"]);
    let token = server.page.strip_prefix("/?token=").expect("a token");
    assert!(token.len() == 32 && token.bytes().all(|digit| digit.is_ascii_hexdigit()), "{token}");
    let wrong = "0".repeat(32);
    for path in ["/", "/assets/page.js", "/none", "/analyze"] {
        let answer = server.get(path);
        assert_eq!((answer.status, answer.header("www-authenticate")), (401, Some("Bearer")), "{path}");
        assert!(answer.body.starts_with("Open the address "), "{answer:?}");
        for wrong in [&*wrong, "", &token[1..]] {
            let path = format!("{path}?token={wrong}");
            assert_eq!(server.get(&path).status, 403, "{path}");
            let bearer = format!("Bearer {wrong}");
            assert_eq!(server.request("GET", &path, &[("Authorization", &bearer)]).status, 403);
        }
    }
    assert_eq!(server.open("/analyze", &[]).err(), Some(401));
    assert_eq!(server.open(&format!("/analyze?token={wrong}"), &[]).err(), Some(403));

    // A browser keeps it as a cookie, and its address is without it.
    let answer = server.get(&format!("{}&a=b", server.page));
    assert_eq!((answer.status, answer.header("location")), (303, Some("./?a=b")));
    let cookie = answer.header("set-cookie").expect("a cookie");
    let expected = format!("quintet-{}={token}; HttpOnly; SameSite=Lax", server.address.port());
    assert_eq!(cookie, expected);
    let cookie = cookie.split(';').next().expect("a value");
    assert_eq!(server.request("GET", "/", &[("Cookie", cookie)]).status, 200);
    let origin = format!("http://{}", server.address);
    server.open("/analyze", &[("cookie", cookie), ("origin", &origin)]).expect("the page").answers();
    // The cookie does not let other sites in.
    let other = [("cookie", cookie), ("origin", "http://evil.example")];
    assert_eq!(server.open("/analyze", &other).err(), Some(403));

    // Programs give it with each request.
    let bearer = format!("Bearer {token}");
    assert_eq!(server.request("GET", "/", &[("Authorization", &bearer)]).status, 200);
    server.open("/analyze", &[("authorization", &bearer)]).expect("a program").answers();
    server.open(&format!("/analyze?token={token}"), &[]).expect("a program").answers();
}

#[test]
fn headers_that_are_too_long_are_refused() {
    let server = Server::start(&[]);
    let answer = server.request("GET", "/", &[("X", &"x".repeat(20_000))]);
    assert_eq!(answer.status, 431);
    assert_eq!(server.get(&format!("/{}", "x".repeat(20_000))).status, 431);
    is_well(&server);
}

#[test]
fn a_message_that_is_too_long_closes_the_connection() {
    let server = Server::start(&[]);
    let mut socket = server.socket();
    socket.send("x".repeat(4 << 20));
    assert!(socket.next()["error"].is_string());
    socket.send("x".repeat((4 << 20) + 1));
    assert_eq!(socket.close_code(), Some(1009));
    // Refused by its announced length, before it is sent.
    let mut socket = server.socket();
    assert!(socket.send_raw(b"\x81\xFF\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF\0\0\0\0"));
    assert_eq!(socket.close_code(), Some(1009));
    is_well(&server);
}

#[test]
fn a_message_in_pieces_is_no_longer_than_one_in_one_piece() {
    let server = Server::start(&[]);
    let mut socket = server.socket();
    // The first piece of a text, and more of 1,000 bytes each.
    let mut pieces = b"\x01\x80\0\0\0\0".to_vec();
    for _ in 0..5_000 {
        pieces.extend(b"\x00\xFE\x03\xE8\0\0\0\0");
        pieces.extend([b' '; 1_000]);
    }
    socket.send_raw(&pieces);
    assert_eq!(socket.close_code(), Some(1009));
    is_well(&server);
}

#[test]
fn a_message_that_is_deep_is_an_error_and_no_more() {
    let server = Server::start(&[]);
    let mut socket = server.socket();
    for text in ["[".repeat(500_000), "{\"a\":".repeat(150_000), format!("{{\"id\":{}", "[".repeat(500_000))]
    {
        socket.send(text);
        let answer = socket.next();
        assert!(answer["error"].is_string(), "{answer}");
    }
    socket.answers();
    is_well(&server);
}

#[test]
fn what_is_no_text_closes_the_connection() {
    let server = Server::start(&[]);
    let mut socket = server.socket();
    socket.0.send(Message::binary(b"{}".to_vec())).expect("it can be sent");
    assert_eq!(socket.close_code(), Some(1003));
    for (bytes, code) in [
        (&b"\x81\x81\0\0\0\0\xFF"[..], 1007), // text that is not UTF-8
        (b"\x81\x02{}", 1002),                // without a mask
        (b"\xC1\x80\0\0\0\0", 1002),          // compressed, which was not agreed on
        (b"\x83\x80\0\0\0\0", 1002),          // of an unknown kind
        (b"\x80\x80\0\0\0\0", 1002),          // goes on with nothing
        (b"\x89\xFE\x00\x7E\0\0\0\0", 1002),  // a ping that is too long
        (b"\x09\x80\0\0\0\0", 1002),          // a ping in pieces
    ] {
        let mut socket = server.socket();
        assert!(socket.send_raw(bytes));
        if bytes.len() == 8 {
            socket.send_raw(&[b'x'; 126]);
        }
        assert_eq!(socket.close_code(), Some(code), "{bytes:?}");
    }
    is_well(&server);
}

#[test]
fn pings_without_number_take_no_memory() {
    let server = Server::start(&[]);
    let mut socket = server.socket();
    let mut ping = b"\x89\xFD\0\0\0\0".to_vec();
    ping.extend([b'x'; 125]);
    let pings = ping.repeat(10_000);
    // Nobody reads what is answered, so at some point no more is taken.
    socket.0.get_ref().set_write_timeout(Some(Duration::from_millis(200))).expect("it can be set");
    let sent = (0..100).take_while(|_| socket.send_raw(&pings)).count();
    assert!(sent < 100, "all were taken");
    is_well(&server);
}

#[test]
fn a_thousand_connections_leave_room_for_a_new_client() {
    let server = Server::start(&[]);
    let mut early = server.socket();
    let mut open = VecDeque::new();
    for number in 1..=1_000 {
        open.push_back(server.connect());
        // There may be a limit of open files here.
        if open.len() > 400 {
            open.pop_front();
        }
        if number % 100 == 0 {
            is_well(&server);
        }
    }
    early.answers();
    let is_open = |stream: &mut TcpStream| {
        stream.set_nonblocking(true).expect("it can be set");
        stream.read(&mut [0]).is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
    };
    let open = open.iter_mut().filter_map(|it| is_open(it).then_some(())).count();
    assert!(open <= 64, "{open} are open");
}

#[test]
fn a_hundred_clients_leave_the_first_ones_alone() {
    let server = Server::start(&[]);
    let clients: Vec<Result<Socket, u16>> = (0..100).map(|_| server.open("/analyze", &[])).collect();
    let refused = clients.iter().filter(|it| it.as_ref().is_err_and(|status| *status == 503)).count();
    assert_eq!(refused, 68);
    assert_eq!(server.get("/").status, 200);
    let mut admitted: Vec<Socket> = clients.into_iter().flatten().collect();
    admitted.iter_mut().for_each(Socket::answers);
    drop(admitted);
    thread::sleep(Duration::from_millis(500));
    is_well(&server);
}

/// Returns the sending side of a client, for a thread of its own.
fn sender(socket: &Socket) -> WebSocket<TcpStream> {
    let stream = socket.0.get_ref().try_clone().expect("it can be cloned");
    WebSocket::from_raw_socket(stream, Role::Client, None)
}

#[test]
fn ten_thousand_lines_at_once_are_all_answered() {
    const LINES: u64 = 10_000;
    let server = Server::start(&[]);
    let mut socket = server.socket();
    let mut sender = sender(&socket);
    let sending = thread::spawn(move || {
        for id in 0..LINES {
            let line = json!({"id": id, "action": "version"}).to_string();
            sender.write(Message::text(line)).expect("it can be sent");
        }
        sender.flush().expect("it can be sent");
    });
    is_well(&server);
    let mut ids: Vec<u64> = (0..LINES).map(|_| socket.next()["id"].as_u64().expect("a number")).collect();
    ids.sort_unstable();
    assert!(ids.into_iter().eq(0..LINES));
    sending.join().expect("it ends");
    is_well(&server);
}

#[test]
fn queries_that_wait_have_no_trees_and_those_that_run_share_the_memory() {
    let server = Server::start(&["--memory", "32MiB"]);
    let mut sockets = Vec::new();
    for _ in 0..6 {
        let mut socket = server.socket();
        for id in 0..400 {
            let hour = json!({
                "id": id, "game": "quarto", "rules": "ggp", "time_ms": 3_600_000, "threads": 64, "keep": id.to_string(),
            });
            socket.send(hour.to_string());
        }
        socket.send(json!({"id": "all", "action": "version"}).to_string());
        let mut ids = std::iter::repeat_with(|| socket.next()["id"].take());
        assert!(ids.by_ref().take(50).any(|id| id == "all"), "the others wait");
        sockets.push(socket);
    }
    // Others run by now.
    for socket in &mut sockets {
        for _ in 0..4 {
            let answer = socket.next();
            assert!(answer["move"].is_string(), "{answer}");
        }
    }
    #[cfg(target_os = "linux")]
    assert!(server.peak_memory() < 64 << 20, "{} bytes", server.peak_memory());
    let mut more = server.socket();
    more.send(json!({"id": 1, "game": "krk", "memory": "9MiB"}).to_string());
    assert_eq!(more.next()["error"], "memory: at most 8 MiB are allowed here");
    drop(sockets);
    server.serves();
}

#[test]
fn no_client_has_a_file_opened() {
    let server = Server::start(&[]);
    let mut socket = server.socket();
    for path in ["/dev/ptmx", "/etc/passwd", "Cargo.toml", "/none"] {
        let engine = format!("quintet:model={path}");
        socket.send(json!({"id": 1, "game": "krk", "engine": engine, "iterations": 1}).to_string());
        let error = socket.next()["error"].to_string();
        assert!(error.contains("is no model: none is named here"), "{path}: {error}");
    }
}

#[test]
fn a_client_that_leaves_ends_its_searches() {
    let server = Server::start(&[]);
    for _ in 0..5 {
        let mut socket = server.socket();
        let hour = json!({"game": "pentago", "time_ms": 3_600_000, "threads": 1});
        socket.send(hour.to_string());
        socket.send(hour.to_string());
    }
    // If the searches went on, there would be no thread for this one.
    let mut socket = server.socket();
    socket.send(json!({"id": 1, "game": "krk", "iterations": 100, "threads": 1}).to_string());
    let answer: Value = socket.next();
    assert!(answer["id"] == 1 && answer["move"].is_string(), "{answer}");
    is_well(&server);
}

#[test]
fn long_ids_are_not_kept_many_times() {
    let server = Server::start(&[]);
    let mut socket = server.socket();
    let moves = ["f6", "e5", "g7"];
    let id = "x".repeat(3 << 20);
    let query =
        json!({"id": id, "game": "gomoku", "moves": moves, "analyze_plies": [0, 1, 2, 3], "time_ms": 60_000});
    let query = query.to_string();
    // Each of these would wait with an id of its own for each ply.
    for _ in 0..50 {
        socket.send(query.clone());
        assert_eq!(socket.next(), json!({"id": null, "error": "id: longer than 1000 bytes"}));
    }
    is_well(&server);
}

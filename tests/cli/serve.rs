//! `quintet serve`: the page, the WebSocket, addresses, and how it ends.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, Ipv6Addr, TcpListener, TcpStream};
#[cfg(unix)]
use std::time::{Duration, Instant};

use serde_json::json;

#[cfg(target_os = "linux")]
use crate::harness::command;
use crate::harness::quintet;
use crate::serving::Server;

#[test]
fn the_page_and_its_files_come_with_their_types() {
    let server = Server::start(&[]);
    let page = server.get("/");
    assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")));
    assert!(page.body.starts_with("<!doctype html>"), "{page:?}");
    let files: Vec<&str> = page.body.split('"').filter(|part| part.starts_with("assets/")).collect();
    assert!(files.len() >= 2, "{page:?}");
    for file in files {
        let answer = server.get(&format!("/{file}"));
        let content_type = answer.header("content-type").unwrap_or_default();
        let expected = match file.rsplit_once('.').expect("a kind").1 {
            "js" => "text/javascript; charset=utf-8",
            "css" => "text/css; charset=utf-8",
            "svg" => "image/svg+xml",
            other => panic!("{other}"),
        };
        assert_eq!((answer.status, content_type), (200, expected), "{file}");
        assert!(!answer.body.is_empty(), "{file}");
    }
}

#[test]
fn every_answer_has_the_headers_that_protect_it() {
    let server = Server::start(&[]);
    for path in ["/", "/assets/page.js", "/none", "/analyze"] {
        let answer = server.get(path);
        for (name, value) in [
            ("cache-control", "no-cache"),
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{path}");
        }
        let policy = answer.header("content-security-policy").expect("a policy");
        assert!(policy.starts_with("default-src 'none'"), "{policy}");
        assert!(!policy.contains("unsafe") && !policy.contains('*'), "{policy}");
    }
    let policy = server.get("/");
    let expected = format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src \
         'self' ws://{}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        server.address
    );
    assert_eq!(policy.header("content-security-policy"), Some(&*expected));
}

#[test]
fn a_file_that_the_browser_has_is_not_sent_again() {
    let server = Server::start(&[]);
    let first = server.get("/");
    let etag = first.header("etag").expect("an etag");
    let again = server.request("GET", "/", &[("If-None-Match", etag)]);
    assert_eq!((again.status, &*again.body, again.header("etag")), (304, "", Some(etag)));
    let other = server.request("GET", "/", &[("If-None-Match", "\"other\"")]);
    assert_eq!((other.status, other.body), (200, first.body));
}

#[test]
fn a_head_is_a_get_without_the_body() {
    let server = Server::start(&[]);
    let (get, head) = (server.get("/"), server.request("HEAD", "/", &[]));
    assert_eq!((head.status, &*head.body), (200, ""));
    assert_eq!(head.header("content-length"), Some(&*get.body.len().to_string()));
}

#[test]
fn there_is_nothing_else() {
    let server = Server::start(&[]);
    for path in ["/none", "/assets/", "/assets/../Cargo.toml", "/assets/%2e%2e/page.js", "/analyze/", "//"] {
        let answer = server.get(path);
        assert_eq!(answer.status, 404, "{path}");
        assert!(answer.body.len() < 100 && answer.body.ends_with(".\n"), "{answer:?}");
    }
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "BREW"] {
        let answer = server.request(method, "/", &[]);
        assert_eq!((answer.status, answer.header("allow")), (405, Some("GET, HEAD")), "{method}");
        assert_eq!(server.request(method, "/analyze", &[]).status, 405, "{method}");
    }
    let plain = server.get("/analyze");
    assert_eq!((plain.status, plain.header("upgrade")), (426, Some("websocket")));
}

#[test]
fn lines_are_answered_over_the_socket() {
    let server = Server::start(&[]);
    let mut socket = server.socket();
    socket.answers();
    socket.send(json!({"id": 7, "game": "krk", "iterations": 100, "threads": 1, "seed": 1}).to_string());
    let answer = socket.next();
    assert!(answer["id"] == 7 && answer["move"].is_string(), "{answer}");
    socket.send("no JSON");
    assert!(socket.next()["error"].is_string());
    socket.answers();
}

#[test]
fn it_listens_at_this_machine_alone() {
    let server = Server::start(&[]);
    assert_eq!(server.address.ip(), Ipv4Addr::LOCALHOST);
    assert_eq!(server.page, "/");
    for host in ["localhost", "127.0.0.1"] {
        let host = format!("{host}:{}", server.address.port());
        assert_eq!(server.request("GET", "/", &[("Host", &host)]).status, 200, "{host}");
    }
    let port = server.address.port();
    // Another address of this machine, on Linux at least.
    assert!(TcpStream::connect((Ipv4Addr::new(127, 0, 0, 2), port)).is_err());
    if TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).is_ok() {
        let mut stream = TcpStream::connect((Ipv6Addr::LOCALHOST, port)).expect("it listens there too");
        let request = format!("GET / HTTP/1.1\r\nHost: [::1]:{port}\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("it can be sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("text");
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    }
}

#[test]
fn a_chosen_address_is_the_only_one() {
    let server = Server::start(&["--listen", "127.0.0.1"]);
    assert!(TcpStream::connect((Ipv6Addr::LOCALHOST, server.address.port())).is_err());
    assert_eq!(server.get(&server.page).status, 303);
}

#[cfg(target_os = "linux")]
#[test]
fn a_browser_that_can_not_be_opened_is_no_failure() {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let mut command = command();
    command.args(["serve", "--port", "0", "--open"]).env("PATH", folder.path());
    let server = Server::spawn(command);
    server.serves();
    assert!(crate::running::signal("-TERM", &server.id()));
    let (code, _, stderr) = server.output();
    assert!(code == Some(0) && stderr.starts_with("can't open the browser: "), "{stderr}");
}

#[cfg(target_os = "linux")]
#[test]
fn the_browser_gets_an_address_that_is_good_for_one_request() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let (browser, opened) = (folder.path().join("xdg-open"), folder.path().join("opened"));
    let script = format!("#!/bin/sh\necho \"$1\" > {0}.new && /bin/mv {0}.new {0}\n", opened.display());
    fs::write(&browser, script).expect("it can be written");
    fs::set_permissions(&browser, fs::Permissions::from_mode(0o755)).expect("it can be changed");
    let mut command = command();
    command.args(["serve", "--port", "0", "--open", "--listen", "127.0.0.1"]).env("PATH", folder.path());
    let server = Server::spawn(command);
    crate::running::wait_until(|| opened.exists());
    let url = fs::read_to_string(opened).expect("it is there");
    let page = url.trim_end().strip_prefix(&format!("http://{}", server.address)).expect("the server");
    assert!(page.starts_with("/?token=") && page != server.page, "{page}");
    let answer = server.get(page);
    assert_eq!((answer.status, answer.header("location")), (303, Some("./")));
    assert_eq!(server.get(page).status, 403);
    assert_eq!(server.get(&server.page).header("set-cookie"), answer.header("set-cookie"));
}

/// How often the threads of a process have gone to sleep.
#[cfg(target_os = "linux")]
fn sleeps(process: &str) -> u64 {
    let threads = fs::read_dir(format!("/proc/{process}/task")).expect("it runs");
    let sleeps = threads.map(|thread| {
        let status =
            fs::read_to_string(thread.expect("a thread").path().join("status")).expect("it is there");
        let number = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
        number.expect("Linux says it").trim().parse::<u64>().expect("a number")
    });
    sleeps.sum()
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_happens_while_no_client_asks() {
    let server = Server::start(&[]);
    server.serves();
    let _silent = server.socket();
    // Until all that the clients left behind has ended.
    std::thread::sleep(Duration::from_secs(1));
    let before = sleeps(&server.id());
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(sleeps(&server.id()), before);
}

#[test]
fn a_port_in_use_is_refused_if_it_was_asked_for() {
    let server = Server::start(&[]);
    let port = server.address.port().to_string();
    let message = quintet(["serve", "--port", &port]).refused();
    assert!(message.contains(&format!("port {port} is in use")), "{message}");
    let message = quintet(["serve", "--port", &port, "--listen", "127.0.0.1"]).refused();
    assert!(message.contains(&format!("port {port} is in use")), "{message}");
}

#[test]
fn wrong_arguments_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let missing = folder.path().join("games.jsonl");
    let message = quintet(["serve".as_ref(), missing.as_os_str()]).refused();
    assert!(message.contains("can't open ") && message.contains("games.jsonl"), "{message}");
    let message = quintet(["serve".as_ref(), folder.path().as_os_str()]).refused();
    assert!(message.contains("is a directory"), "{message}");
    for (args, part) in [
        (["--port", "70000"], "70000"),
        (["--port", "-1"], "-1"),
        (["--listen", "localhost"], "localhost"),
        (["--listen", "127.0.0.1:80"], "127.0.0.1:80"),
        (["--memory", "262143"], "--memory 262143 is too little: give at least 256KiB"),
        (["--allow-host", "https://hub.example"], "expected a name such as"),
        // An address for documents, which no machine has.
        (["--listen", "192.0.2.1"], "can't listen at 192.0.2.1:7777"),
    ] {
        let message = quintet([&["serve"], &args[..]].concat()).refused();
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn a_log_of_games_may_be_named() {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let file = folder.path().join("games.jsonl");
    fs::write(&file, "").expect("it can be written");
    Server::start(&[file.to_str().expect("text")]).serves();
}

#[test]
fn a_port_that_is_in_use_is_skipped_if_none_was_asked_for() {
    // Whoever has it, this test or another program.
    let _first = TcpListener::bind((Ipv4Addr::LOCALHOST, 7777));
    let server = Server::start_with(&[]);
    assert!((7778..7877).contains(&server.address.port()), "{}", server.address);
    server.serves();
}

#[cfg(unix)]
#[test]
fn a_signal_ends_it_with_a_goodbye() {
    let server = Server::start(&[]);
    let (mut idle, mut searching) = (server.socket(), server.socket());
    idle.answers();
    searching.send(json!({"game": "pentago", "time_ms": 3_600_000, "threads": 1}).to_string());
    let _silent = server.connect();
    let start = Instant::now();
    assert!(crate::running::signal("-TERM", &server.id()));
    assert_eq!(idle.close_code(), Some(1001));
    assert_eq!(searching.close_code(), Some(1001));
    assert_eq!(server.output(), (Some(0), String::new(), "quintet has ended\n".to_owned()));
    assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
}

//! The answers to plain requests.

use std::hash::{DefaultHasher, Hasher as _};

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{
    ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderMap, HeaderName,
    HeaderValue, IF_NONE_MATCH, LOCATION, REFERRER_POLICY, SET_COOKIE, WWW_AUTHENTICATE,
    X_CONTENT_TYPE_OPTIONS,
};
use hyper::{Method, StatusCode};

use super::access::{AccessControl, Admitted, HostName, Refusal, without_token};
use super::connections::{Request, Response};

/// A file of a page.
#[derive(Debug, Clone, Copy)]
pub struct File {
    /// The path in its URL, which begins with a slash.
    pub path: &'static str,
    /// What kind of file it is, for browsers.
    pub content_type: &'static str,
    /// What it holds.
    pub content: &'static [u8],
}

/// What a server has.
#[derive(Debug)]
pub struct Site {
    /// Who has access.
    pub access: AccessControl,
    /// The files of the page, which has the path `/`.
    pub files: Vec<File>,
    /// The path of the WebSocket.
    pub socket: &'static str,
}

/// The headers of every answer: nothing of it is kept, embedded or read by another site. A connection
/// is for one request.
const HEADERS: [(HeaderName, &str); 6] = [
    (CONNECTION, "close"),
    (CACHE_CONTROL, "no-cache"),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// What the page may load: its own files and images that it makes itself. Not all browsers count
/// its WebSocket as 'self', so it is named, at any of the names that browsers know it by.
fn policy(host: &str, names: &[HostName]) -> String {
    let mut sockets = format!("ws://{host}");
    for name in names {
        sockets += &format!(" ws://{name} wss://{name}");
    }
    if !names.is_empty() {
        sockets += &format!(" wss://{host}");
    }
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
         connect-src 'self' {sockets}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
}

/// Returns an answer with the headers that every answer has.
fn response(status: StatusCode, content_type: &'static str, body: Bytes) -> Response {
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}

/// Returns an answer that is a sentence.
pub(super) fn sentence(status: StatusCode, text: impl Into<Bytes>) -> Response {
    let mut response = response(status, "text/plain; charset=utf-8", text.into());
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'"));
    response
}

/// Returns the answer to a request by another method than those that are allowed.
pub(super) fn not_allowed(text: &'static str, allowed: &'static str) -> Response {
    let mut response = sentence(StatusCode::METHOD_NOT_ALLOWED, text);
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
    response
}

impl Refusal {
    /// Returns the answer to a request, which names the flag that allows a host name.
    pub(super) fn response(self, allow_flag: &str) -> Response {
        const ASK: &str = "Open the address that the server printed when it started: it has the token. Behind a \
             proxy, add its ?token=... to the address of the proxy.\n";
        let (status, text) = match self {
            Self::NoHost => (StatusCode::BAD_REQUEST, "The request needs a path and one header Host.\n"),
            Self::OtherHost => (
                StatusCode::MISDIRECTED_REQUEST,
                "This server is known by its address and as localhost, and by no other name. Start it with \
                 ALLOW NAME if another one leads to it.\n",
            ),
            Self::OtherOrigin => (
                StatusCode::FORBIDDEN,
                "Pages of other sites have no access. Start the server with ALLOW NAME, or NAME:PORT, if this \
                 is its own page behind a proxy.\n",
            ),
            Self::NoToken => (StatusCode::UNAUTHORIZED, ASK),
            Self::WrongToken => (StatusCode::FORBIDDEN, ASK),
        };
        let mut response = sentence(status, text.replace("ALLOW", allow_flag));
        if self == Self::NoToken {
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

/// Answers a request for a file of the page.
pub(super) fn file(request: &Request, admitted: &Admitted<'_>, site: &Site) -> Response {
    let Some(file) = site.files.iter().find(|file| file.path == request.uri().path()) else {
        return sentence(StatusCode::NOT_FOUND, "There is nothing here.\n");
    };
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return not_allowed("This can only be read.\n", "GET, HEAD");
    }
    if admitted.has_token
        && let Some(cookie) = site.access.cookie()
    {
        return redirect(&without_token(request.uri()), &cookie);
    }
    let etag = etag(file.content);
    let mut response = if knows(request.headers(), &etag) {
        response(StatusCode::NOT_MODIFIED, file.content_type, Bytes::new())
    } else {
        response(StatusCode::OK, file.content_type, Bytes::from_static(file.content))
    };
    let headers = response.headers_mut();
    insert(headers, ETAG, &etag);
    insert(headers, CONTENT_SECURITY_POLICY, &policy(admitted.host, &site.access.names));
    response
}

/// Returns another text, in quotes, for another content.
fn etag(content: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    hasher.write(content);
    format!("\"{:016x}\"", hasher.finish())
}

/// Sends a browser to an address without the token, which it keeps as a cookie.
fn redirect(to: &str, cookie: &str) -> Response {
    let mut response = sentence(StatusCode::SEE_OTHER, "");
    insert(response.headers_mut(), LOCATION, to);
    insert(response.headers_mut(), SET_COOKIE, cookie);
    response
}

/// Inserts a header, whose value has only characters that are allowed there.
fn insert(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

/// Whether a browser that sends these headers has the file.
fn knows(headers: &HeaderMap, etag: &str) -> bool {
    let known = headers.get(IF_NONE_MATCH).and_then(|value| value.to_str().ok()).unwrap_or_default();
    known.split(',').any(|it| it.trim().trim_start_matches("W/") == etag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_content_has_another_etag() {
        assert_ne!(etag(b"a"), etag(b"b"));
        assert_eq!(etag(b"a"), etag(b"a"));
    }
}

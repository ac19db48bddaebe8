//! Who is let in.
//!
//! A page of another site that is open in the same browser must not reach the server: not by its own
//! requests, which carry its `Origin`, and not after it has let its name resolve to this address, in
//! which case they carry its name as their `Host`. On any address but the loopback ones a token has
//! to be known as well.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Mutex, PoisonError};

use axum::http::header::{AUTHORIZATION, COOKIE, HOST, HeaderMap, HeaderName, ORIGIN};
use axum::http::uri::Uri;
use subtle::ConstantTimeEq as _;

/// A random secret, as hexadecimal digits.
pub(super) struct Token(String);

impl Token {
    /// Draws 128 random bits.
    pub(super) fn new() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)?;
        Ok(Self(format!("{:032x}", u128::from_ne_bytes(bytes))))
    }

    pub(super) fn text(&self) -> &str {
        &self.0
    }

    /// Compares in a time that does not depend on where the first difference is.
    fn is(&self, text: &str) -> bool {
        self.0.as_bytes().ct_eq(text.as_bytes()).into()
    }
}

/// The checks of a request.
pub(super) struct Door {
    /// The addresses that are listened at.
    addresses: Vec<SocketAddr>,
    /// What a request has to know, if anything.
    token: Option<Token>,
    /// What does instead of the token in the address of one request.
    ticket: Mutex<Option<Token>>,
}

/// Why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It does not say which server it is for.
    NoHost,
    /// It is for another server.
    OtherHost,
    /// It comes from a page of another site.
    OtherOrigin,
    NoToken,
    WrongToken,
}

/// A request that may enter.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Admitted<'a> {
    /// The name and port by which the client knows this server: an address or `localhost`.
    pub(super) host: &'a str,
    /// Whether the address has the token.
    pub(super) by_query: bool,
}

impl Door {
    pub(super) fn new(addresses: Vec<SocketAddr>, token: Option<Token>) -> Self {
        Self { addresses, token, ticket: Mutex::default() }
    }

    /// Draws a token for the first request that has it in its address; `None` if none is needed.
    pub(super) fn ticket(&self) -> Result<Option<String>, getrandom::Error> {
        if self.token.is_none() {
            return Ok(None);
        }
        let ticket = Token::new()?;
        let text = ticket.text().to_owned();
        *self.ticket.lock().unwrap_or_else(PoisonError::into_inner) = Some(ticket);
        Ok(Some(text))
    }

    /// Whether a text is the ticket, which is used up then.
    fn takes(&self, text: &str) -> bool {
        let mut ticket = self.ticket.lock().unwrap_or_else(PoisonError::into_inner);
        ticket.take_if(|ticket| ticket.is(text)).is_some()
    }

    /// Checks the address and the headers of a request that came to the address `local`.
    pub(super) fn check<'a>(
        &self,
        uri: &Uri,
        headers: &'a HeaderMap,
        local: IpAddr,
    ) -> Result<Admitted<'a>, Refusal> {
        let host = only(headers, &HOST).ok().flatten().ok_or(Refusal::NoHost)?;
        if uri.authority().is_some() {
            return Err(Refusal::NoHost);
        }
        if !self.is_here(host, local) {
            return Err(Refusal::OtherHost);
        }
        let is_same = |origin: &str| {
            let name = origin.strip_prefix("http://");
            name.is_some_and(|name| name.eq_ignore_ascii_case(host))
        };
        if !only(headers, &ORIGIN).map_err(|()| Refusal::OtherOrigin)?.is_none_or(is_same) {
            return Err(Refusal::OtherOrigin);
        }
        let by_query = self.check_token(uri, headers)?;
        Ok(Admitted { host, by_query })
    }

    /// Whether a `Host` names this server. The port may be another one, as at the end of a tunnel.
    fn is_here(&self, host: &str, local: IpAddr) -> bool {
        let Some(name) = name_of(host) else { return false };
        if name.eq_ignore_ascii_case("localhost") {
            return true;
        }
        let name = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
        let Ok(address) = name.parse::<IpAddr>() else { return false };
        let address = address.to_canonical();
        // Behind a wildcard, the address of this machine may be unknown to it, as in a container. No
        // site can choose an address as its name.
        let is_listened_at = |it: &SocketAddr| it.ip() == address || it.ip().is_unspecified();
        address == local.to_canonical() || self.addresses.iter().any(is_listened_at)
    }

    /// Checks the token, and returns whether the address has it.
    fn check_token(&self, uri: &Uri, headers: &HeaderMap) -> Result<bool, Refusal> {
        let Some(token) = &self.token else { return Ok(false) };
        if let Some(given) = query_token(uri) {
            return if token.is(given) || self.takes(given) { Ok(true) } else { Err(Refusal::WrongToken) };
        }
        let bearer = headers.get(AUTHORIZATION).map(|value| {
            let value = value.to_str().unwrap_or_default();
            let (scheme, given) = value.split_once(' ').unwrap_or_default();
            if scheme.eq_ignore_ascii_case("bearer") { given.trim() } else { "" }
        });
        let name = self.cookie_name();
        let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut cookies = cookies.flat_map(|value| value.split(';'));
        let cookie = cookies.find_map(|it| it.trim().strip_prefix(&*name)?.strip_prefix('='));
        match bearer.or(cookie) {
            None => Err(Refusal::NoToken),
            Some(given) if token.is(given) => Ok(false),
            Some(_) => Err(Refusal::WrongToken),
        }
    }

    /// The name of the cookie with the token. All servers of a machine share their cookies, so each
    /// port has a name of its own.
    fn cookie_name(&self) -> String {
        format!("quintet-{}", self.addresses.first().map_or(0, SocketAddr::port))
    }

    /// The header that lets a browser keep the token, for its requests to this server alone.
    pub(super) fn cookie(&self) -> Option<String> {
        let token = self.token.as_ref()?.text();
        Some(format!("{}={token}; Path=/; HttpOnly; SameSite=Strict", self.cookie_name()))
    }
}

/// Returns the name in a `Host`, which may have a port; `None` if there is anything else.
fn name_of(host: &str) -> Option<&str> {
    let end = if host.starts_with('[') { host.find(']')? + 1 } else { host.find(':').unwrap_or(host.len()) };
    let (name, port) = host.split_at(end);
    let is_port =
        |digits: &str| matches!(digits.len(), 1..=5) && digits.bytes().all(|digit| digit.is_ascii_digit());
    (port.is_empty() || port.strip_prefix(':').is_some_and(is_port)).then_some(name)
}

/// Returns the value of a header that may be there once.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, ()> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(Some).map_err(drop),
        _ => Err(()),
    }
}

const TOKEN: &str = "token=";

fn query_token(uri: &Uri) -> Option<&str> {
    uri.query()?.split('&').find_map(|part| part.strip_prefix(TOKEN))
}

/// Returns the path and query of an address without the token.
pub(super) fn without_token(uri: &Uri) -> String {
    let query = uri.query().unwrap_or_default();
    let rest: Vec<&str> = query.split('&').filter(|part| !part.starts_with(TOKEN)).collect();
    let mark = if rest.is_empty() { "" } else { "?" };
    format!("{}{mark}{}", uri.path(), rest.join("&"))
}

#[cfg(test)]
mod tests {
    use axum::http::header::HeaderValue;

    use super::*;

    const LOCAL: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);
    const RIGHT: &str = "0123456789abcdef0123456789abcdef";

    fn headers(of: &[(HeaderName, &str)]) -> HeaderMap {
        let pairs =
            of.iter().map(|(name, value)| (name.clone(), HeaderValue::from_str(value).expect("text")));
        let mut headers = HeaderMap::new();
        pairs.for_each(|(name, value)| _ = headers.append(name, value));
        headers
    }

    fn open_at(addresses: &[&str]) -> Door {
        Door::new(addresses.iter().map(|it| it.parse().expect("an address")).collect(), None)
    }

    fn check(door: &Door, uri: &str, of: &[(HeaderName, &str)]) -> Result<bool, Refusal> {
        let uri = uri.parse().expect("an address");
        door.check(&uri, &headers(of), LOCAL).map(|it| it.by_query)
    }

    #[test]
    fn the_host_is_an_address_of_the_server_or_localhost() {
        let local = open_at(&["127.0.0.1:7777", "[::1]:7777"]);
        for host in
            ["127.0.0.1:7777", "localhost:7777", "LocalHost:7777", "[::1]:7777", "localhost", "localhost:80"]
        {
            assert_eq!(check(&local, "/", &[(HOST, host)]), Ok(false), "{host}");
        }
        for host in [
            "evil.example",
            "evil.example:7777",
            "127.0.0.1.evil.example:7777",
            "localhost.evil.example",
            "localhost@evil.example",
            "evil.example@localhost",
            "192.168.1.5:7777",
            "0.0.0.0:7777",
            "127.0.0.2:7777",
            "[::2]:7777",
            "",
            "localhost:",
            "localhost:x",
            "localhost:;x",
            "localhost:655366",
            "localhost:+80",
            "localhost/",
        ] {
            assert_eq!(check(&local, "/", &[(HOST, host)]), Err(Refusal::OtherHost), "{host}");
        }
        assert_eq!(check(&local, "/", &[]), Err(Refusal::NoHost));
        assert_eq!(check(&local, "/", &[(HOST, "localhost"), (HOST, "localhost")]), Err(Refusal::NoHost));
        assert_eq!(check(&local, "http://localhost/", &[(HOST, "localhost")]), Err(Refusal::NoHost));
    }

    #[test]
    fn behind_a_wildcard_the_host_is_any_address() {
        let any = open_at(&["0.0.0.0:7777"]);
        assert_eq!(check(&any, "/", &[(HOST, "192.168.1.5:7777")]), Ok(false));
        assert_eq!(check(&any, "/", &[(HOST, "evil.example:7777")]), Err(Refusal::OtherHost));
    }

    #[test]
    fn the_origin_is_none_or_the_servers_own() {
        let local = open_at(&["127.0.0.1:7777"]);
        let with = |origin| check(&local, "/analyze", &[(HOST, "localhost:7777"), (ORIGIN, origin)]);
        assert_eq!(with("http://localhost:7777"), Ok(false));
        for origin in [
            "http://localhost",
            "http://localhost:8888",
            "http://127.0.0.1:7777",
            "https://localhost:7777",
            "http://evil.example",
            "http://localhost:7777.evil.example",
            "null",
            "",
        ] {
            assert_eq!(with(origin), Err(Refusal::OtherOrigin), "{origin}");
        }
        let twice = [(HOST, "localhost"), (ORIGIN, "http://localhost"), (ORIGIN, "http://localhost")];
        assert_eq!(check(&local, "/", &twice), Err(Refusal::OtherOrigin));
    }

    #[test]
    fn a_token_is_given_in_the_address_a_header_or_a_cookie() {
        let door = Door { token: Some(Token(RIGHT.to_owned())), ..open_at(&["127.0.0.1:7777"]) };
        let with = |uri: &str, name, value: &str| check(&door, uri, &[(HOST, "localhost"), (name, value)]);
        let bearer = format!("Bearer {RIGHT}");
        let cookie = format!("a=b; quintet-7777={RIGHT}");
        assert_eq!(check(&door, &format!("/?a=b&token={RIGHT}"), &[(HOST, "localhost")]), Ok(true));
        assert_eq!(with("/", AUTHORIZATION, &bearer), Ok(false));
        assert_eq!(with("/", COOKIE, &cookie), Ok(false));
        assert_eq!(check(&door, "/", &[(HOST, "localhost")]), Err(Refusal::NoToken));
        assert_eq!(with("/", COOKIE, &format!("quintet-8888={RIGHT}")), Err(Refusal::NoToken));
        for wrong in ["", "0", &RIGHT[1..], &format!("{RIGHT}0"), &RIGHT.to_uppercase()] {
            assert_eq!(with("/", AUTHORIZATION, &format!("Bearer {wrong}")), Err(Refusal::WrongToken));
            assert_eq!(with("/", COOKIE, &format!("quintet-7777={wrong}")), Err(Refusal::WrongToken));
            assert_eq!(with(&format!("/?token={wrong}"), AUTHORIZATION, &bearer), Err(Refusal::WrongToken));
        }
        assert_eq!(with("/", AUTHORIZATION, &format!("Basic {RIGHT}")), Err(Refusal::WrongToken));
    }

    #[test]
    fn a_ticket_is_good_for_one_request() {
        let door = Door { token: Some(Token(RIGHT.to_owned())), ..open_at(&["127.0.0.1:7777"]) };
        let ticket = door.ticket().expect("there are random numbers").expect("it is needed");
        let cookie = format!("quintet-7777={ticket}");
        assert_eq!(check(&door, "/", &[(HOST, "localhost"), (COOKIE, &cookie)]), Err(Refusal::WrongToken));
        let uri = format!("/?token={ticket}");
        assert_eq!(check(&door, &uri, &[(HOST, "localhost")]), Ok(true));
        assert_eq!(check(&door, &uri, &[(HOST, "localhost")]), Err(Refusal::WrongToken));
        assert_eq!(open_at(&["127.0.0.1:7777"]).ticket(), Ok(None));
    }

    #[test]
    fn tokens_are_128_bits_and_never_the_same() {
        let [one, other] = [(); 2].map(|()| Token::new().expect("there are random numbers"));
        assert_eq!(one.text().len(), 32);
        assert_ne!(one.text(), other.text());
    }

    #[test]
    fn the_token_is_taken_out_of_an_address() {
        let without = |uri: &str| without_token(&uri.parse().expect("an address"));
        assert_eq!(without("/?token=1"), "/");
        assert_eq!(without("/?a=b&token=1&c"), "/?a=b&c");
    }
}

//! Who is let in.
//!
//! Two attacks by a page of another site that is open in the same browser are refused: cross-site requests,
//! whose `Origin` is foreign, and DNS rebinding, where the `Host` is a foreign name that resolves to this
//! machine. A server that listens beyond loopback, or allows names, also asks for a token: the owner of a
//! name can let it resolve to this machine.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::{fmt, io};

use hyper::Uri;
use hyper::header::{AUTHORIZATION, COOKIE, HOST, HeaderMap, HeaderName, ORIGIN};
use subtle::ConstantTimeEq as _;

use super::address::Listeners;

/// A random secret, as hexadecimal digits.
struct Token(String);

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

impl Token {
    /// Draws 128 random bits.
    fn new() -> io::Result<Self> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(io::Error::other)?;
        Ok(Self(format!("{:032x}", u128::from_ne_bytes(bytes))))
    }

    /// Compares in constant time.
    fn is(&self, text: &[u8]) -> bool {
        self.0.as_bytes().ct_eq(text).into()
    }
}

/// A name by which browsers know the server beside its addresses, such as that of a proxy before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostName {
    /// In lower case.
    name: String,
    /// The port in the address of the page, if it is not the one that `http` or `https` has by itself.
    port: Option<u16>,
}

impl HostName {
    /// Parses a name that may have a port; `None` if it is anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let is_name = |name: &str| match name.strip_prefix('[') {
            Some(rest) => rest.strip_suffix(']').is_some_and(|it| it.parse::<Ipv6Addr>().is_ok()),
            None => !name.is_empty() && name.chars().all(is_part),
        };
        let (name, port) = split(text).filter(|(name, _)| is_name(name))?;
        Some(Self { name: name.to_ascii_lowercase(), port })
    }
}

impl fmt::Display for HostName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

/// Who has access to a server.
#[derive(Debug)]
pub struct AccessControl {
    /// What the name of its cookie begins with.
    name: &'static str,
    /// The flag that allows a name, for people.
    pub(super) allow_flag: &'static str,
    /// The addresses that are listened at.
    addresses: Vec<SocketAddr>,
    /// The names that are allowed beside them.
    pub(super) names: Vec<HostName>,
    /// What a request has to know, if anything.
    token: Option<Token>,
    /// A one-time token, for the address that opens the page.
    ticket: Option<Token>,
    /// Whether there has been that request.
    is_ticket_used: AtomicBool,
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
    /// The name and port by which the client or the proxy before it knows this server: an address,
    /// `localhost` or an allowed name.
    pub(super) host: &'a str,
    /// Whether the address has a token, which need not be the one that let the request in.
    pub(super) has_token: bool,
}

impl AccessControl {
    /// Lets in whoever reaches the listeners by an address, as `localhost` or by one of `names`. If other
    /// machines may reach them, or there are names, a token is needed.
    ///
    /// The name of the cookie that keeps the token in a browser begins with `name`. `allow_flag` is the flag
    /// of the command by which people allow a name: a refused request is told of it.
    ///
    /// # Errors
    ///
    /// If there are no random numbers for a token.
    pub fn new(
        name: &'static str,
        allow_flag: &'static str,
        listeners: &Listeners,
        names: Vec<HostName>,
    ) -> io::Result<Self> {
        let draw = || (listeners.is_chosen || !names.is_empty()).then(Token::new).transpose();
        let (token, ticket, addresses) = (draw()?, draw()?, listeners.addresses.clone());
        Ok(Self { name, allow_flag, addresses, names, token, ticket, is_ticket_used: false.into() })
    }

    /// The URL of the page for a browser on this machine, with the token if one is needed.
    #[must_use]
    pub fn url(&self) -> String {
        url(self.addresses[0], self.token.as_ref())
    }

    /// A URL of the page that is good for one request: whoever sends the first gets the token by it, and who
    /// sees the URL later has no use for it. That of [`url`](Self::url) if no token is needed.
    #[must_use]
    pub fn url_for_once(&self) -> String {
        url(self.addresses[0], self.ticket.as_ref())
    }

    /// Whether a text is the ticket, which is used up then.
    fn takes(&self, text: &[u8]) -> bool {
        let is_ticket = self.ticket.as_ref().is_some_and(|ticket| ticket.is(text));
        is_ticket && !self.is_ticket_used.swap(true, Ordering::Relaxed)
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
        let origin = only(headers, &ORIGIN).map_err(|()| Refusal::OtherOrigin)?;
        if !origin.is_none_or(|origin| self.is_own(origin, host)) {
            return Err(Refusal::OtherOrigin);
        }
        let has_token = self.check_token(uri, headers)?;
        Ok(Admitted { host, has_token })
    }

    /// Whether a `Host` names this server. The port may be another one, as at the end of a tunnel.
    fn is_here(&self, host: &str, local: IpAddr) -> bool {
        let Some((name, _)) = split(host) else { return false };
        if name.eq_ignore_ascii_case("localhost") || self.allowed(name).next().is_some() {
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

    /// The allowed names that are this one.
    fn allowed<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a HostName> {
        self.names.iter().filter(move |it| it.name.eq_ignore_ascii_case(name))
    }

    /// Whether an `Origin` is that of the page. A proxy may have put an address of this machine in the
    /// place of the `Host`, so an allowed name counts by itself, with the port that it has.
    fn is_own(&self, origin: &str, host: &str) -> bool {
        let Some((scheme, authority)) = origin.split_once("://") else { return false };
        let is_host = authority.eq_ignore_ascii_case(host);
        let standard = match scheme {
            "http" if is_host => return true,
            "http" => 80,
            "https" => 443,
            _ => return false,
        };
        let Some((name, port)) = split(authority) else { return false };
        let has_port = |it: &HostName| it.port.unwrap_or(standard) == port.unwrap_or(standard);
        self.allowed(name).any(|it| is_host || has_port(it))
    }

    /// Checks that one of the tokens of a request is right, and returns whether its address has one. A proxy may
    /// have tokens, a scheme of `Authorization` and cookies of its own.
    fn check_token(&self, uri: &Uri, headers: &HeaderMap) -> Result<bool, Refusal> {
        let Some(token) = &self.token else { return Ok(false) };
        let in_query: Vec<&[u8]> = query_tokens(uri).map(str::as_bytes).collect();
        let bearers = headers.get_all(AUTHORIZATION).iter().filter_map(|value| bearer(value.as_bytes()));
        let name = self.cookie_name();
        let cookies =
            headers.get_all(COOKIE).iter().flat_map(|value| value.as_bytes().split(|it| *it == b';'));
        // A browser sends those of folders above as well.
        let cookies =
            cookies.filter_map(|it| it.trim_ascii().strip_prefix(name.as_bytes())?.strip_prefix(b"="));
        let in_headers: Vec<&[u8]> = bearers.chain(cookies).collect();
        let is_right = in_headers.iter().chain(&in_query).any(|it| token.is(it));
        match is_right || in_query.iter().any(|it| self.takes(it)) {
            true => Ok(!in_query.is_empty()),
            false if in_headers.is_empty() && in_query.is_empty() => Err(Refusal::NoToken),
            false => Err(Refusal::WrongToken),
        }
    }

    /// The name of the cookie with the token. All servers of a machine share their cookies, so each
    /// port has a name of its own.
    fn cookie_name(&self) -> String {
        format!("{}-{}", self.name, self.addresses[0].port())
    }

    /// The header that lets a browser keep the token, for its requests to this server alone: without a
    /// path, it is for the folder of the page, wherever a proxy has it. `Lax` sends it when a link of another
    /// site leads to the page: reading a file changes nothing, and the WebSocket asks for the `Origin`.
    pub(super) fn cookie(&self) -> Option<String> {
        let Token(token) = self.token.as_ref()?;
        Some(format!("{}={token}; HttpOnly; SameSite=Lax", self.cookie_name()))
    }
}

/// Returns the name and the port of a `Host`, which may have one; `None` if there is anything else.
fn split(host: &str) -> Option<(&str, Option<u16>)> {
    let end = if host.starts_with('[') { host.find(']')? + 1 } else { host.find(':').unwrap_or(host.len()) };
    let (name, port) = host.split_at(end);
    if port.is_empty() {
        return Some((name, None));
    }
    let digits = port.strip_prefix(':').filter(|it| it.bytes().all(|digit| digit.is_ascii_digit()))?;
    Some((name, Some(digits.parse().ok()?)))
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

fn query_tokens(uri: &Uri) -> impl Iterator<Item = &str> {
    uri.query().unwrap_or_default().split('&').filter_map(|part| part.strip_prefix(TOKEN))
}

/// Returns the token of an `Authorization` of the scheme `Bearer`.
fn bearer(value: &[u8]) -> Option<&[u8]> {
    let end = value.iter().position(|it| *it == b' ').unwrap_or(value.len());
    let (scheme, token) = value.split_at(end);
    scheme.eq_ignore_ascii_case(b"bearer").then(|| token.trim_ascii())
}

/// Returns an address without the token, relative to the page: a proxy may have the server under a path.
pub(super) fn without_token(uri: &Uri) -> String {
    let query = uri.query().unwrap_or_default();
    let rest: Vec<&str> = query.split('&').filter(|part| !part.starts_with(TOKEN)).collect();
    let mark = if rest.is_empty() { "" } else { "?" };
    let file = uri.path().rsplit('/').next().unwrap_or_default();
    format!("./{file}{mark}{}", rest.join("&"))
}

/// Returns the URL of the page for a browser on this machine.
fn url(address: SocketAddr, token: Option<&Token>) -> String {
    let mut address = address;
    if address.ip().is_unspecified() {
        address.set_ip(match address.ip() {
            IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    let query = token.map_or(String::new(), |Token(token)| format!("?{TOKEN}{token}"));
    format!("http://{address}/{query}")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use hyper::header::HeaderValue;

    use super::*;

    const LOCAL: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
    const RIGHT: &str = "0123456789abcdef0123456789abcdef";
    const TICKET: &str = "fedcba9876543210fedcba9876543210";

    fn headers(of: &[(HeaderName, &str)]) -> HeaderMap {
        let pairs =
            of.iter().map(|(name, value)| (name.clone(), HeaderValue::from_str(value).expect("text")));
        let mut headers = HeaderMap::new();
        pairs.for_each(|(name, value)| _ = headers.append(name, value));
        headers
    }

    fn open_at(addresses: &[&str]) -> AccessControl {
        let addresses = addresses.iter().map(|it| it.parse().expect("an address")).collect();
        let listeners = Listeners { sockets: Vec::new(), addresses, is_chosen: false };
        AccessControl::new("test", "--allow", &listeners, Vec::new()).expect("no token is needed")
    }

    fn with_token() -> AccessControl {
        let [token, ticket] = [RIGHT, TICKET].map(|it| Some(Token(it.to_owned())));
        AccessControl { token, ticket, ..open_at(&["127.0.0.1:7777"]) }
    }

    fn check(access: &AccessControl, uri: &str, of: &[(HeaderName, &str)]) -> Result<bool, Refusal> {
        let uri = uri.parse().expect("an address");
        access.check(&uri, &headers(of), LOCAL).map(|it| it.has_token)
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
    fn an_allowed_name_is_that_of_the_host_and_of_the_origin() {
        let names = ["Hub.example", "other.example:8443"].map(|it| HostName::parse(it).expect("a name"));
        let access = AccessControl { names: names.to_vec(), ..open_at(&["127.0.0.1:7777"]) };
        for host in ["hub.example", "HUB.example:8443", "other.example", "localhost", "127.0.0.1:7777"] {
            assert_eq!(check(&access, "/", &[(HOST, host)]), Ok(false), "{host}");
        }
        for host in ["a.hub.example", "hub.example.evil.example", "evil.example", "example", "[::1]"] {
            assert_eq!(check(&access, "/", &[(HOST, host)]), Err(Refusal::OtherHost), "{host}");
        }
        let with = |host, origin| check(&access, "/analyze", &[(HOST, host), (ORIGIN, origin)]);
        for (host, origin) in [
            // A proxy that leaves the host as it is.
            ("hub.example", "https://hub.example"),
            ("hub.example", "http://hub.example"),
            ("hub.example:8443", "https://hub.example:8443"),
            // One that has put its own address there.
            ("127.0.0.1:7777", "https://hub.example"),
            ("localhost:7777", "http://hub.example"),
            ("localhost:7777", "https://Other.example:8443"),
            ("localhost:7777", "http://localhost:7777"),
        ] {
            assert_eq!(with(host, origin), Ok(false), "{host} {origin}");
        }
        for (host, origin) in [
            // Another server of that host.
            ("hub.example", "https://hub.example:8443"),
            ("localhost:7777", "https://hub.example:8443"),
            ("localhost:7777", "https://other.example"),
            ("localhost:7777", "https://localhost:7777"),
            ("hub.example", "https://evil.example"),
            ("hub.example", "https://hub.example.evil.example"),
            ("hub.example", "https://evil.example@hub.example"),
            ("hub.example", "ftp://hub.example"),
            ("hub.example", "hub.example"),
            ("hub.example", "null"),
        ] {
            assert_eq!(with(host, origin), Err(Refusal::OtherOrigin), "{host} {origin}");
        }
    }

    #[test]
    fn an_allowed_name_has_no_more_than_a_port() {
        for text in ["hub.example", "hub.example:8443", "10.0.0.1", "[::1]:80", "my_host"] {
            assert_eq!(HostName::parse(text).map(|it| it.to_string()).as_deref(), Some(text));
        }
        for text in [
            "",
            ":80",
            "https://hub.example",
            "hub.example/",
            "hub.example:",
            "hub.example:x",
            "hub.example:70000",
            "*.hub.example",
            "*",
            "a b",
            "a;b",
            "b\u{fc}cher.example",
            "[::1",
            "[x]",
            "user@hub.example",
        ] {
            assert_eq!(HostName::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_token_is_given_in_the_address_a_header_or_a_cookie() {
        let access = with_token();
        let with = |uri: &str, name, value: &str| check(&access, uri, &[(HOST, "localhost"), (name, value)]);
        let bearer = format!("Bearer {RIGHT}");
        let cookie = format!("a=b; test-7777={RIGHT}");
        let two = format!("test-7777=0; test-7777={RIGHT}");
        assert_eq!(check(&access, &format!("/?a=b&token={RIGHT}"), &[(HOST, "localhost")]), Ok(true));
        assert_eq!(with("/", AUTHORIZATION, &bearer), Ok(false));
        assert_eq!(with("/", COOKIE, &cookie), Ok(false));
        assert_eq!(with("/", COOKIE, &two), Ok(false));
        assert_eq!(check(&access, "/", &[(HOST, "localhost")]), Err(Refusal::NoToken));
        assert_eq!(with("/", COOKIE, &format!("test-8888={RIGHT}")), Err(Refusal::NoToken));
        for wrong in ["", "0", &RIGHT[1..], &format!("{RIGHT}0"), &RIGHT.to_uppercase()] {
            assert_eq!(with("/", AUTHORIZATION, &format!("Bearer {wrong}")), Err(Refusal::WrongToken));
            assert_eq!(with("/", COOKIE, &format!("test-7777={wrong}")), Err(Refusal::WrongToken));
            assert_eq!(
                check(&access, &format!("/?token={wrong}"), &[(HOST, "localhost")]),
                Err(Refusal::WrongToken)
            );
        }
        assert_eq!(with("/", AUTHORIZATION, &format!("Basic {RIGHT}")), Err(Refusal::NoToken));
    }

    #[test]
    fn one_right_token_is_enough_whatever_else_a_proxy_or_another_program_adds() {
        let access = with_token();
        let (bearer, cookie) = (format!("Bearer {RIGHT}"), format!("test-7777={RIGHT}"));
        let (basic, other) = ("Basic dXNlcjpwdw==", "Bearer other");
        for (uri, of, has_token) in [
            ("/", [(AUTHORIZATION, basic), (COOKIE, &*cookie)], false),
            ("/", [(AUTHORIZATION, other), (COOKIE, &cookie)], false),
            ("/", [(AUTHORIZATION, basic), (AUTHORIZATION, &bearer)], false),
            ("/?token=other", [(AUTHORIZATION, basic), (COOKIE, &cookie)], true),
            ("/?token=other", [(AUTHORIZATION, &bearer), (COOKIE, "test-7777=0")], true),
            (&format!("/?token=other&token={RIGHT}"), [(AUTHORIZATION, other), (COOKIE, "a=b")], true),
        ] {
            let [first, second] = of.clone();
            assert_eq!(
                check(&access, uri, &[(HOST, "localhost"), first, second]),
                Ok(has_token),
                "{uri} {of:?}"
            );
        }
        let mut headers = headers(&[(HOST, "localhost")]);
        let cookies = [&b"a=\xE9; test-7777="[..], RIGHT.as_bytes(), b"; b=\xFF"].concat();
        headers.insert(COOKIE, HeaderValue::from_bytes(&cookies).expect("a value"));
        assert!(access.check(&Uri::from_static("/"), &headers, LOCAL).is_ok());
    }

    #[test]
    fn a_ticket_is_good_for_one_request() {
        let access = with_token();
        let uri = format!("/?token={TICKET}");
        assert_eq!(access.url_for_once(), format!("http://127.0.0.1:7777{uri}"));
        let cookie = format!("test-7777={TICKET}");
        assert_eq!(check(&access, "/", &[(HOST, "localhost"), (COOKIE, &cookie)]), Err(Refusal::WrongToken));
        assert_eq!(check(&access, &uri, &[(HOST, "localhost")]), Ok(true));
        assert_eq!(check(&access, &uri, &[(HOST, "localhost")]), Err(Refusal::WrongToken));
        let open = open_at(&["127.0.0.1:7777"]);
        assert_eq!(open.url_for_once(), open.url());
    }

    #[test]
    fn whoever_may_be_reached_by_others_needs_a_token() {
        let secrets = |is_chosen, names: &[&str]| {
            let addresses = vec![SocketAddr::new(LOCAL, 7777)];
            let listeners = Listeners { sockets: Vec::new(), addresses, is_chosen };
            let names = names.iter().filter_map(|name| HostName::parse(name)).collect();
            let access = AccessControl::new("test", "--allow", &listeners, names);
            let access = access.expect("there are random numbers");
            HashSet::from([access.token, access.ticket].map(|it| it.map_or(String::new(), |token| token.0)))
        };
        assert_eq!(secrets(false, &[]), HashSet::from([String::new()]));
        for drawn in [secrets(true, &[]), secrets(false, &["hub.example"])] {
            // Two of 128 bits.
            assert!(drawn.len() == 2 && drawn.iter().all(|it| it.len() == 32), "{drawn:?}");
        }
    }

    #[test]
    fn the_url_leads_to_the_page_on_this_machine() {
        let url = |address: &str, token: Option<&str>| {
            let token = token.map(|it| Token(it.to_owned()));
            url(address.parse().expect("an address"), token.as_ref())
        };
        assert_eq!(url("127.0.0.1:7777", None), "http://127.0.0.1:7777/");
        assert_eq!(url("[::1]:80", Some("0f")), "http://[::1]:80/?token=0f");
        assert_eq!(url("0.0.0.0:7777", Some("0f")), "http://127.0.0.1:7777/?token=0f");
        assert_eq!(url("[::]:7777", None), "http://[::1]:7777/");
    }

    #[test]
    fn the_token_is_taken_out_of_an_address() {
        let without = |uri: &str| without_token(&uri.parse().expect("an address"));
        assert_eq!(without("/?token=1"), "./");
        assert_eq!(without("/?a=b&token=1&c"), "./?a=b&c");
        assert_eq!(without("/assets/main.js?token=1"), "./main.js");
    }
}

//! Where the server listens.

use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};

use anyhow::{anyhow, bail};

use crate::WorkError;

/// The port if none is given.
pub(super) const PORT: u16 = 7777;

/// How many ports are tried if none is given.
const TRIES: u16 = 100;

/// Listens at `address`, or at the loopback addresses if there is none. If no port is given, it is
/// [`PORT`] or one after it.
pub(super) fn listen(address: Option<IpAddr>, port: Option<u16>) -> anyhow::Result<Vec<TcpListener>> {
    let listen = |port| match address {
        Some(address) => TcpListener::bind((address, port)).map(|listener| vec![listener]),
        None => loopback(port),
    };
    let at = |port| SocketAddr::new(address.unwrap_or(Ipv4Addr::LOCALHOST.into()), port);
    let Some(port) = port else { return first_free(listen, at) };
    listen(port).map_err(|error| match error.kind() {
        ErrorKind::AddrInUse => anyhow!("port {port} is in use: without --port, one that is free is found"),
        _ => anyhow!("can't listen at {}: {error}", at(port)),
    })
}

/// Returns what `listen` makes of the first port that is free, from [`PORT`] on.
fn first_free<T>(listen: impl Fn(u16) -> io::Result<T>, at: impl Fn(u16) -> SocketAddr) -> anyhow::Result<T> {
    for port in PORT..PORT + TRIES {
        match listen(port) {
            Err(error) if is_taken(&error) => {}
            result => return result.map_err(|error| anyhow!("can't listen at {}: {error}", at(port))),
        }
    }
    bail!("ports {PORT} to {} are in use or denied: name a free one with --port", PORT + TRIES - 1)
}

/// Whether an error in listening at one of the ports from 1024 on means that others have the port: such
/// ports need no permission, but Windows keeps some for itself.
fn is_taken(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::AddrInUse | ErrorKind::PermissionDenied)
}

/// Listens at 127.0.0.1, and at `::1` if this machine has it.
fn loopback(port: u16) -> io::Result<Vec<TcpListener>> {
    const TRIES: usize = 10;
    let mut result = Err(ErrorKind::AddrInUse.into());
    // If any port will do, the one that is found may be in use at the other address.
    for _ in 0..if port == 0 { TRIES } else { 1 } {
        let first = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let second = TcpListener::bind((Ipv6Addr::LOCALHOST, first.local_addr()?.port()));
        result = match second {
            Ok(second) => return Ok(vec![first, second]),
            Err(error) if error.kind() == ErrorKind::AddrInUse => Err(error),
            Err(_) => return Ok(vec![first]),
        };
    }
    result
}

/// Returns the addresses of listeners.
pub(super) fn addresses(listeners: &[TcpListener]) -> anyhow::Result<Vec<SocketAddr>> {
    let addresses: io::Result<Vec<SocketAddr>> = listeners.iter().map(TcpListener::local_addr).collect();
    Ok(addresses.map_err(|error| WorkError(format!("can't listen: {error}")))?)
}

/// Returns the URL of the page for a browser on this machine.
pub(super) fn url(address: SocketAddr, token: Option<&str>) -> String {
    let mut address = address;
    if address.ip().is_unspecified() {
        address.set_ip(match address.ip() {
            IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    let query = token.map_or(String::new(), |token| format!("?token={token}"));
    format!("http://{address}/{query}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_url_leads_to_the_page_on_this_machine() {
        let url = |address: &str, token| url(address.parse().expect("an address"), token);
        assert_eq!(url("127.0.0.1:7777", None), "http://127.0.0.1:7777/");
        assert_eq!(url("[::1]:80", Some("0f")), "http://[::1]:80/?token=0f");
        assert_eq!(url("0.0.0.0:7777", Some("0f")), "http://127.0.0.1:7777/?token=0f");
        assert_eq!(url("[::]:7777", None), "http://[::1]:7777/");
    }

    #[test]
    fn any_port_that_is_free_is_free_at_all_addresses() {
        let listeners = listen(None, Some(0)).expect("there is a free port");
        let addresses = addresses(&listeners).expect("they have addresses");
        assert_eq!(addresses[0].ip(), Ipv4Addr::LOCALHOST);
        assert!(addresses.iter().all(|it| it.port() == addresses[0].port() && it.port() > 0));
        let error = listen(None, Some(addresses[0].port())).expect_err("it is in use").to_string();
        assert!(error.contains("is in use"), "{error}");
    }

    #[test]
    fn a_port_that_others_have_is_passed_over_whatever_the_system_calls_that() {
        let at = |port| SocketAddr::new(Ipv4Addr::LOCALHOST.into(), port);
        let errors = [ErrorKind::AddrInUse, ErrorKind::PermissionDenied];
        let listen = |port: u16| match errors.get(usize::from(port - PORT)) {
            Some(&error) => Err(error.into()),
            None => Ok(port),
        };
        assert_eq!(first_free(listen, at).expect("the third is free"), PORT + 2);
        for error in errors {
            let error = first_free(|_| io::Result::<()>::Err(error.into()), at).expect_err("none is free");
            assert!(error.to_string().starts_with("ports 7777 to 7876 are in use or denied"), "{error}");
        }
        let error = first_free(|_| io::Result::<()>::Err(ErrorKind::AddrNotAvailable.into()), at);
        let error = error.expect_err("no port of this address is free").to_string();
        assert!(error.starts_with("can't listen at 127.0.0.1:7777: "), "{error}");
    }
}

//! Where the server listens.

use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::ops::RangeInclusive;

use anyhow::bail;

use crate::WorkError;

/// Listens at `address`, or at the loopback addresses if there is none, at the first of `ports` that is
/// free.
pub(crate) fn listen(
    address: Option<IpAddr>,
    ports: RangeInclusive<u16>,
) -> anyhow::Result<Vec<TcpListener>> {
    first_free(address, ports, |port| match address {
        Some(address) => TcpListener::bind((address, port)).map(|listener| vec![listener]),
        None => loopback(port),
    })
}

/// Returns what `listen` makes of the first port of `address` that is free.
fn first_free<T>(
    address: Option<IpAddr>,
    ports: RangeInclusive<u16>,
    listen: impl Fn(u16) -> io::Result<T>,
) -> anyhow::Result<T> {
    let (first, last) = (*ports.start(), *ports.end());
    for port in ports {
        let error = match listen(port) {
            Ok(listeners) => return Ok(listeners),
            Err(error) => error,
        };
        // Ports from 1024 on need no permission, but Windows keeps some for itself.
        let is_taken = match error.kind() {
            ErrorKind::AddrInUse => true,
            ErrorKind::PermissionDenied => first < last,
            _ => false,
        };
        if !is_taken {
            let at = SocketAddr::new(address.unwrap_or(Ipv4Addr::LOCALHOST.into()), port);
            let hint = match error.kind() {
                ErrorKind::PermissionDenied => "; --port takes any from 1024 without more rights",
                _ if address.is_some() => "; --listen takes an address of this machine, or 0.0.0.0 for all",
                _ => "",
            };
            bail!("can't listen at {at}: {error}{hint}");
        }
    }
    let ports =
        if first == last { format!("port {first} is") } else { format!("ports {first} to {last} are") };
    bail!("{ports} in use: name a free one with --port, or 0 for any that is free");
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
pub(crate) fn addresses(listeners: &[TcpListener]) -> anyhow::Result<Vec<SocketAddr>> {
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
        let listeners = listen(None, 0..=0).expect("there is a free port");
        let addresses = addresses(&listeners).expect("they have addresses");
        assert_eq!(addresses[0].ip(), Ipv4Addr::LOCALHOST);
        assert!(addresses.iter().all(|it| it.port() == addresses[0].port() && it.port() > 0));
        let port = addresses[0].port();
        let error = listen(None, port..=port).expect_err("it is in use").to_string();
        assert!(error.starts_with(&format!("port {port} is in use: ")), "{error}");
    }

    #[test]
    fn a_wrong_address_is_not_taken_for_a_wrong_port() {
        // An address for documents, which no machine has.
        let address = "192.0.2.1".parse().ok();
        let error = listen(address, 9147..=9147).expect_err("it is not here").to_string();
        assert!(error.starts_with("can't listen at 192.0.2.1:9147: "), "{error}");
        assert!(
            error.contains("--listen takes an address of this machine") && !error.contains("--port"),
            "{error}"
        );
    }

    #[test]
    fn a_port_that_others_have_is_passed_over_whatever_the_system_calls_that() {
        let errors = [ErrorKind::AddrInUse, ErrorKind::PermissionDenied];
        let listen = |port: u16| match errors.get(usize::from(port - 7777)) {
            Some(&error) => Err(error.into()),
            None => Ok(port),
        };
        assert_eq!(first_free(None, 7777..=7800, listen).expect("the third is free"), 7779);
        for error in errors {
            let listen = |_| io::Result::<()>::Err(error.into());
            let error = first_free(None, 7777..=7800, listen).expect_err("none is free").to_string();
            assert!(error.starts_with("ports 7777 to 7800 are in use"), "{error}");
        }
        let denied = |_| io::Result::<()>::Err(ErrorKind::PermissionDenied.into());
        let error = first_free(None, 80..=80, denied).expect_err("it is denied").to_string();
        assert!(error.contains("--port takes any from 1024"), "{error}");
    }
}

//! Where a server listens.

use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::ops::RangeInclusive;

/// What listens at a port of this machine.
#[derive(Debug)]
pub struct Listeners {
    pub(crate) sockets: Vec<TcpListener>,
    /// Their addresses, at least one.
    pub(crate) addresses: Vec<SocketAddr>,
    /// Whether the address was chosen, so that other machines may reach it.
    pub(crate) is_chosen: bool,
}

/// Why nothing listens.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// All ports are in use.
    #[error("{} in use", are(.0))]
    InUse(RangeInclusive<u16>),
    /// The system refuses an address or a port.
    #[error("can't listen at {at}: {error}")]
    Refused {
        /// The address and the port.
        at: SocketAddr,
        /// What the system says.
        error: io::Error,
    },
}

/// Names ports, with a verb.
fn are(ports: &RangeInclusive<u16>) -> String {
    match (ports.start(), ports.end()) {
        (first, last) if first == last => format!("port {first} is"),
        (first, last) => format!("ports {first} to {last} are"),
    }
}

impl Listeners {
    /// Listens at `address`, or at the loopback addresses if there is none, at the first of `ports` that is
    /// free. Port 0 stands for any that is free.
    ///
    /// # Errors
    ///
    /// If no port is free, or the system refuses the address or the port.
    pub fn bind(address: Option<IpAddr>, ports: RangeInclusive<u16>) -> Result<Self, ListenError> {
        first_free(address, ports, |port| {
            let sockets = match address {
                Some(address) => vec![TcpListener::bind((address, port))?],
                None => loopback(port)?,
            };
            let addresses = sockets.iter().map(TcpListener::local_addr).collect::<io::Result<_>>()?;
            Ok(Self { sockets, addresses, is_chosen: address.is_some() })
        })
    }

    /// The first address.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.addresses[0]
    }
}

/// Returns what `listen` makes of the first port of `address` that is free.
fn first_free<T>(
    address: Option<IpAddr>,
    ports: RangeInclusive<u16>,
    listen: impl Fn(u16) -> io::Result<T>,
) -> Result<T, ListenError> {
    for port in ports.clone() {
        let error = match listen(port) {
            Ok(listeners) => return Ok(listeners),
            Err(error) => error,
        };
        // Ports from 1024 on need no permission, but Windows keeps some for itself.
        let is_taken = match error.kind() {
            ErrorKind::AddrInUse => true,
            ErrorKind::PermissionDenied => ports.start() < ports.end(),
            _ => false,
        };
        if !is_taken {
            let at = SocketAddr::new(address.unwrap_or(Ipv4Addr::LOCALHOST.into()), port);
            return Err(ListenError::Refused { at, error });
        }
    }
    Err(ListenError::InUse(ports))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_port_that_is_free_is_free_at_all_addresses() {
        let listeners = Listeners::bind(None, 0..=0).expect("there is a free port");
        let (addresses, port) = (&listeners.addresses, listeners.address().port());
        assert_eq!(addresses[0].ip(), Ipv4Addr::LOCALHOST);
        assert!(addresses.iter().all(|it| it.port() == port && port > 0));
        let error = Listeners::bind(None, port..=port).expect_err("it is in use").to_string();
        assert_eq!(error, format!("port {port} is in use"));
    }

    #[test]
    fn a_wrong_address_is_not_taken_for_a_wrong_port() {
        // An address for documents, which no machine has.
        let address = "192.0.2.1".parse().ok();
        let error = Listeners::bind(address, 9147..=9147).expect_err("it is not here").to_string();
        assert!(error.starts_with("can't listen at 192.0.2.1:9147: "), "{error}");
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
            assert_eq!(error, "ports 7777 to 7800 are in use");
        }
        let denied = |_| io::Result::<()>::Err(ErrorKind::PermissionDenied.into());
        let error = first_free(None, 80..=80, denied).expect_err("it is denied").to_string();
        assert!(error.starts_with("can't listen at 127.0.0.1:80: "), "{error}");
    }
}

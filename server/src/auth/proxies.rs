//! Proxies trusted to name the client of a request.

use std::net::{IpAddr, SocketAddr};

use super::Network;

#[derive(Clone, Debug, Default)]
pub struct Proxies(Vec<Network>);

impl Proxies {
    pub fn at(networks: Vec<Network>) -> Self {
        Self(networks)
    }

    pub fn contain(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(address))
    }

    /// Returns the client behind trusted proxies: the last address of `X-Forwarded-For` that is not a
    /// proxy's. Earlier ones may be written by the client itself.
    pub fn client<'a>(&self, peer: IpAddr, forwarded_for: impl Iterator<Item = &'a str>) -> IpAddr {
        let mut client = peer;
        let named: Vec<&str> = forwarded_for.flat_map(|value| value.split(',')).map(str::trim).collect();
        for name in named.iter().rev() {
            if !self.contain(client) {
                break;
            }
            let Some(address) = address(name) else { break };
            client = address;
        }
        client
    }
}

/// Parses an address. Some proxies (Azure's Application Gateway) add the client's port.
fn address(text: &str) -> Option<IpAddr> {
    text.parse().ok().or_else(|| text.parse::<SocketAddr>().ok().map(|end| end.ip()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_client_is_the_last_address_that_is_no_proxy() {
        let proxies = Proxies::at(vec!["10.0.0.0/8".parse().unwrap()]);
        for (peer, header, client) in [
            ("192.0.2.1", "198.51.100.9", "192.0.2.1"),
            ("10.0.0.1", "198.51.100.9", "198.51.100.9"),
            ("10.0.0.1", "1.1.1.1, 198.51.100.9, 10.0.0.2", "198.51.100.9"),
            ("10.0.0.1", "1.1.1.1:7, 198.51.100.9:4711", "198.51.100.9"),
            ("10.0.0.1", "[2001:db8::9]:4711", "2001:db8::9"),
            ("10.0.0.1", "", "10.0.0.1"),
            ("10.0.0.1", "unknown", "10.0.0.1"),
            ("10.0.0.1", "1.1.1.1, nonsense, 10.0.0.2", "10.0.0.2"),
        ] {
            let found = proxies.client(peer.parse().unwrap(), [header].into_iter());
            assert_eq!(found, client.parse::<IpAddr>().unwrap(), "{peer} with {header:?}");
        }
        let both = proxies.client("10.0.0.1".parse().unwrap(), ["1.1.1.1", "198.51.100.9"].into_iter());
        assert_eq!(both.to_string(), "198.51.100.9", "several headers are one list");
    }
}

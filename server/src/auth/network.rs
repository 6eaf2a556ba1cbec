//! Addresses of trusted proxies.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

/// An address or a prefix: `127.0.0.1`, `10.0.0.0/8`, `fd00::/8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    bits: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("use an address or a network, as in 127.0.0.1 or 10.0.0.0/8")]
pub struct NotANetwork;

impl Network {
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                begins_alike(own.to_bits().into(), other.to_bits().into(), self.bits, 32)
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => {
                begins_alike(own.to_bits(), other.to_bits(), self.bits, 128)
            }
            _ => false,
        }
    }
}

fn begins_alike(one: u128, two: u128, bits: u32, of: u32) -> bool {
    // A prefix of 0 bits needs a shift by the full width, which `>>` rejects.
    (one ^ two).checked_shr(of - bits).unwrap_or(0) == 0
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.bits)
    }
}

impl FromStr for Network {
    type Err = NotANetwork;

    fn from_str(text: &str) -> Result<Self, NotANetwork> {
        let (address, bits) = text.split_once('/').map_or((text, None), |(left, right)| (left, Some(right)));
        let address = address.parse::<IpAddr>().map_err(|_| NotANetwork)?.to_canonical();
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.map_or(Ok(most), |bits| bits.parse::<u32>().map_err(|_| NotANetwork))?;
        if bits > most { Err(NotANetwork) } else { Ok(Self { address, bits }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(network: &str, address: &str, want: bool) {
        let network: Network = network.parse().unwrap();
        assert_eq!(network.contains(address.parse().unwrap()), want, "{network} and {address}");
    }

    #[test]
    fn addresses_are_told_apart_by_their_first_bits() {
        check("127.0.0.1", "127.0.0.1", true);
        check("127.0.0.1", "::ffff:127.0.0.1", true);
        check("127.0.0.1", "127.0.0.2", false);
        check("10.0.0.0/8", "10.255.1.2", true);
        check("10.0.0.0/8", "11.0.0.0", false);
        check("0.0.0.0/0", "255.255.255.255", true);
        check("0.0.0.0/0", "::1", false);
        check("fd00::/8", "fdff::1", true);
        check("fd00::/8", "fe00::1", false);
        check("::/0", "::1", true);
    }

    #[test]
    fn what_names_no_addresses_is_refused() {
        for text in ["", "proxy", "127.0.0.1/33", "::1/129", "127.0.0.1/", "127.0.0.1/-1", "127.0.0.1:80"] {
            assert_eq!(text.parse::<Network>(), Err(NotANetwork), "{text}");
        }
    }
}

//! Clients as units of limits: for fair queues, rate limits, and wrong secrets.

use std::net::IpAddr;

use super::Principal;
use syclscope_system::id::Id;

/// A client: authenticated ones are identified by identity, wherever they are, others by address.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Client {
    Token(Id),
    Person(String),
    At(Place),
}

/// An IPv4 address, or the 64-bit prefix of an IPv6 address, which is that of a household.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place(u128);

impl Client {
    pub fn new(principal: &Principal, address: IpAddr) -> Self {
        match principal {
            Principal::Token { id, .. } => Self::Token(id.clone()),
            Principal::Person { name, .. } => Self::Person(name.clone()),
            // Many people may share a link.
            Principal::Account | Principal::Everybody | Principal::Link(_) | Principal::Nobody => {
                Self::at(address)
            }
        }
    }

    pub fn at(address: IpAddr) -> Self {
        Self::At(Place::new(address))
    }
}

impl Place {
    pub fn new(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V4(address) => Self(address.to_bits().into()),
            // No IPv4 address has these bits.
            IpAddr::V6(address) => Self(address.to_bits() >> 64 << 64 | 1 << 63),
        }
    }
}

//! Whose requests count together: for turns of questions, for rates, and for wrong secrets.

use std::net::IpAddr;

use super::Principal;
use crate::id::Id;

/// One client: who has shown who they are counts as themselves wherever they are, everybody else by their address.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Client {
    /// The owner of a token.
    Token(Id),
    /// A person.
    Person(String),
    /// Whoever is at this place.
    At(Place),
}

/// What counts as one place: an address of IPv4, or the 64 bits of IPv6 that one household gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place(u128);

impl Client {
    /// Who asks from an address.
    pub fn of(principal: &Principal, address: IpAddr) -> Self {
        match principal {
            Principal::Token { id, .. } => Self::Token(id.clone()),
            Principal::Person { name, .. } => Self::Person(name.clone()),
            // A link may be everybody's.
            Principal::Account | Principal::Everybody | Principal::Link(_) | Principal::Nobody => {
                Self::at(address)
            }
        }
    }

    /// Whoever is at an address.
    pub fn at(address: IpAddr) -> Self {
        Self::At(Place::of(address))
    }
}

impl Place {
    /// The place of an address.
    pub fn of(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V4(address) => Self(address.to_bits().into()),
            // None of IPv4 has these bits.
            IpAddr::V6(address) => Self(address.to_bits() >> 64 << 64 | 1 << 63),
        }
    }
}

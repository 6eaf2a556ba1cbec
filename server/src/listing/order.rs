//! Orders of a list, and positions in them.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use syclscope_language::api::ListedTrace;

use syclscope_system::id::Id;

/// Bytes of a name that are relevant for sorting.
const SORT_BYTES: usize = 48;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortKey {
    Name,
    Program,
    Duration,
    /// Time in which at least one device ran something.
    Busy,
    Launches,
    /// The first device's name.
    Device,
    /// The busiest kernel's name.
    Busiest,
    /// The busiest kernel's share.
    Share,
    Findings,
    Size,
    /// User who uploaded it.
    By,
    Stored,
}

impl SortKey {
    /// Every key with its name in URLs.
    pub const ALL: [(&'static str, Self); 12] = [
        ("name", Self::Name),
        ("program", Self::Program),
        ("duration", Self::Duration),
        ("busy", Self::Busy),
        ("launches", Self::Launches),
        ("device", Self::Device),
        ("busiest", Self::Busiest),
        ("share", Self::Share),
        ("findings", Self::Findings),
        ("size", Self::Size),
        ("by", Self::By),
        ("stored", Self::Stored),
    ];

    fn is_text(self) -> bool {
        matches!(self, Self::Name | Self::Program | Self::Device | Self::Busiest | Self::By)
    }

    pub fn place(self, trace: &ListedTrace) -> Place {
        let figures = trace.figures.as_ref();
        let number =
            |number: Option<u64>| number.map_or(-1, |number| i64::try_from(number).unwrap_or(i64::MAX));
        let text = |text: Option<&str>| Place::Text(letters(text.unwrap_or_default()));
        let busiest = figures.and_then(|figures| figures.busiest.as_ref());
        match self {
            Self::Name => text(Some(&trace.name)),
            Self::Program => text(figures.map(|figures| figures.program.as_str())),
            Self::Device => text(figures.and_then(|figures| figures.devices.first()).map(String::as_str)),
            Self::Busiest => text(busiest.map(|busiest| busiest.name.as_str())),
            Self::By => text(trace.by.as_deref()),
            Self::Duration => Place::Number(number(figures.map(|figures| figures.duration_ns))),
            Self::Busy => Place::Number(number(figures.map(|figures| figures.busy_ns))),
            Self::Launches => Place::Number(number(figures.map(|figures| figures.launches))),
            Self::Findings => Place::Number(number(figures.map(|figures| figures.findings))),
            Self::Share => Place::Number(busiest.map_or(-1, |busiest| ppm(busiest.share))),
            Self::Size => Place::Number(number(Some(trace.size_bytes))),
            Self::Stored => Place::Number(number(Some(trace.stored_unix_ns))),
        }
    }
}

pub(crate) fn ppm(share: f64) -> i64 {
    (share * 1e6).round() as i64
}

/// Returns the sort key of a name: the bytes of its prefix in lower case, as digits. Databases sort letters
/// by locale, each in its own way, but digits all alike.
pub(crate) fn letters(text: &str) -> String {
    let lower = text.to_lowercase();
    lower.bytes().take(SORT_BYTES).fold(String::with_capacity(2 * SORT_BYTES), |mut digits, byte| {
        // Infallible: writes to a String don't fail.
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

/// An order; equal traces are sorted by id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    pub key: SortKey,
    pub descends: bool,
}

impl Default for Order {
    /// Returns the order by age, newest first.
    fn default() -> Self {
        Self { key: SortKey::Stored, descends: true }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAnOrder {
    #[error(
        "sort= takes name, program, duration, busy, launches, device, busiest, share, findings, size, by or stored, \
         with a - before it for the largest first"
    )]
    Key,
    /// The cursor is invalid, or belongs to another order.
    #[error("after= takes the `next` of a response with the same sort=")]
    Cursor,
}

impl FromStr for Order {
    type Err = NotAnOrder;

    fn from_str(text: &str) -> Result<Self, NotAnOrder> {
        let (name, descends) = text.strip_prefix('-').map_or((text, false), |name| (name, true));
        // The former name in URLs.
        let name = if name == "kernels" { "launches" } else { name };
        let found = SortKey::ALL.into_iter().find(|(word, _)| *word == name);
        found.map(|(_, key)| Self { key, descends }).ok_or(NotAnOrder::Key)
    }
}

/// Value by which a trace is sorted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A number; -1 if it is unknown.
    Number(i64),
    /// Sort key of a name, from `letters`.
    Text(String),
}

/// A position between two traces of an order. It stays valid while traces are added and deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// Value of the last trace before the position.
    pub place: Place,
    pub id: String,
}

impl Cursor {
    pub fn behind(trace: &ListedTrace, order: Order) -> Self {
        Self { place: order.key.place(trace), id: trace.id.clone() }
    }

    pub(super) fn read(text: &str, key: SortKey) -> Result<Self, NotAnOrder> {
        let (place, id) = text.rsplit_once('.').ok_or(NotAnOrder::Cursor)?;
        let id: Id = id.parse().map_err(|_| NotAnOrder::Cursor)?;
        let is_digits = |text: &str| text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let place = match key.is_text() {
            true => Some(place).filter(|place| is_digits(place)).map(|place| Place::Text(place.to_owned())),
            false => place.parse().ok().map(Place::Number),
        };
        Ok(Self { place: place.ok_or(NotAnOrder::Cursor)?, id: id.to_string() })
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::Number(number) => write!(f, "{number}.{}", self.id),
            Place::Text(digits) => write!(f, "{digits}.{}", self.id),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_survives_an_address() {
        let trace = ListedTrace {
            id: Id::for_bytes(b"a").to_string(),
            name: "Ünd.pftrace".to_owned(),
            size_bytes: u64::MAX,
            ..ListedTrace::default()
        };
        for (name, key) in SortKey::ALL {
            let order: Order = format!("-{name}").parse().unwrap();
            assert_eq!(order, Order { key, descends: true });
            let cursor = Cursor::behind(&trace, order);
            assert_eq!(Cursor::read(&cursor.to_string(), key), Ok(cursor), "{name}");
        }
        for text in ["", ".", "12", "x.aaaaaaaaaaaaaaaaaaaaaaaaaa", "12.a'--"] {
            assert_eq!(Cursor::read(text, SortKey::Size), Err(NotAnOrder::Cursor), "{text}");
        }
        assert_eq!(Cursor::read("zz.aaaaaaaaaaaaaaaaaaaaaaaaaa", SortKey::Name), Err(NotAnOrder::Cursor));
    }
}

//! Ids in URLs and tables: 128 bits as 26 letters and digits.

use std::fmt;
use std::io;
use std::str::FromStr;

use sha2::{Digest as _, Sha256};

const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
const LENGTH: usize = 26;

/// Id of a trace, or of anything else. It consists of letters and digits only, so it is safe as a file name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(String);

impl Id {
    /// Returns a new random id that can't be guessed.
    ///
    /// # Errors
    /// Returns an error if the operating system provides no random numbers.
    pub fn random() -> io::Result<Self> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(io::Error::other)?;
        Ok(Self::from_bits(u128::from_be_bytes(bytes)))
    }

    /// Returns an id derived from these bytes, always the same.
    pub fn for_bytes(bytes: &[u8]) -> Self {
        let digest = Sha256::digest(bytes);
        let bits = digest.iter().take(16).fold(0, |bits, byte| bits << 8 | u128::from(*byte));
        Self::from_bits(bits)
    }

    fn from_bits(bits: u128) -> Self {
        let letter = |place: usize| {
            let five = (bits >> (5 * (LENGTH - 1 - place))) & 31;
            char::from(ALPHABET[five as usize])
        };
        Self((0..LENGTH).map(letter).collect())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid id")]
pub struct NotAnId;

impl FromStr for Id {
    type Err = NotAnId;

    fn from_str(text: &str) -> Result<Self, NotAnId> {
        let valid = text.len() == LENGTH && text.bytes().all(|byte| ALPHABET.contains(&byte));
        if valid { Ok(Self(text.to_owned())) } else { Err(NotAnId) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_distinct_and_read_back() {
        let (a, b) = (Id::random().unwrap(), Id::random().unwrap());
        assert_ne!(a, b);
        assert_eq!(a.as_str().parse(), Ok(a.clone()));
        assert_eq!(Id::for_bytes(b"/a/run.pftrace"), Id::for_bytes(b"/a/run.pftrace"));
        assert_ne!(Id::for_bytes(b"/a/run.pftrace"), Id::for_bytes(b"/b/run.pftrace"));
        assert_eq!(Id::from_bits(0).as_str(), "a".repeat(26));
        assert_eq!(Id::from_bits(u128::MAX).as_str(), format!("h{}", "7".repeat(25)));
    }

    #[test]
    fn nothing_else_is_an_id() {
        for text in
            ["", "..", "../../../../../../etc/passwd", &"A".repeat(26), &"a".repeat(27), &"é".repeat(13)]
        {
            assert_eq!(text.parse::<Id>(), Err(NotAnId), "{text}");
        }
    }
}

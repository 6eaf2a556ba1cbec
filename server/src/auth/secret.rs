//! Secrets of tokens, sessions and links: 160 random bits, stored as a hash.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::io;

use sha2::{Digest as _, Sha256};

const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
const BYTES: usize = 20;
const LETTERS: usize = BYTES * 8 / 5;

/// Prefix of a token, by which people and scanners for leaked secrets recognize it.
pub const TOKEN_PREFIX: &str = "syt_";

/// A secret as used in a URL, a header or a cookie. Only [`Self::expose`] can read it.
#[derive(Clone)]
pub struct Secret(String);

/// Stored form of a secret: SHA-256. No slower hash is needed, because that many random bits can't be
/// guessed.
#[derive(Clone, Copy, Debug)]
pub struct SecretHash([u8; 32]);

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid secret")]
pub struct NotASecret;

impl Secret {
    /// Returns a new random secret without a prefix.
    ///
    /// # Errors
    /// Returns an error if the operating system provides no random numbers.
    pub fn random() -> io::Result<Self> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes).map_err(io::Error::other)?;
        let letter = |place: usize| {
            let five = (0..5).fold(0, |bits, bit| {
                let at = place * 5 + bit;
                bits << 1 | usize::from(bytes[at / 8] >> (7 - at % 8) & 1)
            });
            char::from(ALPHABET[five])
        };
        Ok(Self((0..LETTERS).map(letter).collect()))
    }

    pub fn random_token() -> io::Result<Self> {
        Ok(Self(format!("{TOKEN_PREFIX}{}", Self::random()?.0)))
    }

    /// Parses a secret without a prefix.
    pub fn parse(text: &str) -> Result<Self, NotASecret> {
        let is_one = text.len() == LETTERS && text.bytes().all(|byte| ALPHABET.contains(&byte));
        if is_one { Ok(Self(text.to_owned())) } else { Err(NotASecret) }
    }

    pub fn parse_token(text: &str) -> Result<Self, NotASecret> {
        Self::parse(text.strip_prefix(TOKEN_PREFIX).ok_or(NotASecret)?)?;
        Ok(Self(text.to_owned()))
    }

    pub fn expose(&self) -> &str {
        &self.0
    }

    pub fn hash(&self) -> SecretHash {
        SecretHash(Sha256::digest(&self.0).into())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl SecretHash {
    /// Returns the hash as 64 hexadecimal digits, for a database.
    pub fn to_hex(self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    pub fn from_hex(text: &str) -> Option<Self> {
        let mut bytes = [0; 32];
        if text.len() != 64 || !text.is_ascii() {
            return None;
        }
        for (at, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).ok()?;
        }
        Some(Self(bytes))
    }

    /// Returns 64 bits of the hash, for approximate tables in memory.
    pub(super) fn short(self) -> u64 {
        self.0[..8].iter().fold(0, |bits, byte| bits << 8 | u64::from(*byte))
    }
}

/// Consistent with `PartialEq`: equal hashes have equal bytes.
impl Hash for SecretHash {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

/// Compares in constant time.
impl PartialEq for SecretHash {
    fn eq(&self, other: &Self) -> bool {
        let differences = self.0.iter().zip(other.0).fold(0, |all, (one, two)| all | (one ^ two));
        std::hint::black_box(differences) == 0
    }
}

impl Eq for SecretHash {}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn secrets_are_distinct_and_use_all_their_bits() {
        let all: BTreeSet<String> = (0..1000).map(|_| Secret::random().unwrap().0).collect();
        assert_eq!(all.len(), 1000);
        for place in 0..LETTERS {
            let seen: BTreeSet<u8> = all.iter().map(|text| text.as_bytes()[place]).collect();
            // 1,000 draws of 32 letters miss a given one with a probability of e^-31.
            assert_eq!(seen.len(), 32, "letter {place}");
        }
    }

    #[test]
    fn only_a_whole_secret_is_read() {
        let (plain, token) = (Secret::random().unwrap(), Secret::random_token().unwrap());
        assert_eq!(Secret::parse(plain.expose()).unwrap().hash(), plain.hash());
        assert_eq!(Secret::parse_token(token.expose()).unwrap().hash(), token.hash());
        assert_eq!(token.expose().len(), 36);
        for text in ["", "syt_", plain.expose(), &token.expose()[..35], &token.expose().to_uppercase()] {
            assert_eq!(Secret::parse_token(text).err(), Some(NotASecret), "{text}");
        }
        for text in ["", token.expose(), &plain.expose()[1..], "../../../../../../etc/passwd/.../"] {
            assert_eq!(Secret::parse(text).err(), Some(NotASecret), "{text}");
        }
    }

    #[test]
    fn a_secret_is_not_printed_by_mistake() {
        let secret = Secret::random_token().unwrap();
        assert_eq!(format!("{secret:?}"), "Secret(…)");
    }

    #[test]
    fn hashes_are_equal_only_when_every_bit_is() {
        let hash = Secret::random().unwrap().hash();
        assert_eq!(SecretHash::from_hex(&hash.to_hex()), Some(hash));
        for bit in 0..256 {
            let mut other = hash;
            other.0[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(other, hash);
        }
        for text in ["", "zz", &"g".repeat(64), &"é".repeat(32)] {
            assert_eq!(SecretHash::from_hex(text), None);
        }
    }
}

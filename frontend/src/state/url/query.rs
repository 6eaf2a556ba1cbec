//! The query of an address: its parts, and text in them.

/// The query part of an address while it is written.
#[derive(Debug, Default)]
pub struct QueryWriter {
    parts: Vec<String>,
}

impl QueryWriter {
    /// Adds a part whose value is safe as it is.
    pub fn part(&mut self, name: &str, value: impl std::fmt::Display) {
        self.parts.push(format!("{name}={value}"));
    }

    /// Adds a part with any text as its value.
    pub fn text(&mut self, name: &str, value: &str) {
        self.part(name, encode(value));
    }

    /// The query, with its `?`; empty without parts.
    pub fn finish(self) -> String {
        if self.parts.is_empty() { String::new() } else { format!("?{}", self.parts.join("&")) }
    }
}

/// Percent-encodes what would mean something else in a query, or what some program would take for the end of a link.
pub fn encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~/:,()*!".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

/// The text that was encoded; `None` if it was not.
pub fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'%' => {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                let (high, low) = (digit(rest.next()?)?, digit(rest.next()?)?);
                bytes.push((high * 16 + low) as u8);
            }
            byte => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_survives_an_address() {
        for text in ["", "a b&c=d#e?f%g", "über/π", "k<int>"] {
            let encoded = encode(text);
            assert!(encoded.bytes().all(|byte| byte.is_ascii_graphic() && !b"&=#?<>\"".contains(&byte)));
            assert_eq!(decode(&encoded).as_deref(), Some(text));
        }
        assert_eq!(decode("%4"), None);
        assert_eq!(decode("%FF"), None);
    }
}

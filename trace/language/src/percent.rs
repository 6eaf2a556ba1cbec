//! Percent-encoding of addresses. It is strict where the usual library is lenient: truncated or invalid UTF-8 is an
//! error.

use std::fmt::Write as _;

/// Percent-encodes a text: letters, digits, `-`, `_`, `.`, `~` and the bytes in `kept` stay unchanged.
pub fn encode(text: &str, kept: &[u8]) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) || kept.contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a string can't fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

/// Decodes a text; `None` if it is invalid.
pub fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let mut digit = || char::from(rest.next()?).to_digit(16);
                (digit()? * 16 + digit()?) as u8
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_comes_back() {
        for text in ["", "plain-text_1.0~", "a b&c=d?#%+", "größe µs → 🙂", "(x:1,2)"] {
            let encoded = encode(text, b":,()");
            assert!(encoded.is_ascii() && !encoded.contains([' ', '&', '=', '?', '#', '+']), "{encoded}");
            assert_eq!(decode(&encoded).as_deref(), Some(text));
        }
        assert_eq!((encode("a:b", b""), encode("a:b", b":")), ("a%3Ab".to_owned(), "a:b".to_owned()));
    }

    #[test]
    fn what_is_not_encoded_is_not_read() {
        for text in ["%", "%4", "%4g", "%+1", "%FF"] {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}

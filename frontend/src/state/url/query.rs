use syclscope_language::percent;
pub use syclscope_language::percent::decode;

#[derive(Debug, Default)]
pub struct QueryWriter {
    parts: Vec<String>,
}

impl QueryWriter {
    /// Adds a part whose value needs no encoding.
    pub fn part(&mut self, name: &str, value: impl std::fmt::Display) {
        self.parts.push(format!("{name}={value}"));
    }

    /// Adds a part with any text as its value.
    pub fn text(&mut self, name: &str, value: &str) {
        self.part(name, encode(value));
    }

    /// Returns the query, with its `?`; empty without parts.
    pub fn finish(self) -> String {
        if self.parts.is_empty() { String::new() } else { format!("?{}", self.parts.join("&")) }
    }
}

/// Percent-encodes characters with a meaning in queries, and characters that programs treat as the end of a link.
pub fn encode(text: &str) -> String {
    percent::encode(text, b"/:,()*!")
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

//! External viewers in which the page opens traces. It reads their URLs from an element of `index.html`.

/// The element of `index.html` for the viewers, as built.
const BUILT: &str = "<meta name=\"syclscope-viewers\"";

/// URLs of viewers; `None` for the public ones, which the page knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Viewers {
    pub perfetto: Option<String>,
    pub firefox: Option<String>,
}

impl Viewers {
    /// Returns `index.html` with the element for these viewers; `None` if it is unchanged.
    pub(crate) fn insert_into(&self, index: &[u8]) -> Option<Vec<u8>> {
        if *self == Self::default() {
            return None;
        }
        let attribute = |name: &str, address: &Option<String>| {
            address.as_ref().map_or_else(String::new, |address| format!(" data-{name}=\"{address}\""))
        };
        let own = attribute("perfetto", &self.perfetto) + &attribute("firefox", &self.firefox);
        let html = String::from_utf8_lossy(index);
        html.contains(BUILT).then(|| html.replacen(BUILT, &format!("{BUILT}{own}"), 1).into_bytes())
    }
}

/// Parses a URL that the page may open: http or https with a host, without characters that need escaping in
/// HTML.
pub fn address(text: &str) -> Result<String, String> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let has_host = rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_alphanumeric() || c == '['));
    let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"'<>&#?\\".contains(&byte));
    if !has_host || !is_plain {
        return Err("expected a URL like https://perfetto.example.org".to_owned());
    }
    Ok(text.trim_end_matches('/').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_told_where_viewers_are() {
        let index = b"<meta name=\"syclscope-viewers\"><p>";
        assert_eq!(Viewers::default().insert_into(index), None);
        let viewers = Viewers { perfetto: Some("http://p:1".into()), firefox: None };
        let told = viewers.insert_into(index).unwrap();
        assert_eq!(
            String::from_utf8(told).unwrap(),
            "<meta name=\"syclscope-viewers\" data-perfetto=\"http://p:1\"><p>"
        );
        assert_eq!(viewers.insert_into(b"<p>"), None, "a page of before");
    }

    #[test]
    fn only_addresses_of_the_web_are_taken() {
        assert_eq!(address("http://127.0.0.1:9000/ui/").as_deref(), Ok("http://127.0.0.1:9000/ui"));
        for bad in [
            "",
            "perfetto",
            "javascript:alert(1)",
            "https://",
            "https://a/\"><p>",
            "http://a/?b",
            "file:///a",
        ] {
            assert!(address(bad).is_err(), "{bad}");
        }
    }
}

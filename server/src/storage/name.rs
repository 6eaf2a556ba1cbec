//! File names from uploads, for display and downloads, never used as paths.

/// Maximum length in bytes, which file systems accept.
const MAX_BYTES: usize = 200;

/// Cleans the file name from a client: returns the last part of a path, without control characters, never
/// empty.
pub(super) fn clean(sent: &str) -> String {
    let last = sent.rsplit(['/', '\\']).next().unwrap_or_default();
    let visible: String = last.chars().filter(|c| !c.is_control() && !is_invisible(*c)).collect();
    let trimmed = visible.trim().trim_start_matches('.');
    if trimmed.is_empty() {
        return "trace".to_owned();
    }
    let fits = |(start, c): &(usize, char)| start + c.len_utf8() <= MAX_BYTES;
    trimmed.char_indices().take_while(fits).map(|(_, c)| c).collect()
}

/// True for characters that change the writing direction or are invisible: they could make a name look like
/// another.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_last_part_of_a_path() {
        assert_eq!(clean("run.pftrace"), "run.pftrace");
        assert_eq!(clean("/home/me/run 2.json"), "run 2.json");
        assert_eq!(clean(r"C:\temp\run.json"), "run.json");
        for empty in ["", "/", "..", "a/..", " \n"] {
            assert_eq!(clean(empty), "trace", "{empty:?}");
        }
        assert_eq!(clean("a\r\nSet-Cookie: x"), "aSet-Cookie: x");
        assert_eq!(clean("exe.\u{202e}ecart"), "exe.ecart");
        assert_eq!(clean(&"é".repeat(300)).len(), MAX_BYTES);
    }
}

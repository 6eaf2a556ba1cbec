//! Names of people and programs, for sign-in, members, the audit log and pages.

/// Maximum length of a name, in bytes.
const MAX_BYTES: usize = 200;

/// True if a text is a valid name: a single visible line other than the one that stands for everyone.
pub fn is_name(text: &str) -> bool {
    (1..=MAX_BYTES).contains(&text.len())
        && text != crate::db::members::EVERYBODY
        && text.trim() == text
        && !text.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::is_name;

    #[test]
    fn a_name_is_one_line() {
        for text in ["ada", "Ada Lovelace", "ada@traces.example", "ägypten"] {
            assert!(is_name(text), "{text}");
        }
        for text in ["", "*", " ada", "ada\n", "a\u{0}b", &"a".repeat(TOO_MANY_BYTES)] {
            assert!(!is_name(text), "{text}");
        }
    }

    const TOO_MANY_BYTES: usize = super::MAX_BYTES + 1;
}

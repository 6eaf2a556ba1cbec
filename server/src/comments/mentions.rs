//! Mentions of people in a text.

/// Maximum number of people that one comment mentions.
const MAX_MENTIONS: usize = 20;

/// Returns the `people` mentioned in a text with an `@`, in alphabetical order. If two names match, the
/// longer one counts.
pub(crate) fn mentioned(text: &str, people: &[String]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (at, _) in text.match_indices('@') {
        // An `@` in the middle of an email address is no mention.
        if text[..at].chars().next_back().is_some_and(char::is_alphanumeric) {
            continue;
        }
        let rest = &text[at + 1..];
        let names = people.iter().filter(|name| begins_with(rest, name));
        found.extend(names.max_by_key(|name| name.len()).cloned());
    }
    found.sort();
    found.dedup();
    found.truncate(MAX_MENTIONS);
    found
}

/// True if a text begins with a name that ends there.
fn begins_with(text: &str, name: &str) -> bool {
    let Some((start, rest)) = text.split_at_checked(name.len()) else { return false };
    start.eq_ignore_ascii_case(name) && !rest.chars().next().is_some_and(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_people_are_mentions() {
        let people = ["ada", "Ada Lovelace", "bob", "eve@example.org", "ägypten"].map(str::to_owned);
        for (text, names) in [
            ("@bob, look", vec!["bob"]),
            ("@Bob @bob (@ada)", vec!["ada", "bob"]),
            ("@ada lovelace and @ada", vec!["Ada Lovelace", "ada"]),
            ("see @eve@example.org.", vec!["eve@example.org"]),
            ("to me@bob, @bobby, @ bob, bob, @", vec![]),
            ("@ägypten!", vec!["ägypten"]),
            ("@äda", vec![]),
        ] {
            assert_eq!(mentioned(text, &people), names, "{text}");
        }
        let many: Vec<String> = (0..99).map(|number| format!("p{number}")).collect();
        let all: String = many.iter().map(|name| format!("@{name} ")).collect();
        assert_eq!(mentioned(&all, &many).len(), MAX_MENTIONS);
    }
}

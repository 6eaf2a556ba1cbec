//! Advice of a finding: first what to do, then why.

/// Words that begin the remedies of findings.
const IMPERATIVES: [&str; 30] = [
    "Allocate",
    "Ask",
    "Build",
    "Call",
    "Check",
    "Compute",
    "Copy",
    "Create",
    "Destroy",
    "Distribute",
    "Do",
    "Finalize",
    "Give",
    "Keep",
    "Leave",
    "Let",
    "Look",
    "Make",
    "Move",
    "Pass",
    "Put",
    "Release",
    "Remove",
    "Reuse",
    "Run",
    "Select",
    "Submit",
    "Use",
    "Work",
    "Write",
];

/// Splits a message into its remedy and the sentences about the cause. A message without a remedy is all cause.
pub fn remedy_and_cause(message: &str) -> (String, String) {
    let (mut remedy, mut cause) = (Vec::new(), Vec::new());
    for sentence in sentences(message) {
        let first = sentence.split([' ', ',']).next().unwrap_or_default();
        let is_remedy = IMPERATIVES.contains(&first) || sentence.starts_with("Where the answer");
        if is_remedy { remedy.push(sentence) } else { cause.push(sentence) }
    }
    (remedy.join(" "), cause.join(" "))
}

fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    let ends = text.match_indices(". ").map(|(at, _)| at + 1);
    for end in ends.filter(|end| {
        text[end + 1..].starts_with(|letter: char| letter.is_ascii_uppercase() || letter == '`')
    }) {
        let own = end - (text.len() - rest.len());
        found.push(rest[..own].trim());
        rest = &rest[own..];
    }
    found.push(rest.trim());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_remedy_comes_before_its_cause() {
        let message = "Building device code (3 ×) after the first command was submitted took 4.15 s. Build before the run \
                       (kernel bundles), ahead of time (-fsycl-targets), or cache the builds (SYCL_CACHE_PERSISTENT=1). The \
                       runtime's own compiler is not recorded: with it the gain may be larger.";
        let (remedy, cause) = remedy_and_cause(message);
        assert!(remedy.starts_with("Build before the run") && remedy.ends_with("=1)."), "{remedy}");
        assert!(cause.starts_with("Building device code") && cause.ends_with("may be larger."), "{cause}");
        let message = "8 copies moved 1.5 MB to a device that nothing read. Leave these copies out.";
        assert_eq!(remedy_and_cause(message).0, "Leave these copies out.");
        let queries = "`urDeviceGetInfo` was called 64 times. Where the answer does not change, ask once and use it again.";
        assert!(remedy_and_cause(queries).0.starts_with("Where the answer"));
    }

    #[test]
    fn a_message_without_a_remedy_is_unchanged() {
        let message = "No finding would save 1 % or more. Most of the 1.2 s lies before the first command.";
        assert_eq!(remedy_and_cause(message), (String::new(), message.to_owned()));
    }
}

//! Parser of the track filter: required words, excluded words, and merged tracks.

/// A word in which `*` matches any letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    text: String,
}

impl Pattern {
    pub fn text(&self) -> &str {
        &self.text
    }

    /// True if a lower-case text contains the pattern.
    pub fn is_in(&self, text: &str) -> bool {
        let mut rest = text;
        self.text.split('*').all(|part| match rest.find(part) {
            Some(at) => {
                rest = &rest[at + part.len()..];
                true
            }
            None => false,
        })
    }
}

/// Words of a filter in order: `queue`, `-idle`, `+worker*`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patterns {
    included: Vec<Pattern>,
    excluded: Vec<Pattern>,
    /// Patterns that each merge the matching tracks into one line.
    pub merged: Vec<Pattern>,
}

impl Patterns {
    pub fn new(filter: &str) -> Self {
        let mut patterns = Self::default();
        for word in filter.split_whitespace() {
            let pattern = |text: &str| Pattern { text: text.to_lowercase() };
            match (word.strip_prefix('-'), word.strip_prefix('+')) {
                // The user is still typing.
                (Some(""), _) | (_, Some("")) => {}
                (Some(word), _) => patterns.excluded.push(pattern(word)),
                (_, Some(word)) => patterns.merged.push(pattern(word)),
                _ => patterns.included.push(pattern(word)),
            }
        }
        patterns
    }

    /// True if tracks may be removed.
    pub fn filters(&self) -> bool {
        !(self.included.is_empty() && self.excluded.is_empty())
    }

    /// True if a lower-case text matches.
    pub fn fits(&self, text: &str) -> bool {
        self.included.iter().all(|word| word.is_in(text))
            && !self.excluded.iter().any(|word| word.is_in(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_show_hide_and_merge() {
        let patterns = Patterns::new("Queue*order -idle - + +tbb*  +main");
        assert!(patterns.filters());
        assert!(patterns.fits("gpu queue 3 · in-order") && !patterns.fits("order of a queue"));
        assert!(!patterns.fits("queue 7 idle, in-order"));
        let merged: Vec<&str> = patterns.merged.iter().map(Pattern::text).collect();
        assert_eq!(merged, ["tbb*", "main"]);
        assert!(!Patterns::new("+worker").filters() && Patterns::new("").fits("anything"));
    }
}

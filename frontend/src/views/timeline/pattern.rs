//! What the filter of the tracks says: words that names hold, words that they must not hold, and which tracks are merged.

/// A word in which `*` stands for any letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    text: String,
}

impl Pattern {
    /// As the user wrote it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether a text in small letters holds it.
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

/// What a filter says of tracks, in the order in which it says it: `queue`, `-idle`, `+worker*`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patterns {
    wanted: Vec<Pattern>,
    unwanted: Vec<Pattern>,
    /// Each makes one line of the tracks that it means.
    pub merged: Vec<Pattern>,
}

impl Patterns {
    pub fn of(filter: &str) -> Self {
        let mut patterns = Self::default();
        for word in filter.split_whitespace() {
            let pattern = |text: &str| Pattern { text: text.to_lowercase() };
            match (word.strip_prefix('-'), word.strip_prefix('+')) {
                // What is only begun says nothing yet.
                (Some(""), _) | (_, Some("")) => {}
                (Some(word), _) => patterns.unwanted.push(pattern(word)),
                (_, Some(word)) => patterns.merged.push(pattern(word)),
                _ => patterns.wanted.push(pattern(word)),
            }
        }
        patterns
    }

    /// Whether they leave tracks out.
    pub fn filters(&self) -> bool {
        !(self.wanted.is_empty() && self.unwanted.is_empty())
    }

    /// Whether a text in small letters is wanted.
    pub fn fits(&self, text: &str) -> bool {
        self.wanted.iter().all(|word| word.is_in(text)) && !self.unwanted.iter().any(|word| word.is_in(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_show_hide_and_merge() {
        let patterns = Patterns::of("Queue*order -idle - + +tbb*  +main");
        assert!(patterns.filters());
        assert!(patterns.fits("gpu queue 3 · in-order") && !patterns.fits("order of a queue"));
        assert!(!patterns.fits("queue 7 idle, in-order"));
        let merged: Vec<&str> = patterns.merged.iter().map(Pattern::text).collect();
        assert_eq!(merged, ["tbb*", "main"]);
        assert!(!Patterns::of("+worker").filters() && Patterns::of("").fits("anything"));
    }
}

//! Ranking of names for a typed text.

/// Rank of a word whose letters are scattered: worse than any number of words that a name contains.
const SCATTERED: u32 = 100;

/// Words to search for in names.
#[derive(Clone, Debug, Default)]
pub struct SearchWords {
    words: Vec<String>,
}

impl SearchWords {
    /// Splits a text into words.
    pub fn new(text: &str) -> Self {
        Self { words: text.to_lowercase().split_whitespace().map(str::to_owned).collect() }
    }

    /// True if there are no words.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Returns the rank of a name, lower is better; `None` if it does not match. Names that start with the word rank
    /// best, then names with a word that starts with it, names that contain it, and names with all its letters in
    /// order.
    pub fn rank(&self, name: &str) -> Option<u32> {
        self.rank_of_small(&name.to_lowercase())
    }

    /// Returns the rank of a name that is already in lower case.
    pub fn rank_of_small(&self, name: &str) -> Option<u32> {
        let mut sum = 0;
        for word in &self.words {
            sum += match name.find(word) {
                Some(0) if name.len() == word.len() => 0,
                Some(0) => 1,
                Some(at) if !name[..at].ends_with(char::is_alphanumeric) => 2,
                Some(_) => 3,
                None if is_scattered(name, word) => SCATTERED,
                None => return None,
            };
        }
        Some(sum)
    }
}

/// True if all letters of a word occur in a name, in order.
fn is_scattered(name: &str, word: &str) -> bool {
    let mut letters = name.chars();
    word.chars().count() > 1 && word.chars().all(|wanted| letters.any(|letter| letter == wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings_fit_better_than_middles_and_scattered_letters_last() {
        let rank = |text: &str, name: &str| SearchWords::new(text).rank(name);
        let names = ["gemm", "Gemm_tiled", "run gemm", "dgemm", "general matrix multiply"];
        let ranks: Vec<_> = names.iter().map(|name| rank("gemm", name)).collect();
        assert_eq!(ranks, [Some(0), Some(1), Some(2), Some(3), Some(SCATTERED)]);
        assert_eq!(rank("timeline show", "Show the timeline"), Some(3));
        assert_eq!((rank("x", "gemm"), rank("", "gemm")), (None, Some(0)));
        let text = "one two six ten";
        assert!(rank(text, "xone xtwo xsix xten") < rank(text, "one two six the end"), "all words are there");
    }
}

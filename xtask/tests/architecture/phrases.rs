//! Forbidden phrases that make readers stop and read again, in docs, comments and user-visible texts.

use crate::code::layers;
use crate::sources::{Source, assert_none, files_below, rust_files};

/// Each in two halves, so that this file contains none of them, with a replacement.
const BANNED: &[(&str, &str)] = &[
    (concat!("is t", "old"), "say who says what: \"prints\", \"names\", \"gets\""),
    (concat!("made a", "new"), "\"rebuilt\", \"made again\""),
    (concat!("none t", "hat"), "say what there is, or \"no … that\""),
    (concat!("for w", "ho"), "\"for those who\", \"for whoever\""),
    (concat!("without e", "nd"), "\"unlimited\", \"no limit\""),
    (concat!("bears t", "hat name"), "\"has that name\", or \"No matches\""),
    (concat!("more than n", "othing"), "\"not empty\", \"at least one\""),
];

/// Occurrences of forbidden phrases in comments and strings of Rust files, and anywhere in the other `files`.
fn banned_in(files: &[Source]) -> Vec<String> {
    let mut found = Vec::new();
    for file in files {
        let prose = if file.path.ends_with(".rs") { layers(&file.text).prose } else { file.text.clone() };
        let words = words(&prose);
        for (phrase, instead) in BANNED {
            let wanted: Vec<&str> = phrase.split(' ').collect();
            for place in words.windows(wanted.len()).filter(|place| is_phrase(place, &wanted)) {
                found.push(format!("{}:{}: {phrase} ({instead})", file.path, place[0].0));
            }
        }
    }
    found
}

/// Every word in lower case with its line; comment marks are skipped.
fn words(prose: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line) in prose.lines().enumerate() {
        let words = line.split_whitespace().filter(|word| word.contains(char::is_alphanumeric));
        found.extend(words.map(|word| (number + 1, word.to_lowercase())));
    }
    found
}

/// True if `place` equals `wanted`, ignoring punctuation around it.
fn is_phrase(place: &[(usize, String)], wanted: &[&str]) -> bool {
    let last = wanted.len() - 1;
    place.iter().zip(wanted).enumerate().all(|(number, ((_, word), wanted))| {
        let word = if number == 0 {
            word.trim_start_matches(|letter: char| !letter.is_alphanumeric())
        } else {
            word
        };
        let word = if number == last {
            word.trim_end_matches(|letter: char| !letter.is_alphanumeric())
        } else {
            word
        };
        word == *wanted
    })
}

#[test]
fn nobody_has_to_read_a_sentence_twice() {
    let mut files = rust_files();
    files.extend(files_below("", &["md", "mjs"]));
    files.extend(files_below("assets", &["js"]));
    assert_none("say it plainly:", &banned_in(&files));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> usize {
        banned_in(&[Source::new(path, text)]).len()
    }

    #[test]
    fn every_phrase_is_found_across_lines_and_marks_of_comments() {
        for (phrase, _) in BANNED {
            let (first, rest) = phrase.split_once(' ').unwrap();
            assert_eq!(found("a.md", &format!("So it ({phrase}), they say.")), 1, "{phrase}");
            assert_eq!(found("a.rs", &format!("/// It {first}\n/// {rest}.\nfn a() {{}}\n")), 1, "{phrase}");
            assert_eq!(found("a.mjs", &format!("// {}\n", phrase.to_uppercase())), 1, "{phrase}");
            assert_eq!(found("a.rs", &format!("const A: &str = \"{phrase}\";")), 1, "{phrase}");
        }
    }

    #[test]
    fn plain_sentences_and_names_pass() {
        let plain = "/// Told by whom it is. Told apart; for whom, for whole files; none of that. That is made. Anew, it is.\n\
                     fn is_told() { let made = afresh; }";
        assert_eq!(found("a.rs", plain), 0);
    }
}

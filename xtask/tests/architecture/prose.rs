//! A ratchet on prose: habits that make a reader stop are counted over the whole repository, and the counts only go
//! down.
//!
//! A count above its budget fails. When a count falls, lower the budget.

use crate::sources::{Source, files_below, rust_files};

/// Doc blocks that open with a clause ("What is kept…") where the field has a noun, per 1,000 doc blocks.
const CLAUSE_OPENERS: u64 = 3;
/// "of what", "by what", "with what" per 100,000 words of comments.
const CLAUSES: u64 = 15;
/// Doc blocks per 1,000 lines of Rust.
const DOC_BLOCKS: u64 = 56;
/// Sentences of the manuals with a colon or semicolon, per 1,000 sentences.
const CHAINS: u64 = 210;

const OPENERS: &[&str] =
    &["What", "How", "Whether", "Who", "Whose", "That", "Those", "Which", "Why", "When", "Where"];

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Share {
    found: u64,
    of: u64,
}

impl Share {
    fn per(self, unit: u64) -> u64 {
        (self.found * unit).div_ceil(self.of.max(1))
    }
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Prose {
    openers: Share,
    clauses: Share,
    blocks: Share,
}

fn comments(files: &[Source]) -> Prose {
    let mut prose = Prose::default();
    for file in files {
        let mut is_in_block = false;
        let mut last = String::new();
        for line in file.text.lines() {
            prose.blocks.of += 1;
            let line = line.trim_start();
            let doc = ["/// ", "//! "].iter().find_map(|mark| line.strip_prefix(mark));
            let is_empty_doc = line == "///" || line == "//!";
            let Some(text) = doc.or_else(|| line.strip_prefix("// ")) else {
                is_in_block &= is_empty_doc;
                last.clear();
                continue;
            };
            if doc.is_some() && !is_in_block {
                prose.blocks.found += 1;
                prose.openers.of += 1;
                let opener = text.split(|letter: char| !letter.is_alphabetic()).next();
                prose.openers.found += u64::from(opener.is_some_and(|word| OPENERS.contains(&word)));
            }
            is_in_block = doc.is_some();
            for word in text.split_whitespace() {
                let word = word.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase();
                prose.clauses.of += 1;
                prose.clauses.found +=
                    u64::from(word == "what" && ["of", "by", "with"].contains(&last.as_str()));
                last = word;
            }
        }
    }
    prose
}

/// Counts the sentences of documents, without code, tables and headings.
fn chains(files: &[Source]) -> Share {
    let mut chains = Share::default();
    for file in files {
        let mut is_code = false;
        let mut paragraph = String::new();
        for line in file.text.lines().chain([""]) {
            let line = line.trim();
            if line.starts_with("```") {
                is_code = !is_code;
            }
            let is_item = line.starts_with("- ") || line.starts_with(|letter: char| letter.is_ascii_digit());
            let is_prose = !is_code && !line.is_empty() && !line.starts_with(['|', '#', '`', '<', '!', '[']);
            if !is_prose || is_item {
                count_sentences(&std::mem::take(&mut paragraph), &mut chains);
            }
            if is_prose {
                paragraph.push_str(line);
                paragraph.push(' ');
            }
        }
    }
    chains
}

fn count_sentences(paragraph: &str, chains: &mut Share) {
    let text: String = paragraph.split('`').step_by(2).collect();
    let sentences = ["? ", "! "].iter().fold(text, |text, end| text.replace(end, ". "));
    for sentence in sentences.split(". ").filter(|part| part.split_whitespace().count() > 2) {
        chains.of += 1;
        chains.found += u64::from(sentence.contains([';', ':']));
    }
}

#[test]
fn prose_gets_plainer() {
    let prose = comments(&rust_files());
    let manuals: Vec<Source> = files_below("", &["md"])
        .into_iter()
        .filter(|file| file.path != "CHANGELOG.md" && !file.path.starts_with("docs/decisions/"))
        .collect();
    let chains = chains(&manuals);
    let counts = [
        ("doc blocks that open with a clause, per 1,000", prose.openers.per(1_000), CLAUSE_OPENERS),
        (
            "`of what`, `by what`, `with what` per 100,000 words of comments",
            prose.clauses.per(100_000),
            CLAUSES,
        ),
        ("doc blocks per 1,000 lines of Rust", prose.blocks.per(1_000), DOC_BLOCKS),
        ("sentences of manuals with a colon or semicolon, per 1,000", chains.per(1_000), CHAINS),
    ];
    for (name, count, budget) in counts {
        println!("{name}: {count} of {budget}");
    }
    let over: Vec<_> = counts.iter().filter(|(_, count, budget)| count > budget).collect();
    assert!(over.is_empty(), "name things by nouns, one fact a sentence: {over:?}");
}

#[test]
fn habits_are_counted() {
    let rust = "//! What this is.\n//!\n//! More of what is here.\n\n/// A line.\nfn a() {}\n// by what\n";
    let found = comments(&[Source::new("a.rs", rust)]);
    assert_eq!(found.openers, Share { found: 1, of: 2 });
    assert_eq!(found.blocks, Share { found: 2, of: 7 });
    assert_eq!(found.clauses, Share { found: 2, of: 12 });
    let text = "# A: title\n\nOne fact is here. Another one: it has\na colon.\n\n- An item; with more.\n\n```\na: b c d\n```\n";
    assert_eq!(chains(&[Source::new("a.md", text)]), Share { found: 2, of: 3 });
}

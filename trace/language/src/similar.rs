//! Finds names similar to a misspelt one.

/// Inverse of the maximum share of different letters in a similar name.
const LETTERS: usize = 2;

/// Returns the most similar name; `None` if more than half of the longer name's letters differ.
pub fn similar<'n>(typed: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let typed = typed.to_ascii_lowercase();
    let nearest = names.into_iter().map(|name| (distance(&typed, name), name)).min()?;
    let (distance, name) = nearest;
    let letters = name.chars().count().max(typed.chars().count());
    (distance * LETTERS <= letters).then_some(name)
}

/// Returns the number of letters to add, remove or replace between two names.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.chars().enumerate() {
        let mut before = row[0];
        row[0] = at + 1;
        for (place, with) in other.iter().enumerate() {
            let replaced = before + usize::from(letter != *with);
            before = row[place + 1];
            row[place + 1] = replaced.min(before + 1).min(row[place] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_meant_if_most_of_its_letters_are_there() {
        let names = ["slices", "executions", "duration_ns"];
        assert_eq!(similar("slice", names), Some("slices"));
        assert_eq!(similar("Executons", names), Some("executions"));
        assert_eq!(similar("duration", names), Some("duration_ns"));
        assert_eq!(similar("kernels", names), None);
        assert_eq!(similar("äöüß", ["rank"]), None, "letters count, not their bytes");
        assert_eq!(similar("slices", []), None);
    }
}

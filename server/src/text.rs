//! Numbers and tables for people, as the terminal shows them.

mod table;

pub use table::{Align, Table};

/// A number with its thousands set apart: `12 345`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// A size: `17 B`, `1.4 KiB`, `3.2 MiB`.
pub fn bytes(size_bytes: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    if size_bytes < 1024 {
        return format!("{size_bytes} B");
    }
    let mut value = size_bytes as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1023.95 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

/// A length of time with four figures or so: `812 ns`, `1.234 ms`, `12.35 s`.
pub fn duration(ns: u64) -> String {
    let (value, unit) = match ns {
        0..1_000 => return format!("{ns} ns"),
        1_000..1_000_000 => (ns as f64 / 1e3, "µs"),
        1_000_000..1_000_000_000 => (ns as f64 / 1e6, "ms"),
        _ => (ns as f64 / 1e9, "s"),
    };
    match value {
        0.0..10.0 => format!("{value:.3} {unit}"),
        10.0..100.0 => format!("{value:.2} {unit}"),
        _ => format!("{value:.1} {unit}"),
    }
}

/// `text` without control characters, at most `longest` characters long: kernel names come from files.
pub fn printable(text: &str, longest: usize) -> String {
    let clean = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    let mut shown: String = text.chars().take(longest).map(clean).collect();
    if text.chars().nth(longest).is_some() {
        shown.pop();
        shown.push('…');
    }
    shown
}

/// A name of at most `longest` characters: what is too long loses its namespaces first, then its middle, because names
/// of templates differ at both ends.
pub fn short_name(name: &str, longest: usize) -> String {
    if name.chars().count() <= longest {
        return name.to_owned();
    }
    let outer = name.find(['<', '(']).unwrap_or(name.len());
    let mut name = name;
    let mut has_namespaces = true;
    let mut rest = outer;
    while let Some(end) = name[..rest].find("::") {
        (name, rest, has_namespaces) = (&name[end + 2..], rest - end - 2, false);
        if name.chars().count() < longest {
            break;
        }
    }
    let sign = if has_namespaces { "" } else { "…" };
    format!("{sign}{}", without_middle(name, longest.saturating_sub(sign.chars().count())))
}

/// `text` with `…` in place of its middle if it is longer than `longest` characters.
fn without_middle(text: &str, longest: usize) -> String {
    let Some(over) = text.chars().count().checked_sub(longest).filter(|over| *over > 0) else {
        return text.to_owned();
    };
    let head = (longest.saturating_sub(1) * 3).div_ceil(5);
    let (begin, end) = text.split_at(place_of(text, head));
    format!("{begin}…{}", &end[place_of(end, over + 1)..])
}

/// `text` with `…` in place of its start if it is longer than `longest` characters: a path's end tells most.
pub fn without_start(text: &str, longest: usize) -> String {
    match text.chars().count().checked_sub(longest).filter(|over| *over > 0) {
        Some(over) => format!("…{}", &text[place_of(text, over + 1)..]),
        None => text.to_owned(),
    }
}

/// `text` in lines of at most `width` characters, broken between words; a longer word has a line of its own.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Offset of the character with this number, or the end.
fn place_of(text: &str, number: usize) -> usize {
    text.char_indices().nth(number).map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!([count(0), count(999), count(1234567)], ["0", "999", "1\u{202f}234\u{202f}567"]);
        assert_eq!(
            [bytes(0), bytes(1023), bytes(1024), bytes(1 << 20)],
            ["0 B", "1023 B", "1.0 KiB", "1.0 MiB"]
        );
        assert_eq!([bytes((1 << 20) - 1), bytes(u64::MAX)], ["1.0 MiB", "16384.0 PiB"]);
        assert_eq!(duration(999), "999 ns");
        assert_eq!(duration(1_234_567), "1.235 ms");
        assert_eq!(duration(98_765_432_100), "98.77 s");
        assert_eq!(duration(u64::MAX), "18446744073.7 s");
    }

    #[test]
    fn text_from_files_is_tamed() {
        assert_eq!(printable("a\x1b[31mb\n", 20), "a\u{fffd}[31mb\u{fffd}");
        assert_eq!(printable("abcdef", 4), "abc…");
        assert_eq!(printable("abcd", 4), "abcd");
    }

    #[test]
    fn long_texts_keep_what_tells_them_apart() {
        assert_eq!(short_name("abcdefghij", 10), "abcdefghij");
        assert_eq!(short_name("abcdefghij", 7), "abcd…ij");
        assert_eq!(short_name("äbcdefghïj", 6), "äbc…ïj");
        assert_eq!(short_name("lib::kernels::scale<float>", 22), "…kernels::scale<float>");
        assert_eq!(short_name("lib::kernels::scale<float>", 15), "…scale<float>");
        assert_eq!(short_name("lib::kernels::scale<lib::vector<float>>", 16), "…scale<lib…oat>>");
        assert_eq!(without_start("/home/me/heat.cpp:12", 12), "…heat.cpp:12");
        assert_eq!(without_start("heat.cpp", 8), "heat.cpp");
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("extraordinary it is", 5), ["extraordinary", "it is"]);
        for longest in 0..3 {
            assert!(short_name("a::bc", longest).chars().count() <= longest.max(2));
            assert!(without_start("abc", longest).chars().count() <= longest.max(1));
        }
    }
}

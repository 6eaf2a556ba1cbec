//! Numbers and tables for people, as the terminal shows them.

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

/// How a column is aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Text.
    Left,
    /// Numbers.
    Right,
}

/// A table with aligned columns, two blanks between them.
#[derive(Clone, Debug)]
pub struct Table {
    columns: Vec<Align>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with a heading.
    pub fn new<const N: usize>(heading: [(&str, Align); N]) -> Self {
        let columns = heading.iter().map(|(_, align)| *align).collect();
        Self { columns, rows: vec![heading.map(|(name, _)| name.to_owned()).to_vec()] }
    }

    /// Adds a row; it has as many cells as the heading.
    pub fn row<const N: usize>(&mut self, cells: [String; N]) {
        debug_assert_eq!(N, self.columns.len());
        self.rows.push(cells.to_vec());
    }

    /// The table's lines, without blanks at their ends.
    pub fn lines(&self) -> Vec<String> {
        let width =
            |column: usize| self.rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let line = |row: &Vec<String>| {
            let cells: Vec<String> = row
                .iter()
                .zip(&widths)
                .zip(&self.columns)
                .map(|((cell, width), align)| {
                    let blanks = " ".repeat(width.saturating_sub(cell.chars().count()));
                    match align {
                        Align::Left => format!("{cell}{blanks}"),
                        Align::Right => format!("{blanks}{cell}"),
                    }
                })
                .collect();
            cells.join("  ").trim_end().to_owned()
        };
        self.rows.iter().map(line).collect()
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
    fn tables_align() {
        let mut table = Table::new([("name", Align::Left), ("count", Align::Right), ("kind", Align::Left)]);
        table.row(["µkernel".into(), "12".into(), "copy".into()]);
        table.row(["a".into(), "1234567".into(), String::new()]);
        assert_eq!(table.lines(), ["name       count  kind", "µkernel       12  copy", "a        1234567"]);
    }

    #[test]
    fn text_from_files_is_tamed() {
        assert_eq!(printable("a\x1b[31mb\n", 20), "a\u{fffd}[31mb\u{fffd}");
        assert_eq!(printable("abcdef", 4), "abc…");
        assert_eq!(printable("abcd", 4), "abcd");
    }
}

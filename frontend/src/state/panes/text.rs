//! Panes as text: `timeline`, `row(timeline:600,column(source:500,calls:500):400)`.

use std::fmt;

use super::{Axis, Pane, Panes, Split, WHOLE};
use crate::state::view::View;
use syclscope_language::sorting::Sorting as _;

/// Maximum nesting of splits, because addresses are untrusted.
const MAX_DEPTH: usize = 8;

impl fmt::Display for Panes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.root.fmt(f)
    }
}

impl fmt::Display for Pane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let split = match self {
            Self::View(view) => return f.write_str(view.as_str()),
            Self::Split(split) => split,
        };
        write!(f, "{}(", split.axis.as_str())?;
        for (index, (share, part)) in split.parts.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            write!(f, "{comma}{part}:{share}")?;
        }
        f.write_str(")")
    }
}

impl Panes {
    /// Parses panes that contain views of `views`, each once; `None` for any other text.
    pub fn read(text: &str, views: &[View]) -> Option<Self> {
        let mut rest = text;
        let mut root = pane(&mut rest, views, MAX_DEPTH).filter(|_| rest.is_empty())?;
        root.flatten();
        let panes = Self { root };
        let mut views = panes.views();
        views.arrange();
        let is_unique = views.windows(2).all(|pair| pair[0] != pair[1]);
        is_unique.then_some(panes)
    }
}

fn pane(rest: &mut &str, views: &[View], depth: usize) -> Option<Pane> {
    let end = rest.find(['(', ')', ',', ':']).unwrap_or(rest.len());
    let (word, after) = rest.split_at(end);
    *rest = after;
    if let Some(view) = View::find(word, views) {
        return Some(Pane::View(view));
    }
    let axis = [Axis::Row, Axis::Column].into_iter().find(|axis| axis.as_str() == word)?;
    if depth == 0 || !take(rest, '(') {
        return None;
    }
    let mut parts = Vec::new();
    loop {
        let part = pane(rest, views, depth - 1)?;
        parts.push((share(rest)?, part));
        if take(rest, ')') {
            break;
        }
        if !take(rest, ',') {
            return None;
        }
    }
    let mut split = Split { axis, parts };
    split.share_out();
    (split.parts.len() > 1).then_some(Pane::Split(split))
}

fn share(rest: &mut &str) -> Option<u32> {
    if !take(rest, ':') {
        return None;
    }
    let end = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
    let (digits, after) = rest.split_at(end);
    *rest = after;
    digits.parse().ok().filter(|share| (1..=WHOLE).contains(share))
}

fn take(rest: &mut &str, letter: char) -> bool {
    match rest.strip_prefix(letter) {
        Some(after) => {
            *rest = after;
            true
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Panes> {
        Panes::read(text, &["timeline", "source", "calls"].map(View::new))
    }

    #[test]
    fn panes_round_trip() {
        for text in
            ["timeline", "row(timeline:600,source:400)", "row(timeline:600,column(source:250,calls:750):400)"]
        {
            assert_eq!(read(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn shares_of_a_foreign_text_are_made_to_add_up() {
        let panes = read("column(calls:1,source:2)").unwrap();
        assert_eq!(panes.to_string(), "column(calls:333,source:667)");
    }

    #[test]
    fn other_texts_are_no_panes() {
        let deep = "row(".repeat(40);
        for text in [
            "",
            "nothing",
            "row",
            "row()",
            "row(timeline:500)",
            "row(timeline:500,timeline:500)",
            "row(timeline,source)",
            "row(timeline:0,source:5)",
            "row(timeline:500,source:500",
            "timeline,source",
            &deep,
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}

//! Choice of the selected slice's dependences to show as arrows.

use std::fmt;
use std::str::FromStr;

use syclscope_language::event::EdgeReason;
use syclscope_language::words;

use crate::state::time::Unreadable;

/// Hops of a whole chain: more than any chain has.
const ALL_HOPS: u32 = 1_000_000;

words! {
    /// Side of the selected slice.
    #[derive(Default)]
    Direction {
        /// Predecessors and successors.
        #[default]
        Both = "both",
        Before = "before",
        After = "after",
        None = "none",
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArrowChoice {
    pub direction: Direction,
    /// True for the whole chain, false for one hop.
    pub is_chain: bool,
    /// Hidden reasons.
    pub without: Vec<EdgeReason>,
}

impl ArrowChoice {
    /// Returns the maximum distance in dependences.
    pub fn hops(&self) -> u32 {
        if self.is_chain { ALL_HOPS } else { 1 }
    }

    /// Returns the visible reasons; `None` for all.
    pub fn reasons(&self) -> Option<Vec<EdgeReason>> {
        let names =
            || EdgeReason::ALL.iter().copied().filter(|reason| !self.without.contains(reason)).collect();
        (!self.without.is_empty()).then(names)
    }

    pub fn toggle_reason(&mut self, reason: EdgeReason) {
        match self.without.iter().position(|left_out| *left_out == reason) {
            Some(place) => {
                self.without.remove(place);
            }
            None => self.without.push(reason),
        }
    }
}

/// Words separated by dots: `all` for the chain, a direction, and `-reason` for each hidden one.
impl fmt::Display for ArrowChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", if self.is_chain { "all" } else { "one" }, self.direction.as_str())?;
        self.without.iter().try_for_each(|reason| write!(f, ".-{}", reason.as_str()))
    }
}

impl FromStr for ArrowChoice {
    type Err = Unreadable;

    fn from_str(text: &str) -> Result<Self, Unreadable> {
        let mut choice = Self::default();
        for word in text.split('.') {
            let direction = Direction::from_word(word);
            let reason = word
                .strip_prefix('-')
                .and_then(|word| EdgeReason::ALL.iter().copied().find(|reason| reason.as_str() == word));
            match (word, direction, reason) {
                ("all", ..) => choice.is_chain = true,
                ("one", ..) => choice.is_chain = false,
                (_, Some(direction), _) => choice.direction = direction,
                (_, _, Some(reason)) => choice.without.push(reason),
                _ => return Err(Unreadable),
            }
        }
        Ok(choice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_round_trip() {
        for text in ["one.both", "all.before", "one.none.-in_order.-event"] {
            assert_eq!(text.parse::<ArrowChoice>().unwrap().to_string(), text);
        }
        assert_eq!("all.before.-nothing".parse::<ArrowChoice>(), Err(Unreadable));
        assert_eq!("one.both".parse(), Ok(ArrowChoice::default()));
    }

    #[test]
    fn reasons_are_left_out_and_come_back() {
        let mut choice = ArrowChoice::default();
        assert_eq!((choice.reasons(), choice.hops()), (None, 1));
        choice.toggle_reason(EdgeReason::InOrder);
        assert!(choice.reasons().is_some_and(|reasons| !reasons.contains(&EdgeReason::InOrder)));
        choice.toggle_reason(EdgeReason::InOrder);
        assert_eq!(choice, ArrowChoice::default());
    }
}

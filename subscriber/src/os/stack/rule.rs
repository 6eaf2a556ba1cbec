//! The rule that finds a caller's frame, packed into one word.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    Stack,
    Frame,
    /// A word on the stack, at an offset from the frame pointer: for functions that align their stack.
    BehindFrame,
    /// There is no table for the code.
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Saved {
    /// The register is unchanged.
    Same,
    /// At an offset from the caller's frame.
    At(i64),
    /// At an offset from the frame pointer.
    BehindFrame(i64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rule(u64);

const OFFSET_BITS: u32 = 28;
const SAVED: u32 = 4 + OFFSET_BITS;
const OUTERMOST: u64 = 4;
const UNKNOWN: u64 = 3;
const IS_SET: u64 = 8;

impl Rule {
    /// The outermost frame: there is no caller.
    pub(super) const OUTERMOST: Self = Self(IS_SET | OUTERMOST);
    pub(super) const UNKNOWN: Self = Self(IS_SET | UNKNOWN);

    pub(super) fn new(base: Base, offset: i64, saved: Saved) -> Self {
        let (mode, place) = match saved {
            Saved::Same => (0, 0),
            Saved::At(place) => (1, place),
            Saved::BehindFrame(place) => (2, place),
        };
        let fits = |offset: i64| offset.unsigned_abs() < 1 << (OFFSET_BITS - 1);
        if !fits(offset) || !fits(place) {
            return Self::UNKNOWN;
        }
        let bits = |offset: i64| offset.cast_unsigned() & ((1 << OFFSET_BITS) - 1);
        Self(IS_SET | base as u64 | bits(offset) << 4 | mode << SAVED | bits(place) << (SAVED + 2))
    }

    pub(super) fn of_word(word: u64) -> Self {
        Self(word)
    }

    pub(super) fn word(self) -> u64 {
        self.0
    }

    #[inline]
    pub(super) fn is_outermost(self) -> bool {
        self.0 & 7 == OUTERMOST
    }

    pub(super) fn is_known(self) -> bool {
        self.0 & 7 != UNKNOWN
    }

    #[inline]
    pub(super) fn base(self) -> Base {
        match self.0 & 7 {
            0 => Base::Stack,
            1 => Base::Frame,
            2 => Base::BehindFrame,
            _ => Base::Unknown,
        }
    }

    #[inline]
    pub(super) fn offset(self) -> i64 {
        signed(self.0 >> 4)
    }

    #[inline]
    pub(super) fn saved(self) -> Saved {
        let place = signed(self.0 >> (SAVED + 2));
        match self.0 >> SAVED & 3 {
            0 => Saved::Same,
            1 => Saved::At(place),
            _ => Saved::BehindFrame(place),
        }
    }
}

/// Returns the offset in the lowest bits of a word.
#[inline]
fn signed(word: u64) -> i64 {
    let above = u64::BITS - OFFSET_BITS;
    (word << above).cast_signed() >> above
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_back() {
        for base in [Base::Stack, Base::Frame, Base::BehindFrame] {
            for offset in [0, 8, -8, 1 << 20, -(1 << 20)] {
                for saved in [Saved::Same, Saved::At(-16), Saved::At(1 << 20), Saved::BehindFrame(-24)] {
                    let rule = Rule::new(base, offset, saved);
                    assert_eq!((rule.base(), rule.offset(), rule.saved()), (base, offset, saved));
                    assert!(rule.is_known() && !rule.is_outermost());
                }
            }
        }
        assert_eq!(Rule::new(Base::Stack, 1 << 27, Saved::Same), Rule::UNKNOWN);
        assert!(Rule::OUTERMOST.is_outermost() && Rule::UNKNOWN.base() == Base::Unknown);
    }
}

//! Selection of call stacks.

use std::sync::atomic::Ordering;

use crate::flags::FLAGS;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Stacks {
    #[default]
    Off,
    Native,
    Python,
    /// Both together.
    All,
}

impl Stacks {
    pub(super) const CHOICES: [(&str, Self); 4] =
        [("off", Self::Off), ("native", Self::Native), ("python", Self::Python), ("all", Self::All)];

    pub(super) fn publish(self) {
        FLAGS.stacks.store(self as u8, Ordering::Relaxed);
    }

    #[inline]
    pub(crate) fn has_native(self) -> bool {
        matches!(self, Self::Native | Self::All)
    }

    #[inline]
    pub(crate) fn has_python(self) -> bool {
        matches!(self, Self::Python | Self::All)
    }
}

#[inline]
pub(crate) fn stacks() -> Stacks {
    match FLAGS.stacks.load(Ordering::Relaxed) {
        0 => Stacks::Off,
        1 => Stacks::Native,
        2 => Stacks::Python,
        _ => Stacks::All,
    }
}

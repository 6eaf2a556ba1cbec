//! Typed handles: `u32`s that are valid in one trace only.

macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident,)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub(crate) u32);

        impl $name {
            pub(crate) fn index(self) -> usize {
                self.0 as usize
            }
        }
    )+};
}

handles! {
    /// An interned text; 0 is the empty one.
    StringId,
    /// An interned source location; 0 is the unknown one.
    LocationId,
    /// A set of arguments; 0 is the empty one.
    ArgsId,
}

/// "None" in a column of handles.
pub(crate) const NONE: u32 = u32::MAX;

/// Returns the handle, unless it is [`NONE`].
pub(crate) fn some(handle: u32) -> Option<u32> {
    (handle != NONE).then_some(handle)
}

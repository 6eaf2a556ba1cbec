//! Call stacks.

use serde::{Deserialize, Serialize};

use super::LocationInfo;
use crate::event::FrameKind;

/// A frame of a call stack.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StackFrameInfo {
    /// Owner of its code.
    pub kind: FrameKind,
    /// True if the compiler inlined it into its caller.
    #[serde(default)]
    pub is_inlined: bool,
    /// Display name: the function, else the file of machine code and the offset in it.
    pub name: String,
    /// File of its machine code, empty for Python.
    #[serde(default)]
    pub module: String,
    /// Function and line, as far as known.
    pub location: Option<LocationInfo>,
}

impl StackFrameInfo {
    /// True if the code is the user's, not that of a library or of a caller of the program.
    pub fn is_users(&self) -> bool {
        self.kind.is_users()
    }
}

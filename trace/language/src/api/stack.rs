//! Call stacks.

use serde::{Deserialize, Serialize};

use super::LocationInfo;
use crate::event::FrameKind;

/// A frame of a call stack.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StackFrameInfo {
    /// Owner of its code.
    pub kind: FrameKind,
    /// True if the compiler has put its code into that of its caller.
    #[serde(default)]
    pub is_inlined: bool,
    /// Shown name: the function, else the file of machine code and the offset in it.
    pub name: String,
    /// File of its machine code, empty for Python.
    #[serde(default)]
    pub module: String,
    /// Function and line, if anything of them is known.
    pub location: Option<LocationInfo>,
}

impl StackFrameInfo {
    /// True if the code is that of the user, and not of a library that it calls or of what calls it.
    pub fn is_users(&self) -> bool {
        self.kind.is_users()
    }
}

//! Reasons why existing debug information is not read, in words for the user.

use std::fmt;
use std::path::PathBuf;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    TooLarge,
    Damaged,
    /// A link with a path; debuggers look for a plain name in their folders.
    Path(String),
    OtherBuild(PathBuf),
    /// It has no build id, and computing its checksum takes too long.
    Unchecked(PathBuf),
}

impl fmt::Display for Refused {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge => out.write_str(
                "with its debug information, that of all modules would take more than 256 MiB (-g1 makes it small)",
            ),
            Self::Damaged => out.write_str(
                "its debug information is damaged, or compressed by an unknown method (link it with \
                 --compress-debug-sections=zlib)",
            ),
            Self::Path(name) => write!(out, "its .gnu_debuglink has a path, {name}, where a file name belongs"),
            Self::OtherBuild(path) => write!(out, "{} is damaged or belongs to another build", path.display()),
            Self::Unchecked(path) => write!(
                out,
                "{} has more than 1 GiB and no build id, so that its checksum is not computed",
                path.display()
            ),
        }
    }
}

//! What a trace says of its program's people, machines and code: the kinds of private things that can be taken out of a
//! copy before somebody else gets it.

use serde::{Deserialize, Serialize};

macro_rules! content_kinds {
    ($($(#[$doc:meta])* $variant:ident = $text:literal, $title:literal, $prefix:literal;)+) => {
        /// A kind of private thing that a trace holds.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum ContentKind {
            $($(#[$doc])* #[serde(rename = $text)] $variant,)+
        }

        impl ContentKind {
            /// Every one, in the order in which they are shown.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// Its name on command lines and in requests.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }

            /// What people read.
            pub fn title(self) -> &'static str {
                match self {
                    $(Self::$variant => $title,)+
                }
            }

            /// How pseudonyms of this kind begin: `kernel` in `kernel-3f2a91c0`.
            pub fn prefix(self) -> &'static str {
                match self {
                    $(Self::$variant => $prefix,)+
                }
            }
        }
    };
}

content_kinds! {
    /// Files and folders, wherever they stand.
    Paths = "paths", "Paths of files", "path";
    /// Names of accounts, as home folders tell them.
    Users = "users", "User names", "user";
    /// Names of machines.
    Hosts = "hosts", "Host names", "host";
    /// Variables of the environment and settings of the recorder.
    Environment = "environment", "Environment variables", "value";
    /// Command lines.
    CommandLine = "command_line", "Command lines", "command";
    /// Names of processes and threads.
    Programs = "programs", "Names of processes and threads", "program";
    /// Text of source files.
    Sources = "sources", "Source text", "source";
    /// Names of functions and element types in places of the source code.
    Functions = "functions", "Functions and types", "function";
    /// Names of kernels.
    Kernels = "kernels", "Kernel names", "kernel";
    /// Markers, messages and counters that the program named.
    Markers = "markers", "Markers, messages and counters", "marker";
    /// Arguments that the program chose.
    Arguments = "arguments", "Arguments", "text";
    /// Names of devices.
    Devices = "devices", "Device names", "device";
    /// When the program ran.
    Date = "date", "Date and time of the run", "date";
}

impl ContentKind {
    /// The kind of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.as_str() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for kind in ContentKind::ALL {
            assert_eq!(ContentKind::named(kind.as_str()), Some(*kind));
            assert_eq!(serde_json::to_string(kind).unwrap(), format!("\"{}\"", kind.as_str()));
        }
        assert_eq!(ContentKind::named("everything"), None);
    }
}

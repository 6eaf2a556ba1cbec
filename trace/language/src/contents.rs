//! Kinds of private data in a trace, about people, machines and code, that can be removed from a copy before sharing
//! it.

macro_rules! content_kinds {
    ($($(#[$doc:meta])* $variant:ident = $text:literal, $title:literal, $prefix:literal;)+) => {
        answer_words! {
            /// A kind of private data.
            ContentKind {
                $($(#[$doc])* $variant = $text,)+
            }
        }

        impl ContentKind {
            /// Returns the display name.
            pub fn title(self) -> &'static str {
                match self {
                    $(Self::$variant => $title,)+
                }
            }

            /// Returns the prefix of this kind's pseudonyms: `kernel` in `kernel-3f2a91c0`.
            pub fn prefix(self) -> &'static str {
                match self {
                    $(Self::$variant => $prefix,)+
                }
            }
        }
    };
}

content_kinds! {
    /// Files and folders, anywhere in the trace.
    Paths = "paths", "Paths of files", "path";
    /// Account names from home folders.
    Users = "users", "User names", "user";
    /// Names of machines.
    Hosts = "hosts", "Host names", "host";
    /// Environment variables and settings of the recorder.
    Environment = "environment", "Environment variables", "value";
    /// Command lines.
    CommandLine = "command_line", "Command lines", "command";
    /// Names of processes and threads.
    Programs = "programs", "Names of processes and threads", "program";
    /// Text of source files.
    Sources = "sources", "Source text", "source";
    /// Names of functions and element types in source locations.
    Functions = "functions", "Functions and types", "function";
    /// Names of kernels.
    Kernels = "kernels", "Kernel names", "kernel";
    /// Markers, messages and counters named by the program.
    Markers = "markers", "Markers, messages and counters", "marker";
    /// Arguments with values from the program.
    Arguments = "arguments", "Arguments", "text";
    /// Names of devices.
    Devices = "devices", "Device names", "device";
    /// Time of the run.
    Date = "date", "Date and time of the run", "date";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for kind in ContentKind::ALL {
            assert_eq!(ContentKind::from_word(kind.as_str()), Some(*kind));
            assert_eq!(serde_json::to_string(kind).unwrap(), format!("\"{}\"", kind.as_str()));
        }
        assert_eq!(ContentKind::from_word("everything"), None);
    }
}

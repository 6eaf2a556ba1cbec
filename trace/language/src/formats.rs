//! Output formats of a trace.

words! {
    /// An output format, and its name in addresses and on command lines.
    Format {
        /// Perfetto protobuf.
        Perfetto = "perfetto",
        /// Chrome trace event JSON.
        Json = "json",
        /// Firefox Profiler's processed profile.
        Fxprof = "fxprof",
        /// Apache Parquet, one file per table, in a zip archive.
        Parquet = "parquet",
    }
}

impl Format {
    /// Returns the file extension.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Perfetto => ".pftrace",
            Self::Json => ".json",
            Self::Fxprof => ".profile.json",
            Self::Parquet => ".parquet.zip",
        }
    }

    /// Returns the name of a trace's file in this format, from its current name.
    pub fn file_name(self, name: &str) -> String {
        let mut stem = name;
        let endings =
            [".gz", ".zst", ".zip", ".pftrace", ".perfetto-trace", ".profile.json", ".json", ".bin"];
        while let Some(shorter) = endings.iter().find_map(|ending| stem.strip_suffix(ending)) {
            stem = shorter;
        }
        format!("{}{}", if stem.is_empty() { "trace" } else { stem }, self.ending())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_endings_change() {
        for format in Format::ALL {
            assert_eq!(Format::from_word(format.as_str()), Some(*format));
        }
        assert_eq!(Format::from_word("svg"), None);
        for (name, expected) in [
            ("run.pftrace", "run.json"),
            ("run.json.gz", "run.json"),
            ("run.2", "run.2.json"),
            (".json", "trace.json"),
        ] {
            assert_eq!(Format::Json.file_name(name), expected);
        }
        assert_eq!(Format::Parquet.file_name("a b.pftrace.zst"), "a b.parquet.zip");
    }
}

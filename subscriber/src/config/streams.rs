//! Selection of the recorded streams.

use super::Detail;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Group {
    Sycl,
    Calls,
    Memory,
    Buffers,
    Images,
    Native,
    Ranges,
    /// A program's own streams, and streams of newer runtimes.
    User,
    /// Streams on which no notification has ever been seen.
    Silent,
}

/// Names of the groups. Only the list `all` includes the last one.
const GROUPS: [(&str, Group); 9] = [
    ("sycl", Group::Sycl),
    ("calls", Group::Calls),
    ("memory", Group::Memory),
    ("buffers", Group::Buffers),
    ("images", Group::Images),
    ("native", Group::Native),
    ("ranges", Group::Ranges),
    ("user", Group::User),
    ("silent", Group::Silent),
];

/// Returns the group of a stream, and true if the stream repeats another with more detail.
fn group_of(stream: &str) -> (Group, bool) {
    match stream {
        "sycl" => (Group::Sycl, false),
        "sycl.debug" => (Group::Sycl, true),
        // Older runtimes report the same calls on both, at the same cost, but their arguments on the second only.
        "ur.call" | "sycl.pi" | "sycl.pi.debug" => (Group::Calls, false),
        "ur.call.debug" => (Group::Calls, true),
        "sycl.experimental.mem_alloc" => (Group::Memory, false),
        "sycl.experimental.buffer" => (Group::Buffers, false),
        "sycl.experimental.image" => (Group::Images, false),
        "sycl.experimental.level_zero.call" | "sycl.experimental.cuda.call" => (Group::Native, false),
        "sycl.experimental.level_zero.debug" | "sycl.experimental.cuda.debug" => (Group::Native, false),
        "ranges.itt" | "ranges.nvtx" | "ranges.kokkos" => (Group::Ranges, false),
        "ur.api" | "xpti.framework" => (Group::Silent, false),
        _ => (Group::User, false),
    }
}

#[derive(Clone, Debug)]
pub(crate) struct StreamChoice {
    groups: [bool; GROUPS.len()],
    /// True if the list has the group of native calls, or all.
    names_native: bool,
    /// Streams by name, wanted or not; the last entry for a stream decides.
    names: Vec<(String, bool)>,
    detail: Detail,
}

impl StreamChoice {
    /// Reads a comma-separated list of groups and streams. Names after a `-` are removed; a list of only such names
    /// removes them from the default streams.
    pub(super) fn parse(list: &str, detail: Detail, notes: &mut Vec<String>) -> Self {
        let entries: Vec<&str> = list.split(',').map(str::trim).filter(|entry| !entry.is_empty()).collect();
        let has_wanted = entries.iter().any(|entry| !entry.starts_with('-'));
        let usual = |group| !has_wanted && group != Group::Silent;
        let mut choice = Self {
            groups: GROUPS.map(|(_, group)| usual(group)),
            names_native: false,
            names: Vec::new(),
            detail,
        };
        for entry in &entries {
            let (name, is_wanted) = entry.strip_prefix('-').map_or((*entry, true), |name| (name, false));
            if ["all", "native"].contains(&name) {
                choice.names_native = is_wanted;
            }
            if name == "all" {
                choice.groups = [is_wanted; GROUPS.len()];
            } else if let Some(group) =
                GROUPS.iter().position(|(other, _)| *other == name && name != "silent")
            {
                choice.groups[group] = is_wanted;
                // A bare `sycl` means the group, not the stream of the same name.
            } else if name.contains('.') || !is_wanted {
                choice.names.push((name.to_owned(), is_wanted));
            } else {
                // A program's own streams may have any name.
                choice.names.push((name.to_owned(), is_wanted));
                notes.push(format!(
                    "SYCLSCOPE_STREAMS: {name} is not one of {}, all; it is taken as the name of a stream",
                    GROUPS[..8].iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
                ));
            }
        }
        // Native calls happen inside Unified Runtime calls; the first one of these sets up the tracing of native calls.
        let leaves_out = |entry: &str| ["-calls", "-ur.call"].contains(&entry);
        if choice.asks_for_level_zero() && !entries.iter().copied().any(leaves_out) {
            let calls = GROUPS.iter().zip(&mut choice.groups).find(|((_, group), _)| *group == Group::Calls);
            calls.into_iter().for_each(|(_, is_chosen)| *is_chosen = true);
        }
        choice
    }

    /// True if the list requests calls of Level Zero, by a stream, `native` or `all`. They need the tracing layer of
    /// Level Zero's loader from the first call on.
    pub(crate) fn asks_for_level_zero(&self) -> bool {
        ["sycl.experimental.level_zero.call", "sycl.experimental.level_zero.debug"].iter().any(|stream| {
            let named = self.names.iter().rev().find(|(name, _)| name == stream);
            named.map_or(self.names_native, |(_, is_wanted)| *is_wanted)
        })
    }

    pub(crate) fn names(&self, stream: &str) -> bool {
        self.names.iter().rev().find(|(name, _)| name == stream).is_some_and(|(_, is_wanted)| *is_wanted)
    }

    pub(crate) fn wants(&self, stream: &str) -> bool {
        if let Some((_, is_wanted)) = self.names.iter().rev().find(|(name, _)| name == stream) {
            return *is_wanted;
        }
        let (group, is_detail) = group_of(stream);
        let is_chosen =
            GROUPS.iter().position(|(_, other)| *other == group).is_some_and(|at| self.groups[at]);
        is_chosen && (!is_detail || self.detail == Detail::High)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(list: &str, detail: Detail) -> (StreamChoice, Vec<String>) {
        let mut notes = Vec::new();
        (StreamChoice::parse(list, detail, &mut notes), notes)
    }

    #[track_caller]
    fn check(list: &str, wanted: &[&str], unwanted: &[&str]) {
        let (choice, _) = choice(list, Detail::Normal);
        wanted.iter().for_each(|stream| assert!(choice.wants(stream), "{list}: {stream}"));
        unwanted.iter().for_each(|stream| assert!(!choice.wants(stream), "{list}: {stream}"));
    }

    #[test]
    fn streams_are_chosen_by_group_and_name() {
        let usual = [
            "sycl",
            "ur.call",
            "sycl.pi",
            "sycl.experimental.mem_alloc",
            "my.own",
            "sycl.experimental.new",
            "ranges.itt",
        ];
        check("", &usual, &["sycl.debug", "ur.call.debug", "ur.api", "xpti.framework"]);
        check("-calls", &["sycl", "my.own"], &["ur.call", "sycl.pi"]);
        check("sycl, memory", &["sycl", "sycl.experimental.mem_alloc"], &["ur.call", "my.own", "sycl.debug"]);
        check("sycl,ur.call.debug", &["sycl", "ur.call.debug"], &["ur.call"]);
        check("-ranges", &["sycl", "my.own"], &["ranges.itt", "ranges.nvtx", "ranges.kokkos"]);
        check("sycl,ranges.nvtx", &["sycl", "ranges.nvtx"], &["ranges.itt"]);
        check("all,-my.own", &["ur.api", "your.own", "sycl"], &["my.own"]);
    }

    #[test]
    fn high_detail_takes_the_debug_streams() {
        let (choice, notes) = choice("-native", Detail::High);
        assert!(choice.wants("sycl.debug") && choice.wants("ur.call.debug"));
        assert!(!choice.wants("sycl.experimental.cuda.debug"));
        assert_eq!(notes, [""; 0]);
    }

    #[test]
    fn calls_of_level_zero_must_be_asked_for() {
        let asks = |list| choice(list, Detail::Normal).0.asks_for_level_zero();
        for list in ["native", "all", "sycl,sycl.experimental.level_zero.call", "-memory,native"] {
            assert!(asks(list), "{list}");
        }
        for list in ["", "-calls", "sycl", "all,-native", "sycl.experimental.cuda.call"] {
            assert!(!asks(list), "{list}");
        }
        // Native calls include the calls that contain them.
        check("native", &["ur.call", "sycl.experimental.level_zero.call"], &["sycl", "ur.call.debug"]);
        check("native,-calls", &["sycl.experimental.level_zero.call"], &["ur.call"]);
    }

    #[test]
    fn a_name_that_looks_mistyped_is_said() {
        let (choice, notes) = choice("sycl,cals", Detail::Normal);
        assert!(notes[0].contains("cals is not one of sycl, calls"), "{notes:?}");
        assert!(choice.wants("cals") && !choice.wants("ur.call"));
    }
}

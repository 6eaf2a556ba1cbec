//! Entries of the command palette, and their order.

use syclscope_language::api::{Match, MatchKind, SliceRef, TraceInfo};
use syclscope_language::event::{NodeKind, TrackKind};
use syclscope_language::filter::time_ns;
use syclscope_language::matching::SearchWords;

use crate::format;
use crate::state::keys::CommandInfo;
use crate::state::words::queue_title;
use crate::views::title;
use syclscope_language::sorting::Sorting as _;

pub const MAX_ENTRIES: usize = 60;

#[derive(Clone, Debug, PartialEq)]
pub enum Offer {
    Command(&'static CommandInfo),
    Kernel(String),
    /// Selects the slices of a name and shows them in the timeline: the longest one, if known.
    Name(String, Option<SliceRef>),
    File(String),
    Line(String, u32),
    Queue(u64),
    /// Shows a track by id.
    Track(u32),
    /// Shows a buffer, an image or USM by id.
    Object(u32),
    /// Shows a time, in nanoseconds since the trace's start.
    Time(f64),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub offer: Offer,
    pub title: String,
    pub kind: String,
}

impl Entry {
    fn new(offer: Offer, title: impl Into<String>, kind: impl Into<String>) -> Self {
        Self { offer, title: title.into(), kind: kind.into() }
    }
}

/// Returns the entries available without a query, unordered.
pub fn entries(info: &TraceInfo, commands: impl Iterator<Item = &'static CommandInfo>) -> Vec<Entry> {
    let mut all: Vec<Entry> = commands
        .map(|command| Entry::new(Offer::Command(command), command.title, command.view.map_or("Page", title)))
        .collect();
    all.extend(info.kernels.iter().map(|kernel| {
        let kind = if kernel.kind == NodeKind::Kernel { "Kernel" } else { "Command" };
        let kind = format!("{kind} × {}", format::count(kernel.count));
        Entry::new(Offer::Kernel(kernel.name.clone()), &kernel.name, kind)
    }));
    let files = info.sources.iter();
    all.extend(files.map(|file| Entry::new(Offer::File(file.path.clone()), &file.path, "Source file")));
    all.extend(info.queues.iter().map(|queue| {
        let title = format!("{} · {}", queue_title(info, queue.id), queue.device);
        Entry::new(Offer::Queue(queue.id), title, "Queue")
    }));
    let is_queue = |track| info.queues.iter().any(|queue| queue.track == track);
    all.extend(info.tracks.iter().filter(|track| !is_queue(track.id)).map(|track| {
        let kind = if track.kind == TrackKind::Thread { "Thread" } else { "Track" };
        Entry::new(Offer::Track(track.id), &track.name, kind)
    }));
    all
}

/// Returns the entries for the trace's matches. Kernels are left out, because they are available without a query.
pub fn match_entries(matches: &[Match], info: &TraceInfo) -> Vec<Entry> {
    let is_known = |name: &str| info.kernels.iter().any(|kernel| kernel.name == name);
    let entry = |found: &Match| {
        let Match { kind, name, count, at, id } = found;
        let kind_of = |what: &str| format!("{what} × {}", format::count(*count));
        let named = || Offer::Name(name.clone(), *at);
        Some(match kind {
            MatchKind::Call => Entry::new(named(), name, kind_of("Call")),
            MatchKind::Slice if is_known(name) => return None,
            MatchKind::Slice => Entry::new(named(), name, kind_of("Slice")),
            MatchKind::Object => Entry::new(Offer::Object(*id), name, "Object"),
            MatchKind::Line => line(name, *id),
        })
    };
    matches.iter().filter_map(entry).collect()
}

fn line(path: &str, line: u32) -> Entry {
    let file = path.rsplit(['/', '\\']).next().unwrap_or_default();
    Entry::new(Offer::Line(path.to_owned(), line), format!("{file}:{line}"), "Source line")
}

/// Returns the line named by a text like `heat.cpp:12`, in a recorded file.
fn parse_line(entries: &[Entry], text: &str) -> Option<Entry> {
    let (file, number) = text.trim().rsplit_once(':')?;
    let number = number.parse().ok().filter(|_| !file.is_empty())?;
    let paths = entries.iter().filter_map(|entry| match &entry.offer {
        Offer::File(path) => Some((path, path.strip_suffix(file)?)),
        _ => None,
    });
    // A whole file name is better than the end of a longer one.
    let is_part = |(_, before): &(&String, &str)| !before.is_empty() && !before.ends_with(['/', '\\']);
    paths.min_by_key(is_part).map(|(path, _)| line(path, number))
}

/// Returns the entries that match a text, best first. A time or a source line in the text precedes all others. Among
/// equal matches, the page's own precede those found in the trace.
pub fn matching(entries: &[Entry], found: &[Entry], text: &str) -> Vec<Entry> {
    let words = SearchWords::new(text);
    let all = entries.iter().chain(found).enumerate();
    let mut ranked: Vec<(u32, usize, &Entry)> =
        all.filter_map(|(place, entry)| Some((words.rank(&entry.title)?, place, entry))).collect();
    ranked.arrange_by_key(|(rank, place, _)| (*rank, *place));
    let time = time_ns(text.trim().trim_start_matches('@'))
        .map(|at_ns| Entry::new(Offer::Time(at_ns), format!("Go to {}", format::moment(at_ns)), "Time"));
    let named = parse_line(entries, text);
    let is_named = |entry: &Entry| named.as_ref().is_some_and(|named| named.offer == entry.offer);
    let ranked = ranked.into_iter().map(|(_, _, entry)| entry).filter(|entry| !is_named(entry)).cloned();
    time.into_iter().chain(named.clone()).chain(ranked).take(MAX_ENTRIES).collect()
}

#[cfg(test)]
mod tests {
    use syclscope_language::api::KernelSummary;

    use super::*;

    fn entry(title: &str) -> Entry {
        Entry::new(Offer::Name(title.into(), None), title, "Kernel")
    }

    fn titles(text: &str) -> Vec<String> {
        let entries =
            ["Show the timeline", "Fit the whole run", "diffuse_band", "urEventWait", "Zoom in"].map(entry);
        matching(&entries, &[], text).into_iter().map(|entry| entry.title).collect()
    }

    #[test]
    fn words_are_found_in_any_order_and_beginnings_come_first() {
        assert_eq!(titles("timeline show"), ["Show the timeline"]);
        assert_eq!(titles("zoom"), ["Zoom in"]);
        assert_eq!(titles("in")[..2], ["Zoom in", "Show the timeline"]);
        assert_eq!(titles("evwt"), ["urEventWait"]);
        assert_eq!(titles("xyz"), [] as [&str; 0]);
        assert_eq!(titles("").len(), 5);
    }

    #[test]
    fn a_time_is_a_place_to_go() {
        assert_eq!(titles("1.5 ms"), ["Go to 1.5 ms"]);
        let at = |text| matching(&[], &[], text).first().map(|entry| entry.offer.clone());
        assert_eq!(at("250us"), Some(Offer::Time(250_000.0)));
        assert_eq!((at("250"), at("1.2.3 s")), (None, None));
    }

    #[test]
    fn what_was_found_in_the_trace_stands_among_the_rest_best_first() {
        let info = TraceInfo {
            kernels: vec![KernelSummary { name: "wait_kernel".into(), ..summary() }],
            ..TraceInfo::default()
        };
        let of = |kind, name: &str, id| Match { kind, name: name.into(), count: 3, id, ..Match::default() };
        let matches = [
            of(MatchKind::Call, "wait", 0),
            of(MatchKind::Slice, "wait_kernel", 0),
            of(MatchKind::Object, "Buffer 3", 7),
            of(MatchKind::Line, "/src/wait.cpp", 12),
        ];
        let found = super::match_entries(&matches, &info);
        let all = matching(&entries(&info, std::iter::empty()), &found, "wait");
        let shown: Vec<_> = all.iter().map(|entry| (entry.title.as_str(), entry.kind.as_str())).collect();
        let expected = [("wait", "Call × 3"), ("wait_kernel", "Kernel × 2"), ("wait.cpp:12", "Source line")];
        assert_eq!(shown, expected);
        let objects = matching(&[], &found, "buffer 3");
        assert_eq!(objects.first().map(|entry| entry.offer.clone()), Some(Offer::Object(7)));
    }

    fn summary() -> KernelSummary {
        KernelSummary {
            name: String::new(),
            kind: NodeKind::Kernel,
            count: 2,
            total_ns: 0,
            min_ns: 0,
            max_ns: 0,
        }
    }

    #[test]
    fn a_file_and_a_number_are_a_line() {
        let files = [Entry::new(Offer::File("/src/heat.cpp".into()), "/src/heat.cpp", "Source file")];
        let first = |text| matching(&files, &[], text).first().map(|entry| entry.offer.clone());
        assert_eq!(first("heat.cpp:12"), Some(Offer::Line("/src/heat.cpp".into(), 12)));
        assert_eq!(first(":12"), None);
        assert_eq!(first("other.cpp:12"), None);
        let file = |path: &str| Entry::new(Offer::File(path.into()), path, "Source file");
        let files = [file("/src/data.cpp"), file("/src/a.cpp")];
        let first = |text| matching(&files, &[], text).first().map(|entry| entry.offer.clone());
        assert_eq!(
            first("a.cpp:3"),
            Some(Offer::Line("/src/a.cpp".into(), 3)),
            "not the end of another name"
        );
        assert_eq!(first("ta.cpp:3"), Some(Offer::Line("/src/data.cpp".into(), 3)));
    }
}

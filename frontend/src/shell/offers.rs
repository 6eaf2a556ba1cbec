//! What the command palette offers, and in which order.

use syclscope_language::api::TraceInfo;
use syclscope_language::filter::time_ns;

use crate::sorting::sort_by_key;
use crate::state::keys::CommandInfo;
use crate::views::title;

/// Most lines that are offered at once.
pub const MOST_OFFERED: usize = 60;

/// Something that the palette can do.
#[derive(Clone, Debug, PartialEq)]
pub enum Offer {
    /// Carries out a command.
    Command(&'static CommandInfo),
    /// Selects what bears a name, and shows it in the timeline.
    Name(String),
    /// Shows a source file.
    File(String),
    Queue(u64),
    /// Shows a time, in nanoseconds since the trace's start.
    Time(f64),
}

/// A line of the palette.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub offer: Offer,
    /// What it is called.
    pub title: String,
    /// What kind of thing it is.
    pub kind: &'static str,
}

/// Everything that a trace has to offer, without a particular order.
pub fn entries(info: &TraceInfo, commands: impl Iterator<Item = &'static CommandInfo>) -> Vec<Entry> {
    let commands = commands.map(|command| {
        let kind = command.view.map_or("Page", title);
        Entry { offer: Offer::Command(command), title: command.title.to_owned(), kind }
    });
    let kernels = info.kernels.iter().map(|kernel| {
        let kind =
            if kernel.kind == syclscope_language::event::NodeKind::Kernel { "Kernel" } else { "Command" };
        Entry { offer: Offer::Name(kernel.name.clone()), title: kernel.name.clone(), kind }
    });
    let files = info.sources.iter().map(|source| Entry {
        offer: Offer::File(source.path.clone()),
        title: source.path.clone(),
        kind: "Source file",
    });
    let queues = info.queues.iter().map(|queue| Entry {
        offer: Offer::Queue(queue.id),
        title: format!("Queue {} · {}", queue.id, queue.device),
        kind: "Queue",
    });
    commands.chain(kernels).chain(files).chain(queues).collect()
}

/// The entries that a text means, the best first. A text that is a time comes before all.
pub fn matching(entries: &[Entry], text: &str) -> Vec<Entry> {
    let mut ranked: Vec<(u32, usize, &Entry)> = entries
        .iter()
        .enumerate()
        .filter_map(|(place, entry)| Some((rank(&entry.title, text)?, place, entry)))
        .collect();
    sort_by_key(&mut ranked, |(rank, place, _)| (*rank, *place));
    let time = time_ns(text.trim().trim_start_matches('@')).map(|at_ns| Entry {
        offer: Offer::Time(at_ns),
        title: format!("Go to {}", crate::format::duration(at_ns)),
        kind: "Time",
    });
    time.into_iter().chain(ranked.into_iter().map(|(_, _, entry)| entry.clone())).take(MOST_OFFERED).collect()
}

/// How well a title fits, less is better; `None` if it does not.
fn rank(title: &str, text: &str) -> Option<u32> {
    let title = title.to_lowercase();
    let mut sum = 0;
    for word in text.to_lowercase().split_whitespace() {
        sum += match title.find(word) {
            Some(0) => 0,
            Some(at) if !title[..at].ends_with(char::is_alphanumeric) => 1,
            Some(_) => 2,
            None if is_scattered(&title, word) => 6,
            None => return None,
        };
    }
    Some(sum)
}

/// Whether all letters of a word come in a title, in their order.
fn is_scattered(title: &str, word: &str) -> bool {
    let mut letters = title.chars();
    word.chars().count() > 1 && word.chars().all(|wanted| letters.any(|letter| letter == wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(title: &str) -> Entry {
        Entry { offer: Offer::Name(title.into()), title: title.into(), kind: "Kernel" }
    }

    fn found(text: &str) -> Vec<String> {
        let entries =
            ["Show the timeline", "Fit the whole run", "diffuse_band", "urEventWait", "Zoom in"].map(entry);
        matching(&entries, text).into_iter().map(|entry| entry.title).collect()
    }

    #[test]
    fn words_are_found_in_any_order_and_beginnings_come_first() {
        assert_eq!(found("timeline show"), ["Show the timeline"]);
        assert_eq!(found("zoom"), ["Zoom in"]);
        assert_eq!(found("in")[..2], ["Zoom in", "Show the timeline"]);
        assert_eq!(found("evwt"), ["urEventWait"]);
        assert_eq!(found("xyz"), [] as [&str; 0]);
        assert_eq!(found("").len(), 5);
    }

    #[test]
    fn a_time_is_a_place_to_go() {
        assert_eq!(found("1.5 ms"), ["Go to 1.5 ms"]);
        let at = |text| matching(&[], text).first().map(|entry| entry.offer.clone());
        assert_eq!(at("250us"), Some(Offer::Time(250_000.0)));
        assert_eq!((at("250"), at("1.2.3 s")), (None, None));
    }
}

//! Every command of the page, for keys, palette and help.

use crate::state::keys::CommandInfo;
use crate::views::{graph, memory, timeline};

/// The commands of the page itself.
pub static PAGE: [CommandInfo; 21] = [
    CommandInfo::of_page(
        "page.palette",
        "Search commands, kernels, queues and files",
        &["Ctrl+P", "Ctrl+Shift+P"],
    ),
    CommandInfo::of_page("page.help", "Keys and mouse", &["?"]),
    CommandInfo::of_page("page.back", "Back: undo the last jump or zoom", &["Alt+ArrowLeft"]),
    CommandInfo::of_page("page.forward", "Forward: redo it", &["Alt+ArrowRight"]),
    CommandInfo::of_page("page.clear", "Close dialog; then clear highlight and selection", &["Escape"]),
    CommandInfo::of_page("page.summary", "Show summary", &["1"]),
    CommandInfo::of_page("page.timeline", "Show timeline", &["2"]),
    CommandInfo::of_page("page.graph", "Show task graph", &["3"]),
    CommandInfo::of_page("page.memory", "Show memory", &["4"]),
    CommandInfo::of_page("page.source", "Show source", &["5"]),
    CommandInfo::of_page("page.calls", "Show calls", &["6"]),
    CommandInfo::of_page("page.next_pane", "Next pane", &["F6"]),
    CommandInfo::of_page("page.previous_pane", "Previous pane", &["Shift+F6"]),
    CommandInfo::of_page("page.only", "Show only this view", &["Shift+M"]),
    CommandInfo::of_page("page.close", "Close this pane", &["Shift+X"]),
    CommandInfo::of_page("page.open", "Open a local file", &["Ctrl+O"]),
    CommandInfo::of_page("page.larger", "Larger text", &["Ctrl+."]),
    CommandInfo::of_page("page.smaller", "Smaller text", &["Ctrl+,"]),
    CommandInfo::of_page("page.theme", "Switch theme: system, dark, light", &["Shift+T"]),
    CommandInfo::of_page("page.link", "Copy a link to this view", &["Shift+L"]),
    CommandInfo::of_page("page.print", "Print", &[]),
];

/// Every command.
pub fn all() -> impl Iterator<Item = &'static CommandInfo> {
    let timeline = timeline::keys::COMMANDS.iter().map(|(command, _)| command);
    let graph = graph::keys::COMMANDS.iter().map(|(command, _)| command);
    let memory = memory::keys::COMMANDS.iter().map(|(command, _)| command);
    PAGE.iter().chain(timeline).chain(graph).chain(memory)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_command_has_a_name_of_its_own_and_no_key_means_two() {
        let (mut ids, mut keys) = (HashSet::new(), HashSet::new());
        for command in all() {
            assert!(ids.insert(command.id), "{}", command.id);
            for key in command.keys {
                assert!(keys.insert((command.view, key)), "{} {key}", command.id);
                assert!(command.view.is_none() || !keys.contains(&(None, key)), "{} {key}", command.id);
            }
        }
    }
}

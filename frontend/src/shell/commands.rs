//! Every command of the page, for keys, palette and help.

use syclscope_language::api::TraceInfo;
use syclscope_language::formats::Format;

use crate::state::keys::CommandInfo;
use crate::state::view::View;
use crate::state::viewers::Viewer;
use crate::views::{TABLE, is_offered};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    Palette,
    Help,
    Back,
    Forward,
    Clear,
    NextPane,
    PreviousPane,
    Only,
    Close,
    Panel,
    Open,
    Larger,
    Smaller,
    Theme,
    Link,
    Contents,
    Share,
    Comment,
    HandOver(Viewer),
    Export(Format),
    Recording,
    Report,
    Print,
    Menu,
    Show(View),
}

pub const SHARING: [Command; 12] = [
    Command::Link,
    Command::Contents,
    Command::Share,
    Command::HandOver(Viewer::Perfetto),
    Command::HandOver(Viewer::Firefox),
    Command::Recording,
    Command::Export(Format::Perfetto),
    Command::Export(Format::Json),
    Command::Export(Format::Fxprof),
    Command::Export(Format::Parquet),
    Command::Report,
    Command::Print,
];

/// Commands of the page, without commands that show a view, which are in the table of views.
static PAGE: [(CommandInfo, Command); 28] = [
    (
        CommandInfo::of_page(
            "page.palette",
            "Find anything: commands, kernels, calls, threads, objects, lines",
            &["Ctrl+P", "Ctrl+K", "Ctrl+Shift+P"],
        ),
        Command::Palette,
    ),
    (CommandInfo::of_page("page.help", "Help: tasks, colours, keys and mouse", &["?"]), Command::Help),
    (
        CommandInfo::of_page("page.back", "Back: undo the last jump or zoom", &["Alt+ArrowLeft"]),
        Command::Back,
    ),
    (CommandInfo::of_page("page.forward", "Forward: redo it", &["Alt+ArrowRight"]), Command::Forward),
    (
        CommandInfo::of_page(
            "page.clear",
            "Close dialog; then clear highlight, selection and area",
            &["Escape"],
        ),
        Command::Clear,
    ),
    (CommandInfo::of_page("page.next_pane", "Next pane", &["F6"]), Command::NextPane),
    (CommandInfo::of_page("page.previous_pane", "Previous pane", &["Shift+F6"]), Command::PreviousPane),
    (CommandInfo::of_page("page.only", "Show only this view", &["Shift+M"]), Command::Only),
    (CommandInfo::of_page("page.close", "Close this pane", &["Shift+X"]), Command::Close),
    (CommandInfo::of_page("page.panel", "Close or open the panel below", &["V", "Q"]), Command::Panel),
    (CommandInfo::of_page("page.open", "Open a local file", &["Ctrl+O"]), Command::Open),
    (CommandInfo::of_page("page.larger", "Larger text", &["Ctrl+."]), Command::Larger),
    (CommandInfo::of_page("page.smaller", "Smaller text", &["Ctrl+,"]), Command::Smaller),
    (CommandInfo::of_page("page.theme", "Switch theme: system, dark, light", &["Shift+T"]), Command::Theme),
    (CommandInfo::of_page("page.link", "Share: copy a link to this view", &["Shift+L"]), Command::Link),
    (
        CommandInfo::of_page("page.contents", "Contents of this trace; share a cleaned copy…", &[]),
        Command::Contents,
    ),
    (CommandInfo::of_page("page.share", "Share: make a link for others…", &[]), Command::Share),
    (CommandInfo::of_page("page.comment", "Comment here", &["Shift+K"]), Command::Comment),
    (CommandInfo::of_page("page.perfetto", "Open in Perfetto", &[]), Command::HandOver(Viewer::Perfetto)),
    (
        CommandInfo::of_page("page.firefox", "Open in Firefox Profiler", &[]),
        Command::HandOver(Viewer::Firefox),
    ),
    (CommandInfo::of_page("page.recording", "Download the recording as it is", &[]), Command::Recording),
    (
        CommandInfo::of_page("page.export_perfetto", "Export as Perfetto trace", &[]),
        Command::Export(Format::Perfetto),
    ),
    (
        CommandInfo::of_page("page.export_json", "Export as Chrome trace JSON", &[]),
        Command::Export(Format::Json),
    ),
    (
        CommandInfo::of_page("page.export_fxprof", "Export as Firefox profile", &[]),
        Command::Export(Format::Fxprof),
    ),
    (
        CommandInfo::of_page("page.export_parquet", "Export as Parquet tables (zip)", &[]),
        Command::Export(Format::Parquet),
    ),
    (
        CommandInfo::of_page("page.report", "Report to print or send (HTML; the browser makes a PDF)", &[]),
        Command::Report,
    ),
    (CommandInfo::of_page("page.print", "Print the page", &[]), Command::Print),
    (
        CommandInfo::of_page("page.menu", "Menu of the selected thing", &["ContextMenu", "Shift+F10"]),
        Command::Menu,
    ),
];

/// Number of these commands that precede the commands that show a view.
const BEFORE_VIEWS: usize = 5;

pub fn all() -> impl Iterator<Item = &'static CommandInfo> {
    let page = |part: &'static [(CommandInfo, Command)]| part.iter().map(|(command, _)| command);
    let (before, after) = PAGE.split_at(BEFORE_VIEWS);
    let shows = TABLE.iter().map(|descriptor| &descriptor.show);
    let own = TABLE.iter().flat_map(|descriptor| (0..).map_while(descriptor.commands));
    page(before).chain(shows).chain(page(after)).chain(own)
}

/// Returns the commands available for a trace: views without content in it are left out.
pub fn offered(info: &TraceInfo) -> impl Iterator<Item = &'static CommandInfo> + use<'_> {
    all().filter(|command| view_of(command).is_none_or(|view| is_offered(view, info)))
}

/// Returns the view that a command shows or belongs to.
pub fn view_of(command: &CommandInfo) -> Option<View> {
    command.view.or_else(|| {
        TABLE.iter().find(|descriptor| descriptor.show.id == command.id).map(|descriptor| descriptor.view)
    })
}

pub fn meaning(id: &str) -> Option<Command> {
    let show = || {
        TABLE
            .iter()
            .find(|descriptor| descriptor.show.id == id)
            .map(|descriptor| Command::Show(descriptor.view))
    };
    PAGE.iter().find(|(command, _)| command.id == id).map(|(_, command)| *command).or_else(show)
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

    #[test]
    fn every_command_of_the_page_means_something() {
        for command in all().filter(|command| command.view.is_none()) {
            assert!(meaning(command.id).is_some(), "{}", command.id);
        }
        assert_eq!(meaning("page.nothing"), None);
    }

    #[test]
    fn no_command_leads_to_a_view_that_has_nothing() {
        let mut info = TraceInfo::default();
        info.counts.slices = 5;
        info.process.recorder = "PyTorch profiler".to_owned();
        let ids: Vec<&str> = offered(&info).map(|command| command.id).collect();
        assert!(ids.contains(&"page.timeline") && ids.contains(&"page.link"), "{ids:?}");
        assert!(!ids.iter().any(|id| *id == "page.graph" || id.starts_with("graph.")), "{ids:?}");
        assert_eq!(offered(&TraceInfo::default()).count(), all().count());
    }

    #[test]
    fn every_command_of_a_view_is_its_own() {
        for descriptor in TABLE {
            for command in (0..).map_while(descriptor.commands) {
                assert_eq!(command.view, Some(descriptor.view), "{}", command.id);
                assert!(command.id.starts_with(&format!("{}.", descriptor.view.as_str())), "{}", command.id);
            }
        }
    }
}

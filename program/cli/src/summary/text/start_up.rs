//! The time before the first command, and builds of device code.

use syclscope_language::api::{Build, BuildAgain, BuildSource, Builds, StartUp};

use super::steps::words;
use super::{Room, cut, location, name, share};
use syclscope_text::{Align, Table, bytes, count, counted, duration, printable, short_names, wrapped};

const NAME_COLUMNS: usize = 60;

pub(super) fn start_up(found: &StartUp, room: Room) -> Vec<String> {
    let Some(command) = &found.command else { return Vec::new() };
    let name_of_first = short_names(std::iter::once(command.name.as_str())).fit(&command.name, NAME_COLUMNS);
    let first = format!(
        "{} before the first command, {}",
        duration(found.to_ns),
        printable(&name_of_first, NAME_COLUMNS)
    );
    let mut lines = wrapped(&first, room.width);
    let mut table = Table::new([
        ("time", Align::Right),
        ("share", Align::Right),
        ("kind", Align::Left),
        ("step", Align::Name),
        ("count", Align::Right),
        ("location", Align::Path),
    ]);
    let shown = found.steps.len().min(room.steps);
    for step in &found.steps[..shown] {
        table.row([
            duration(step.total_ns),
            share(step.total_ns, found.to_ns),
            words(step.kind).to_owned(),
            name(&step.name),
            count(step.count),
            location(step.location.as_ref()),
        ]);
    }
    lines.extend(cut(table.lines(room.width), found.steps.len(), shown));
    lines
}

pub(super) fn builds(found: &Builds, room: Room) -> Vec<String> {
    if found.count == 0 {
        return Vec::new();
    }
    let again = match found.again {
        0 => String::new(),
        again => format!(", {} of them again", count(again)),
    };
    let mut lines =
        vec![format!("{} in {}{again}", duration(found.covered_ns), counted(found.count, "build"))];
    let mut longest: Vec<&Build> = found.builds.iter().collect();
    longest.sort_by_key(|build| (std::cmp::Reverse(build.at.duration_ns), build.number));
    longest.truncate(room.steps);
    let mut table = Table::new([
        ("time", Align::Right),
        ("at", Align::Right),
        ("input", Align::Left),
        ("size", Align::Right),
        ("kernels", Align::Name),
        ("thread", Align::Left),
        ("again", Align::Left),
        ("location", Align::Path),
    ]);
    for build in &longest {
        table.row([
            duration(build.at.duration_ns),
            duration(build.at.start_ns),
            source(build).to_owned(),
            build.bytes.map(bytes).unwrap_or_default(),
            kernels(build),
            name(&build.thread),
            again_words(build),
            location(build.location.as_ref()),
        ]);
    }
    lines.extend(cut(table.lines(room.width), found.count as usize, longest.len()));
    lines
}

fn source(build: &Build) -> &'static str {
    match build.source {
        BuildSource::SpirV => "SPIR-V",
        BuildSource::Binary => "binary",
        BuildSource::Programs => "programs",
        BuildSource::Unknown => "",
    }
}

fn kernels(build: &Build) -> String {
    let more = build.kernels.len() as u64 + build.more_kernels;
    match build.kernels.first() {
        None if build.failed => "failed".to_owned(),
        None => "none launched".to_owned(),
        Some(first) if more > 1 => format!("{} and {} more", name(first), count(more - 1)),
        Some(first) => name(first),
    }
}

fn again_words(build: &Build) -> String {
    let of = build.again_of.unwrap_or_default();
    match build.again {
        None => String::new(),
        Some(BuildAgain::Context) => format!("of {of}: other context"),
        Some(BuildAgain::Device) => format!("of {of}: other device"),
        Some(BuildAgain::Options) => format!("of {of}: other options"),
        Some(BuildAgain::Same) => format!("of {of}"),
    }
}

//! A comparison on the terminal.

use syclscope_language::api::{
    ComparedRow, Comparison, History, LiveMemory, LocationInfo, Presence, RegionSide, TimeChange, Verdict,
};

use super::{iterations, words};
use syclscope_text::{Align, Table, bytes, count, counted, duration, printable, wrapped};

/// Maximum width of a sentence, in columns.
const SENTENCE: usize = 100;
/// Maximum number of characters in a text that is wrapped.
const MAX_CHARS: usize = 1_000;

/// Describes the comparison and live memory at corresponding moments, in lines of at most `width` columns
/// where possible, with at most `rows` rows in each table.
pub fn lines(comparison: &Comparison, live: &LiveMemory, width: usize, rows: usize) -> Vec<String> {
    let mut lines = heading(comparison, width);
    section(&mut lines, "Difference along the critical path", waterfall(comparison, width, rows));
    section(&mut lines, "Iterations of the main loop", iterations_of(comparison, width));
    section(&mut lines, "Regions of the program", regions(comparison, width, rows));
    section(&mut lines, "Commands", commands(comparison, width, rows));
    section(&mut lines, "First launches that differ", first_launches(comparison, width, rows));
    section(&mut lines, "Metrics that differ", figures(comparison, width));
    section(&mut lines, "Loops that differ", loops(comparison, width, rows));
    section(&mut lines, "Dependences that differ", edges(comparison, width, rows));
    section(&mut lines, "Memory that differs", memory(comparison, width, rows));
    section(&mut lines, "Live memory at the same moment, where most differs", live_memory(live, width, rows));
    lines
}

/// Counts the entries of a list beyond those that are shown.
fn more(all: usize, shown: usize, what: &str) -> Option<String> {
    let more = all.checked_sub(shown).filter(|more| *more > 0)?;
    Some(format!("and {} (--top)", counted(more as u64, what)))
}

fn section(lines: &mut Vec<String>, title: &str, content: Vec<String>) {
    if !content.is_empty() {
        lines.extend([String::new(), title.to_owned()]);
        lines.extend(content.into_iter().map(|line| format!("  {line}")));
    }
}

fn heading(comparison: &Comparison, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for (letter, side) in [("A", &comparison.a), ("B", &comparison.b)] {
        let runs = match side.runs {
            0 | 1 => String::new(),
            runs => format!(", {}, the median one is number {}", counted(runs.into(), "run"), side.shown + 1),
        };
        let (time, commands) = (duration(side.duration_ns), counted(side.commands, "command"));
        lines.push(format!("{letter}: {}: {time}, {commands}{runs}", printable(&side.name, SENTENCE)));
    }
    let most = comparison.a.commands.max(comparison.b.commands);
    lines.push(format!("{} of {} are on both sides", count(comparison.matched), counted(most, "command")));
    for note in &comparison.notes {
        let mark = if note.is_severe { "! " } else { "- " };
        let text = wrapped(&printable(&note.message, MAX_CHARS), width.clamp(40, SENTENCE) - 2);
        lines.extend(
            text.into_iter()
                .enumerate()
                .map(|(line, text)| if line == 0 { format!("{mark}{text}") } else { format!("  {text}") }),
        );
    }
    let facts: Vec<String> = comparison
        .differences
        .iter()
        .map(|fact| printable(&words::difference(fact), width.max(40)))
        .collect();
    section(&mut lines, "Environment differences", facts);
    lines.push(String::new());
    if !comparison.part.is_empty() {
        lines.push(format!("Compared: {}", printable(&comparison.part, SENTENCE)));
    }
    lines.push(format!("Duration: {}", whole(comparison)));
    lines
}

pub(super) fn whole(comparison: &Comparison) -> String {
    let time = &comparison.duration;
    format!("{}: {}", words::before_and_now(time), verdict(time))
}

pub(super) fn verdict(time: &TimeChange) -> String {
    match time.verdict {
        Verdict::Incomparable => "can't be compared".to_owned(),
        verdict if time.is_of_single_runs() => {
            format!("{} (one run each: no significance)", verdict.as_str())
        }
        verdict if time.a_runs == 1 || time.b_runs == 1 => {
            let side = if time.a_runs == 1 { "A" } else { "B" };
            format!("{} (one run of {side}: no significance)", verdict.as_str())
        }
        _ if time.is_within_noise() => "same, within noise".to_owned(),
        verdict => verdict.as_str().to_owned(),
    }
}

fn iterations_of(comparison: &Comparison, width: usize) -> Vec<String> {
    let Some(found) = &comparison.iterations else { return Vec::new() };
    let mut table = Table::new([
        ("time", Align::Left),
        ("A", Align::Right),
        ("B", Align::Right),
        ("change", Align::Left),
        ("verdict", Align::Left),
    ]);
    iterations::rows(found).into_iter().for_each(|row| table.row(row));
    let mut lines = table.lines(width.saturating_sub(2));
    let sides = iterations::sides(found);
    let texts = sides.iter().chain([&found.message]);
    lines.extend(texts.flat_map(|text| wrapped(&printable(text, MAX_CHARS), width.clamp(40, SENTENCE))));
    lines
}

fn regions(comparison: &Comparison, width: usize, rows: usize) -> Vec<String> {
    let mut table = Table::new([
        ("A", Align::Right),
        ("B", Align::Right),
        ("count", Align::Right),
        ("each", Align::Left),
        ("verdict", Align::Left),
        ("region", Align::Name),
    ]);
    for region in comparison.regions.iter().take(rows) {
        let side = |side: &Option<RegionSide>| {
            side.as_ref().map_or_else(String::new, |side| duration(side.total_ns))
        };
        let [a, b] = [&region.a, &region.b].map(|side| side.as_ref().map_or(0, |side| side.count));
        let said = match region.presence {
            Presence::Both => verdict(&region.time),
            presence => words::presence(presence).to_owned(),
        };
        table.row([
            side(&region.a),
            side(&region.b),
            if a == b { count(a) } else { format!("{} → {}", count(a), count(b)) },
            words::time(&region.time),
            said,
            printable(&region.region, SENTENCE),
        ]);
    }
    let mut lines =
        if comparison.regions.is_empty() { Vec::new() } else { table.lines(width.saturating_sub(2)) };
    lines.extend(more(comparison.regions.len(), rows, "more region"));
    lines
}

fn waterfall(comparison: &Comparison, width: usize, rows: usize) -> Vec<String> {
    if comparison.waterfall.is_empty() {
        return Vec::new();
    }
    let mut table = Table::new([
        ("change", Align::Right),
        ("A", Align::Optional),
        ("B", Align::Optional),
        ("part of the run's time", Align::Name),
        ("place", Align::Path),
    ]);
    let signed = words::signed;
    let mut rest = (0, 0, 0);
    for (number, part) in comparison.waterfall.iter().enumerate() {
        if number >= rows {
            rest = (rest.0 + 1, rest.1 + part.a_ns, rest.2 + part.b_ns);
            continue;
        }
        table.row([
            words::change(part.change_ns()),
            signed(part.a_ns),
            signed(part.b_ns),
            printable(&part.words(), SENTENCE),
            place(part.location.as_ref()),
        ]);
    }
    if rest.0 > 0 {
        let name = counted(rest.0, "more part");
        table.row([words::change(rest.2 - rest.1), signed(rest.1), signed(rest.2), name, String::new()]);
    }
    let sum = |side: fn(&syclscope_language::api::WaterfallPart) -> i64| {
        comparison.waterfall.iter().map(side).sum::<i64>()
    };
    let (a, b) = (sum(|part| part.a_ns), sum(|part| part.b_ns));
    table.row([words::change(b - a), signed(a), signed(b), "total".to_owned(), String::new()]);
    table.lines(width.saturating_sub(2))
}

fn commands(comparison: &Comparison, width: usize, rows: usize) -> Vec<String> {
    let mut table = Table::new([
        ("on path", Align::Right),
        ("kind", Align::Left),
        ("command", Align::Name),
        ("count", Align::Right),
        ("A", Align::Optional),
        ("B", Align::Optional),
        ("launch", Align::Left),
        ("verdict", Align::Left),
        ("", Align::Path),
    ]);
    let of = |ns: Option<u64>| ns.map_or_else(String::new, duration);
    for row in comparison.rows.iter().take(rows) {
        let counts = [&row.a, &row.b].map(|side| side.as_ref().map_or(0, |side| side.count));
        let counts = if counts[0] == counts[1] {
            count(counts[0])
        } else {
            format!("{} → {}", count(counts[0]), count(counts[1]))
        };
        let kind = row.b.as_ref().or(row.a.as_ref()).map_or("", |side| side.kind.as_str());
        table.row([
            words::change(row.critical_change_ns),
            kind.replace('_', " "),
            printable(&row.title(), SENTENCE),
            counts,
            of(row.time.a_ns),
            of(row.time.b_ns),
            words::time(&row.time),
            row.verdict_words().to_owned(),
            printable(&row.likeness_words(), SENTENCE),
        ]);
    }
    let mut lines =
        if comparison.rows.is_empty() { Vec::new() } else { table.lines(width.saturating_sub(2)) };
    let more = comparison.rows.len().saturating_sub(rows) as u64 + comparison.more_rows;
    if more > 0 {
        lines.push(format!("and {} (--top)", counted(more, "more row")));
    }
    lines
}

/// Lists first launches whose times differ significantly. They include builds and copies at run time.
fn first_launches(comparison: &Comparison, width: usize, rows: usize) -> Vec<String> {
    let line = |row: &ComparedRow| {
        let of = |ns: Option<u64>| ns.map_or_else(|| "no time".to_owned(), duration);
        let (a, b) = (of(row.first.a_ns), of(row.first.b_ns));
        let text = format!(
            "{}: {a} → {b}, {}: {}",
            row.title(),
            words::time(&row.first),
            row.first.verdict.as_str()
        );
        printable(&text, width.max(40))
    };
    let differs = |row: &&ComparedRow| matches!(row.first.verdict, Verdict::Faster | Verdict::Slower);
    let differing = || comparison.rows.iter().filter(differs);
    differing().take(rows).map(line).chain(more(differing().count(), rows, "more command")).collect()
}

fn figures(comparison: &Comparison, width: usize) -> Vec<String> {
    let mut table = Table::new([("figure", Align::Left), ("A", Align::Right), ("B", Align::Right)]);
    let changed: Vec<_> = comparison.figures.iter().filter(|figure| figure.is_changed()).collect();
    for figure in &changed {
        let of = |values: &[u64]| words::figures(values, figure.unit);
        table.row([figure.words(), of(&figure.a), of(&figure.b)]);
    }
    if changed.is_empty() { Vec::new() } else { table.lines(width.saturating_sub(2)) }
}

fn loops(comparison: &Comparison, width: usize, rows: usize) -> Vec<String> {
    let line = |one: &syclscope_language::api::ComparedLoop| {
        let times = if one.times > 1 { format!(", {} times", count(one.times)) } else { String::new() };
        let rounds = format!("{} → {}{times}", count(one.a_rounds), counted(one.b_rounds, "round"));
        printable(&format!("{rounds}: {} {}", one.name, place(one.location.as_ref())), width.max(40))
    };
    let loops = comparison.loops.iter().take(rows).map(line);
    loops.chain(more(comparison.loops.len(), rows, "more loop")).collect()
}

fn edges(comparison: &Comparison, width: usize, rows: usize) -> Vec<String> {
    let mut table = Table::new([
        ("count", Align::Right),
        ("", Align::Left),
        ("reason", Align::Left),
        ("from", Align::Name),
        ("to", Align::Name),
    ]);
    for edge in comparison.edges.iter().take(rows) {
        table.row([
            count(edge.count),
            words::presence(edge.presence).to_owned(),
            words::reason(edge),
            printable(&edge.names.0, SENTENCE),
            printable(&edge.names.1, SENTENCE),
        ]);
    }
    let mut lines =
        if comparison.edges.is_empty() { Vec::new() } else { table.lines(width.saturating_sub(2)) };
    lines.extend(more(comparison.edges.len(), rows, "more dependence"));
    lines
}

fn memory(comparison: &Comparison, width: usize, rows: usize) -> Vec<String> {
    let mut table = Table::new([
        ("kind", Align::Left),
        ("allocations", Align::Right),
        ("bytes", Align::Right),
        ("at the peak", Align::Right),
        ("never released", Align::Right),
        ("place", Align::Path),
    ]);
    let both = words::both;
    for row in comparison.memory.iter().take(rows) {
        table.row([
            row.kind.as_str().to_owned(),
            both(row.a_count, row.b_count, count),
            both(row.a_bytes, row.b_bytes, bytes),
            both(row.a_peak_bytes, row.b_peak_bytes, bytes),
            both(row.a_unreleased_bytes, row.b_unreleased_bytes, bytes),
            place(row.location.as_ref()),
        ]);
    }
    let mut lines =
        if comparison.memory.is_empty() { Vec::new() } else { table.lines(width.saturating_sub(2)) };
    lines.extend(more(comparison.memory.len(), rows, "more place"));
    lines
}

/// Lists live memory at the moment of the largest difference, by source location.
fn live_memory(live: &LiveMemory, width: usize, rows: usize) -> Vec<String> {
    let at = &live.at;
    if at.a_bytes == at.b_bytes {
        return Vec::new();
    }
    let when = format!("at {} in A and {} in B", duration(at.a_ns), duration(at.b_ns));
    let mut lines = vec![format!("{when}: {}", words::both(at.a_bytes, at.b_bytes, bytes))];
    let mut table = Table::new([
        ("kind", Align::Left),
        ("allocations", Align::Right),
        ("bytes", Align::Right),
        ("place", Align::Path),
    ]);
    let shown = live.places.len().min(rows);
    for row in &live.places[..shown] {
        table.row([
            row.kind.as_str().to_owned(),
            words::both(row.a_count, row.b_count, count),
            words::both(row.a_bytes, row.b_bytes, bytes),
            place(row.location.as_ref()),
        ]);
    }
    if shown > 0 {
        lines.extend(table.lines(width.saturating_sub(2)));
    }
    let more = (live.places.len() - shown) as u64 + live.more_places;
    if more > 0 {
        lines.push(format!("and {} (--top)", counted(more, "more place")));
    }
    lines
}

fn place(location: Option<&LocationInfo>) -> String {
    match location {
        Some(place) if !place.file.is_empty() => {
            printable(&format!("{}:{}", place.file, place.line), 2 * SENTENCE)
        }
        Some(place) => printable(&place.function, SENTENCE),
        None => String::new(),
    }
}

/// Lists the series of a history that changed permanently, with their change points.
pub fn history_lines(history: &History, width: usize) -> Vec<String> {
    let mut lines = vec![counted(history.runs.len() as u64, "run")];
    let mut table = Table::new([
        ("figure", Align::Name),
        ("before", Align::Right),
        ("after", Align::Right),
        ("from run", Align::Path),
    ]);
    let mut is_any = false;
    for series in &history.series {
        for step in &series.steps {
            is_any = true;
            let run = history.runs.get(step.run as usize).map_or("", String::as_str);
            let of = |value| words::in_unit(value, series.unit);
            table.row([
                printable(&words::series_name(series), SENTENCE),
                of(step.before),
                of(step.after),
                printable(run, SENTENCE),
            ]);
        }
    }
    if is_any {
        section(&mut lines, "Changes", table.lines(width.saturating_sub(2)));
    } else {
        lines.push(words::no_step(history.runs.len()));
    }
    lines
}

#[cfg(test)]
mod tests {
    use syclscope_language::api::{ComparedEdges, ComparedMemory, ComparisonNote, MemoryMoment};

    use super::*;

    #[test]
    fn lists_say_how_much_they_leave_out() {
        let edge = ComparedEdges { presence: Presence::OnlyB, count: 1, ..ComparedEdges::default() };
        let memory = ComparedMemory { a_count: 1, ..ComparedMemory::default() };
        let comparison =
            Comparison { edges: vec![edge; 3], memory: vec![memory; 2], ..Comparison::default() };
        let shown = |rows| lines(&comparison, &LiveMemory::default(), 100, rows).join("\n");
        for left in ["and 2 more dependences (--top)", "and 1 more place (--top)"] {
            assert!(shown(1).contains(left) && !shown(3).contains(left), "{}", shown(1));
        }
    }

    #[test]
    fn no_note_steers_the_terminal() {
        let message = "The loops are not the same (a\u{1b}[2J and b).".to_owned();
        let note = ComparisonNote { kind: "different_loops".to_owned(), message, is_severe: true };
        let comparison = Comparison { notes: vec![note], ..Comparison::default() };
        let text = lines(&comparison, &LiveMemory::default(), 100, 1).join("\n");
        assert!(text.contains("! The loops are not the same (a\u{fffd}[2J and b)."), "{text}");
    }

    #[test]
    fn one_run_of_a_side_has_no_significance() {
        let of = |a_runs, b_runs| {
            let ratio = Some(1.0);
            verdict(&TimeChange { ratio, a_runs, b_runs, verdict: Verdict::Same, ..TimeChange::default() })
        };
        let said = [of(1, 1), of(1, 5), of(5, 1), of(2, 2)];
        let each = "same (one run each: no significance)";
        let [a, b] = ["A", "B"].map(|side| format!("same (one run of {side}: no significance)"));
        assert_eq!(said, [each, a.as_str(), b.as_str(), "same"]);
    }

    #[test]
    fn live_memory_is_told_where_it_differs() {
        let at = MemoryMoment {
            a_ns: 1_000_000,
            b_ns: 3_000_000,
            a_bytes: 4_096,
            b_bytes: 1_024,
            ..MemoryMoment::default()
        };
        let location =
            |line| Some(LocationInfo { file: "a.cpp".to_owned(), line, ..LocationInfo::default() });
        let place = |line, a_bytes, b_bytes| ComparedMemory {
            location: location(line),
            a_count: 2,
            b_count: 1,
            a_bytes,
            b_bytes,
            ..ComparedMemory::default()
        };
        let live = LiveMemory {
            at,
            places: vec![place(7, 3_072, 0), place(9, 1_024, 1_024)],
            ..LiveMemory::default()
        };
        let lines = lines(&Comparison::default(), &live, 100, 1);
        let from = lines.iter().position(|line| line.starts_with("Live memory")).unwrap();
        assert_eq!(lines[from + 1], "  at 1.000 ms in A and 3.000 ms in B: 4.0 KiB → 1.0 KiB");
        assert!(lines[from + 3].contains("2 → 1") && lines[from + 3].contains("a.cpp:7"), "{lines:?}");
        assert_eq!(lines[from + 4..], ["  and 1 more place (--top)"]);
        let same = LiveMemory { at: MemoryMoment { b_bytes: 4_096, ..at }, ..live };
        assert!(
            super::lines(&Comparison::default(), &same, 100, 1)
                .iter()
                .all(|line| !line.contains("Live memory"))
        );
    }
}

//! Energy by command, for each power counter.

use syclscope_language::api::{Energy, EnergyCounter};

use super::{Room, cut, name};
use syclscope_text::{Align, Table, count, duration, printable, wrapped};

/// Maximum width of the name of a device without a counter.
const DEVICE_COLUMNS: usize = 60;

pub(super) fn energy(energy: &Energy, room: Room) -> Vec<String> {
    let mut lines = Vec::new();
    for counter in energy.counters.iter().filter(|counter| counter.intervals > 0) {
        lines.extend(wrapped(&sentence(counter, &energy.estimate), room.width));
        lines.extend(commands(counter, room));
    }
    if !lines.is_empty() {
        for device in &energy.without_counter {
            let device_name = printable(&device.device, DEVICE_COLUMNS);
            lines.push(format!(
                "{device_name}: no counter of its power, device time {}",
                duration(device.total_ns)
            ));
        }
    }
    lines
}

fn sentence(counter: &EnergyCounter, estimate: &str) -> String {
    let watts = counter.mean_watts().map(|watts| format!(" (mean {})", amount(watts, "W")));
    let mut parts = Vec::new();
    if counter.device.is_some() {
        parts.push(format!("commands {}", share(counter.command_joules, counter.joules)));
        parts.push(format!("idle {}", share(counter.idle_joules, counter.joules)));
    }
    for rest in &counter.rest {
        let share = share(rest.joules, counter.joules);
        parts.push(format!("not attributed {share} ({})", rest.reason.words()));
    }
    if counter.unsampled_ns > 0 {
        parts.push(format!("{} of commands outside of the samples", duration(counter.unsampled_ns)));
    }
    format!(
        "{}: {} in {}{}, {estimate}: {}",
        name(&counter.name),
        amount(counter.joules, "J"),
        duration(counter.covered_ns),
        watts.unwrap_or_default(),
        parts.join(", ")
    )
}

fn commands(counter: &EnergyCounter, room: Room) -> Vec<String> {
    if counter.commands.is_empty() {
        return Vec::new();
    }
    let mut table = Table::new([
        ("energy", Align::Right),
        ("share", Align::Right),
        ("each", Align::Right),
        ("count", Align::Right),
        ("kind", Align::Left),
        ("command", Align::Name),
    ]);
    let shown = counter.commands.len().min(room.steps);
    for command in &counter.commands[..shown] {
        table.row([
            amount(command.joules, "J"),
            share(command.joules, counter.joules),
            amount(command.joules / command.count.max(1) as f64, "J"),
            count(command.count),
            command.kind.as_str().replace('_', " "),
            name(&command.name),
        ]);
    }
    cut(table.lines(room.width), counter.commands.len() + counter.more as usize, shown)
}

/// Returns a value with four digits: `1.234 kJ`, `12.34 µJ`.
fn amount(value: f64, unit: &str) -> String {
    let (scaled, prefix) = match value {
        1e6.. => (value / 1e6, "M"),
        1e3.. => (value / 1e3, "k"),
        1.0.. => (value, ""),
        1e-3.. => (value * 1e3, "m"),
        1e-6.. => (value * 1e6, "µ"),
        0.0 => return format!("0 {unit}"),
        _ => (value * 1e9, "n"),
    };
    match scaled {
        ..10.0 => format!("{scaled:.3} {prefix}{unit}"),
        10.0..100.0 => format!("{scaled:.2} {prefix}{unit}"),
        _ => format!("{scaled:.1} {prefix}{unit}"),
    }
}

fn share(part: f64, whole: f64) -> String {
    let microjoules = |joules: f64| (joules * 1e6).round() as u64;
    super::share(microjoules(part), microjoules(whole))
}

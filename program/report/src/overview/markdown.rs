//! A trace in Markdown, as supported by GitLab and GitHub.
//!
//! Texts of the trace can't become a heading, a link, an image or a mention: names are written as code,
//! sentences are escaped.

use std::fmt::Write as _;

use syclscope_language::api::{
    Finding, Gaps, LocationInfo, Report, Severity, TraceInfo, bounded_gain, gain_bound,
};

use super::{MAX_COMMANDS, NAME_COLUMNS, busiest, percent, speed_findings};
use syclscope_text::{count, counted, duration, printable, short_names};

const MAX_FINDINGS: usize = 5;
pub const MAX_STRETCHES: u32 = 3;
const SENTENCE_COLUMNS: usize = 300;

/// Summarises a trace, or a part of it: then `report` and `gaps` cover the part, and `part` describes it,
/// such as `iterations 5-120`. `gaps` is the idle time of all devices, `None` if unknown.
pub fn markdown(
    name: &str,
    info: &TraceInfo,
    report: &Report,
    gaps: Option<&Gaps>,
    part: Option<&str>,
) -> String {
    let title = match info.program.clone() {
        title if title.is_empty() => name.to_owned(),
        title => title,
    };
    let mut text = format!("### {}\n\n{}: {}", sentence(&title), code(name), duration(info.duration_ns));
    let counts = &info.counts;
    for (number, thing) in
        [(counts.commands, "command"), (counts.slices, "slice"), (counts.dropped, "dropped event")]
    {
        if number > 0 {
            text += &format!(", {}", counted(number, thing));
        }
    }
    text += ".\n";
    if let Some(part) = part {
        text += &format!("\n**Part**: {}\n", sentence(part));
    }
    if !info.complete && !info.process.recorder.is_empty() && info.producer().is_none() {
        text += "\n**Cut short**: the program did not end normally.\n";
    }
    let split = report.split;
    if !report.commands.is_empty() && split.run_ns > 0 {
        text += "\n| devices computing | only copying | idle, host waits | idle, host does not wait |\n|---|---|---|---|\n";
        let parts = [split.device_ns, split.copy_ns, split.wait_ns, split.host_ns];
        row(&mut text, parts.map(|part| percent(part, split.run_ns)));
        if split.unknown_ns > 0 {
            let unknown = percent(split.unknown_ns, split.run_ns);
            let of = if part.is_some() { "part" } else { "run" };
            text += &format!(
                "\nWhat devices did in {unknown} of the {of} is not known: device times are missing.\n"
            );
        }
    }
    if part.is_none() && !report.unseen.is_empty() {
        text.push('\n');
        report.unseen.iter().for_each(|unseen| text += &format!("- {}\n", sentence(unseen)));
    }
    if let Some(words) = report.recording.as_ref().and_then(|recording| recording.words(count)) {
        text += &format!("\n{}.\n", sentence(&words));
    }
    commands(&mut text, report);
    gaps.into_iter().for_each(|gaps| idle_time(&mut text, gaps));
    findings(&mut text, report);
    problems(&mut text, info);
    text
}

fn commands(text: &mut String, report: &Report) {
    if report.commands.is_empty() {
        return;
    }
    *text +=
        "\n| command | kind | runs | device time | share | mean | p95 |\n|---|---|--:|--:|--:|--:|--:|\n";
    let names = short_names(report.commands.iter().take(MAX_COMMANDS).map(|command| command.name.as_str()));
    for (command, _, share) in busiest(report) {
        row(
            text,
            [
                code(&names.fit(&command.name, NAME_COLUMNS)),
                command.kind.as_str().replace('_', " "),
                count(command.count),
                duration(command.total_ns),
                share,
                duration(command.mean_ns),
                duration(command.p95_ns),
            ],
        );
    }
    if let Some(more) = report.commands.len().checked_sub(MAX_COMMANDS).filter(|more| *more > 0) {
        *text += &format!("\nand {} more\n", count(more as u64));
    }
}

fn idle_time(text: &mut String, gaps: &Gaps) {
    if gaps.idle_ns == 0 {
        return;
    }
    *text += &format!("\n**Idle time of devices**: {}\n\n", duration(gaps.idle_ns));
    *text += "| cause | stretches | time | share |\n|---|--:|--:|--:|\n";
    for time in &gaps.classes {
        let share = percent(time.total_ns, gaps.idle_ns);
        row(text, [sentence(time.class.as_words()), count(time.count), duration(time.total_ns), share]);
    }
    text.push('\n');
    for gap in gaps.gaps.iter().take(MAX_STRETCHES as usize) {
        *text += &format!("- {}\n", sentence(&gap.message));
    }
}

fn findings(text: &mut String, report: &Report) {
    let found = speed_findings(report);
    if found.is_empty() {
        return;
    }
    *text += "\n**Possible gains**\n\n";
    let gain_ns = |finding: &&Finding| finding.gain.as_ref().map(|gain| gain.ns);
    let is_small = |finding: &&Finding| finding.is_small(report.split.run_ns);
    if found.iter().all(is_small) {
        *text += "No finding would save 1 % or more.\n\n";
    }
    for finding in found.iter().take(MAX_FINDINGS) {
        let place = place(finding.location.as_ref());
        let gain = gain_ns(finding).map_or_else(
            || format!("affects {}", duration(finding.touches_ns)),
            |ns| match ns {
                0 => "would save no time".to_owned(),
                ns => bounded_gain(gain_bound(&finding.kind), &duration(ns)),
            },
        );
        let part = finding.iterations.as_ref().filter(|_| gain_ns(finding) != Some(0));
        let part = part.map(|part| part.words(&finding.kind, duration));
        let gain = part.map_or_else(|| gain.clone(), |part| format!("{gain} (in an iteration {part})"));
        // Infallible: writes to a String don't fail.
        let _ = writeln!(text, "- {gain}{place}: {}", sentence(&finding.message));
    }
    if let Some(more) = found.len().checked_sub(MAX_FINDINGS).filter(|more| *more > 0) {
        let _ = writeln!(text, "- and {} more", count(more as u64));
    }
}

fn problems(text: &mut String, info: &TraceInfo) {
    let bad = |severity| severity != Severity::Info;
    let lines = info
        .diagnostics
        .iter()
        .filter(|problem| bad(problem.severity))
        .map(|problem| format!("- {} × {}", count(problem.count), sentence(&problem.message)));
    let wrong = info.findings.iter().filter(|finding| bad(finding.severity)).take(MAX_FINDINGS);
    let wrong =
        wrong.map(|finding| format!("- {}{}", sentence(&finding.message), place(finding.location.as_ref())));
    let all_wrong = info.findings.iter().filter(|finding| bad(finding.severity)).count();
    let more = all_wrong.checked_sub(MAX_FINDINGS).filter(|more| *more > 0);
    let more = more.map(|more| format!("- and {} more", count(more as u64)));
    let all: Vec<String> = lines.chain(wrong).chain(more).collect();
    if !all.is_empty() {
        *text += &format!("\n**Problems**\n\n{}\n", all.join("\n"));
    }
}

fn place(location: Option<&LocationInfo>) -> String {
    match location {
        Some(LocationInfo { file, line, .. }) if !file.is_empty() => {
            format!(" ({})", code(&format!("{file}:{line}")))
        }
        _ => String::new(),
    }
}

fn row<const N: usize>(text: &mut String, cells: [String; N]) {
    *text += &format!("| {} |\n", cells.join(" | "));
}

/// Returns a name as code. A vertical bar would end the table cell, a backtick the code.
pub fn code(name: &str) -> String {
    in_backticks(&printable(name, SENTENCE_COLUMNS))
}

/// Like [`code`], for a text of any length.
pub fn whole_code(text: &str) -> String {
    // No character takes more than two columns.
    in_backticks(&printable(text, 2 * text.len()))
}

fn in_backticks(printable: &str) -> String {
    let name = printable.replace('`', "'");
    if name.trim().is_empty() {
        return "`?`".to_owned();
    }
    // Renderers disagree about a backslash before an escaped bar, and nothing escapes a bar between
    // backticks.
    if name.contains('\\') {
        return format!("<code>{}</code>", entities(&name));
    }
    format!("`{}`", name.replace('|', "\\|"))
}

/// Escapes all punctuation that a renderer could interpret.
fn entities(text: &str) -> String {
    let mut plain = String::new();
    for letter in text.chars() {
        if letter.is_ascii_punctuation() {
            let _ = write!(plain, "&#{};", u32::from(letter));
        } else {
            plain.push(letter);
        }
    }
    plain
}

/// Returns a text without Markdown syntax, mentions (`@name`), and references to issues (`#1`, `!1`, `GH-1`).
pub fn sentence(text: &str) -> String {
    let mut plain = String::new();
    let mut before = ['\0'; 2];
    let shown = printable(text, SENTENCE_COLUMNS);
    let mut letters = shown.chars().peekable();
    while let Some(letter) = letters.next() {
        if "\\`*_{}[]<>()#+-!|~&$".contains(letter) {
            plain.push('\\');
        }
        plain.push(letter);
        // References are found in the rendered text, in which backslashes are gone.
        let is_after_gh = matches!(before, ['G' | 'g', 'H' | 'h']);
        let is_mark = matches!(letter, '#' | '!') || letter == '-' && is_after_gh;
        if letter == '@' || is_mark && letters.peek().is_some_and(char::is_ascii_digit) {
            plain.push('\u{200b}');
        }
        before = [before[1], letter];
    }
    // Addresses don't become links, either, with a scheme or without.
    plain.replace("://", ":\u{200b}//").replace("www.", "www\u{200b}.")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use syclscope_language::api::{
        CommandReport, Gain, Gap, GapClass, GapClassTime, ProcessInfo, RecordingCost,
    };
    use syclscope_language::event::NodeKind;

    use super::*;

    proptest! {
        #[test]
        fn no_name_leaves_its_code(name in "[\\\\|`<>&*_#;a ]{0,12}") {
            let shown = code(&name);
            let inside = match shown.strip_prefix("<code>") {
                // In an element only entities keep a meaning.
                Some(inside) => inside.strip_suffix("</code>").unwrap().to_owned(),
                None => {
                    let inside = shown.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')).unwrap();
                    prop_assert!(!inside.contains('`'), "{shown}");
                    // Renderers disagree about backslashes, so each of them must escape a bar.
                    prop_assert_eq!(inside.matches('\\').count(), inside.matches("\\|").count(), "{}", shown);
                    prop_assert_eq!(inside.matches('|').count(), inside.matches("\\|").count(), "{}", shown);
                    return Ok(());
                }
            };
            let marks: String = inside.chars().filter(char::is_ascii_punctuation).collect();
            prop_assert!(marks.replace("&#;", "").is_empty(), "{shown}");
        }
    }

    #[test]
    fn nothing_of_a_trace_means_anything_to_markdown() {
        assert_eq!(code("a|b`c\n"), "`a\\|b'c\u{fffd}`");
        assert_eq!(code(" "), "`?`");
        assert_eq!(sentence("<img> ![a](b) @me"), "\\<img\\> \\!\\[a\\]\\(b\\) @\u{200b}me");
        assert_eq!(sentence("device #2, gh-3!4"), "device \\#\u{200b}2, gh\\-\u{200b}3\\!\u{200b}4");
        assert_eq!(sentence("a-1 # 2"), "a\\-1 \\# 2");
        assert_eq!(sentence("http://a"), "http:\u{200b}//a");
        assert_eq!(sentence("see www.evil.example"), "see www\u{200b}.evil.example");
    }

    #[test]
    fn idle_time_is_told_by_cause_with_its_longest_stretches() {
        let gap = |message: &str| Gap {
            track: 1,
            name: "device".into(),
            from_ns: 100,
            to_ns: 400,
            class: GapClass::Host,
            parts: Vec::new(),
            next: None,
            location: None,
            before: None,
            after: None,
            message: message.into(),
        };
        let time = |class, total_ns| GapClassTime { class, total_ns, count: 2 };
        let gaps = Gaps {
            idle_ns: 400,
            count: 4,
            classes: vec![time(GapClass::Host, 300), time(GapClass::DeviceBusy, 100)],
            gaps: ["idle: one", "two", "three", "four"].map(gap).to_vec(),
            more: 0,
        };
        let of = |gaps| markdown("a.json", &TraceInfo::default(), &Report::default(), gaps, None);
        let text = of(Some(&gaps));
        let expected = "\n**Idle time of devices**: 400 ns\n\n| cause | stretches | time | share |\n\
            |---|--:|--:|--:|\n| host code \\(not recorded\\) | 2 | 300 ns | 75.0 % |\n\
            | device busy with other queues | 2 | 100 ns | 25.0 % |\n\n- idle: one\n- two\n- three\n";
        assert!(text.ends_with(expected), "{text}");
        assert_eq!(of(Some(&Gaps::default())), of(None));
    }

    #[test]
    fn a_trace_has_its_kernels_findings_and_problems() {
        let process = ProcessInfo { name: "heat".into(), recorder: "r".into(), ..ProcessInfo::default() };
        let info = TraceInfo { program: "heat".into(), duration_ns: 2_000, process, ..TraceInfo::default() };
        let command = CommandReport {
            name: "step<a|b>".into(),
            kind: NodeKind::Kernel,
            count: 3,
            total_ns: 600,
            min_ns: 100,
            mean_ns: 200,
            p50_ns: 200,
            p95_ns: 300,
            max_ns: 300,
            mean_queueing_delay_ns: None,
            location: None,
            locations: 0,
        };
        let location = LocationInfo { file: "heat.cpp".into(), function: String::new(), line: 7, column: 0 };
        let finding = Finding {
            message: "Waits.".into(),
            severity: Severity::Error,
            location: Some(location),
            gain: Some(Gain { ns: 50, ..Gain::default() }),
            ..Finding::default()
        };
        let other = Finding {
            message: "Computes elsewhere.".into(),
            touches_ns: 70,
            no_gain: "Nobody knows.".into(),
            ..Finding::default()
        };
        let tiny = CommandReport { name: "set".into(), count: 1, total_ns: 1, ..command.clone() };
        let busy = CommandReport { total_ns: 1_000_000, ..command.clone() };
        let report = Report { commands: vec![busy, tiny], ..Report::default() };
        let text = markdown("run.pftrace", &info, &report, None, None);
        assert!(text.contains(" | > 99.9 % | ") && text.contains(" | < 0.1 % | "), "{text}");
        let mut report =
            Report { commands: vec![command], findings: vec![finding.clone(), other], ..Report::default() };
        (report.split.run_ns, report.split.device_ns) = (2_000, 600);
        let thread = "worker".to_owned();
        let (notifications, most_ns, thread_ns) = (2, 100, 2_000);
        let recording =
            RecordingCost { thread, notifications, most_ns, thread_ns, ..RecordingCost::default() };
        report.recording = Some(recording);
        let many = TraceInfo { findings: vec![finding.clone(); MAX_FINDINGS + 2], ..info.clone() };
        let text = markdown("run.pftrace", &many, &report, None, None);
        assert!(text.ends_with("- Waits. (`heat.cpp:7`)\n- and 2 more\n"), "{text}");
        let info = TraceInfo { findings: vec![finding], ..info };
        let text = markdown("run.pftrace", &info, &report, None, None);
        for line in [
            "### heat",
            "`run.pftrace`: 2.000 µs.",
            "**Cut short**: the program did not end normally.",
            "| 30.0 % | 0.0 % | 0.0 % | 0.0 % |",
            "| `step<a\\|b>` | kernel | 3 | 600 ns | 100.0 % | 200 ns | 300 ns |",
            "recording took 0.0 to 5.0 % of the time of worker in the recorder's own code \\(2 notifications of 0 to 50 ns\\); \
             the overhead of the runtime's tracing and of a vendor's device records is unknown.",
            "- at most 50 ns (`heat.cpp:7`): Waits.",
            "- affects 70 ns: Computes elsewhere.",
            "- Waits. (`heat.cpp:7`)",
        ] {
            assert!(text.lines().any(|own| own == line), "{line} is not in\n{text}");
        }
        assert!(!text.contains("No finding would"), "{text}");
        report.unseen.push("3 host tasks ran".to_owned());
        let of_part = markdown("run.pftrace", &info, &report, None, Some("iterations 5-120"));
        assert!(of_part.contains("\n**Part**: iterations 5\\-120\n"), "{of_part}");
        assert!(of_part.contains("devices computing") && !of_part.contains("3 host tasks"), "{of_part}");
        report.findings.pop();
        report.split.run_ns = 20_000;
        let text = markdown("run.pftrace", &info, &report, None, None);
        assert!(
            text.contains("\n**Possible gains**\n\nNo finding would save 1 % or more.\n\n- at most"),
            "{text}"
        );
        assert_eq!(
            markdown("a.json", &TraceInfo::default(), &Report::default(), None, None),
            "### a.json\n\n`a.json`: 0 ns.\n"
        );
    }
}

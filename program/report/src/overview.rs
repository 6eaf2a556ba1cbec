//! Overview of a trace outside the page: text for CI comments, a picture for wikis, a file to print.

mod html;
mod markdown;
mod picture;

pub use self::html::{HTML_STYLE, HtmlContents, html};
pub use self::markdown::{MAX_STRETCHES, code, markdown, sentence, whole_code};
pub use self::picture::picture;

use syclscope_language::api::{CommandReport, Finding, Report};
use syclscope_language::share::share;

const MAX_COMMANDS: usize = 8;

const NAME_COLUMNS: usize = 72;

/// Returns the commands with the most device time, their shares, and these in words.
fn busiest(report: &Report) -> impl Iterator<Item = (&CommandReport, f64, String)> {
    let all_ns: u64 = report.commands.iter().map(|command| command.total_ns).fold(0, u64::saturating_add);
    let share = move |command: &CommandReport| command.total_ns as f64 / all_ns.max(1) as f64;
    let words = move |command: &CommandReport| percent(command.total_ns, all_ns);
    report.commands.iter().take(MAX_COMMANDS).map(move |command| (command, share(command), words(command)))
}

/// Returns the findings about speed, the largest gain first.
fn speed_findings(report: &Report) -> Vec<&Finding> {
    let is_speed = |finding: &&Finding| finding.gain.is_some() || finding.touches_ns > 0;
    report.findings.iter().filter(is_speed).collect()
}

fn percent(part: u64, whole: u64) -> String {
    share(part, whole, 1)
}

//! A gate's items as test cases: Jenkins, GitLab and others show JUnit XML with test results.

use std::fmt::Write as _;

use super::gate::{Gate, Judged};
use syclscope_text::{escaped, safe};

/// Writes the items of a gate: a failed item as a failure, an undecided one as a skipped test, an
/// incomparable one as an error.
pub fn junit(gate: &Gate) -> String {
    let count = |judged: Judged| gate.items.iter().filter(|item| item.judged == judged).count();
    let (failures, skipped, errors) =
        (count(Judged::Fail), count(Judged::Undecided), count(Judged::Incomparable));
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"syclscope\" tests=\"{}\" failures=\"{failures}\" \
         skipped=\"{skipped}\" errors=\"{errors}\">\n",
        gate.items.len()
    );
    for item in &gate.items {
        let text = |text: &str| escaped(&xml(text));
        let (name, message) = (text(&item.name), text(&item.message));
        let class = item.about.as_str();
        let inner = match item.judged {
            Judged::Pass => String::new(),
            Judged::Fail => format!("<failure message=\"{message}\"/>"),
            Judged::Undecided => format!("<skipped message=\"{message}\"/>"),
            Judged::Incomparable => format!("<error message=\"{message}\"/>"),
        };
        // Infallible: writes to a String don't fail.
        let _ = writeln!(out, "<testcase classname=\"syclscope.{class}\" name=\"{name}\">{inner}</testcase>");
    }
    for remark in &gate.remarks {
        let _ = writeln!(out, "<system-out>{}</system-out>", escaped(&xml(remark)));
    }
    out + "</testsuite>\n</testsuites>\n"
}

/// Returns a text for XML, without control characters.
fn xml(text: &str) -> String {
    safe(text).chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

//! Kernels and calls as comma-separated values (RFC 4180), times in ns.

use std::fmt::Write as _;

use syclscope_trace::api::{CallSummary, KernelSummary};

use super::calls::kind;

/// A line for each kernel or other command.
pub(super) fn kernels(kernels: &[KernelSummary]) -> String {
    let mut text = String::from("name,kind,count,total_ns,min_ns,mean_ns,max_ns\n");
    for kernel in kernels {
        let KernelSummary { name, kind, count, total_ns, min_ns, max_ns } = kernel;
        let mean_ns = total_ns.checked_div(*count).unwrap_or(0);
        let name = field(name);
        let kind = kind.as_str();
        let _ = writeln!(text, "{name},{kind},{count},{total_ns},{min_ns},{mean_ns},{max_ns}");
    }
    text
}

/// A line for each function.
pub(super) fn calls(calls: &[CallSummary]) -> String {
    let mut text = String::from("name,count,errors,total_ns,mean_ns,min_ns,max_ns,unfinished,kind\n");
    for call in calls {
        let CallSummary { name, count, errors, unfinished, total_ns, min_ns, max_ns, .. } = call;
        let (name, mean_ns, kind) = (field(name), call.mean_ns(), kind(call));
        let _ = writeln!(
            text,
            "{name},{count},{errors},{total_ns},{mean_ns},{min_ns},{max_ns},{unfinished},{kind}"
        );
    }
    text
}

/// A text as a field: in quotation marks where it holds what would end it.
fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_commas_stay_one_field() {
        assert_eq!(field("axpy<float, int>"), "\"axpy<float, int>\"");
        assert_eq!(field("say \"hi\""), "\"say \"\"hi\"\"\"");
        assert_eq!(field("plain"), "plain");
    }
}

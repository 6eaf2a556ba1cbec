//! The drawing as DOT, for Graphviz.

use std::fmt::Write as _;

use crate::state::words;
use crate::views::graph::labels;
use crate::views::graph::model::{EdgeChoice, Model};

/// Writes a DOT digraph with names, metrics and reasons; `name` is the trace's.
pub fn dot(model: &Model, choice: &EdgeChoice, name: &str) -> String {
    let mut out = format!(
        "digraph {} {{\n  graph [label={0}, labelloc=t, rankdir=TB];\n  node [shape=box, fontname=\"sans-serif\"];\n",
        quoted(name)
    );
    for node in &model.view.nodes {
        let mut lines = vec![labels::title(model, node).to_owned()];
        let times = labels::times(node);
        let facts: Vec<String> = std::iter::once(labels::kind(node.kind).to_owned())
            .chain(Some(times).filter(|times| !times.is_empty()))
            .chain(labels::figures(node))
            .collect();
        lines.push(facts.join(" · "));
        let device = Some(model.device(node).to_owned()).filter(|device| !device.is_empty());
        let third: Vec<String> = labels::place(model, node).into_iter().chain(device).collect();
        if !third.is_empty() {
            lines.push(third.join(" · "));
        }
        let style = if node.critical > 0 { ", color=red, penwidth=2" } else { "" };
        // Writing to a string can't fail.
        let _ = writeln!(out, "  {} [label={}{style}];", quoted(&node.id), quoted(&lines.join("\n")));
    }
    for edge in model.view.edges.iter().filter(|edge| choice.shows(edge)) {
        let (Some(source), Some(target)) = (model.node(edge.source), model.node(edge.target)) else {
            continue;
        };
        let reasons: Vec<&str> = edge.reasons.iter().map(|(reason, _)| words::edge_reason(*reason)).collect();
        let mut style =
            format!("label={}, class={}", quoted(&labels::edge_words(edge)), quoted(&reasons.join(" ")));
        if edge.critical > 0 {
            style += ", color=red, penwidth=2";
        } else if edge.redundant {
            style += ", style=dashed";
        }
        let _ = writeln!(out, "  {} -> {} [{style}];", quoted(&source.id), quoted(&target.id));
    }
    out + "}\n"
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => quoted += "\\\"",
            '\\' => quoted += "\\\\",
            '\n' => quoted += "\\n",
            letter if letter.is_control() => quoted.push(' '),
            letter => quoted.push(letter),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use syclscope_language::event::EdgeReason;

    use super::*;
    use crate::views::graph::model::tests::diamond;
    use crate::views::graph::state::RedundantEdges;

    #[test]
    fn nodes_edges_and_reasons_are_told() {
        let choice = EdgeChoice { without: vec![EdgeReason::InOrder], redundant: RedundantEdges::Mark };
        let expected = r#"digraph "a \"b\"" {
  graph [label="a \"b\"", labelloc=t, rankdir=TB];
  node [shape=box, fontname="sans-serif"];
  "1" [label="memcpy\ncopy · 1 ms · 4 MiB\ngpu"];
  "2x20" [label="stencil<float>\nkernel · ×20 · 20 ms\ngpu", color=red, penwidth=2];
  "3" [label="reduce\nkernel · 1 ms\ngpu"];
  "30" [label="check\nhost task"];
  "1" -> "2x20" [label="accessor read write · object 7 · ×2", class="accessor", color=red, penwidth=2];
  "1" -> "3" [label="event · ×2", class="event"];
  "2x20" -> "30" [label="accessor · ×2", class="accessor"];
  "3" -> "30" [label="event · ×2 · redundant", class="event", style=dashed];
}
"#;
        assert_eq!(dot(&diamond(), &choice, "a \"b\""), expected);
    }
}

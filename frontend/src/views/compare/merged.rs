//! Both task graphs merged: texts about the changes of nodes and dependences, and the lines of edges.

use syclscope_language::api::{ComparedEdge, ComparedNode, ComparedReason, Presence, Verdict, ratio_words};

use crate::format;
use crate::state::words::edge_reason;

/// Length of an arrow's head along either axis.
const HEAD: f64 = 5.0;

pub fn node_class(node: &ComparedNode) -> &'static str {
    match (node.presence, node.verdict) {
        (Presence::OnlyA, _) => "merged-node is-removed",
        (Presence::OnlyB, _) => "merged-node is-added",
        (Presence::Both, Verdict::Slower) => "merged-node is-slower",
        (Presence::Both, Verdict::Faster) => "merged-node is-faster",
        (Presence::Both, _) => "merged-node",
    }
}

pub fn node_words(node: &ComparedNode) -> String {
    let count = |count| format!("×{}", format::count(count));
    let counts = match (node.presence, node.a_count == node.b_count) {
        (Presence::OnlyA, _) => return format!("only in A · {}", count(node.a_count)),
        (Presence::OnlyB, _) => return format!("only in B · {}", count(node.b_count)),
        (Presence::Both, true) => count(node.b_count),
        (Presence::Both, false) => format!("{} → {}", count(node.a_count), count(node.b_count)),
    };
    let verdict = match node.verdict {
        Verdict::Incomparable => return counts,
        verdict => verdict.as_str(),
    };
    match node.ratio.filter(|_| node.verdict != Verdict::Same) {
        Some(change) => format!("{verdict}, {} · {counts}", ratio_words(change)),
        None => format!("{verdict} · {counts}"),
    }
}

pub fn edge_class(edge: &ComparedEdge) -> &'static str {
    let all = |presence| edge.reasons.iter().all(|reason| reason.presence == presence);
    if all(Presence::OnlyA) {
        "is-removed"
    } else if all(Presence::OnlyB) {
        "is-added"
    } else if edge.reasons.iter().any(ComparedReason::is_changed) {
        "is-changed"
    } else {
        "is-same"
    }
}

pub fn reason_words(presence: Presence, reason: &str, new_reason: Option<&str>) -> String {
    match (presence, new_reason) {
        (Presence::OnlyA, _) => format!("removed: {reason}"),
        (Presence::OnlyB, _) => format!("added: {reason}"),
        (Presence::Both, Some(now)) => format!("{reason} → {now}"),
        (Presence::Both, None) => reason.to_owned(),
    }
}

pub fn edge_title(edge: &ComparedEdge, source: &str, target: &str) -> String {
    edge.reasons.iter().fold(format!("{source} → {target}"), |title, one| {
        let new_reason = one.new_reason.map(edge_reason);
        let words = reason_words(one.presence, edge_reason(one.reason), new_reason);
        format!("{title}\n{words} (×{})", format::count(one.count))
    })
}

pub fn path(points: &[i32]) -> String {
    let places: Vec<[f64; 2]> =
        points.chunks_exact(2).map(|at| [f64::from(at[0]), f64::from(at[1])]).collect();
    let [.., before, end] = places.as_slice() else { return String::new() };
    let line = places.iter().enumerate().fold(String::new(), |line, (number, [x, y])| {
        line + &format!("{}{x} {y}", if number == 0 { "M" } else { "L" })
    });
    // The head's corners are back from the end along the line, and 0.7 times as far to either side.
    let [along_x, along_y] = [end[0] - before[0], end[1] - before[1]];
    let length = along_x.hypot(along_y).max(1.0);
    let [step_x, step_y] = [along_x / length * HEAD, along_y / length * HEAD];
    let side = |sign: f64| {
        let [x, y] = [end[0] - step_x - sign * step_y * 0.7, end[1] - step_y + sign * step_x * 0.7];
        format!("{x:.1} {y:.1}")
    };
    format!("{line}M{}L{} {}L{}", side(1.0), end[0], end[1], side(-1.0))
}

#[cfg(test)]
mod tests {
    use syclscope_language::event::EdgeReason;

    use super::*;

    fn reason(presence: Presence, new_reason: Option<EdgeReason>) -> ComparedReason {
        ComparedReason { presence, reason: EdgeReason::Event, new_reason, count: 2 }
    }

    fn edge(reasons: &[ComparedReason]) -> ComparedEdge {
        ComparedEdge { reasons: reasons.to_vec(), ..ComparedEdge::default() }
    }

    #[test]
    fn edges_say_what_became_of_them() {
        let same = reason(Presence::Both, None);
        let (added, removed) = (reason(Presence::OnlyB, None), reason(Presence::OnlyA, None));
        let other = reason(Presence::Both, Some(EdgeReason::Accessor));
        let classes =
            [&[same][..], &[added], &[removed], &[same, added], &[other]].map(|one| edge_class(&edge(one)));
        assert_eq!(classes, ["is-same", "is-added", "is-removed", "is-changed", "is-changed"]);
        let title = edge_title(&edge(&[added, other]), "a", "b");
        assert_eq!(title.lines().count(), 3);
        assert!(title.starts_with("a → b\nadded: "), "{title}");
    }

    #[test]
    fn nodes_say_what_became_of_them() {
        let node = |presence, verdict, b_count| {
            let one = ComparedNode {
                presence,
                verdict,
                ratio: Some(1.5),
                a_count: 2,
                b_count,
                ..ComparedNode::default()
            };
            (node_class(&one), node_words(&one))
        };
        assert_eq!(
            node(Presence::Both, Verdict::Slower, 3),
            ("merged-node is-slower", "slower, +50.0 % · ×2 → ×3".to_owned())
        );
        assert_eq!(node(Presence::Both, Verdict::Same, 2).1, "same · ×2");
        assert_eq!(
            node(Presence::OnlyB, Verdict::Incomparable, 3),
            ("merged-node is-added", "only in B · ×3".to_owned())
        );
        assert_eq!(node(Presence::Both, Verdict::Incomparable, 2).1, "×2");
    }

    #[test]
    fn lines_end_in_arrows() {
        assert_eq!(path(&[0, 0, 0, 10, 0, 20]), "M0 0L0 10L0 20M-3.5 15.0L0 20L3.5 15.0");
        assert_eq!(path(&[]), "");
        assert_eq!(path(&[1, 2]), "");
    }
}

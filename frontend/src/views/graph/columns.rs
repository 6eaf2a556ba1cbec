//! The graph as a table: a row for each node of the drawing.

use std::sync::Arc;

use syclscope_language::api::ViewNode;
use syclscope_language::event::NodeKind;

use crate::state::table::{Column, forms};
use crate::state::words;
use crate::views::graph::labels;
use crate::views::graph::model::{EdgeChoice, Model};

#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub node: ViewNode,
    pub number: u32,
    pub name: Arc<str>,
    pub device: Arc<str>,
    pub place: Arc<str>,
    pub waits_for: String,
    pub waited_by: String,
}

const MAX_EDGES: usize = 3;

pub fn rows(model: &Model, choice: &EdgeChoice, found: &[bool]) -> Vec<Row> {
    let names: Vec<Arc<str>> = model.view.names.iter().map(|name| name.as_str().into()).collect();
    let places: Vec<Arc<str>> =
        model.view.locations.iter().map(|location| words::short_place(location).into()).collect();
    let none: Arc<str> = "".into();
    let text = |texts: &[Arc<str>], at: Option<u32>| {
        at.and_then(|at| texts.get(at as usize)).unwrap_or(&none).clone()
    };
    let numbered = (0_u32..).zip(&model.view.nodes);
    let rows = numbered.filter(|(number, _)| found.get(*number as usize).copied().unwrap_or(true));
    let row = |(number, node): (u32, &ViewNode)| Row {
        number,
        name: match text(&names, Some(node.name)) {
            name if name.is_empty() || node.kind == NodeKind::Virtual => labels::kind(node.kind).into(),
            name => name,
        },
        device: text(&names, node.device),
        place: text(&places, node.location),
        waits_for: edge_list(model, choice, model.incoming(number), true),
        waited_by: edge_list(model, choice, model.outgoing(number), false),
        node: node.clone(),
    };
    rows.map(row).collect()
}

fn edge_list(model: &Model, choice: &EdgeChoice, edges: &[u32], is_incoming: bool) -> String {
    let visible: Vec<_> =
        edges.iter().filter_map(|edge| model.edge(*edge)).filter(|edge| choice.shows(edge)).collect();
    let mut texts: Vec<String> = Vec::new();
    for edge in visible.iter().take(MAX_EDGES) {
        let other = model.node(if is_incoming { edge.source } else { edge.target });
        let name = other.map_or("", |other| labels::title(model, other));
        texts.push(format!("{name} ({})", labels::edge_words(edge)));
    }
    if visible.len() > MAX_EDGES {
        texts.push(format!("and {} more", visible.len() - MAX_EDGES));
    }
    texts.join("; ")
}

pub static COLUMNS: [Column<Row>; 14] = [
    Column::text("name", "Name", |row| row.name.to_string()),
    Column::amount("total", "Summed device time", |row| row.node.total_ns as f64, forms::some_duration),
    Column::text("kind", "Kind", |row| labels::kind(row.node.kind).to_owned()),
    Column::amount("count", "Commands", |row| row.node.count as f64, forms::whole),
    Column::text("device", "Device", |row| row.device.to_string()),
    Column::amount("max", "Longest", |row| row.node.max_ns as f64, forms::some_duration),
    Column::amount("delay", "Summed queueing delay", |row| row.node.delay_ns as f64, forms::some_duration),
    Column::amount("slack", "Slack", |row| row.node.slack_ns as f64, forms::some_duration),
    Column::amount("critical", "Critical", |row| row.node.critical as f64, forms::some),
    Column::amount("bytes", "Bytes", |row| row.node.bytes as f64, forms::some_bytes),
    Column::text("direction", "Direction", |row| labels::direction(&row.node).unwrap_or_default()),
    Column::text("place", "Source", |row| row.place.to_string()),
    Column::text("waits", "Waits for", |row| row.waits_for.clone()),
    Column::text("waited", "Waited for by", |row| row.waited_by.clone()),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::table::csv;
    use crate::views::graph::model::tests::diamond;

    #[test]
    fn a_row_says_what_the_drawing_shows() {
        let rows = rows(&diamond(), &EdgeChoice::default(), &[false, true, false, true]);
        let text = csv(&COLUMNS, &rows);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert_eq!(
            lines[1],
            "stencil<float>,20000000,kernel,20,gpu,1000000,250000,2000,20,0,,,memcpy (accessor read write · object 7 · \
             ×2); stencil<float> (in-order queue · ×2),stencil<float> (in-order queue · ×2); check (accessor · ×2)"
        );
    }
}

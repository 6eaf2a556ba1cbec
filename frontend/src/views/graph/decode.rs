//! Parser of a drawing, in steps, so that the page stays responsive: drawings of many nodes are long.

use syclscope_language::api::GraphView;

use crate::data::json::{self, JsonError, Value};

/// Starts of the drawing's two long lists in its text. No string in JSON contains these, because quotes are escaped.
const NODES: &str = "\"nodes\":[";
const EDGES: &str = "\"edges\":[";

#[derive(Debug, Default)]
pub struct Decoder {
    text: String,
    at: usize,
    section: Section,
    /// The text without the elements of the lists.
    rest: String,
    view: GraphView,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Section {
    #[default]
    Start,
    Nodes,
    Edges,
    End,
}

impl Decoder {
    pub fn new(text: String) -> Self {
        Self { text, ..Self::default() }
    }

    /// Parses some more elements; returns the drawing once it is complete.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not a drawing.
    pub fn step(&mut self, elements: usize) -> Result<Option<GraphView>, JsonError> {
        match self.section {
            Section::Start => self.go_to(NODES, Section::Nodes),
            Section::Nodes => {
                let stop = some(&self.text, self.at, elements, &mut self.view.nodes)?;
                self.at = stop.place;
                if stop.is_end {
                    self.go_to(EDGES, Section::Edges);
                }
            }
            Section::Edges => {
                let stop = some(&self.text, self.at, elements, &mut self.view.edges)?;
                self.at = stop.place;
                if stop.is_end {
                    self.section = Section::End;
                }
            }
            Section::End => {
                self.rest.push_str(self.text.get(self.at..).unwrap_or_default());
                let mut view: GraphView = json::read(&self.rest)?;
                if !self.view.nodes.is_empty() {
                    view.nodes = std::mem::take(&mut self.view.nodes);
                    view.edges = std::mem::take(&mut self.view.edges);
                }
                return Ok(Some(view));
            }
        }
        Ok(None)
    }

    /// Skips to a list; a text without a list is parsed immediately.
    fn go_to(&mut self, list: &str, section: Section) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        match rest.find(list) {
            Some(place) => {
                let begin = place + list.len();
                self.rest.push_str(&rest[..begin]);
                self.at += begin;
                self.section = section;
            }
            None => self.section = Section::End,
        }
    }
}

struct Stop {
    place: usize,
    is_end: bool,
}

/// Parses some elements of a list; the closing bracket remains for the next call.
fn some<T: Value>(
    text: &str,
    mut place: usize,
    elements: usize,
    list: &mut Vec<T>,
) -> Result<Stop, JsonError> {
    for _ in 0..elements {
        let rest = text.get(place..).unwrap_or_default();
        place += rest.len() - rest.trim_start_matches([',', ' ', '\n']).len();
        let rest = text.get(place..).unwrap_or_default();
        if rest.is_empty() || rest.starts_with(']') {
            return Ok(Stop { place, is_end: true });
        }
        let (element, bytes) = json::read_first(rest)?;
        list.push(element);
        place += bytes;
    }
    Ok(Stop { place, is_end: false })
}

#[cfg(test)]
mod tests {
    use syclscope_language::api::ViewFrame;

    use super::*;
    use crate::views::graph::model::tests::diamond;

    fn read(text: &str, elements: usize) -> Result<GraphView, JsonError> {
        let mut decoder = Decoder::new(text.to_owned());
        for _ in 0..10_000 {
            if let Some(view) = decoder.step(elements)? {
                return Ok(view);
            }
        }
        panic!("it never ends");
    }

    #[test]
    fn pieces_make_the_same_as_all_at_once() {
        let mut view = diamond().view;
        view.names[1] = "a \"nodes\":[ b, ] \\ \"edges\":[".into();
        view.frames = vec![ViewFrame { nodes: vec![1, 2], ..ViewFrame::default() }];
        let text = serde_json::to_string(&view).unwrap();
        for elements in [1, 2, 3, 1_000] {
            assert_eq!(read(&text, elements).unwrap(), view, "{elements}");
        }
        let empty = serde_json::to_string(&GraphView::default()).unwrap();
        assert_eq!(read(&empty, 1).unwrap(), GraphView::default());
    }

    #[test]
    fn what_is_no_drawing_is_an_error() {
        let text = serde_json::to_string(&diamond().view).unwrap();
        let half = &text[..text.len() / 2];
        for broken in ["", "{", "[]", "{\"nodes\":[", "{\"nodes\":[7]}", half, "{\"nodes\":[]}"] {
            assert!(read(broken, 2).is_err(), "{broken}");
        }
    }
}

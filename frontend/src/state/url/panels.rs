//! Sort order, filter and visibility of the panel's tables: `af=FILTER&ao=ORDER&a1=1&ko=ORDER&pc=1`.

use super::part::AddressPart;
use super::query::{QueryWriter, decode};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PanelsState {
    pub area_filter: String,
    /// Sort column of the area's table; empty for the default. A `-` prefix reverses it.
    pub area_order: String,
    pub is_one_by_one: bool,
    pub kernel_order: String,
    /// The user's choice to show only the panel's tabs, or its content; `None` to open it for a selection.
    pub is_closed: Option<bool>,
}

impl PanelsState {
    fn parts(&mut self) -> [(&'static str, &mut String); 3] {
        [("af", &mut self.area_filter), ("ao", &mut self.area_order), ("ko", &mut self.kernel_order)]
    }
}

impl AddressPart for PanelsState {
    fn write(&self, query: &mut QueryWriter) {
        for (name, text) in self.clone().parts() {
            if !text.is_empty() {
                query.text(name, text);
            }
        }
        if self.is_one_by_one {
            query.part("a1", 1);
        }
        if let Some(is_closed) = self.is_closed {
            query.part("pc", u8::from(is_closed));
        }
    }

    fn read(&mut self, name: &str, value: &str) -> bool {
        match name {
            "a1" => self.is_one_by_one = value == "1",
            "pc" => self.is_closed = matches!(value, "0" | "1").then_some(value == "1"),
            _ => return self.read_text(name, value),
        }
        true
    }
}

impl PanelsState {
    fn read_text(&mut self, name: &str, value: &str) -> bool {
        let part = self.parts().into_iter().find(|(other, _)| *other == name);
        let is_known = part.is_some();
        if let Some((_, text)) = part {
            *text = decode(value).unwrap_or_default();
        }
        is_known
    }
}

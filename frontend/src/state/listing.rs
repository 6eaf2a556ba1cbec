//! Filters and order of the trace list, in the form of its address.

use crate::state::url::part::parts;
use crate::state::url::query::{QueryWriter, decode};

/// Query parameters of the list, shared with the server.
const NAMES: [&str; 7] = ["q", "label", "program", "project", "from", "to", "sort"];

/// Default order: newest first.
const USUAL: &str = "-stored";

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filters {
    parts: Vec<(&'static str, String)>,
}

impl Filters {
    /// Parses a query, with or without its `?`.
    pub fn read(query: &str) -> Self {
        let standard = |name: &str| NAMES.into_iter().find(|other| *other == name);
        let all = parts(query).filter_map(|(name, value)| Some((standard(name)?, decode(value)?)));
        Self { parts: all.filter(|(_, value)| !value.is_empty()).collect() }
    }

    /// Returns the query, with its `?`; empty for the whole list.
    pub fn query(&self) -> String {
        let mut query = QueryWriter::default();
        for (name, value) in &self.parts {
            query.text(name, value);
        }
        query.finish()
    }

    pub fn history_path(&self, project: &str) -> String {
        let mut query = QueryWriter::default();
        for (name, value) in self.parts.iter().filter(|(name, _)| !matches!(*name, "project" | "sort")) {
            query.text(name, value);
        }
        // The user's own files belong to no project.
        let project = if project.is_empty() { "default" } else { project };
        format!("./history/{project}{}", query.finish())
    }

    /// Returns the value of a parameter, or an empty text.
    pub fn get(&self, name: &str) -> &str {
        self.parts.iter().find(|(other, _)| *other == name).map_or("", |(_, value)| value)
    }

    /// Sets a parameter; an empty value removes it.
    pub fn set(&mut self, name: &'static str, value: &str) {
        self.parts.retain(|(other, _)| *other != name);
        if !value.is_empty() {
            self.parts.push((name, value.to_owned()));
        }
    }

    pub fn toggle(&mut self, name: &'static str, value: &str) {
        if self.has(name, value) {
            self.parts.retain(|(other, there)| *other != name || there != value);
        } else if name == "label" {
            self.parts.push((name, value.to_owned()));
        } else {
            // The server refuses a second project.
            self.set(name, value);
        }
    }

    pub fn has(&self, name: &str, value: &str) -> bool {
        self.parts.iter().any(|(other, there)| *other == name && there == value)
    }

    pub fn chips(&self) -> Vec<(&'static str, String)> {
        self.parts.iter().filter(|(name, _)| !matches!(*name, "q" | "sort")).cloned().collect()
    }

    pub fn is_all(&self) -> bool {
        self.parts.iter().all(|(name, _)| *name == "sort")
    }

    /// Sorts by a column; the same column again reverses the order.
    pub fn press(&mut self, column: &str, largest_first: bool) {
        let order = match self.direction(column) {
            Some("descending") => column.to_owned(),
            Some(_) => format!("-{column}"),
            None if largest_first => format!("-{column}"),
            None => column.to_owned(),
        };
        self.set("sort", if order == USUAL { "" } else { &order });
    }

    pub fn direction(&self, column: &str) -> Option<&'static str> {
        let order = match self.get("sort") {
            "" => USUAL,
            order => order,
        };
        match order.strip_prefix('-') {
            Some(order) if order == column => Some("descending"),
            None if order == column => Some("ascending"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_survive_the_address() {
        let query = "?q=gemm%20%C3%BC&label=branch:main&label=ci:a%3Db&sort=-duration";
        let mut filters = Filters::read(&format!("{query}&other=1&program=&from=%FF"));
        assert_eq!(filters.query(), query);
        assert_eq!(filters.get("q"), "gemm ü");
        assert_eq!(filters.chips().len(), 2);
        filters.toggle("label", "branch:main");
        filters.toggle("project", "solver");
        filters.set("q", "");
        assert_eq!(filters.query(), "?label=ci:a%3Db&sort=-duration&project=solver");
        assert_eq!(filters.history_path("solver"), "./history/solver?label=ci:a%3Db");
        filters.toggle("project", "other");
        filters.toggle("label", "x:y");
        assert_eq!(filters.query(), "?label=ci:a%3Db&sort=-duration&project=other&label=x:y");
        assert!(!filters.is_all() && Filters::read("?sort=name").is_all());
    }

    #[test]
    fn a_second_press_turns_the_order_round() {
        let mut filters = Filters::default();
        assert_eq!(filters.direction("stored"), Some("descending"));
        for (column, largest_first, query) in [
            ("duration", true, "?sort=-duration"),
            ("duration", true, "?sort=duration"),
            ("duration", true, "?sort=-duration"),
            ("name", false, "?sort=name"),
            ("name", false, "?sort=-name"),
            ("stored", true, ""),
            ("stored", true, "?sort=stored"),
        ] {
            filters.press(column, largest_first);
            assert_eq!(filters.query(), query);
        }
        assert_eq!((filters.direction("stored"), filters.direction("name")), (Some("ascending"), None));
    }
}

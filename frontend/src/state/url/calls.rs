//! The calls view's part of an address: `cv=FORM&co=ORDER&cf=FILTER`.

use super::QueryWriter;
use super::text::decode;

/// How the calls are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CallsForm {
    /// Sums by name.
    #[default]
    Table,
    /// One by one, in the order of time.
    Log,
    /// What called what, by time.
    Flame,
}

impl CallsForm {
    /// Every form, in the order in which they are offered.
    pub const ALL: [Self; 3] = [Self::Table, Self::Log, Self::Flame];

    /// The text in an address.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Log => "log",
            Self::Flame => "flame",
        }
    }
}

/// What the calls view shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallsState {
    /// How.
    pub form: CallsForm,
    /// What names must hold.
    pub filter: String,
    /// Column by which the table is sorted; empty for the first order. A `-` before it turns it round.
    pub order: String,
}

impl CallsState {
    pub(super) fn write(&self, query: &mut QueryWriter) {
        if self.form != CallsForm::default() {
            query.part("cv", self.form.as_str());
        }
        if !self.order.is_empty() {
            query.text("co", &self.order);
        }
        if !self.filter.is_empty() {
            query.text("cf", &self.filter);
        }
    }

    /// Takes a part of an address, if it is one of this view's.
    pub(super) fn read(&mut self, name: &str, value: &str) -> bool {
        match name {
            "cv" => {
                let form = CallsForm::ALL.into_iter().find(|form| form.as_str() == value);
                self.form = form.unwrap_or_default();
            }
            "co" => self.order = decode(value).unwrap_or_default(),
            "cf" => self.filter = decode(value).unwrap_or_default(),
            _ => return false,
        }
        true
    }
}

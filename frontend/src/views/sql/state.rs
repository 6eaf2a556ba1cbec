//! The SQL view's part of an address: `sql=STATEMENT`.

use crate::state::url::part::{AddressPart, ViewState};
use crate::state::url::query::{QueryWriter, decode};
use crate::state::view::View;
use crate::views::sql::ID;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SqlState {
    /// The statement whose rows are on screen.
    pub statement: String,
}

impl ViewState for SqlState {
    const VIEW: View = ID;
}

impl AddressPart for SqlState {
    fn write(&self, query: &mut QueryWriter) {
        if !self.statement.is_empty() {
            query.text("sql", &self.statement);
        }
    }

    fn read(&mut self, name: &str, value: &str) -> bool {
        let is_own = name == "sql";
        if is_own {
            self.statement = decode(value).unwrap_or_default();
        }
        is_own
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::url::part::{from_query, to_query};

    #[test]
    fn a_link_runs_the_same_statement() {
        let state = SqlState { statement: "SELECT 'a & b' || \"%\"\nFROM slices -- ü".into() };
        assert_eq!(from_query::<SqlState>(&to_query(&state)), state);
    }
}

//! The summary's part of an address: `of=area` or `of=visible`.

use syclscope_language::words;

use crate::state::url::part::{AddressPart, ViewState};
use crate::state::url::query::QueryWriter;
use crate::state::view::View;
use crate::views::summary::ID;

words! {
    /// The time that the cards cover.
    #[derive(Default)]
    Scope {
        #[default]
        Run = "run",
        /// The area selected in the timeline.
        Area = "area",
        /// The visible range of the views with a time axis.
        Visible = "visible",
    }
}

impl Scope {
    pub fn title(self) -> &'static str {
        match self {
            Self::Run => "Whole run",
            Self::Area => "Selected area",
            Self::Visible => "Visible range",
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SummaryState {
    pub scope: Scope,
}

impl ViewState for SummaryState {
    const VIEW: View = ID;
}

impl AddressPart for SummaryState {
    fn write(&self, query: &mut QueryWriter) {
        if self.scope != Scope::default() {
            query.part("of", self.scope.as_str());
        }
    }

    fn read(&mut self, name: &str, value: &str) -> bool {
        if name == "of" {
            self.scope = Scope::from_word(value).unwrap_or_default();
        }
        name == "of"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::url::part::{from_query, to_query};

    #[test]
    fn a_link_opens_the_same_scope() {
        for scope in Scope::ALL.iter().copied() {
            let state = SummaryState { scope };
            assert_eq!(from_query::<SummaryState>(&to_query(&state)), state);
        }
        assert_eq!(to_query(&SummaryState::default()), "");
        assert_eq!(from_query::<SummaryState>("?of=nothing"), SummaryState::default());
    }
}

//! What has a part of the address of its own.

use super::query::QueryWriter;
use crate::state::view::View;

/// Something that an address holds, in parts `name=value`. What is as at first is left out.
pub trait AddressPart {
    fn write(&self, query: &mut QueryWriter);

    /// Takes a part, if it is one of its own; a broken one counts as left out, so that an address never fails to open.
    fn read(&mut self, name: &str, value: &str) -> bool;
}

/// What a view has in the address.
pub trait ViewState: AddressPart + Default + PartialEq + 'static {
    const VIEW: View;
}

/// Takes from an address what is the part's own.
pub fn read_all(part: &mut dyn AddressPart, query: &str) {
    for (name, value) in parts(query) {
        part.read(name, value);
    }
}

/// The names and values of a query, with or without its `?`.
pub fn parts(query: &str) -> impl Iterator<Item = (&str, &str)> {
    query.trim_start_matches('?').split('&').filter_map(|part| part.split_once('='))
}

/// What a query holds of one part.
#[cfg(test)]
pub(crate) fn from_query<S: AddressPart + Default>(query: &str) -> S {
    let mut state = S::default();
    read_all(&mut state, query);
    state
}

/// The query of one part alone, with its `?`.
#[cfg(test)]
pub(crate) fn to_query(part: &dyn AddressPart) -> String {
    let mut query = QueryWriter::default();
    part.write(&mut query);
    query.finish()
}

use super::query::QueryWriter;
use crate::state::view::View;

/// State in an address, in parts `name=value`. Default values are left out.
pub trait AddressPart {
    fn write(&self, query: &mut QueryWriter);

    /// Reads a part, if its name is known; an invalid value is ignored, so that an address always opens.
    fn read(&mut self, name: &str, value: &str) -> bool;
}

pub trait ViewState: AddressPart + Default + PartialEq + 'static {
    const VIEW: View;
}

pub fn read_all(part: &mut dyn AddressPart, query: &str) {
    for (name, value) in parts(query) {
        part.read(name, value);
    }
}

/// Returns names and values of a query, with or without its `?`.
pub fn parts(query: &str) -> impl Iterator<Item = (&str, &str)> {
    query.trim_start_matches('?').split('&').filter_map(|part| part.split_once('='))
}

#[cfg(test)]
pub(crate) fn from_query<S: AddressPart + Default>(query: &str) -> S {
    let mut state = S::default();
    read_all(&mut state, query);
    state
}

/// Returns the query of a single part, with its `?`.
#[cfg(test)]
pub(crate) fn to_query(part: &dyn AddressPart) -> String {
    let mut query = QueryWriter::default();
    part.write(&mut query);
    query.finish()
}

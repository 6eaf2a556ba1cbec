//! Labels on the command line.

use syclscope_server::db::labels;

/// Parses a label like the server.
///
/// # Errors
/// Returns an error if the label has no key or no value.
pub(super) fn label(text: &str) -> Result<(String, String), String> {
    labels::read(text).map_err(|_| "write a label as KEY:VALUE, like branch:main".to_owned())
}

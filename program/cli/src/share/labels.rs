//! Labels on the command line.

/// A label as `KEY=VALUE`.
///
/// # Errors
/// When it has no key or no `=`.
pub(super) fn label(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("write a label as KEY=VALUE, like branch=main".to_owned()),
    }
}

//! Validation of query parameters. A misspelt filter must not return a longer list.

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown parameter `{name}`; this URL accepts {}", names.join(", "))]
pub struct UnknownParameter {
    name: String,
    names: &'static [&'static str],
}

/// Rejects parameters with other names than `names`.
pub(crate) fn check(
    pairs: &[(String, String)],
    names: &'static [&'static str],
) -> Result<(), UnknownParameter> {
    match pairs.iter().find(|(name, _)| !names.contains(&name.as_str())) {
        Some((name, _)) => Err(UnknownParameter { name: name.clone(), names }),
        None => Ok(()),
    }
}

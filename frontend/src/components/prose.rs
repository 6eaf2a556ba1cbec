//! Sentences of the engine.

use crate::format;
use crate::reactive::*;

/// Formats a sentence, with its counts in groups of three digits and its names between backticks as code.
pub(crate) fn prose(text: &str) -> Vec<AnyView> {
    let text = format::prose(text);
    let parts = text.split('`').zip([false, true].into_iter().cycle());
    let part = |(part, is_code): (&str, bool)| match is_code {
        true => view! { <code>{part.to_owned()}</code> }.into_any(),
        false => part.to_owned().into_any(),
    };
    parts.map(part).collect()
}

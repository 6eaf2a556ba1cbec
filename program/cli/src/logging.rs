//! The server's log on standard error, configured only here. Messages for people, like the URL at start, are
//! not logged.

use std::io;

use tracing::Level;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// Environment variable with the filter, for commands without the option.
const VARIABLE: &str = "RUST_LOG";

const WRONG: &str = "use off, error, warn, info, debug or trace, or module=level, with commas between them";

/// Parses a filter: a level, and levels for modules, as in `warn,syclscope_server=debug`.
///
/// # Errors
/// Returns an error if a part is neither. A single unknown word is rejected, too: it would count as a module, so that a
/// mistyped level mutes all others.
pub(crate) fn filter(text: &str) -> Result<Targets, &'static str> {
    let is_known =
        |part: &str| !part.is_empty() && (part.contains('=') || part.trim().parse::<LevelFilter>().is_ok());
    text.parse().ok().filter(|_| text.split(',').all(is_known)).ok_or(WRONG)
}

/// Starts logging with the given filter, else that of `RUST_LOG`, else at the level info.
pub(crate) fn start(explicit: Option<Targets>) {
    let by_variable = std::env::var(VARIABLE).ok().filter(|text| !text.is_empty());
    let parsed = by_variable.as_deref().map(filter);
    let is_wrong = matches!(parsed, Some(Err(_))) && explicit.is_none();
    let filter =
        explicit.or_else(|| parsed?.ok()).unwrap_or_else(|| Targets::new().with_default(Level::INFO));
    let lines = fmt::layer().with_writer(io::stderr);
    // A second start in one process, as in tests, keeps the first filter.
    let _ = tracing_subscriber::registry().with(lines).with(filter).try_init();
    if is_wrong {
        tracing::warn!("{VARIABLE} is ignored: {WRONG}");
    }
}

#[cfg(test)]
mod tests {
    use super::filter;

    #[test]
    fn a_mistyped_level_is_an_error() {
        for text in ["debug", "OFF", "warn,syclscope_server=debug", "syclscope_server::loading=trace"] {
            assert!(filter(text).is_ok(), "{text}");
        }
        for text in ["", "loud", "debug,loud", "syclscope_server=loud"] {
            assert!(filter(text).is_err(), "{text}");
        }
    }
}

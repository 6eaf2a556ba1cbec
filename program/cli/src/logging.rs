//! The server's log on standard error. It is configured only here. Messages to people, like the URL at start, are no
//! log.

use std::io;

use tracing::Level;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// Names the filter where no option does.
const VARIABLE: &str = "RUST_LOG";

const WRONG: &str = "use off, error, warn, info, debug or trace, or module=level, with commas between them";

/// Reads a filter: a level, and levels for modules, as in `warn,syclscope_server=debug`.
///
/// # Errors
/// When a part is neither. A lone word that is no level would be a module, and a mistyped level would mute all others.
pub(crate) fn filter(text: &str) -> Result<Targets, &'static str> {
    let is_known =
        |part: &str| !part.is_empty() && (part.contains('=') || part.trim().parse::<LevelFilter>().is_ok());
    text.parse().ok().filter(|_| text.split(',').all(is_known)).ok_or(WRONG)
}

/// Starts logging what passes the chosen filter, else what `RUST_LOG` lets pass, else everything from the level info up.
pub(crate) fn start(chosen: Option<Targets>) {
    let by_variable = std::env::var(VARIABLE).ok().filter(|text| !text.is_empty());
    let parsed = by_variable.as_deref().map(filter);
    let is_wrong = matches!(parsed, Some(Err(_))) && chosen.is_none();
    let filter = chosen.or_else(|| parsed?.ok()).unwrap_or_else(|| Targets::new().with_default(Level::INFO));
    let lines = fmt::layer().with_writer(io::stderr);
    // A second start in one process, as tests may have it, keeps the first one's filter.
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

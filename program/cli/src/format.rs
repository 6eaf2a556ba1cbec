//! The options that choose a command's output format.

use clap::ValueEnum;

pub(super) trait OutputFormat: ValueEnum + Copy + Send + Sync + 'static {
    const JSON: Self;
}

/// `--format` and its short form for JSON, for every command that can print JSON.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct FormatOptions<F: OutputFormat> {
    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    format: F,
    /// Same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl<F: OutputFormat> FormatOptions<F> {
    pub(super) fn format(&self) -> F {
        if self.json { F::JSON } else { self.format }
    }
}

//! `syclscope skill`: instructions for assistants.

use super::{CliError, Outcome, print};

/// Instructions from a recording to the cause of its idle time and the test of a remedy.
pub(super) const TEXT: &str = include_str!("skill/SKILL.md");

/// Print a skill for assistants: how to find out what slows a program down, and how to prove it
///
/// The skill names the commands of this program and the tools of `syclscope mcp`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  mkdir -p ~/.claude/skills/syclscope
  syclscope skill > ~/.claude/skills/syclscope/SKILL.md")]
pub(super) struct Arguments {}

pub(super) fn run(_: Arguments) -> Result<Outcome, CliError> {
    print(TEXT.trim_end())
}

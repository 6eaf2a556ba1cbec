//! The subcommands and their options in Markdown, from clap's definitions.

use std::fmt::Write as _;

use clap::{Arg, Command};

pub(super) fn text(mut program: Command) -> String {
    program.build();
    let mut text = String::new();
    let shown: Vec<&Command> = program.get_subcommands().filter(|command| !is_left_out(command)).collect();
    text.push_str("| command | does |\n|---|---|\n");
    for command in &shown {
        let (name, about) = (full_name(command), about(command, false));
        let _ = writeln!(text, "| [`{name}`](#{}) | {} |", anchor(&name), prose(&about).replace('|', "\\|"));
    }
    if let Some(after) = program.get_after_help() {
        let _ = writeln!(text, "\n```text\n{after}\n```");
    }
    for command in shown {
        chapter(&mut text, command, 2);
    }
    text
}

/// True for commands that only programs call, and for clap's `help`.
fn is_left_out(command: &Command) -> bool {
    command.is_hide_set() || command.get_name() == "help"
}

fn chapter(text: &mut String, command: &Command, level: usize) {
    let name = full_name(command);
    let _ = writeln!(text, "\n{} {name}\n\n{}\n", "#".repeat(level), paragraphs(&about(command, true), ""));
    let usage = command.clone().render_usage().to_string();
    let _ = writeln!(text, "```text\n{}\n```\n", usage.trim_start_matches("Usage: "));
    for argument in command.get_arguments().filter(|argument| !argument.is_hide_set()) {
        if !matches!(argument.get_id().as_str(), "help" | "version") {
            option(text, argument);
        }
    }
    if let Some(after) = command.get_after_long_help().or(command.get_after_help()) {
        let _ = writeln!(text, "\n```text\n{}\n```", after.to_string().trim());
    }
    for below in command.get_subcommands().filter(|below| !is_left_out(below)) {
        chapter(text, below, level + 1);
    }
}

fn option(text: &mut String, argument: &Arg) {
    let short = match (argument.get_short(), argument.get_long()) {
        (Some(short), Some(_)) => format!("-{short}, "),
        _ => String::new(),
    };
    let help = argument.get_long_help().or(argument.get_help()).map(ToString::to_string).unwrap_or_default();
    let _ = write!(text, "- `{short}{argument}`: {}", paragraphs(&help, "  "));
    let takes_value = argument.get_action().takes_values();
    let defaults = argument.get_default_values();
    if takes_value && !defaults.is_empty() && !argument.is_hide_default_value_set() {
        let defaults: Vec<_> = defaults.iter().map(|value| value.to_string_lossy()).collect();
        let _ = write!(text, " (default: `{}`)", defaults.join(" "));
    }
    text.push('\n');
    if !takes_value || argument.is_hide_possible_values_set() {
        return;
    }
    for value in argument.get_possible_values().iter().filter(|value| !value.is_hide_set()) {
        let help = value.get_help().map(|help| format!(": {}", prose(&help.to_string()))).unwrap_or_default();
        let _ = writeln!(text, "  - `{}`{help}", value.get_name());
    }
}

fn full_name(command: &Command) -> String {
    command.get_bin_name().unwrap_or(command.get_name()).to_owned()
}

fn about(command: &Command, is_long: bool) -> String {
    let long = command.get_long_about().filter(|_| is_long);
    long.or(command.get_about()).map(ToString::to_string).unwrap_or_default()
}

fn anchor(heading: &str) -> String {
    heading.replace(' ', "-")
}

/// Returns the paragraphs of a help text, all but the first indented by `indent`.
fn paragraphs(help: &str, indent: &str) -> String {
    let parts = help.split("\n\n").map(|part| prose(part).replace('\n', &format!("\n{indent}")));
    parts.collect::<Vec<_>>().join(&format!("\n\n{indent}"))
}

/// Returns a text in which only backticks have a meaning in Markdown.
fn prose(text: &str) -> String {
    let mut written = String::new();
    let is_paired = text.matches('`').count().is_multiple_of(2);
    let mut is_code = false;
    for letter in text.trim().chars() {
        match letter {
            '`' if is_paired => is_code = !is_code,
            '<' if !is_code => {
                written.push_str("&lt;");
                continue;
            }
            '*' | '_' | '[' | ']' | '`' | '\\' | '#' | '&' if !is_code => written.push('\\'),
            _ => {}
        }
        written.push(letter);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_has_its_options_choices_and_subcommands() {
        let level = Arg::new("level").short('l').long("level").value_name("LEVEL");
        let level = level
            .help("How much: *all* of `a_b`\n\nor <less>")
            .value_parser(["low", "high"])
            .default_value("low");
        let secret = Arg::new("secret").long("secret").hide(true);
        let below = Command::new("below").about("Goes on");
        let quiet = Arg::new("quiet").long("quiet").help("Says nothing").action(clap::ArgAction::SetTrue);
        let record = Command::new("record").about("Makes a recording | two").args([level, secret, quiet]);
        let record = record.after_help("Examples:\n  it record").subcommand(below);
        let hidden = Command::new("hidden").hide(true);
        let written = text(Command::new("it").subcommands([record, hidden]));
        for part in [
            "| [`it record`](#it-record) | Makes a recording \\| two |\n",
            "\n## it record\n\nMakes a recording | two\n",
            "```text\nit record [OPTIONS] [COMMAND]\n```\n",
            "- `-l, --level <LEVEL>`: How much: \\*all\\* of `a_b`\n\n  or &lt;less> (default: `low`)\n  - `low`\n  - `high`\n",
            "- `--quiet`: Says nothing\n",
            "```text\nExamples:\n  it record\n```\n",
            "\n### it record below\n\nGoes on\n",
        ] {
            assert!(written.contains(part), "{part} is not in {written}");
        }
        assert!(!written.contains("hidden") && !written.contains("secret"), "{written}");
    }
}

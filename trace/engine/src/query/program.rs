//! The name of a trace's program.

use std::borrow::Cow;

use syclscope_language::api::ProcessInfo;

use crate::store::Trace;

/// Returns the program of the first process, else the tool that wrote the trace; empty if neither is known.
pub(super) fn title(trace: &Trace) -> String {
    let named = trace.processes.first().map(of_process).filter(|name| !name.is_empty());
    let tool = || trace.producer().map(|producer| format!("trace of {}", producer.as_str()).into());
    named.or_else(tool).unwrap_or_default().into_owned()
}

/// Returns the script if Python runs one, since all scripts have one interpreter.
fn of_process(process: &ProcessInfo) -> Cow<'_, str> {
    let is_python = ["python", "pypy"].iter().any(|interpreter| process.name.starts_with(interpreter));
    let script = if is_python { script(&process.command_line) } else { None };
    script.unwrap_or(Cow::Borrowed(&process.name))
}

/// Returns the script, the module or `-c` of a command line of Python; `None` if it has none of them.
fn script(command_line: &str) -> Option<Cow<'_, str>> {
    let mut words = command_line.split_whitespace().skip(1);
    while let Some(word) = words.next() {
        if word == "--check-hash-based-pycs" {
            words.next();
        } else if let Some(letters) = word.strip_prefix('-').filter(|rest| !rest.starts_with('-')) {
            // The first letter with a value ends the word: its value is the rest, or the next word.
            let Some(place) = letters.find(['c', 'm', 'W', 'X']) else {
                if letters.is_empty() {
                    return None;
                }
                continue;
            };
            let (letter, value) = letters.split_at(place).1.split_at(1);
            match letter {
                "c" => return Some("python -c".into()),
                "m" => {
                    let module = if value.is_empty() { words.next()? } else { value };
                    return Some(format!("python -m {module}").into());
                }
                _ if value.is_empty() => {
                    words.next();
                }
                _ => {}
            }
        } else if !word.starts_with("--") {
            return word.rsplit('/').next().filter(|name| !name.is_empty()).map(Cow::Borrowed);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_names_the_run_of_an_interpreter() {
        let program = |name: &str, command_line: &str| {
            let (name, command_line) = (name.to_owned(), command_line.to_owned());
            of_process(&ProcessInfo { name, command_line, ..ProcessInfo::default() }).into_owned()
        };
        let python = |command_line: &str| program("python3.12", command_line);
        assert_eq!(python("/usr/bin/python3 -u -X importtime -Wignore lib/heat.py --size 3"), "heat.py");
        assert_eq!(python("python3 -Im pytest --pyargs dpnp.tests"), "python -m pytest");
        assert_eq!(python("python3 -mpytest"), "python -m pytest");
        assert_eq!(python("python3 -c import dpnp; dpnp.ones(3)"), "python -c");
        assert_eq!(python("python3 --check-hash-based-pycs always -W error run.py"), "run.py");
        for unknown in ["", "python3", "python3 -i", "python3 - heat.py", "python3 -m", "python3 -X"] {
            assert_eq!(python(unknown), "python3.12", "{unknown}");
        }
        assert_eq!(program("heat", "./heat big.py"), "heat");
    }
}

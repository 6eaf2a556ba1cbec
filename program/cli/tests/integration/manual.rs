//! `syclscope completions` and `syclscope man`.

use std::process::{Command, Stdio};

use crate::support::{Scratch, stderr, stdout, syclscope};

#[test]
fn bash_completes_subcommands_options_and_choices() {
    let scratch = Scratch::new();
    let script = syclscope(&scratch).args(["completions", "bash"]).output().expect("it runs");
    assert!(script.status.success(), "{}", stderr(&script));
    scratch.file("completions", &script.stdout);
    // Completes like bash at a Tab after these words.
    let completed = |words: &[&str]| {
        let line = words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
        let place = words.len() - 1;
        let (now, before) = (words[place], words[place - 1]);
        let bash = format!(
            ". ./completions; COMP_WORDS=({line}); COMP_CWORD={place}; _syclscope syclscope '{now}' '{before}'; \
             echo \"${{COMPREPLY[@]}}\""
        );
        let output = Command::new("bash").current_dir(scratch.folder()).args(["-c", &bash]).output();
        stdout(&output.expect("bash runs")).split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    for hidden in ["pro", "dr"] {
        let commands = completed(&["syclscope", hidden]);
        assert!(
            !commands.iter().any(|command| ["probe", "drain"].contains(&command.as_str())),
            "{commands:?}"
        );
    }
    let commands = completed(&["syclscope", "re"]);
    assert!(
        commands.contains(&"record".to_owned()) && !commands.contains(&"open".to_owned()),
        "{commands:?}"
    );
    assert_eq!(completed(&["syclscope", "record", "--repea"]), ["--repeat"]);
    assert_eq!(completed(&["syclscope", "record", "--detail", "hi"]), ["high"]);
    assert_eq!(completed(&["syclscope", "ask", "--li"]), Vec::<String>::new(), "programs alone use it");
    assert_eq!(completed(&["syclscope", "token", "crea"]), ["create"]);
    for shell in ["zsh", "fish", "elvish", "powershell"] {
        let script = syclscope(&scratch).args(["completions", shell]).output().expect("it runs");
        let script = stdout(&script);
        assert!(script.contains("summary") && !script.contains("--lines"), "{shell}");
    }
}

#[test]
fn each_subcommand_has_a_page_of_the_manual() {
    let scratch = Scratch::new();
    let output = syclscope(&scratch).args(["man", "share/man/man1"]).output().expect("it runs");
    assert!(output.status.success(), "{}", stderr(&output));
    let page = |name: &str| std::fs::read_to_string(scratch.path(&format!("share/man/man1/{name}.1")));
    assert!(page("syclscope").expect("a page").contains("syclscope\\-record(1)"));
    let record = page("syclscope-record").expect("a page");
    assert!(record.contains(".TH syclscope-record 1") && record.contains("Examples:"), "{record}");
    assert!(page("syclscope-drain").is_err(), "what nobody calls has no page");

    // `man` reads it, where there is one.
    let Ok(shown) = Command::new("man")
        .arg("-l")
        .arg(scratch.path("share/man/man1/syclscope-record.1"))
        .env("MANPAGER", "cat")
        .stdin(Stdio::null())
        .output()
    else {
        return;
    };
    if shown.status.success() {
        assert!(stdout(&shown).contains("OPTIONS"), "{}", stdout(&shown));
    }
}

#[test]
fn all_subcommands_are_in_one_page_of_markdown() {
    let scratch = Scratch::new();
    let output = syclscope(&scratch).args(["man", "--markdown", "made"]).output().expect("it runs");
    assert!(output.status.success(), "{}", stderr(&output));
    let page = std::fs::read_to_string(scratch.path("made/commands.md")).expect("a page");
    let help = stdout(&syclscope(&scratch).arg("--help").output().expect("it runs"));
    let commands =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    // Continued lines are indented more.
    let commands = commands.filter(|line| !line.starts_with("   "));
    let names: Vec<&str> = commands.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.len() > 10, "{help}");
    for name in names.into_iter().filter(|name| *name != "help") {
        assert!(page.contains(&format!("\n## syclscope {name}\n")), "{name} is not in {page}");
    }
    assert!(page.contains("- `-o, --output <") && !page.contains("syclscope drain"), "{page}");
}

//! `syclscope compare`, `check` and `history`.

use std::process::Output;

use syclscope_language::api::{Comparison, History, Presence, Verdict};

use crate::recording;
use crate::support::{Scratch, record, stderr, stdout, syclscope};

fn two() -> Scratch {
    let scratch = Scratch::new();
    scratch.file("a.pftrace", recording::as_perfetto());
    scratch.file("b.pftrace", recording::as_perfetto());
    scratch
}

fn run(scratch: &Scratch, words: &str) -> Output {
    syclscope(scratch).args(words.split(' ')).output().expect("syclscope runs")
}

#[test]
fn equal_recordings_are_the_same_in_every_form() {
    let scratch = two();
    let output = run(&scratch, "compare a.pftrace b.pftrace");
    let text = stdout(&output);
    assert!(output.status.success(), "{}", stderr(&output));
    for part in ["A: a.pftrace", "B: b.pftrace", "same (one run each: no significance)", "total"] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    assert!(!text.contains("Metrics that differ") && !text.contains("Loops that differ"), "{text}");

    let json: Comparison =
        serde_json::from_str(&stdout(&run(&scratch, "compare a.pftrace b.pftrace --format json"))).unwrap();
    assert_eq!((json.duration.verdict, json.matched), (Verdict::Same, json.a.commands));
    let markdown = stdout(&run(&scratch, "compare a.pftrace b.pftrace --format markdown"));
    assert!(markdown.starts_with("### syclscope: A → B\n"), "{markdown}");
    let junit = stdout(&run(&scratch, "compare a.pftrace b.pftrace --format junit"));
    assert!(junit.contains("failures=\"0\"") && junit.ends_with("</testsuites>\n"), "{junit}");
    let svg = stdout(&run(&scratch, "compare a.pftrace b.pftrace --format svg"));
    assert!(svg.starts_with("<svg ") && !svg.contains("<script"), "{svg}");
}

#[test]
fn runs_that_are_compared_with_themselves_say_so() {
    let scratch = two();
    let output = run(&scratch, "compare a.pftrace ./a.pftrace");
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(
        stdout(&output),
        "A and B are the same file, a.pftrace: nothing differs. Name another run to compare with.\n"
    );
    let output = run(&scratch, "compare --format json --a a.pftrace b.pftrace --b b.pftrace a.pftrace");
    assert!(stderr(&output).contains("A and B are the same files"), "{}", stderr(&output));
    serde_json::from_str::<Comparison>(&stdout(&output)).unwrap();
    let judged = run(&scratch, "check a.pftrace b.pftrace --baseline b.pftrace a.pftrace");
    assert!(stderr(&judged).contains("A and B are the same files"), "{}", stderr(&judged));
    // Different files with the same contents.
    assert!(stdout(&run(&scratch, "compare a.pftrace b.pftrace")).contains("total"));
}

#[test]
fn a_baseline_is_no_recording_and_says_what_to_do() {
    let scratch = two();
    run(&scratch, "check a.pftrace --write-baseline base.json");
    for words in ["compare base.json b.pftrace", "compare a.pftrace base.json", "summary base.json"] {
        let refused = run(&scratch, words);
        assert!(!refused.status.success(), "{words}");
        let said = stderr(&refused);
        assert!(said.contains("base.json is a baseline") && said.contains("--baseline base.json"), "{said}");
    }
}

#[test]
fn lists_terminal_and_gate_tell_the_same_figures_by_the_same_words() {
    let scratch = Scratch::new();
    // A real run, in which the runtime has place-holders in addition to its commands.
    for name in ["a.pftrace", "b.pftrace"] {
        let kept = concat!(env!("CARGO_MANIFEST_DIR"), "/../../e2e/traces/heat.pftrace.gz");
        std::fs::copy(kept, scratch.path(name)).unwrap();
    }
    let summary: serde_json::Value =
        serde_json::from_str(&stdout(&run(&scratch, "summary a.pftrace --json"))).unwrap();
    let comparison: Comparison =
        serde_json::from_str(&stdout(&run(&scratch, "compare a.pftrace b.pftrace --format json"))).unwrap();
    let gate: serde_json::Value =
        serde_json::from_str(&stdout(&run(&scratch, "check b.pftrace --baseline a.pftrace --format json")))
            .unwrap();
    let history: History =
        serde_json::from_str(&stdout(&run(&scratch, "history a.pftrace --format json"))).unwrap();
    let counts = &summary["counts"];
    assert!(counts["nodes"].as_u64() > counts["commands"].as_u64(), "{counts}");
    let series = |name: &str| {
        let series = history.series.iter().find(|series| series.name == name);
        series.unwrap_or_else(|| panic!("no {name}")).values[0].unwrap()
    };
    for name in ["commands", "launches"] {
        let figure = comparison.figures.iter().find(|figure| figure.name == name).unwrap();
        let told = [series(name), figure.a[0], figure.b[0]];
        assert_eq!(told, [counts[name].as_u64().unwrap(); 3], "{name}");
        let judged = gate["gate"]["items"].as_array().unwrap();
        assert!(judged.iter().any(|item| item["name"] == name), "{name} is judged by its name");
    }
    assert_eq!(comparison.a.commands, series("commands"));
    assert_eq!(series("duration"), comparison.a.duration_ns);
    assert_eq!(Some(series("duration")), comparison.duration.a_ns);
    assert_eq!(series("duration"), summary["duration_ns"].as_u64().unwrap());
    assert_eq!(series("busy"), summary["report"]["covered"]["device_ns"].as_u64().unwrap());
    assert_eq!(series("findings") as usize, summary["report"]["findings"].as_array().unwrap().len());
}

#[test]
fn groups_are_files_or_folders() {
    let scratch = two();
    std::fs::create_dir(scratch.path("before")).unwrap();
    for name in ["run-1.pftrace", "run-2.pftrace", "note.txt"] {
        std::fs::write(scratch.path("before").join(name), recording::as_perfetto()).unwrap();
    }
    let of = |words: &str| -> Comparison {
        let output = run(&scratch, words);
        serde_json::from_str(&stdout(&output)).unwrap_or_else(|error| panic!("{error}: {}", stderr(&output)))
    };
    let groups = of("compare --format json --a a.pftrace b.pftrace --b b.pftrace");
    assert_eq!((groups.a.runs, groups.b.runs), (2, 1));
    let folder = of("compare before b.pftrace --format json");
    assert_eq!((folder.a.runs, folder.duration.a_runs), (2, 2));
    assert!(folder.a.name.ends_with(" and 1 more"), "{}", folder.a.name);
}

#[test]
fn a_gate_passes_fails_and_says_what_it_could_not_compare() {
    let scratch = two();
    for side in ["before", "now"] {
        std::fs::create_dir(scratch.path(side)).unwrap();
        for number in 1..=5 {
            let file = scratch.path(side).join(format!("run-{number}.pftrace"));
            std::fs::write(file, recording::as_perfetto()).unwrap();
        }
    }
    // The launches of its kernel differ by a quarter.
    let undecided = run(&scratch, "check now --baseline before");
    assert_eq!(undecided.status.code(), Some(2), "{}", stdout(&undecided));
    // A reason may be longer than a line, and is not cut in a log.
    let longest = stdout(&undecided).lines().map(|line| line.chars().count()).max();
    assert!(longest > Some(140) && !stdout(&undecided).contains('…'), "{}", stdout(&undecided));
    scratch.file("wide.toml", "[figures]\ncommands = 0\n[times]\nduration = \"5 %\"\nkernels = \"30 %\"\n");
    let passed = run(&scratch, "check now --baseline before --rules wide.toml");
    assert_eq!(passed.status.code(), Some(0), "{}", stdout(&passed));
    assert!(stdout(&passed).trim_end().ends_with(" pass"), "{}", stdout(&passed));
    // One run of each side can't decide times.
    let single = run(&scratch, "check b.pftrace --baseline a.pftrace");
    assert_eq!(single.status.code(), Some(2), "{}", stdout(&single));
    assert!(
        stdout(&single).contains("1 run per side can't show a significant change"),
        "{}",
        stdout(&single)
    );

    scratch.file("gate.toml", "[limits]\ncommands = 0\n");
    let failed = run(&scratch, "check b.pftrace --baseline a.pftrace --rules gate.toml");
    assert_eq!(failed.status.code(), Some(1));
    assert!(stdout(&failed).starts_with("fail: commands: "), "{}", stdout(&failed));
    let junit = run(&scratch, "check b.pftrace --baseline a.pftrace --rules gate.toml --format junit");
    assert!(stdout(&junit).contains("<failure message=\"commands: "), "{}", stdout(&junit));
    let markdown = run(&scratch, "check b.pftrace --baseline a.pftrace --rules gate.toml --format markdown");
    assert!(stdout(&markdown).contains("**Gate: fail**"), "{}", stdout(&markdown));
    let svg = stdout(&run(&scratch, "check b.pftrace --baseline a.pftrace --rules gate.toml --format svg"));
    assert!(svg.contains("Gate: fail") && svg.contains("fail: commands: "), "{svg}");
    let json = stdout(&run(&scratch, "check b.pftrace --baseline a.pftrace --rules gate.toml --format json"));
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&value["gate"]["judged"], &value["gate"]["exit_code"]), (&"fail".into(), &1.into()));
    let item = &value["gate"]["items"][0];
    assert_eq!(
        (&item["about"], &item["name"], &item["judged"]),
        (&"figure".into(), &"commands".into(), &"fail".into())
    );
    assert_eq!(value["a"]["name"], "a.pftrace", "the comparison is beside it");

    for words in [
        "check nothing.pftrace --baseline a.pftrace",
        "check b.pftrace --baseline a.pftrace --rules missing.toml",
        "check b.pftrace",
        "check --unknown",
    ] {
        let refused = run(&scratch, words);
        assert_eq!(refused.status.code(), Some(3), "{words}");
        assert!(!stderr(&refused).is_empty(), "{words}");
    }
    scratch.file("wrong.toml", "[figures]\ncommands = \"many\"\n");
    let refused = run(&scratch, "check b.pftrace --baseline a.pftrace --rules wrong.toml");
    assert_eq!(refused.status.code(), Some(3));
    assert!(stderr(&refused).contains("wrong.toml: commands = \"many\""), "{}", stderr(&refused));
}

#[test]
fn a_gate_does_not_pass_what_it_could_not_judge() {
    let scratch = two();
    let whole = recording::as_perfetto();
    scratch.file("cut.pftrace", &whole[..whole.len() * 3 / 4]);
    scratch.file("gate.toml", "[limits]\ncommands = 1000\n");
    let cut = run(&scratch, "check cut.pftrace --baseline a.pftrace --rules gate.toml");
    assert_eq!(cut.status.code(), Some(2), "{}", stdout(&cut));
    assert!(stdout(&cut).starts_with("undecided: "), "{}", stdout(&cut));

    for (rules, words) in [
        ("[figures]\ncomands = 0\n", "comands: unknown metric"),
        ("[times]\nleast_share = \"1 %\"\n", "no rule applies to these runs"),
    ] {
        scratch.file("gate.toml", rules);
        let refused = run(&scratch, "check b.pftrace --baseline a.pftrace --rules gate.toml");
        assert_eq!(refused.status.code(), Some(3), "{rules}");
        let said = stdout(&refused) + &stderr(&refused);
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn a_file_counts_as_one_run_however_often_it_is_named() {
    let scratch = two();
    std::fs::hard_link(scratch.path("a.pftrace"), scratch.path("linked.pftrace")).unwrap();
    let output = run(&scratch, "compare --format json --a a.pftrace linked.pftrace a.pftrace --b b.pftrace");
    let comparison: Comparison = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!((comparison.a.runs, comparison.b.runs), (1, 1));
    assert!(
        stderr(&output).contains("linked.pftrace is skipped: it is the same file"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_run_on_both_sides_is_noted() {
    let scratch = two();
    let words = "compare --format json --a a.pftrace b.pftrace --b b.pftrace";
    let comparison: Comparison = serde_json::from_str(&stdout(&run(&scratch, words))).unwrap();
    let note = comparison.notes.iter().find(|note| note.kind == "on_both_sides").expect("a note");
    assert!(note.message.starts_with("1 file is on both sides"), "{}", note.message);
    let judged = run(&scratch, "check b.pftrace --baseline a.pftrace b.pftrace");
    assert!(stderr(&judged).contains("1 file is on both sides"), "{}", stderr(&judged));
}

#[test]
fn the_processes_of_a_recording_are_one_run() {
    let scratch = Scratch::new();
    let of = |words: &str| -> (Comparison, String) {
        let output = run(&scratch, words);
        let said = stderr(&output);
        let read = serde_json::from_str(&stdout(&output));
        (read.unwrap_or_else(|error| panic!("{error}: {said}")), said)
    };
    // `record -o run-1.pftrace`: the first process, and another one.
    for (name, pid) in
        [("run-1.pftrace", 42), ("run-1.43.pftrace", 43), ("run-2.pftrace", 42), ("run-2.44.pftrace", 44)]
    {
        scratch.file(name, recording::of_process(pid));
    }
    let (compared, said) =
        of("compare --format json --a run-1.43.pftrace run-1.pftrace --b run-2.44.pftrace run-2.pftrace");
    assert_eq!((compared.a.runs, compared.b.runs, compared.a.commands, compared.matched), (1, 1, 6, 6));
    assert_eq!((compared.a.name.as_str(), compared.b.name.as_str()), ("run-1.pftrace", "run-2.pftrace"));
    assert!(said.contains("run-1.pftrace is merged with 1 file of other processes of its run"), "{said}");

    // `record -o FOLDER/`: each process, and all of them merged.
    std::fs::create_dir(scratch.path("folder")).unwrap();
    for pid in [42, 43] {
        let name = format!("folder/heat.node.{pid}.pftrace");
        std::fs::write(scratch.path(&name), recording::of_process(pid)).unwrap();
    }
    let merged = run(&scratch, "merge -q -o folder/heat.pftrace folder");
    assert!(merged.status.success(), "{}", stderr(&merged));
    let (compared, said) = of("compare folder run-1.pftrace --format json");
    assert_eq!((compared.a.runs, compared.a.commands, said.as_str()), (1, 6, ""));
}

#[test]
fn a_folder_of_repeated_runs_has_a_run_in_each_of_its_folders() {
    let scratch = two();
    for number in 1..=3 {
        std::fs::create_dir_all(scratch.path(&format!("runs/run-{number}"))).unwrap();
        for name in ["heat.node.42.pftrace", "heat.pftrace"] {
            let file = scratch.path(&format!("runs/run-{number}/{name}"));
            std::fs::write(file, recording::as_perfetto()).unwrap();
        }
    }
    let output = run(&scratch, "compare runs a.pftrace --format json");
    let comparison: Comparison =
        serde_json::from_str(&stdout(&output)).unwrap_or_else(|_| panic!("{}", stderr(&output)));
    assert_eq!((comparison.a.runs, comparison.a.name.as_str()), (3, "run-2 and 2 more"));
}

#[test]
fn a_baseline_is_kept_as_a_file() {
    let scratch = two();
    let written = run(&scratch, "check a.pftrace b.pftrace --write-baseline base.json");
    assert_eq!(written.status.code(), Some(0), "{}", stderr(&written));
    let passed = run(&scratch, "check b.pftrace --baseline base.json --format json");
    let comparison: Comparison = serde_json::from_str(&stdout(&passed)).unwrap();
    assert_eq!((passed.status.code(), comparison.a.runs, comparison.b.runs), (Some(2), 2, 1));
    // The option takes all paths that follow it, but a saved baseline is complete by itself.
    let same = run(&scratch, "check --baseline base.json b.pftrace --format json");
    assert_eq!((same.status.code(), stdout(&same)), (Some(2), stdout(&passed)));
    let refused = run(&scratch, "check --baseline a.pftrace b.pftrace");
    assert_eq!(refused.status.code(), Some(3));
    assert!(stderr(&refused).contains("name them before --baseline"), "{}", stderr(&refused));
    scratch.file("none.json", "{\"format\":\"syclscope samples 1\",\"runs\":[]}");
    for words in ["check none.json --baseline base.json", "check b.pftrace --baseline none.json"] {
        let refused = run(&scratch, words);
        assert_eq!(refused.status.code(), Some(3), "{words}: {}", stdout(&refused));
    }
    scratch.file("old.json", "{\"format\":\"syclscope samples 0\",\"runs\":[]}");
    let refused = run(&scratch, "check b.pftrace --baseline old.json");
    assert_eq!(refused.status.code(), Some(3));
    assert!(stderr(&refused).contains("write the baseline again"), "{}", stderr(&refused));
}

/// Baseline of a version without directions of copies and busy times of devices.
const OLD_BASELINE: &str = include_str!("../data/baseline-without-directions.json");

#[test]
fn a_baseline_of_an_older_version_is_judged_as_it_was() {
    let scratch = Scratch::new();
    scratch.file("old.json", OLD_BASELINE);
    let kept = concat!(env!("CARGO_MANIFEST_DIR"), "/../../e2e/traces/transfers.pftrace.gz");
    std::fs::copy(kept, scratch.path("now.pftrace.gz")).unwrap();
    let judged = run(&scratch, "check now.pftrace.gz --baseline old.json --format json");
    assert_eq!(judged.status.code(), Some(2), "one run each: {}{}", stdout(&judged), stderr(&judged));
    let comparison: Comparison = serde_json::from_str(&stdout(&judged)).unwrap();
    assert!(comparison.notes.iter().any(|note| note.kind == "no_directions"), "{:?}", comparison.notes);
    // The runtime's own copies have no source location. Both directions are one row, with the launches of the old
    // version.
    let copies = comparison.rows.iter().find(|row| row.name() == "Memory Transfer (Copy)").unwrap();
    assert_eq!((copies.time.a_ns, copies.time.ratio), (copies.time.b_ns, Some(1.0)));
    assert!(comparison.rows.iter().all(|row| row.presence == Presence::Both));
    // That version counted the wait of a thread of the runtime as the program's.
    let changed: Vec<_> = comparison.figures.iter().filter(|figure| figure.is_changed()).collect();
    assert!(matches!(&changed[..], [waits] if waits.name == "waits" && waits.b == [12]), "{changed:?}");
    // Written anew, the same run has a row for each direction.
    run(&scratch, "check now.pftrace.gz --write-baseline new.json");
    let judged = stdout(&run(&scratch, "check now.pftrace.gz --baseline new.json --format json"));
    let comparison: Comparison = serde_json::from_str(&judged).unwrap();
    let rows = comparison.rows.iter().filter(|row| row.name() == "Memory Transfer (Copy)");
    assert_eq!(rows.count(), 2);
    // Both are runs of one history.
    let history = stdout(&run(&scratch, "history old.json new.json --format json"));
    let history: History = serde_json::from_str(&history).unwrap();
    let series = |name: &str| history.series.iter().find(|series| series.name == name).unwrap();
    assert_eq!(series("duration").values[0], series("duration").values[1]);
    assert_eq!(series("busy").values[0], None, "the old one does not say it");
    assert_eq!(series("Memory Transfer (Copy)").values[0], series("Memory Transfer (Copy)").values[1]);
}

#[test]
fn a_history_of_equal_runs_has_no_step() {
    let scratch = two();
    std::fs::create_dir(scratch.path("runs")).unwrap();
    for number in 1..=7 {
        std::fs::write(scratch.path(&format!("runs/{number}.pftrace")), recording::as_perfetto()).unwrap();
    }
    let text = stdout(&run(&scratch, "history runs"));
    assert_eq!(text, "7 runs\n8 runs are needed to distinguish a change from chance; there are 7.\n");
    std::fs::write(scratch.path("runs/8.pftrace"), recording::as_perfetto()).unwrap();
    let text = stdout(&run(&scratch, "history runs"));
    assert_eq!(text, "8 runs\nNo metric or time changed.\n");
    let json = stdout(&run(&scratch, "history a.pftrace b.pftrace --format json"));
    let history: History = serde_json::from_str(&json).unwrap();
    assert_eq!((history.runs.len(), history.series[0].name.as_str()), (2, "duration"));
    assert!(stdout(&run(&scratch, "history a.pftrace --format svg")).starts_with("<svg "));
}

#[test]
fn a_history_says_where_a_time_and_a_figure_went_on_differently() {
    let scratch = two();
    run(&scratch, "check a.pftrace --write-baseline one.json");
    let kept: serde_json::Value =
        serde_json::from_slice(&std::fs::read(scratch.path("one.json")).unwrap()).unwrap();
    let mut runs = Vec::new();
    for number in 0..24_u64 {
        let mut run = kept["runs"][0].clone();
        let is_later = number >= 15;
        run["name"] = format!("night {number}").into();
        run["duration_ns"] = (if is_later { 90_000 } else { 60_000 } + number * 7 % 13).into();
        for figure in run["figures"].as_array_mut().unwrap() {
            if figure["name"] == "launches" && is_later {
                figure["value"] = 5.into();
            }
        }
        runs.push(run);
    }
    scratch.file("nights.json", serde_json::json!({ "format": kept["format"], "runs": runs }).to_string());
    let text = stdout(&run(&scratch, "history nights.json"));
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    for expected in [
        vec!["duration", "60.01", "µs", "90.00", "µs", "night", "15"],
        vec!["launches", "3", "5", "night", "15"],
    ] {
        assert!(lines.contains(&expected), "{expected:?} is not in\n{text}");
    }
    assert_eq!(text.matches("night").count(), 2, "{text}");
    let markdown = stdout(&run(&scratch, "history nights.json --format markdown"));
    assert!(markdown.contains("| `launches` | 3 | 5 | `night 15` |"), "{markdown}");
    let svg = stdout(&run(&scratch, "history nights.json --format svg"));
    assert!(svg.contains(">3 → 5</text>") && svg.contains("<line "), "{svg}");
}

#[test]
fn record_runs_the_program_as_often_as_it_is_asked_to() {
    let scratch = Scratch::new();
    let mut command = record(&scratch);
    command.args(["--repeat", "3", "-q", "--", "sh", "-c", "echo run >> runs.txt"]);
    let output = command.output().expect("syclscope runs");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(std::fs::read_to_string(scratch.path("runs.txt")).unwrap(), "run\nrun\nrun\n");

    let mut command = record(&scratch);
    command.args(["--repeat", "3", "-q", "--", "sh", "-c", "echo run >> failed.txt; exit 4"]);
    assert_eq!(command.output().expect("syclscope runs").status.code(), Some(4));
    assert_eq!(std::fs::read_to_string(scratch.path("failed.txt")).unwrap(), "run\n");
}

#[test]
fn a_baseline_is_on_a_server() {
    let scratch = two();
    let server = crate::host::Running::start(syclscope(&scratch).args([
        "serve",
        "--data",
        "data",
        "--listen",
        "127.0.0.1:0",
    ]));
    let url = server.url.trim_end_matches('/');
    let shared = run(&scratch, &format!("share a.pftrace --to {url} --label branch=main"));
    let page = stdout(&shared);
    for baseline in [page.trim_end(), &format!("{url}/latest/default?label=branch:main&runs=3")] {
        let passed = run(&scratch, &format!("check b.pftrace --baseline {baseline}"));
        assert_eq!(passed.status.code(), Some(2), "one run each: {}{}", stdout(&passed), stderr(&passed));
    }
    let compared = run(&scratch, &format!("compare {} b.pftrace", page.trim_end()));
    assert!(stdout(&compared).contains("same (one run each"), "{}", stderr(&compared));
    // Each address leads to the same run, and the copy of a part, which is newer, is none.
    let page = page.trim_end();
    let (id, body) = (page.rsplit('/').next().unwrap(), r#"{"range":{"start_ns":15000,"end_ns":40000}}"#);
    let made = server.talk(
        format!(
            "POST /api/v1/traces/{id}/links HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\n\
             content-length: {}\r\nconnection: close\r\n\r\n{body}",
            server.address(),
            body.len()
        )
        .as_bytes(),
    );
    assert!(made.starts_with("HTTP/1.1 201 "), "{made}");
    let words = format!("compare --format json --a {page} {page}?v=graph {url}/latest/default --b b.pftrace");
    let output = run(&scratch, &words);
    let repeated: Comparison = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(repeated.a.runs, 1);
    let said = stderr(&output);
    assert_eq!(
        said.matches(" is skipped: it is the same run as another run of its side").count(),
        2,
        "{said}"
    );
    for nothing in
        [format!("{url}/latest/default?label=branch:other"), format!("{url}/t/nothing"), url.to_owned()]
    {
        let refused = run(&scratch, &format!("check b.pftrace --baseline {nothing}"));
        assert_eq!(refused.status.code(), Some(3), "{nothing}: {}", stdout(&refused));
    }
}

use syclscope_language::api::{CriticalPath, Energy, Report, Selected, TraceInfo};
use syclscope_language::question::GapsQuestion;

use crate::recording;
use crate::support::{Scratch, stderr, stdout, syclscope};

#[test]
fn both_formats_have_the_same_summary() {
    let scratch = Scratch::new();
    scratch.file("run.pftrace", recording::as_perfetto());
    scratch.file("run.json", recording::as_json());
    for file in ["run.pftrace", "run.json"] {
        let output = syclscope(&scratch).args(["summary", file]).output().expect("syclscope runs");
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let text = stdout(&output);
        let line = text.lines().find(|line| line.contains(recording::KERNEL)).unwrap_or_default();
        let words: Vec<&str> = line.split_whitespace().collect();
        let want = "kernel 3 6.000 µs 100.0 % 2.000 µs 3.000 µs 3.000 µs";
        let want: Vec<&str> = std::iter::once(recording::KERNEL).chain(want.split(' ')).collect();
        let words = &words[..want.len().min(words.len())];
        assert_eq!(words, want, "{text}");
        for title in ["Memory", "Never released", "Critical path", "Queues"] {
            assert!(text.lines().any(|line| line == title), "{title} is not in:\n{text}");
        }
        assert!(text.contains("Test device") && text.contains("in-order"), "{text}");
    }
}

#[test]
fn calls_are_as_many_in_every_format() {
    let scratch = Scratch::new();
    scratch.file("run.pftrace", recording::as_perfetto());
    let run = |options: &[&str]| {
        let output = syclscope(&scratch).arg("summary").args(options).arg("run.pftrace").output();
        stdout(&output.expect("syclscope runs"))
    };
    let text = run(&[]);
    assert!(text.lines().any(|line| line.contains(", 3 calls, ")), "{text}");
    assert!(run(&["--calls"]).contains("3 calls of 2 functions"));
    assert!(run(&["--format", "html"]).contains(", 3 calls, "));
}

#[test]
fn json_is_what_the_server_answers() {
    let scratch = Scratch::new();
    scratch.file("run.pftrace", recording::as_perfetto());
    let output =
        syclscope(&scratch).args(["summary", "--json", "run.pftrace"]).output().expect("syclscope runs");
    let info: TraceInfo = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!((info.kernels[0].total_ns, info.counts.dropped, info.complete), (6_000, 0, true));
}

#[test]
fn json_steers_no_terminal() {
    let scratch = Scratch::new();
    scratch.file("run.json", r#"[{"ph":"X","name":"a\u009b31m\u202eb","pid":1,"tid":1,"ts":0,"dur":5}]"#);
    let output =
        syclscope(&scratch).args(["summary", "--json", "run.json"]).output().expect("syclscope runs");
    let text = stdout(&output);
    assert!(text.contains(r#""a\u009b31m\u202eb""#), "{text}");
    assert!(!text.contains(['\u{9b}', '\u{202e}']), "{text}");
}

#[test]
fn kernels_and_calls_come_as_csv() {
    let scratch = Scratch::new();
    scratch.file("run.pftrace", recording::as_perfetto());
    let run = |options: &[&str]| {
        let output = syclscope(&scratch).arg("summary").args(options).arg("run.pftrace").output();
        let output = output.expect("syclscope runs");
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stdout(&output)
    };
    assert_eq!(
        run(&["--format", "csv"]),
        "name,kind,count,total_ns,min_ns,mean_ns,p50_ns,p95_ns,max_ns,mean_queueing_delay_ns,\
         function,file,line,column,locations\n\
         heat_step,kernel,3,6000,1000,2000,2000,3000,3000,500,main,heat.cpp,12,3,1\n"
    );
    let heading = "name,count,errors,total_ns,mean_ns,min_ns,p95_ns,max_ns,unfinished,kind\n";
    let launch = "urEnqueueKernelLaunch,2,1,300,150,100,200,200,0,runtime\n";
    let append = "zeCommandListAppend,1,0,50,50,50,50,50,0,native\n";
    assert_eq!(run(&["--calls", "--format", "csv"]), format!("{heading}{launch}{append}"));
    assert_eq!(run(&["--calls", "--of", "runtime", "--format", "csv"]), format!("{heading}{launch}"));
    assert_eq!(
        run(&["--calls", "--of=native", "--sort=count", "--format=csv"]),
        format!("{heading}{append}")
    );
}

#[test]
fn slices_that_match_a_filter_are_summed_up() {
    let scratch = Scratch::new();
    scratch.file("run.pftrace", recording::as_perfetto());
    let output = |options: &[&str]| {
        let output =
            syclscope(&scratch).args(["summary", "--where"]).args(options).arg("run.pftrace").output();
        output.expect("syclscope runs")
    };
    assert_eq!(
        stdout(&output(&["HEAT category:kernel duration>1us", "--format", "csv"])),
        "name,category,kind,count,total_ns,clipped_ns,self_ns,min_ns,mean_ns,p50_ns,p95_ns,p99_ns,max_ns\n\
         heat_step,kernel,kernel,2,5000,5000,5000,2000,2500,2000,3000,3000,3000\n"
    );
    let text = stdout(&output(&["error:true"]));
    assert!(text.contains("urEnqueueKernelLaunch") && text.contains("1 slice with 1 name"), "{text}");
    assert!(stdout(&output(&["-duration>=0"])).contains("no slices match"));
    let json = stdout(&output(&["category:native", "--json", "--section", "slices"]));
    let selected: Selected = serde_json::from_str(&json).expect("JSON");
    assert_eq!((selected.total.count, selected.total.total_ns), (1, 50));
    let wrong = output(&["nmae:x"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(stderr(&wrong).contains("no field `nmae`"), "{}", stderr(&wrong));
}

#[test]
fn calls_come_as_a_table_and_as_json() {
    let scratch = Scratch::new();
    scratch.file("run.json", recording::as_json());
    let run = |options: &[&str]| {
        let output = syclscope(&scratch).args(["summary", "--calls", "run.json"]).args(options).output();
        stdout(&output.expect("syclscope runs"))
    };
    let table = run(&[]);
    assert!(table.contains("3 calls of 2 functions, 1 did not return success"), "{table}");
    for json in [run(&["--json"]), run(&["--format", "json"])] {
        let rows: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(rows[0]["name"], "urEnqueueKernelLaunch");
        assert_eq!((&rows[0]["count"], &rows[0]["errors"]), (&2.into(), &1.into()));
        assert_eq!((&rows[1]["mean_ns"], &rows[1]["kind"]), (&50.into(), &"native".into()));
    }
}

#[test]
fn sections_come_one_by_one() {
    let scratch = Scratch::new();
    scratch.file("run.pftrace", recording::as_perfetto());
    let run = |section: &str, options: &[&str]| {
        let arguments = ["summary", "run.pftrace", "--section", section];
        let output = syclscope(&scratch).args(arguments).args(options).output().expect("syclscope runs");
        assert_eq!(output.status.code(), Some(0), "{section}: {}", stderr(&output));
        stdout(&output)
    };
    let sections = [
        ("slices", "name,category,kind,count,total_ns,clipped_ns,self_ns,", 4),
        ("kernels", "name,kind,count,total_ns,", 1),
        ("copies", "from,to,count,bytes,total_ns,bytes_per_ns", 0),
        ("waits", "name,count,total_ns,max_ns,function,file,line,column", 0),
        ("memory", "kind,peak_bytes,peak_at_ns,count,total_bytes\ndevice,4096,20,1,4096", 1),
        ("unreleased", "kind,count,bytes,function,file,line,column\ndevice,1,4096,main,heat.cpp,12,3", 1),
        (
            "critical-path",
            "kind,name,count,duration_ns,node,start_ns,function,file,line,column,after,until\nhost,before the first event,1,10000,,",
            11,
        ),
        ("queues", "queue,order,device_type,device,executions,busy_ns,host_ns,", 1),
        ("energy", "process,counter,device,part,name,kind,count,", 0),
        (
            "regions",
            "region,count,threads,total_ns,min_ns,median_ns,max_ns,commands,device_ns,copy_ns,wait_ns",
            0,
        ),
        ("iterations", "number,from_ns,duration_ns,device_ns,", 3),
        ("start-up", "kind,name,count,total_ns,file,line\n", 3),
        ("builds", "number,from_ns,duration_ns,call,source,bytes,thread,kernels,", 0),
        ("gaps", "device,from_ns,duration_ns,class,next,file,line,message", 4),
        ("problems", "about,kind,severity,count,first_offset,file,line,message", 0),
        ("calls", "name,count,errors,", 2),
    ];
    for (section, begin, rows) in sections {
        let csv = run(section, &["--format", "csv"]);
        assert!(csv.starts_with(begin), "{section}: {csv}");
        assert_eq!(csv.lines().count(), rows + 1, "{section}: {csv}");
        let columns = csv.lines().map(|line| line.split(',').count());
        assert!(columns.clone().all(|count| Some(count) == columns.clone().next()), "{csv}");
        let json: serde_json::Value = serde_json::from_str(&run(section, &["--json"])).expect("JSON");
        let lists = ["iterations", "builds", "steps", "groups", "gaps"].map(|key| json[key].as_array());
        let list = json.as_array().or_else(|| lists.into_iter().flatten().next());
        assert_eq!(list.map_or(rows, Vec::len), rows, "{section}: {json}");
        let text = run(section, &[]);
        assert_eq!(text.ends_with(": none\n"), rows == 0, "{section}: {text}");
    }
    for part in [["--where", "name:nothing"], ["--to", "1ns"]] {
        assert_eq!(run("kernels", &part), "Device time by kernel and command: none\n", "{part:?}");
    }
}

/// Adds samples of the processor's power: µs and watts.
fn with_power(samples: &[(u64, u64)]) -> String {
    let json = String::from_utf8(recording::as_json()).expect("text");
    let sample = |(at, watts): &(u64, u64)| {
        let name = "processor power: package-0";
        format!(r#",{{"ph":"C","name":"{name}","pid":42,"tid":0,"ts":{at},"args":{{"value":{watts}}}}}"#)
    };
    let samples: String = samples.iter().map(sample).collect();
    format!("{}{samples}]", json.trim_end().strip_suffix(']').expect("a list of events"))
}

#[test]
fn regions_are_a_section_where_the_program_has_any() {
    let scratch = Scratch::new();
    let json = String::from_utf8(recording::as_json()).expect("text");
    let region = |name: &str, from: u64, us: u64| {
        format!(r#",{{"ph":"X","cat":"user","name":"{name}","pid":42,"tid":42,"ts":{from},"dur":{us}}}"#)
    };
    let regions = region("solve", 9, 60) + &region("step", 10, 20) + &region("step", 40, 10);
    scratch.file(
        "run.json",
        format!("{}{regions}]", json.trim_end().strip_suffix(']').expect("a list of events")),
    );
    scratch.file("none.pftrace", recording::as_perfetto());
    let run = |file: &str, options: &[&str]| {
        stdout(&syclscope(&scratch).args(["summary", file]).args(options).output().expect("syclscope runs"))
    };
    assert!(run("run.json", &[]).contains("\nRegions of the program\n"));
    assert!(!run("none.pftrace", &[]).contains("Regions"));
    let csv = run("run.json", &["--section", "regions", "--format", "csv"]);
    let rows: Vec<&str> = csv.lines().skip(1).collect();
    assert!(rows[0].starts_with("solve,1,1,60000,60000,60000,60000,"), "{csv}");
    assert!(rows[1].starts_with("solve/step,2,1,30000,10000,10000,20000,"), "{csv}");
    let asked = syclscope(&scratch).args(["ask", "run.json", "regions"]).output().expect("syclscope runs");
    let all: serde_json::Value = serde_json::from_str(&run("run.json", &["--json"])).expect("JSON");
    assert_eq!(all["regions"], serde_json::from_str::<serde_json::Value>(&stdout(&asked)).expect("JSON"));
    let text = run("run.json", &["--section", "regions", "--from", "35us"]);
    assert!(text.contains("solve / step") && text.contains("10.00 µs"), "{text}");
}

#[test]
fn energy_is_a_section_where_power_was_recorded() {
    let scratch = Scratch::new();
    // 40 W during the first kernel (1 µs), 60 W during the kernels of 2 and 3 µs.
    scratch.file("run.json", with_power(&[(10, 5), (20, 40), (40, 60)]));
    scratch.file("none.pftrace", recording::as_perfetto());
    let run = |file: &str, options: &[&str]| {
        stdout(&syclscope(&scratch).args(["summary", file]).args(options).output().expect("syclscope runs"))
    };
    let whole = run("run.json", &[]);
    assert!(whole.contains("\nEnergy by kernel and command (estimate)\n"), "{whole}");
    assert!(!run("none.pftrace", &[]).contains("Energy"));
    let text = run("run.json", &["--section", "energy"]);
    let sentence = "processor power: package-0: 1.600 mJ in 30.00 µs (mean 53.33 W), estimated by time share: commands 21.2 %, \
                    idle 78.8 %";
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ");
    assert!(words(&text).starts_with(sentence), "{text}");
    assert!(words(&text).ends_with("340.0 µJ 21.2 % 113.3 µJ 3 kernel heat_step"), "{text}");
    let csv = run("run.json", &["--section", "energy", "--format", "csv"]);
    let part = |begin: &str| -> f64 {
        let begin = format!("0,processor power: package-0,Test device,{begin},");
        let joules = csv.lines().find_map(|line| line.strip_prefix(&begin));
        joules.unwrap_or_else(|| panic!("{begin} is not in {csv}")).parse().expect("a number")
    };
    assert!((part("command,heat_step,kernel,3,6000,0") - 340e-6).abs() < 1e-12, "{csv}");
    assert!((part("idle,,,,,") - 1_260e-6).abs() < 1e-12, "{csv}");
    let late = run("run.json", &["--from", "20us", "--section", "energy", "--json"]);
    let late: Energy = serde_json::from_str(&late).expect("JSON");
    assert!((late.counters[0].joules - 1_200e-6).abs() < 1e-12, "{late:?}");
    let all: serde_json::Value = serde_json::from_str(&run("run.json", &["--json"])).expect("JSON");
    assert_eq!(all["energy"]["estimate"], "estimated by time share");
    let asked = syclscope(&scratch).args(["ask", "run.json", "energy?from=20000"]).output();
    let asked: Energy = serde_json::from_str(&stdout(&asked.expect("syclscope runs"))).expect("JSON");
    assert_eq!(asked, late);
}

#[test]
fn a_part_of_the_run_has_a_summary() {
    let scratch = Scratch::new();
    scratch.file("run.pftrace", recording::as_perfetto());
    let run = |options: &[&str]| {
        let output = syclscope(&scratch).args(["summary", "run.pftrace"]).args(options).output();
        output.expect("syclscope runs")
    };
    // The range cuts both executions: the mean has their whole durations, the total only their parts in the range.
    let range = ["--from", "11.5us", "--to", "22us", "--format", "csv"];
    let csv = stdout(&run(&[&range[..], &["--section", "kernels"]].concat()));
    assert!(csv.ends_with(",2,1500,1000,1500,1000,2000,2000,500,main,heat.cpp,12,3,1\n"), "{csv}");
    let calls = ["--where", "category:ur error:true", "--section", "slices", "--format", "csv"];
    let csv = stdout(&run(&calls));
    assert!(csv.ends_with("\nurEnqueueKernelLaunch,ur,,1,200,200,200,200,200,200,200,200,200\n"), "{csv}");
    let text = stdout(&run(&["--where", "kind:kernel duration>=2us"]));
    assert!(text.contains("Slices by name") && !text.contains("Queues"), "{text}");
    let path = stdout(&run(&[&range[..], &["--section", "critical-path"]].concat()));
    let times = path.lines().skip(1).map(|line| line.split(',').nth(3).unwrap().parse::<u64>().unwrap());
    assert_eq!(times.sum::<u64>(), 10_500, "{path}");
    for (options, said) in [
        (["--iterations", "4"], "no such iteration: the run has 3"),
        (["--region", "solve"], "no region of the trace is named 'solve'"),
    ] {
        let refused = run(&options);
        assert_eq!(refused.status.code(), Some(1));
        assert!(stderr(&refused).contains(said), "{}", stderr(&refused));
    }
    let csv = stdout(&run(&[&range[..], &["--section", "findings"]].concat()));
    assert!(csv.starts_with("kind,count,gain_ns,touches_ns,"), "{csv}");
    let csv = stdout(&run(&["--from", "0", "--to", "10s", "--format", "csv", "--section", "memory"]));
    assert_eq!(csv, stdout(&run(&["--format", "csv", "--section", "memory"])));
    for section in ["builds", "calls", "queues", "unreleased", "iterations"] {
        let of =
            |options: &[&str]| stdout(&run(&[options, &["--format", "csv", "--section", section]].concat()));
        let (whole, everything, nothing) =
            (of(&[]), of(&["--from", "0", "--to", "10s"]), of(&["--from", "9s", "--to", "10s"]));
        assert_eq!(
            (whole.lines().count() > 1 || section == "builds", nothing.lines().count()),
            // A queue without work is a row, too.
            (true, if section == "queues" { 2 } else { 1 }),
            "{section}: {whole}"
        );
        assert_eq!(whole, everything, "{section}");
        assert_ne!(whole.lines().count() > 1, whole == nothing, "{section}");
        let refused = run(&["--where", "kind:kernel", "--section", section]);
        assert!(stderr(&refused).contains("doesn't support --where"), "{section}: {}", stderr(&refused));
    }
    // The part of the queue's time that lies in the range, from its creation on.
    let csv = stdout(&run(&[&range[..], &["--section", "queues"]].concat()));
    let row: Vec<&str> = csv.lines().nth(1).expect("a queue").split(',').collect();
    let times = [5, 6, 7, 8, 9, 11].map(|column| row[column].parse::<u64>().expect("a time"));
    assert_eq!((row[4], times.iter().sum::<u64>()), ("2", 10_500), "{csv}");
    let text = stdout(&run(&["--iterations", "2-3"]));
    assert!(text.contains("\nIterations\n  Iteration 2 of 3 "), "{text}");
    let text = stdout(&run(&["--from", "9s", "--to", "10s", "--section", "unreleased"]));
    assert_eq!(text, "Never released: none\n");
    let markdown = stdout(&run(&["--iterations", "2-3", "--format", "markdown"]));
    assert!(markdown.contains("\n**Part**: iterations 2\\-3\n"), "{markdown}");
    let refused = run(&["--where", "kind:kernel", "--section", "findings"]);
    assert!(stderr(&refused).contains("doesn't support --where"), "{}", stderr(&refused));
    let refused = run(&["--where", "kind:kernel", "--section", "critical-path"]);
    assert!(stderr(&refused).contains("doesn't support --where"), "{}", stderr(&refused));
    let refused = run(&["--from", "1us", "--section", "problems"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("covers the whole run"), "{}", stderr(&refused));
    for options in [["--where", "nosuch:thing"], ["--from", "soon"]] {
        assert_eq!(run(&options).status.code(), Some(2), "{options:?}");
    }
}

#[test]
fn json_holds_the_report() {
    let scratch = Scratch::new();
    scratch.file("run.json", recording::as_json());
    let output =
        syclscope(&scratch).args(["summary", "--json", "run.json"]).output().expect("syclscope runs");
    let whole: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    let report: Report = serde_json::from_value(whole["report"].clone()).expect("a report");
    assert_eq!((report.commands[0].p95_ns, report.memory[0].peak_bytes), (3_000, 4_096));
    assert_eq!(whole["duration_ns"], report.critical_path.length_ns);
}

#[test]
fn rows_are_as_many_as_asked_for() {
    let scratch = Scratch::new();
    scratch.file("run.pftrace", recording::as_perfetto());
    let run = |options: &[&str]| {
        let output =
            syclscope(&scratch).args(["summary", "run.pftrace", "--top", "1"]).args(options).output();
        stdout(&output.expect("syclscope runs"))
    };
    assert!(run(&["--calls"]).contains("and 1 more"), "{}", run(&["--calls"]));
    let steps = run(&["--section", "critical-path", "--format", "csv"]).lines().count() - 1;
    let text = run(&["--section", "critical-path"]);
    // The heading and one step, in the order of time.
    assert_eq!(steps, 1);
    let path = |options: &[&str]| -> CriticalPath {
        let output = syclscope(&scratch).args(["summary", "run.pftrace", "--json"]).args(options).output();
        let whole: serde_json::Value =
            serde_json::from_str(&stdout(&output.expect("syclscope runs"))).expect("JSON");
        serde_json::from_value(whole["report"]["critical_path"].clone()).expect("a path")
    };
    let (all, few) = (path(&[]), path(&["--top", "1"]));
    assert!(all.steps.len() > 1 && all.more_steps == 0);
    assert_eq!((few.steps.len(), few.more_steps), (1, all.steps.len() as u64 - 1));
    assert_eq!(few.length_ns, all.length_ns);
    let none = path(&["--top", "0"]);
    assert_eq!((none.steps.len(), none.more_steps), (0, all.steps.len() as u64));
    assert!(text.contains(&format!("and {} more", all.steps.len() - 1)), "{text}");
}

#[test]
fn options_for_calls_need_calls() {
    let scratch = Scratch::new();
    for options in [&["--of", "native"][..], &["--sort", "count"], &["--json", "--format", "csv"]] {
        let output = syclscope(&scratch).args(["summary", "run.json"]).args(options).output();
        assert_eq!(output.expect("syclscope runs").status.code(), Some(2), "{options:?}");
    }
}

#[test]
fn markdown_is_the_report_of_the_trace() {
    let scratch = Scratch::new();
    scratch.file("run.pftrace", recording::as_perfetto());
    let summary = ["summary", "--format", "markdown", "run.pftrace"];
    let printed = syclscope(&scratch).args(summary).output().expect("syclscope runs");
    let trace = syclscope_engine::import::open(&recording::as_perfetto()).expect("a trace");
    let gaps = trace.gaps(&GapsQuestion { limit: 3, ..GapsQuestion::default() }).ok();
    let reported = syclscope_report::overview::markdown(
        "run.pftrace",
        &trace.info(),
        &trace.report(),
        gaps.as_ref(),
        None,
    );
    assert_eq!(stdout(&printed).trim_end(), reported.trim_end());
    let refused =
        syclscope(&scratch).args(summary).args(["--section", "kernels"]).output().expect("syclscope runs");
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("leave out --section"), "{}", stderr(&refused));
}

#[test]
fn standard_input_is_a_trace() {
    let scratch = Scratch::new();
    scratch.file("run.pftrace", recording::as_perfetto());
    let summarize = |path: &str| {
        let mut command = syclscope(&scratch);
        let stdin = std::fs::File::open(scratch.folder().join("run.pftrace")).expect("the trace");
        command.args(["summary", "--section", "kernels", path]).stdin(stdin).output().expect("syclscope runs")
    };
    let (file, piped) = (summarize("run.pftrace"), summarize("-"));
    assert_eq!((piped.status.code(), stdout(&piped)), (Some(0), stdout(&file)), "{}", stderr(&piped));
}

#[test]
fn a_range_ends_after_its_start() {
    let scratch = Scratch::new();
    scratch.file("run.pftrace", recording::as_perfetto());
    let range = ["summary", "--from", "20us", "--to", "10us", "run.pftrace"];
    let output = syclscope(&scratch).args(range).output().expect("syclscope runs");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("--from must be before --to"), "{}", stderr(&output));
}

#[test]
fn each_run_of_a_folder_has_a_summary() {
    let scratch = Scratch::new();
    scratch.file("runs/run-2.pftrace", recording::of_kernels(42, 2));
    let summarize = |arguments: &[&str]| {
        syclscope(&scratch).arg("summary").args(arguments).output().expect("syclscope runs")
    };
    let alone = summarize(&["runs/run-2.pftrace"]);
    assert_eq!(stdout(&summarize(&["runs"])), stdout(&alone));
    assert_eq!(
        stdout(&summarize(&["runs", "--json"])),
        stdout(&summarize(&["runs/run-2.pftrace", "--json"]))
    );

    scratch.file("runs/run-10.pftrace", recording::of_kernels(43, 10));
    // A baseline is no run.
    let baseline = ["check", "runs/run-2.pftrace", "--write-baseline", "runs/base.json"];
    assert!(syclscope(&scratch).args(baseline).output().expect("syclscope runs").status.success());
    let all = summarize(&["runs"]);
    let (first, second) = (stdout(&alone), stdout(&summarize(&["runs/run-10.pftrace"])));
    assert_eq!(stdout(&all), format!("{first}\n{second}"), "{}", stderr(&all));
    assert!(stderr(&all).contains("skipped runs/base.json"), "{}", stderr(&all));
    let kernels = stdout(&summarize(&["runs", "--section", "kernels"]));
    let headings: Vec<&str> = kernels.lines().filter(|line| line.starts_with("runs/")).collect();
    assert_eq!(headings, ["runs/run-2.pftrace", "runs/run-10.pftrace"]);

    let csv = summarize(&["runs", "--format", "csv"]);
    assert_eq!(csv.status.code(), Some(1));
    let message =
        "runs has 2 runs, but CSV, JSON and HTML describe only one; name it, like runs/run-2.pftrace,";
    assert!(stderr(&csv).contains(message), "{}", stderr(&csv));
    scratch.file("runs/notes.json", "hello");
    let others = summarize(&["runs"]);
    assert_eq!((others.status.code(), stdout(&others)), (Some(1), stdout(&all)));
    assert!(stderr(&others).contains("runs/notes.json: "), "{}", stderr(&others));
    std::fs::create_dir(scratch.path("empty")).expect("a folder");
    assert!(stderr(&summarize(&["empty"])).contains("no recordings in empty"));
}

#[test]
fn processes_of_a_run_have_one_summary() {
    let scratch = Scratch::new();
    scratch.file("run/heat.node.rank0.17.pftrace", recording::of_process(17));
    scratch.file("run/heat.node.rank1.18.pftrace", recording::of_process(18));
    let output = syclscope(&scratch).args(["summary", "run", "--json"]).output().expect("syclscope runs");
    let info: TraceInfo = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!((info.processes.len(), info.kernels[0].count), (2, 6), "{}", stderr(&output));
}

/// `record --max-size` keeps the newest file and the one before it.
#[test]
fn the_halves_of_a_recording_have_one_summary_in_their_order() {
    let scratch = Scratch::new();
    scratch.file("runs/run.older.pftrace", recording::of_nodes(42, 1..=3));
    scratch.file("runs/run.pftrace", recording::of_nodes(42, 4..=8));
    let summarize =
        |words: &str| syclscope(&scratch).args(words.split(' ')).output().expect("syclscope runs");
    let merged = summarize("merge -o whole.pftrace runs/run.older.pftrace runs/run.pftrace");
    assert!(merged.status.success(), "{}", stderr(&merged));
    let (whole, folder) = (summarize("summary --json whole.pftrace"), summarize("summary --json runs"));
    assert_eq!(stdout(&folder), stdout(&whole));
    assert!(stderr(&folder).contains("is merged with 1 file of its run"), "{}", stderr(&folder));
    // An unreadable file does not affect the others.
    scratch.file("runs/broken.json", "no trace");
    let beside = summarize("summary --section kernels runs");
    assert_eq!(beside.status.code(), Some(1));
    assert!(stdout(&beside).contains(recording::KERNEL), "{}", stderr(&beside));
}

#[test]
fn what_dependences_need_without_times_of_host_tasks_is_a_lower_bound() {
    let scratch = Scratch::new();
    let kept = concat!(env!("CARGO_MANIFEST_DIR"), "/../../e2e/traces/dpnp.pftrace.gz");
    let output = syclscope(&scratch).args(["summary", kept]).output().expect("syclscope runs");
    let text = stdout(&output).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("host tasks") && text.contains("; dependences alone need at least "), "{text}");
}

#[test]
fn of_many_builds_the_longest_are_listed() {
    let scratch = Scratch::new();
    let kept = concat!(env!("CARGO_MANIFEST_DIR"), "/../../e2e/traces/dpnp.pftrace.gz");
    let builds = |top: &str| {
        let words = ["summary", "--section", "builds", "--top", top, kept];
        let text = stdout(&syclscope(&scratch).args(words).output().expect("syclscope runs"));
        text.lines().nth(2).expect("a build").split("  ").next().map(str::to_owned)
    };
    // The longest build is the second to begin.
    assert_eq!(builds("1"), builds("3"));
    assert_eq!(builds("1").as_deref(), Some("593.9 ms"));
}

#[test]
fn a_misspelt_command_is_answered_with_the_right_one() {
    let scratch = Scratch::new();
    let output = syclscope(&scratch).arg("sumary").output().expect("syclscope runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("'summary'"), "{}", stderr(&output));
}

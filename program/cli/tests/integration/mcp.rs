//! `syclscope mcp` and `syclscope skill`.

pub(crate) mod client;
mod exported;
mod investigation;

use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use self::client::{Client, recordings};
use crate::recording;
use crate::support::{Scratch, stdout, syclscope};

fn copied(scratch: &Scratch, wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let mut names = Vec::new();
    for path in recordings() {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if wanted(&name) {
            std::fs::copy(&path, scratch.path(&name)).expect("a copy");
            names.push(name);
        }
    }
    names
}

fn asked(scratch: &Scratch, name: &str, queries: &[&str]) -> Vec<Value> {
    let mut child = syclscope(scratch)
        .args(["ask", name, "--lines"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("syclscope runs");
    child.stdin.take().expect("a pipe").write_all(queries.join("\n").as_bytes()).expect("it reads");
    let output = stdout(&child.wait_with_output().expect("it ends"));
    let answer = |line: &str| serde_json::from_str::<Value>(line).expect("JSON")["answer"].take();
    output.lines().map(answer).collect()
}

#[test]
fn no_answer_is_longer_than_a_page_and_pages_are_the_whole() {
    let scratch = Scratch::new();
    let names = copied(&scratch, |_| true);
    assert!(names.len() > 20, "{names:?}");
    let mut client = Client::new(&scratch);
    let tools = client.request("tools/list", &json!({}))["result"]["tools"].clone();
    let queries = [
        "",
        "report",
        "files",
        "calls",
        "components",
        "slices?limit=200&args=true",
        "gaps?limit=50",
        "graph?limit=200",
    ];
    let mut paged = 0;
    for name in &names {
        let trace = json!({"trace": name});
        for tool in ["summary", "findings", "gaps", "iterations", "critical_path", "select", "sql", "picture"]
        {
            assert!(!client.call(tool, &trace).is_error, "{tool} of {name}");
        }
        client.call("compare", &json!({"a": [name], "b": [name]}));
        let listed = client.json("ask", &json!({"trace": name, "question": "slices?limit=1"}));
        if let Some(slice) = listed["slices"][0]["at"]["slice"].as_u64() {
            client.call("neighbourhood", &json!({"trace": name, "slice": slice, "hops": 0}));
        }
        for (query, expected) in queries.into_iter().zip(asked(&scratch, name, &queries)) {
            let (answer, pages) = client.pages("ask", &json!({"trace": name, "question": query}));
            assert_eq!(answer, expected, "{query} of {name}");
            paged += u64::from(pages > 1);
        }
    }
    assert!(paged > 30, "only {paged} answers had pages");
    client.call("list_traces", &json!({}));
    client.call("document", &json!({"name": "QUERIES.md"}));
    assert!(client.call("tries", &json!({})).is_error, "there is no ledger");
    let called: Vec<String> = client.called.borrow().iter().cloned().collect();
    let mut listed: Vec<&str> =
        tools.as_array().expect("a list").iter().filter_map(|tool| tool["name"].as_str()).collect();
    listed.sort_unstable();
    assert_eq!(called, listed, "every tool");
    client.end();
}

#[test]
fn an_ordinary_question_has_one_page() {
    let scratch = Scratch::new();
    let names = copied(&scratch, |name| name.ends_with(".pftrace.gz"));
    let mut client = Client::new(&scratch);
    let queries = [
        "builds",
        "energy",
        "regions",
        "start_up",
        "slices",
        "select",
        "calltree",
        "objects",
        "transfers",
        "allocations",
        "leaks",
        "memory_use",
        "memory_at?at=1000000",
        "serialised",
        "iterations",
        "critical_path",
        "what_if",
    ];
    for name in &names {
        for tool in ["findings", "gaps", "iterations", "critical_path", "select"] {
            client.json(tool, &json!({"trace": name}));
        }
        for query in queries {
            client.json("ask", &json!({"trace": name, "question": query}));
        }
    }
    client.end();
}

#[test]
fn iterations_stand_for_a_range() {
    let scratch = Scratch::new();
    copied(&scratch, |name| name.starts_with("heat."));
    let mut client = Client::new(&scratch);
    let trace = "heat.pftrace.gz";
    let found = client.json("iterations", &json!({"trace": trace, "first": 3, "last": 5}));
    let (first, last) = (&found["iterations"][0], &found["iterations"][2]);
    assert_eq!((&first["number"], &last["number"]), (&json!(3), &json!(5)));
    for tool in ["findings", "gaps", "critical_path", "select"] {
        let by_iterations = client.json(tool, &json!({"trace": trace, "iterations": "3-5"}));
        let range = json!({"trace": trace, "from_ns": first["from_ns"], "to_ns": last["to_ns"]});
        assert_eq!(by_iterations, client.json(tool, &range), "{tool}");
    }
    client.end();
}

#[test]
fn text_has_pages_that_are_the_whole() {
    let scratch = Scratch::new();
    copied(&scratch, |name| name.starts_with("heat.") || name.starts_with("dpnp."));
    let mut client = Client::new(&scratch);
    let manual = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/QUERIES.md"))
        .expect("the manual");
    assert_eq!(client.text("document", &json!({"name": "QUERIES.md"})), manual);
    let read = client.request("resources/read", &json!({"uri": "syclscope://docs/QUERIES.md"}));
    assert_eq!(read["result"]["contents"][0]["text"], manual);
    for (arguments, options) in [
        (json!({"limit": 1_000}), &["--top", "1000"][..]),
        (json!({"section": "calls"}), &["--section", "calls"]),
        (
            json!({"section": "gaps", "from_ns": 1_000_000, "limit": 3}),
            &["--section", "gaps", "--from", "1000000", "--top", "3"],
        ),
        (
            json!({"iterations": "3-5", "section": "kernels"}),
            &["--section", "kernels", "--iterations", "3-5"],
        ),
        (json!({"where": "kind:kernel duration>100us"}), &["--where", "kind:kernel duration>100us"]),
    ] {
        for name in ["heat.pftrace.gz", "dpnp.pftrace.gz"] {
            let mut given = arguments.clone();
            given["trace"] = json!(name);
            let printed =
                syclscope(&scratch).arg("summary").args(options).arg(name).output().expect("syclscope runs");
            assert_eq!(client.text("summary", &given).trim_end(), stdout(&printed).trim_end(), "{given}");
        }
    }
    let all =
        client.text("compare", &json!({"a": ["heat.pftrace.gz"], "b": ["dpnp.pftrace.gz"], "limit": 1_000}));
    let few =
        client.text("compare", &json!({"a": ["heat.pftrace.gz"], "b": ["dpnp.pftrace.gz"], "limit": 2}));
    assert!(few.lines().count() + 10 < all.lines().count() && few.contains("more row"), "{few}");
    client.end();
}

#[test]
fn arguments_choose_a_part() {
    let scratch = Scratch::new();
    // Kernels of 1, 2, … 12 µs begin at 11, 21, … 121 µs, one after another.
    scratch.file("run.pftrace", recording::of_kernels(42, 12));
    let mut client = Client::new(&scratch);
    let ask = |more: Value| {
        let mut arguments = json!({"trace": "run.pftrace"});
        arguments.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        arguments
    };
    let gaps = client.json("gaps", &ask(json!({"from_ns": 11_000, "to_ns": 31_000, "limit": 1})));
    assert_eq!((&gaps["idle_ns"], &gaps["count"], &gaps["more"]), (&json!(17_000), &json!(2), &json!(1)));
    assert_eq!((&gaps["gaps"][0]["from_ns"], &gaps["gaps"][0]["to_ns"]), (&json!(12_000), &json!(21_000)));
    let track = gaps["gaps"][0]["track"].clone();
    let around = client.json("gaps", &ask(json!({"track": track, "at_ns": 35_000})));
    assert_eq!(
        (&around["gaps"][0]["from_ns"], &around["gaps"][0]["to_ns"]),
        (&json!(34_000), &json!(41_000))
    );
    let path = client.json("critical_path", &ask(json!({"from_ns": 11_000, "to_ns": 31_000, "limit": 3})));
    assert_eq!(path["length_ns"], 20_000);
    assert!(path["steps"].as_array().expect("a list").len() <= 3);
    let iterations =
        client.json("iterations", &ask(json!({"command": recording::KERNEL, "first": 3, "last": 5})));
    let numbers: Vec<u64> = iterations["iterations"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|iteration| iteration["number"].as_u64())
        .collect();
    assert_eq!((numbers, &iterations["count"]), (vec![3, 4, 5], &json!(12)));
    let selected = client.json("select", &ask(json!({"where": "kind:kernel duration>=10us"})));
    assert_eq!((&selected["total"]["count"], &selected["total"]["total_ns"]), (&json!(3), &json!(33_000)));
    client.end();
}

#[test]
fn parts_of_runs_are_compared() {
    let scratch = Scratch::new();
    scratch.file("a.pftrace", recording::of_kernels(42, 12));
    scratch.file("b.pftrace", recording::of_kernels(42, 14));
    let mut client = Client::new(&scratch);
    let sides = |more: Value| {
        let mut arguments = json!({"a": ["a.pftrace"], "b": ["b.pftrace"]});
        arguments.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        arguments
    };
    let text = client.text("compare", &sides(json!({"iterations": "3-5"})));
    assert!(text.contains("**Compared**: `iterations 3-5`"), "{text}");
    let text = client.text("compare", &sides(json!({"iterations": 4})));
    assert!(text.contains("**Compared**: `iteration 4`"), "{text}");
    let text = client.text("compare", &sides(json!({"from_ns": 11_000, "to_ns": 31_000})));
    assert!(text.contains("**Compared**: `from "), "{text}");
    for (more, said) in [
        (json!({"iterations": "13"}), "a.pftrace: no such iteration: the run has 1"),
        (json!({"region": "solve"}), "a.pftrace: no region of the trace is named 'solve'"),
        (json!({"iterations": "5-3"}), "the first and the last, like 5-120"),
        (json!({"iterations": "3", "to_ns": 5}), "can't be combined"),
    ] {
        let refused = client.call("compare", &sides(more));
        assert!(refused.is_error && refused.texts[0].contains(said), "{refused:?}");
    }
    let text = client.text("compare", &json!({"a": ["a.pftrace", "b.pftrace"], "b": ["./b.pftrace"]}));
    assert!(text.contains("1 file is on both sides"), "{text}");
    client.end();
}

#[test]
fn wrong_arguments_are_refused_with_the_right_ones() {
    let scratch = Scratch::new();
    scratch.file("run.pftrace", recording::as_perfetto());
    let mut client = Client::new(&scratch);
    for (tool, arguments, words) in [
        (
            "gaps",
            json!({"trace": "run.pftrace", "from": 1}),
            "unknown parameter `from`; the parameters are trace, track, from_ns",
        ),
        ("gaps", json!({"trace": "run.pftrace", "from_ns": -1}), "from_ns must be a non-negative integer"),
        ("gaps", json!({"trace": "run.pftrace", "page": 2}), "no page 2; the answer has 1"),
        ("gaps", json!({"trace": "run.pftrace", "page": 0}), "pages are counted from 1"),
        ("gaps", json!({"trace": "none.pftrace"}), "list_traces"),
        ("summary", json!({"trace": "run.pftrace", "section": "all"}), "possible values: slices"),
        ("summary", json!({"trace": "run.pftrace", "iterations": "3", "from_ns": 1}), "cannot be used with"),
        ("select", json!({"trace": "run.pftrace", "sort": "size"}), "sort"),
        ("ask", json!({"trace": "run.pftrace", "question": "repotr"}), "no query `repotr`"),
        ("document", json!({"name": "NOTHING.md"}), "SKILL.md, QUERIES.md"),
        (
            "findings",
            json!({"trace": "run.pftrace", "from_ns": 9, "to_ns": 5}),
            "from_ns must be less than to_ns",
        ),
    ] {
        let answer = client.call(tool, &arguments);
        assert!(answer.is_error && answer.texts[0].contains(words), "{tool} {arguments}: {answer:?}");
    }
    // Numbers may be texts.
    assert_eq!(
        client.json("gaps", &json!({"trace": "run.pftrace", "limit": "1"}))["gaps"].as_array().map(Vec::len),
        Some(1)
    );
    client.end();
}

#[test]
fn each_revision_of_the_protocol_is_spoken() {
    let scratch = Scratch::new();
    let mut client = Client::new(&scratch);
    for (wanted, spoken) in
        [("2024-11-05", "2024-11-05"), ("2025-06-18", "2025-06-18"), ("2099-01-01", "2025-11-25")]
    {
        let greeting = client.request("initialize", &json!({"protocolVersion": wanted}));
        assert_eq!(greeting["result"]["protocolVersion"], spoken);
    }
    let revision = |name: &str| json!({"_meta": {"io.modelcontextprotocol/protocolVersion": name}});
    let found = client.request("server/discover", &revision("2026-07-28"));
    assert_eq!(found["result"]["supportedVersions"][0], "2026-07-28");
    assert_eq!(found["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "syclscope");
    let listed = client.request("tools/list", &revision("2026-07-28"));
    assert_eq!(
        (&listed["result"]["resultType"], &listed["result"]["ttlMs"]),
        (&json!("complete"), &json!(0))
    );
    let old = client.request("tools/list", &json!({}));
    assert_eq!(
        (&old["result"]["resultType"], &old["result"]["tools"]),
        (&Value::Null, &listed["result"]["tools"])
    );
    let refused = client.request("tools/list", &revision("1999-01-01"));
    assert_eq!(
        (&refused["error"]["code"], &refused["error"]["data"]["requested"]),
        (&json!(-32022), &json!("1999-01-01"))
    );
    let missing = client.request("resources/read", &json!({"uri": "syclscope://docs/NOTHING.md"}));
    assert_eq!(missing["error"]["code"], -32002);
    assert_eq!(client.request("nothing", &json!({}))["error"]["code"], -32601);
    client.end();
}

#[test]
fn the_skill_names_queries_that_exist() {
    let scratch = Scratch::new();
    let output = syclscope(&scratch).arg("skill").output().expect("syclscope runs");
    let skill = stdout(&output);
    assert!(skill.starts_with("---\nname: syclscope\ndescription: "), "{skill}");
    let table = skill.split("## More questions").nth(1).expect("a table of queries");
    let code = |row: &str| row.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let rows = table.lines().filter(|line| line.starts_with("| "));
    let mut queries: Vec<String> =
        rows.flat_map(code).filter(|text| !text.contains(' ') && text != "ask").collect();
    queries.extend(
        ["builds?limit=10", "calls", "what_if?copies=0", "what_if?kernel=NAME&faster=2"].map(str::to_owned),
    );
    assert!(queries.len() > 12, "{queries:?}");
    for query in queries {
        query
            .parse::<syclscope_language::question::Question>()
            .unwrap_or_else(|error| panic!("{query}: {error}"));
    }
}

//! Ten questions about recordings, answered along the steps of the skill. Known numbers come from the recordings'
//! events and from the sources of the recorded programs.

use serde_json::{Value, json};

use super::client::Client;
use super::copied;
use super::exported::{Execution, Exported, length, median};
use crate::support::Scratch;

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("a number, not {value}"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("a list, not {value}"))
}

fn idle(client: &mut Client, trace: &str, exported: &Exported, from_ns: u64, to_ns: u64) -> Value {
    let range = json!({"trace": trace, "from_ns": from_ns, "to_ns": to_ns, "limit": 3});
    let gaps = client.json("gaps", &range);
    let expected = exported.idle(from_ns, to_ns);
    assert_eq!(
        (number(&gaps["idle_ns"]), number(&gaps["count"])),
        (length(&expected), expected.len() as u64)
    );
    let classes = list(&gaps["classes"]).iter().map(|class| number(&class["total_ns"]));
    assert_eq!(classes.sum::<u64>(), length(&expected), "the causes add up");
    let (from, to) =
        *expected.iter().max_by_key(|(from, to)| (to - from, std::cmp::Reverse(*from))).expect("one");
    let longest = &gaps["gaps"][0];
    assert_eq!((number(&longest["from_ns"]), number(&longest["to_ns"])), (from, to));
    let parts = list(&longest["parts"]).iter().map(|part| number(&part["step"]["duration_ns"]));
    let rest = longest.get("more_parts_ns").map_or(0, number);
    assert_eq!(parts.sum::<u64>() + rest, to - from, "the parts add up");
    assert!(longest["message"].as_str().is_some_and(|words| words.starts_with("Idle for ")), "{longest}");
    gaps
}

#[test]
fn ten_questions_are_answered_along_the_skill() {
    let scratch = Scratch::new();
    let wanted = ["heat.", "dpnp.", "transfers.", "leaks-twice.", "sub_buffers-bad.", "sub_buffers-good."];
    copied(&scratch, |name| wanted.iter().any(|start| name.starts_with(start)));
    let exported = |name: &str| Exported::read(&scratch, &format!("{name}.pftrace.gz"));
    let mut client = Client::new(&scratch);
    let skill = client.text("document", &json!({"name": "SKILL.md"}));

    // Which recordings are there?
    let listed = client.json("list_traces", &json!({}));
    let names: Vec<&str> =
        list(&listed["traces"]).iter().filter_map(|trace| trace["trace"].as_str()).collect();
    assert!(wanted.iter().all(|start| names.iter().any(|name| name.starts_with(start))), "{names:?}");

    // 1. How long did heat run, and which kernel took most time of the device?
    let (heat, of_heat) = ("heat.pftrace.gz", exported("heat"));
    let summary = client.text("summary", &json!({"trace": heat, "section": "kernels"}));
    let executions = of_heat.executions();
    let bands: Vec<&Execution> = executions.iter().filter(|one| one.name == "diffuse_band").collect();
    let first = summary.lines().find(|line| line.contains("diffuse")).expect("a kernel");
    assert!(first.contains("diffuse_band") && first.contains(&bands.len().to_string()), "{summary}");
    let path = client.json("critical_path", &json!({"trace": heat, "limit": 5}));
    assert_eq!(number(&path["length_ns"]), of_heat.end_ns());

    // 2. How long was its device idle, when for the longest, and why?
    idle(&mut client, heat, &of_heat, 0, of_heat.end_ns());

    // 3. Which executions of that kernel were slow?
    let sum_ns: u64 = bands.iter().map(|one| one.end_ns - one.start_ns).sum();
    let selected =
        client.json("select", &json!({"trace": heat, "where": "category:kernel name=diffuse_band"}));
    let most_ns = bands.iter().map(|one| one.end_ns - one.start_ns).max().expect("one");
    let group = &selected["groups"][0];
    assert_eq!((number(&group["count"]), number(&group["total_ns"])), (bands.len() as u64, sum_ns));
    assert_eq!(number(&group["max_ns"]), most_ns);

    let statement = "SELECT count(*), sum(duration_ns) FROM executions WHERE name = 'diffuse_band'";
    let rows = client.json("sql", &json!({"trace": heat, "statement": statement}));
    assert_eq!(rows["rows"], json!([[bands.len(), sum_ns]]));

    // 4. What does a steady iteration of dpnp cost? Its program has 20 rounds, of which each divides once.
    let (dpnp, of_dpnp) = ("dpnp.pftrace.gz", exported("dpnp"));
    let iterations = client.json("iterations", &json!({"trace": dpnp, "limit": 30}));
    let mark = iterations["mark"]["name"].as_str().expect("a mark").to_owned();
    assert!(mark.starts_with("dpnp::tensor::kernels::true_divide::"), "{mark}");
    let starts: Vec<u64> =
        of_dpnp.executions().iter().filter(|one| one.name.ends_with(&mark)).map(|one| one.start_ns).collect();
    let rows = list(&iterations["iterations"]);
    assert_eq!((rows.len(), number(&iterations["count"]), starts.len()), (20, 20, 20));
    assert_eq!(rows.iter().map(|row| number(&row["from_ns"])).collect::<Vec<_>>(), starts);
    let durations: Vec<u64> = starts.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let warm_up = number(&iterations["warm_up"]) as usize;
    assert_eq!(number(&iterations["steady"]["p50_ns"]), median(durations[warm_up..].to_vec()));

    // 5. Why is its device idle in steady iterations?
    let (from_ns, to_ns) = (starts[warm_up], starts[19]);
    idle(&mut client, dpnp, &of_dpnp, from_ns, to_ns);

    // 6. What decides the time of a steady iteration?
    let path =
        client.json("critical_path", &json!({"trace": dpnp, "from_ns": from_ns, "to_ns": to_ns, "limit": 5}));
    assert_eq!(number(&path["length_ns"]), to_ns - from_ns);

    // 7. What is to be fixed first in sub_buffers? Each of its 16 commands but the first waits for one on another part.
    let [bad, good] = ["sub_buffers-bad", "sub_buffers-good"].map(|name| format!("{name}.pftrace.gz"));
    let findings = client.json("findings", &json!({"trace": bad, "limit": 3}));
    let finding = &list(&findings)[0];
    assert_eq!((finding["kind"].as_str(), number(&finding["count"])), (Some("false_dependence"), 15));
    let grown = exported("sub_buffers-bad").executions();
    let grown_ns: u64 =
        grown.iter().filter(|one| one.name == "grow_buffer").map(|one| one.end_ns - one.start_ns).sum();
    let gain_ns = number(&finding["gain"]["ns"]);
    assert!(gain_ns > 0 && gain_ns < grown_ns, "{gain_ns} of {grown_ns}");
    let others = client.json("findings", &json!({"trace": good, "limit": 20}));
    assert!(list(&others).iter().all(|finding| finding["kind"] != "false_dependence"), "{others}");
    let slice = number(&finding["at"]["slice"]);
    let around = client.json("neighbourhood", &json!({"trace": bad, "slice": slice}));
    assert!(around.to_string().contains("accessor"), "{around}");

    // 8. Did the fix help? One run of each side proves nothing.
    let compared = client.text("compare", &json!({"a": [bad], "b": [good]}));
    for name in ["sub_buffers-bad", "sub_buffers-good"] {
        let ms = format!("{:.1} ms", exported(name).end_ns() as f64 / 1e6);
        assert!(compared.contains(&ms), "{ms}: {compared}");
    }
    assert!(compared.contains("undecided"), "{compared}");

    // 9. Which copies of transfers were not needed? Its source has two that bring nothing new, and two whose target is not read.
    let moved = |query: &str| json!({"trace": "transfers.pftrace.gz", "question": query});
    for query in ["transfers?need=unchanged", "transfers?need=never_read"] {
        assert_eq!(list(&client.json("ask", &moved(query))["transfers"]).len(), 2, "{query}");
    }
    let total = client.json("ask", &moved("transfers"))["total"].clone();
    let mut copies = exported("transfers").executions();
    copies.retain(|one| one.kind == "copy");
    assert_eq!(number(&total["count"]), copies.len() as u64);
    assert_eq!(number(&total["bytes"]), copies.iter().map(|one| one.bytes).sum::<u64>());
    assert_eq!(number(&total["total_ns"]), copies.iter().map(|one| one.end_ns - one.start_ns).sum::<u64>());

    // 10. How much memory does leaks never release? A block in each of 8 rounds, and one of three blocks.
    let leaks = client.json("ask", &json!({"trace": "leaks-twice.pftrace.gz", "question": "leaks"}));
    let (count, bytes) = exported("leaks-twice").unreleased();
    assert_eq!((number(&leaks["at_end"]["count"]), number(&leaks["at_end"]["bytes"])), (count, bytes));
    assert_eq!((count, bytes), (9, 8 * 4096 + 3 * 4096));

    let called = client.called.borrow().clone();
    for tool in skill.split("Tool `").skip(1).filter_map(|rest| rest.split('`').next()) {
        assert!(called.contains(tool), "the skill names {tool}");
    }
    client.end();
}

//! Calls in a comparison, against the answers of the query `calls`.

use syclscope_engine::import;
use syclscope_engine::store::Trace;
use syclscope_language::api::PartKind;
use syclscope_language::question::CallsQuestion;

use super::compare;

fn recording(name: &str) -> Trace {
    let path = format!("{}/../../e2e/traces/{name}.pftrace.gz", env!("CARGO_MANIFEST_DIR"));
    import::open(std::fs::read(path).unwrap().as_slice()).unwrap()
}

#[test]
fn calls_beside_the_critical_path_have_their_totals() {
    let pairs = [
        ("heat-slow", "heat"),
        ("sub_buffers-bad", "sub_buffers-good"),
        ("dpnp", "heat"),
        ("graphs", "command_graph"),
    ];
    let mut beside = 0;
    for (a, b) in pairs {
        let traces = [recording(a), recording(b)];
        let totals = traces.each_ref().map(|trace| trace.calls(&CallsQuestion::default()));
        let total = |side: usize, name: &str| -> u64 {
            totals[side].iter().filter(|call| call.name == name).map(|call| call.total_ns).sum()
        };
        let comparison = compare(&traces[0], &traces[1]);
        let calls =
            comparison.waterfall.iter().filter(|part| part.kind == PartKind::Call && part.name != "others");
        for part in calls {
            // Calls for memory are not calls of the runtime: the query `calls` leaves them out.
            if total(0, &part.name).max(total(1, &part.name)) > 0 {
                assert_eq!(part.a_total_ns, total(0, &part.name), "{a}: {}", part.name);
                assert_eq!(part.b_total_ns, total(1, &part.name), "{b}: {}", part.name);
            }
            for (ns, total_ns, side) in [(part.a_ns, part.a_total_ns, "A"), (part.b_ns, part.b_total_ns, "B")]
            {
                assert!(ns.unsigned_abs() <= total_ns, "{a} {b}: {part:?}");
                let is_beside = ns == 0 && total_ns > 0;
                assert_eq!(part.words().contains(&format!("none of {side}'s calls")), is_beside, "{part:?}");
                beside += u32::from(is_beside);
            }
        }
    }
    assert!(beside > 0, "there are such calls in these recordings");
}

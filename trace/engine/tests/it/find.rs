//! Search by name, against a scan of every slice.

use std::collections::BTreeMap;

use syclscope_engine::import;
use syclscope_language::api::{Match, MatchKind, Matches};
use syclscope_language::event::Category;
use syclscope_language::matching::SearchWords;
use syclscope_language::question::ObjectsQuestion;

use crate::brute_force::details;

fn ask(trace: &syclscope_engine::store::Trace, question: &str) -> Matches {
    serde_json::from_str(&trace.answer(&question.parse().unwrap()).unwrap()).unwrap()
}

#[test]
fn names_calls_lines_and_objects_of_a_real_recording_are_found_best_first() {
    let trace = import::open(include_bytes!("../../../../e2e/traces/heat.pftrace.gz")).unwrap();
    let slices = details(&trace);
    for text in ["submission", "urevent", "ur mem", "with_usm", "zz"] {
        let found = ask(&trace, &format!("find?text={}&limit=10000", text.replace(' ', "%20")));
        assert_eq!(found.more, 0);
        let wanted = SearchWords::new(text);
        // Number of slices with each matching name, and the longest duration.
        let mut names: BTreeMap<(String, bool), (u64, u64)> = BTreeMap::new();
        let mut lines: BTreeMap<(String, u32), u64> = BTreeMap::new();
        for slice in &slices {
            let is_call = matches!(slice.category, Category::Call | Category::Native);
            if wanted.rank(&slice.name).is_some() {
                let known = names.entry((slice.name.clone(), is_call)).or_default();
                *known = (known.0 + 1, known.1.max(slice.at.duration_ns));
            }
            if let Some(place) = slice.location.as_ref().filter(|place| place.line > 0) {
                let file = place.file.rsplit('/').next().unwrap();
                if wanted.rank(&format!("{file}:{}", place.line)).is_some() {
                    *lines.entry((place.file.clone(), place.line)).or_default() += 1;
                }
            }
        }
        let of =
            |kinds: &'static [MatchKind]| found.matches.iter().filter(move |one| kinds.contains(&one.kind));
        let found_names: BTreeMap<_, _> = of(&[MatchKind::Call, MatchKind::Slice])
            .map(|one| {
                ((one.name.clone(), one.kind == MatchKind::Call), (one.count, one.at.unwrap().duration_ns))
            })
            .collect();
        assert_eq!(found_names, names, "{text}");
        let found_lines: BTreeMap<_, _> =
            of(&[MatchKind::Line]).map(|one| ((one.name.clone(), one.id), one.count)).collect();
        assert_eq!(found_lines, lines, "{text}");
        let rank = |one: &Match| {
            let file = one.name.rsplit('/').next().unwrap();
            let line = format!("{file}:{}", one.id);
            wanted.rank(if one.kind == MatchKind::Line { &line } else { &one.name }).unwrap()
        };
        assert!(found.matches.is_sorted_by_key(rank), "{text}");
    }
    let buffers = ask(&trace, "find?text=buffer%201&limit=1");
    let first = &buffers.matches[0];
    assert_eq!((first.kind, first.name.as_str()), (MatchKind::Object, "Buffer 1"));
    assert_eq!(
        (buffers.more, trace.info().counts.objects),
        (0, 3),
        "swapped handles are no buffers of their own"
    );
    assert!(ask(&trace, "find?text=buffer&limit=1").more > 0);
    let question = format!("objects/{}", first.id);
    let object = trace.answer(&question.parse().unwrap()).unwrap();
    assert!(object.contains("\"object\":1,"), "the id is that of `objects`");
    assert_eq!(ask(&trace, "find"), Matches::default());
}

#[test]
fn a_kernel_is_found_by_one_name() {
    let json = r#"[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"typeinfo name for app::Kernel"},
        {"ph":"i","pid":1,"tid":1,"ts":3,"name":"typeinfo name for app::Kernel"}]"#;
    let found = ask(&import::open(json.as_bytes()).unwrap(), "find?text=kernel&limit=10");
    let found: Vec<_> = found.matches.iter().map(|one| (one.name.as_str(), one.count)).collect();
    assert_eq!(found, [("app::Kernel", 2)]);
}

#[test]
fn objects_are_found_by_what_their_lists_call_them() {
    let trace = import::open(include_bytes!("../../../../e2e/traces/heat.pftrace.gz")).unwrap();
    let list = trace.objects(&ObjectsQuestion { limit: u32::MAX, ..ObjectsQuestion::default() }).unwrap();
    assert!(list.objects.iter().any(|item| item.object.is_some()));
    assert!(list.objects.iter().any(|item| item.object.is_none()));
    for item in list.objects {
        let found = ask(&trace, &format!("find?text={}&limit=10000", item.title().replace(' ', "%20")));
        let known = found.matches.iter().find(|one| one.kind == MatchKind::Object && one.id == item.id);
        assert_eq!(known.map(|one| &one.name), Some(&item.title()));
    }
}

//! Lists from a database, compared with a reference implementation.

use syclscope_language::api::{Busiest, Figures, Label, ListedTrace};

use super::super::labels::Labels;
use super::super::traces::{self, TraceRow};
use super::super::{figures, labels, projects, testing};
use super::*;
use crate::db::projects::ProjectId;
use crate::ingest::trace_metrics::StoredMetrics;
use crate::listing::{Cursor, Order, in_memory};
use syclscope_system::id::Id;

/// Pseudorandom numbers, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len() as u64) as usize]
    }
}

const NAMES: [&str; 7] =
    ["run.pftrace", "Run 2.pftrace", "100%_!x.json", "ünder.pftrace", "a'b\"c.json", "Ärger", ""];
const PROGRAMS: [&str; 4] = ["heat", "Gemm", "stencil_3d", ""];
const DEVICES: [&str; 3] = ["Intel PVC", "cpu 50%", "GPU_1"];
const PEOPLE: [&str; 3] = ["ada", "Bob", "ci!"];
const BRANCHES: [&str; 3] = ["main", "feature/x:y", "50%"];
const PROJECTS: [&str; 3] = ["default", "other", "third"];

/// Returns a random trace with its row. Values repeat often.
fn random(number: u64, random: &mut Random) -> (ListedTrace, TraceRow, Option<StoredMetrics>) {
    let id = Id::for_bytes(&number.to_be_bytes());
    let project: ProjectId = random.pick(&PROJECTS).parse().unwrap();
    let by = (random.below(3) > 0).then(|| random.pick(&PEOPLE).to_owned());
    let (is_known, has_kernels) = (random.below(8) > 0, random.below(5) > 0);
    let figures = is_known.then(|| Figures {
        program: random.pick(&PROGRAMS).to_owned(),
        duration_ns: random.below(5) * 1_000_000_007,
        busy_ns: random.below(5),
        commands: random.below(9),
        launches: random.below(4),
        devices: (0..random.below(3)).map(|_| random.pick(&DEVICES).to_owned()).collect(),
        busiest: has_kernels.then(|| Busiest {
            name: random.pick(&["k<float>", "K<double>", "copy"]).to_owned(),
            total_ns: random.below(1000),
            share: random.below(4) as f64 / 4.0,
        }),
        findings: random.below(3),
        problems: random.below(2),
    });
    let mut labels = Vec::new();
    if random.below(2) > 0 {
        labels.push(Label { key: "branch".into(), value: random.pick(&BRANCHES).into() });
    }
    if random.below(3) > 0 {
        labels.push(Label { key: "Machine".into(), value: random.pick(&["pvc", "CPU 1"]).into() });
    }
    labels.sort();
    let known = figures.clone().map(|figures| StoredMetrics {
        kernels: figures.busiest.iter().map(|busiest| busiest.name.clone()).collect(),
        figures,
        ..StoredMetrics::default()
    });
    let row = TraceRow {
        id: id.clone(),
        project: project.clone(),
        name: random.pick(&NAMES).to_owned(),
        size_bytes: random.below(6) * 1000,
        sha256: Some(id.to_string()),
        stored_unix_ns: random.below(40),
        uploaded_by: by.clone().map(crate::auth::identity::Identity::user),
        is_pinned: random.below(4) == 0,
    };
    let listed = ListedTrace {
        id: id.to_string(),
        name: row.name.clone(),
        size_bytes: row.size_bytes,
        stored_unix_ns: row.stored_unix_ns,
        project: project.to_string(),
        by,
        is_pinned: row.is_pinned,
        leaves_unix_ns: None,
        labels,
        figures,
    };
    (listed, row, known)
}

fn wish(random: &mut Random) -> ListQuery {
    let words =
        ["run", "%", "_", "!", "50%", "ünd", "gemm", "k<", "main", "branch:", "ada", "cpu", "'", "zzz"];
    let mut wanted = ListQuery {
        order: Order { key: SortKey::ALL[random.below(12) as usize].1, descends: random.below(2) > 0 },
        limit: 1 + random.below(30) as u32,
        ..ListQuery::default()
    };
    if random.below(9) == 0 {
        wanted.id = Some(Id::for_bytes(&random.below(400).to_be_bytes()).to_string());
    }
    for _ in 0..random.below(3) {
        wanted.words.push(random.pick(&words).to_owned());
    }
    if random.below(3) == 0 {
        wanted.labels.push(("branch".to_owned(), random.pick(&BRANCHES).to_owned()));
    }
    if random.below(5) == 0 {
        wanted.program = Some(random.pick(&PROGRAMS).to_owned());
    }
    if random.below(4) == 0 {
        wanted.from_unix_ns = random.below(40);
        wanted.until_unix_ns = wanted.from_unix_ns + random.below(20);
    }
    if random.below(3) == 0 {
        let some = (0..random.below(3)).map(|_| random.pick(&PROJECTS).parse().unwrap());
        wanted.projects = Some(some.collect());
    }
    wanted
}

async fn add(
    connection: &mut Connection,
    listed: &ListedTrace,
    row: &TraceRow,
    known: Option<&StoredMetrics>,
) {
    let said: Labels = listed.labels.iter().map(|label| (label.key.clone(), label.value.clone())).collect();
    traces::add(connection, row).await.unwrap();
    labels::set(connection, &row.id, &said).await.unwrap();
    figures::set(connection, row, &said, known).await.unwrap();
}

#[tokio::test]
async fn every_list_is_what_looking_at_each_trace_gives() {
    for base in testing::databases().await {
        let mut connection = base.db.writing().await.unwrap();
        for project in &PROJECTS[1..] {
            projects::add(&mut connection, &project.parse().unwrap(), project).await.unwrap();
        }
        let mut numbers = Random(7);
        let mut all = Vec::new();
        for number in 0..200 {
            let (listed, row, known) = random(number, &mut numbers);
            add(&mut connection, &listed, &row, known.as_ref()).await;
            if numbers.below(10) == 0 {
                assert!(traces::delete(&mut connection, &row.id, 1).await.unwrap());
            } else {
                all.push(listed);
            }
        }
        for _ in 0..120 {
            let mut wanted = wish(&mut numbers);
            // Page by page, to the end.
            loop {
                let expected = in_memory::list(all.clone(), &wanted);
                let got = list(&mut connection, &wanted).await.unwrap();
                assert_eq!(got, expected, "{wanted:?}");
                let Some(last) = got.last() else { break };
                wanted.after = Some(Cursor::behind(last, wanted.order));
            }
        }
    }
}

#[tokio::test]
async fn pages_stay_right_while_traces_come_and_go() {
    for base in testing::databases().await {
        let connection = &mut *base.db.reading().await.unwrap();
        let mut numbers = Random(3);
        let mut seen = Vec::new();
        let mut wanted = ListQuery { limit: 10, order: "-duration".parse().unwrap(), ..ListQuery::default() };
        let mut row = async |connection: &mut Connection, number| {
            let (listed, row, known) = random(number, &mut numbers);
            let row = TraceRow { project: ProjectId::default(), ..row };
            add(connection, &listed, &row, known.as_ref()).await;
            row.id
        };
        let mut first = Vec::new();
        for number in 0..60 {
            first.push(row(connection, number).await);
        }
        let mut step = 100;
        loop {
            let page = list(connection, &wanted).await.unwrap();
            let Some(last) = page.last() else { break };
            wanted.after = Some(Cursor::behind(last, wanted.order));
            seen.extend(page.into_iter().map(|trace| trace.id));
            // The last listed trace is deleted, and others are added before and after it.
            traces::delete(connection, &seen.last().unwrap().parse().unwrap(), 1).await.unwrap();
            for number in step..step + 3 {
                row(connection, number).await;
            }
            step += 3;
            assert!(step < 400, "it ends");
        }
        assert!(first.iter().all(|id| seen.iter().filter(|seen| *seen == id.as_str()).count() == 1));
        let mut once = seen.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), seen.len(), "nothing is seen twice");
    }
}

#[tokio::test]
async fn an_order_is_read_from_its_index() {
    // The cost of a page must not grow with the table: check SQLite's query plan.
    let base = testing::databases().await.swap_remove(0);
    let connection = &mut *base.db.reading().await.unwrap();
    for (name, key) in SortKey::ALL {
        for descends in [false, true] {
            let cursor = Cursor { place: key.place(&ListedTrace::default()), id: "a".to_owned() };
            let after = Some(cursor);
            let wanted = ListQuery {
                order: Order { key, descends },
                after,
                words: vec!["x".to_owned()],
                ..ListQuery::default()
            };
            let mut statement = statement(&wanted);
            statement.sql = format!("EXPLAIN QUERY PLAN {}", statement.sql);
            let plan: Vec<String> =
                statement.rows(connection).await.unwrap().iter().map(|row| row.get("detail")).collect();
            assert!(plan[0].contains("USING") && plan[0].contains("INDEX"), "{name}: {plan:?}");
            assert!(!plan.iter().any(|step| step.contains("TEMP B-TREE")), "{name}: {plan:?}");
        }
    }
}

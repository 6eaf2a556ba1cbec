//! Answers of statements against the tables that they read, row by row, and limits of statements.

use std::collections::BTreeMap;
use std::path::Path;

use syclscope_engine::budget::Budget;
use syclscope_engine::cancel::{Stopped, Work, within};
use syclscope_engine::import::TraceImporter;
use syclscope_engine::query::QueryError;
use syclscope_engine::store::Trace;
use syclscope_engine::tables::parquet::{Cell, Table, tables};
use syclscope_language::api::{SqlCell, SqlKind, SqlRows};
use syclscope_language::question::SqlQuestion;
use syclscope_system::memory::allocated_bytes;

fn recorded(name: &str) -> Trace {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../e2e/traces");
    let bytes = std::fs::read(folder.join(format!("{name}.pftrace.gz"))).expect("a recording");
    let mut importer = TraceImporter::default();
    importer.feed(&bytes).expect("it is read");
    importer.finish().expect("a trace")
}

fn select_most(trace: &Trace, statement: &str, limit: u32) -> Result<SqlRows, QueryError> {
    syclscope_sql::rows(trace, &SqlQuestion { statement: statement.to_owned(), limit })
}

fn select(trace: &Trace, statement: &str) -> SqlRows {
    select_most(trace, statement, SqlQuestion::MAX_LIMIT)
        .unwrap_or_else(|error| panic!("{statement}: {error}"))
}

fn refused(trace: &Trace, statement: &str) -> String {
    match select_most(trace, statement, 10) {
        Err(QueryError::Sql(message)) => message,
        other => panic!("{statement}: {other:?}"),
    }
}

fn as_selected(cell: Cell<'_>) -> SqlCell {
    match cell {
        Cell::Null => SqlCell::Null,
        Cell::Integer(number) => SqlCell::Integer(number),
        Cell::Address(address) => {
            i64::try_from(address).map_or_else(|_| SqlCell::Text(format!("{address:#x}")), SqlCell::Integer)
        }
        Cell::Float(number) => SqlCell::Number(number),
        Cell::Text(text) => SqlCell::Text(text.into_owned()),
    }
}

fn at<'t>(table: &'t Table<'_>, column: &str, row: usize) -> Cell<'t> {
    let place = table.columns().position(|one| one.name == column).expect("a column");
    table.cell(place, row)
}

fn whole(cell: &Cell<'_>) -> i64 {
    match cell {
        Cell::Integer(number) => *number,
        other => panic!("a whole number, not {other:?}"),
    }
}

#[test]
fn every_table_is_selected_as_it_is() {
    for name in ["heat", "transfers", "command_graph", "leaks-twice"] {
        let trace = recorded(name);
        for table in tables(&trace) {
            let answer = select(&trace, &format!("SELECT * FROM {}", table.name()));
            let names: Vec<&str> = table.columns().map(|column| column.name).collect();
            assert_eq!(answer.columns.iter().map(|column| &column.name).collect::<Vec<_>>(), names);
            assert_eq!(answer.rows.len(), table.rows(), "{name}: {}", table.name());
            for (row, cells) in answer.rows.iter().enumerate() {
                let expected: Vec<SqlCell> =
                    (0..names.len()).map(|column| as_selected(table.cell(column, row))).collect();
                assert_eq!(*cells, expected, "{name}: row {row} of {}", table.name());
            }
        }
    }
}

#[test]
fn sums_joins_and_windows_are_those_of_the_tables() {
    let trace = recorded("heat");
    let all = tables(&trace);
    let table = |name: &str| all.iter().find(|table| table.name() == name).expect("a table");
    let executions = table("executions");

    let mut expected: BTreeMap<(String, i64), (i64, i64)> = BTreeMap::new();
    for row in 0..executions.rows() {
        let Cell::Text(name) = at(executions, "name", row) else { panic!("a name") };
        let Cell::Integer(queue) = at(executions, "queue", row) else { continue };
        let number = whole(&at(table("queues"), "number", queue as usize));
        let (count, sum) = expected.entry((name.into_owned(), number)).or_default();
        (*count, *sum) = (*count + 1, *sum + whole(&at(executions, "duration_ns", row)));
    }
    let answer = select(
        &trace,
        "SELECT e.name, q.number, count(*), sum(e.duration_ns) FROM executions e JOIN queues q ON q.queue = e.queue \
         GROUP BY e.name, q.number ORDER BY e.name, q.number",
    );
    let selected: Vec<Vec<SqlCell>> = expected
        .into_iter()
        .map(|((name, number), (count, sum))| {
            let numbers = [number, count, sum].map(SqlCell::Integer);
            std::iter::once(SqlCell::Text(name)).chain(numbers).collect()
        })
        .collect();
    assert!(selected.len() > 1);
    assert_eq!(answer.rows, selected);

    // The longest time between two starts, by a window function with its own order.
    let mut starts: Vec<i64> =
        (0..executions.rows()).map(|row| whole(&at(executions, "start_ns", row))).collect();
    starts.sort_unstable();
    let longest = starts.windows(2).map(|pair| pair[1] - pair[0]).max().expect("several");
    let answer = select(
        &trace,
        "SELECT max(since) FROM (SELECT start_ns - lag(start_ns) OVER (ORDER BY start_ns) AS since FROM executions)",
    );
    assert_eq!(answer.rows, [[SqlCell::Integer(longest)]]);
}

#[test]
fn only_what_a_statement_names_is_filled_in_whatever_its_form() {
    let trace = recorded("heat");
    let slices = tables(&trace).iter().find(|table| table.name() == "slices").expect("slices").rows() as i64;
    for statement in [
        "SELECT count(*) FROM slices",
        "select COUNT(Slice) from SLICES",
        "WITH s AS (SELECT * FROM slices) SELECT count(*) FROM s",
        "SELECT (SELECT count(*) FROM slices AS other WHERE other.duration_ns >= 0)",
        "SELECT count(*) FROM slices a JOIN slices b USING (slice)",
        "SELECT count(*) FROM (SELECT name FROM slices UNION ALL SELECT name FROM calls WHERE 0)",
        "SELECT max(rowid) + 1 FROM slices;",
        "/* a comment */ SELECT count(*) FROM \"slices\" -- another",
    ] {
        assert_eq!(select(&trace, statement).rows, [[SqlCell::Integer(slices)]], "{statement}");
    }
    let answer =
        select(&trace, "SELECT json_extract('{\"a\":1.5}', '$.a') AS a, NULL AS b, x'00ff' AS c, 9e999, 'é'");
    let kinds: Vec<SqlKind> = answer.columns.iter().map(|column| column.kind).collect();
    assert_eq!(kinds, [SqlKind::Number, SqlKind::Null, SqlKind::Text, SqlKind::Number, SqlKind::Text]);
    let text = |text: &str| SqlCell::Text(text.to_owned());
    assert_eq!(answer.rows, [[SqlCell::Number(1.5), SqlCell::Null, text("x'00ff'"), text("inf"), text("é")]]);
    assert!(!select(&trace, "EXPLAIN QUERY PLAN SELECT * FROM slices").rows.is_empty());
    assert_eq!(select(&trace, "VALUES (1), (2)").rows.len(), 2);
    assert_eq!(select(&trace, "SELECT value FROM json_each('[1,2,3]')").rows.len(), 3);
}

#[test]
fn rows_end_where_the_limit_is_and_the_answer_says_so() {
    let trace = recorded("heat");
    let cut = select_most(&trace, "SELECT slice FROM slices", 3).expect("rows");
    assert_eq!((cut.rows.len(), cut.is_cut), (3, true));
    let whole = select_most(&trace, "SELECT slice FROM slices LIMIT 3", 3).expect("rows");
    assert_eq!((whole.rows.len(), whole.is_cut), (3, false));
    assert_eq!(select_most(&trace, "SELECT slice FROM slices", 0).map(|rows| rows.is_cut), Ok(true));
    let long = "SELECT printf('%.*c', 200000, 'x') FROM slices, slices";
    let answer = select(&trace, long);
    assert!(answer.is_cut && answer.rows.len() < 200, "{}", answer.rows.len());
}

#[test]
fn without_a_statement_the_tables_are_listed_as_documented() {
    let answer = select(&Trace::default(), " \n");
    let document = include_str!("../../../docs/TABLES.md");
    let words = |cell: &SqlCell| match cell {
        SqlCell::Text(text) => text.clone(),
        SqlCell::Integer(number) => number.to_string(),
        other => panic!("{other:?}"),
    };
    let mut table = String::new();
    let mut listed = String::new();
    for row in &answer.rows {
        if table != words(&row[0]) {
            table = words(&row[0]);
            assert!(document.contains(&format!("\n## {table}\n")), "{table}");
        }
        listed += &format!("| `{}` | {} | {} |\n", words(&row[2]), words(&row[3]), words(&row[4]));
    }
    let rows: Vec<&str> = document.lines().filter(|line| line.starts_with("| `")).collect();
    assert_eq!(listed.lines().collect::<Vec<_>>(), rows);
}

#[test]
fn a_wrong_statement_is_told_with_its_place_and_what_was_perhaps_meant() {
    let trace = recorded("heat");
    for (statement, parts) in [
        (
            "SELECT * FROM execution",
            &["no such table: execution", "did you mean executions?", "tracks, slices"][..],
        ),
        (
            "SELECT nmae\nFROM slices",
            &["no such column: nmae", "line 1, column 8", "did you mean name?", "slices has slice"],
        ),
        ("SELECT s.duration FROM slices s", &["no such column: s.duration", "did you mean duration_ns?"]),
        ("SELECT 1\n  FROM slices WHERE", &["incomplete input"]),
        ("SELECT slice,\n  FROM slices", &["near \"FROM\": syntax error", "line 2, column 3"]),
        ("SELEC 1", &["near \"SELEC\"", "line 1, column 1"]),
        ("-- nothing", &["write a SELECT"]),
        ("SELECT ?1", &["parameter"]),
        ("SELECT abs('a', 'b')", &["wrong number of arguments to function abs()"]),
        ("SELECT abs(-9223372036854775808)", &["integer overflow"]),
    ] {
        let message = refused(&trace, statement);
        for part in parts {
            assert!(message.contains(part), "{statement}: {message}");
        }
    }
}

#[test]
fn a_statement_only_reads_and_only_tables() {
    let trace = recorded("heat");
    let folder = std::env::temp_dir().join(format!("syclscope-sql-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("written.db").display().to_string();
    let statements = [
        format!("ATTACH '{file}' AS other"),
        format!("VACUUM INTO '{file}'"),
        format!("SELECT load_extension('{file}')"),
        format!("SELECT writefile('{file}', 'x')"),
        format!("PRAGMA temp_store_directory = '{file}'"),
        "DETACH main".to_owned(),
        "PRAGMA hard_heap_limit = 1".to_owned(),
        "PRAGMA table_info(slices)".to_owned(),
        "SELECT * FROM pragma_database_list".to_owned(),
        "DELETE FROM slices".to_owned(),
        "INSERT INTO slices (slice) VALUES (1) RETURNING slice".to_owned(),
        "UPDATE slices SET name = '' RETURNING slice".to_owned(),
        "CREATE TABLE a (b)".to_owned(),
        "CREATE TEMP TABLE a AS SELECT 1".to_owned(),
        "CREATE VIRTUAL TABLE a USING fts5(b)".to_owned(),
        "CREATE TRIGGER t AFTER INSERT ON slices BEGIN SELECT 1; END".to_owned(),
        "DROP TABLE slices".to_owned(),
        "ALTER TABLE slices RENAME TO other".to_owned(),
        "ANALYZE".to_owned(),
        "REINDEX".to_owned(),
        "BEGIN".to_owned(),
        "SAVEPOINT a".to_owned(),
        "SELECT 1; SELECT 2".to_owned(),
        "SELECT 1; DROP TABLE slices".to_owned(),
        // As many statements as fit.
        "SELECT'';".repeat((16 << 10) / 9),
        "SELECT 1 ".repeat(2 << 10),
        format!("SELECT {}", vec!["1"; 500].join(" + ")),
        "WITH a AS (SELECT 1 UNION ALL SELECT 2) SELECT zeroblob(2000000) FROM a".to_owned(),
        "SELECT group_concat(printf('%.*c', 1000, 'x')) FROM slices, slices".to_owned(),
    ];
    for statement in &statements {
        let message = refused(&trace, statement);
        assert!(!message.is_empty(), "{statement}");
    }
    assert!(refused(&trace, &statements[0]).contains("only SELECT"), "{}", refused(&trace, &statements[0]));
    assert!(refused(&trace, &statements[0]).contains("ATTACH"));
    assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 0, "nothing was written");
    std::fs::remove_dir(&folder).expect("it is empty");
}

const ENDLESS: &str = "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT max(x) FROM r";

#[test]
fn long_texts_are_trimmed_letter_by_letter_and_cut_in_answers() {
    let trace = recorded("heat");
    let statement = "SELECT length(trim(printf('%.*c', 200000, 'b'), printf('%.*c', 40000, 'a') || 'c')), trim('xxabx', 'x'), \
                     ltrim('xxabx', 'x'), rtrim('xxabx', 'x'), trim(NULL, 'x'), trim(1001, 1)";
    let rows =
        within(&Work::with_steps(20_000_000), Budget::unlimited(), || select_most(&trace, statement, 10));
    let cells = rows.unwrap().unwrap().rows.remove(0);
    let text = |text: &str| SqlCell::Text(text.to_owned());
    let wanted =
        [SqlCell::Integer(200_000), text("ab"), text("abx"), text("xxab"), SqlCell::Null, text("00")];
    assert_eq!(cells, wanted);
    let wide = format!("SELECT {} FROM (SELECT printf('%.*c', 200000, 'b') AS a)", vec!["a"; 200].join(", "));
    let wide = within(&Work::with_steps(20_000_000), Budget::unlimited(), || select_most(&trace, &wide, 10));
    let wide = wide.unwrap().unwrap();
    assert!(wide.is_cut && wide.rows.is_empty());
}

#[test]
fn arguments_that_are_too_long_fail_no_statement() {
    let text = "x".repeat(300 << 10);
    let slice = |at: u32, name: &str, value: &str| {
        format!(r#"{{"ph":"X","ts":{at},"dur":1,"tid":1,"name":"{name}","args":{{"b":{value}}}}}"#)
    };
    let file = format!("[{},{}]", slice(0, "long", &format!("\"{text}\"")), slice(2, "short", "7"));
    let mut importer = TraceImporter::default();
    importer.feed(file.as_bytes()).expect("it is read");
    let trace = importer.finish().expect("a trace");
    let answer = select(&trace, "SELECT name, args ->> '$.b' FROM slices ORDER BY start_ns");
    let name = |name: &str| SqlCell::Text(name.to_owned());
    assert_eq!(answer.rows, [[name("long"), SqlCell::Null], [name("short"), SqlCell::Integer(7)]]);
}

#[test]
fn numbers_are_trimmed_as_the_texts_that_they_are_elsewhere() {
    let trace = recorded("heat");
    let numbers = "(VALUES (10.0), (100.5), (-2.5), (0.1 + 0.2), (0.0001), (0.00001), (99999999999999.0), (1e14), (1e15), (1e300), (7))";
    let same = format!("SELECT min(trim(column1, 'x') = column1 || ''), count(*) FROM {numbers}");
    assert_eq!(select(&trace, &same).rows, [[SqlCell::Integer(1), SqlCell::Integer(11)]]);
    let short = "SELECT rtrim(rtrim(round(10.0, 2), '0'), '.'), rtrim(rtrim(round(2.50, 2), '0'), '.')";
    let texts = ["10", "2.5"].map(|text| SqlCell::Text(text.to_owned()));
    assert_eq!(select(&trace, short).rows, [texts]);
}

#[test]
fn a_statement_ends_with_its_steps() {
    let trace = recorded("heat");
    let doubled: Vec<String> = (1..40)
        .map(|at| format!("a{at} AS (SELECT * FROM a{0} UNION ALL SELECT * FROM a{0})", at - 1))
        .collect();
    for statement in [
        ENDLESS.to_owned(),
        "SELECT count(*) FROM slices a, slices b, slices c, slices d WHERE a.name < b.name".to_owned(),
        "SELECT * FROM slices a, slices b ORDER BY a.name || b.name LIMIT 1".to_owned(),
        format!("WITH a0 AS (SELECT 1), {} SELECT count(*) FROM a39", doubled.join(", ")),
    ] {
        let ended = within(&Work::with_steps(20_000_000), Budget::unlimited(), || {
            select_most(&trace, &statement, 10)
        });
        let is_stopped = matches!(ended, Ok(Err(QueryError::Stopped(Stopped::TooLong))));
        let has_too_many_parts =
            statement.starts_with("WITH a0") && matches!(ended, Ok(Err(QueryError::Sql(_))));
        assert!(is_stopped || has_too_many_parts, "{statement}: {ended:?}");
    }
    let few = within(&Work::with_steps(100), Budget::unlimited(), || {
        select_most(&trace, "SELECT * FROM slices", 10)
    });
    assert_eq!(few, Ok(Err(QueryError::Stopped(Stopped::TooLong))), "filling takes steps");
}

#[test]
fn a_statement_ends_when_nobody_waits_any_more() {
    let trace = recorded("heat");
    let work = Work::default();
    let caller = work.clone();
    std::thread::scope(|threads| {
        let query = threads.spawn(|| within(&work, Budget::unlimited(), || select_most(&trace, ENDLESS, 10)));
        caller.call_off();
        let ended = query.join().expect("no panic");
        assert!(matches!(ended, Ok(Err(QueryError::Stopped(Stopped::CalledOff)))), "{ended:?}");
    });
}

#[test]
fn a_statement_ends_with_its_memory_and_leaves_none_behind() {
    let trace = recorded("heat");
    for statement in [
        "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT count(DISTINCT randomblob(10000)) FROM r",
        "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT randomblob(100000) AS y FROM r ORDER BY y",
        "WITH RECURSIVE r(x) AS (SELECT randomblob(1000) UNION SELECT randomblob(1000) FROM r) SELECT count(*) FROM r",
    ] {
        let before = allocated_bytes();
        let budget = Budget::new(32 << 20, allocated_bytes);
        let ended = within(&Work::default(), budget, || select_most(&trace, statement, 10).map(drop));
        let is_refused = matches!(ended, Ok(Err(QueryError::Stopped(Stopped::TooLarge(_)))));
        assert!(is_refused, "{statement}: {ended:?}");
        let left = allocated_bytes().wrapping_sub(before).cast_signed();
        assert!(left < 1 << 20, "{statement}: {left} bytes");
    }
    // Columns that are filled in count, too.
    let budget = Budget::new(256 << 10, allocated_bytes);
    let ended = within(&Work::default(), budget, || select_most(&trace, "SELECT * FROM slices", 1).map(drop));
    assert!(matches!(ended, Ok(Err(QueryError::Stopped(Stopped::TooLarge(_))))), "{ended:?}");
}

#[test]
fn the_manuals_statements_select_rows() {
    let manual = include_str!("../../../docs/SQL.md");
    let statements = manual.split("```sql\n").skip(1).filter_map(|rest| rest.split("```").next());
    let traces = ["heat", "transfers"].map(recorded);
    let mut count = 0;
    for statement in statements {
        let rows = traces.iter().map(|trace| select(trace, statement).rows.len()).sum::<usize>();
        assert!(rows > 0, "{statement}");
        count += 1;
    }
    assert!(count >= 5, "{count}");
}

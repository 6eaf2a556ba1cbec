//! The language of filters: valid and invalid texts, and printed filters, which parse again.

use proptest::prelude::*;
use syclscope_language::filter::{Condition, Field, Filter, FilterProblem, Op};

fn is(field: Field, op: Op, value: &str) -> Filter {
    Filter::Is(Condition { field, op, value: value.to_owned() })
}

fn word(text: &str) -> Filter {
    is(Field::Name, Op::Has, text)
}

#[test]
fn conditions_words_and_their_combinations_are_read() {
    let not = |filter| Filter::Not(Box::new(filter));
    let arg = |key: &str| Field::Arg(key.to_owned());
    for (text, expected) in [
        ("", Filter::All(vec![])),
        ("  gemm ", word("gemm")),
        ("\"text with spaces\"", word("text with spaces")),
        (r#""a \"b\" \\ c""#, word(r#"a "b" \ c"#)),
        ("name:gemm", word("gemm")),
        ("name=gemm", is(Field::Name, Op::Is, "gemm")),
        ("category:kernel", is(Field::Category, Op::Has, "kernel")),
        ("duration>1.5ms", is(Field::Duration, Op::More, "1.5ms")),
        ("arg.bytes>=1M", is(arg("bytes"), Op::AtLeast, "1M")),
        ("arg.phEventWaitList[0]=0x1f", is(arg("phEventWaitList[0]"), Op::Is, "0x1f")),
        ("arg.\"a key\":\"\"", is(arg("a key"), Op::Has, "")),
        ("line!=42", is(Field::Line, Op::IsNot, "42")),
        ("sycl::queue", word("sycl::queue")),
        ("name:sycl::queue", word("sycl::queue")),
        ("Stencil<float>", word("Stencil<float>")),
        ("a->b", word("a->b")),
        ("order", word("order")),
        ("a b", Filter::All(vec![word("a"), word("b")])),
        ("a and b", Filter::All(vec![word("a"), word("b")])),
        ("-a -(b c)", Filter::All(vec![not(word("a")), not(Filter::All(vec![word("b"), word("c")]))])),
        ("a b or c", Filter::Any(vec![Filter::All(vec![word("a"), word("b")]), word("c")])),
        ("a (b or c)", Filter::All(vec![word("a"), Filter::Any(vec![word("b"), word("c")])])),
        ("((a))", word("a")),
        ("a(b)c", Filter::All(vec![word("a"), word("b"), word("c")])),
        ("arg.x:-5", is(arg("x"), Op::Has, "-5")),
    ] {
        assert_eq!(text.parse(), Ok(expected), "{text}");
    }
}

#[test]
fn what_is_wrong_says_where_and_what_to_do() {
    for (text, expected) in [
        (
            "gemm durration>1ms duration:x",
            "`x` is not a value of `duration`: it takes a time (15ns, 2.5us, 3ms, 1s, 2m, 1h; without a unit nanoseconds) (at character 29)",
        ),
        ("(a", "unclosed parenthesis (at character 1)"),
        ("a)", "unmatched parenthesis; quote it to search for it (at character 2)"),
        ("a \"b", "unclosed quotes (at character 3)"),
        ("a or", "missing condition (at character 5)"),
        ("or a", "missing condition (at character 1)"),
        ("a ()", "missing condition (at character 4)"),
        ("a and or b", "missing condition (at character 7)"),
        ("- a", "missing condition (at character 2)"),
        ("name<x", "`name` takes `:`, `=` or `!=`, not `<` (at character 1)"),
        ("é line:x", "`x` is not a value of `line`: it takes a whole number (12, 0x1f) (at character 8)"),
        ("file:", "missing value after `file:`; for an empty one write two quotes (at character 6)"),
        ("error:yes", "`yes` is not a value of `error`: it takes true or false (at character 7)"),
    ] {
        assert_eq!(text.parse::<Filter>().unwrap_err().to_string(), expected, "{text}");
    }
    let error = "a nmae:x".parse::<Filter>().unwrap_err();
    assert_eq!((error.at, &error.problem), (2, &FilterProblem::NoField("nmae".to_owned())));
    assert!(error.to_string().contains("duration, start, end"), "{error}");
    let deep = "(".repeat(100_000);
    assert_eq!(deep.parse::<Filter>().unwrap_err().problem, FilterProblem::TooLong);
    assert_eq!("(".repeat(60).parse::<Filter>().unwrap_err().problem, FilterProblem::TooDeep);
    assert!(vec!["a"; 100].join(" or ").parse::<Filter>().is_ok());
    for joined in [vec!["a"; 101].join(" or "), format!("-({})", vec!["a"; 101].join(" "))] {
        assert_eq!(joined.parse::<Filter>().unwrap_err().problem, FilterProblem::TooMany, "{joined}");
    }
    assert_eq!("-".repeat(60).parse::<Filter>().unwrap_err().problem, FilterProblem::TooDeep);
    let nested = |levels: usize| format!("{}a{}", "(".repeat(levels), ")".repeat(levels)).parse::<Filter>();
    assert!(nested(50).is_ok(), "as many as the message names");
    assert_eq!(nested(51).unwrap_err().problem, FilterProblem::TooDeep);
}

const PIECES: &[&str] = &[
    "name", "arg.", "arg.k", "duration", "kind", "error", "queue", "kernel", "true", "12", "1ms", ":", "::",
    "=", "!=", "<", ">=", "!", "(", ")", " ", "-", "\"", "\\", "or", "and", " or ", " and ", "é", "\u{a0}",
    "a", "x",
];

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![8 => prop::sample::select(PIECES).prop_map(str::to_owned), 1 => any::<String>()]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_or_refused_and_what_is_printed_reads_the_same(
        pieces in prop::collection::vec(piece(), 0..14),
    ) {
        let text = pieces.concat();
        match text.parse::<Filter>() {
            Ok(filter) => {
                let printed = filter.to_string();
                prop_assert_eq!(printed.parse::<Filter>(), Ok(filter), "{} printed as {}", text, printed);
            }
            Err(error) => {
                prop_assert!(error.at <= text.chars().count());
                prop_assert!(!error.to_string().is_empty());
            }
        }
    }
}

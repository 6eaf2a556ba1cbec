use super::*;

#[test]
fn questions_round_trip() {
    for text in [
        "",
        "tiles/timeline/7/20/3",
        "memory/7/20/3/12/5",
        "slices/12",
        "sources/0",
        "files",
        "lines?source=3",
        "lines?path=%2Fsrc%2Fa%20b.cpp",
        "contents",
        "calls",
        "calls?from=5&to=9",
        "calltree",
        "calltree?from=5&where=category:ur&by=thread&limit=500",
        "calltree?weight=peak&limit=5",
        "sandwich?name=a%20b&tracks=3&limit=9",
        "kernel?name=a%20b",
        "kernel?name=k&from=5&where=queue:1&points=50&limit=9",
        "report",
        "findings",
        "findings?from=5&to=9&limit=3",
        "builds?from=5&to=5&limit=3",
        "energy?from=5&to=9&limit=3",
        "regions?from=5&to=9&limit=3",
        "tiles/timeline/7/20/3?where=gemm",
        "slices/4/overlaps?tracks=1&where=gemm&limit=5",
        "slices/4/overlaps",
        "slices/4/alike",
        "slices/4/alike?same_track=true",
        "slices/4/waited_for?hops=0&limit=7",
        "slices/4/waited_by",
        "nodes/18446744073709551615/chain",
        "select",
        "select?from=5&to=9&tracks=1.2&where=name%3D%22a%20b%22&sort=self&groups=7",
        "slices?sort=-duration&offset=1000&limit=50",
        "slices?limit=50&args=true",
        "search?where=-x",
        "search?where=-x&slice=7",
        "find",
        "find?text=a%20b&limit=7",
        "step?at=0",
        "step?where=x&slice=4&back=true",
        "sql",
        "sql?query=SELECT%201%20%2B%201&limit=5",
    ] {
        let question: Question = text.parse().unwrap();
        assert_eq!(question.to_string(), text);
    }
}

#[test]
fn questions_about_waits_round_trip() {
    for text in [
        "start_up",
        "gaps",
        "gaps?track=3&from=5&to=9&at=7&shortest=1000&limit=3",
        "gaps?from=18446744073709551615&shortest=18446744073709551615&limit=0",
        "iterations",
        "iterations?region=a%20b%233&from=5&to=9&offset=100&limit=7",
        "iterations?command=void%20K%3Cint%3E&limit=0",
        "slices/0/waited_for",
        "slices/4/waited_by?hops=3&limit=7",
        "slices/4294967295/chain?limit=9",
        "nodes/7/waited_for?hops=0",
        "nodes/7/waited_by?limit=1",
        "nodes/0/chain",
    ] {
        let question: Question = text.parse().unwrap();
        assert_eq!(question.to_string(), text);
    }
    for (text, expected) in [
        ("gaps?limit=100&shortest=0", "gaps"),
        ("iterations?offset=0&limit=100", "iterations"),
        ("slices/4/waited_for?hops=1&limit=100", "slices/4/waited_for"),
    ] {
        assert_eq!(text.parse::<Question>().unwrap().to_string(), expected, "usual values");
    }
    for bad in ["gaps?track=-1", "gaps?at=x", "iterations?offset=-1", "nodes/7/waited_by?hops=-1"] {
        assert!(matches!(bad.parse::<Question>(), Err(QuestionError::Param { .. })), "{bad}");
    }
    for bad in ["start_up?from=5", "slices/4/chain?hops=2"] {
        assert!(matches!(bad.parse::<Question>(), Err(QuestionError::NoParam { .. })), "{bad}");
    }
}

#[test]
fn questions_about_commands_round_trip() {
    for text in [
        "life/3",
        "critical_path",
        "kernel_lanes",
        "activity",
        "tiles/activity/2/7/1",
        "tiles/kernel/2/7/1",
        "dependences?slice=3",
        "dependences?slice=3&hops=7&way=before&reasons=event.accessor&limit=20",
        "dependences?slice=3&way=after",
    ] {
        let question: Question = text.parse().unwrap();
        assert_eq!(question.to_string(), text);
    }
}

#[test]
fn questions_about_the_graph_round_trip() {
    for text in [
        "graph?level=source",
        "graph?level=iterations&open=12x500.17x50&around=12&width=3&component=7&reasons=accessor.in_order\
         &kinds=kernel.copy&order=1&redundant=hide&size=160x44&grow=1&limit=100",
        "graph_members?level=kernels&group=12x500&component=7&from=100&count=50",
        "components",
        "serialised",
        "serialised?from=5&to=9&limit=7",
        "what_if?kernel=void%20K%3Cint%3E&faster=2.5&copies=0",
        "what_if",
        "what_if?builds=0&from=5&to=9",
        "what_if?copies=0&schedule=1",
        "what_if?schedule=1&schedule_from=5&schedule_to=9&columns=1000&from=1&to=20",
    ] {
        let question: Question = text.parse().unwrap();
        assert_eq!(question.to_string(), text);
    }
    assert_eq!("graph".parse(), Ok(Question::Graph(GraphQuestion::default())));
    let implied: Question = "what_if?schedule_from=5".parse().unwrap();
    assert_eq!(implied.to_string(), "what_if?schedule=1&schedule_from=5");
    let reversed = "what_if?schedule=1&schedule_from=9&schedule_to=5".parse::<Question>();
    assert_eq!(reversed, Err(QuestionError::Reversed { from: 9, to: 5 }));
    for bad in [
        "graph?level=deep",
        "graph?open=x5",
        "graph?open=5x0",
        "graph?reasons=nothing",
        "graph?size=0x5",
        "graph?size=5x9999",
        "graph_members?level=full",
        "what_if?faster=0",
        "what_if?faster=-1",
        "what_if?faster=1.2345",
        "what_if?copies=2",
        "what_if?schedule=2",
        "what_if?columns=0",
        "what_if?schedule=1&columns=1001",
    ] {
        assert!(matches!(bad.parse::<Question>(), Err(QuestionError::Param { .. })), "{bad}");
    }
}

#[test]
fn questions_about_memory_round_trip() {
    for text in [
        "memory_use",
        "memory_use?process=1&kinds=device.host&device=a%20GPU&from=5&to=9&points=20&places=3",
        "memory_at?at=7",
        "memory_at?kinds=buffer&at=7&to=9&lowest=0x7f00&highest=0x8000&merge=4096&offset=10&limit=20&places=1",
        "allocations",
        "allocations?kinds=shared&from=1&to=2&text=a%20b&path=%2Fsrc%2Fa.cpp&line=3&least=5&most=9&unreleased=true\
         &sort=-size&offset=100&limit=20",
        "objects",
        "objects?process=0&what=buffer.device&problems=unused.oversize&from=1&to=2&text=x&sort=-idle&offset=5&limit=7",
        "objects?number=7",
        "objects?node=9&mark=true&sort=size&limit=0",
        "objects?path=%2Fsrc%2Fa.cpp&line=3",
        "objects/12",
        "objects/12?offset=100&limit=10",
        "transfers",
        "transfers?object=3&from=1&to=2&need=unchanged&source=host&target=device&text=x&sort=-rate&offset=1&limit=2",
        "transfers?name=void%20K%3Cint%3E&mark=true",
        "leaks",
        "leaks?process=2&limit=10",
    ] {
        let question: Question = text.parse().unwrap();
        assert_eq!(question.to_string(), text);
    }
    assert_eq!("memory_use".parse(), Ok(Question::MemoryUse(MemoryUseQuestion::whole())));
    assert_eq!("memory_at?at=7".parse(), Ok(Question::MemoryAt(MemoryAtQuestion::at(7))));
    for bad in [
        "memory_use?points=0",
        "memory_use?kinds=gpu",
        "memory_at?lowest=x",
        "allocations?sort=color",
        "allocations?limit=100000",
        "objects?what=thing",
        "objects?problems=none",
        "objects?number=x",
        "objects?number=1&node=2",
        "objects?line=3",
        "objects?mark=yes",
        "transfers?need=maybe",
        "leaks?limit=-1",
    ] {
        assert!(matches!(bad.parse::<Question>(), Err(QuestionError::Param { .. })), "{bad}");
    }
    assert!(matches!("objects/x".parse::<Question>(), Err(QuestionError::NotANumber { .. })));
}

#[test]
fn what_is_no_question_says_why() {
    for (text, expected) in [
        ("nothing", "no query `nothing`; docs/QUERIES.md lists them"),
        ("repotr", "no query `repotr` (did you mean `report`?); docs/QUERIES.md lists them"),
        (
            "critical-path",
            "no query `critical-path` (did you mean `critical_path`?); docs/QUERIES.md lists them",
        ),
        ("report/1", "no query `report/1` (did you mean `report`?); docs/QUERIES.md lists them"),
        ("files?x=1", "this query has no parameter `x`"),
        ("report?x=%+1", "not percent-encoded text: x=%+1"),
        ("report?x&x", "the parameter `x` is given twice"),
        ("sandwich", "`name` is missing or empty (expected the name of a call)"),
        ("kernel", "`name` is missing or empty (expected the name of a kernel)"),
        ("kernel?name=a&points=0", "invalid `points`: 0 (expected a number from 1 to 10000)"),
        ("lines", "`path` is missing or empty (expected a path, or `source` in its place)"),
        ("lines?source=1&path=a", "`source` and `path` exclude each other: give one of them"),
        ("findings?from=9&to=5", "`from` (9) is after `to` (5): a range begins before it ends"),
        ("slices/first", "not a slice number: first"),
        ("sources/-1", "not a source number: -1"),
    ] {
        assert_eq!(text.parse::<Question>().unwrap_err().to_string(), expected);
    }
    assert!(matches!("tiles/timeline/0/53/0".parse::<Question>(), Err(QuestionError::Tile(_))));
    assert!(matches!("memory/0/0/0".parse::<Question>(), Err(QuestionError::Memory(_))));
}

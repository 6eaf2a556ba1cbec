//! Other tools' files of hostile shapes, as text.

/// Name and writer of a file of a given size.
pub(crate) type File = (&'static str, fn(u64) -> Vec<u8>);

pub(crate) const FILES: &[File] = &[
    ("begins without an end", |n| {
        list(n, |at| format!(r#"{{"ph":"B","ts":{at},"pid":1,"tid":1,"name":"f"}}"#))
    }),
    ("ends without a begin", |n| {
        list(n, |at| format!(r#"{{"ph":"E","ts":{at},"pid":1,"tid":1,"name":"f"}}"#))
    }),
    ("slices that cross", |n| {
        list(n, |at| format!(r#"{{"ph":"X","ts":{at},"dur":{n},"pid":1,"tid":1,"name":"f"}}"#))
    }),
    ("slices with one begin", |n| {
        list(n, |at| format!(r#"{{"ph":"X","ts":1,"dur":{at},"pid":1,"tid":1,"name":"f"}}"#))
    }),
    ("slices with one end", |n| {
        list(n, |at| format!(r#"{{"ph":"X","ts":{at},"dur":{},"pid":1,"tid":1,"name":"f"}}"#, n - at))
    }),
    ("slices back in time", |n| {
        list(n, |at| format!(r#"{{"ph":"X","ts":{},"dur":1,"pid":1,"tid":1,"name":"f"}}"#, (n - at) * 2))
    }),
    ("asynchronous slices of one id", |n| {
        list(n * 2, |at| {
            format!(
                r#"{{"ph":"{}","cat":"c","id":1,"ts":{at},"pid":1,"tid":1,"name":"f"}}"#,
                if at < n { 'b' } else { 'e' }
            )
        })
    }),
    ("asynchronous slices of many ids", |n| {
        list(n * 2, |at| {
            format!(
                r#"{{"ph":"{}","cat":"c","id":{},"ts":{at},"pid":1,"tid":1,"name":"f"}}"#,
                if at < n { 'b' } else { 'e' },
                at % n
            )
        })
    }),
    ("asynchronous slices of many names", |n| {
        list(n * 2, |at| {
            format!(
                r#"{{"ph":"{}","cat":"c","id":1,"ts":{at},"pid":1,"tid":1,"name":"f{}"}}"#,
                if at < n { 'b' } else { 'e' },
                at % n
            )
        })
    }),
    ("asynchronous ends without a begin", |n| {
        list(n, |at| format!(r#"{{"ph":"e","cat":"c","id":{at},"ts":{at},"pid":1,"tid":1,"name":"f"}}"#))
    }),
    ("one flow with many steps", |n| {
        list(n * 2, |at| {
            if at % 2 == 0 {
                format!(r#"{{"ph":"X","ts":{at},"dur":1,"pid":1,"tid":1,"name":"f"}}"#)
            } else {
                format!(
                    r#"{{"ph":"{}","cat":"c","id":1,"ts":{},"pid":1,"tid":1,"name":"f"}}"#,
                    if at == 1 { 's' } else { 't' },
                    at - 1
                )
            }
        })
    }),
    ("many flows from one slice", |n| {
        list(n * 2, |at| {
            format!(
                r#"{{"ph":"{}","cat":"c","id":{},"ts":1,"pid":1,"tid":1,"name":"f","bp":"e"}}"#,
                if at < n { 's' } else { 'f' },
                at % n
            )
        })
    }),
    ("many threads", |n| {
        list(n, |at| format!(r#"{{"ph":"X","ts":{at},"dur":1,"pid":1,"tid":{at},"name":"f"}}"#))
    }),
    ("many processes", |n| {
        list(n, |at| format!(r#"{{"ph":"X","ts":{at},"dur":1,"pid":{at},"tid":1,"name":"f"}}"#))
    }),
    ("many names for one thread", |n| {
        list(n, |at| {
            format!(
                r#"{{"ph":"M","ts":{at},"pid":1,"tid":1,"name":"thread_name","args":{{"name":"t{at}"}}}}"#
            )
        })
    }),
    ("many counters", |n| {
        list(n, |at| format!(r#"{{"ph":"C","ts":{at},"pid":1,"name":"c{at}","args":{{"v":{at}}}}}"#))
    }),
    ("a counter with many values", |n| {
        list(n, |at| format!(r#"{{"ph":"C","ts":{at},"pid":1,"name":"c","args":{{"v":{at}}}}}"#))
    }),
    ("one counter with many series", |n| {
        list(4, |at| format!(r#"{{"ph":"C","ts":{at},"pid":1,"name":"c","args":{{{}}}}}"#, keys(n)))
    }),
    ("one event with many arguments", |n| {
        list(4, |at| {
            format!(r#"{{"ph":"X","ts":{at},"dur":1,"pid":1,"tid":1,"name":"f","args":{{{}}}}}"#, keys(n))
        })
    }),
    ("one event with deep arguments", |n| {
        list(2, |at| {
            format!(
                r#"{{"ph":"X","ts":{at},"dur":1,"pid":1,"tid":1,"name":"f","args":{{"a":{}{}}}}}"#,
                "[".repeat(n as usize),
                "]".repeat(n as usize)
            )
        })
    }),
    ("kernels of one correlation", |n| {
        list(n, |at| {
            format!(
                r#"{{"ph":"X","cat":"{}","ts":{at},"dur":9,"pid":{},"tid":1,"name":"f","args":{{"correlation":1,"stream":7,"device":0}}}}"#,
                if at % 2 == 0 { "kernel" } else { "cuda_runtime" },
                at % 2
            )
        })
    }),
    ("kernels of many streams", |n| {
        list(n, |at| {
            format!(
                r#"{{"ph":"X","cat":"kernel","ts":{at},"dur":9,"pid":0,"tid":{at},"name":"f","args":{{"correlation":{at},"stream":{at},"device":{at}}}}}"#
            )
        })
    }),
    ("stack frames in one line", |n| {
        let frames: Vec<String> = (0..n)
            .map(|at| {
                if at == 0 {
                    r#""0":{"name":"f"}"#.to_owned()
                } else {
                    format!(r#""{at}":{{"name":"f{at}","parent":"{}"}}"#, at - 1)
                }
            })
            .collect();
        let events =
            list(n, |at| format!(r#"{{"ph":"X","ts":{at},"dur":1,"pid":1,"tid":1,"name":"f","sf":{at}}}"#));
        [b"{\"stackFrames\":{", frames.join(",").as_bytes(), b"},\"traceEvents\":", &events, b"}"].concat()
    }),
    ("a long string", |n| {
        list(2, |at| {
            format!(
                r#"{{"ph":"X","ts":{at},"dur":1,"pid":1,"tid":1,"name":"{}"}}"#,
                "\\u00e4\\n".repeat(n as usize)
            )
        })
    }),
    ("marks", |n| list(n, |at| format!(r#"{{"ph":"i","s":"g","ts":{at},"pid":1,"tid":1,"name":"f{at}"}}"#))),
];

fn list(n: u64, event: impl Fn(u64) -> String) -> Vec<u8> {
    let events: Vec<String> = (0..n).map(event).collect();
    format!("[{}]", events.join(",\n")).into_bytes()
}

fn keys(n: u64) -> String {
    (0..n).map(|at| format!(r#""key{at}":{at}"#)).collect::<Vec<_>>().join(",")
}

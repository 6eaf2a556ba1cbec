//! Call stacks: they must equal those that the program itself prints, in C++ and in Python.

#[path = "support/interpreters.rs"]
mod interpreters;
#[path = "support/recorded.rs"]
#[expect(dead_code, reason = "a part of what can be looked at")]
mod recorded;
#[path = "support/run.rs"]
#[expect(dead_code, reason = "a part of what can be run")]
mod run;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use interpreters::interpreters;
use run::Run;
use syclscope_language::event::{Args, CALL_STACK, Category, Event, EventSink, FrameKind, Value};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");

/// A frame: its caller, kind, module, function, file and line.
#[derive(Clone, Debug)]
struct Frame {
    caller: Option<u64>,
    kind: FrameKind,
    module: String,
    function: String,
    file: String,
    line: u32,
}

#[derive(Debug, Default)]
struct Told {
    frames: HashMap<u64, Frame>,
    stacks: Vec<Vec<Frame>>,
    bare: usize,
    /// Name of each node and slice, and functions of its stack.
    named: Vec<(String, Option<Vec<String>>)>,
}

impl Told {
    fn stack(&self, args: Args<'_>) -> Option<Vec<Frame>> {
        let (_, Value::Uint(stack)) = args.iter().find(|(key, _)| *key == CALL_STACK)? else { return None };
        let mut stack = Some(*stack);
        let frames = std::iter::from_fn(|| {
            let frame = self.frames[&stack?].clone();
            stack = frame.caller;
            Some(frame)
        });
        Some(frames.collect())
    }

    fn add(&mut self, name: &str, args: Args<'_>) {
        let functions = |stack: Vec<Frame>| stack.into_iter().map(|frame| frame.function).collect();
        self.named.push((name.to_owned(), self.stack(args).map(functions)));
    }
}

impl EventSink for Told {
    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::StackFrame(frame) => {
                let known = self.frames.insert(
                    frame.frame,
                    Frame {
                        caller: frame.caller,
                        kind: frame.kind,
                        module: frame.module.to_owned(),
                        function: frame.location.function.to_owned(),
                        file: frame.location.file.to_owned(),
                        line: frame.location.line,
                    },
                );
                assert!(known.is_none(), "each frame is there once");
            }
            Event::SliceBegin(slice) => {
                self.add(slice.name, slice.args);
                if slice.category == Category::Wait {
                    match self.stack(slice.args) {
                        Some(stack) => self.stacks.push(stack),
                        None => self.bare += 1,
                    }
                }
            }
            Event::Node(node) => self.add(node.name, node.args),
            _ => {}
        }
    }
}

fn told(run: &Run) -> Told {
    let mut told = Told::default();
    syclscope_engine::import::read(&std::fs::read(run.output()).unwrap(), &mut told).unwrap();
    told
}

fn users(stack: &[Frame], file: &str) -> String {
    let users = stack.iter().filter(|frame| frame.kind.is_users() && frame.file.ends_with(file));
    users.map(|frame| format!("{}:{} ", frame.function.rsplit("::").next().unwrap(), frame.line)).collect()
}

/// Checks that the stacks equal the calls that the program has printed, in its order.
fn assert_named(told: &Told, printed: &[u8]) {
    let expected: Vec<&str> = str::from_utf8(printed).unwrap().lines().collect();
    // The function that prints is a frame as well.
    let stacks = told.stacks.iter().map(|stack| users(stack, "stacks.cpp"));
    let stacks: Vec<String> = stacks.map(|stack| stack.split_once(' ').unwrap().1.to_owned()).collect();
    assert_eq!(stacks, expected);
}

/// Builds the program, and the library without symbols that it loads.
fn built(folder: &Path, debug: &[&str]) -> (PathBuf, PathBuf) {
    let (program, plugin) = (folder.join("stacks"), folder.join("plugin.so"));
    let compile = |arguments: &[&str]| {
        let status = Command::new("g++").args(["-O1", "-std=c++17"]).args(arguments).status();
        assert!(status.unwrap().success(), "the tests need g++");
    };
    let data = |name: &str| format!("{DATA}/{name}");
    let source = data("stacks.cpp");
    compile(&[debug, &[&source, "-o", program.to_str().unwrap(), "-ldl", "-pthread"]].concat());
    compile(&["-fPIC", "-shared", "-s", &data("plugin.cpp"), "-o", plugin.to_str().unwrap()]);
    (program, plugin)
}

#[test]
fn stacks_of_native_code_are_those_that_the_program_names() {
    let folder = tempfile::tempdir().unwrap();
    let (program, plugin) = built(folder.path(), &["-g"]);
    let scenario = || Run::of_native(&program, &plugin);
    let (run, output) = scenario().with("SYCLSCOPE_STACKS", "native").run();
    assert!(output.status.success(), "{output:?}");
    let told = told(&run);
    assert_named(&told, &output.stdout);
    assert!(told.stacks.len() == 14 && told.bare == 0);
    // Frames of a library without symbols have the file's name; exported functions still have their own.
    let through: Vec<_> = told
        .stacks
        .iter()
        .filter(|stack| stack.iter().any(|frame| frame.module.ends_with("plugin.so")))
        .collect();
    assert_eq!(through.len(), 3);
    for stack in through {
        let of_plugin: Vec<_> = stack.iter().filter(|frame| frame.module.ends_with("plugin.so")).collect();
        assert_eq!(of_plugin.len(), 2, "{of_plugin:?}");
        assert_eq!(of_plugin[1].function, "plugin");
    }
    let (run, output) = scenario().run();
    assert!(output.status.success());
    let told = self::told(&run);
    assert!(told.stacks.is_empty() && told.frames.is_empty() && told.bare == 14, "nothing when off");
}

#[test]
fn frames_of_code_without_columns_have_their_lines() {
    let folder = tempfile::tempdir().unwrap();
    let (program, plugin) = built(folder.path(), &["-g", "-gno-column-info"]);
    let (run, output) = Run::of_native(&program, &plugin).with("SYCLSCOPE_STACKS", "native").run();
    assert!(output.status.success(), "{output:?}");
    assert_named(&told(&run), &output.stdout);
}

#[test]
fn compressed_or_split_debug_information_gives_the_same_stacks() {
    let folder = tempfile::tempdir().unwrap();
    let (program, plugin) = built(folder.path(), &["-g", "-gz=zlib"]);
    let check = |what: &str| {
        let (run, output) = Run::of_native(&program, &plugin).with("SYCLSCOPE_STACKS", "native").run();
        assert!(output.status.success(), "{what}: {output:?}");
        assert_named(&told(&run), &output.stdout);
    };
    check("compressed");
    let objcopy = |arguments: &[&str]| {
        Command::new("objcopy").args(arguments).output().is_ok_and(|output| output.status.success())
    };
    if !objcopy(&["--version"]) {
        eprintln!("skipped: there is no objcopy, which splits off debug information");
        return;
    }
    let (whole, split) = (program.to_str().unwrap(), folder.path().join("stacks.debug"));
    assert!(objcopy(&["--only-keep-debug", whole, split.to_str().unwrap()]));
    assert!(objcopy(&["--strip-all", &format!("--add-gnu-debuglink={}", split.display()), whole]));
    check("split off");
    std::fs::write(&split, "of another build").unwrap();
    let (run, _) = Run::of_native(&program, &plugin).with("SYCLSCOPE_STACKS", "native").run();
    let status = run.status();
    let notes: Vec<_> = status["notes"].as_array().unwrap().iter().filter_map(|note| note.as_str()).collect();
    let told = |note: &&str| note.ends_with("stacks.debug is damaged or belongs to another build");
    assert_eq!(notes.iter().copied().filter(told).count(), 1, "{notes:?}");
}

#[test]
fn whatever_blocks_builds_or_takes_memory_has_its_callers() {
    let told = told(&Run::of("stacks").with("SYCLSCOPE_STACKS", "native").finished());
    let below = |functions: &Vec<String>| {
        let ours = functions.iter().find_map(|function| function.split("below_").nth(1));
        ours.map(|rest| rest.split("::").next().unwrap().to_owned()).unwrap_or_default()
    };
    let found: Vec<(&str, String)> = told
        .named
        .iter()
        .map(|(name, functions)| (name.as_str(), functions.as_ref().map(below).unwrap_or_default()))
        .collect();
    let expected = [
        ("command", "a_node"),
        ("enqueue.barrier", "a_barrier"),
        ("malloc_host", "an_allocation"),
        ("usm::free", "a_release"),
        ("urProgramBuild", "a_build"),
        ("queue.wait", "a_wait"),
        ("urQueueFinish", ""),
        ("urQueueFinish", "a_waiting_call"),
        ("queue.wait", "a_wait_that_throws"),
        ("urQueueFinish", ""),
        ("after", ""),
        ("urQueueFinish", "a_later_call"),
    ];
    assert_eq!(found, expected.map(|(name, function)| (name, function.to_owned())));
}

#[test]
fn stacks_of_python_are_those_that_python_names() {
    let interpreters = interpreters();
    assert!(!interpreters.is_empty(), "the tests need a Python from 3.10 to 3.14 in PATH");
    let program = format!("{DATA}/stacks.py");
    let last = interpreters.len() - 1;
    for (number, (minor, interpreter)) in interpreters.into_iter().enumerate() {
        for stacks in ["all", "python"].into_iter().take(if number == last { 2 } else { 1 }) {
            let scenario = Run::of_python(&interpreter, &program).with("SYCLSCOPE_STACKS", stacks);
            let (run, output) = scenario.with("SYCLSCOPE_PYTHON_LINES", "0").run();
            assert!(output.status.success(), "3.{minor}: {output:?}");
            let told = told(&run);
            let printed = String::from_utf8(output.stdout).unwrap();
            let mut expected: Vec<String> = printed.lines().map(|line| format!("{line} ")).collect();
            let shown = |stack: &Vec<Frame>| -> String {
                let users = stack.iter().filter(|frame| frame.kind == FrameKind::Python);
                users.map(|frame| format!("{}:{} ", frame.function, frame.line)).collect()
            };
            let mut found: Vec<String> = told.stacks.iter().map(shown).collect();
            // Threads print and notify in any order.
            expected.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, expected, "3.{minor} {stacks}");
            // Some stacks have native code between two Python frames.
            let mixed = told.stacks.iter().filter(|stack| {
                let kinds: Vec<bool> = stack.iter().map(|frame| frame.kind == FrameKind::Python).collect();
                kinds.windows(2).filter(|pair| pair[0] && !pair[1]).count() > 1
            });
            assert_eq!(mixed.count() > 0, stacks == "all", "3.{minor} {stacks}");
            let interpreters = told.frames.values().filter(|frame| frame.kind == FrameKind::Interpreter);
            assert_eq!(interpreters.count(), 0, "3.{minor} {stacks}");
        }
    }
}

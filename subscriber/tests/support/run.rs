//! Runs of programs with the recorder, each in its own process: scenarios of `examples/`, and compiled or Python
//! programs.

use std::io::{BufRead as _, BufReader, Lines};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Output, Stdio};

use crate::recorded::Recorded;

pub(crate) struct Scenario {
    folder: tempfile::TempDir,
    command: Command,
    name: String,
    /// True if the program empties its buffers itself, as it does without the launcher.
    is_alone: bool,
    /// True if some of the buffers can't be written at the end.
    leaves: bool,
    /// Conditions on the recording for which the program waits, in turn.
    steps: Vec<fn(&Recorded) -> bool>,
}

pub(crate) struct Run {
    folder: tempfile::TempDir,
    pid: u32,
}

impl Run {
    /// Returns a scenario of `fake_program`, with the launcher's settings.
    pub(crate) fn of(name: &str) -> Scenario {
        Self::played_by("fake_program", name)
    }

    /// Returns a scenario of another program.
    pub(crate) fn played_by(program: &str, name: &str) -> Scenario {
        let mut command = Command::new(built_files().join("examples").join(program));
        command.arg(name);
        Self::scenario(command, name)
    }

    /// Returns a scenario of a Python program that gets the path of the stand-in for the runtime.
    pub(crate) fn of_python(interpreter: &Path, program: &str) -> Scenario {
        let mut command = Command::new(interpreter);
        command.arg(program).arg(built_files().join("examples/libsycl_fake_runtime.so"));
        command.env("PYTHONIOENCODING", "utf-8");
        Self::scenario(command, program)
    }

    /// Returns a scenario of a program that gets the paths of the stand-in for the runtime and of a library.
    pub(crate) fn of_native(program: &Path, library: &Path) -> Scenario {
        let mut command = Command::new(program);
        command.arg(built_files().join("examples/libsycl_fake_runtime.so")).arg(library);
        Self::scenario(command, "native")
    }

    fn scenario(command: Command, name: &str) -> Scenario {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("status")).unwrap();
        let built = built_files();
        let mut command = without_settings(command);
        command
            .current_dir(folder.path())
            .env("XPTI_FRAMEWORK_DISPATCHER", built.join("examples/libsycl_fake_runtime.so"))
            .env("XPTI_SUBSCRIBERS", subscriber(&built))
            .env("SYCLSCOPE_OUT", folder.path().join("run.pftrace"))
            .env("SYCLSCOPE_STATUS_DIR", folder.path().join("status"))
            .env("SYCLSCOPE_FORMAT", "perfetto")
            .env("SYCLSCOPE_FAULT", PATIENT);
        Scenario {
            folder,
            command,
            name: name.to_owned(),
            is_alone: std::env::var_os(ALONE).is_some(),
            leaves: false,
            steps: Vec::new(),
        }
    }

    pub(crate) fn output(&self) -> PathBuf {
        self.folder.path().join("run.pftrace")
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn recorded(&self) -> Recorded {
        Recorded::read(&self.output())
    }

    /// Returns the number of problems with which the file is imported.
    pub(crate) fn import_problems(&self) -> u64 {
        recorded_problems(&self.output())
    }

    pub(crate) fn problems_of(path: &Path) -> Vec<String> {
        let trace = syclscope_engine::import::open(&std::fs::read(path).unwrap()).unwrap();
        let info = trace.info();
        info.diagnostics.iter().map(|problem| format!("{problem:?}")).collect()
    }

    pub(crate) fn other_files(&self) -> Vec<PathBuf> {
        let files = std::fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().path());
        files.filter(|path| path.is_file() && *path != self.output()).collect()
    }

    pub(crate) fn status(&self) -> serde_json::Value {
        self.status_of(self.pid)
    }

    pub(crate) fn status_of(&self, pid: u32) -> serde_json::Value {
        let path = self.folder.path().join(format!("status/{pid}.json"));
        let text =
            std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        serde_json::from_str(&text).unwrap()
    }
}

impl Scenario {
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Makes frameworks load the recorder.
    pub(crate) fn with_tools(self) -> Self {
        let subscriber = subscriber(&built_files());
        let subscriber = subscriber.to_str().unwrap();
        let tools = ["INTEL_LIBITTNOTIFY64", "NVTX_INJECTION64_PATH", "KOKKOS_TOOLS_LIBS"];
        tools.into_iter().fold(self, |scenario, name| scenario.with(name, subscriber))
    }

    /// Makes the writer take nothing before the end.
    pub(crate) fn whose_writer_rests(self) -> Self {
        self.with("SYCLSCOPE_FAULT", &format!("{PATIENT},writer_rests"))
    }

    pub(crate) fn with_file(self, name: &str, text: &str) -> Self {
        std::fs::write(self.folder.path().join(name), text).unwrap();
        self
    }

    /// Leaves the choice of format to the file's name.
    pub(crate) fn without_format(mut self) -> Self {
        self.command.env_remove("SYCLSCOPE_FORMAT");
        self
    }

    pub(crate) fn alone(mut self) -> Self {
        self.is_alone = true;
        self
    }

    /// Makes another process empty its buffers, as the launcher does.
    pub(crate) fn beside_another(mut self) -> Self {
        self.is_alone = false;
        self
    }

    pub(crate) fn leaves(mut self, leaves: bool) -> Self {
        self.leaves = leaves;
        self
    }

    /// Lets the program continue from its next wait for the test when its recording shows enough.
    pub(crate) fn goes_on_when(mut self, is_enough: fn(&Recorded) -> bool) -> Self {
        self.steps.push(is_enough);
        self
    }

    /// Removes the launcher's settings, as if the library were loaded by hand.
    pub(crate) fn without_settings(mut self) -> Self {
        self.is_alone = true;
        for name in ["SYCLSCOPE_OUT", "SYCLSCOPE_STATUS_DIR", "SYCLSCOPE_FORMAT"] {
            self.command.env_remove(name);
        }
        self
    }

    /// Runs it to its regular end, and checks that only its own output is on the terminal.
    pub(crate) fn finished(self) -> Run {
        let name = self.name.clone();
        let (run, output) = self.run();
        assert!(output.status.success(), "{name} ended with {}: {}", output.status, text(&output.stderr));
        assert_eq!(text(&output.stderr), "");
        assert!(text(&output.stdout).ends_with(&format!("played {name}\n")), "{}", text(&output.stdout));
        run
    }

    /// Runs it to its regular end; also returns its standard error.
    pub(crate) fn finished_with_words(self) -> (Run, String) {
        let name = self.name.clone();
        let (run, output) = self.run();
        assert!(output.status.success(), "{name} ended with {}: {}", output.status, text(&output.stderr));
        (run, text(&output.stderr))
    }

    /// Runs it to an end by a signal.
    pub(crate) fn ended(self) -> Run {
        let (run, output) = self.run();
        assert!(output.status.code().is_none(), "{}", output.status);
        run
    }

    pub(crate) fn ended_with(self, code: i32) -> Run {
        let (run, output) = self.run();
        assert_eq!(output.status.code(), Some(code), "{}", text(&output.stderr));
        run
    }

    /// Kills it `moment` after it has started to work, as its file `completed` shows.
    pub(crate) fn killed_after(mut self, moment: std::time::Duration) -> Run {
        let drain = Drain::start(self.folder.path());
        self.command.env("SYCLSCOPE_RINGS", &drain.folder);
        let mut child = self.command.stdout(Stdio::null()).spawn().unwrap();
        let completed = self.folder.path().join("completed");
        while std::fs::read(&completed).unwrap().iter().all(|byte| *byte == 0) {
            std::thread::yield_now();
        }
        std::thread::sleep(moment);
        child.kill().unwrap();
        let pid = child.id();
        assert!(child.wait().unwrap().code().is_none());
        drain.end();
        Run { folder: self.folder, pid }
    }

    pub(crate) fn run(mut self) -> (Run, Output) {
        let drain = (!self.is_alone).then(|| Drain::start(self.folder.path()));
        if let Some(drain) = &drain {
            self.command.env("SYCLSCOPE_RINGS", &drain.folder);
        }
        let mut child =
            self.command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap_or_else(|error| {
                panic!("{:?}: {error}; the tests need the crate's examples", self.command)
            });
        let pid = child.id();
        let file = self.folder.path().join("run.pftrace");
        for (number, is_enough) in (1..).zip(&self.steps) {
            while child.try_wait().unwrap().is_none()
                && !Recorded::so_far(&file).is_some_and(|so_far| is_enough(&so_far))
            {
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            let steps = self.folder.path().join("steps");
            std::fs::create_dir_all(&steps).unwrap();
            std::fs::write(steps.join(number.to_string()), "").unwrap();
        }
        let output = child.wait_with_output().unwrap();
        match drain {
            Some(drain) if self.leaves => drain.leave(),
            Some(drain) => drain.end(),
            None => {}
        }
        (Run { folder: self.folder, pid }, output)
    }
}

/// If set, all programs empty their buffers themselves.
const ALONE: &str = "SYCLSCOPE_TEST_ALONE";

/// A fault that makes all patience unlimited, for busy machines. Tests of timeouts set another fault.
const PATIENT: &str = "patience_never_ends";

/// If set, the machine is idle and there is time, so tests measure real times.
const SOAK: &str = "SYCLSCOPE_SOAK";

pub(crate) fn is_soak() -> bool {
    std::env::var_os(SOAK).is_some()
}

pub(crate) struct Drain {
    process: Child,
    words: Lines<BufReader<ChildStdout>>,
    pub(crate) folder: PathBuf,
}

impl Drain {
    pub(crate) fn start(folder: &Path) -> Self {
        let rings = folder.join("rings");
        std::fs::create_dir(&rings).unwrap();
        Self::again(&rings)
    }

    /// Starts it for a folder that an earlier process has left.
    pub(crate) fn again(rings: &Path) -> Self {
        let rings = rings.to_owned();
        let mut process = without_settings(Command::new(built_files().join("examples/drain")))
            .arg(&rings)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut words = BufReader::new(process.stdout.take().unwrap()).lines();
        assert_eq!(words.next().unwrap().unwrap(), "ready");
        Self { process, words, folder: rings }
    }

    /// Waits until all files have as much as can be written.
    pub(crate) fn leave(mut self) {
        drop(self.process.stdin.take());
        assert_eq!(self.words.next().unwrap().unwrap(), "left");
        assert!(self.process.wait().unwrap().success());
    }

    /// Waits until all files are complete, and checks that nothing is left.
    pub(crate) fn end(mut self) {
        drop(self.process.stdin.take());
        assert_eq!(self.words.next().unwrap().unwrap(), "done");
        assert!(self.process.wait().unwrap().success());
        assert!(!self.folder.exists());
    }
}

fn without_settings(mut command: Command) -> Command {
    for (name, _) in std::env::vars_os() {
        let is_ours = [ALONE, SOAK].iter().any(|ours| name == *ours);
        if name.to_string_lossy().starts_with("SYCLSCOPE_") && !is_ours {
            command.env_remove(name);
        }
    }
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn recorded_problems(path: &Path) -> u64 {
    let bytes = std::fs::read(path).unwrap();
    let report = syclscope_engine::import::read(&bytes, &mut crate::recorded::Nothing).unwrap();
    report.diagnostics.infos().map(|problem| problem.count).sum()
}

/// Returns cargo's output folder; this test is in its `deps`.
fn built_files() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().unwrap().parent().unwrap().to_path_buf()
}

fn subscriber(built: &Path) -> PathBuf {
    let name = "libsyclscope_subscriber.so";
    let newest = |path: &PathBuf| path.metadata().and_then(|data| data.modified()).ok();
    [built.join("deps").join(name), built.join(name)].into_iter().max_by_key(newest).unwrap()
}

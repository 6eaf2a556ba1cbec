//! nginx, as a load balancer for several server instances in the tests.

use std::path::PathBuf;

use super::Step;
use super::browser::apt_install;
use crate::failure::Result;
use crate::process;
use crate::workspace::Workspace;

/// Debian's path, which is on the PATH of root only.
const DEBIAN: &str = "/usr/sbin/nginx";

/// The program. A service started by Debian's package is not touched.
pub(crate) struct Nginx;

impl Nginx {
    /// The program: `NGINX`, or the one on PATH, or Debian's.
    pub(crate) fn find() -> Option<PathBuf> {
        let given = std::env::var_os("NGINX").filter(|value| !value.is_empty()).map(PathBuf::from);
        given
            .or_else(|| process::on_path("nginx"))
            .or_else(|| Some(PathBuf::from(DEBIAN)).filter(|file| file.is_file()))
    }
}

impl Step for Nginx {
    fn name(&self) -> String {
        "nginx".to_owned()
    }

    fn check(&self, _: &Workspace) -> std::result::Result<String, String> {
        let found = Self::find().ok_or_else(|| "there is no nginx".to_owned())?;
        // It prints its version to the standard error output.
        let mut command = std::process::Command::new(&found);
        match command.arg("-v").output() {
            Ok(output) if output.status.success() => {
                Ok(String::from_utf8_lossy(&output.stderr).trim().to_owned())
            }
            _ => Err(format!("{} does not run", found.display())),
        }
    }

    fn install(&self, workspace: &Workspace) -> Result<()> {
        apt_install(workspace, &["nginx-light"])
    }

    fn by_hand(&self, _: &Workspace) -> String {
        "install nginx (Debian: apt-get install nginx-light), or set NGINX to the program".to_owned()
    }
}

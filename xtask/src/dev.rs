//! `cargo xtask dev`: the page, rebuilt unoptimised on each change, in a browser that reloads.
//!
//! The program serves the page from its folder under the users' strict policy. The reload script polls
//! one small file; it is part of this build only.

mod watch;

use std::process::Child;
use std::time::Duration;

use crate::artefacts::page::{self, Tools};
use crate::artefacts::program;
use crate::artefacts::recording::{Recording, Subject};
use crate::demo;
use crate::prelude::*;
use crate::setup::{self, Scope};
use watch::Watch;

#[derive(Debug, Default, PartialEq)]
pub(crate) struct Options {
    /// Trace to open. The default is the demo's recording, or an empty list of traces without one.
    pub(crate) trace: Option<PathBuf>,
    pub(crate) port: Option<u16>,
    pub(crate) no_browser: bool,
}

const INTERVAL: Duration = Duration::from_millis(250);
/// Polls the build number and reloads the page when it changes.
const SCRIPT: &str = include_str!("dev/reload.js");

pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    setup::run(workspace, Scope::Page)?;
    say::heading("build");
    let program = program::build_quickly(workspace)?;
    let tools = Tools::find(workspace, false)?;
    let mut watch = Watch::new(page::sources(workspace));
    let mut number = 1;
    say::begins("building", "page", "unoptimised …");
    let dist = build(workspace, &tools, number)?;

    let mut command = serve(workspace, options, &program, &dist)?;
    say::heading(&format!("\n$ {}\n", process::described(&command)));
    let mut server = Server(process::started(&mut command)?);
    loop {
        std::thread::sleep(INTERVAL);
        if let Some(status) = server.0.try_wait().at("wait for", &program)? {
            return Err(Failure::new(format!("the server ended with {status}")));
        }
        let Some(changed) = watch.changed() else { continue };
        let name = changed.strip_prefix(&workspace.root).unwrap_or(&changed);
        say::begins("changed", "page", &name.display().to_string());
        number += 1;
        // If the page does not compile, browsers keep the previous one, and the errors are printed here.
        if let Err(failure) = build(workspace, &tools, number) {
            println!("{failure}\n");
        }
    }
}

/// Kills the server when dropped.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn build(workspace: &Workspace, tools: &Tools, number: u32) -> Result<PathBuf> {
    let begun = Instant::now();
    let dist = page::build_quickly(workspace, tools)?;
    let index = dist.join("index.html");
    files::write(&dist.join("reload.js"), SCRIPT)?;
    files::write(&index, following(&files::read(&index)?))?;
    // Last, since this makes browsers load the rest.
    files::write(&dist.join("build.txt"), format!("{} {number}", std::process::id()))?;
    say::step("built", "page", &dist.display().to_string(), begun.elapsed());
    Ok(dist)
}

fn following(index: &str) -> String {
    index.replacen("</head>", "<script src=\"./reload.js\" defer></script></head>", 1)
}

fn serve(workspace: &Workspace, options: &Options, program: &Path, dist: &Path) -> Result<Command> {
    let demo = Recording::of_demo(Subject::Heat).file(workspace);
    let trace = options.trace.clone().or_else(|| demo.is_file().then_some(demo));
    let mut command = match trace {
        Some(trace) => demo::open(program, &trace, options.no_browser, options.port),
        None => {
            let data = workspace.target.join("xtask/dev-traces");
            files::create(&data)?;
            let listen = format!("127.0.0.1:{}", options.port.unwrap_or(0));
            let mut serve = Command::new(program);
            serve.args(["serve", "--listen", &listen, "--data"]).arg(data);
            serve
        }
    };
    command.arg("--page").arg(dist);
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_is_put_into_the_head_once() {
        let index = "<html><head><title>a</title></head><body></head></body></html>";
        let changed = following(index);
        assert_eq!(changed.matches("reload.js").count(), 1);
        assert!(changed.contains("defer></script></head><body>"), "{changed}");
    }
}

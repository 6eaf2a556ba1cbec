use std::process::{Command, Output};

pub(crate) use crate::scratch::Scratch;

/// The built program, in an environment that knows nothing of SYCL.
///
/// The tests' parent may ignore signals (`nohup`, a shell's `&`), and all processes below would inherit that.
pub(crate) fn syclscope(scratch: &Scratch) -> Command {
    let mut command = Command::new("env");
    command.args(["--default-signal=HUP,INT,QUIT,TERM", env!("CARGO_BIN_EXE_syclscope")]);
    in_no_environment(&mut command, scratch);
    command
}

/// Prepares a command in the folder, without the shell's variables for the program, a SYCL runtime or ranks.
pub(crate) fn in_no_environment(command: &mut Command, scratch: &Scratch) {
    command.current_dir(scratch.folder());
    // Cargo's configuration sets some for builds, and tests inherit them.
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("SYCLSCOPE_"))
    {
        command.env_remove(name);
    }
    for name in ["XPTI_FRAMEWORK_DISPATCHER", "XPTI_SUBSCRIBERS", "UR_ENABLE_LAYERS", "LD_LIBRARY_PATH"] {
        command.env_remove(name);
    }
    for name in ["VIRTUAL_ENV", "CONDA_PREFIX", "CMPLR_ROOT", "ONEAPI_ROOT", "DISPLAY", "WAYLAND_DISPLAY"] {
        command.env_remove(name);
    }
    command.env_remove("RUST_LOG");
    for name in ["PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"] {
        command.env_remove(name);
    }
}

/// Runs `syclscope record` for programs that never load a framework or a subscriber, so that any file will do.
pub(crate) fn record(scratch: &Scratch) -> Command {
    // Written once: several processes may start at the same time.
    let file = |name: &str, text: &str| match scratch.path(name) {
        path if path.exists() => path,
        _ => scratch.file(name, text),
    };
    let framework = file("libxptifw.so", "\x7fELF");
    let subscriber = file("subscriber.so", "");
    let mut command = syclscope(scratch);
    command.arg("record").arg("--xptifw").arg(framework).arg("--subscriber").arg(subscriber);
    command
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

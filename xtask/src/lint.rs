//! `cargo xtask lint`: the checks that run no product code.

use crate::failure::Result;
use crate::test;
use crate::workspace::Workspace;

/// The steps of `cargo xtask test` that belong here; clippy for the page joins once its target is set up.
const NAMES: &[&str] = &["format", "architecture", "licences", "advisories", "clippy"];

pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let names: Vec<String> = NAMES.iter().map(|name| (*name).to_owned()).collect();
    test::run_steps(workspace, &test::chosen(&names)?)
}

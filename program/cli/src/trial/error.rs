//! Reasons why a try has no result.

use std::path::PathBuf;

use syclscope_report::trial::{LedgerError, NoFinding, NothingToAccept};

#[derive(Debug, thiserror::Error)]
pub(crate) enum TrialError {
    #[error("no ledger in {}: `syclscope try -- ./program` creates one", folder.display())]
    NoLedger { folder: PathBuf },
    #[error("{}: {error}", file.display())]
    Ledger { file: PathBuf, error: LedgerError },
    #[error("{} belongs to the program {program}: choose another folder with --ledger", file.display())]
    OtherProgram { file: PathBuf, program: String },
    #[error(
        "another `syclscope try` is running in {}; wait until it ends, or choose another folder with --ledger",
        folder.display()
    )]
    Busy { folder: PathBuf },
    #[error(transparent)]
    Finding(NoFinding),
    #[error(transparent)]
    Accept(NothingToAccept),
    #[error("the program {ending}; the ledger is unchanged")]
    Failed { ending: String },
    #[error("--before needs the program before the change: --before ./old 4096 -- ./new 4096")]
    NoProgram,
    #[error(
        "the programs before and after have different arguments: only the program and its script (FILE.py) may differ"
    )]
    OtherArguments,
    #[error("the program was not recorded; the ledger is unchanged")]
    NothingRecorded,
    #[error("{remedy} is set already: {variables}")]
    AlreadySet { remedy: &'static str, variables: String },
    #[error("{remedy} only works on {backend}, but the program runs on {platforms}")]
    OtherBackend { remedy: &'static str, backend: &'static str, platforms: String },
}

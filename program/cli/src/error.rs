//! Errors of subcommands. Exit codes are defined only here.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use syclscope_launcher::{LaunchError, MergeFailure, RecoverError};
use syclscope_server::db::DbError;
use syclscope_server::db::projects::NotAChange;
use syclscope_server::http::listen::WrongClock;
use syclscope_server::http::page::NoIndex;
use syclscope_server::storage::OpenError;
use syclscope_server::storage::backup::BackupError;

#[derive(Debug, thiserror::Error)]
pub(super) enum CliError {
    #[error(transparent)]
    Launch(#[from] LaunchError),
    #[error(transparent)]
    Recover(#[from] RecoverError),
    #[error(transparent)]
    Merge(MergeFailure),
    #[error(transparent)]
    Output(#[from] super::output::OutputError),
    /// Nothing was written.
    #[error(transparent)]
    Clean(#[from] syclscope_engine::clean::CleanError),
    /// A file type that syclscope writes but does not read.
    #[error("{} is {what}, which syclscope writes but does not read: open the original recording", path.display())]
    OneWay { path: PathBuf, what: &'static str },
    #[error(
        "section '{section}' covers the whole run: leave out --from, --to, --iterations, --region and --where, or choose another section"
    )]
    NeedsWholeRun { section: &'static str },
    #[error(
        "{} is a folder: name one of its files, or show them all with `syclscope open`",
        syclscope_text::path(path)
    )]
    Folder { path: PathBuf },
    #[error("{message}; choose a part of the run with --from and --to, or --region")]
    NoIterations { message: String },
    #[error(
        "no runs to judge: name them before --baseline, as in `syclscope check run-*.pftrace --baseline base.json`"
    )]
    NothingToJudge,
    #[error("no time is selected: --from must be before --to")]
    NoTime,
    #[error("the run ends at {}, before the selected time", syclscope_text::duration(*end_ns))]
    NoTimeThere { end_ns: u64 },
    #[error("{}: {error}", syclscope_text::path(path))]
    InRun { path: PathBuf, error: Box<CliError> },
    #[error(
        "{} covers {}, but {} is to be compared: write the baseline again with the same options",
        syclscope_text::path(path),
        whole_or(holds),
        whole_or(expected)
    )]
    OtherPart { path: PathBuf, holds: String, expected: String },
    #[error("section '{section}' doesn't support --where")]
    NeedsNoFilter { section: &'static str },
    #[error(
        "--format markdown and html describe the whole summary: leave out --section and --calls, or choose text, csv or json"
    )]
    NoSections,
    #[error("{error}")]
    Query { error: syclscope_engine::query::QueryError },
    #[error(transparent)]
    DataFolder(#[from] OpenError),
    #[error("--lines reads queries from standard input: name the trace's file")]
    LinesTaken,
    #[error("`-` stands for standard input, which can be read only once: name files for the other runs")]
    StandardInputTwice,
    #[error("standard input is the statement: name the trace's file, or give the statement as an argument")]
    StatementTaken,
    #[error("can't get random numbers: {error}")]
    Random { error: io::Error },
    #[error("connection lost: {error}")]
    Conversation { error: io::Error },
    #[error("HOME is not set; name a data folder with --data")]
    NoFolder,
    #[error(transparent)]
    Database(#[from] DbError),
    #[error(transparent)]
    Page(#[from] NoIndex),
    #[error("can't read {}: {error}", path.display())]
    Unreadable { path: PathBuf, error: String },
    #[error("{}: {error}", path.display())]
    NotATrace { path: PathBuf, error: String },
    #[error(
        "{path} is a baseline of `check --write-baseline`: it has metrics and times of runs, but not the runs themselves. \
         `syclscope check RUN… --baseline {path}` and `syclscope history` accept it; here, name \
         the original recordings",
        path = path.display()
    )]
    Baseline { path: PathBuf },
    #[error(
        "another program uses port {port} on 127.0.0.1. Choose another port with --port, or leave --port out \
         to get a free one"
    )]
    PortTaken { port: u16 },
    #[error("no healthy server at {address}: {why}")]
    NotHealthy { address: SocketAddr, why: String },
    #[error(transparent)]
    Clock(#[from] WrongClock),
    #[error("the server can't listen on 127.0.0.1: {error}. Choose another port with --port")]
    Listen { error: io::Error },
    #[error("another program uses {address}. Choose another port with --listen")]
    AddressTaken { address: SocketAddr },
    #[error("the server can't listen on {address}: {error}. Choose another address with --listen")]
    ListenAt { address: SocketAddr, error: io::Error },
    #[error(transparent)]
    Share(#[from] syclscope_client::ShareError),
    #[error("{}: {error}", address.display())]
    Place { address: PathBuf, error: syclscope_client::NotAPlace },
    #[error(transparent)]
    Spool(#[from] syclscope_client::SpoolError),
    #[error("no server given: use --to or SYCLSCOPE_SERVER")]
    NoServer,
    #[error("SYCLSCOPE_SERVER: {error}")]
    WrongServer { error: syclscope_client::NotAServer },
    #[error("{option} is for an upload: add --share ADDRESS or --spool FOLDER, or leave it out")]
    NoUpload { option: &'static str },
    #[error("--name names one recording; leave it out for several")]
    OneName,
    #[error("can't write to standard output: {error}")]
    Print { error: io::Error },
    #[error("can't get random bytes: {error}. Give a key with --key-file")]
    NoKey { error: io::Error },
    #[error("can't start threads: {error}")]
    Threads { error: io::Error },
    #[error(
        "others can reach {address}: choose how they sign in (--sign-in token, --sign-in oidc, or --sign-in proxy behind a reverse proxy), \
         or let everyone who reaches it view, upload and delete everything (--anyone)"
    )]
    NoSignIn { address: SocketAddr },
    #[error(
        "--sign-in local supports only accounts of this computer, but other computers can reach {address}: use --sign-in \
         token, oidc or proxy"
    )]
    LocalSignIn { address: SocketAddr },
    #[error("invalid name {name:?}: expected one line of 1 to 200 bytes, other than *")]
    Name { name: String },
    #[error("invalid user name {name:?}: expected one line of 1 to 200 bytes")]
    MemberName { name: String },
    #[error("{name:?} is not a member of project {project}; `syclscope member list` lists them")]
    NoSuchMember { name: String, project: String },
    #[error("no account is bound to the name {name:?}, free for the next account that signs in with it")]
    NoSuchPerson { name: String },
    #[error("no project {project}; `syclscope project list` lists them")]
    NoSuchProject { project: String },
    #[error("project {project} exists; change it with `syclscope project set`")]
    ProjectExists { project: String },
    #[error("{error}")]
    ProjectChange { error: NotAChange },
    #[error("no such token; `syclscope token list` lists them")]
    NoSuchToken,
    #[error("no database given: use --data DIR or --database URL")]
    NoDatabase,
    #[error("no folder {}: name the server's data folder with --data, or create it first", path.display())]
    MissingFolder { path: PathBuf },
    #[error("--sign-in oidc needs {option}")]
    Oidc { option: &'static str },
    #[error(transparent)]
    Provider(#[from] syclscope_server::auth::provider::ProviderError),
    #[error("{} is not a server's data folder: it has no database. Name the folder with --data, or the database with --database", path.display())]
    NoServerHere { path: PathBuf },
    #[error(
        "{} has {runs} runs, but CSV, JSON and HTML describe only one; name it, like {}",
        path.display(),
        names.join(", ")
    )]
    SeveralRuns { path: PathBuf, runs: usize, names: Vec<String> },
    #[error("no recordings in {}: name some, or a folder of them", path.display())]
    NoRuns { path: PathBuf },
    #[error("{}: {error}", path.display())]
    Rules { path: PathBuf, error: Box<syclscope_report::comparison::gate::RulesError> },
    #[error(transparent)]
    Trial(#[from] super::trial::TrialError),
    #[error(transparent)]
    Backup(#[from] BackupError),
    #[error("can't create a temporary folder: {error}")]
    Scratch { error: io::Error },
    /// A recording of the demo can't be written; an existing file with its name stays unchanged.
    #[error("can't write {}: {error}", path.display())]
    Demo { path: PathBuf, error: io::Error },
    #[error("can't write manual pages to {}: {error}", folder.display())]
    ManualPages { folder: PathBuf, error: io::Error },
    #[error("can't determine the current account: {error}")]
    Account { error: io::Error },
}

impl CliError {
    /// Returns the exit code of a failed command. Wrong command lines exit with 2 before anything runs.
    pub(super) fn exit_code(&self) -> u8 {
        match self {
            Self::NoUpload { .. } => 2,
            Self::Launch(LaunchError::ProgramNotFound { .. }) => 127,
            Self::Launch(LaunchError::NotExecutable { .. } | LaunchError::Start { .. }) => 126,
            _ => 1,
        }
    }
}

fn whole_or(part: &str) -> &str {
    if part.is_empty() { "the whole run" } else { part }
}

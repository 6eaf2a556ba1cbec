//! `syclscope project`: creates projects, lists them and sets their limits, in the database of a possibly
//! running server.

use clap::Subcommand;
use syclscope_language::api::ProjectChange;

use super::hosting::block_on;
use super::rows::Rows;
use super::{CliError, Outcome, print};
use syclscope_launcher::Size;
use syclscope_server::auth::{Action, Principal, change};
use syclscope_server::db::projects::{self, ProjectId, Use};
use syclscope_server::db::{Db, DbError, audit};
use syclscope_text::{bytes, count, counted};

/// Create and list projects, and set their quota and retention
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  syclscope project add solver --data /srv/syclscope --quota 20G --retention 90
  syclscope project set default --data /srv/syclscope --quota none
  syclscope project list --data /srv/syclscope")]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: ProjectCommand,
}

#[derive(Debug, Subcommand)]
enum ProjectCommand {
    /// Create a project
    Add(ProjectArgs),
    /// Change the name and limits of a project; omitted ones stay
    Set(ProjectArgs),
    /// List all projects with their usage
    List(List),
}

#[derive(Debug, clap::Args)]
struct ProjectArgs {
    /// Name in URLs: lower-case letters, digits and dashes
    #[arg(value_name = "PROJECT")]
    project: ProjectId,
    /// Display name
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,
    /// Quota for its traces, like 500M or 20G, or none
    #[arg(long, value_name = "SIZE")]
    quota: Option<Limit<Size>>,
    /// Days after which an unpinned trace is deleted, or none. It is marked for 7 days first
    #[arg(long, value_name = "DAYS")]
    retention: Option<Limit<u64>>,
    #[command(flatten)]
    rows: Rows,
}

#[derive(Debug, clap::Args)]
struct List {
    #[command(flatten)]
    rows: Rows,
}

#[derive(Clone, Copy, Debug)]
struct Limit<T>(Option<T>);

impl<T: std::str::FromStr> std::str::FromStr for Limit<T> {
    type Err = T::Err;

    fn from_str(text: &str) -> Result<Self, T::Err> {
        if text == "none" { Ok(Self(None)) } else { text.parse().map(|limit| Self(Some(limit))) }
    }
}

pub(super) fn run(arguments: Arguments) -> Result<Outcome, CliError> {
    let text = block_on(async {
        match arguments.command {
            ProjectCommand::Add(arguments) => {
                let db = arguments.rows.open().await?;
                set(&db, arguments, true).await
            }
            ProjectCommand::Set(arguments) => {
                let db = arguments.rows.open().await?;
                set(&db, arguments, false).await
            }
            ProjectCommand::List(arguments) => list(&arguments.rows.open().await?).await,
        }
    })?;
    print(&text)
}

async fn set(db: &Db, arguments: ProjectArgs, is_new: bool) -> Result<String, CliError> {
    let id = arguments.project;
    let mut transaction = db.writing().await?;
    if is_new {
        let name = arguments.name.as_deref().unwrap_or(id.as_str());
        projects::add(&mut transaction, &id, name).await.map_err(|error| match error {
            DbError::Exists => CliError::ProjectExists { project: id.to_string() },
            error => error.into(),
        })?;
    }
    let missing = || CliError::NoSuchProject { project: id.to_string() };
    // The server may change the project at the same time.
    projects::hold(&mut transaction, &id).await?;
    let found = projects::find(&mut transaction, &id).await?.ok_or_else(missing)?;
    let change_of = ProjectChange {
        name: arguments.name,
        quota_bytes: arguments.quota.map(|limit| limit.0.map(|size| size.bytes)),
        retention_days: arguments.retention.map(|limit| limit.0),
    };
    let (now, said) = found.with(&change_of).map_err(|error| CliError::ProjectChange { error })?;
    projects::change(&mut transaction, &now).await?;
    let said = [is_new.then(|| "made".to_owned()), Some(said).filter(|said| !said.is_empty())];
    let said = said.into_iter().flatten().collect::<Vec<_>>().join(", ");
    if !said.is_empty() {
        // No server has authenticated the user.
        let line =
            change(&Principal::Account, Action::ChangeProject, Some(id.as_str()), id.as_str(), Some(said));
        audit::add(&mut transaction, &line).await?;
    }
    transaction.commit().await.map_err(DbError::from)?;
    list(db).await
}

async fn list(db: &Db) -> Result<String, CliError> {
    let connection = &mut *db.reading().await?;
    let mut lines = vec!["project               traces        used       quota  retention   name".to_owned()];
    for project in projects::all(connection).await? {
        let Use { traces, bytes: used_bytes } = projects::usage(connection, &project.id).await?;
        let quota = project.quota_bytes.map_or_else(|| "none".to_owned(), bytes);
        let kept = project.retention_days.map_or_else(|| "none".to_owned(), |days| counted(days, "day"));
        let (id, used, traces) = (project.id.as_str(), bytes(used_bytes), count(traces));
        lines.push(format!("{id:<20}  {traces:>6}  {used:>10}  {quota:>10}  {kept:<9}  {}", project.name));
    }
    Ok(lines.join("\n"))
}

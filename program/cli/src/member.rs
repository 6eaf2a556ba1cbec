//! `syclscope member`: changes the members of a project, in the database of a possibly running server.

use clap::Subcommand;
use syclscope_language::api::Role;

use super::hosting::block_on;
use super::rows::Rows;
use super::{CliError, Outcome, print};
use syclscope_server::auth::{Action, Principal, change, is_name};
use syclscope_server::db::members::{self, EVERYBODY};
use syclscope_server::db::projects::{self, ProjectId};
use syclscope_server::db::{Connection, Db, DbError, audit, people};

/// Manage the members of projects and their roles
///
/// Members sign in at an identity provider or through a proxy, which provides their name; here it gets a
/// role. Changes apply from the next request on.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  syclscope member add ada --role admin --data /srv/syclscope
  syclscope member add '*' --role viewer --project solver --data /srv/syclscope
  syclscope member list --data /srv/syclscope
  syclscope member remove ada --project solver --data /srv/syclscope
  syclscope member forget ada --data /srv/syclscope

The name * stands for everyone who signs in.")]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: MemberCommand,
}

#[derive(Debug, Subcommand)]
enum MemberCommand {
    /// Add a member to a project, or change a member's role
    Add(Add),
    /// List the members of all projects
    List(List),
    /// Remove a member from a project
    Remove(Remove),
    /// Let another account of the identity provider use a name
    ///
    /// A name belongs to the first account that signs in with it. This signs that account out; the next
    /// account that signs in with the name gets it, with all that belongs to it.
    Forget(Forget),
}

#[derive(Debug, clap::Args)]
struct Add {
    /// User name, exactly; * for everyone who signs in
    #[arg(value_name = "NAME")]
    name: String,
    /// Role: viewer, contributor or admin
    #[arg(long, value_name = "ROLE")]
    role: Role,
    /// Project
    #[arg(long, value_name = "PROJECT", default_value_t)]
    project: ProjectId,
    #[command(flatten)]
    rows: Rows,
}

#[derive(Debug, clap::Args)]
struct List {
    /// List only this project
    #[arg(long, value_name = "PROJECT")]
    project: Option<ProjectId>,
    #[command(flatten)]
    rows: Rows,
}

#[derive(Debug, clap::Args)]
struct Remove {
    /// User name
    #[arg(value_name = "NAME")]
    name: String,
    /// Project
    #[arg(long, value_name = "PROJECT", default_value_t)]
    project: ProjectId,
    #[command(flatten)]
    rows: Rows,
}

#[derive(Debug, clap::Args)]
struct Forget {
    /// User name
    #[arg(value_name = "NAME")]
    name: String,
    #[command(flatten)]
    rows: Rows,
}

pub(super) fn run(arguments: Arguments) -> Result<Outcome, CliError> {
    let text = block_on(async {
        match arguments.command {
            MemberCommand::Add(arguments) => {
                let db = arguments.rows.open().await?;
                add(&db, arguments).await
            }
            MemberCommand::List(arguments) => {
                list(&arguments.rows.open().await?, arguments.project.as_ref()).await
            }
            MemberCommand::Remove(arguments) => {
                let db = arguments.rows.open().await?;
                remove(&db, &arguments.name, &arguments.project).await
            }
            MemberCommand::Forget(arguments) => forget(&arguments.rows.open().await?, &arguments.name).await,
        }
    })?;
    print(&text)
}

async fn add(db: &Db, arguments: Add) -> Result<String, CliError> {
    let Add { name, role, project, .. } = arguments;
    if name != EVERYBODY && !is_name(&name) {
        return Err(CliError::MemberName { name });
    }
    let mut transaction = db.writing().await?;
    members::set(&mut transaction, &project, &name, role).await.map_err(|error| match error {
        DbError::Missing => CliError::NoSuchProject { project: project.to_string() },
        error => error.into(),
    })?;
    note(&mut transaction, Some(&project), &name, role.to_string()).await?;
    transaction.commit().await.map_err(DbError::from)?;
    Ok(format!("{} is {role} of project {project}", display_name(&name)))
}

async fn list(db: &Db, only: Option<&ProjectId>) -> Result<String, CliError> {
    let connection = &mut *db.reading().await?;
    let mut lines = vec!["project       role         name".to_owned()];
    let projects = projects::all(connection).await?;
    let projects: Vec<ProjectId> = projects.into_iter().map(|project| project.id).collect();
    if let Some(only) = only.filter(|only| !projects.contains(only)) {
        return Err(CliError::NoSuchProject { project: only.to_string() });
    }
    for project in projects.iter().filter(|project| only.is_none_or(|only| only == *project)) {
        for (name, role) in members::in_project(connection, project).await? {
            lines.push(format!("{:<12}  {:<11}  {name}", project.as_str(), role.name()));
        }
    }
    Ok(lines.join("\n"))
}

async fn remove(db: &Db, name: &str, project: &ProjectId) -> Result<String, CliError> {
    let mut transaction = db.writing().await?;
    if !members::remove(&mut transaction, project, name).await? {
        return Err(CliError::NoSuchMember { name: name.to_owned(), project: project.to_string() });
    }
    note(&mut transaction, Some(project), name, "removed".to_owned()).await?;
    transaction.commit().await.map_err(DbError::from)?;
    Ok(format!("{} is no longer a member of project {project}", display_name(name)))
}

async fn forget(db: &Db, name: &str) -> Result<String, CliError> {
    let mut transaction = db.writing().await?;
    if !people::forget(&mut transaction, name).await? {
        return Err(CliError::NoSuchPerson { name: name.to_owned() });
    }
    note(&mut transaction, None, name, "name released for the next account".to_owned()).await?;
    transaction.commit().await.map_err(DbError::from)?;
    Ok(format!("released {name} for the next account that signs in with it"))
}

/// Writes an audit entry as [`Principal::Account`], since no server has authenticated the user.
async fn note(
    connection: &mut Connection,
    project: Option<&ProjectId>,
    name: &str,
    detail: String,
) -> Result<(), DbError> {
    let project = project.map(ProjectId::as_str);
    let line = change(&Principal::Account, Action::ChangeMembers, project, name, Some(detail));
    audit::add(connection, &line).await
}

fn display_name(name: &str) -> &str {
    if name == EVERYBODY { "everyone who signs in" } else { name }
}

//! `syclscope token`: creates, lists and revokes access tokens, in the database of a possibly running server.

use clap::Subcommand;
use syclscope_language::api::{AuditEntry, Role};

use super::hosting::block_on;
use super::lifetime::Lifetime;
use super::rows::Rows;
use super::{CliError, Outcome, print};
use syclscope_server::auth::{Action, Principal, Secret, change, is_name};
use syclscope_server::db::projects::ProjectId;
use syclscope_server::db::tokens::{self, TokenRow};
use syclscope_server::db::{Db, DbError, audit, now_unix_ns};
use syclscope_system::id::Id;
use syclscope_text::date;

/// Create, list and revoke the access tokens of people and programs
///
/// A token is shown once, when it is created; the server keeps a hash. It is valid until it expires or is revoked.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  syclscope token create ada --data /srv/syclscope --role admin
  syclscope token create ci --data /srv/syclscope --project solver --role contributor --expires 90d
  syclscope token list --data /srv/syclscope
  syclscope token revoke ID --data /srv/syclscope
  curl -H \"Authorization: Bearer $TOKEN\" https://traces.example/api/v1/traces")]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: TokenCommand,
}

#[derive(Debug, Subcommand)]
enum TokenCommand {
    /// Create a token and print it
    Create(Create),
    /// List all tokens, without their secrets
    List(List),
    /// Revoke a token, and end its sessions
    Revoke(Revoke),
}

#[derive(Debug, clap::Args)]
struct Create {
    /// Owner: a person, or a program such as ci. Its actions are logged under this name
    #[arg(value_name = "NAME")]
    name: String,
    /// Project to limit the token to [default: every project]
    #[arg(long, value_name = "PROJECT")]
    project: Option<ProjectId>,
    /// Role: viewer, contributor or admin
    #[arg(long, value_name = "ROLE", default_value = "contributor")]
    role: Role,
    /// Lifetime in days or hours, as in 90d or 12h, or never
    #[arg(long, value_name = "TIME", default_value = "365d")]
    expires: Lifetime,
    #[command(flatten)]
    rows: Rows,
}

#[derive(Debug, clap::Args)]
struct List {
    #[command(flatten)]
    rows: Rows,
}

#[derive(Debug, clap::Args)]
struct Revoke {
    /// ID of the token, as in `syclscope token list`
    #[arg(value_name = "ID")]
    id: Id,
    #[command(flatten)]
    rows: Rows,
}

pub(super) fn run(arguments: Arguments) -> Result<Outcome, CliError> {
    let text = block_on(async {
        match arguments.command {
            TokenCommand::Create(arguments) => {
                let db = arguments.rows.open().await?;
                create(&db, arguments).await
            }
            TokenCommand::List(arguments) => list(&arguments.rows.open().await?).await,
            TokenCommand::Revoke(arguments) => revoke(&arguments.rows.open().await?, &arguments.id).await,
        }
    })?;
    print(&text)
}

async fn create(db: &Db, arguments: Create) -> Result<String, CliError> {
    if !is_name(&arguments.name) {
        return Err(CliError::Name { name: arguments.name });
    }
    let now = now_unix_ns();
    let secret = Secret::random_token().map_err(|error| CliError::Random { error })?;
    let row = TokenRow {
        id: Id::random().map_err(|error| CliError::Random { error })?,
        name: arguments.name,
        secret_sha256: secret.hash().to_hex(),
        project: arguments.project,
        role: arguments.role,
        made_unix_ns: now,
        expires_unix_ns: arguments.expires.end(now),
        revoked_unix_ns: None,
    };
    let mut transaction = db.writing().await?;
    tokens::add(&mut transaction, &row).await.map_err(|error| match (error, &row.project) {
        (DbError::Missing, Some(project)) => CliError::NoSuchProject { project: project.to_string() },
        (error, _) => error.into(),
    })?;
    audit::add(&mut transaction, &line(&row, format!("made, {}", describe(&row)))).await?;
    transaction.commit().await.map_err(DbError::from)?;
    eprintln!("syclscope: token {} for {} ({}). It is shown only once:", row.id, row.name, describe(&row));
    Ok(secret.expose().to_owned())
}

async fn list(db: &Db) -> Result<String, CliError> {
    let now = now_unix_ns();
    let rows = tokens::all(&mut *db.reading().await?).await?;
    let mut lines = vec![
        "id                          state    made        ends        role         project       name"
            .to_owned(),
    ];
    for row in rows {
        let state = match (row.revoked_unix_ns, row.is_valid_at(now)) {
            (Some(_), _) => "revoked",
            (None, false) => "expired",
            (None, true) => "valid",
        };
        let end = row.expires_unix_ns.map_or_else(|| "never".to_owned(), date);
        let project = row.project.as_ref().map_or("(every)", ProjectId::as_str);
        let (made, role) = (date(row.made_unix_ns), row.role.name());
        lines.push(format!(
            "{}  {state:<7}  {made:<10}  {end:<10}  {role:<11}  {project:<12}  {}",
            row.id, row.name
        ));
    }
    Ok(lines.join("\n"))
}

async fn revoke(db: &Db, id: &Id) -> Result<String, CliError> {
    let mut transaction = db.writing().await?;
    let row = tokens::find(&mut transaction, id).await?.ok_or(CliError::NoSuchToken)?;
    let was_good = tokens::revoke(&mut transaction, id, now_unix_ns()).await?;
    if was_good {
        audit::add(&mut transaction, &line(&row, "revoked".to_owned())).await?;
    }
    transaction.commit().await.map_err(DbError::from)?;
    Ok(format!("revoked token {id} of {}", row.name))
}

fn describe(row: &TokenRow) -> String {
    let place = row
        .project
        .as_ref()
        .map_or_else(|| "every project".to_owned(), |project| format!("project {project}"));
    let end =
        row.expires_unix_ns.map_or_else(|| "no expiry".to_owned(), |end| format!("until {}", date(end)));
    format!("{} in {place}, {end}", row.role)
}

/// Returns an audit entry as [`Principal::Account`], since no server has authenticated the user.
fn line(row: &TokenRow, detail: String) -> AuditEntry {
    let project = row.project.as_ref().map(ProjectId::as_str);
    let detail = format!("token of {}: {detail}", row.name);
    change(&Principal::Account, Action::ChangeMembers, project, row.id.as_str(), Some(detail))
}

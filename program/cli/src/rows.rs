//! The database of a server, for commands that work beside it.

use std::path::PathBuf;

use super::CliError;
use syclscope_server::db::Db;

#[derive(Debug, clap::Args)]
pub(super) struct Rows {
    /// The server's data folder
    #[arg(long, value_name = "DIR", required_unless_present = "database")]
    data: Option<PathBuf>,
    /// The server's database, if it is not in the folder: postgres://USER@HOST/NAME
    #[arg(long, value_name = "URL")]
    database: Option<String>,
}

impl Rows {
    /// Opens the database, with the tables that this program knows.
    ///
    /// # Errors
    /// When it can't be reached, or the folder is not there: a name that was mistyped must not become a new server's.
    pub(super) async fn open(&self) -> Result<Db, CliError> {
        let db = match (&self.database, &self.data) {
            (Some(address), _) => Db::open(address).await?,
            (None, Some(folder)) if !folder.is_dir() => {
                return Err(CliError::MissingFolder { path: folder.clone() });
            }
            (None, Some(folder)) => Db::in_folder(folder).await?,
            (None, None) => return Err(CliError::NoDatabase),
        };
        db.migrate().await?;
        Ok(db)
    }
}

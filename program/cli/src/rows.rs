//! The database of a server, for commands that work on it directly.

use std::path::PathBuf;

use super::CliError;
use super::storage_args::COPIES;
use syclscope_server::db::{Db, FILE};

#[derive(Debug, clap::Args)]
pub(super) struct Rows {
    /// The server's data folder
    #[arg(long, value_name = "DIR", required_unless_present = "database")]
    data: Option<PathBuf>,
    /// The server's database, if it is not in the folder: postgres://USER@HOST/NAME
    #[arg(long, value_name = "URL", env = "SYCLSCOPE_DATABASE", hide_env_values = true)]
    database: Option<String>,
}

impl Rows {
    /// Opens the database, and makes its tables if there are none.
    ///
    /// # Errors
    /// Returns an error if the database can't be reached or is of another version, if the folder does not exist (a
    /// mistyped name must not create a new server's folder), or if it is a replica's, which has copies of files but no
    /// database.
    pub(super) async fn open(&self) -> Result<Db, CliError> {
        let db = match (&self.database, &self.data) {
            (Some(address), _) => Db::open(address).await?,
            (None, Some(folder)) if !folder.is_dir() => {
                return Err(CliError::MissingFolder { path: folder.clone() });
            }
            (None, Some(folder)) if folder.join(COPIES).is_dir() && !folder.join(FILE).is_file() => {
                return Err(CliError::NoServerHere { path: folder.clone() });
            }
            (None, Some(folder)) => Db::in_folder(folder).await?,
            (None, None) => return Err(CliError::NoDatabase),
        };
        db.prepare().await?;
        Ok(db)
    }
}

//! Where a server keeps traces and what it knows of them: options, and how they become a storage.

use std::path::PathBuf;

use super::CliError;
use crate::db::Db;
#[cfg(feature = "team")]
use crate::db::Kind;
use crate::storage::{DataFolder, Hosted};
#[cfg(feature = "team")]
use crate::storage::{Folder, Local, OpenError, Remote, Store};

/// Heading of the options.
const PLACES: &str = "Where traces are";

#[derive(Debug, clap::Args)]
pub(super) struct Keeping {
    /// Folder for traces and for what the server knows of them; created if it doesn't exist [default:
    /// ~/.local/share/syclscope]
    #[arg(long, value_name = "DIR", help_heading = PLACES)]
    data: Option<PathBuf>,
    /// Keep the traces in a store that several servers share: s3://BUCKET/PREFIX, az://CONTAINER/PREFIX, gs://BUCKET/PREFIX
    /// or file:///FOLDER. Keys and other settings are in the environment: AWS_…, AZURE_…, GOOGLE_…
    #[cfg(feature = "team")]
    #[arg(long, value_name = "ADDRESS", env = "SYCLSCOPE_STORE", help_heading = PLACES)]
    store: Option<String>,
    /// Keep what the server knows of them in a database that several servers share: postgres://USER@HOST/NAME
    #[cfg(feature = "team")]
    #[arg(long, value_name = "ADDRESS", env = "SYCLSCOPE_DATABASE", hide_env_values = true, help_heading = PLACES)]
    database: Option<String>,
    /// Bytes of a store's files that DIR keeps copies of
    #[cfg(feature = "team")]
    #[arg(long, value_name = "N", default_value_t = 20 << 30, help_heading = PLACES)]
    local_cache_bytes: u64,
    /// Largest upload in bytes
    #[arg(long, value_name = "N", default_value_t = 4 << 30)]
    max_upload_bytes: u64,
}

impl Keeping {
    /// Opens what the options name. Also returns messages about traces that can't be read.
    #[cfg(not(feature = "team"))]
    pub(super) async fn open(&self) -> Result<(Hosted, Vec<String>), CliError> {
        let folder = DataFolder::open(&self.folder()?)?;
        let db = Db::in_folder(folder.path()).await?;
        db.migrate().await?;
        Ok(Hosted::in_folder(folder, db, self.max_upload_bytes).await?)
    }

    /// Opens what the options name. Also returns messages about traces that can't be read.
    #[cfg(feature = "team")]
    pub(super) async fn open(&self) -> Result<(Hosted, Vec<String>), CliError> {
        let data = self.folder()?;
        let (folder, db) = match &self.database {
            None => {
                let folder = DataFolder::open(&data)?;
                let db = Db::in_folder(folder.path()).await?;
                (folder, db)
            }
            Some(address) => {
                let db = Db::open(address).await?;
                // Only what holds the traces themselves is shared; a folder of copies is one server's.
                let is_shared = self.store.is_none() && db.kind() == Kind::Postgres;
                (if is_shared { DataFolder::shared(&data)? } else { DataFolder::open(&data)? }, db)
            }
        };
        db.migrate().await?;
        let opened = match &self.store {
            None => Hosted::in_folder(folder, db, self.max_upload_bytes).await,
            Some(address) => {
                let store = self.store(address, &folder)?;
                Hosted::open(folder, db, store, self.max_upload_bytes).await
            }
        };
        Ok(opened?)
    }

    /// The store at an address.
    #[cfg(feature = "team")]
    fn store(&self, address: &str, own: &DataFolder) -> Result<Store, OpenError> {
        let failed = |(path, error)| OpenError::Io { path, error };
        if let Some(path) = address.strip_prefix("file://") {
            return Ok(Store::Folder(Folder::open(path.as_ref(), true).map_err(failed)?));
        }
        let incoming = Folder::open(own.path(), false).map_err(failed)?;
        let copies = own.path().join("copies");
        let local = Local::open(&copies, self.local_cache_bytes).map_err(|error| failed((copies, error)))?;
        let store = Remote::open(address, incoming, local)
            .map_err(|error| OpenError::Store { address: address.to_owned(), reason: error.to_string() })?;
        Ok(Store::Remote(store))
    }

    /// The folder of the options, or the one where this account's programs keep such things.
    fn folder(&self) -> Result<PathBuf, CliError> {
        let of = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let usual = || {
            let data = of("XDG_DATA_HOME").or_else(|| Some(of("HOME")?.join(".local/share")));
            data.map(|data| data.join("syclscope"))
        };
        self.data.clone().or_else(usual).ok_or(CliError::NoFolder)
    }
}

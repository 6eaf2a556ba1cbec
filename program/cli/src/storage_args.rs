//! Options for the storage of a server's traces and database, and the storage that they name.

use std::path::{Path, PathBuf};

use super::CliError;
use syclscope_server::db::Kind;
use syclscope_server::db::{self, Db};
use syclscope_server::storage::{DataFolder, Folder, Hosted, OpenError, Store};
use syclscope_server::storage::{Local, Remote};

const PLACES: &str = "Storage";
/// Folder of a server's copies of objects, in its data folder.
pub(super) const COPIES: &str = "copies";
/// Size limit for copies of a store's objects while a command works.
pub(super) const SCRATCH_BYTES: u64 = 1 << 30;

#[derive(Debug, clap::Args)]
pub(super) struct Keeping {
    #[command(flatten)]
    places: Places,
    /// Largest upload in bytes
    #[arg(long, value_name = "N", default_value_t = 4 << 30)]
    max_upload_bytes: u64,
}

/// Locations of traces and database.
#[derive(Debug, clap::Args)]
pub(super) struct Places {
    /// Folder for traces and database; created if missing [default: ~/.local/share/syclscope]
    #[arg(long, value_name = "DIR", help_heading = PLACES)]
    data: Option<PathBuf>,
    /// Keep the traces in a store that several servers share: s3://BUCKET/PREFIX, az://CONTAINER/PREFIX,
    /// gs://BUCKET/PREFIX or file:///FOLDER. The environment holds keys and other settings: AWS_…, AZURE_…, GOOGLE_…
    #[arg(long, value_name = "ADDRESS", env = "SYCLSCOPE_STORE", help_heading = PLACES)]
    store: Option<String>,
    /// Use a database that several servers share: postgres://USER@HOST/NAME
    #[arg(long, value_name = "ADDRESS", env = "SYCLSCOPE_DATABASE", hide_env_values = true, help_heading = PLACES)]
    database: Option<String>,
    /// Size limit of the local object cache in DIR, in bytes
    #[arg(long, value_name = "N", default_value_t = 20 << 30, help_heading = PLACES)]
    local_cache_bytes: u64,
}

impl Keeping {
    /// Opens the storage. Also returns messages about unreadable traces.
    pub(super) async fn open(&self) -> Result<(Hosted, Vec<String>), CliError> {
        self.places.open(self.max_upload_bytes, true).await
    }
}

impl Places {
    /// Opens the storage. A folder with its own database is opened for this process alone. Tables of an older version
    /// are an error, unless this process is a server, which migrates them. Also returns messages about unreadable
    /// traces.
    pub(super) async fn open(
        &self,
        max_upload_bytes: u64,
        is_server: bool,
    ) -> Result<(Hosted, Vec<String>), CliError> {
        let data = self.folder()?;
        let (folder, db) = match &self.database {
            None => {
                let folder = DataFolder::open(&data)?;
                let db = Db::in_folder(folder.path()).await?;
                (folder, db)
            }
            Some(address) => {
                let db = Db::open(address).await?;
                // A folder with the traces themselves may be shared; a folder of cached copies belongs to one
                // server.
                let is_shared = self.store.is_none() && db.kind() == Kind::Postgres;
                (if is_shared { DataFolder::shared(&data)? } else { DataFolder::open(&data)? }, db)
            }
        };
        if is_server {
            db.migrate().await?;
        } else {
            db.prepare().await?;
        }
        let opened = match &self.store {
            None => Hosted::in_folder(folder, db, max_upload_bytes).await,
            Some(address) => {
                let store = store_at(address, folder.path(), self.local_cache_bytes)?;
                Hosted::open(folder, db, store, max_upload_bytes).await
            }
        };
        Ok(opened?)
    }

    /// Opens the database and store of a possibly running server. Objects of a store are copied into
    /// `scratch`.
    pub(super) async fn beside(&self, scratch: &Path) -> Result<(Db, Store), CliError> {
        let data = self.folder()?;
        let (database, store) = self.shared();
        let db = match database {
            Some(address) => Db::open(address).await?,
            None if data.join(db::FILE).is_file() => Db::in_folder(&data).await?,
            None => return Err(CliError::NoServerHere { path: data }),
        };
        db.prepare().await?;
        let store = match store {
            Some(address) => store_at(address, scratch, SCRATCH_BYTES)?,
            None => Store::Folder(Folder::open(&data, true).map_err(failed)?),
        };
        Ok((db, store))
    }

    fn shared(&self) -> (Option<&str>, Option<&str>) {
        (self.database.as_deref(), self.store.as_deref())
    }

    /// Returns the folder of the options, or the default folder of this account.
    fn folder(&self) -> Result<PathBuf, CliError> {
        let of = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let usual = || {
            let data = of("XDG_DATA_HOME").or_else(|| Some(of("HOME")?.join(".local/share")));
            data.map(|data| data.join("syclscope"))
        };
        self.data.clone().or_else(usual).ok_or(CliError::NoFolder)
    }
}

/// Opens a folder or store by address: `file:///FOLDER`, `s3://BUCKET/PREFIX` and the like, or a path. `own`
/// is a folder of this process, in which copies of objects take up to `copies_bytes`.
pub(super) fn store_at(address: &str, own: &Path, copies_bytes: u64) -> Result<Store, OpenError> {
    let path = match address.split_once("://") {
        None => Some(address),
        Some(("file", path)) => Some(path),
        Some(_) => None,
    };
    match path {
        Some(path) => Ok(Store::Folder(Folder::open(path.as_ref(), true).map_err(failed)?)),
        None => objects_at(address, own, copies_bytes),
    }
}

fn objects_at(address: &str, own: &Path, copies_bytes: u64) -> Result<Store, OpenError> {
    let incoming = Folder::open(own, false).map_err(failed)?;
    let copies = own.join(COPIES);
    let local = Local::open(&copies, copies_bytes).map_err(|error| failed((copies, error)))?;
    let store = Remote::open(address, incoming, local)
        .map_err(|error| OpenError::Store { address: address.to_owned(), reason: error.to_string() })?;
    Ok(Store::Remote(store))
}

fn failed((path, error): (PathBuf, std::io::Error)) -> OpenError {
    OpenError::Io { path, error }
}

//! Where the bytes of traces are: a plain folder, used in place, or a store of objects, of which a local folder keeps copies.
//!
//! Of each trace there is `traces/ID/{trace.bin, meta.json, derived-….arrow}`, of an upload in parts `uploads/ID/NUMBER`.

mod folder;
mod local;
mod remote;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use syclscope_engine::tables::derived;

pub use self::folder::Folder;
pub use self::local::Local;
pub use self::remote::Remote;
use super::{LocalFile, StorageError, TraceId, Upload};

/// What the names of derived files begin with.
const DERIVED: &str = "derived";

/// What the import computed, beside the original. Builds that can't read each other's have different names for it, so that
/// an old and a new copy of the server can work side by side.
pub fn derived_file() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| format!("{DERIVED}-{}.arrow", derived::version()))
}

/// The bytes of traces.
#[derive(Debug)]
pub enum Store {
    /// A plain folder.
    Folder(Folder),
    /// A store of objects.
    Remote(Remote),
}

/// What there is of a trace in the store, for those that look after it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// The description.
    pub(super) meta: Option<Vec<u8>>,
    /// When its youngest file was written, ns since 1970-01-01 UTC.
    pub(super) written_unix_ns: u64,
}

/// Calls the same method of whichever store it is.
macro_rules! whichever {
    ($store:expr, $name:ident => $call:expr) => {
        match $store {
            Store::Folder($name) => $call.await,
            Store::Remote($name) => $call.await,
        }
    };
}

impl Store {
    /// The folder where what comes in is put together.
    pub(super) fn incoming(&self) -> PathBuf {
        match self {
            Self::Folder(folder) => folder.incoming(),
            Self::Remote(remote) => remote.incoming(),
        }
    }

    /// The plain folder, if it is one.
    pub(super) fn plain_folder(&self) -> Option<&Folder> {
        match self {
            Self::Folder(folder) => Some(folder),
            Self::Remote(_) => None,
        }
    }

    /// Whether the store answers.
    pub(super) async fn check(&self) -> Result<(), StorageError> {
        match self {
            Self::Folder(folder) => folder.check().await,
            Self::Remote(remote) => remote.check().await,
        }
    }

    /// Removes what servers that have ended left behind, but nothing that a running one may be working on.
    pub(super) async fn clear(&self) -> Result<(), StorageError> {
        whichever!(self, store => store.clear())
    }

    /// Takes a folder of [`Self::incoming`] with a trace's files. When this returns they are safe. What is there already
    /// stays.
    pub(super) async fn keep(&self, id: &TraceId, folder: &Path) -> Result<(), StorageError> {
        whichever!(self, store => store.keep(id, folder))
    }

    /// A trace's original.
    pub(super) async fn original(&self, id: &TraceId) -> Result<LocalFile, StorageError> {
        whichever!(self, store => store.original(id))
    }

    /// A trace's derived file, if there is one and its original is there too.
    pub(super) async fn derived(&self, id: &TraceId) -> Result<Option<LocalFile>, StorageError> {
        whichever!(self, store => store.derived(id))
    }

    /// Takes a trace's new derived file out of [`Self::incoming`].
    pub(super) async fn put_derived(&self, id: &TraceId, file: &Path) -> Result<(), StorageError> {
        whichever!(self, store => store.put_derived(id, file))
    }

    /// Removes a trace's derived file, which is no good.
    pub(super) async fn remove_derived(&self, id: &TraceId) -> Result<(), StorageError> {
        whichever!(self, store => store.remove_derived(id))
    }

    /// Removes all there is of a trace.
    pub(super) async fn remove(&self, id: &TraceId) -> Result<(), StorageError> {
        whichever!(self, store => store.remove(id))
    }

    /// Every trace of which there is something.
    pub(super) async fn traces(&self) -> Result<Vec<TraceId>, StorageError> {
        whichever!(self, store => store.traces())
    }

    /// What there is of a trace.
    pub(super) async fn look(&self, id: &TraceId) -> Result<Found, StorageError> {
        whichever!(self, store => store.look(id))
    }

    /// Takes a part of an upload out of [`Self::incoming`].
    pub(super) async fn put_part(
        &self,
        upload: &TraceId,
        number: u64,
        file: &Path,
    ) -> Result<(), StorageError> {
        whichever!(self, store => store.put_part(upload, number, file))
    }

    /// Appends a part of an upload to what is put together.
    pub(super) async fn append_part(
        &self,
        upload: &TraceId,
        number: u64,
        whole: &mut Upload,
    ) -> Result<(), StorageError> {
        whichever!(self, store => store.append_part(upload, number, whole))
    }

    /// Takes a file that belongs to no trace out of [`Self::incoming`].
    pub(super) async fn put_file(&self, name: &str, file: &Path) -> Result<(), StorageError> {
        whichever!(self, store => store.put_file(name, file))
    }

    /// Copies a file that belongs to no trace to a place where there is none yet.
    pub(super) async fn get_file(&self, name: &str, to: &Path) -> Result<(), StorageError> {
        whichever!(self, store => store.get_file(name, to))
    }

    /// Removes all parts of an upload.
    pub(super) async fn remove_parts(&self, upload: &TraceId) -> Result<(), StorageError> {
        whichever!(self, store => store.remove_parts(upload))
    }
}

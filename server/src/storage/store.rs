//! Stores of the bytes of traces: a plain folder, used in place, or an object store with a local cache.
//!
//! A trace has `traces/ID/{trace.bin, meta.json, derived-….arrow}`, an upload in parts `uploads/ID/NUMBER`.

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

/// Prefix of derived files.
const DERIVED: &str = "derived";

/// Result of the import, beside the original. Incompatible builds have different names for it, so that an old and a new
/// copy of the server can work side by side.
pub fn derived_file() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| format!("{DERIVED}-{}.arrow", derived::version()))
}

/// The bytes of traces.
#[derive(Debug)]
pub enum Store {
    /// A plain folder.
    Folder(Folder),
    /// An object store.
    Remote(Remote),
}

/// A trace's state in the store, for maintenance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct StoredState {
    pub(super) meta: Option<Vec<u8>>,
    /// Modification time of its youngest file, ns since 1970-01-01 UTC.
    pub(super) written_unix_ns: u64,
}

/// Calls the same method on either store.
macro_rules! whichever {
    ($store:expr, $name:ident => $call:expr) => {
        match $store {
            Store::Folder($name) => $call.await,
            Store::Remote($name) => $call.await,
        }
    };
}

impl Store {
    /// Folder of incoming files.
    pub(super) fn incoming(&self) -> PathBuf {
        match self {
            Self::Folder(folder) => folder.incoming(),
            Self::Remote(remote) => remote.incoming(),
        }
    }

    pub(super) fn plain_folder(&self) -> Option<&Folder> {
        match self {
            Self::Folder(folder) => Some(folder),
            Self::Remote(_) => None,
        }
    }

    /// Checks that the store responds.
    pub(super) async fn check(&self) -> Result<(), StorageError> {
        match self {
            Self::Folder(folder) => folder.check().await,
            Self::Remote(remote) => remote.check().await,
        }
    }

    /// Removes leftovers of servers that have ended, but nothing that a running one may be working on.
    pub(super) async fn clear(&self) -> Result<(), StorageError> {
        whichever!(self, store => store.clear())
    }

    /// Stores a folder of [`Self::incoming`] with a trace's files, durably. An existing trace is kept.
    pub(super) async fn keep(&self, id: &TraceId, folder: &Path) -> Result<(), StorageError> {
        whichever!(self, store => store.keep(id, folder))
    }

    pub(super) async fn original(&self, id: &TraceId) -> Result<LocalFile, StorageError> {
        whichever!(self, store => store.original(id))
    }

    /// A trace's derived file, if it and its original exist.
    pub(super) async fn derived(&self, id: &TraceId) -> Result<Option<LocalFile>, StorageError> {
        whichever!(self, store => store.derived(id))
    }

    /// Stores a trace's new derived file from [`Self::incoming`].
    pub(super) async fn put_derived(&self, id: &TraceId, file: &Path) -> Result<(), StorageError> {
        whichever!(self, store => store.put_derived(id, file))
    }

    /// Removes a trace's invalid derived file.
    pub(super) async fn remove_derived(&self, id: &TraceId) -> Result<(), StorageError> {
        whichever!(self, store => store.remove_derived(id))
    }

    pub(super) async fn remove(&self, id: &TraceId) -> Result<(), StorageError> {
        whichever!(self, store => store.remove(id))
    }

    /// Every trace with any file.
    pub(super) async fn traces(&self) -> Result<Vec<TraceId>, StorageError> {
        whichever!(self, store => store.traces())
    }

    pub(super) async fn look(&self, id: &TraceId) -> Result<StoredState, StorageError> {
        whichever!(self, store => store.look(id))
    }

    /// Stores a part of an upload from [`Self::incoming`].
    pub(super) async fn put_part(
        &self,
        upload: &TraceId,
        number: u64,
        file: &Path,
    ) -> Result<(), StorageError> {
        whichever!(self, store => store.put_part(upload, number, file))
    }

    /// Appends a part of an upload to the assembled file.
    pub(super) async fn append_part(
        &self,
        upload: &TraceId,
        number: u64,
        whole: &mut Upload,
    ) -> Result<(), StorageError> {
        whichever!(self, store => store.append_part(upload, number, whole))
    }

    /// Stores a file that belongs to no trace from [`Self::incoming`].
    pub(super) async fn put_file(&self, name: &str, file: &Path) -> Result<(), StorageError> {
        whichever!(self, store => store.put_file(name, file))
    }

    /// Copies a file that belongs to no trace to a new path.
    pub(super) async fn get_file(&self, name: &str, to: &Path) -> Result<(), StorageError> {
        whichever!(self, store => store.get_file(name, to))
    }

    /// Removes all parts of an upload.
    pub(super) async fn remove_parts(&self, upload: &TraceId) -> Result<(), StorageError> {
        whichever!(self, store => store.remove_parts(upload))
    }
}

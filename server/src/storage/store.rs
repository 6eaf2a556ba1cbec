//! Stores of the bytes of traces: a plain folder, used in place, or an object store with a local cache.
//!
//! A trace has `traces/ID/{trace.bin, meta.json, derived-….arrow}`, an upload in parts `uploads/ID/NUMBER`.

mod folder;
mod local;
mod remote;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use syclscope_engine::tables::derived;

pub use self::folder::Folder;
pub use self::local::Local;
pub use self::remote::Remote;
use super::{LocalFile, StorageError, TraceId, Upload};

const DERIVED: &str = "derived";

/// Returns the name of the derived file. It differs between incompatible builds, so that an old and a new
/// replica can run side by side.
pub fn derived_file() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| format!("{DERIVED}-{}.arrow", derived::version()))
}

#[derive(Debug)]
pub enum Store {
    Folder(Folder),
    Remote(Remote),
}

/// A trace's state in the store, for maintenance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct StoredState {
    pub(super) meta: Option<Vec<u8>>,
    /// Modification time of its newest file, ns since 1970-01-01 UTC.
    pub(super) written_unix_ns: u64,
}

/// Defines methods that call the folder or the remote store.
macro_rules! either {
    ($($(#[$doc:meta])* fn $name:ident($($value:ident: $type:ty),*) -> $answer:ty;)+) => {$(
        $(#[$doc])*
        pub(super) async fn $name(&self, $($value: $type),*) -> Result<$answer, StorageError> {
            match self {
                Self::Folder(folder) => folder.$name($($value),*).await,
                Self::Remote(remote) => remote.$name($($value),*).await,
            }
        }
    )+};
}

impl Store {
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

    either! {
        /// Checks that the store responds.
        fn check() -> ();
        /// Removes leftovers of servers that have ended, but nothing that a running one may be working on.
        fn clear() -> ();
        /// Durably stores a folder of [`Self::incoming`] with a trace's files. A plain folder keeps an
        /// existing trace unchanged; an object store writes its files again.
        fn put(id: &TraceId, folder: &Path) -> ();
        fn original(id: &TraceId) -> LocalFile;
        /// True if a trace's files are complete. Fetches none.
        fn has(id: &TraceId) -> bool;
        /// Returns a trace's derived file, if there is one; a plain folder also requires the original.
        fn derived(id: &TraceId) -> Option<LocalFile>;
        /// Stores a trace's new derived file from [`Self::incoming`].
        fn put_derived(id: &TraceId, file: &Path) -> ();
        /// Removes a trace's invalid derived file.
        fn remove_derived(id: &TraceId) -> ();
        fn remove(id: &TraceId) -> ();
        /// Removes this server's copies of other traces, which other servers have deleted.
        fn keep_copies_of(ids: &HashSet<TraceId>) -> ();
        /// Returns every trace with any file.
        fn traces() -> Vec<TraceId>;
        fn state(id: &TraceId) -> StoredState;
        /// Stores a part of an upload from [`Self::incoming`].
        fn put_part(upload: &TraceId, number: u64, file: &Path) -> ();
        /// Appends a part of an upload to the assembled file.
        fn append_part(upload: &TraceId, number: u64, whole: &mut Upload) -> ();
        /// Moves a file from [`Self::incoming`] into the store; it belongs to no trace.
        fn put_file(name: &str, file: &Path) -> ();
        /// Copies a file of `put_file` to `to`.
        fn get_file(name: &str, to: &Path) -> ();
        fn remove_parts(upload: &TraceId) -> ();
        /// Returns every upload with any part.
        fn uploads() -> Vec<TraceId>;
    }
}

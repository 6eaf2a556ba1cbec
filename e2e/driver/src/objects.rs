//! The objects behind handles. Invalid handles, handles of another kind and released ones are errors.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use crate::answer::Code;
use crate::log::Line;

/// A handle: the address of the object.
pub(crate) type Handle = usize;

type Object = Arc<dyn Any + Send + Sync>;

static ALIVE: RwLock<BTreeMap<Handle, Object>> = RwLock::new(BTreeMap::new());

/// Creates a handle of an object.
pub(crate) fn give<T: Any + Send + Sync>(object: Arc<T>) -> Handle {
    let handle = Arc::as_ptr(&object) as Handle;
    ALIVE.write().unwrap_or_else(PoisonError::into_inner).insert(handle, object);
    handle
}

/// Returns the object behind a handle.
pub(crate) fn get<T: Any + Send + Sync>(handle: Handle) -> Result<Arc<T>, Code> {
    let found = ALIVE.read().unwrap_or_else(PoisonError::into_inner).get(&handle).cloned();
    of_kind(handle, found)
}

/// Returns the object behind a handle; nothing for a null handle.
pub(crate) fn maybe<T: Any + Send + Sync>(handle: Handle) -> Result<Option<Arc<T>>, Code> {
    if handle == 0 { Ok(None) } else { get(handle).map(Some) }
}

/// Returns the objects behind several handles.
pub(crate) fn all<T: Any + Send + Sync>(handles: &[Handle]) -> Result<Vec<Arc<T>>, Code> {
    handles.iter().map(|handle| get(*handle)).collect()
}

/// Releases a handle and returns its object.
pub(crate) fn take<T: Any + Send + Sync>(handle: Handle) -> Result<Arc<T>, Code> {
    let object = get(handle)?;
    ALIVE.write().unwrap_or_else(PoisonError::into_inner).remove(&handle);
    Ok(object)
}

fn of_kind<T: Any + Send + Sync>(handle: Handle, found: Option<Object>) -> Result<Arc<T>, Code> {
    if handle == 0 {
        return Err(Code::INVALID_NULL_HANDLE);
    }
    found.and_then(|object| object.downcast().ok()).ok_or_else(|| {
        Line::new("misuse").number("handle", handle as u64).text("wanted", std::any::type_name::<T>()).end();
        Code::INVALID_ARGUMENT
    })
}

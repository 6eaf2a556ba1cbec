//! Details of the selection.

use syclscope_language::api::{ObjectHistory, SliceDetail};

use crate::data::client::ClientError;

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Detail {
    /// No selection, or no details to load.
    #[default]
    None,
    Loading,
    Slice(Box<SliceDetail>),
    /// A buffer, an image or an allocation, with its history.
    Object(Box<ObjectHistory>),
    Missing,
    Failed(ClientError),
}

use syclscope_language::api::{ObjectHistory, SliceDetail};

use crate::data::client::ClientError;

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Detail {
    /// No selection, or no details to load.
    #[default]
    None,
    Loading,
    Slice(Box<SliceDetail>),
    Object(Box<ObjectHistory>),
    Missing,
    Failed(ClientError),
}

//! What is known of the selected thing.

use syclscope_language::api::{ObjectHistory, SliceDetail};

use crate::data::client::ClientError;

/// What is known of the selected thing beside the selection itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Detail {
    /// Nothing is selected, or nothing more has to be asked.
    #[default]
    None,
    /// It is asked for.
    Loading,
    Slice(Box<SliceDetail>),
    /// A buffer, an image or an allocation, with what happened to it.
    Object(Box<ObjectHistory>),
    /// The trace has no such thing.
    Missing,
    /// There is no answer, and why.
    Failed(ClientError),
}

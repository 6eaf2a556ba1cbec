//! What pages do beside drawing: listening to keys, asking questions.

pub(crate) mod answer;
pub(crate) mod keys;
pub(crate) mod size;
pub(crate) mod turn;

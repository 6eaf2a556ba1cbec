//! One file for each action.

pub(crate) mod answer;
pub(crate) mod health;
pub(crate) mod page;

/// Actions on traces.
pub(crate) mod traces {
    pub(crate) mod delete;
    pub(crate) mod export;
    pub(crate) mod file;
    pub(crate) mod info;
    pub(crate) mod list;
    pub(crate) mod overview;
    pub(crate) mod question;
    pub(crate) mod upload;
}

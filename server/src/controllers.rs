//! One file for each action.

pub(crate) mod answer;
mod body;
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

/// Actions on uploads in parts.
pub(crate) mod uploads {
    pub(crate) mod begin;
    pub(crate) mod cancel;
    pub(crate) mod complete;
    pub(crate) mod part;
    pub(crate) mod show;
}

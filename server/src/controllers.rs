//! One file for each action.

pub(crate) mod answer;
pub(crate) mod audit;
mod body;
pub(crate) mod compare;
pub(crate) mod health;
pub(crate) mod history;
pub(crate) mod latest;
pub(crate) mod me;
pub(crate) mod metrics;
pub(crate) mod openapi;
pub(crate) mod page;
pub(crate) mod ready;
pub(crate) mod sign_in;
pub(crate) mod sign_out;

/// Actions on comments.
pub(crate) mod comments {
    mod changes;
    pub(crate) mod delete;
    pub(crate) mod edit;
    pub(crate) mod events;
    pub(crate) mod list;
    pub(crate) mod make;
    pub(crate) mod mentions;
    mod own;
}

/// Actions on links to traces.
pub(crate) mod links {
    pub(crate) mod list;
    pub(crate) mod make;
    pub(crate) mod withdraw;
}

/// Actions on the members of a project.
pub(crate) mod members {
    pub(crate) mod list;
    pub(crate) mod remove;
    pub(crate) mod set;
}

/// Actions on projects.
pub(crate) mod projects {
    pub(crate) mod change;
    pub(crate) mod history;
    pub(crate) mod labels;
    pub(crate) mod list;
    pub(crate) mod show;
    pub(crate) mod trends;
}

/// Actions on traces.
pub(crate) mod traces {
    pub(crate) mod cleaned;
    pub(crate) mod compare;
    mod copying;
    pub(crate) mod delete;
    pub(crate) mod export;
    pub(crate) mod file;
    pub(crate) mod info;
    pub(crate) mod label;
    pub(crate) mod list;
    pub(crate) mod overview;
    pub(super) mod part;
    pub(crate) mod pin;
    pub(crate) mod question;
    pub(crate) mod shown;
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

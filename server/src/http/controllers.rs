//! One file per action.

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
pub(crate) mod tries;

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

pub(crate) mod links {
    pub(crate) mod list;
    pub(crate) mod make;
    pub(crate) mod withdraw;
}

pub(crate) mod members {
    pub(crate) mod list;
    pub(crate) mod remove;
    pub(crate) mod set;
}

pub(crate) mod projects {
    pub(crate) mod change;
    pub(crate) mod history;
    pub(crate) mod labels;
    pub(crate) mod list;
    pub(crate) mod show;
    pub(crate) mod trends;
}

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

pub(crate) mod uploads {
    pub(crate) mod begin;
    pub(crate) mod cancel;
    pub(crate) mod complete;
    pub(crate) mod part;
    pub(crate) mod show;
}

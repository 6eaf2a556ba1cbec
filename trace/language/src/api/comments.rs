//! Comments about a trace and its entities.

use serde::{Deserialize, Serialize};

use crate::entity::Entity;

/// The answer to `GET /api/v1/traces/{id}/comments`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comments {
    /// Comments of the trace, oldest first. Deleted ones stay in the list for a while, without their text.
    pub comments: Vec<CommentEntry>,
    /// Number of the last change included; later changes are at `comments/events?after=`.
    pub change: u64,
    /// True if the server stores comments; a server that shows its user's local files stores none.
    #[serde(default)]
    pub is_kept: bool,
    /// The name under which the client comments; `None` if it has no name.
    pub name: Option<String>,
    /// True if the client may comment.
    pub may_comment: bool,
    /// True if the client may change and delete comments of others.
    pub may_moderate: bool,
}

/// A comment, or a bookmark: one without a text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommentEntry {
    /// Key in addresses.
    pub id: String,
    /// The comment that it replies to, which is not a reply itself.
    pub reply_to: Option<String>,
    /// Subject of the comment, inherited by replies; `None` for the whole trace.
    pub pin: Option<Entity>,
    /// Title of the subject, as its author saw it.
    pub about: Option<String>,
    /// Plain text; empty for a bookmark, and for a deleted comment.
    pub text: String,
    /// Names after an `@` in the text that belong to users of the server.
    pub mentions: Vec<String>,
    /// Author; `None` without a name.
    pub by: Option<String>,
    /// Time of its creation, ns since 1970-01-01 UTC.
    pub made_unix_ns: u64,
    /// Time of the last change of its text.
    pub edited_unix_ns: Option<u64>,
    /// True if it was deleted.
    pub is_deleted: bool,
    /// Number of its last change, greater than the number of every earlier change to any comment.
    pub change: u64,
}

/// The body of `POST /api/v1/traces/{id}/comments`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewComment {
    /// Subject; `None` for the whole trace, and for a reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pin: Option<Entity>,
    /// Title of the subject, in one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// Id of the parent comment; `None` for a new thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// Plain text; empty for a bookmark.
    #[serde(default)]
    pub text: String,
}

/// The body of `PUT /api/v1/traces/{id}/comments/{comment}`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangedComment {
    /// New text.
    pub text: String,
}

/// A comment that mentions the requesting user: a line of `GET /api/v1/mentions`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mention {
    /// The trace's id.
    pub trace: String,
    /// The trace's name.
    pub trace_name: String,
    /// The comment.
    pub comment: CommentEntry,
}

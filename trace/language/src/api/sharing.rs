//! Access to traces, and share links: messages between the page's dialogs, the command line and the server.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Role in a project. Each role includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// May view traces.
    Viewer,
    /// May also add traces and share them.
    Contributor,
    /// May also delete other users' traces, and manage members.
    Admin,
}

impl Role {
    /// Every role, lowest first.
    pub const ALL: [Self; 3] = [Self::Viewer, Self::Contributor, Self::Admin];

    /// Returns its name in addresses, tables and command lines.
    pub fn name(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Contributor => "contributor",
            Self::Admin => "admin",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Error: the text is not a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotARole;

impl fmt::Display for NotARole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("invalid role: expected viewer, contributor or admin")
    }
}

impl std::error::Error for NotARole {}

impl FromStr for Role {
    type Err = NotARole;

    fn from_str(text: &str) -> Result<Self, NotARole> {
        Self::ALL.into_iter().find(|role| role.name() == text).ok_or(NotARole)
    }
}

/// The requesting client: the answer to `GET /api/v1/me`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Me {
    /// Method of authentication: `account`, `everybody`, `token`, `person`, `link` or `nobody`.
    pub kind: String,
    /// Its name; `None` if it has no name.
    pub name: Option<String>,
    /// Its roles, by project.
    pub roles: Vec<ProjectRole>,
    /// Permissions beyond single projects and traces, as names of actions.
    pub may: Vec<String>,
}

/// A role in a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectRole {
    /// The project's id.
    pub project: String,
    /// The role.
    pub role: Role,
}

/// A member of a project: a line of `GET /api/v1/projects/{project}/members`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberEntry {
    /// The name with which the user signs in; `*` means every signed-in user.
    pub name: String,
    /// The role.
    pub role: Role,
}

/// The body of `PUT /api/v1/projects/{project}/members/{name}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewMember {
    /// The role.
    pub role: Role,
}

/// The body of `POST /api/v1/traces/{id}/links`. Missing fields are no limits; unknown fields are rejected, because a
/// misspelt limit would otherwise be ignored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewLink {
    /// Purpose of the link, in its creator's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Time of expiry, ns since 1970-01-01 UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_unix_ns: Option<u64>,
    /// Maximum number of openings. A browser that has opened it may do so again for twelve hours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub openings: Option<u32>,
    /// The only part of the trace that it shows. The server creates a copy of that part, and the link shows the copy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<LinkRange>,
}

/// A part of a trace's time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkRange {
    /// Start, ns from the trace's start.
    pub start_ns: u64,
    /// End, exclusive.
    pub end_ns: u64,
}

/// The answer to a [`NewLink`]. Only here does the server reveal the link's address; it stores a hash of the address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadeLink {
    /// The link, without its secret.
    pub link: LinkEntry,
    /// Its address, from the folder that serves the page (`s/SECRET/t/ID`); the page's parameters for a view are
    /// appended to it.
    pub address: String,
}

/// A link: a line of `GET /api/v1/traces/{id}/links`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkEntry {
    /// Key in addresses. It does not give access.
    pub id: String,
    /// Purpose of the link.
    pub name: Option<String>,
    /// User who created it.
    pub made_by: Option<String>,
    /// Time of its creation, ns since 1970-01-01 UTC.
    pub made_unix_ns: u64,
    /// Time of expiry, ns since 1970-01-01 UTC.
    pub expires_unix_ns: Option<u64>,
    /// Maximum number of openings.
    pub openings: Option<u32>,
    /// Number of openings.
    pub opened: u32,
    /// The only part of the trace that it shows.
    pub range: Option<LinkRange>,
    /// State of the link.
    pub state: LinkState,
}

answer_words! {
    /// State of a link.
    LinkState {
        /// It can be opened.
        Open = "open",
        /// It has expired.
        Expired = "expired",
        /// It has reached its maximum number of openings.
        UsedUp = "used_up",
        /// It was revoked.
        Withdrawn = "withdrawn",
    }
}

answer_words! {
    /// Kind of identity behind a name: tokens and users may have the same name.
    IdentityKind {
        /// A user, authenticated by a proxy or an identity provider.
        User = "user",
        /// A token.
        Token = "token",
    }
}

/// A logged change: a line of `GET /api/v1/projects/{project}/audit`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditEntry {
    /// Time of the change, ns since 1970-01-01 UTC.
    pub at_unix_ns: u64,
    /// User; `None` without sign-in.
    pub by: Option<String>,
    /// The kind of that identity; `None` also for rows of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_kind: Option<IdentityKind>,
    /// Action (`upload`, `delete_trace`, `make_link`, …).
    pub action: String,
    /// The affected project.
    pub project: Option<String>,
    /// Id of the changed object: a trace, a link, a token, a member.
    pub subject: String,
    /// Other details, as text.
    pub detail: Option<String>,
}

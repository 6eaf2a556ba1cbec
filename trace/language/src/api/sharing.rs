//! Access to traces, and share links: messages between the page's dialogs, the command line and the server.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Role in a project. Each role includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Looks at traces.
    Viewer,
    /// Also adds traces and shares them.
    Contributor,
    /// Also deletes what others added, and says who is a member.
    Admin,
}

impl Role {
    /// Every role, the least first.
    pub const ALL: [Self; 3] = [Self::Viewer, Self::Contributor, Self::Admin];

    /// Its name in addresses, tables and command lines.
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

/// The text names no role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotARole;

impl fmt::Display for NotARole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a role is viewer, contributor or admin")
    }
}

impl std::error::Error for NotARole {}

impl FromStr for Role {
    type Err = NotARole;

    fn from_str(text: &str) -> Result<Self, NotARole> {
        Self::ALL.into_iter().find(|role| role.name() == text).ok_or(NotARole)
    }
}

/// The client: the answer to `GET /api/v1/me`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Me {
    /// Method of authentication: `account`, `everybody`, `token`, `person`, `link` or `nobody`.
    pub kind: String,
    /// Their name; `None` where they have none.
    pub name: Option<String>,
    /// Their role in each project in which they have one, by project.
    pub roles: Vec<ProjectRole>,
    /// Permissions beyond single projects and traces: names of actions.
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
    /// The name under which they sign in; `*` stands for whoever signs in.
    pub name: String,
    /// Their role.
    pub role: Role,
}

/// The body of `PUT /api/v1/projects/{project}/members/{name}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewMember {
    /// Their role.
    pub role: Role,
}

/// The body of `POST /api/v1/traces/{id}/links`. What is left out does not limit the link; what is misspelt is refused, because
/// a limit that nobody understood would be none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewLink {
    /// Purpose of the link, in its maker's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// When it ends, ns since 1970-01-01 UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_unix_ns: Option<u64>,
    /// Maximum number of openings. Whoever has opened it may look again for twelve hours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub openings: Option<u32>,
    /// The only part of the trace that it shows. The server makes a copy of that part, and the link shows the copy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<LinkRange>,
}

/// A part of a trace's time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkRange {
    /// From when, ns from the trace's start.
    pub start_ns: u64,
    /// Until when; not part of it.
    pub end_ns: u64,
}

/// The answer to a [`NewLink`]: the only time that the server says the link's address, of which it keeps a hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadeLink {
    /// The link, without its secret.
    pub link: LinkEntry,
    /// Its address, from the folder that serves the page (`s/SECRET/t/ID`); the page's own parameters of a view go behind it.
    pub address: String,
}

/// A link: a line of `GET /api/v1/traces/{id}/links`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkEntry {
    /// Key in addresses. It opens nothing.
    pub id: String,
    /// Purpose of the link.
    pub name: Option<String>,
    /// User who made it.
    pub made_by: Option<String>,
    /// When it was made, ns since 1970-01-01 UTC.
    pub made_unix_ns: u64,
    /// When it ends, ns since 1970-01-01 UTC.
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
        /// It opens.
        Open = "open",
        /// Its time is over.
        Expired = "expired",
        /// It was opened as often as it may.
        UsedUp = "used_up",
        /// Somebody took it back.
        Withdrawn = "withdrawn",
    }
}

answer_words! {
    /// The kind of identity of a name: tokens and people may share one.
    IdentityKind {
        /// A person, for whom a proxy or an identity provider vouches.
        User = "user",
        /// A token.
        Token = "token",
    }
}

/// A change that somebody made: a line of `GET /api/v1/projects/{project}/audit`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditEntry {
    /// When, ns since 1970-01-01 UTC.
    pub at_unix_ns: u64,
    /// User; `None` where nobody signs in.
    pub by: Option<String>,
    /// The kind of that identity; `None` also for rows of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_kind: Option<IdentityKind>,
    /// Action (`upload`, `delete_trace`, `make_link`, …).
    pub action: String,
    /// The project in which it was done.
    pub project: Option<String>,
    /// The id of what it was done to: a trace, a link, a token, a member.
    pub subject: String,
    /// Other details, in words.
    pub detail: Option<String>,
}

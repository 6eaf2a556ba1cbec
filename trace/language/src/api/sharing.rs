//! Who may see traces, and links that show one to somebody: what the page's dialogs, the command line and the server say to
//! each other.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What somebody is in a project. Each may what those before it may.
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

/// Who asks: the answer to `GET /api/v1/me`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Me {
    /// How they came in: `account`, `everybody`, `token`, `person`, `link` or `nobody`.
    pub kind: String,
    /// Their name; `None` where they have none.
    pub name: Option<String>,
    /// Their role in each project in which they have one, by project.
    pub roles: Vec<ProjectRole>,
    /// What they may do that is not about one project or trace: names of actions.
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
    /// What the link is for, in the words of who makes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// When it ends, ns since 1970-01-01 UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_unix_ns: Option<u64>,
    /// How often it can be opened. Whoever has opened it may look again for twelve hours.
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
    /// What it is for.
    pub name: Option<String>,
    /// Who made it.
    pub made_by: Option<String>,
    /// When it was made, ns since 1970-01-01 UTC.
    pub made_unix_ns: u64,
    /// When it ends, ns since 1970-01-01 UTC.
    pub expires_unix_ns: Option<u64>,
    /// How often it can be opened.
    pub openings: Option<u32>,
    /// How often it was opened.
    pub opened: u32,
    /// The only part of the trace that it shows.
    pub range: Option<LinkRange>,
    /// Whether it opens now.
    pub state: LinkState,
}

/// Whether a link opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkState {
    /// It opens.
    Open,
    /// Its time is over.
    Expired,
    /// It was opened as often as it may.
    UsedUp,
    /// Somebody took it back.
    Withdrawn,
}

/// The kind of identity of a name: tokens and people may share one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IdentityKind {
    /// A person, for whom a proxy or an identity provider vouches.
    User,
    /// A token.
    Token,
}

impl IdentityKind {
    /// Its name in answers and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Token => "token",
        }
    }

    /// The kind of a name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::User, Self::Token].into_iter().find(|kind| kind.name() == name)
    }
}

/// A change that somebody made: a line of `GET /api/v1/projects/{project}/audit`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditEntry {
    /// When, ns since 1970-01-01 UTC.
    pub at_unix_ns: u64,
    /// Who; `None` where nobody signs in.
    pub by: Option<String>,
    /// The kind of that identity; `None` also for rows of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_kind: Option<IdentityKind>,
    /// What was done (`upload`, `delete_trace`, `make_link`, …).
    pub action: String,
    /// The project in which it was done.
    pub project: Option<String>,
    /// The id of what it was done to: a trace, a link, a token, a member.
    pub subject: String,
    /// What else is worth knowing, in words.
    pub detail: Option<String>,
}

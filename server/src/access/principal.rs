//! Who asks.

use std::collections::BTreeMap;

use syclscope_language::api::Role;

use super::{Action, Standing, may, uploader_may};
use crate::id::Id;
use crate::identity::Identity;

/// Who a request comes from, found once for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Principal {
    /// The account that started a local server: what is there is theirs.
    Account,
    /// Anybody, on a server that was told to let everybody do everything.
    Everybody,
    /// Who brings a token, or a session that began with one.
    Token {
        /// The token's id.
        id: Id,
        /// Whose it is.
        name: String,
        /// What it may.
        roles: Roles,
    },
    /// A person whom a proxy or an identity provider vouches for.
    Person {
        /// The name under which they signed in.
        name: String,
        /// What they are where.
        roles: Roles,
    },
    /// Who has a link.
    Link(Grant),
    /// Who shows nothing.
    Nobody,
}

/// What a link lets one see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The link's id.
    pub link: Id,
    /// The only trace.
    pub trace: Id,
    /// Whether it can be opened so often only.
    pub is_counted: bool,
}

/// Roles by project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roles {
    /// In every project.
    pub everywhere: Option<Role>,
    /// In single ones.
    pub by_project: BTreeMap<String, Role>,
}

impl Roles {
    /// The same role in every project.
    pub fn everywhere(role: Role) -> Self {
        Self { everywhere: Some(role), by_project: BTreeMap::new() }
    }

    /// A role in one project.
    pub fn in_project(project: impl Into<String>, role: Role) -> Self {
        Self { everywhere: None, by_project: BTreeMap::from([(project.into(), role)]) }
    }

    /// The role in a project: the higher one of those that count there.
    pub fn role_in(&self, project: &str) -> Option<Role> {
        self.everywhere.max(self.by_project.get(project).copied())
    }
}

impl Principal {
    /// What they are in a project.
    pub fn in_project(&self, project: &str) -> Standing {
        match self {
            Self::Account | Self::Everybody => Standing::Member(Role::Admin),
            Self::Token { roles, .. } | Self::Person { roles, .. } => {
                roles.role_in(project).map_or(Standing::Stranger, Standing::Member)
            }
            Self::Link(_) | Self::Nobody => Standing::Stranger,
        }
    }

    /// What they are to a trace of a project.
    pub fn to_trace(&self, project: &str, trace: &Id) -> Standing {
        match self {
            Self::Link(grant) if grant.trace == *trace => Standing::Link,
            _ => self.in_project(project),
        }
    }

    /// Whether they may do this in a project.
    pub fn may_in(&self, project: &str, action: Action) -> bool {
        may(self.in_project(project), action)
    }

    /// Whether they may do this to a trace of a project that somebody uploaded.
    pub fn may_to(&self, project: &str, trace: &Id, uploaded_by: Option<&Identity>, action: Action) -> bool {
        let is_own = self.identity().zip(uploaded_by).is_some_and(|(own, by)| own.is(by));
        may(self.to_trace(project, trace), action) || is_own && uploader_may(action)
    }

    /// Whether they may do this everywhere.
    pub fn may_everywhere(&self, action: Action) -> bool {
        match self {
            Self::Account | Self::Everybody => true,
            Self::Token { roles, .. } | Self::Person { roles, .. } => {
                roles.everywhere.is_some_and(|role| may(Standing::Member(role), action))
            }
            Self::Link(_) | Self::Nobody => may(Standing::Stranger, action),
        }
    }

    /// The typed identity; `None` for clients without one.
    pub fn identity(&self) -> Option<Identity> {
        match self {
            Self::Token { name, .. } => Some(Identity::token(name)),
            Self::Person { name, .. } => Some(Identity::user(name)),
            Self::Account | Self::Everybody | Self::Link(_) | Self::Nobody => None,
        }
    }

    /// The display name; `None` for clients without one.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Token { name, .. } | Self::Person { name, .. } => Some(name),
            Self::Account | Self::Everybody | Self::Link(_) | Self::Nobody => None,
        }
    }

    /// The name of who has signed in and is in no project: there is nothing that they may see.
    pub fn without_project(&self) -> Option<&str> {
        match self {
            Self::Person { name, roles } if *roles == Roles::default() => Some(name),
            _ => None,
        }
    }

    /// Whether signing in would change what they may.
    pub fn is_stranger(&self) -> bool {
        matches!(self, Self::Nobody)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(roles: Roles) -> Principal {
        Principal::Person { name: "ada".to_owned(), roles }
    }

    #[test]
    fn a_role_counts_in_its_project() {
        let ada = person(Roles::in_project("solver", Role::Contributor));
        assert!(ada.may_in("solver", Action::Upload));
        assert!(!ada.may_in("solver", Action::DeleteTrace));
        assert!(!ada.may_in("other", Action::ListTraces));
        assert!(!ada.may_everywhere(Action::ListTraces));
        let mut roles = Roles::everywhere(Role::Viewer);
        roles.by_project.insert("solver".to_owned(), Role::Admin);
        roles.by_project.insert("lower".to_owned(), Role::Viewer);
        let ada = person(roles);
        assert!(ada.may_in("solver", Action::ReadAudit) && !ada.may_in("lower", Action::ReadAudit));
        assert!(ada.may_everywhere(Action::ListTraces) && !ada.may_everywhere(Action::ReadAudit));
    }

    #[test]
    fn a_link_opens_its_trace_and_no_other() {
        let (trace, other) = (Id::of(b"a"), Id::of(b"b"));
        let link = Principal::Link(Grant { link: Id::of(b"l"), trace: trace.clone(), is_counted: false });
        assert!(link.may_to("default", &trace, None, Action::ReadTrace));
        assert!(!link.may_to("default", &other, None, Action::ReadTrace));
        assert!(!link.may_in("default", Action::ListTraces));
        assert!(!link.may_to("default", &trace, None, Action::DeleteTrace));
    }

    #[test]
    fn who_uploaded_may_delete_and_nothing_more() {
        let trace = Id::of(b"a");
        for roles in [Roles::default(), Roles::in_project("p", Role::Viewer)] {
            let ada = person(roles);
            let own = Identity::user("ada");
            assert!(ada.may_to("p", &trace, Some(&own), Action::DeleteTrace));
            assert!(!ada.may_to("p", &trace, Some(&own), Action::MakeLink));
            let others = [
                Some(Identity::user("bob")),
                Some(Identity::token("ada")),
                Some(Identity { kind: None, ..own }),
                None,
            ];
            for other in others {
                assert!(!ada.may_to("p", &trace, other.as_ref(), Action::DeleteTrace), "{other:?}");
            }
        }
        assert!(
            !Principal::Nobody.may_to("p", &trace, None, Action::DeleteTrace),
            "no name is nobody's name"
        );
    }
}

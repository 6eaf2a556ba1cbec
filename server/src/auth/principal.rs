use std::collections::BTreeMap;

use syclscope_language::api::Role;

use super::{Action, Standing, may, uploader_may};
use crate::auth::identity::Identity;
use syclscope_system::id::Id;

/// The identity of a request, determined once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Principal {
    /// The account that started a local server and owns its data.
    Account,
    /// Anyone, on a server without authentication.
    Everybody,
    /// Holder of a token, or of a session started with one.
    Token {
        id: Id,
        name: String,
        roles: Roles,
    },
    /// A person authenticated by a proxy or an identity provider.
    Person {
        name: String,
        roles: Roles,
    },
    Link(Grant),
    Nobody,
}

/// Access through a share link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    pub link: Id,
    /// The only accessible trace.
    pub trace: Id,
    /// True if the number of openings is limited.
    pub is_counted: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roles {
    pub everywhere: Option<Role>,
    pub by_project: BTreeMap<String, Role>,
}

impl Roles {
    pub fn everywhere(role: Role) -> Self {
        Self { everywhere: Some(role), by_project: BTreeMap::new() }
    }

    pub fn in_project(project: impl Into<String>, role: Role) -> Self {
        Self { everywhere: None, by_project: BTreeMap::from([(project.into(), role)]) }
    }

    /// Returns the role in a project: the highest one that applies.
    pub fn role_in(&self, project: &str) -> Option<Role> {
        self.everywhere.max(self.by_project.get(project).copied())
    }
}

impl Principal {
    pub fn in_project(&self, project: &str) -> Standing {
        match self {
            Self::Account | Self::Everybody => Standing::Member(Role::Admin),
            Self::Token { roles, .. } | Self::Person { roles, .. } => {
                roles.role_in(project).map_or(Standing::Stranger, Standing::Member)
            }
            Self::Link(_) | Self::Nobody => Standing::Stranger,
        }
    }

    pub fn to_trace(&self, project: &str, trace: &Id) -> Standing {
        match self {
            Self::Link(grant) if grant.trace == *trace => Standing::Link,
            _ => self.in_project(project),
        }
    }

    pub fn may_in(&self, project: &str, action: Action) -> bool {
        may(self.in_project(project), action)
    }

    pub fn may_to(&self, project: &str, trace: &Id, uploaded_by: Option<&Identity>, action: Action) -> bool {
        let is_own = self.identity().zip(uploaded_by).is_some_and(|(own, by)| own.is(by));
        // A token is valid in its project only, and one of another project may have its name.
        let is_valid = !matches!(self, Self::Token { .. }) || self.in_project(project) != Standing::Stranger;
        may(self.to_trace(project, trace), action) || is_own && is_valid && uploader_may(action)
    }

    pub fn may_everywhere(&self, action: Action) -> bool {
        match self {
            Self::Account | Self::Everybody => true,
            Self::Token { roles, .. } | Self::Person { roles, .. } => {
                roles.everywhere.is_some_and(|role| may(Standing::Member(role), action))
            }
            Self::Link(_) | Self::Nobody => may(Standing::Stranger, action),
        }
    }

    pub fn identity(&self) -> Option<Identity> {
        match self {
            Self::Token { name, .. } => Some(Identity::token(name)),
            Self::Person { name, .. } => Some(Identity::user(name)),
            Self::Account | Self::Everybody | Self::Link(_) | Self::Nobody => None,
        }
    }

    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Token { name, .. } | Self::Person { name, .. } => Some(name),
            Self::Account | Self::Everybody | Self::Link(_) | Self::Nobody => None,
        }
    }

    /// Returns the name of a signed-in person who belongs to no project.
    pub fn without_project(&self) -> Option<&str> {
        match self {
            Self::Person { name, roles } if *roles == Roles::default() => Some(name),
            _ => None,
        }
    }

    /// True if signing in could change the permissions.
    pub fn may_sign_in(&self) -> bool {
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
        let (trace, other) = (Id::for_bytes(b"a"), Id::for_bytes(b"b"));
        let link =
            Principal::Link(Grant { link: Id::for_bytes(b"l"), trace: trace.clone(), is_counted: false });
        assert!(link.may_to("default", &trace, None, Action::ReadTrace));
        assert!(!link.may_to("default", &other, None, Action::ReadTrace));
        assert!(!link.may_in("default", Action::ListTraces));
        assert!(!link.may_to("default", &trace, None, Action::DeleteTrace));
    }

    #[test]
    fn who_uploaded_may_delete_and_nothing_more() {
        let trace = Id::for_bytes(b"a");
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

    #[test]
    fn a_token_of_another_project_deletes_nothing_whatever_its_name() {
        let (trace, own) = (Id::for_bytes(b"a"), Identity::token("ci"));
        let may = |roles| {
            let token = Principal::Token { id: Id::for_bytes(b"t"), name: "ci".to_owned(), roles };
            token.may_to("p", &trace, Some(&own), Action::DeleteTrace)
        };
        assert!(may(Roles::in_project("p", Role::Contributor)) && may(Roles::everywhere(Role::Viewer)));
        assert!(!may(Roles::in_project("q", Role::Viewer)) && !may(Roles::in_project("q", Role::Admin)));
    }
}

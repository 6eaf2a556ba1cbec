//! Actions, and the table of permissions.

use syclscope_language::api::{AuditEntry, Role};

use super::Principal;
use crate::db::now_unix_ns;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Get public content: the page's files, the sign-in page, the server's version, the client's own
    /// identity.
    SeePage,
    ListTraces,
    /// Read a trace: query it, download its file, export it.
    ReadTrace,
    Upload,
    /// Change a trace's metadata: its labels, its pin.
    ChangeTrace,
    DeleteTrace,
    MakeLink,
    /// List the links of a trace, without their secrets.
    ListLinks,
    WithdrawLink,
    ListMembers,
    ChangeMembers,
    /// Change a project's name and limits.
    ChangeProject,
    ReadAudit,
    /// Read the server's metrics, which belong to no project.
    ReadMetrics,
    ReadComments,
    /// Comment on a trace, and change and delete own comments.
    Comment,
    /// Change and delete others' comments.
    ModerateComments,
}

/// Relation of a client to a trace or a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Standing {
    Stranger,
    Link,
    Member(Role),
}

impl Standing {
    /// In the order of the table's columns.
    pub const ALL: [Self; 5] = [
        Self::Stranger,
        Self::Link,
        Self::Member(Role::Viewer),
        Self::Member(Role::Contributor),
        Self::Member(Role::Admin),
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Stranger => "nobody",
            Self::Link => "link",
            Self::Member(role) => role.name(),
        }
    }
}

impl Action {
    /// In the order of the table.
    pub const ALL: [Self; 17] = [
        Self::SeePage,
        Self::ReadTrace,
        Self::ReadComments,
        Self::ListTraces,
        Self::ListMembers,
        Self::Comment,
        Self::Upload,
        Self::ChangeTrace,
        Self::MakeLink,
        Self::ListLinks,
        Self::WithdrawLink,
        Self::DeleteTrace,
        Self::ModerateComments,
        Self::ChangeMembers,
        Self::ChangeProject,
        Self::ReadAudit,
        Self::ReadMetrics,
    ];

    /// Returns the name for documentation, log and audit log.
    pub fn name(self) -> &'static str {
        match self {
            Self::SeePage => "see_page",
            Self::ListTraces => "list_traces",
            Self::ReadTrace => "read_trace",
            Self::Upload => "upload",
            Self::ChangeTrace => "change_trace",
            Self::DeleteTrace => "delete_trace",
            Self::MakeLink => "make_link",
            Self::ListLinks => "list_links",
            Self::WithdrawLink => "withdraw_link",
            Self::ListMembers => "list_members",
            Self::ChangeMembers => "change_members",
            Self::ChangeProject => "change_project",
            Self::ReadAudit => "read_audit",
            Self::ReadMetrics => "read_metrics",
            Self::ReadComments => "read_comments",
            Self::Comment => "comment",
            Self::ModerateComments => "moderate_comments",
        }
    }
}

const YES: bool = true;
const NO_: bool = false;

/// Returns the table of permissions. `docs/SHARING.md` documents it, and a test compares the two.
#[rustfmt::skip]
fn row(action: Action) -> [bool; 5] {
    match action {
        //                        nobody  link viewer contributor admin
        Action::SeePage          => [YES, YES, YES, YES, YES],
        Action::ReadTrace        => [NO_, YES, YES, YES, YES],
        Action::ReadComments     => [NO_, YES, YES, YES, YES],
        Action::ListTraces       => [NO_, NO_, YES, YES, YES],
        Action::ListMembers      => [NO_, NO_, YES, YES, YES],
        Action::Comment          => [NO_, NO_, NO_, YES, YES],
        Action::Upload           => [NO_, NO_, NO_, YES, YES],
        Action::ChangeTrace      => [NO_, NO_, NO_, YES, YES],
        Action::MakeLink         => [NO_, NO_, NO_, YES, YES],
        Action::ListLinks        => [NO_, NO_, NO_, YES, YES],
        Action::WithdrawLink     => [NO_, NO_, NO_, YES, YES],
        Action::DeleteTrace      => [NO_, NO_, NO_, NO_, YES],
        Action::ModerateComments => [NO_, NO_, NO_, NO_, YES],
        Action::ChangeMembers    => [NO_, NO_, NO_, NO_, YES],
        Action::ChangeProject    => [NO_, NO_, NO_, NO_, YES],
        Action::ReadAudit        => [NO_, NO_, NO_, NO_, YES],
        Action::ReadMetrics      => [NO_, NO_, NO_, NO_, YES],
    }
}

pub fn may(standing: Standing, action: Action) -> bool {
    let column = Standing::ALL.iter().position(|other| *other == standing);
    column.is_some_and(|column| row(action)[column])
}

/// True if a trace's uploader may perform the action, whatever their current role.
pub fn uploader_may(action: Action) -> bool {
    action == Action::DeleteTrace
}

/// Returns the audit entry for a principal's action on the entity `subject`, in a project or server-wide.
pub fn change(
    by: &Principal,
    action: Action,
    project: Option<&str>,
    subject: &str,
    detail: Option<String>,
) -> AuditEntry {
    let by = by.identity();
    AuditEntry {
        at_unix_ns: now_unix_ns(),
        by_kind: by.as_ref().and_then(|by| by.kind),
        by: by.map(|by| by.name),
        action: action.name().to_owned(),
        project: project.map(str::to_owned),
        subject: subject.to_owned(),
        detail,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_higher_role_may_what_lower_ones_may() {
        for action in Action::ALL {
            let allowed = Standing::ALL.map(|standing| may(standing, action));
            assert!(allowed.is_sorted(), "{}: {allowed:?}", action.name());
            assert!(may(Standing::Member(Role::Admin), action), "somebody must be able to {}", action.name());
        }
    }

    #[test]
    fn a_link_only_looks() {
        let allowed = Action::ALL.into_iter().filter(|action| may(Standing::Link, *action));
        assert_eq!(allowed.collect::<Vec<_>>(), [Action::SeePage, Action::ReadTrace, Action::ReadComments]);
    }
}

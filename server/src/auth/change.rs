use syclscope_language::api::AuditEntry;

use super::{Action, Principal};
use crate::db::now_unix_ns;

/// Makes an audit entry for a principal's action in a project, or server-wide, on the entity with this id.
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

use syclscope_language::api::{Busiest, Figures, Label, ListedTrace, ProjectEntry};

use crate::data::json::members;

members! {
    ListedTrace {
        id, name, size_bytes, stored_unix_ns, project, by, is_pinned, leaves_unix_ns, labels, figures,
    } may lack { project, is_pinned, labels };
    Label { key, value };
    Figures { program, duration_ns, busy_ns, commands, launches, devices, busiest, findings, problems };
    Busiest { name, total_ns, share };
    ProjectEntry { id, name, traces, used_bytes, quota_bytes, retention_days, grace_days };
}

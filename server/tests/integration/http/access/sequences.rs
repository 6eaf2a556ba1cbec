//! Random sequences of granting, using, revoking and expiring, against a model that remembers everything.

use std::collections::BTreeSet;

use axum::body::Body;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use syclscope_language::api::{NewLink, Role};
use syclscope_server::auth::{Action, Standing, may};
use syclscope_system::id::Id;

use super::gate::{Gate, bearer, cookies};

/// A step. Numbers choose among the existing entities.
#[derive(Clone, Debug)]
enum Step {
    Token { role: usize, here: bool },
    Revoke(usize),
    ExpireToken(usize),
    Link { trace: usize, openings: Option<u32> },
    Withdraw(usize),
    ExpireLink(usize),
    Use { token: usize, trace: usize, action: usize },
    Look { link: usize, trace: usize, visitor: usize },
}

fn step() -> impl Strategy<Value = Step> {
    let which = 0..1000usize;
    prop_oneof![
        2 => (0..3usize, any::<bool>()).prop_map(|(role, here)| Step::Token { role, here }),
        1 => which.clone().prop_map(Step::Revoke),
        1 => which.clone().prop_map(Step::ExpireToken),
        2 => (which.clone(), proptest::option::of(1..3u32)).prop_map(|(trace, openings)| Step::Link { trace, openings }),
        1 => which.clone().prop_map(Step::Withdraw),
        1 => which.clone().prop_map(Step::ExpireLink),
        6 => (which.clone(), which.clone(), which.clone())
            .prop_map(|(token, trace, action)| Step::Use { token, trace, action }),
        8 => (which.clone(), which, 0..3usize)
            .prop_map(|(link, trace, visitor)| Step::Look { link, trace, visitor }),
    ]
}

struct Token {
    text: String,
    id: Id,
    role: Role,
    /// True if it is for the project of the traces.
    here: bool,
    counts: bool,
}

struct Link {
    id: String,
    root: String,
    trace: usize,
    openings: Option<u32>,
    visitors: BTreeSet<usize>,
    end: Option<&'static str>,
}

/// Simple model of the changes and their effect, which stores everything.
#[derive(Default)]
struct Model {
    traces: Vec<String>,
    tokens: Vec<Token>,
    links: Vec<Link>,
    /// Cookies of a visitor for a link.
    cookies: Vec<(usize, usize, String)>,
}

/// Actions that a token's owner may try. None of them changes the access of others.
const TRIES: [Action; 3] = [Action::ReadTrace, Action::ListLinks, Action::ReadAudit];

async fn run(gate: &Gate, steps: &[Step]) -> Result<(), TestCaseError> {
    let mut model = Model::default();
    for _ in 0..2 {
        model.traces.push(gate.trace().await.id);
    }
    for step in steps {
        model.take(gate, step).await?;
    }
    Ok(())
}

impl Model {
    async fn take(&mut self, gate: &Gate, step: &Step) -> Result<(), TestCaseError> {
        let pick = |number: usize, of: usize| if of == 0 { None } else { Some(number % of) };
        match *step {
            Step::Token { role, here } => {
                let project = if here { "default" } else { super::gate::OTHER_PROJECT };
                let role = Role::ALL[role];
                let (text, id) = gate.token("somebody", Some(project), role).await;
                self.tokens.push(Token { text, id, role, here, counts: true });
            }
            Step::Revoke(number) | Step::ExpireToken(number) => {
                let Some(at) = pick(number, self.tokens.len()) else { return Ok(()) };
                let token = &mut self.tokens[at];
                if token.counts && matches!(step, Step::Revoke(_)) {
                    gate.revoke(&token.id).await;
                } else {
                    gate.expire("tokens", token.id.as_str()).await;
                }
                token.counts = false;
            }
            Step::Link { trace, openings } => {
                let trace = trace % self.traces.len();
                let wanted = NewLink { openings, ..NewLink::default() };
                let (made, root) = gate.link(&self.traces[trace], &wanted).await;
                let (id, visitors) = (made.link.id, BTreeSet::new());
                self.links.push(Link { id, root, trace, openings, visitors, end: None });
            }
            Step::Withdraw(number) => {
                let Some(at) = pick(number, self.links.len()) else { return Ok(()) };
                let link = &mut self.links[at];
                let path = format!("/api/v1/traces/{}/links/{}", self.traces[link.trace], link.id);
                let headers = [("authorization", &*bearer(&gate.admin))];
                let done = gate.send("DELETE", &path, &headers, Body::empty()).await;
                let expected = if link.end == Some("link_withdrawn") { 404 } else { 204 };
                prop_assert_eq!(done.status.as_u16(), expected);
                link.end = Some("link_withdrawn");
            }
            Step::ExpireLink(number) => {
                let Some(at) = pick(number, self.links.len()) else { return Ok(()) };
                gate.expire("links", &self.links[at].id).await;
                self.links[at].end.get_or_insert("link_expired");
            }
            Step::Use { token, trace, action } => {
                let Some(at) = pick(token, self.tokens.len()) else { return Ok(()) };
                self.use_token(gate, at, trace % self.traces.len(), TRIES[action % TRIES.len()]).await?;
            }
            Step::Look { link, trace, visitor } => {
                let Some(at) = pick(link, self.links.len()) else { return Ok(()) };
                self.look(gate, at, trace % self.traces.len(), visitor).await?;
            }
        }
        Ok(())
    }

    async fn use_token(
        &self,
        gate: &Gate,
        at: usize,
        trace: usize,
        action: Action,
    ) -> Result<(), TestCaseError> {
        let (token, trace) = (&self.tokens[at], &self.traces[trace]);
        let path = match action {
            Action::ReadTrace => format!("/api/v1/traces/{trace}"),
            Action::ListLinks => format!("/api/v1/traces/{trace}/links"),
            _ => "/api/v1/projects/default/audit".to_owned(),
        };
        let expected = match (token.counts, token.here) {
            (false, _) => 401,
            (true, false) => 404,
            (true, true) if may(Standing::Member(token.role), action) => 200,
            (true, true) => 403,
        };
        let answer = gate.get(&path, &token.text).await;
        prop_assert_eq!(answer.status.as_u16(), expected, "{} by {:?}: {}", path, token.role, answer.text());
        Ok(())
    }

    async fn look(
        &mut self,
        gate: &Gate,
        at: usize,
        trace: usize,
        visitor: usize,
    ) -> Result<(), TestCaseError> {
        let link = &mut self.links[at];
        let is_known = link.visitors.contains(&visitor);
        let has_room = link.openings.is_none_or(|openings| link.visitors.len() < openings as usize);
        let expected = match link.end {
            Some(end) => (410, end),
            None if trace != link.trace => (404, "not_found"),
            None if is_known || has_room => (200, ""),
            None => (410, "link_used_up"),
        };
        let known = self.cookies.iter().find(|(of, who, _)| (*of, *who) == (at, visitor));
        let cookie = known.map(|(_, _, cookie)| cookie.clone()).unwrap_or_default();
        let path = format!("{}/api/v1/traces/{}", link.root, self.traces[trace]);
        let answer = gate.send("GET", &path, &[("cookie", &cookie)], Body::empty()).await;
        prop_assert_eq!(answer.status.as_u16(), expected.0, "visitor {}: {}", visitor, answer.text());
        prop_assert!(answer.text().contains(expected.1), "{}", answer.text());
        if expected.0 == 200 {
            link.visitors.insert(visitor);
            if !cookies(&answer).is_empty() {
                self.cookies.push((at, visitor, cookies(&answer)));
            }
        }
        Ok(())
    }
}

#[test]
fn whatever_happens_nobody_reads_what_they_may_not() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("threads");
    let gate = runtime.block_on(Gate::new());
    let mut runner = TestRunner::new(Config { cases: 48, failure_persistence: None, ..Config::default() });
    let steps = proptest::collection::vec(step(), 1..60);
    let result = runner.run(&steps, |steps| runtime.block_on(run(&gate, &steps)));
    if let Err(failed) = result {
        panic!("{failed}");
    }
}

//! The document of the API matches its behaviour.

use std::collections::{BTreeMap, BTreeSet};

use axum::body::Body;
use serde_json::{Value, json};
use syclscope_language::api::{CommentEntry, NewLink, Role, UploadAnswer};
use syclscope_language::contents::ContentKind;
use syclscope_language::question::Question;
use syclscope_server::db::now_unix_ns;
use syclscope_server::http::router::routes;
use syclscope_server::listing::MAX_TRACES;

use super::access::gate::{Gate, bearer};

async fn document(gate: &Gate) -> Value {
    let answer = gate.send("GET", "/api/v1/openapi.json", &[], Body::empty()).await;
    assert_eq!((answer.status.as_u16(), answer.header("content-type")), (200, "application/json"));
    answer.json()
}

#[tokio::test]
async fn it_lists_every_route_and_no_other() {
    let document = document(&Gate::new().await).await;
    let mut listed = BTreeSet::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            listed.insert((method.to_uppercase(), path.clone()));
            let wanted: BTreeSet<&str> =
                path.split('{').skip(1).filter_map(|part| part.split('}').next()).collect();
            let parameters = operation["parameters"].as_array().into_iter().flatten();
            let named = parameters.filter(|parameter| parameter["in"] == "path");
            let named: BTreeSet<&str> = named.filter_map(|parameter| parameter["name"].as_str()).collect();
            assert_eq!(named, wanted, "{method} {path}");
            assert_eq!(operation["responses"]["default"]["$ref"], "#/components/responses/Error");
        }
    }
    let route = |(method, path): (&str, String)| (method.to_owned(), path.replace("{*", "{"));
    let there: BTreeSet<_> = routes().into_iter().map(|known| route((known.method, known.path))).collect();
    assert_eq!(listed, there);
}

#[tokio::test]
async fn what_it_refers_to_is_there() {
    let document = document(&Gate::new().await).await;
    let mut waiting = vec![&document];
    let mut used = BTreeSet::new();
    while let Some(value) = waiting.pop() {
        match value {
            Value::Object(members) => {
                if let Some(place) = members.get("$ref").and_then(Value::as_str) {
                    let place = place.strip_prefix('#').unwrap();
                    assert!(document.pointer(place).is_some(), "{place}");
                    used.insert(place.rsplit('/').next().unwrap().to_owned());
                }
                waiting.extend(members.values());
            }
            Value::Array(all) => waiting.extend(all),
            _ => {}
        }
    }
    for name in document["components"]["schemas"].as_object().unwrap().keys() {
        assert!(used.contains(name), "nothing refers to {name}");
    }
    let kinds = &document["components"]["schemas"]["Cleaning"]["properties"]["kinds"]["items"]["enum"];
    assert_eq!(*kinds, json!(ContentKind::ALL));
    for role in Role::ALL {
        let roles = &document["components"]["schemas"]["NewMember"]["properties"]["role"]["enum"];
        assert!(roles.as_array().unwrap().contains(&json!(role)));
    }
}

#[tokio::test]
async fn it_refuses_nothing_that_the_server_takes() {
    let gate = Gate::new().await;
    let document = document(&gate).await;
    let schema = |path: &str, name: &str| {
        let parameters = document["paths"][path]["get"]["parameters"].as_array().unwrap();
        parameters.iter().find(|parameter| parameter["name"] == name).unwrap()["schema"].clone()
    };
    let compared = schema("/api/v1/traces/{id}/compare/{other}/{question}", "question");
    let all = ["overview", "commands", "counterpart", "graph", "live", "anchors"];
    assert_eq!(compared["enum"], json!(all));
    let asked = schema("/api/v1/traces/{id}/{question}", "question");
    for name in asked["anyOf"][0]["enum"].as_array().unwrap() {
        assert!(name.as_str().unwrap().parse::<Question>().is_ok(), "{name}");
    }
    assert_eq!(asked["anyOf"][1], json!({"type": "string"}), "slices/12 is one, too");
    let lists = ["traces", "projects/{project}/trends", "projects/{project}/history"];
    for path in lists.map(|list| format!("/api/v1/{list}")) {
        let limit = schema(&path, "limit");
        assert_eq!((&limit["minimum"], &limit["maximum"]), (&json!(1), &json!(MAX_TRACES)), "{path}");
        for (limit, status) in [(0, 400), (1, 200), (MAX_TRACES, 200), (MAX_TRACES + 1, 400)] {
            let address = format!("{}?limit={limit}", path.replace("{project}", "default"));
            assert_eq!(gate.get(&address, &gate.admin).await.status.as_u16(), status, "{address}");
        }
    }
}

/// Collects the differences of an answer from its schema: missing or unknown members, and values of other types.
fn differences(document: &Value, schema: &Value, value: &Value, place: &str, found: &mut Vec<String>) {
    if let Some(reference) = schema["$ref"].as_str() {
        let named = document.pointer(reference.trim_start_matches('#')).unwrap();
        return differences(document, named, value, place, found);
    }
    if let Some(choices) = schema["oneOf"].as_array() {
        let fits = |choice: &&Value| {
            let mut wrong = Vec::new();
            differences(document, choice, value, place, &mut wrong);
            wrong.is_empty()
        };
        if choices.iter().filter(fits).count() != 1 {
            found.push(format!("{place} is none of its choices: {value}"));
        }
        return;
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let is_kind =
        |wanted: &Value| wanted == kind || wanted.as_array().is_some_and(|all| all.contains(&json!(kind)));
    if !schema["type"].is_null() && !is_kind(&schema["type"]) {
        found.push(format!("{place} is {value}, not {}", schema["type"]));
    }
    if let Some(choices) = schema["enum"].as_array()
        && !choices.contains(value)
    {
        found.push(format!("{place} is {value}, none of {choices:?}"));
    }
    match value {
        Value::Array(all) => {
            for each in all {
                differences(document, &schema["items"], each, &format!("{place}[]"), found);
            }
        }
        Value::Object(members) if schema["properties"].is_object() => {
            let known = schema["properties"].as_object().unwrap();
            for (name, member) in members {
                match known.get(name) {
                    Some(schema) => differences(document, schema, member, &format!("{place}.{name}"), found),
                    None => found.push(format!("{place}.{name} is not described")),
                }
            }
            for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                if !members.contains_key(name) {
                    found.push(format!("{place}.{name} is missing"));
                }
            }
        }
        _ => {}
    }
}

#[tokio::test]
async fn answers_are_what_it_says() {
    let gate = Gate::new().await;
    let document = document(&gate).await;
    let trace = gate.trace().await.id;
    let (made, _) = gate.link(&trace, &NewLink::default()).await;
    let said =
        gate.post(&format!("/api/v1/traces/{trace}/comments"), &gate.admin, r#"{"text": "look"}"#).await;
    let said = said.json::<CommentEntry>().id;
    let new = json!({"name": "run.pftrace", "size_bytes": 10, "sha256": format!("{:064x}", now_unix_ns())});
    let begun = gate.post("/api/v1/uploads", &gate.admin, &new.to_string()).await;
    let UploadAnswer::Open(upload) = begun.json() else { panic!("{}", begun.text()) };
    let values = BTreeMap::from([
        ("comment", said.as_str()),
        ("format", "json"),
        ("key", "branch"),
        ("link", made.link.id.as_str()),
        ("name", "ada"),
        ("number", "0"),
        ("project", "default"),
        ("question", "report"),
    ]);
    let bodies = BTreeMap::from([
        ("NewComment", json!({"text": "look here", "pin": "t10-20"})),
        ("ChangedComment", json!({"text": "look there"})),
        ("NewLink", json!({"name": "for ada", "openings": 3})),
        ("NewMember", json!({"role": "viewer"})),
        ("NewLabel", json!({"value": "main"})),
        ("ProjectChange", json!({"name": "Solver"})),
        ("NewUpload", new),
        ("Cleaning", json!({"kinds": ["paths"]})),
    ]);
    let mut found = Vec::new();
    let mut checked = BTreeSet::new();
    // Deletions come last.
    for method in ["get", "put", "post", "delete"] {
        let mut paths: Vec<_> = document["paths"].as_object().unwrap().iter().collect();
        if method == "delete" {
            // Entities in a trace come before the trace.
            paths.reverse();
        }
        for (path, operation) in paths {
            let operation = &operation[method];
            // Pages and logs have no types; the bytes of a part and a trace have tests of their own, and events end
            // late. This server does not store views.
            if operation.is_null()
                || !path.starts_with("/api/v1/")
                || ["/parts/{number}", "/events", "/shown/{name}"]
                    .iter()
                    .any(|untyped| path.ends_with(untyped))
            {
                continue;
            }
            let id = if path.contains("/uploads/") { &upload.id } else { &trace };
            let mut address = path.replace("{id}", id);
            address = address.replace("{other}/{question}", &format!("{trace}/overview"));
            for (name, value) in &values {
                address = address.replace(&format!("{{{name}}}"), value);
            }
            let json = &operation["requestBody"]["content"]["application/json"]["schema"]["$ref"];
            let named = json.as_str().and_then(|place| place.rsplit('/').next());
            let body = match named {
                Some(named) => Body::from(bodies[named].to_string()),
                None if method == "post" && path == "/api/v1/traces" => {
                    crate::recording::of_process(77_777).into()
                }
                None => Body::empty(),
            };
            let headers = [("authorization", &*bearer(&gate.admin)), ("content-type", "application/json")];
            let answer = gate.send(&method.to_uppercase(), &address, &headers, body).await;
            let status = answer.status.as_u16().to_string();
            let said = match &operation["responses"][&status] {
                Value::Null => &document["components"]["responses"]["Error"],
                said => said,
            };
            // No parts were sent, so the upload can't be complete.
            assert!(
                answer.status.as_u16() < 400 || path.ends_with("/complete"),
                "{method} {path}: {}",
                answer.text()
            );
            let schema = &said["content"]["application/json"]["schema"];
            if !schema.is_null() {
                let value: Value = serde_json::from_slice(&answer.body).unwrap();
                differences(&document, schema, &value, &format!("{method} {path} {status}: "), &mut found);
                checked.insert((method, path.clone()));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert!(checked.len() >= 15, "{checked:?}");
}

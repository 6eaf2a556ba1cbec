//! Tries by an assistant: of the program that the user named, and of no other.

use serde_json::{Value, json};

use super::{attempt, code, scratch};
use crate::mcp::client::Client;

#[test]
fn an_assistant_reads_the_ledger_and_runs_nothing() {
    let scratch = scratch();
    code(&attempt(&scratch, "bad", "-q -- ./heat 1000"), 0);
    code(&attempt(&scratch, "good", "-q --finding 1 -- ./heat 1000"), 0);
    let mut client = Client::new(&scratch);
    let ledger = client.json("tries", &json!({}));
    assert_eq!((&ledger["program"], &ledger["attempts"][0]["verdict"]), (&"heat".into(), &"faster".into()));
    let rule = &ledger["rules"][0];
    assert_eq!((&rule["rule"], &rule["faster"]), (&"wait_after_kernel".into(), &1.into()));
    assert_eq!(client.json("tries", &json!({"ledger": "syclscope-try"})), ledger);
    assert!(client.call("tries", &json!({"ledger": "../other"})).is_error);
    let tools = client.request("tools/list", &json!({}))["result"]["tools"].clone();
    let tools = tools.as_array().expect("a list");
    assert!(tools.iter().all(|tool| tool["name"] != "try" && tool["annotations"]["readOnlyHint"] == true));
    let refused = client.request("tools/call", &json!({"name": "try", "arguments": {}}));
    assert_eq!(refused["error"]["message"], "unknown tool \"try\"");
    client.end();
}

#[test]
fn an_assistant_tries_the_program_that_the_user_named() {
    let scratch = scratch();
    scratch.file("mode", "bad");
    let words = ["--xptifw", "libxptifw.so", "--subscriber", "subscriber.so", "--run", "./heat", "1000"];
    let mut client = Client::with(&scratch, &words);
    let run = |client: &mut Client, arguments: &Value| -> Value {
        let answer = client.call("try", arguments);
        assert!(!answer.is_error, "{answer:?}");
        serde_json::from_str(&answer.texts[0]).expect("JSON")
    };
    let first = run(&mut client, &json!({}));
    assert_eq!(first["findings"][0]["id"], "wait_after_kernel@heat.cpp:13");
    scratch.file("mode", "good");
    let tried = run(&mut client, &json!({"finding": "1", "repeat": 5}));
    assert_eq!((&tried["tried"][0]["verdict"], &tried["exit_code"]), (&"faster".into(), &0.into()));
    assert_eq!(client.json("tries", &json!({}))["attempts"].as_array().map(Vec::len), Some(1));
    let refused = client.call("try", &json!({"finding": "99"}));
    assert!(refused.is_error && refused.texts[0].contains("no finding 99"), "{refused:?}");
    for wrong in [json!({"program": "./other"}), json!({"page": 2})] {
        assert!(client.call("try", &wrong).is_error, "{wrong}");
    }
    client.end();
}

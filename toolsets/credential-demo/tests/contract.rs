//! What callers of `credential-demo` rely on.

use std::sync::{Arc, Mutex};

use periplus_toolset::{
    Failure, contract, json,
    testing::{call, call_with_headers},
};
use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    span,
};

#[test]
fn the_contract_holds() {
    contract::sweep(&periplus_credential_demo::toolset());
}

#[tokio::test]
async fn the_account_is_derived_from_the_token() {
    let toolset = periplus_credential_demo::toolset();
    let output = call_with_headers(&toolset, "whoami", json!({}), &[("X-Demo-Token", "abc")])
        .await
        .unwrap();
    assert_eq!(output.structured["account"], "user-ba7816bf");
    assert!(
        output.structured["message"]
            .as_str()
            .unwrap()
            .contains("user-ba7816bf")
    );
}

#[tokio::test]
async fn a_missing_or_empty_token_is_an_error_that_names_the_header() {
    let toolset = periplus_credential_demo::toolset();
    for headers in [
        &[][..],
        &[("x-demo-token", "")],
        &[("x-demo-token", "  ")],
        &[("authorization", "abc")],
    ] {
        let failure = call_with_headers(&toolset, "whoami", json!({}), headers)
            .await
            .unwrap_err();
        assert!(matches!(failure, Failure::MissingCredential(_)), "{failure:?}");
        assert!(failure.to_string().contains("x-demo-token"));
    }
    assert!(call(&toolset, "whoami", json!({ "token": "abc" })).await.is_err());
}

#[test]
fn the_account_is_published_and_the_header_declared() {
    let toolset = periplus_credential_demo::toolset();
    assert_eq!(
        toolset.find("whoami").unwrap().declaration().produces,
        ["account"]
    );
    assert_eq!(toolset.credential_headers(), ["x-demo-token"]);
}

#[test]
fn the_log_has_the_length_of_the_token_and_never_the_token() {
    let log = Log::default();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    tracing::subscriber::with_default(log.clone(), || {
        let toolset = periplus_credential_demo::toolset();
        let headers = [("x-demo-token", "a-secret-token")];
        runtime
            .block_on(call_with_headers(&toolset, "whoami", json!({}), &headers))
            .unwrap();
    });
    let log = log.0.lock().unwrap().join("\n");
    assert!(log.contains("length=14") && log.contains("present=true"), "{log}");
    assert!(!log.contains("a-secret-token"), "{log}");
}

/// Keeps every field of every event.
#[derive(Debug, Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Visit for Log {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.0
            .lock()
            .expect("no test panics while it logs")
            .push(format!("{field}={value:?}"));
    }
}

impl Subscriber for Log {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }
    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn event(&self, event: &Event<'_>) {
        event.record(&mut self.clone());
    }
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

//! The guards of the operating system, seen from outside.

use std::process::Command;

use periplus_interpreter::Guard;
use serde_json::Value;

use crate::{example, python};

#[tokio::test]
async fn every_guard_stands_or_says_why_not() {
    let confinement = python("1").await.unwrap().confinement;
    assert_eq!(confinement.memory, Guard::Enforced);
    if cfg!(target_os = "linux") {
        // Every supported kernel has these; Landlock and seccomp depend on how it was built and what runs around us.
        assert_eq!(confinement.descriptors, Guard::Enforced);
        assert_eq!(confinement.resources, Guard::Enforced);
        assert_eq!(confinement.privileges, Guard::Enforced);
    }
    for gap in confinement.gaps() {
        assert!(gap.contains('('), "a gap without a reason: {gap}");
    }
}

#[test]
fn what_was_given_up_cannot_be_had_again() {
    let output = Command::new(example("probe")).output().unwrap();
    let report: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    let gaps = report["gaps"].as_array().unwrap();
    let stands = |guard: &str| !gaps.iter().any(|gap| gap.as_str().unwrap().starts_with(guard));
    let got = |thing: &str| report["got"][thing].as_bool().unwrap();
    if stands("descriptors") {
        assert!(!got("inherited"), "{report}");
    }
    if stands("resources") || stands("files") || stands("system calls") {
        assert!(
            !got("read") && !got("write") && !got("list") && !got("bind"),
            "{report}"
        );
    }
    if stands("system calls") {
        assert!(!got("connect") && !got("run") && !got("thread"), "{report}");
    }
}

//! `new` and `remove`, as far as nothing has to be compiled; `cargo xtask scaffold` builds and calls what they make.

use std::path::Path;

use e2e::{Finished, Periplus, repository};

/// A user with a workspace `acme` that has the toolset `words`.
fn with_workspace() -> Periplus {
    let periplus = Periplus::new();
    let clone = repository().display().to_string();
    let arguments = [
        "new",
        "words",
        "--workspace",
        "acme",
        "--no-check",
        "--periplus",
        &clone,
    ];
    let finished = periplus.run(&arguments).expect(0);
    assert!(
        finished.stdout.contains("toolsets/words/src/tools/example.rs"),
        "{}",
        finished.stdout
    );
    assert!(
        finished.stderr.contains("cargo run -- serve words"),
        "{}",
        finished.stderr
    );
    periplus
}

/// Runs a command in the workspace.
fn inside(periplus: &Periplus, arguments: &[&str]) -> Finished {
    let output = periplus
        .command(arguments)
        .current_dir(periplus.folder().join("acme"))
        .output()
        .expect("the binary starts");
    Finished {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).expect("UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

/// Every file of the workspace with its text.
fn files(folder: &Path) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("it can be listed").path();
        if path.is_dir() {
            all.extend(files(&path));
        } else {
            all.push((
                path.display().to_string(),
                std::fs::read_to_string(&path).expect("text"),
            ));
        }
    }
    all.sort();
    all
}

#[test]
fn what_new_adds_remove_takes_away() {
    let periplus = with_workspace();
    let root = periplus.folder().join("acme");
    let before = files(&root);
    let made = inside(&periplus, &["new", "cards", "--with-ui", "--no-check"]).expect(0);
    assert!(
        made.stdout.contains("toolsets/cards/src/views/panel.html"),
        "{}",
        made.stdout
    );
    let with_cards = files(&root);
    let planned = inside(&periplus, &["remove", "cards", "--dry-run"]).expect(0);
    assert_eq!(planned.stdout.lines().count(), 4, "{}", planned.stdout);
    assert_eq!(files(&root), with_cards, "a dry run changes nothing");
    let _ = inside(&periplus, &["remove", "cards", "--no-check"]).expect(0);
    assert_eq!(files(&root), before);
}

#[test]
fn bad_reserved_and_existing_names_are_refused_and_nothing_is_written() {
    let periplus = with_workspace();
    let root = periplus.folder().join("acme");
    let before = files(&root);
    for (arguments, part) in [
        (&["new", "Words"][..], "lower-case letters"),
        (&["new", "../words"], "lower-case letters"),
        (&["new", "health"], "reserved"),
        (&["new", "words"], "already"),
        (&["remove", "nothing"], "no toolset \"nothing\""),
        (&["remove", ".."], "lower-case letters"),
        (&["new", "more", "--workspace", "toolsets"], "exists already"),
        (
            &["new", "more", "--workspace", "x", "--periplus", "."],
            "no clone of Periplus",
        ),
    ] {
        let refused = inside(&periplus, arguments).expect(2);
        assert!(refused.stderr.contains(part), "{arguments:?}: {}", refused.stderr);
        assert_eq!(refused.stdout, "");
    }
    assert_eq!(files(&root), before);
    let outside = periplus.run(&["new", "words"]).expect(2);
    assert!(outside.stderr.contains("--workspace DIR"), "{}", outside.stderr);
}

#[test]
fn a_result_that_does_not_compile_is_undone() {
    let periplus = with_workspace();
    let root = periplus.folder().join("acme");
    let before = files(&root);
    // A cargo that always fails stands for every reason why a check can.
    let tools = periplus.folder().join("bin");
    std::fs::create_dir(&tools).expect("a folder can be made");
    std::fs::write(
        tools.join("cargo"),
        "#!/bin/sh\necho broken >> Cargo.lock\nexit 101\n",
    )
    .expect("it can be written");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(tools.join("cargo"), mode).expect("its mode can be set");
    let path = format!("{}:/usr/bin:/bin", tools.display());
    let periplus = periplus.env("PATH", &path);
    for arguments in [&["new", "cards"][..], &["remove", "words"]] {
        let failed = inside(&periplus, arguments).expect(1);
        assert!(
            failed.stderr.contains("everything is as it was before"),
            "{}",
            failed.stderr
        );
        assert_eq!(failed.stdout, "");
        assert_eq!(files(&root), before, "{arguments:?}");
    }
}

#[test]
fn work_that_is_not_committed_is_not_removed() {
    let periplus = with_workspace();
    let periplus = periplus.env("PATH", "/usr/local/bin:/usr/bin:/bin");
    let root = periplus.folder().join("acme");
    let made = std::process::Command::new("git")
        .args(["init", "--quiet"])
        .current_dir(&root)
        .status();
    assert!(made.expect("git starts").success());
    let refused = inside(&periplus, &["remove", "words", "--no-check"]).expect(2);
    assert!(refused.stderr.contains("not committed"), "{}", refused.stderr);
    let _ = inside(&periplus, &["remove", "words", "--no-check", "--force"]).expect(0);
    assert!(!root.join("toolsets/words").exists());
}

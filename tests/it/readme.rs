//! The commands of the README do what it says, line by line.

use std::{fs, process::Command};

use e2e::{Periplus, repository};

/// The `sh` blocks of the README.
fn blocks() -> Vec<String> {
    let text = fs::read_to_string(repository().join("README.md")).expect("there is a README");
    let parts = text.split("```").skip(1).step_by(2);
    parts
        .filter_map(|block| block.strip_prefix("sh\n").map(str::to_owned))
        .collect()
}

#[tokio::test]
async fn the_research_of_the_readme_leads_to_evidence() {
    let block = blocks()
        .into_iter()
        .find(|block| block.contains("collection_evidence"));
    let block = block.expect("the README researches the museum");
    let (alias, lines) = block.split_once('\n').expect("the block has lines");
    assert!(alias.starts_with("alias periplus="), "{alias}");
    let periplus = Periplus::new();
    let server = periplus.serve(&["met"]);
    crate::research::wait_until_ready(&server).await;
    let program = periplus.command(&[]);
    let script = format!(
        "set -eu\nperiplus() {{ {:?} \"$@\"; }}\n{lines}",
        program.get_program()
    );
    let output = Command::new("bash")
        .args(["-c", &script])
        .current_dir(periplus.folder())
        .env("HOME", periplus.folder())
        .env("MCP_URL", server.url())
        .output()
        .expect("bash starts");
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{out}\n{err}");
    for part in [
        "Islamic Art: 195 records",
        "have a score",
        "1 object found",
        "1 piece of evidence found",
    ] {
        assert!(out.contains(part), "{part}: {out}");
    }
}

#[test]
fn every_command_of_the_readme_is_one_that_the_binary_knows() {
    let periplus = Periplus::new();
    for line in blocks().iter().flat_map(|block| block.lines()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some(at) = words.iter().position(|word| *word == "periplus") else {
            continue;
        };
        let is_name = |word: &&str| word.chars().all(|c| c.is_ascii_lowercase());
        let command: Vec<&str> = words[at + 1..].iter().copied().take_while(is_name).collect();
        let help = periplus
            .run(&[&command[..], &["--help"]].concat())
            .expect(0)
            .stdout;
        for flag in words.iter().filter(|word| word.starts_with("--")) {
            let flag = flag.split('=').next().unwrap_or(flag);
            assert!(help.contains(flag), "{line}: there is no {flag}");
        }
    }
}

//! Help, manual pages and the generated reference.

use e2e::{Periplus, repository};

#[test]
fn the_committed_reference_is_what_the_binary_prints() {
    for page in ["cli", "environment", "errors", "exit-codes", "tools"] {
        let path = repository()
            .join("docs/reference")
            .join(page)
            .with_extension("md");
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        let printed = Periplus::new().run(&["reference", page]).expect(0).stdout;
        assert!(
            committed == printed,
            "{} is not current: run `cargo xtask gen`",
            path.display()
        );
    }
}

#[test]
fn short_help_fits_a_screen_and_long_help_has_examples() {
    let periplus = Periplus::new();
    let top = periplus.run(&["--help"]).expect(0).stdout;
    assert!(top.lines().count() <= 35, "{top}");
    for command in ["serve", "list", "call"] {
        let short = periplus.run(&[command, "-h"]).expect(0).stdout;
        assert!(short.lines().count() <= 35, "{short}");
        let long = periplus.run(&[command, "--help"]).expect(0).stdout;
        assert!(long.contains(&format!("  periplus {command}")), "{long}");
    }
}

#[test]
fn completions_and_manual_pages_know_every_command() {
    let periplus = Periplus::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = periplus.run(&["completions", shell]).expect(0).stdout;
        assert!(script.contains("doctor"), "{shell}");
    }
    assert!(periplus.run(&["man"]).expect(0).stdout.starts_with(".ie"));
    let _ = periplus.run(&["man", "--dir", "pages"]).expect(0);
    assert!(periplus.folder().join("pages/periplus-call.1").is_file());
}

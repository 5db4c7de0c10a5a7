//! Settings: order, origin, mistakes.

use e2e::Periplus;

#[test]
fn the_origin_of_every_value_is_shown() {
    let periplus = Periplus::new().env("HOST", "::1");
    periplus.write("periplus.toml", "port = 9000\n\n[met]\ndata_dir = \"snapshot\"\n");
    let shown = periplus.run(&["config", "show", "--origin"]).expect(0).stdout;
    for (value, origin) in [
        ("HOST=::1", "environment HOST"),
        ("PORT=9000", "periplus.toml:1"),
        ("MET_MCP_DATA_DIR=snapshot", "periplus.toml:4"),
        ("MCP_URL=http://127.0.0.1:8000", "default"),
    ] {
        let line = shown
            .lines()
            .find(|line| line.starts_with(value))
            .unwrap_or_else(|| panic!("{value}: {shown}"));
        assert!(line.ends_with(origin), "{line}");
    }
    let json = periplus.run(&["config", "show", "--json"]).expect(0).json();
    assert_eq!(json[0]["name"], "HOST");
}

#[test]
fn an_unknown_key_is_refused_with_its_place() {
    let periplus = Periplus::new();
    periplus.write("periplus.toml", "host = \"::1\"\nprot = 9000\n");
    let finished = periplus.run(&["serve"]).expect(2);
    assert!(
        finished.stderr.contains("periplus.toml:2:1"),
        "{}",
        finished.stderr
    );
    assert!(
        finished.stderr.contains("did you mean `port`?"),
        "{}",
        finished.stderr
    );
}

#[test]
fn a_named_file_must_exist() {
    let periplus = Periplus::new();
    for finished in [
        periplus.run(&["--config", "other.toml", "config", "show"]),
        Periplus::new()
            .env("PERIPLUS_CONFIG", "other.toml")
            .run(&["config", "show"]),
    ] {
        assert!(finished.expect(2).stderr.contains("other.toml"));
    }
}

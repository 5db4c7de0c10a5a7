//! What the agent of this binary can be for.

use periplus_cli::Profile;

/// Questions about land and forests.
pub(crate) const ZENO: Profile = Profile {
    name: "zeno",
    summary: "questions about land and forests",
    prompt: include_str!("profiles/zeno.md"),
    toolsets: &["zeno-aoi", "zeno-analysis"],
};

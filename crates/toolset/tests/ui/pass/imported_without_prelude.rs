// Everything the macros need is named in full by what they expand to.
mod tools {
    #[derive(periplus_toolset::ToolResult)]
    pub struct Done {
        /// What was done.
        message: String,
    }

    type Answer = Result<Done, periplus_toolset::ToolError>;

    /// Does it.
    #[periplus_toolset::tool(name = "do.it", read_only)]
    pub async fn work(
        /// How often.
        #[tool(default = 1, range(1..))]
        times: u64,
        /// What to call it.
        #[tool(default = "it")]
        name: String,
    ) -> Answer {
        Ok(Done { message: format!("did {name} {times} times") })
    }
}

fn main() {
    let toolset = periplus_toolset::Toolset::new("demo").tool(tools::work()).tool(tools::work);
    assert!(toolset.find("do.it").is_some());
}

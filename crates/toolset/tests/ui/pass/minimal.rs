use periplus_toolset::prelude::*;

#[derive(ToolResult)]
struct Done {
    /// What was done.
    message: String,
}

/// Does it.
#[tool]
async fn work() -> Done {
    Done { message: "done".to_owned() }
}

fn main() {
    assert_eq!(Toolset::new("demo").tool(work).check(), Ok(()));
}

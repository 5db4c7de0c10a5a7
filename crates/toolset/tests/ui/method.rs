use periplus_toolset::prelude::*;

/// A result.
#[derive(Debug, ToolResult)]
struct Done {
    /// What was done.
    message: String,
}

struct Catalogue;

impl Catalogue {
    /// Searches.
    #[tool]
    async fn search(&self) -> Done {
        Done { message: String::new() }
    }
}

fn main() {}

//! What the system prompt says, with and without session state.

/// The prompt of an agent whose host gives none.
pub const BASE_PROMPT: &str = "You are a helpful assistant with tools from MCP toolsets. \
    Use the tools whenever they can ground the answer.";

/// What follows the prompt when session state is on.
pub const STATE_PROMPT: &str = "\
## Values by reference

Large values from tools do not pass through this conversation. They are kept in session state and move by name.

- A note `[state updated: <key> — …]` at the end of a tool result says that a value was stored under that key. \
The value itself is not in the conversation.
- A key reads `<toolset>/<tool>/<field>`. Choose a value by its key and by what the next tool needs, not by how recent it is; \
listings say in which turn a value was written.
- To pass a value to a tool, write `@state:<key>` as the whole argument. Prefer this to copying a value. Never write it as a \
part of a longer text or inside an object or list, and use it only where the parameter's schema accepts it.
- Some parameters accept nothing but such a reference. Never write a value for them: if no fitting value exists yet, \
first call the tool that produces it.
- To read a value, call `inspect_state` with the bare key, without `@state:`. Large values come back as an outline: go on \
with `path` or `pattern`.
- Say where results come from: name the tool that produced the data, and say when a value was used again. \
If you passed a wrong reference, say so and repeat the call with the right one.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fragment_makes_every_point() {
        for point in [
            "do not pass through this conversation",
            "[state updated: <key> — …]",
            "not in the conversation",
            "`@state:<key>` as the whole argument",
            "Prefer this to copying",
            "part of a longer text",
            "schema accepts it",
            "<toolset>/<tool>/<field>",
            "not by how recent",
            "nothing but such a reference",
            "first call the tool that produces it",
            "bare key, without `@state:`",
            "name the tool that produced",
            "used again",
            "wrong reference",
        ] {
            assert!(STATE_PROMPT.contains(point), "{point}");
        }
    }
}

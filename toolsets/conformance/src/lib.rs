//! The fixtures of the official MCP conformance suite, as one toolset.

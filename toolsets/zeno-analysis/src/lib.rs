//! From an area and a question to statistics with a source, and to an insight that can be checked.

//! Runs analysis programs in a confined child process: no files, no network, bounded time and memory.

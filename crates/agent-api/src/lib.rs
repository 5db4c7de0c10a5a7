//! The agent over HTTP: runs as AG-UI event streams, and read routes over threads.

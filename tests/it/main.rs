//! The built binary, from the outside.

mod agent;
mod analytics;
mod answers;
mod areas;
mod call;
mod config;
mod doctor;
mod eval;
mod http;
mod import;
mod index;
mod insight;
mod pages;
mod parity;
mod readme;
mod repl;
mod research;
mod scaffold;
mod secrets;
mod serve;
mod stdio;

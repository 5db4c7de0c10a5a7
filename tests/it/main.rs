//! The built binary, from the outside.

mod call;
mod config;
mod doctor;
mod http;
mod pages;
mod secrets;
mod serve;

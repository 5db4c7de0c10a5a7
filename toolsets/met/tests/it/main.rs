//! `met` on the shipped rows, called in process.

mod answers;
mod contract;
mod examples;
mod failures;
mod published;
mod support;

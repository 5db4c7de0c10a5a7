//! A conversation in a terminal: how an answer looks, what a step shows, how a question is answered.

mod line;
mod markdown;
mod question;
mod steps;

pub(crate) use self::{
    line::{COMMANDS, Line},
    markdown::Markdown,
    question::Form,
    steps::{finished, started},
};

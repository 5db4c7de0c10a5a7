//! A conversation in a terminal: how an answer looks, what a step shows, how a question is answered.

mod line;
mod markdown;
mod question;
mod screen;
mod steps;

pub(crate) use self::{
    line::{COMMANDS, Line},
    question::Form,
    screen::Screen,
};
use self::{
    markdown::Markdown,
    steps::{finished, started},
};

//! The tools, by what they exercise.

mod content;
mod legacy;
mod news;
mod rounds;
mod schemas;
mod talk;
mod tasks;

use periplus_toolset::Tool;

pub(crate) fn all() -> Vec<Tool> {
    [
        content::all(),
        talk::all(),
        legacy::all(),
        schemas::all(),
        news::all(),
        rounds::all(),
        tasks::all(),
    ]
    .concat()
}

//! One file per tool.

mod generate_insight;
mod pick_dataset;
mod pull_data;

use periplus_toolset::Context;

pub(crate) use self::{generate_insight::generate_insight, pick_dataset::pick_dataset, pull_data::pull_data};
use crate::Zeno;

fn zeno(cx: &Context) -> &Zeno {
    cx.state()
        .expect("the toolset is built with its catalogue and service")
}

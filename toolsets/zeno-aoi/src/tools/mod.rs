//! One file per tool.

mod pick_aoi;

pub(crate) use self::pick_aoi::pick_aoi;

//! The smallest picture and the shortest sound.

use periplus_toolset::{Block, Media};

pub(crate) const PNG: &[u8] = include_bytes!("../assets/pixel.png");
const WAV: &[u8] = include_bytes!("../assets/silence.wav");

/// One red pixel.
pub(crate) fn image() -> Block {
    Block::Image(Media::new("image/png", PNG))
}

/// A millisecond of silence.
pub(crate) fn audio() -> Block {
    Block::Audio(Media::new("audio/wav", WAV))
}

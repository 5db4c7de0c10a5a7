//! The server over real HTTP, with toolsets built here.

mod calls;
mod documents;
mod eras;
mod fuzz;
mod hosts;
mod privacy;
mod sdk;
mod stop;
mod support;
mod wire;

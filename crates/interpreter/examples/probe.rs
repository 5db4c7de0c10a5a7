//! Gives up what a worker gives up, then tries to get it back, and says what it got: one JSON object on stdout.

use std::{
    fs::{self, File},
    io::{self, Write as _},
    mem::ManuallyDrop,
    net::{TcpStream, UdpSocket},
    process::Command,
    thread,
};

use periplus_interpreter::{Limits, worker};
use serde_json::json;

#[global_allocator]
static ALLOCATOR: worker::CountingAllocator = worker::CountingAllocator;

fn main() -> io::Result<()> {
    let inherited = File::open("/proc/self/status")?;
    let confinement = worker::give_up(&Limits::default());
    let got = json!({
        "inherited": inherited.metadata().is_ok(),
        "read": fs::read("/etc/passwd").is_ok(),
        "write": fs::write("/tmp/periplus-probe", "x").is_ok(),
        "list": fs::read_dir("/").is_ok(),
        "connect": TcpStream::connect("127.0.0.1:9").is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused),
        "bind": UdpSocket::bind("127.0.0.1:0").is_ok(),
        "run": Command::new("/bin/true").status().is_ok(),
        "thread": thread::Builder::new().spawn(|| ()).is_ok(),
    });
    // Its descriptor is closed already; closing it again would be a fault.
    let _closed = ManuallyDrop::new(inherited);
    let report = json!({ "got": got, "gaps": confinement.gaps() });
    io::stdout().write_all(report.to_string().as_bytes())
}

//! PgBouncer in front of the private server, handing out connections by transaction as hosted databases do.

use std::{
    path::Path,
    process::{Child, Stdio},
};

use anyhow::{Context, Result};

use super::{ACCOUNT, account};

pub(super) const PROGRAM: &str = "/usr/sbin/pgbouncer";

/// Starts it; its folder is the server's.
pub(super) fn spawn(folder: &Path, port: u16, server_port: u16) -> Result<Child> {
    let settings = format!(
        "[databases]
* = host=127.0.0.1 port={server_port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = trust
auth_file = {users}
pool_mode = transaction
default_pool_size = 10
max_client_conn = 1000
logfile = {log}
",
        users = folder.join("users").display(),
        log = folder.join("pooler.log").display(),
    );
    let file = folder.join("pooler.ini");
    let write = |path: &Path, text: &str| {
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
    };
    write(&file, &settings)?;
    write(&folder.join("users"), &format!("\"{ACCOUNT}\" \"\"\n"))?;
    account(&["--pdeathsig=KILL"])?
        .args([PROGRAM, "--quiet"])
        .arg(file)
        .stdin(Stdio::null())
        .spawn()
        .context("cannot start PgBouncer")
}

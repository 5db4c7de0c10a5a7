//! One TLS stack: rustls on ring.

#[test]
fn the_lock_file_names_no_second_tls_stack() {
    let lock = include_str!("../../../../Cargo.lock");
    for package in ["aws-lc-sys", "aws-lc-rs", "openssl-sys", "native-tls"] {
        assert!(
            !lock.contains(&format!("name = \"{package}\"")),
            "{package} must not be linked"
        );
    }
    assert!(lock.contains("name = \"ring\""));
}

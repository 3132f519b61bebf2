//! Opens an address in the browser.

use std::{
    io::Write as _,
    process::{Command, Stdio},
};

use super::secret;

/// Opens the address in the system's browser. Returns `false` if none can be started.
pub(crate) fn open(address: &str) -> bool {
    let candidates: &[(&str, &[&str])] = if cfg!(target_os = "macos") {
        &[("open", &[])]
    } else if cfg!(windows) {
        &[("rundll32", &["url.dll,FileProtocolHandler"])]
    } else if std::env::var_os("DISPLAY").is_none() && std::env::var_os("WAYLAND_DISPLAY").is_none() {
        // Without a screen, the openers start a browser in the terminal of the program.
        &[]
    } else {
        &[("xdg-open", &[]), ("gio", &["open"])]
    };
    candidates.iter().any(|(program, arguments)| {
        let mut command = Command::new(program);
        command.args(*arguments).arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        secret::withhold(&mut command);
        command.spawn().is_ok_and(|mut child| {
            // Openers end at once; waiting for them leaves no zombie process behind.
            std::thread::spawn(move || child.wait());
            true
        })
    })
}

/// Writes the address to standard error, where the user of a terminal sees it.
pub(super) fn print(address: &str) {
    // Without a standard error, nobody sees the address, and the deadline ends the wait.
    let _ = writeln!(std::io::stderr(), "Open this address to sign in:\n\n  {address}\n");
}

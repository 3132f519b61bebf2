//! Shows an address to the user.

use std::{
    io::Write as _,
    process::{Command, Stdio},
};

use super::secret;

/// Opens the address in the browser of the system. `false`: there is none that can be started.
pub(super) fn open(address: &str) -> bool {
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
            // Openers end at once; their end is waited for, so that none stays behind as a zombie.
            std::thread::spawn(move || child.wait());
            true
        })
    })
}

/// Writes the address to standard error, where the user of a terminal sees it.
pub(super) fn print(address: &str) {
    // Without a standard error there is nobody to tell, and the deadline ends the wait.
    let _ = writeln!(std::io::stderr(), "Open this address to sign in:\n\n  {address}\n");
}

//! The program running unattended: on networks, without a terminal.

use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The program with a configuration, killed on drop.
pub struct Program(Child);

impl Program {
    /// Starts it.
    pub fn start(data: &Path, config: &Path) -> Self {
        let mut command = crate::astragal(data);
        let child = command.arg("--config").arg(config).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        Program(child.expect("the program runs"))
    }

    /// Starts this one.
    pub fn run(mut command: Command) -> Self {
        Program(command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().expect("the program runs"))
    }

    /// Waits until it ends. Returns true if it ends well.
    pub fn wait(&mut self) -> bool {
        crate::until("the program ends", || self.has_ended());
        self.0.wait().expect("it ends").success()
    }

    /// True if it has ended.
    pub fn has_ended(&mut self) -> bool {
        self.0.try_wait().expect("it is ours").is_some()
    }

    /// Sends it a signal, such as HUP.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([&format!("-{name}"), &self.0.id().to_string()]).status();
        assert!(sent.expect("kill is everywhere").success(), "the program takes no {name}");
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        self.0.wait().expect("it ends");
    }
}

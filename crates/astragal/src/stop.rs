//! What to type where the bot must be stopped first.

use crate::ask;
use std::fs;
use std::path::Path;

/// Says that a bot runs on `data`, and how to stop it and start it again.
pub fn first(data: &Path) -> String {
    let running = format!("a bot is running on {}", data.display());
    let Ok(process) = ask::process(data) else { return format!("{running}: stop it first") };
    let groups = fs::read_to_string(format!("/proc/{process}/cgroup")).unwrap_or_default();
    match unit(&groups) {
        Some((systemctl, unit)) => {
            format!("{running}: type {systemctl} stop {unit}, then this again, then {systemctl} start {unit}")
        }
        None => format!("{running}, as process {process}: stop it first, for instance with kill {process}"),
    }
}

/// The service that a process belongs to by its control groups, and how that is told something.
fn unit(groups: &str) -> Option<(&'static str, &str)> {
    // "0::/system.slice/astragal.service", or "0::/user.slice/user-1000.slice/user@1000.service/app.slice/astragal.service"
    let path = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    let unit = path.rsplit('/').find(|part| part.ends_with(".service"))?;
    match (unit.starts_with("user@"), path.contains("/user@")) {
        (true, _) => None,
        (false, true) => Some(("systemctl --user", unit)),
        (false, false) => Some(("sudo systemctl", unit)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_is_stopped_as_its_manager_is_told() {
        assert_eq!(unit("0::/system.slice/astragal.service\n"), Some(("sudo systemctl", "astragal.service")));
        let own = "0::/user.slice/user-1000.slice/user@1000.service/app.slice/dice.service\n";
        assert_eq!(unit(own), Some(("systemctl --user", "dice.service")));
        let terminal = "0::/user.slice/user-1000.slice/user@1000.service/app.slice/shell.scope\n";
        assert_eq!(unit(terminal), None);
        assert_eq!(unit("0::/user.slice/user-1000.slice/session-3.scope\n"), None);
        assert_eq!(unit("0::/\n"), None);
    }
}

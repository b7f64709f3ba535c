//! The files for containers. Their own tools are not here: podman's generator and hadolint were asked by hand.

use std::fs;
use std::process::{Command, Stdio};
use tests::program;

/// The keys that podman 4.5 knows in a container's section: it makes no service of a file with another one.
const KEYS: [&str; 26] = [
    "AddCapability",
    "ContainerName",
    "DropCapability",
    "Environment",
    "EnvironmentFile",
    "Exec",
    "Group",
    "HealthCmd",
    "HealthInterval",
    "HealthOnFailure",
    "HealthRetries",
    "HealthStartPeriod",
    "HealthTimeout",
    "IP",
    "Image",
    "Label",
    "Network",
    "NoNewPrivileges",
    "Notify",
    "PodmanArgs",
    "PublishPort",
    "ReadOnly",
    "Secret",
    "Tmpfs",
    "User",
    "Volume",
];

fn file(name: &str) -> String {
    fs::read_to_string(format!("{}/../{name}", env!("CARGO_MANIFEST_DIR"))).expect("it is there")
}

#[test]
fn the_quadlet_has_only_keys_of_the_podman_that_the_manual_asks_for() {
    let quadlet = file("deploy/astragal.container");
    let (_, section) = quadlet.split_once("\n[Container]\n").expect("a section");
    let (section, _) = section.split_once("\n[").expect("another one behind it");
    let lines = section.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    for line in lines {
        let key = line.split('=').next().unwrap_or_default();
        assert!(KEYS.contains(&key), "podman 4.5 does not know {key}");
    }
    for (name, text) in [("the Quadlet", &quadlet), ("the manual", &file("docs/containers.md"))] {
        assert!(text.contains("4.5 or newer"), "{name} asks for another podman");
    }
}

#[test]
fn every_line_for_the_program_in_the_files_for_containers_is_understood() {
    let (quadlet, image) = (file("deploy/astragal.container"), file("deploy/Containerfile"));
    let value = |line: &str| line.split_once('=').map(|(_, value)| value.to_owned()).expect("a value");
    let from_quadlet = quadlet.lines().filter(|line| line.starts_with("HealthCmd=") || line.starts_with("ExecReload="));
    let from_image = image.lines().filter_map(|line| line.split_once("[\"").map(|(_, words)| format!("={words}")));
    let plain = |line: String| line.replace(['"', ',', ']'], " ");
    let lines: Vec<String> = from_quadlet.map(value).chain(from_image.map(|line| plain(value(&line)))).collect();
    assert_eq!(lines.len(), 4, "{lines:?}");
    // Without --check a bot that hears nobody is healthy.
    let health: Vec<_> = lines.iter().filter(|line| line.contains("status")).collect();
    assert!(health.len() == 2 && health.iter().all(|line| line.contains("--check")), "{health:?}");
    for line in lines {
        // What is in front of the program starts it in the container.
        let words: Vec<&str> = line.split_whitespace().collect();
        let at = words.iter().rposition(|word| *word == "astragal").expect("it starts the program");
        let mut command = Command::new(program());
        command.args(&words[at + 1..]).arg("--help").stdin(Stdio::null());
        let output = command.output().expect("astragal runs");
        assert!(output.status.success(), "{line}: {output:?}");
    }
}

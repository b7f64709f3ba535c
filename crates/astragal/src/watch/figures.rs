//! The figures of the process, its data and its backups, as they are when somebody looks.

use crate::backups;
use crate::operator::Operator;
use crate::remote::Standing;
use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

/// The kernel tells processor time in this unit, whatever its own clock does (USER_HZ).
const TICKS_PER_SECOND: f64 = 100.0;

/// Measures everything.
pub fn measure(operator: &Operator) {
    metrics::gauge!("astragal_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
    gauge("process_start_time_seconds", operator.since.as_second() as f64);
    match operator.store.standing() {
        Some(standing) => measure_server(&standing),
        None => gauge("astragal_store_bytes", size_of(&operator.data.join("store")) as f64),
    }
    if let Ok(disk) = rustix::fs::statvfs(&operator.data) {
        gauge("astragal_disk_free_bytes", (disk.f_bavail * disk.f_frsize) as f64);
    }
    if operator.config().backups.keep > 0 {
        gauge("astragal_backup_timestamp_seconds", written_at(backups::newest(&operator.backups).as_deref()));
    }
    #[cfg(feature = "page")]
    page::measure();
    measure_process();
}

// Sizes and times are far below where floating point becomes inexact.
fn gauge(name: &'static str, value: f64) {
    metrics::gauge!(name).set(value);
}

/// A store on a server, which has no size of its own.
fn measure_server(standing: &Standing) {
    gauge("astragal_lease_age_seconds", standing.renewed_ago_s);
    metrics::counter!("astragal_lease_failures_total").absolute(standing.failures);
    if let Some(synchronous) = standing.synchronous {
        gauge("astragal_database_synchronous", f64::from(u8::from(synchronous)));
        gauge("astragal_standbys", standing.others.len() as f64);
    }
}

/// The bytes of all files below a directory. A file may go while they are counted.
fn size_of(directory: &Path) -> u64 {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let size = |entry: fs::DirEntry| match entry.metadata() {
        Ok(found) if found.is_dir() => size_of(&entry.path()),
        Ok(found) => found.len(),
        Err(_) => 0,
    };
    entries.map(size).sum()
}

/// When a file was written, in seconds since 1970.
fn written_at(file: Option<&Path>) -> f64 {
    let written = file.and_then(|file| fs::metadata(file).ok()?.modified().ok()?.duration_since(UNIX_EPOCH).ok());
    written.map_or(0.0, |since| since.as_secs_f64())
}

/// What the kernel says of this process, where it is Linux.
fn measure_process() {
    let read = |name: &str| fs::read_to_string(format!("/proc/self/{name}")).unwrap_or_default();
    // The program's name is in parentheses, and may contain anything.
    let stat = read("stat");
    let fields: Vec<f64> = stat
        .rsplit_once(')')
        .map_or("", |(_, rest)| rest)
        .split_whitespace()
        .map(|field| field.parse().unwrap_or_default())
        .collect();
    if let (Some(user), Some(system), Some(threads)) = (fields.get(11), fields.get(12), fields.get(17)) {
        gauge("process_cpu_seconds_total", (user + system) / TICKS_PER_SECOND);
        gauge("process_threads", *threads);
    }
    let status = read("status");
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.split_whitespace().next()?.parse().ok());
    if let Some(kib) = resident {
        let kib: f64 = kib;
        gauge("process_resident_memory_bytes", kib * 1024.0);
    }
    if let Ok(open) = fs::read_dir("/proc/self/fd") {
        gauge("process_open_fds", open.count() as f64);
    }
    let limits = read("limits");
    let most =
        limits.lines().find_map(|line| line.strip_prefix("Max open files")?.split_whitespace().next()?.parse().ok());
    if let Some(most) = most {
        gauge("process_max_fds", most);
    }
}

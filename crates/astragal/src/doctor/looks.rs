//! What the doctor looks at without asking a server.

use super::Finding::{self, Well, Wrong};
use super::{Patient, State};
use crate::room::{Disk, shown};
use crate::store::Kept;
use crate::{backups, check, owner};
use chat::{Clock, SystemClock};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

/// A daily backup may be this old.
const OLDEST: SignedDuration = SignedDuration::from_hours(50);
/// A clock may be off by this much.
const CLOCK: SignedDuration = SignedDuration::from_mins(5);
/// The fewest open files that a bot on several networks needs.
const FEWEST_FILES: u64 = 1_024;
/// The least memory that a limit may leave.
const LEAST_MEMORY: u64 = 1 << 30;

/// Whether the bot runs.
pub fn state(patient: &Patient<'_>) -> Vec<Finding> {
    let data = patient.home.data.display();
    vec![match (&patient.state, &patient.home.kept) {
        (State::Running(process, _), _) => Well(format!("it runs on {data} as process {process}")),
        (State::Silent(_), Kept::There(_)) => {
            Well(format!("it runs on {data} and does not play: it starts, or stands by for another machine"))
        }
        (State::Stopped, Kept::There(remote)) => Well(format!("it is stopped; its data is in {remote}")),
        (State::Silent(why), Kept::Here(_)) => Wrong(
            format!("it runs on {data} and does not answer ({why})"),
            "look into its log, and restart it".to_owned(),
        ),
        (State::Stopped, Kept::Here(_)) if patient.home.data.join("store").exists() => {
            Well(format!("it is stopped; its data is in {data}"))
        }
        (State::Stopped, Kept::Here(_)) => Wrong(
            format!("there is no data in {data}"),
            "start the bot, or name the right directory with --data or --config".to_owned(),
        ),
    }]
}

/// Whether the database of a store on a server can be written to, and what its failure would cost.
pub fn database(patient: &Patient<'_>) -> Vec<Finding> {
    let Kept::There(remote) = &patient.home.kept else { return Vec::new() };
    let cure = || "look whether it runs, and whether this machine reaches it".to_owned();
    let found = match &patient.state {
        State::Running(_, status) => match status["store"]["trouble"].as_str() {
            Some(trouble) => Err(trouble.to_owned()),
            None => {
                let others = status["store"]["others"].as_array().map_or(0, Vec::len);
                let stand_by = if others == 0 { "no other bot stands by" } else { "another bot stands by" };
                let cost = status["store"]["cost"].as_str().unwrap_or("it answers");
                Ok(format!("{remote}; {stand_by}; {cost}"))
            }
        },
        State::Silent(_) | State::Stopped => remote.try_out().map(|found| format!("{remote}; {found}")),
    };
    vec![found.map_or_else(|trouble| Wrong(trouble, cure()), Well)]
}

/// Secrets that others can read.
pub fn secrets(patient: &Patient<'_>) -> Vec<Finding> {
    match owner::as_typed(|| patient.place.exposed_secrets()) {
        Ok(exposed) if exposed.is_empty() => vec![Well("nobody else can read them".to_owned())],
        Ok(exposed) => exposed.into_iter().filter_map(|line| split(line.trim_start_matches("warning: "))).collect(),
        Err(error) => vec![Wrong(format!("{error:#}"), "run astragal check-config".to_owned())],
    }
}

/// What is wrong, and what to type, of a line that says both.
fn split(line: &str) -> Option<Finding> {
    line.rsplit_once(": ").map(|(what, cure)| Wrong(what.to_owned(), cure.to_owned()))
}

/// Whether the clock fits what was written by it.
pub fn clock(patient: &Patient<'_>) -> Vec<Finding> {
    let now = SystemClock.now();
    let store = check::newest_file(&patient.home.data.join("store"));
    let backup = backups::newest_of(&patient.home.backups).filter(|(day, _)| *day > backups::day_of(now));
    let cure = || "set the clock right: timedatectl set-ntp true".to_owned();
    vec![if store.is_some_and(|written| written.duration_since(now) > CLOCK) {
        Wrong(format!("it says {now:.0}, and data was written later than that"), cure())
    } else if let Some((day, _)) = backup {
        Wrong(format!("it says {now:.0}, and all backups are later, from {day}"), cure())
    } else {
        Well(format!("it says {now:.0}"))
    }]
}

/// Room for the store, its check at a start, and another backup.
pub fn disk(patient: &Patient<'_>) -> Vec<Finding> {
    let home = &patient.home;
    let backup = backups::newest(&home.backups).and_then(|file| fs::metadata(file).ok()).map_or(0, |file| file.len());
    let needed = check::size(&home.data.join("store")) + backup;
    let disk_of = |path: &Path| fs::metadata(path).ok().map(|found| found.dev());
    let elsewhere = disk_of(&home.backups).is_some_and(|disk| Some(disk) != disk_of(&home.data));
    let places = [Some(&home.data), Some(&home.backups).filter(|_| elsewhere)];
    places.into_iter().flatten().filter(|place| place.exists()).map(|place| room(place, needed)).collect()
}

fn room(directory: &Path, needed: u64) -> Finding {
    let disk = match Disk::of(directory) {
        Ok(disk) => disk,
        Err(error) => return Wrong(format!("{error:#}"), "look at the disk".to_owned()),
    };
    let (free, size, place) = (shown(disk.free), shown(disk.size), directory.display());
    if disk.free >= disk.kept() + needed {
        return Well(format!("{free} of {size} are free for {place}"));
    }
    let needed = shown(disk.kept() + needed);
    Wrong(
        format!("only {free} of {size} are free for {place}, and the bot needs {needed}"),
        "make room, lower backups.keep, or set backups.directory to a directory on another disk".to_owned(),
    )
}

/// Whose files there are, and who can read them.
pub fn files(patient: &Patient<'_>) -> Vec<Finding> {
    let data = &patient.home.data;
    let Ok(found) = fs::metadata(data) else { return Vec::new() };
    if let Err(error) = fs::read_dir(data) {
        let cure = owner::advice(&error.to_string(), data).unwrap_or_else(|| "look at the disk".to_owned());
        return vec![Wrong(format!("{} cannot be read: {error}", data.display()), cure)];
    }
    let mut all = Vec::new();
    let foreign = owner::foreign(data);
    if let Some(first) = foreign.first() {
        let repair = owner::repair(data, &found, first);
        let (what, cure) = repair.split_once(": type ").unwrap_or((&repair, ""));
        let more = if foreign.len() > 1 { format!(", and so do {} more", foreign.len() - 1) } else { String::new() };
        all.push(Wrong(format!("{what}{more}"), format!("type {cure}")));
    }
    let mode = found.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        let data = data.display();
        all.push(Wrong(format!("{data} is open to others (mode {mode:o})"), format!("type chmod 700 {data}")));
    }
    if all.is_empty() {
        let owner = owner::name(found.uid());
        all.push(Well(format!("all of them belong to {owner}, and nobody else can read them")));
    }
    all
}

/// The age of the newest daily backup, as far as there was something to back up.
pub fn backup(patient: &Patient<'_>) -> Vec<Finding> {
    let home = &patient.home;
    if patient.config.backups.keep == 0 {
        return vec![Wrong("none are written (backups.keep = 0)".to_owned(), "set backups.keep = 7".to_owned())];
    }
    if let State::Running(_, status) = &patient.state
        && let Some(trouble) = status["backup"].as_str()
    {
        let cure = "the bot tries again every hour".to_owned();
        return vec![Wrong(trouble.to_owned(), cure)];
    }
    if let (Kept::There(_), State::Silent(_) | State::Stopped) = (&home.kept, &patient.state) {
        return vec![Well("whichever machine plays writes it, into a directory of its own".to_owned())];
    }
    let running = !matches!(patient.state, State::Stopped);
    let written = check::newest_file(&home.data.join("store"));
    let last = if running { Some(SystemClock.now()) } else { written };
    let Some(until) = last else {
        return vec![Well("there is nothing to back up yet".to_owned())];
    };
    let cure = || "run astragal ctl backup while the bot runs; if that fails, it says why".to_owned();
    vec![match backups::newest_of(&home.backups) {
        Some((day, file)) => match until.duration_since(end_of(&day).unwrap_or(until)) {
            age if age > OLDEST => Wrong(format!("the newest is from {day}"), cure()),
            _ => Well(format!("the newest is {}", file.display())),
        },
        None if since(&home.data).is_none_or(|begun| until.duration_since(begun) > SignedDuration::from_hours(1)) => {
            Wrong(format!("there is none in {}", home.backups.display()), cure())
        }
        None => Well("the first is written within an hour of the start".to_owned()),
    }]
}

fn end_of(day: &str) -> Option<Timestamp> {
    day.parse::<jiff::civil::Date>().ok()?.to_zoned(TimeZone::UTC).ok().map(|day| day.timestamp())
}

/// When the data directory was first used: its lock is written only once.
fn since(data: &Path) -> Option<Timestamp> {
    fs::metadata(data.join("lock")).and_then(|lock| lock.modified()).ok()?.try_into().ok()
}

/// What restores an account if all else is lost.
pub fn keys(patient: &Patient<'_>) -> Vec<Finding> {
    let looked = patient.config.networks.iter().flat_map(|network| network.look(&patient.home.data));
    looked.map(|found| found.map_or_else(|(what, cure)| Wrong(what, cure), Well)).collect()
}

/// Limits of the process.
pub fn limits(patient: &Patient<'_>) -> Vec<Finding> {
    let (process, whose) = match &patient.state {
        State::Running(process, _) => (process.to_string(), "the bot has"),
        _ => ("self".to_owned(), "here a process has"),
    };
    let Ok(text) = fs::read_to_string(format!("/proc/{process}/limits")) else { return Vec::new() };
    let mut all = Vec::new();
    for (name, least, setting, flag) in [
        ("Max open files", FEWEST_FILES, "LimitNOFILE=65536", "-n 65536"),
        ("Max file size", u64::MAX, "LimitFSIZE=infinity", "-f unlimited"),
        ("Max address space", LEAST_MEMORY, "LimitAS=infinity", "-v unlimited"),
    ] {
        let limit = text.lines().find_map(|line| line.strip_prefix(name)?.split_whitespace().next().map(str::to_owned));
        let few = limit.as_deref().and_then(|limit| limit.parse::<u64>().ok()).filter(|limit| *limit < least);
        if let Some(few) = few {
            let what = format!("{whose} a limit: {} {few}", name.to_lowercase());
            all.push(Wrong(
                what,
                format!("write {setting} in its unit under [Service], or type ulimit {flag} before the start"),
            ));
        }
    }
    if all.is_empty() {
        all.push(Well(format!("{whose} enough open files, file size and memory")));
    }
    all
}

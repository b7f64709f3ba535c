//! Runs many seeds: those that failed once, then new ones. Reports failures.

use crate::options::Options;
use crate::run::machine::keep_panics;
use crate::run::{Ended, run};
use crate::script::Script;
use crate::shrink::shrink;
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The seeds that failed once, one per line; the reason follows `#`.
const KEPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/seeds.txt");

/// Every seed divisible by this is run twice and must give the same log.
const TWICE: u64 = 50;

/// After this many failures no more seeds are started, unless the first is enough.
const ENOUGH: usize = 10;

/// Runs the seeds in the options and reports the results.
///
/// # Errors
/// The report cannot be written.
pub fn run_all(options: &Options, out: &mut dyn Write) -> io::Result<ExitCode> {
    keep_panics();
    if options.year {
        return year(options, out);
    }
    if let Some(seed) = options.seed {
        let script = options.script(seed);
        let Ended { log, wrong } = tried(&script, true);
        if options.verbose {
            log.iter().try_for_each(|line| writeln!(out, "{line}"))?;
        }
        let Some(wrong) = wrong else {
            writeln!(out, "seed {seed}: all is as it must be")?;
            return Ok(ExitCode::SUCCESS);
        };
        tell(&script, &wrong, out)?;
        return Ok(ExitCode::FAILURE);
    }
    let kept = if options.first || options.pair { Vec::new() } else { kept() };
    let all: Vec<u64> = kept.iter().copied().chain(options.from..options.from + options.seeds).collect();
    if options.first {
        return first(&failures(&all, options, 1), all.len(), options, out);
    }
    let failed = failures(&all, options, ENOUGH);
    for (seed, wrong) in &failed {
        let pair = if options.pair { "--pair " } else { "" };
        writeln!(out, "seed {seed}: {wrong}\n  cargo run --profile sim -p simulation -- {pair}--seed {seed} -v")?;
        if options.keep && !options.pair && !kept.contains(seed) {
            let mut file = OpenOptions::new().append(true).create(true).open(KEPT)?;
            writeln!(file, "{seed} # {}", wrong.lines().next().unwrap_or_default())?;
        }
    }
    if let Some((seed, wrong)) = failed.first_key_value() {
        tell(&options.script(*seed), wrong, out)?;
    }
    writeln!(out, "{} seeds, {} kept ones among them: {} failed", all.len(), kept.len(), failed.len())?;
    Ok(if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Plays a year.
fn year(options: &Options, out: &mut dyn Write) -> io::Result<ExitCode> {
    let (seed, days) = (options.seed.unwrap_or(options.from), options.days);
    let Ended { log, wrong } = run(&Script::year(seed, days));
    if options.verbose {
        log.iter().try_for_each(|line| writeln!(out, "{line}"))?;
    }
    writeln!(out, "{days} days of seed {seed}: {}", wrong.as_deref().unwrap_or("all is as it must be"))?;
    Ok(if wrong.is_none() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Reports the first failure on one line.
fn first(failed: &BTreeMap<u64, String>, seeds: usize, options: &Options, out: &mut dyn Write) -> io::Result<ExitCode> {
    let Some((seed, wrong)) = failed.first_key_value() else {
        writeln!(out, "{seeds} seeds, and none failed")?;
        return Ok(ExitCode::SUCCESS);
    };
    let line = wrong.lines().next().unwrap_or_default();
    writeln!(out, "seed {seed} ({} run): {line}", seed - options.from + 1)?;
    Ok(ExitCode::FAILURE)
}

/// The seeds that failed, and why. After `enough` of them no more are started.
fn failures(all: &[u64], options: &Options, enough: usize) -> BTreeMap<u64, String> {
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        for _ in 0..options.jobs {
            scope.spawn(|| {
                while let Some(seed) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let failures = || failed.lock().expect("nothing panics holding it");
                    if failures().len() >= enough {
                        return;
                    }
                    if let Some(wrong) = tried(&options.script(*seed), seed % TWICE == 0).wrong {
                        failures().insert(*seed, wrong);
                    }
                }
            });
        }
    });
    failed.into_inner().expect("nothing panics holding it")
}

/// Runs a script; if `twice`, runs it again and compares the logs.
fn tried(script: &Script, twice: bool) -> Ended {
    let mut ended = run(script);
    if twice && ended.wrong.is_none() {
        let again = run(script).log;
        let differs = ended.log.iter().zip(&again).find(|(first, second)| first != second);
        if let Some((first, second)) = differs {
            ended.wrong = Some(format!("the same seed gave another log: {first:?} became {second:?}"));
        } else if ended.log.len() != again.len() {
            ended.wrong = Some(format!("the same seed gave {} lines, then {}", ended.log.len(), again.len()));
        }
    }
    ended
}

/// Reports how a script fails, and how a shorter one does.
fn tell(script: &Script, wrong: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "seed {}: {wrong}\nThe shortest script that I found to fail like that:", script.seed)?;
    let shortest = shrink(script, wrong);
    writeln!(
        out,
        "  on {:?} in groups of {}, networks {:?}, {} % held up",
        shortest.on, shortest.groups, shortest.nets, shortest.holds
    )?;
    shortest.moves.iter().try_for_each(|each| writeln!(out, "  {:?}, then {} steps", each.act, each.steps))?;
    let ended = run(&shortest);
    writeln!(out, "and what happens then:")?;
    ended.log.iter().try_for_each(|line| writeln!(out, "  {line}"))
}

/// The seeds that are kept.
fn kept() -> Vec<u64> {
    let text = fs::read_to_string(KEPT).unwrap_or_default();
    text.lines().filter_map(|line| line.split('#').next()?.trim().parse().ok()).collect()
}

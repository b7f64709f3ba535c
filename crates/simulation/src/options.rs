//! The command line.

use crate::script::Script;

/// The usage text.
pub const USAGE: &str = "\
usage: simulation [--seeds N] [--from N] [--jobs N]   the seeds that are kept, then N seeds from the one given
       simulation --seed N [-v]                       one seed, with its shortest failing script; -v: with its log
       simulation --pair ...                          the same on two machines that share a database; no seeds of it are kept
       simulation --year [--seed N] [--days N]        a year of a seed, in ten thousand rooms
       add --keep to add failing seeds to those that are kept
       add --first to leave those out and to stop at the first failure, which is told on one line";

/// The options given.
#[derive(Debug, PartialEq, Eq)]
pub struct Options {
    /// The number of seeds.
    pub seeds: u64,
    /// The first seed.
    pub from: u64,
    /// Whether to play on two machines.
    pub pair: bool,
    /// Whether to play a year of a seed.
    pub year: bool,
    /// How many days of it.
    pub days: u64,
    /// Only this seed.
    pub seed: Option<u64>,
    /// How many to run at a time.
    pub jobs: u64,
    /// Whether to print the log.
    pub verbose: bool,
    /// Whether to keep failing seeds.
    pub keep: bool,
    /// Whether to stop at the first failure, without the kept seeds.
    pub first: bool,
}

impl Options {
    /// Parses the words after the program's name.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn read(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let (keep, first, year, days, pair) = (false, false, false, 365, false);
        let mut options =
            Options { seeds: 2_000, from: 1, seed: None, jobs: 1, verbose: false, keep, first, year, days, pair };
        while let Some(word) = words.next() {
            let mut number = || -> Result<u64, String> {
                let value = words.next().ok_or_else(|| format!("{word} needs a number"))?;
                value.parse().map_err(|_| format!("{value} is no number"))
            };
            match word.as_str() {
                "--seeds" => options.seeds = number()?,
                "--from" => options.from = number()?,
                "--seed" => options.seed = Some(number()?),
                "--jobs" => options.jobs = number()?.max(1),
                "-v" | "--verbose" => options.verbose = true,
                "--pair" => options.pair = true,
                "--year" => options.year = true,
                "--days" => options.days = number()?,
                "--keep" => options.keep = true,
                "--first" => options.first = true,
                _ => return Err(format!("I do not understand {word}")),
            }
        }
        Ok(options)
    }

    /// The script of a seed.
    pub fn script(&self, seed: u64) -> Script {
        if self.pair { Script::pair(seed) } else { Script::new(seed) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &str) -> Result<Options, String> {
        Options::read(words.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn words_are_understood_or_named() {
        let options = read("--seeds 5 --from 7 --jobs 2 --keep").unwrap();
        assert_eq!((options.seeds, options.from, options.jobs, options.keep), (5, 7, 2, true));
        assert!(!options.first && read("--first").unwrap().first);
        let year = read("--year --days 30").unwrap();
        assert_eq!((year.year, year.days, read("--year").unwrap().days), (true, 30, 365));
        assert!(read("--pair --seeds 3").unwrap().pair);
        assert_eq!(read("--seed 9 -v").unwrap().seed, Some(9));
        assert_eq!(read("--seed").unwrap_err(), "--seed needs a number");
        assert_eq!(read("--speed 9").unwrap_err(), "I do not understand --speed");
    }
}

//! Times as people type them: `2d`, `in 3 hours`, `tomorrow 20:00`, `friday 8pm`, `2026-12-01 19:30`.

use dice::number_word;
use jiff::civil::{Date, DateTime, Time, Weekday};
use jiff::tz::{self, TimeZone};
use jiff::{SignedDuration, Span, Timestamp, ToSpan, Zoned};
use journal::HOUSE;
use journal::documents::TableDoc;
use plugin_api::suggest_within;
use std::fmt;

/// A day is recognised with one slip, or two, if it is this long.
const LONG_ENOUGH: [usize; 2] = [6, 8];

/// The farthest time that anything may be put off to.
const FARTHEST: SignedDuration = SignedDuration::from_hours(24 * 366);
/// The time of a day for which none was typed.
const MORNING: Time = Time::constant(9, 0, 0, 0);
const EVENING: Time = Time::constant(20, 0, 0, 0);
/// Words before a time that say nothing.
const FILLERS: [&str; 4] = ["in", "at", "on", "next"];
/// Units of time, and how many seconds each has.
const UNITS: [(&[&str], i64); 4] = [
    (&["m", "min", "mins", "minute", "minutes"], 60),
    (&["h", "hr", "hrs", "hour", "hours"], 3_600),
    (&["d", "day", "days"], 86_400),
    (&["w", "wk", "week", "weeks"], 604_800),
];
/// The days of the week, and the shortest beginning of a name that counts.
const DAYS: [(&str, Weekday); 7] = [
    ("monday", Weekday::Monday),
    ("tuesday", Weekday::Tuesday),
    ("wednesday", Weekday::Wednesday),
    ("thursday", Weekday::Thursday),
    ("friday", Weekday::Friday),
    ("saturday", Weekday::Saturday),
    ("sunday", Weekday::Sunday),
];
const SHORTEST_DAY: usize = 3;

/// A time that was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Typed<'t> {
    /// The point in time.
    pub at: Timestamp,
    /// The text behind it.
    pub rest: &'t str,
    /// True if it was typed by the clock, and not as a time to wait.
    pub by_the_clock: bool,
}

/// The table's setting for the clock that people mean.
pub const TIMEZONE: &str = "timezone";

/// The zone of a table's clock, if somebody set it.
pub fn zone_of(doc: &TableDoc) -> Option<TimeZone> {
    doc.settings.get(HOUSE)?.get(TIMEZONE).and_then(|name| zone(name))
}

/// Why a text does not begin with a time that can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoTime {
    /// It begins with something else.
    NoneTyped,
    /// The time is over.
    Past,
    /// It is more than a year away.
    TooFar,
}

/// Reads the time at the beginning of a text, as somebody in this zone means it now.
///
/// # Errors
/// There is none, or it cannot be used.
pub fn read<'t>(text: &'t str, now: Timestamp, zone: &TimeZone) -> Result<Typed<'t>, NoTime> {
    let typed = split(text, now, zone)?;
    let away = typed.at.duration_since(now);
    if away <= SignedDuration::ZERO {
        return Err(NoTime::Past);
    }
    if away > FARTHEST {
        return Err(NoTime::TooFar);
    }
    Ok(typed)
}

/// The text behind the time at its beginning, whether or not the time can still be used.
pub fn behind(text: &str) -> Option<&str> {
    split(text, Timestamp::UNIX_EPOCH, &TimeZone::UTC).ok().map(|typed| typed.rest)
}

fn split<'t>(text: &'t str, now: Timestamp, zone: &TimeZone) -> Result<Typed<'t>, NoTime> {
    let here = now.to_zoned(zone.clone());
    let mut words = Words(text);
    while words.peek().is_some_and(|word| FILLERS.contains(&word.as_str())) {
        words.next();
    }
    let wait = words.while_reading(wait);
    let at = match wait {
        Some(wait) => now.checked_add(wait).map_err(|_| NoTime::TooFar)?,
        None => words.while_reading(|words| moment(words, &here)).ok_or(NoTime::NoneTyped)?,
    };
    let rest = words.0.trim_start().trim_start_matches([':', ',']).trim_start();
    Ok(Typed { at, rest, by_the_clock: wait.is_none() })
}

/// A point in time in words: `Fri 4 Dec 20:00`, with the zone if it is not the table's usual one.
pub fn shown(at: Timestamp, zone: &TimeZone) -> String {
    let there = at.to_zoned(zone.clone());
    let name = zone.iana_name().unwrap_or("UTC").replace('_', " ");
    format!("{} ({name})", there.strftime("%a %-d %b %H:%M"))
}

/// How long until then, in a single unit: `in 2 days`.
pub fn until(now: Timestamp, at: Timestamp) -> String {
    let seconds = at.duration_since(now).as_secs().max(0);
    let (count, unit) = match seconds {
        ..90 => return "in a minute".to_owned(),
        90..5_400 => ((seconds + 30) / 60, "minutes"),
        5_400..129_600 => ((seconds + 1_800) / 3_600, "hours"),
        _ => ((seconds + 43_200) / 86_400, "days"),
    };
    format!("in {count} {unit}")
}

/// As [`until`], with days as people there count them: `tomorrow` for all of the next day that is not a few hours away.
pub fn until_there(now: Timestamp, at: Timestamp, zone: &TimeZone) -> String {
    let day = |time: Timestamp| time.to_zoned(zone.clone()).date();
    let days = at.duration_since(now).as_secs() >= 129_600;
    match day(now).until(day(at)).map(|span| span.get_days()) {
        Ok(1) if days => "tomorrow".to_owned(),
        Ok(count) if days => format!("in {count} days"),
        _ => until(now, at),
    }
}

/// A point in time of the next days in a few words: `20:00`, or `Fri 4 Dec`.
pub fn roughly(now: Timestamp, at: Timestamp, zone: &TimeZone) -> String {
    let soon = at.duration_since(now) < SignedDuration::from_hours(24);
    at.to_zoned(zone.clone()).strftime(if soon { "%H:%M" } else { "%a %-d %b" }).to_string()
}

/// Hours of every day: `22:00-08:00`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hours {
    from: Time,
    to: Time,
}

impl Hours {
    /// Reads `22:00-08:00`, `10pm to 8am` or `22-8`.
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim().replace(['–', '—'], "-").to_lowercase();
        let (from, to) = text.split_once('-').or_else(|| text.split_once(" to "))?;
        let hour = |text: &str| Time::new(text.parse().ok()?, 0, 0, 0).ok();
        let of_day = |text: &str| {
            let mut words = Words(text.trim());
            let found = time(&mut words).or_else(|| hour(text.trim()));
            found.filter(|_| words.0.trim().is_empty())
        };
        let (from, to) = (of_day(from)?, of_day(to)?);
        (from != to).then_some(Hours { from, to })
    }

    /// The point in time itself if it is not within these hours there, or else their end.
    pub fn after(self, at: Timestamp, zone: &TimeZone) -> Timestamp {
        let there = at.to_zoned(zone.clone());
        let (time, over_midnight) = (there.time(), self.from > self.to);
        let within = match over_midnight {
            false => time >= self.from && time < self.to,
            true => time >= self.from || time < self.to,
        };
        if !within {
            return at;
        }
        let tomorrow = over_midnight && time >= self.from;
        let day = if tomorrow { there.date().checked_add(1.day()).ok() } else { Some(there.date()) };
        // Where the clock is set back, their end may be in the past.
        day.and_then(|day| self::at(day.to_datetime(self.to), &there)).map_or(at, |end| end.max(at))
    }
}

impl fmt::Display for Hours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.from.strftime("%H:%M"), self.to.strftime("%H:%M"))
    }
}

/// The zone with this name, or of this city.
pub fn zone(name: &str) -> Option<TimeZone> {
    let name = name.replace(' ', "_");
    let of_city = || {
        let city = |zone: &str| zone.rsplit_once('/').is_some_and(|(_, city)| city.eq_ignore_ascii_case(&name));
        tz::db().available().find(|zone| city(zone.as_str())).and_then(|zone| TimeZone::get(zone.as_str()).ok())
    };
    TimeZone::get(&name).ok().or_else(of_city)
}

/// The words of a text, from its beginning on.
#[derive(Clone, Copy)]
struct Words<'t>(&'t str);

impl Words<'_> {
    fn peek(&self) -> Option<String> {
        let word = self.0.split_whitespace().next()?;
        Some(word.trim_end_matches([',', ':', '.', '!', '…']).to_lowercase()).filter(|word| !word.is_empty())
    }

    fn next(&mut self) -> Option<String> {
        let word = self.peek()?;
        let rest = self.0.trim_start();
        self.0 = &rest[rest.find(char::is_whitespace).unwrap_or(rest.len())..];
        Some(word)
    }

    /// Reads something; if it is not there, no word is used up.
    fn while_reading<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let before = *self;
        let found = read(self);
        if found.is_none() {
            *self = before;
        }
        found
    }
}

/// How long to wait: `2d`, `1d12h`, `2 days`, `an hour`, `3 hours and 20 minutes`.
fn wait(words: &mut Words<'_>) -> Option<SignedDuration> {
    let mut all = one_wait(words)?;
    loop {
        let more = words.while_reading(|words| {
            words.while_reading(|words| words.next().filter(|word| word == "and"));
            one_wait(words)
        });
        let Some(more) = more else { return Some(all) };
        all = all.checked_add(more)?;
    }
}

fn one_wait(words: &mut Words<'_>) -> Option<SignedDuration> {
    let word = words.next()?;
    let unit = |word: &str| UNITS.iter().find(|(names, _)| names.contains(&word)).map(|(_, seconds)| *seconds);
    let spelled = if ["a", "an"].contains(&word.as_str()) { Some(1) } else { number_word(&word) };
    let lone = spelled.or_else(|| word.parse::<u32>().ok());
    if let Some(count) = lone {
        let unit = unit(&words.next()?)?;
        return Some(SignedDuration::from_secs(unit.checked_mul(i64::from(count))?));
    }
    let (mut seconds, mut rest) = (0_i64, word.as_str());
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).filter(|end| *end > 0)?;
        let end = rest[digits..].find(|c: char| c.is_ascii_digit()).map_or(rest.len(), |end| digits + end);
        let count: u32 = rest[..digits].parse().ok()?;
        seconds = seconds.checked_add(unit(&rest[digits..end])?.checked_mul(i64::from(count))?)?;
        rest = &rest[end..];
    }
    Some(SignedDuration::from_secs(seconds))
}

/// A day and a time: `tomorrow 20:00`, `fri 8pm`, `tonight`, `2026-12-01`, `20:00`.
fn moment(words: &mut Words<'_>, here: &Zoned) -> Option<Timestamp> {
    let today = here.date();
    let at = |date: Date, time: Time| at(date.to_datetime(time), here);
    if let Some(time) = words.while_reading(time) {
        let next = at(today, time)?;
        return if next > here.timestamp() { Some(next) } else { at(today.checked_add(1.day()).ok()?, time) };
    }
    let word = words.next()?;
    let names = DAYS.iter().map(|(name, _)| *name).chain(["tomorrow", "tonight"]);
    let within = |slips| suggest_within(slips, &word, names.clone().filter(|_| word.len() >= LONG_ENOUGH[slips - 1]));
    let slip = within(1).or_else(|| within(2));
    let word = slip.map_or_else(|| word.clone(), str::to_owned);
    let day: Option<Date> = match word.as_str() {
        "today" => Some(today),
        "tonight" => return at(today, words.while_reading(time).unwrap_or(EVENING)),
        "tomorrow" | "tmrw" => today.checked_add(1.day()).ok(),
        _ => dated(&word),
    };
    if let Some(day) = day {
        return at(day, time_behind(words).unwrap_or(MORNING));
    }
    let named = |(name, _): &&(&str, Weekday)| word.len() >= SHORTEST_DAY && name.starts_with(word.as_str());
    let (_, weekday) = DAYS.iter().find(named)?;
    let time = time_behind(words).unwrap_or(MORNING);
    let ahead = weekday.since(here.date().weekday());
    let day = today.checked_add(Span::new().days(i64::from(ahead))).ok()?;
    let found = at(day, time)?;
    if found > here.timestamp() { Some(found) } else { at(day.checked_add(7.days()).ok()?, time) }
}

fn at(when: DateTime, here: &Zoned) -> Option<Timestamp> {
    here.time_zone().to_zoned(when).ok().map(|zoned| zoned.timestamp())
}

/// `2026-12-01`
fn dated(word: &str) -> Option<Date> {
    let parts: Vec<&str> = word.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return None };
    (year.len() == 4).then_some(())?;
    let (year, month, day) = (year.parse().ok()?, month.parse().ok()?, day.parse().ok()?);
    Date::new(year, month, day).ok()
}

/// `at 20:00`, or without `at`.
fn time_behind(words: &mut Words<'_>) -> Option<Time> {
    words.while_reading(|words| {
        words.while_reading(|words| words.next().filter(|word| word == "at"));
        time(words)
    })
}

/// `20:00`, `8pm`, `8:30 pm`, `noon`.
fn time(words: &mut Words<'_>) -> Option<Time> {
    let word = words.next()?;
    match word.as_str() {
        "noon" => return Some(Time::constant(12, 0, 0, 0)),
        "midnight" => return Some(Time::midnight()),
        _ => {}
    }
    let half = |word: &str| ["am", "pm"].into_iter().find(|half| word.trim_end_matches('.') == *half);
    let (digits, typed_half) = match ["am", "pm"].into_iter().find(|half| word.ends_with(half)) {
        Some(half) => (word.trim_end_matches(half), Some(half)),
        None => (word.as_str(), None),
    };
    let (hour, minute) = digits.split_once(':').unwrap_or((digits, ""));
    if hour.is_empty() || hour.len() > 2 || !(minute.is_empty() || minute.len() == 2) {
        return None;
    }
    let after = || words.while_reading(|words| half(&words.next()?));
    let half = typed_half.or_else(after);
    // A bare number is no time.
    if half.is_none() && minute.is_empty() {
        return None;
    }
    let hour: i8 = hour.parse().ok()?;
    let minute: i8 = if minute.is_empty() { 0 } else { minute.parse().ok()? };
    let hour = match half {
        None => hour,
        Some(_) if !(1..=12).contains(&hour) => return None,
        Some("pm") => hour % 12 + 12,
        Some(_) => hour % 12,
    };
    Time::new(hour, minute, 0, 0).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    /// A Wednesday, 21:30 in Berlin.
    fn now() -> Timestamp {
        "2026-11-25T20:30:00Z".parse().unwrap()
    }

    fn berlin() -> TimeZone {
        zone("Europe/Berlin").unwrap()
    }

    fn typed(text: &str) -> Result<(String, &str), NoTime> {
        read(text, now(), &berlin()).map(|Typed { at, rest, .. }| (at.to_string(), rest))
    }

    #[test]
    fn what_people_type_is_understood() {
        for (text, at, rest) in [
            ("2d the truce ends", "2026-11-27T20:30:00Z", "the truce ends"),
            ("in 2 days: the truce ends", "2026-11-27T20:30:00Z", "the truce ends"),
            ("1d12h next", "2026-11-27T08:30:00Z", "next"),
            ("an hour", "2026-11-25T21:30:00Z", ""),
            ("In 3 hours and 20 minutes, wake up", "2026-11-25T23:50:00Z", "wake up"),
            ("90m d6 is rolled", "2026-11-25T22:00:00Z", "d6 is rolled"),
            ("tomorow 8pm feed the owl", "2026-11-26T19:00:00Z", "feed the owl"),
            ("tomorrow feed the owl", "2026-11-26T08:00:00Z", "feed the owl"),
            ("tomorrow at 20:00 next", "2026-11-26T19:00:00Z", "next"),
            ("friday 8pm next", "2026-11-27T19:00:00Z", "next"),
            ("next Fri 8 pm we play", "2026-11-27T19:00:00Z", "we play"),
            ("on wed 21:00 x", "2026-12-02T20:00:00Z", "x"),
            ("wednesday 22:00 x", "2026-11-25T21:00:00Z", "x"),
            ("20:00 x", "2026-11-26T19:00:00Z", "x"),
            ("at noon x", "2026-11-26T11:00:00Z", "x"),
            ("2026-12-24 x", "2026-12-24T08:00:00Z", "x"),
            ("2026-12-24 18:30, x", "2026-12-24T17:30:00Z", "x"),
            // Summer time.
            ("2027-07-01 12:00 x", "2027-07-01T10:00:00Z", "x"),
        ] {
            assert_eq!(typed(text), Ok((at.to_owned(), rest)), "{text}");
            assert_eq!(behind(text), Some(rest), "{text}");
        }
    }

    #[test]
    fn what_is_no_time_is_none() {
        for text in
            ["", "the truce ends", "2 owls", "8 next", "2x", "d6", "sun-drenched", "mo 20:00", "25:00 x", "13pm"]
        {
            assert_eq!(typed(text), Err(NoTime::NoneTyped), "{text}");
        }
        for text in ["2025-01-01 x", "today 9:00 x", "tonight x", "0d x"] {
            assert_eq!(typed(text), Err(NoTime::Past), "{text}");
        }
        for text in ["400d x", "4294967295 weeks x", "9999-01-01 x", "4000000000w4000000000w"] {
            assert_eq!(typed(text), Err(NoTime::TooFar), "{text}");
        }
    }

    #[test]
    fn quiet_hours_last_until_their_end() {
        let read = |text: &str| Hours::read(text).map(|hours| hours.to_string());
        for text in ["22:00-08:00", "22-8", "10pm to 8am", "22:00 – 8:00"] {
            assert_eq!(read(text).as_deref(), Some("22:00-08:00"), "{text}");
        }
        for text in ["", "off", "22", "22-", "8-8", "25-3", "22:00-08:00-09:00", "noon to midnight x"] {
            assert_eq!(read(text), None, "{text}");
        }
        let after = |text: &str, at: &str| {
            let at: Timestamp = at.parse().unwrap();
            Hours::read(text).unwrap().after(at, &berlin()).to_string()
        };
        for (hours, at, then) in [
            ("22-8", "2026-11-25T20:59:00Z", "2026-11-25T20:59:00Z"),
            ("22-8", "2026-11-25T21:00:00Z", "2026-11-26T07:00:00Z"),
            ("22-8", "2026-11-26T06:59:00Z", "2026-11-26T07:00:00Z"),
            ("22-8", "2026-11-26T07:00:00Z", "2026-11-26T07:00:00Z"),
            ("12-14", "2026-11-26T11:30:00Z", "2026-11-26T13:00:00Z"),
            // The night in which summer time ends.
            ("22-8", "2026-10-24T21:00:00Z", "2026-10-25T07:00:00Z"),
        ] {
            assert_eq!(after(hours, at), then, "{hours} {at}");
        }
    }

    #[test]
    fn a_time_is_shown_as_people_say_it() {
        let at = date(2026, 12, 4).at(19, 0, 0, 0).to_zoned(TimeZone::UTC).unwrap().timestamp();
        assert_eq!(shown(at, &berlin()), "Fri 4 Dec 20:00 (Europe/Berlin)");
        assert_eq!(shown(at, &TimeZone::UTC), "Fri 4 Dec 19:00 (UTC)");
        assert_eq!((until(now(), at).as_str(), until(now(), now()).as_str()), ("in 9 days", "in a minute"));
    }
}

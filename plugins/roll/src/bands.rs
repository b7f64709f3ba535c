//! What totals are called at a table: `10+ strong hit, 7-9 weak hit, else miss`.

use plugin_api::{Refusal, Reply, Turn};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// The most bands, and characters of a name.
const MOST_BANDS: usize = 12;
const MOST_NAME: usize = 40;
/// The word that takes the names away.
const OFF: &str = "off";
const EXAMPLE: &str = "bands 10+ strong hit, 7-9 weak hit, else miss";

/// What totals are called; the first band that fits counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Option<Vec<Band>>")]
pub struct Bands(Vec<Band>);

impl From<Option<Vec<Band>>> for Bands {
    /// Before totals had names, nothing was stored.
    fn from(bands: Option<Vec<Band>>) -> Self {
        Bands(bands.unwrap_or_default())
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Band {
    /// The least and the most total; without one there is no end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    least: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    most: Option<i64>,
    name: String,
}

impl Bands {
    /// What a total is called, if it has a name.
    pub fn of(&self, total: i64) -> Option<&str> {
        let holds =
            |band: &&Band| band.least.is_none_or(|least| total >= least) && band.most.is_none_or(|most| total <= most);
        self.0.iter().find(holds).map(|band| band.name.as_str())
    }

    /// Shows, sets or takes away the names.
    ///
    /// # Errors
    /// The words name no totals, or not everybody may set them.
    pub fn told(&mut self, typed: &str, turn: &Turn) -> Result<Reply, Refusal> {
        let typed = typed.trim();
        if typed.is_empty() {
            return Ok(match self.0.is_empty() {
                true => Reply::new().text("No totals have names here. Example: ").code(EXAMPLE),
                false => Reply::new().text("Totals of plain dice: ").bold(self.to_string()),
            });
        }
        let off = typed.eq_ignore_ascii_case(OFF);
        let new = if off { Bands::default() } else { read(typed)? };
        if turn.in_secret() {
            return Err(Refusal::new("what totals are called is for everybody to read: type it in the room"));
        }
        if !turn.by_referee() {
            return Err(Refusal::new("only the referee may name totals"));
        }
        *self = new;
        Ok(match off {
            true => Reply::new().text("Totals of plain dice have no names any more."),
            false => Reply::new().text("Totals of plain dice are called ").bold(self.to_string()),
        })
    }
}

/// What the names are after a change of them, in words.
pub fn changed(place: &[&str], after: Option<&Value>) -> String {
    let bands = after.map_or(Ok(Bands::default()), Bands::deserialize);
    match bands {
        Ok(bands) if place.is_empty() && bands.0.is_empty() => "totals of plain dice have no names".to_owned(),
        Ok(bands) if place.is_empty() => format!("totals of plain dice are called {bands}"),
        _ => "totals of plain dice have other names".to_owned(),
    }
}

impl fmt::Display for Bands {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown: Vec<String> = self.0.iter().map(Band::to_string).collect();
        f.write_str(&shown.join(", "))
    }
}

impl fmt::Display for Band {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.least, self.most) {
            (None, None) => write!(f, "else {}", self.name),
            (Some(least), None) => write!(f, "{least}+ {}", self.name),
            (None, Some(most)) => write!(f, "{most}- {}", self.name),
            (Some(least), Some(most)) if least == most => write!(f, "{least} {}", self.name),
            (Some(least), Some(most)) => write!(f, "{least}-{most} {}", self.name),
        }
    }
}

fn read(typed: &str) -> Result<Bands, Refusal> {
    let parts = typed.split([',', ';', '|', '\n']).map(str::trim).filter(|part| !part.is_empty());
    let bands: Vec<Band> = parts.map(band).collect::<Result<_, _>>()?;
    if bands.len() > MOST_BANDS {
        return Err(Refusal::new(format!("{MOST_BANDS} names are the most")).example(EXAMPLE));
    }
    let ends = bands.iter().position(|band| (band.least, band.most) == (None, None));
    match ends.and_then(|ends| bands.get(ends + 1)) {
        Some(behind) => {
            Err(Refusal::new(format!("nothing can come behind else, and {} does", behind.name)).example(EXAMPLE))
        }
        None => Ok(Bands(bands)),
    }
}

/// `10+ strong hit`, `7-9: weak hit`, `6- miss`, `12 critical`, `else miss`.
fn band(part: &str) -> Result<Band, Refusal> {
    let wrong = |what: String| Refusal::new(what).about(part).example(EXAMPLE);
    let Some((totals, name)) = part.split_once(char::is_whitespace) else {
        return Err(wrong(format!("\"{part}\" needs totals and a name")));
    };
    let totals = totals.trim_end_matches(':');
    let name = name.trim().to_owned();
    if name.chars().count() > MOST_NAME {
        return Err(wrong(format!("a name has at most {MOST_NAME} characters")));
    }
    let number = |text: &str| text.parse::<i64>().ok();
    let range = || {
        let (least, most) = totals[1..].split_once(['-', '–']).map(|(rest, most)| (&totals[..=rest.len()], most))?;
        Some((Some(number(least)?), Some(number(most)?))).filter(|(least, most)| least <= most)
    };
    let ends = match totals {
        "else" => Some((None, None)),
        _ if let Some(least) = totals.strip_suffix('+') => number(least).map(|least| (Some(least), None)),
        _ if let Some(most) = totals.strip_suffix('-') => number(most).map(|most| (None, Some(most))),
        _ if totals.is_char_boundary(1) => number(totals).map(|only| (Some(only), Some(only))).or_else(range),
        _ => None,
    };
    let (least, most) =
        ends.ok_or_else(|| wrong(format!("\"{totals}\" is no total: write 10+, 7-9, 6-, 12 or else")))?;
    Ok(Band { least, most, name })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_band_that_fits_names_a_total() {
        let bands = read("12 critical, 10+ strong hit; 7-9: weak hit | -3--1 cursed, else miss").expect("it reads");
        let named = [12, 13, 10, 9, 7, 6, -1, -3, -4].map(|total| bands.of(total).unwrap_or_default());
        assert_eq!(
            named,
            ["critical", "strong hit", "strong hit", "weak hit", "weak hit", "miss", "cursed", "cursed", "miss"]
        );
        assert_eq!(bands.to_string(), "12 critical, 10+ strong hit, 7-9 weak hit, -3--1 cursed, else miss");
        assert_eq!(read(&bands.to_string()), Ok(bands));
    }

    #[test]
    fn what_names_no_totals_is_refused() {
        for typed in [
            "strong",
            "ten strong",
            "9-7 weak",
            "else miss, 10+ strong",
            "é+ x",
            "- x",
            "+ x",
            "99999999999999999999 x",
        ] {
            assert!(read(typed).is_err(), "{typed}");
        }
        assert!(read(&vec!["1 a"; MOST_BANDS + 1].join(",")).is_err());
        assert!(read(&format!("1 {}", "a".repeat(MOST_NAME + 1))).is_err());
    }
}

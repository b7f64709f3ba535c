//! A text with values in it: `RESISTED at {cost} stress`.

use crate::evaluate::Scope;
use crate::expression::{Dice, Expression, Kind, Names, parse};
use crate::lines::Line;
use crate::mistake::Mistake;
use plugin_api::Refusal;
use std::ops::Range;

/// A text with values in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template(Vec<Part>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Said(String),
    Worked(Expression),
}

impl Template {
    /// Reads the text in these bytes of a line.
    ///
    /// # Errors
    /// A brace is missing, or what is between two cannot be worked out.
    pub fn read(line: &Line, part: Range<usize>, names: &Names) -> Result<Self, Mistake> {
        let mut parts = Vec::new();
        let (mut at, end) = (part.start, part.end);
        while at < end {
            let rest = &line.text[at..end];
            let Some(opens) = rest.find('{') else {
                parts.push(Part::Said(rest.to_owned()));
                break;
            };
            if opens > 0 {
                parts.push(Part::Said(rest[..opens].to_owned()));
            }
            let opened = at + opens;
            let Some(length) = rest[opens..].find('}') else {
                return Err(line.wrong(opened..opened + 1, "a } is missing for this {"));
            };
            let place = opened + 1..opened + length;
            let parsed = parse(line, place.clone(), names, Dice::Lie)?;
            if let Kind::Faced(_) = parsed.kind {
                let what = "these dice are shown already: count(WORD in ...) says how often they show a word";
                return Err(line.wrong(place, what));
            }
            parts.push(Part::Worked(parsed.expression));
            at = opened + length + 1;
        }
        Ok(Template(parts))
    }

    /// What it works out.
    pub fn expressions(&self) -> impl Iterator<Item = &Expression> {
        self.0.iter().filter_map(|part| match part {
            Part::Said(_) => None,
            Part::Worked(expression) => Some(expression),
        })
    }

    /// The text as it is now.
    ///
    /// # Errors
    /// A value cannot be worked out.
    pub fn said(&self, scope: &mut Scope<'_, '_>) -> Result<String, Refusal> {
        let (mut said, mut before) = (String::new(), 0);
        for part in &self.0 {
            match part {
                Part::Said(text) => said.push_str(text),
                Part::Worked(expression) => said.push_str(&scope.value(expression)?.shown()),
            }
            scope.says(said.len().saturating_sub(before))?;
            before = said.len();
        }
        Ok(said.trim().to_owned())
    }
}

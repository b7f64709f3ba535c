//! What may be typed next: what the arguments that a line still lacks begin with.

use super::Words;
use super::typed::same;
use crate::{ArgumentKind, ArgumentSpec, Form, Many, Place};

/// What may be typed next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next<'a> {
    /// This word.
    Word(&'a str),
    /// Somebody's name.
    Name,
    /// A number, or the name of a value that is one.
    Value,
    /// Text.
    Text,
    /// A command, of which the first word begins at this byte of the line.
    Command(usize),
}

impl Words {
    /// What may be typed behind these words, of a command with these arguments.
    pub fn next<'a>(mut self, arguments: &'a [ArgumentSpec]) -> Vec<Next<'a>> {
        let led = self.words.last().and_then(|last| arguments.iter().find(|argument| leads_to(&last.text, argument)));
        let mut next = led.map_or(Vec::new(), |argument| of_kind(&argument.kind));
        if led.is_some_and(|argument| !matches!(argument.place, Place::Follows(_))) {
            return next;
        }
        for argument in arguments.iter().filter(|argument| argument.place == Place::Side) {
            let ArgumentKind::Forms(forms) = &argument.kind else { continue };
            let begins = |form: &Form, text: &str| form.words.iter().any(|word| same(word, text));
            let side = |form: &Form| self.words.iter().position(|word| begins(form, &word.text));
            if let Some((at, form)) = forms.iter().find_map(|form| Some((side(form)?, form))) {
                return self.split_off(at + 1).next(&form.arguments);
            }
        }
        let mut found = vec![false; arguments.len()];
        for (at, step) in Self::steps(arguments) {
            let argument = &arguments[at];
            if step.is_here()
                && let Some(within) = self.within(&argument.kind)
            {
                match within {
                    Within::Alone(more) => return more,
                    Within::Beside(more) => next.extend(more),
                }
                found[at] = true;
            } else if !found[at] {
                found[at] = self.values_of(argument, step.is_here()).is_ok_and(|values| !values.is_empty());
            }
        }
        let open = arguments.iter().zip(found).filter(|(argument, found)| !found || argument.many == Many::Repeated);
        next.extend(open.flat_map(|(argument, _)| first_of(argument)));
        let mut known = Vec::new();
        next.retain(|each| {
            !known.contains(each) && {
                known.push(*each);
                true
            }
        });
        next
    }

    /// What may be typed next within an argument that takes the rest of the line; `None` if it is no such argument.
    fn within<'a>(&mut self, kind: &'a ArgumentKind) -> Option<Within<'a>> {
        let first = self.words.iter().position(|word| !word.taken);
        let begin = |at: usize, words: &Words| words.words.get(at).map_or(words.typed.len(), |word| word.at.start);
        match kind {
            ArgumentKind::Line => Some(match first {
                Some(first) => Within::Alone(vec![Next::Command(begin(first, self))]),
                None => Within::Beside(vec![Next::Command(self.typed.len())]),
            }),
            ArgumentKind::Pattern(parts) => {
                let command = parts.iter().position(|part| part.kind == ArgumentKind::Line)?;
                let at = first.map(|first| first + command).filter(|at| *at <= self.words.len())?;
                Some(Within::Alone(vec![Next::Command(begin(at, self))]))
            }
            ArgumentKind::Forms(forms) => {
                let plain = || forms.iter().find(|form| form.words.is_empty());
                let Some(first) = first else {
                    let words = forms.iter().filter_map(|form| form.words.first()).map(|word| Next::Word(word));
                    let others = plain().into_iter().flat_map(|form| form.arguments.iter().flat_map(first_of));
                    return Some(Within::Beside(words.chain(others).collect()));
                };
                let text = self.words[first].text.clone();
                let known = forms.iter().find(|form| form.words.iter().any(|word| same(word, &text)));
                let form = known.or_else(plain)?;
                Some(Within::Alone(self.split_off(first + usize::from(known.is_some())).next(&form.arguments)))
            }
            _ => None,
        }
    }
}

/// What may be typed next within an argument.
enum Within<'a> {
    /// Nothing else may be.
    Alone(Vec<Next<'a>>),
    /// Other arguments may be.
    Beside(Vec<Next<'a>>),
}

/// Whether the value of this argument goes behind this word.
fn leads_to(word: &str, argument: &ArgumentSpec) -> bool {
    match &argument.place {
        Place::Word(names) | Place::Bare(names) | Place::Follows(names) => names.iter().any(|name| same(name, word)),
        Place::Flag | Place::Side | Place::Signed | Place::Here => false,
    }
}

/// What an argument begins with.
fn first_of(argument: &ArgumentSpec) -> Vec<Next<'_>> {
    match &argument.place {
        Place::Word(names) | Place::Follows(names) => names.first().map(|name| Next::Word(name)).into_iter().collect(),
        Place::Bare(names) => {
            let name = names.first().map(|name| Next::Word(name));
            name.into_iter().chain(of_kind(&argument.kind)).collect()
        }
        Place::Flag | Place::Side | Place::Here => of_kind(&argument.kind),
        Place::Signed => Vec::new(),
    }
}

/// What a value of this kind begins with.
fn of_kind(kind: &ArgumentKind) -> Vec<Next<'_>> {
    let words = || kind.words().into_iter().map(Next::Word);
    match kind {
        ArgumentKind::Number(_) | ArgumentKind::Dice { .. } => words().chain([Next::Value]).collect(),
        ArgumentKind::Notation => vec![Next::Value],
        ArgumentKind::Who | ArgumentKind::Account => vec![Next::Name],
        ArgumentKind::Choice(all) => all.iter().filter_map(|spelled| spelled.shown()).map(Next::Word).collect(),
        ArgumentKind::Either(kinds) => kinds.iter().flat_map(of_kind).collect(),
        ArgumentKind::Pattern(parts) => parts.iter().flat_map(|part| of_kind(&part.kind)).collect(),
        ArgumentKind::All(kind) | ArgumentKind::List { of: kind, .. } => of_kind(kind),
        ArgumentKind::Forms(forms) => {
            forms.iter().filter_map(|form| form.words.first()).map(|word| Next::Word(word)).collect()
        }
        ArgumentKind::Text => vec![Next::Text],
        ArgumentKind::Room | ArgumentKind::Thing | ArgumentKind::Entry | ArgumentKind::Line => Vec::new(),
    }
}

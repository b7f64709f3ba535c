//! Which earlier roll a line follows up on.

use super::remarks::{Command, Here};
use crate::draft::Draft;
use chat::Message;
use dice::number_word;
use host::Host;
use host::ledger::{Answers, Ledger};
use host::rights::Act;
use host::unplayed::Unplayed;
use host::words::{Arguments, leading_to};
use journal::documents::{RollDoc, TableDoc};
use journal::keys::{self, TableId};
use journal::store::StoreError;
use plugin_api::{CharacterId, EarlierRoll, Fit, FollowUp, Refusal, Role, Target, Words, suggest};
use serde_json::Value;
use std::ops::Range;
use understand::reading::{reads, safely};

/// Words of a line that may be a part of somebody's name.
const MOST_PARTLY: usize = 3;
/// How many of the newest entries are looked through for an open roll.
const LOOKED_THROUGH: u64 = 30;

/// The roll a follow-up is about: `#12`, the one whose offer was taken, the answer it replies to, the latest of a
/// character that is named, the one on which it was offered to the actor, or the actor's latest. The name is taken out
/// of the arguments.
pub(super) fn target(
    draft: &Draft,
    host: &Host,
    message: &Message,
    followed: &Followed<'_, '_>,
    arguments: &mut Arguments,
) -> Result<Option<Target<Value>>, Unplayed> {
    let Followed { command, here, .. } = *followed;
    let game = &command.plugin.manifest().id;
    let ledger = draft.ledger(host);
    let optional = command.spec.follow_up == FollowUp::IfAny;
    let pointed = followed.offered.or(replied(draft, host, message)?);
    let (number, named) = match arguments.roll.or(pointed) {
        Some(number) if arguments.roll.is_some() || !optional => (number, true),
        // What it was offered with or replies to need not be a roll.
        Some(number) if ledger.roll_of(number)?.is_some() => (number, true),
        _ => match followed.latest(&ledger, arguments)? {
            (_, Some(number)) => (number, false),
            _ if optional => return Ok(None),
            (of, None) => {
                if let Some(misread) = followed.misread(arguments) {
                    return Err(misread.into());
                }
                if let Some(open) = followed.open_elsewhere(&ledger, arguments)? {
                    return Err(open.into());
                }
                let (name, word) = (here.cast.name(of), &command.spec.name);
                let what = match command.spec.follow_up {
                    FollowUp::Anyone => format!("nobody waits for {name}: there is nothing to {word}"),
                    _ => format!("{name} made no roll for {word}"),
                };
                let main = command.plugin.manifest().main().map_or("help", |main| main.examples[0].as_str());
                return Err(Refusal::new(what).example(main).into());
            }
        },
    };
    let (number, roll) = match ledger.roll_of(number)? {
        Some(found) => found,
        None => return Err(ledger.no_roll(number)?.into()),
    };
    if roll.game != *game {
        return Err(Refusal::new(format!("#{number} is a roll of {}", roll.game)).into());
    }
    if command.spec.follow_up == FollowUp::Own && !followed.may_touch(&draft.state.doc.doc, roll.character) {
        let name = draft.state.doc.doc.name_of(roll.character);
        return Err(Refusal::new(format!("#{number} is a roll of {name}: they or a referee may do that")).into());
    }
    let page = if roll.secret { ledger.page(number)? } else { None };
    if let Some(page) = page.filter(|page| !here.attempt.rights.may(&draft.state.doc.doc, Act::Read(&page.entry))) {
        let name = draft.state.doc.doc.name_of(page.entry.character);
        let what = format!("#{number} is secret: only the player of {name} and the referees go on with it");
        return Err(Refusal::new(what).about(format!("#{number}")).into());
    }
    let record = roll.record.unwrap_or_default();
    let latest = ledger.latest(roll.character, game)? == Some(number);
    Ok(Some(Target { entry: number, actor: roll.character, record, latest, named }))
}

/// The roll that the message replies to.
pub(crate) fn replied(draft: &Draft, host: &Host, message: &Message) -> Result<Option<u64>, StoreError> {
    let Some(answer) = &message.reply_to else { return Ok(None) };
    let said: Option<(TableId, u64)> = draft.read(host, &keys::said(&message.room.network, answer))?;
    Ok(said.filter(|(table, _)| *table == draft.state.id).map(|(_, number)| number))
}

/// A follow-up in search of its roll.
pub(super) struct Followed<'a, 'h> {
    pub command: Command<'a>,
    pub here: Here<'a, 'h>,
    /// The roll whose offer is taken with it.
    pub offered: Option<u64>,
}

impl Followed<'_, '_> {
    /// The latest roll of a character that is named, the one on which this was offered, or the actor's latest; see
    /// [`Fit`].
    ///
    /// # Errors
    /// Nobody is called what was typed for a name.
    pub(super) fn latest(
        &self,
        ledger: &Ledger<'_>,
        arguments: &mut Arguments,
    ) -> Result<(CharacterId, Option<u64>), Unplayed> {
        let game = &self.command.plugin.manifest().id;
        let of = self.take_name(arguments)?.unwrap_or(self.here.attempt.actor);
        let (role, named) = (self.here.attempt.rights.role(), of != self.here.attempt.actor);
        let knows = |roll: &RollDoc| self.knows(ledger, roll);
        let fit = |record: &Value, roll: &RollDoc| if knows(roll) { self.fit_of(record, roll) } else { Fit::No };
        let latest = |wanted| ledger.latest_that(of, game, wanted, fit);
        if !named {
            let asked = ledger.offered_by_another(self.command.spec, game, Answers { to: of, role }, knows)?;
            return Ok((of, asked.map_or_else(|| latest(Fit::Done), |number| Ok(Some(number)))?));
        }
        // What they asked the actor, what they are asked themselves, or what else they rolled. Only who names nobody stands
        // for those whom nobody plays.
        let answers = |to| Answers { to, role: Role::Player };
        // A player does not answer for those whom they asked themselves.
        let (me, own) =
            (self.here.attempt.actor, self.command.spec.follow_up != FollowUp::IfAny || role >= Role::Referee);
        let asked = match ledger
            .offered_by_another(self.command.spec, game, answers(me), |roll| knows(roll) && roll.character == of)?
        {
            None => ledger.offered_by_another(self.command.spec, game, answers(of), |roll| {
                knows(roll) && (own || roll.character != me)
            })?,
            asked => asked,
        };
        Ok((of, asked.map_or_else(|| latest(Fit::Open), |number| Ok(Some(number)))?))
    }

    /// A secret roll is passed over by whoever may not read it: where it leads would tell whom it is about.
    fn knows(&self, ledger: &Ledger<'_>, roll: &RollDoc) -> bool {
        let (doc, rights) = (&ledger.state.doc.doc, &self.here.attempt.rights);
        !roll.secret || rights.could(doc, Act::Know) || rights.could(doc, Act::AnswerFor(roll.character))
    }

    /// Whether an open roll of one character asks another for this.
    ///
    /// # Errors
    /// The store cannot be read.
    pub(super) fn asks(
        &self,
        ledger: &Ledger<'_>,
        (who, whom): (CharacterId, CharacterId),
    ) -> Result<bool, StoreError> {
        let (spec, game) = (self.command.spec, &self.command.plugin.manifest().id);
        let asking = |roll: &RollDoc| self.knows(ledger, roll) && roll.character == who;
        Ok(ledger.offered_by_another(spec, game, Answers { to: whom, role: Role::Player }, asking)?.is_some())
    }

    /// For a referee without a roll of their own that this fits: the newest roll of anybody that it fits and that is
    /// open, with the line that names it.
    fn open_elsewhere(&self, ledger: &Ledger<'_>, arguments: &Arguments) -> Result<Option<Refusal>, Unplayed> {
        let newest = ledger.head().number;
        if self.command.spec.follow_up != FollowUp::Own || self.here.attempt.rights.role() < Role::Referee {
            return Ok(None);
        }
        for number in (newest.saturating_sub(LOOKED_THROUGH) + 1..=newest).rev() {
            let Some(roll) = ledger.roll(number)?.filter(|roll| roll.game == self.command.plugin.manifest().id) else {
                continue;
            };
            let Some(record) = roll.record.as_ref().filter(|_| !roll.secret) else { continue };
            if self.fit_of(record, &roll) == Fit::Open {
                let name = self.here.cast.name(roll.character);
                let apart = arguments.typed[self.command.from..].starts_with(char::is_whitespace);
                let named = format!(" #{number}{}", if apart { "" } else { " " });
                let what = format!("which roll? #{number} of {name} is open");
                return Ok(Some(Refusal::new(what).mended(self.command.from..self.command.from, Some(named))));
            }
        }
        Ok(None)
    }

    /// How well this fits a roll.
    fn fit_of(&self, record: &Value, roll: &RollDoc) -> Fit {
        let mut own = roll.open.iter().filter(|open| open.character == roll.character);
        let offered = own.any(|open| self.command.spec.begins(&open.command));
        safely(|| self.command.plugin.fits(&self.command.spec.name, &EarlierRoll { record, offered }))
            .unwrap_or(Fit::No)
    }

    /// Why the arguments do not read as the command, if they do not.
    fn misread(&self, arguments: &Arguments) -> Option<Refusal> {
        self.command.read(&arguments.typed, &self.here).err()
    }

    /// The word of the command that this one is a slip of, or the number that it says.
    fn meant_by(&self, word: &str) -> Option<String> {
        let slip = suggest(word, self.command.spec.words()).map(str::to_owned);
        slip.or_else(|| number_word(word).map(|number| number.to_string()))
    }

    fn may_touch(&self, doc: &TableDoc, character: CharacterId) -> bool {
        character == self.here.attempt.actor || self.here.attempt.rights.may(doc, Act::PlayAs(character))
    }

    /// The character named in the arguments, if they read as the command only without the name.
    ///
    /// # Errors
    /// The first word can only be a name, and nobody is called that.
    fn take_name(&self, arguments: &mut Arguments) -> Result<Option<CharacterId>, Refusal> {
        let called = |name: &str| self.here.cast.is_called(name);
        let words = |typed: &str| Words::new(typed, self.command.from.min(typed.len())).with_names(called);
        let reads = |typed: &str| reads(self.command.plugin, self.command.spec, &mut words(typed));
        if reads(&arguments.typed) {
            return Ok(None);
        }
        let named = words(&arguments.typed);
        let exact = |word: &str| self.here.cast.known(word.trim_start_matches('@'));
        let partly = |word: &str| self.here.cast.meant(word.trim_start_matches('@'));
        // Whoever means somebody by a part of their name types it first; looking for each word is dear.
        let find = |known: &dyn Fn(&str) -> Option<CharacterId>, words: usize| {
            named.all().take(words).find_map(|(word, place)| known(word).map(|id| (id, place)))
        };
        let without = |place: &Range<usize>| {
            let mut without = arguments.typed.clone();
            let start = leading_to(&without[..place.start]).unwrap_or(place.start);
            without.replace_range(start..place.end, &" ".repeat(place.end - start));
            without
        };
        let reads_with_remark = |typed: &str| self.command.reads(typed, &self.here);
        let reads_without = |(_, place): &(CharacterId, Range<usize>)| {
            let without = without(place);
            reads(&without) || reads_with_remark(&without)
        };
        let Some((character, place)) =
            find(&exact, usize::MAX).or_else(|| find(&partly, MOST_PARTLY)).filter(reads_without)
        else {
            let first = named.all().next().filter(|(word, _)| word.starts_with(char::is_alphabetic));
            return match first.filter(|(_, place)| reads(&without(place))) {
                Some((word, place)) => Err(match self.meant_by(word) {
                    Some(meant) => Refusal::usage(
                        format!("I do not understand \"{word}\" here: did you mean {meant}?"),
                        place.clone(),
                    )
                    .mended(place, Some(meant)),
                    None if reads_with_remark(&arguments.typed) => return Ok(None),
                    None => {
                        let nobody = self.here.cast.nobody(word);
                        let typed = format!("{} # {word}", without(&place).trim_end());
                        let alone = arguments.roll.is_none() && arguments.comment.is_none();
                        match nobody.mended.is_none() && alone && !self.here.cast.is_ambiguous(word) {
                            true => nobody.mended(0..usize::MAX, Some(one_spaced(&typed))),
                            false => nobody,
                        }
                    }
                }),
                None => Ok(None),
            };
        };
        let without = without(&place);
        arguments.typed = without;
        Ok(Some(character))
    }
}

fn one_spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

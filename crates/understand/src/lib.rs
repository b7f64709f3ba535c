//! What a typed line means. Its words are looked at once, with all they may be ([`tokens`]); what no argument took is a remark, or
//! it is not clear and the line is shown instead of played ([`remark`]). A line that does not read is searched for what it may have
//! been meant as, by edits that have a name and a price ([`cheapest`]), and what people say in place of a command is a row of phrases
//! ([`phrases`]). Nothing here knows whose line it is, what is stored or
//! what is allowed.

pub mod cheapest;
pub mod english;
pub mod guess;
pub mod kept;
pub mod notation;
pub mod phrases;
pub mod reading;
pub mod remark;
pub mod surroundings;
pub mod synonyms;
pub mod tokens;

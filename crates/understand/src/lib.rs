//! What a typed line means. Its words are looked at once, with all they may be ([`tokens`]); what no argument took is a remark, or
//! it is not clear and the line is shown instead of played ([`remark`]). A line that does not read is searched for what it may have
//! been meant as, by edits that have a name and a price ([`cheapest`]). Nothing here knows whose line it is, what is stored or
//! what is allowed.

pub mod cheapest;
pub mod english;
pub mod remark;
pub mod tokens;

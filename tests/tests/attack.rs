//! Attacks on the bot's promises: each test is something an attacker may try, and the required result.

#[path = "attack/accounts.rs"]
mod accounts;
#[path = "attack/binding.rs"]
mod binding;
#[path = "attack/boards.rs"]
mod boards;
#[path = "attack/budgets.rs"]
mod budgets;
#[path = "attack/dice_that_fell.rs"]
mod dice_that_fell;
#[path = "attack/differing.rs"]
mod differing;
#[path = "attack/edits.rs"]
mod edits;
#[path = "attack/erasure.rs"]
mod erasure;
#[path = "attack/failed_writes.rs"]
mod failed_writes;
#[path = "attack/forgeries.rs"]
mod forgeries;
#[path = "attack/forging.rs"]
mod forging;
#[path = "attack/growth.rs"]
mod growth;
#[path = "attack/handouts.rs"]
mod handouts;
#[path = "attack/hands.rs"]
mod hands;
#[path = "attack/hostile.rs"]
mod hostile;
#[path = "attack/imports.rs"]
mod imports;
#[path = "attack/irc.rs"]
mod irc;
#[path = "attack/links.rs"]
mod links;
#[path = "attack/listeners.rs"]
mod listeners;
#[path = "attack/matrix.rs"]
mod matrix;
#[path = "attack/operator.rs"]
mod operator;
#[path = "attack/orders.rs"]
mod orders;
#[path = "attack/poison.rs"]
mod poison;
#[path = "attack/rehearsals.rs"]
mod rehearsals;
#[path = "attack/rights.rs"]
mod rights;
#[path = "attack/roles.rs"]
mod roles;
#[path = "attack/rooms.rs"]
mod rooms;
#[path = "attack/scenes.rs"]
mod scenes;
#[path = "attack/seated.rs"]
mod seated;
#[path = "attack/secrecy.rs"]
mod secrecy;
#[path = "attack/sheets.rs"]
mod sheets;
#[path = "attack/shipped.rs"]
mod shipped;
#[path = "attack/time.rs"]
mod time;
#[path = "attack/told.rs"]
mod told;
#[path = "attack/turns.rs"]
mod turns;
#[path = "attack/withheld.rs"]
mod withheld;
#[path = "attack/words.rs"]
mod words;

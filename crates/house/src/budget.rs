//! Limits on what one of the table's own commands keeps, examines and hands out.

/// Most characters of a shortcut's name, of a variable's value, and of a macro's command.
pub(crate) const MOST_SHORTCUT: usize = 20;
pub(crate) const MOST_VALUE: usize = 100;
pub(crate) const MOST_MACRO: usize = 300;
/// Most variables, and most macros, that somebody may have.
pub(crate) const MOST_SHORTCUTS: usize = 50;

/// Rolls in an estimate.
pub(crate) const ROLLS: u32 = 10_000;

/// Most entries whose words one command erases, and most bytes; the next command continues.
pub(crate) const MOST_ERASED: usize = 2_000;
pub(crate) const MOST_ERASED_BYTES: usize = 4 << 20;
/// Most bytes in a file for a chat; a longer one is handed out in parts. Most entries, and bytes, in all of its parts, since
/// each is found by writing those before it.
pub(crate) const MOST_EXPORTED_BYTES: usize = 4 << 20;
pub(crate) const MOST_EXPORTED: u64 = 50_000;
pub(crate) const MOST_EXPORTED_IN_ALL: usize = 256 << 20;
/// Most entries that a history lists, that a recap examines, and that are examined for everybody's luck.
pub(crate) const MOST_HISTORY: i64 = 30;
pub(crate) const MOST_RECAPPED: usize = 150;
pub(crate) const MOST_CURSED: usize = 10_000;
/// Most dice examined for everybody's luck.
pub(crate) const MOST_CURSED_DICE: usize = 50_000;

//! A game that is a file, which its author changes between two starts of the bot. Tables play on with the version with
//! which they began, or are upgraded.

use plugin_api::Plugin;
use std::sync::Arc;
use table::Plugins;

/// Its name.
pub const ID: &str = "harbour";

/// What the file says; by how much the heat rises is different in each version.
const TEXT: &str = "\
format: 1
game: harbour
title: Harbour
about: smugglers

[sheet]
heat: 0/9

[command risk]
help: Risk something.
take: dice, number 1 to 6
roll: pool = (dice)d6
6: TRIUMPH | success
else: FAILURE | failure
change: heat +1
offer: if highest(pool) < 6: push: one more die

[command push]
help: One more die.
follows: risk
roll: pool = pool with 1d6
6: TRIUMPH | success
else: FAILURE | failure
change: heat +1
";

/// These plugins with the file as it is when the bot starts for the `start`th time.
///
/// # Errors
/// They do not fit together.
pub fn with_file(plugins: Plugins, start: u64) -> Result<Plugins, String> {
    let text = TEXT.replace("heat +1", &format!("heat +{}", start % 3 + 1));
    let game = declared::read(&text).map_err(|mistakes| mistakes.to_string())?;
    let game: Arc<dyn Plugin> = declared::plugin(Arc::new(game)).into();
    let plugins = plugins.with(game).map_err(|error| error.to_string())?;
    Ok(plugins.with_kept_files(Arc::new(declared::Files::default())))
}

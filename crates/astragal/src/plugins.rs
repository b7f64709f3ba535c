//! The plugins this bot has: one line a plugin.

use plugin_api::Plugin;

/// All of them.
pub fn all() -> Vec<Box<dyn Plugin>> {
    vec![mvk::plugin(), retrostar::plugin(), roll::plugin(), spheres::plugin(), torg::plugin()]
}

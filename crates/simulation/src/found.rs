//! Mistakes that seeds found, as scripts.

use crate::run::run;
use crate::script::Script;

#[test]
fn the_same_seed_gives_the_same_log() {
    for seed in [1, 2, 3] {
        let (first, second) = (run(&Script::new(seed)), run(&Script::new(seed)));
        assert!(first.log == second.log && first.log.len() > 50);
    }
}

//! Nobody on Matrix reads what is not theirs, stops others, or makes answers vanish.

//! Nothing that somebody types costs more than its limit allows, however large the numbers in it.

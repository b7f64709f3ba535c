//! Forged journals are refused, by the program and by the page.

//! Whoever reaches a listener cannot stop the bot, and a task that dies is noticed.

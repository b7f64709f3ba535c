//! A message that kills the bot is not played for ever.

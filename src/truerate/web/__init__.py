"""The web: searching for pages and fetching them politely, each stored once."""

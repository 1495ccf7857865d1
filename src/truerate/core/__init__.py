"""The ground: errors, keys, texts, tables and terminal. Imported by all rooms; imports nothing but itself."""

"""What a release says of its origin: a statement of every file, signed, and how it is verified."""

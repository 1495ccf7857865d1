"""SQLite files that all processes of one host share."""

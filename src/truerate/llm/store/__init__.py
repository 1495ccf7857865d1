"""What was asked and answered, and who asks now: one SQLite file for all processes of a host."""

"""Boards of public files: built, committed, checked, submitted, compared, and drawn as pages."""

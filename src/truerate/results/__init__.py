"""Boards of public files: built from their files, committed, checked, submitted, compared, and drawn as pages."""

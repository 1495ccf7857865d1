"""Readers of published formats (`registry`) and of a person's own files (`answers`)."""

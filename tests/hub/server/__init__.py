"""A small, strict Hugging Face Hub on loopback: models and data sets with their files, commits, tags and
rights, and faults on demand.
"""

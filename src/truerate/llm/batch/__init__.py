"""Batch APIs: many requests as one file, answered within hours at a part of the price."""

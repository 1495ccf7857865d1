"""The closed world: a seeded fictional encyclopedia, the sources and simulated models made from it, and the
truth that was planted.
"""

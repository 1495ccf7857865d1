"""The closed world: a seeded fictional encyclopedia, its sources, simulated models and planted truth."""

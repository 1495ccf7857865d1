"""Detectors, which say without asking a model whether a text is hallucinated: one interface, many members."""

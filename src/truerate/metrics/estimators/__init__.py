"""Estimators of a rate of hallucination, each with the labels that it needs and what it assumes: `registry`."""

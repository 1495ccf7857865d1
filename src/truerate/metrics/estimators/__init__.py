"""Estimators of a rate of hallucination, each with the labels it needs and what it assumes: `registry`."""

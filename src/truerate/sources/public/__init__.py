"""Readers of public sets whose replies people or judges labelled."""

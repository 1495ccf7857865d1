"""Scores become rows: rank ranges, the shortcut audit of labelled sets, the reproduction ledger."""

"""Protocols, one folder per paper: functions in the paper's words, prompts and a card. Tracks never import
one another.
"""

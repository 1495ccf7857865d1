"""Judges of responses in dialogues: a verdict, the segment that it rests on, and a reason, learned from a board's
labelled texts and given without asking a model.
"""

"""Judges of responses in dialogues, trained on labelled texts: a verdict, its segment and a reason."""

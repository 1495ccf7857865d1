"""Readers of what the four papers published, and of the sets beside them that their protocols start from."""

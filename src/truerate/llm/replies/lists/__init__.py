"""Readers of lists and single words: facts by the number of their sentence, names, one word of a closed list."""

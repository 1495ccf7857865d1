"""The sample browser: records of a board's texts by form, the index that filters them, their words."""

"""The sample browser: records of a board's texts by form, the index that they are filtered by, and the words in them."""

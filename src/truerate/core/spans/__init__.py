"""Places in a text: quotations, tags, offsets, whole words, markup of pages."""

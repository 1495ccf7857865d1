"""Named formulas: values in, values out, nothing of the house imported. A metric over nothing is None."""

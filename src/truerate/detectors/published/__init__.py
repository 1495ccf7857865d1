"""Published detectors: weights that others trained, each asked in the words, cut into the pieces and read in
the way that its own project does.

`adapters.py` is the table of who they are, `families.py` what differs between families as functions, the
other modules load and ask. Nothing is learned here.
"""

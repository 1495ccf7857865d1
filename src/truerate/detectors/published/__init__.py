"""Published detectors: weights that others trained, each asked in the words, cut into the pieces and read in
the way that its own project does. `adapters.yaml` says who they are; nothing is learned here.
"""

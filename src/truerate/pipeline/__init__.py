"""The stages of dvc.yaml, a module each in its order, and the commands about a whole build.

A step loads, validates, calls pure functions of the rooms below, validates and saves; it holds no logic of
its own. Tables under data/ are validated on the way in and out; scratch files between two rules are written
as they are and checked by the export.
"""

"""Puts this folder on the path, so that the tests of each track's pages find the tiny tables."""

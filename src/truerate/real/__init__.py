"""The boards of public files, in a work folder of their own."""

"""Boards in the forms that other tools read: Every Eval Ever, and the Hub's benchmark files."""

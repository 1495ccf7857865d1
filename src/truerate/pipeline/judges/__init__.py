"""Trained and published judges that answer for a person or over an address."""

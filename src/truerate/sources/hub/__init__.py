"""Data sets of the Hugging Face Hub, and what lies in a clone or a release."""

"""Processes and the terminal: who ends with whom, what is printed, what the system refuses."""

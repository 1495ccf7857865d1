"""What of a board leaves the site as a file: its rows and metrics, and the index of all boards."""

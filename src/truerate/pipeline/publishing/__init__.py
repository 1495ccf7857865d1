"""What goes out: tables of the site, boards and detectors on the Hub."""

"""The methods pages: an index of what is measured, a page per protocol and per subject."""

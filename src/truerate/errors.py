"""The one error that a user is meant to read."""


class TruerateError(Exception):
    """A mistake in input, settings or surroundings, said in one line.

    The message says what was being done, which value was met (repr), what is allowed and what to do next.
    The command line prints it without a traceback and ends with exit code 2.
    """


def listed(names) -> str:
    """The names a message offers, sorted and joined by commas; `none` when there are none."""
    return ", ".join(sorted(map(str, names))) or "none"

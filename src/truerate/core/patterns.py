"""Regular expressions that are compiled when they are first used.

The readers of replies hold hundreds, some of several thousand characters; every command imports them, and
few read a reply. Compiling them all takes longer than the work of most commands.
"""

import re
from typing import Any, cast


def lazy(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return what `re.compile` gives, compiled at the first use; re.error is raised there (test_patterns.py)."""
    return cast(re.Pattern[str], _Lazy(pattern, flags))


class _Lazy:
    """Stands for a pattern; an attribute that was asked for once is the compiled one's own."""

    def __init__(self, pattern: str, flags: int):
        self._arguments = (pattern, flags)

    def __getattr__(self, name: str) -> Any:
        # kept here: `re` forgets what it compiled once a process has used 512 patterns
        if name == "_compiled":
            value: Any = re.compile(*self._arguments)
        else:
            value = getattr(self._compiled, name)
        setattr(self, name, value)
        return value

"""What one endpoint's requests wait for, said when nothing has come for a while."""

import time
from typing import TYPE_CHECKING

from truerate.core.terminal import LONG_S, say

if TYPE_CHECKING:
    from truerate.llm.transport.workers import Crew


class Waits:
    """Says what is waited for once no answer has come for LONG_S seconds, then for twice as long, and so on:
    few lines in all.
    """

    def __init__(self, crew: "Crew"):
        self._crew = crew
        self._since = time.monotonic()
        self._after: dict[str, float] = {}  # kind of wait -> seconds without an answer after which it is told

    def moved(self) -> None:
        """An answer came."""
        self._since = time.monotonic()

    def look(self, n_under_way: int, n_queued: int) -> None:
        """Say what is waited for, if it is time. Called many times a second."""
        waited = time.monotonic() - self._since
        if waited < LONG_S:
            return
        kind, what = self._reason(n_under_way, n_queued)
        if waited >= self._after.get(kind, LONG_S):
            self._after[kind] = 2 * waited
            say(f"endpoint {self._crew.name!r}: no answer for {waited:.0f} s: {what}")

    def _reason(self, n_under_way: int, n_queued: int) -> tuple[str, str]:
        """A kind of wait, and what a person is told of it."""
        crew = self._crew
        if (left := crew.pace.left()) > 0:
            return "pause", f"it asked to wait, {left:.0f} s more"
        if n_under_way:
            return (
                "replies",
                f"{n_under_way:,} under way at {crew.place.url}; each has {crew.llm.timeout_s:g} s (`llm.timeout_s`)",
            )
        if n_queued:
            return "slots", f"other processes use all {crew.endpoint.concurrency} places at it"
        return "others", f"another process has {len(crew.later):,} of the requests under way"

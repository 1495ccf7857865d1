"""What a person sees of a long step: a bar on a terminal, else one line at its start and one at its end."""

import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress as Bar


class Progress:
    """Counts the answers of one step, on stderr."""

    def __init__(self, label: str, *, n_requests: int, n_stored: int):
        self.label, self.n_requests, self.n_stored = label, n_requests, n_stored
        self.n_asked = self.n_dead = 0
        self.usd = 0.0
        self._bar: Bar | None = None

    def __enter__(self) -> "Progress":
        self._since = time.monotonic()
        n_new = self.n_requests - self.n_stored
        print(
            f"{self.label}: {self.n_requests:,} requests, {self.n_stored:,} stored, {n_new:,} to ask",
            file=sys.stderr,
            flush=True,
        )
        if n_new and sys.stderr.isatty():
            self._open_bar(n_new)
        return self

    def _open_bar(self, total: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self._bar = Bar(*columns, console=Console(stderr=True), transient=True)
        self._bar.start()
        self._task = self._bar.add_task(self.label, total=total)

    def advance(self, *, is_dead: bool, usd: float) -> None:
        """One more answer."""
        self.n_asked += 1
        self.n_dead += is_dead
        self.usd += usd
        if self._bar:
            self._bar.advance(self._task)

    def __exit__(self, kind: type | None, *_: object) -> None:
        if self._bar:
            self._bar.stop()
        if self.n_requests == self.n_stored:
            return
        dead = f", {self.n_dead:,} of them dead letters (`truerate llm dead`)" if self.n_dead else ""
        word = "stopped" if kind else "done"
        seconds = time.monotonic() - self._since
        print(
            f"{self.label}: {word}: {self.n_asked:,} answered{dead}, ${self.usd:.4g}, {seconds:.1f} s",
            file=sys.stderr,
            flush=True,
        )

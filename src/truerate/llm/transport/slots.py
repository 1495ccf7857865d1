"""How many requests may be under way at one endpoint, over all processes of this host.

A slot is a file whose lock is held while a worker may send; the kernel frees the locks of a process that
dies. Each process also publishes how many slots it could use, in a file that it keeps locked, and takes no
more than its fair share of them (max-min), so that a long job cannot starve a short one.
"""

import fcntl
import os
import secrets
from pathlib import Path

LOCKED = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC


class Slots:
    """The slots of one endpoint as one run sees them."""

    def __init__(self, folder: Path, limit: int):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder, self.limit = folder, limit
        self._files: dict[int, int] = {}  # slot -> open file
        self._free: list[int] = []
        self._share = limit
        self._name = folder / f"user-{secrets.token_hex(8)}"
        self._card = os.open(self._name, LOCKED, 0o600)
        fcntl.flock(self._card, fcntl.LOCK_EX)

    @property
    def n_held(self) -> int:
        """Slots that this run holds."""
        return len(self._files)

    @property
    def is_over(self) -> bool:
        """Whether this run holds more than its share, so that the next worker to finish should leave."""
        return len(self._files) > self._share

    def adjust(self, want: int) -> int:
        """Take slots up to what is wanted and fair; how many are held then."""
        os.pwrite(self._card, b"%-8d" % want, 0)
        self._share = min(want, fair_share(self.limit, self._others()))
        missing = self._share - len(self._files)
        for number in range(self.limit):
            if missing <= 0:
                break
            if number not in self._files and (file := _try_lock(self._folder / f"slot-{number}")) is not None:
                self._files[number] = file
                missing -= 1
        return len(self._files)

    def give_back(self) -> None:
        """Free one slot."""
        _, file = self._files.popitem()
        os.close(file)

    def close(self) -> None:
        """Free everything."""
        while self._files:
            self.give_back()
        self._name.unlink(missing_ok=True)
        os.close(self._card)

    def _others(self) -> list[int]:
        """What the other living runs could use; the cards of dead ones are thrown away."""
        wants = []
        for card in self._folder.glob("user-*"):
            if card == self._name:
                continue
            if (file := _try_lock(card, create=False)) is not None:
                card.unlink(missing_ok=True)
                os.close(file)
                continue
            try:
                wants.append(int(card.read_bytes() or b"0"))
            except (OSError, ValueError):
                continue
        return wants


def fair_share(limit: int, others: list[int]) -> int:
    """The max-min fair part of `limit` for one user beside others who could use so many each; at least 1.

    Nobody gets less than an equal part, unless he could not use it: then the rest is shared by those who can.
    """
    left = limit
    for n_served, other in enumerate(sorted(others)):
        part = left / (len(others) + 1 - n_served)
        if other >= part:
            return max(1, int(part))
        left -= other
    return max(1, left)


def _try_lock(path: Path, *, create: bool = True) -> int | None:
    """An open, locked file; None if another process holds it or (`create` off) there is none."""
    try:
        file = os.open(path, LOCKED if create else os.O_RDWR | os.O_CLOEXEC, 0o600)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(file)
        return None
    return file

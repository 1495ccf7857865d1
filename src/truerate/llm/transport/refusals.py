"""What an endpoint refuses for a model before it has answered anything for it: a fault of the set-up, not of
the requests.

A wrong model name, parameter or address refuses every request, also where the model answered before that
parameter was set. Were each a dead letter, a board would show a
model that was never asked as one that is always wrong. So such refusals are held back: they become dead
letters once the endpoint has given one completion for the alias, and end the run where it gives none.
"""

from collections import Counter
from typing import Any

import orjson

from truerate.llm.keys import Target
from truerate.llm.store.jobs import Job, Settled
from truerate.llm.store.responses import Store, unpacked

MOST = 20  # refusals that are held for one alias; with this many and no answer the run ends


class Refusals:
    """The refusals of one endpoint in one run, by alias."""

    def __init__(self, store: Store):
        self._store = store
        self._answers: dict[str, bool] = {}
        self._refused: dict[str, list[Settled]] = {}

    def has_answered(self, refused: Job) -> bool:
        """Return whether the endpoint ever answered the alias with these settings: in this run or the store."""
        alias = refused.target.alias
        if alias not in self._answers:
            self._answers[alias] = _is_remembered(self._store, refused)
        return self._answers[alias]

    def answered(self, target: Target) -> list[Settled]:
        """Note an answer; the refusals that were held for the alias, to be settled as dead letters now."""
        self._answers[target.alias] = True
        return self._refused.pop(target.alias, [])

    def hold(self, refused: Settled) -> None:
        """Hold a refusal back."""
        self._refused.setdefault(refused.job.target.alias, []).append(refused)

    @property
    def is_full(self) -> bool:
        """Whether some alias has as many refusals as are held for one."""
        return any(len(refusals) >= MOST for refusals in self._refused.values())

    def left(self) -> list[Settled]:
        """All that is still held, which is forgotten here."""
        refused = [refusal for refusals in self._refused.values() for refusal in refusals]
        self._refused.clear()
        return refused


def most_refused(refused: list[Settled]) -> Settled:
    """The last refusal of the alias that has most."""
    alias, _ = Counter(refusal.job.target.alias for refusal in refused).most_common(1)[0]
    return [refusal for refusal in refused if refusal.job.target.alias == alias][-1]


def _is_remembered(store: Store, refused: Job) -> bool:
    """Return whether the store holds a reply of this model and address (or none) to the same settings, the
    seed apart.
    """
    target = refused.target
    settings = _settings(orjson.loads(target.payload(refused.request)))
    for request, extra in store.each(
        "SELECT request, extra FROM response WHERE identity = ? ORDER BY rowid DESC", [target.identity]
    ):
        is_here = extra is None or unpacked(extra).get("address", target.address) == target.address
        if is_here and _settings(unpacked(request)) == settings:
            return True
    return False


def _settings(request: dict[str, Any]) -> dict[str, Any]:
    """Return what a request sends beside its messages; the seed decides nothing of whether it is taken."""
    return {name: value for name, value in request["params"].items() if name != "seed"}

"""The corpora of replies: one file per reader, one reply a line, each with what a careful person reads in it.

A line is `{"kind", "text", "value"}`: `kind` names what is told apart (a few words), `value` is what the
reader has to give in its own form, or null where nothing may be read. Also: `context`, an object with what the
reader is told beside the text; `note`, why a person reads it so; `also`, other values that a person may read
where `value` is null; `reason`, why there is none; `held`: true where the reply was written
after the reader, so that its first run says how the reader fares on what it has not seen.
In `prose.jsonl` a line also names its `corpus`, by whose reader it is read: verdicts and choices that are wrapped in free
prose, or worded so that their surface misleads, of which a reader may lose more than of others, and turns and invents none.
Labels were written before the reader was run on them.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).parent
MIN_READ = 0.90  # of the ordinary replies that a person can read, per file
# kinds of replies that are not ordinary: free prose on both texts, comparisons, scores and ranks, tables of both, and
# picks that are taken back and made again; a reader may lose more of these, and turns and invents none
FREE = {
    "choices": (
        "clauses", "by another hand", "as models answer", "comparison", "correction", "self-correction", "chain correct",
        "score", "rank", "table", "list", "contrary col", "overall row", "meaning", "lower better", "ticks",
        "error count", "stars", "both told",
    )
}  # fmt: skip


class Account(NamedTuple):
    """How a reader did on a corpus: replies by outcome. `turned`: another value than the right one;
    `invented`: a value where there is none; `lost`: none where there is one; `left`: none, rightly.
    """

    read: list[dict[str, Any]]
    lost: list[dict[str, Any]]
    turned: list[dict[str, Any]]
    invented: list[dict[str, Any]]
    left: list[dict[str, Any]]

    @property
    def read_rate(self) -> float | None:
        """The share read of those that can be read; None without any."""
        n = len(self.read) + len(self.lost) + len(self.turned)
        return len(self.read) / n if n else None


def load(name: str) -> list[dict[str, Any]]:
    """The replies of one corpus."""
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines() if line]


def is_ordinary(name: str, row: dict[str, Any]) -> bool:
    """Whether a reply of a corpus is of none of the kinds of FREE."""
    return not row["kind"].startswith(FREE.get(name, ("\0",)))


def account(rows: list[dict[str, Any]], read: Callable[[dict[str, Any]], Any]) -> Account:
    """The outcome of a reader (row → value or None) on every reply."""
    outcomes = Account([], [], [], [], [])
    for row in rows:
        value = read(row)
        if row["value"] is None:
            is_left = value is None or value in row.get("also", ())
            (outcomes.left if is_left else outcomes.invented).append({**row, "got": value})
        elif value is None:
            outcomes.lost.append(row)
        else:
            (outcomes.read if value == row["value"] else outcomes.turned).append({**row, "got": value})
    return outcomes

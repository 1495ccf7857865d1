"""The change log of a repository: one entry per release, the newest on top."""

from typing import NamedTuple

TITLE = "# Change log"


class Release(NamedTuple):
    """One entry: `version` is the tag or None, `day` ISO 8601; the counts leave out the log itself."""

    version: str | None
    day: str
    summary: str
    n_added: int
    n_changed: int
    n_deleted: int


def added(old: str, release: Release) -> str:
    """The change log with a release on top of the older ones; `old` is the log as it stands, empty where
    there is none.

    Text in `old` that is no change log of ours is kept below the entry.
    """
    counts = f"{release.n_added} added, {release.n_changed} changed, {release.n_deleted} deleted"
    summary = " ".join(release.summary.split())
    entry = f"## {release.version or 'untagged'} · {release.day}\n\n{summary}\n\nFiles besides this one: {counts}.\n"
    older = old.strip().removeprefix(TITLE).strip()
    return f"{TITLE}\n\n{entry}" + (f"\n{older}\n" if older else "")

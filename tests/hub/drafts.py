"""Small releases for tests: what a draft promises, without the work of making a board; and publishing them."""

import hashlib
import random
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from truerate.core.errors import TruerateError
from truerate.hub.kept import Kept, with_kept
from truerate.hub.push import publish
from truerate.hub.release import CHANGELOG, CHECKSUMS, MARK, README, Files, Stamp, Target, mark

CARD = "---\nlicense: mit\nlanguage:\n- en\n---\n# {name}\n\nLast changed {dated}.\n"


@dataclass(frozen=True)
class SmallDraft:
    """A board of a few shards of random bytes; a shard's content follows from its seed."""

    name: str = "small-board"
    seeds: tuple[int, ...] = (1, 2, 3)
    summary: str = "3 shards of a small board"
    prefixes: tuple[str, ...] = ("data/", "build/")
    kind: str = "dataset"
    n_bytes: int = 2000
    card: str = CARD
    more: dict = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def files(self, *, stamp: Stamp, changelog: str, kept: Kept) -> dict[str, bytes]:
        n = len(self.seeds)
        contents = {
            f"data/qa/train-{i:05d}-of-{n:05d}.parquet": shard(seed, self.n_bytes)
            for i, seed in enumerate(self.seeds)
        }
        contents["build/params.yaml"] = b"seed: 1\n"
        contents[README] = with_kept(self.card.format(name=self.name, dated=stamp.dated), kept).encode()
        contents[MARK] = mark(
            self.kind, self.name, prefixes=self.prefixes, stamp=stamp, files=contents
        ).encode()
        contents |= self.more
        sums = [
            f"{hashlib.sha256(content).hexdigest()}  {path}\n" for path, content in sorted(contents.items())
        ]
        return contents | {CHECKSUMS: "".join(sums).encode(), CHANGELOG: changelog.encode()}


@dataclass(frozen=True)
class DraftFromDisk(SmallDraft):
    """The same with weights that are read from a file."""

    weights: Path = Path()

    def files(self, **options) -> Files:
        return super().files(**options) | {"data/weights.safetensors": self.weights}


def shard(seed: int, n_bytes: int) -> bytes:
    """Bytes that no tool takes for text."""
    return b"PAR1\0" + random.Random(seed).randbytes(n_bytes)


REPO, A = "org/small", SmallDraft()
B = replace(A, seeds=(1, 7), summary="2 shards, one of them new")
DAY, LATER = "2026-01-01", "2026-02-02"


def put(
    draft=A,
    *,
    to=REPO,
    tag=None,
    public=False,
    dry_run=False,
    today=DAY,
    check=lambda files: None,
    lines=None,
    waits=None,
    kind="dataset",
    replace_card=False,
):
    """Publish without waiting; `lines` and `waits` collect what the user would read and how long they would
    wait.
    """
    target = Target(to, kind, is_public=public, tag=tag)
    say, pause = (lines if lines is not None else []).append, (waits if waits is not None else []).append
    how = {"dry_run": dry_run, "today": today, "replace_card": replace_card, "pause": pause}
    return publish(draft, target, check=check, say=say, **how)


def refused(match: str, *args, **options) -> str:
    """The one line with which publishing refuses."""
    with pytest.raises(TruerateError, match=match) as error:
        put(*args, **options)
    assert "\n" not in str(error.value) and len(str(error.value)) < 500
    return str(error.value)


def asked(hub, *methods: str, path: str = "") -> list[str]:
    """The paths that were asked for by these methods since the last look."""
    return [p for method, p, _ in hub.requests if method in methods and path in p]


def content(hub, revision="main", repo=REPO, kind="dataset") -> dict[str, bytes]:
    return hub.files(repo, revision, kind)


def expected(draft, *, dated=DAY) -> dict[str, bytes]:
    """What a draft brings, but for the change log."""
    return {
        path: data
        for path, data in draft.files(stamp=Stamp(dated), changelog="", kept=Kept()).items()
        if path != CHANGELOG
    }


def same_but_history(files: dict[str, bytes], draft, *, dated=DAY) -> bool:
    return {path: data for path, data in files.items() if path != CHANGELOG} == expected(draft, dated=dated)


def laid(files: Files, folder: Path) -> Path:
    """The files of a release in a folder, as a download has them."""
    for path, content in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.read_bytes())
    return folder
